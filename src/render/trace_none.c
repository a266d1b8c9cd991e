// SPDX-License-Identifier: MIT
// No ray tracing in this build.
#include "render/trace.h"

#include <math.h>

const char* const phxi_tracer_name = NULL;

phx_result phxi_tracer_create(phxi_heap* heap, const phxi_drawing* drawing, phxi_tracer** tracer) {
    (void)heap, (void)drawing;
    *tracer = NULL;
    return phxi_fail(PHX_ERROR_UNSUPPORTED, "built without Embree: no rays");
}

void phxi_tracer_destroy(phxi_heap* heap, phxi_tracer* tracer) {
    (void)heap, (void)tracer;
}

void phxi_tracer_hit(const phxi_tracer* tracer, const float origin[3], const float direction[3], phxi_hit* hit) {
    (void)tracer, (void)origin, (void)direction;
    hit->distance = INFINITY;
}

int phxi_tracer_blocked(const phxi_tracer* tracer, const float origin[3], const float (*directions)[8], int count,
                        float reach) {
    (void)tracer, (void)origin, (void)directions, (void)count, (void)reach;
    return 0;
}

bool phxi_tracer_shaded(const phxi_tracer* tracer, const float origin[3], const float direction[3]) {
    (void)tracer, (void)origin, (void)direction;
    return false;
}

bool phxi_tracer_near(const phxi_tracer* tracer, const float point[3], float reach) {
    (void)tracer, (void)point, (void)reach;
    return false;
}
