// SPDX-License-Identifier: MIT
// Loops over columns of bonds against those over rows, of lattices (straight columns) and of particles anywhere
// (gathered); and the same bits with eight and with sixteen lanes.
#include "math/lanes.h"
#include "methods/peridynamics/pack.h"
#include "support/points.h"
#include "world/world.h"

#include <string.h>

static phx_world* shaken(double jitter, const char* model, const char* hourglass) {
    phx_world_def def = phx_world_def_default();
    def.threads = 1;
    phx_world* world = NULL;
    phx_material_def material = phx_material_def_default();
    material.young = 2e5, material.poisson = 0.3, material.density = 1000;
    phx_body_def body = phx_body_def_default();
    const phx_setting settings[] = {{"model", model}, {"hourglass", hourglass}};
    body.shape = "box(size=(0.18,0.14,0.22))"; // 9x7x11: the last block and group are not full
    body.spacing = 0.02;
    body.jitter = jitter;
    body.method = "peridynamics";
    body.settings = settings;
    body.setting_count = 2;
    phx_body_id id;
    if (phx_world_create(&def, &world) != PHX_OK || phx_material_create(world, &material, &body.material) != PHX_OK ||
        phx_body_create(world, &body, &id) != PHX_OK) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
    }
    return world;
}

enum { MOST = 1024 };

typedef struct answer {
    phx_vec3 force[MOST];
    phx_real tangent[3][MOST], scalar[3][MOST];
} answer;

/// Forces of a body that is bent, and products with both matrices.
static void ask(phx_world* world, phxi_peri_slot* slot, answer* a) {
    static phx_vec3 x[MOST];
    static phx_real q[3][MOST];
    phxi_step step = phxi_world_context(world, 0);
    phxi_peri_binding binding = {.step = &step, .slot = slot};
    phxi_operator op = phxi_peri_operator(&binding);
    phxi_strain strain;
    const phxi_particles* p = &world->particles;
    for (int i = 0; i < slot->count; ++i) {
        double s = sin(40.0 * i), z = (double)p->z[i];
        x[i] = phxi_vec3((double)p->x[i] + 2 * z * z + 1e-4 * s, 1.02 * (double)p->y[i], z);
        for (int c = 0; c < 3; ++c) {
            q[c][i] = (phx_real)sin(7.0 * i + c);
        }
    }
    ENSURE(op.forces(op.context, x, a->force, &strain));
    const phx_real* const from[3] = {q[0], q[1], q[2]};
    phx_real *const tangent[3] = {a->tangent[0], a->tangent[1], a->tangent[2]}, *const scalar[3] = {a->scalar[0],
                                                                                                    a->scalar[1],
                                                                                                    a->scalar[2]};
    phxi_peri_tangent(&step, slot, from, tangent);
    phxi_peri_laplacian(&step, slot, from, scalar);
}

static void compare(const answer* a, const answer* b, int count) {
    double size[3] = {0}, apart[3] = {0};
    for (int i = 0; i < count; ++i) {
        size[0] = fmax(size[0], phxi_length(a->force[i]));
        apart[0] = fmax(apart[0], phxi_distance(a->force[i], b->force[i]));
        for (int c = 0; c < 3; ++c) {
            size[1] = fmax(size[1], fabs((double)a->tangent[c][i]));
            apart[1] = fmax(apart[1], fabs((double)(a->tangent[c][i] - b->tangent[c][i])));
            size[2] = fmax(size[2], fabs((double)a->scalar[c][i]));
            apart[2] = fmax(apart[2], fabs((double)(a->scalar[c][i] - b->scalar[c][i])));
        }
    }
    for (int k = 0; k < 3; ++k) {
        ENSURE(size[k] > 0);
        ENSURE_NEAR(apart[k] / size[k], 0, 1e-5);
    }
}

TEST(columns_and_rows_give_the_same_forces) {
    static answer columns, rows;
    for (int k = 0; k < 4; ++k) {
        phx_world* world = shaken(k % 2 * 0.3, "state", k < 2 ? "1" : "0.3");
        REQUIRE(world);
        phxi_peri_slot* slot = &((phxi_peri*)world->solvers.items[0].state)->slots.items[0];
        REQUIRE(slot->count <= MOST && slot->pack);
        ENSURE(slot->pack->straight == (k % 2 == 0));
        ask(world, slot, &columns);
        struct phxi_peri_pack* pack = slot->pack;
        slot->pack = NULL;
        ask(world, slot, &rows);
        slot->pack = pack;
        compare(&rows, &columns, slot->count);
        phx_world_destroy(world);
    }
}

TEST(eight_and_sixteen_lanes_give_the_same_bits) {
#ifdef PHXI_AVX512
    typedef void sums(const phxi_peri_slot*, int, phxi_peri_block*);
    typedef void pulls(const phxi_peri_slot*, int, phx_real[3][PERI_BLOCK]);
    static sums* const both_sums[2] = {phxi_peri_state_sums, phxi_peri_state_sums_avx512};
    static pulls* const both_pulls[3][2] = {{phxi_peri_state_pulls, phxi_peri_state_pulls_avx512},
                                            {phxi_peri_bond_pulls, phxi_peri_bond_pulls_avx512},
                                            {phxi_peri_tangent_pulls, phxi_peri_tangent_pulls_avx512}};
    static phxi_peri_block sum[2];
    static phx_real pull[2][3][PERI_BLOCK];
    static answer a;
    for (int k = 0; k < 2 && phxi_lanes_are_wide(); ++k) {
        phx_world* world = shaken(k * 0.3, "bond", "1");
        REQUIRE(world);
        phxi_peri_slot* slot = &((phxi_peri*)world->solvers.items[0].state)->slots.items[0];
        ask(world, slot, &a);
        memset(sum, 0, sizeof sum);
        for (int block = 0; block < phxi_peri_blocks(slot); ++block) {
            both_sums[0](slot, block, &sum[0]);
            both_sums[1](slot, block, &sum[1]);
            ENSURE(memcmp(&sum[0], &sum[1], sizeof sum[0]) == 0);
            for (int n = 0; n < 3; ++n) {
                both_pulls[n][0](slot, block, pull[0]);
                both_pulls[n][1](slot, block, pull[1]);
                ENSURE(memcmp(pull[0], pull[1], sizeof pull[0]) == 0);
            }
        }
        phx_world_destroy(world);
    }
#endif
}

/// What hourglass control does not see of a bond is taken out of the energy as it is out of forces.
TEST(forces_are_the_gradient_of_the_energy) {
    static answer at;
    phx_world* world = shaken(0.3, "state", "0.3");
    REQUIRE(world);
    phxi_peri_slot* slot = &((phxi_peri*)world->solvers.items[0].state)->slots.items[0];
    phxi_step step = phxi_world_context(world, 0);
    phxi_peri_binding binding = {.step = &step, .slot = slot};
    phxi_operator op = phxi_peri_operator(&binding);
    const phxi_particles* p = &world->particles;
    static phx_vec3 x[MOST], way[MOST], moved[MOST];
    double energy[2], work = 0;
    for (int i = 0; i < slot->count; ++i) {
        double s = sin(40.0 * i), z = (double)p->z[i];
        x[i] = phxi_vec3((double)p->x[i] + 2 * z * z + 1e-3 * s, 1.02 * (double)p->y[i], z);
        way[i] = phxi_vec3(sin(7.0 * i), sin(11.0 * i), sin(13.0 * i));
    }
    phxi_strain strain;
    ENSURE(op.forces(op.context, x, at.force, &strain));
    for (int side = 0; side < 2; ++side) {
        for (int i = 0; i < slot->count; ++i) {
            moved[i] = phxi_add_scaled(x[i], side ? 1e-5 : -1e-5, way[i]);
        }
        static phx_vec3 force[MOST];
        ENSURE(op.forces(op.context, moved, force, &strain));
        energy[side] = op.energy(op.context);
    }
    for (int i = 0; i < slot->count; ++i) {
        work += phxi_dot(at.force[i], way[i]);
    }
    ENSURE_NEAR((energy[0] - energy[1]) / 2e-5 / work, 1, 2e-3);
    phx_world_destroy(world);
}
