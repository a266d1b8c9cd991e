// SPDX-License-Identifier: MIT
// See stiffness.h.
#include "methods/shared/stiffness.h"

#include <stdio.h>

// An explicit run shows every vibration, BDF2 damps those above 1/(4 dt): it must be this much cheaper to be chosen.
#define WORTH 8.0
// A blow on a body lasts as long as a wave needs to go through it and back. Where that can be seen and bdf2,
// which wants 20 steps for it, would swallow it, the body stays explicit: rubber and coarse cork bounce, clay is
// dented. Up to a number of substeps that is bearable: 8000 particles take 50 s of processor time for a second of 120
// 000.
#define SEEN     5e-4   // s
#define RESOLVED 20.0   // implicit steps of a blow that is kept
#define BEARABLE 2000.0 // explicit substeps in 1/60 s

double phxi_stiffness_substeps(const phxi_stiffness* s) {
    return s->length / (0.9 * s->stable_dt);
}

void phxi_stiffness_reason(const phxi_stiffness* s, int integrator, bool automatic, const char* body,
                           char reason[160]) {
    int length = snprintf(reason, 160, "%s steps of body '%s'", phxi_integrator_words[integrator], body);
    if (automatic && length < 160) {
        snprintf(reason + length, (size_t)(160 - length), " (auto: for %.0f explicit ones)",
                 phxi_stiffness_substeps(s));
    }
}

/// How long a blow lasts: twice through the longest side of the body at the speed of waves in a bar.
static double blow_of(const phxi_step* step, int index) {
    const phxi_particles* p = step->particles;
    const phxi_body* body = &step->bodies[index];
    const phx_real* const rest[3] = {p->rest_x, p->rest_y, p->rest_z};
    double longest = 0;
    for (int a = 0; a < 3; ++a) {
        double low = INFINITY, high = -INFINITY;
        for (int i = body->begin; i < body->begin + body->count; ++i) {
            low = fmin(low, (double)rest[a][i]);
            high = fmax(high, (double)rest[a][i]);
        }
        longest = fmax(longest, high - low);
    }
    return 2 * longest / sqrt(body->material.young / body->material.density);
}

static bool shows_blows(const phxi_stiffness* s, const phxi_step* step, int body) {
    if (s->asked || phxi_stiffness_substeps(s) > BEARABLE) {
        return false;
    }
    double blow = blow_of(step, body);
    return blow > SEEN && blow < RESOLVED * s->length;
}

bool phxi_stiffness_pays(const phxi_stiffness* s, const phxi_step* step, int body) {
    return phxi_stiffness_substeps(s) > s->cost * WORTH && !shows_blows(s, step, body);
}
