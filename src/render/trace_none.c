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

int phxi_tracer_blocked(const phxi_tracer* tracer, const float origin[3], const float (*directions)[3], int count,
                        float reach) {
    (void)tracer, (void)origin, (void)directions, (void)count, (void)reach;
    return 0;
}
