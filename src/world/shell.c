// SPDX-License-Identifier: MIT
// What lies deep in a large block of wall is never seen by the fluid: it is left out before it costs anything.
#include "world/shell.h"

static void drop_deep(const phxi_solid* solid, double layers, phxi_samples* samples) {
    int kept = 0;
    for (int i = 0; i < samples->count; ++i) {
        double depth = -phxi_solid_distance(solid, samples->positions[i], NULL);
        if (depth < (layers + 1e-6) * samples->spacings[i]) {
            samples->positions[kept] = samples->positions[i];
            if (samples->areas) {
                samples->areas[kept] = samples->areas[i];
                samples->sizes[kept] = samples->sizes[i];
            }
            samples->volumes[kept] = samples->volumes[i];
            samples->spacings[kept++] = samples->spacings[i];
        }
    }
    samples->count = kept; // never 0: the outermost sample is within a spacing of the surface
}

phx_result phxi_body_make_shell(phxi_heap* heap, const phx_body_def* def, double layers, const char* surface,
                                phxi_samples* samples, phxi_solid** solid) {
    PHXI_TRY(phxi_solid_create(heap, def, solid));
    drop_deep(*solid, layers, samples);
    if (!surface) {
        return PHX_OK;
    }
    phxi_solid_destroy(*solid);
    *solid = NULL;
    phx_body_def other = phx_body_def_default();
    other.shape = surface;
    phx_result result = phxi_solid_create(heap, &other, solid);
    return result == PHX_OK ? PHX_OK : phxi_fail_within(result, "surface");
}

static phx_vec3 rest_of(const phxi_particles* p, int i) {
    return phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]);
}

void phxi_body_choose_marks(const phxi_particles* particles, int begin, int count, int mark[3]) {
    phx_vec3 first = rest_of(particles, begin), axis = {0, 0, 0};
    mark[0] = mark[1] = mark[2] = 0;
    double most = 0;
    for (int k = 0; k < count; ++k) {
        phx_vec3 arm = phxi_sub(rest_of(particles, begin + k), first);
        if (phxi_dot(arm, arm) > most) {
            most = phxi_dot(arm, arm);
            mark[1] = k;
            axis = arm;
        }
    }
    most = 0;
    for (int k = 0; k < count; ++k) {
        phx_vec3 away = phxi_cross(axis, phxi_sub(rest_of(particles, begin + k), first));
        if (phxi_dot(away, away) > most) {
            most = phxi_dot(away, away);
            mark[2] = k;
        }
    }
}
