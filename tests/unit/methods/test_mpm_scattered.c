// SPDX-License-Identifier: MIT
// Scattered grains of the material point method: blocks that share no nodes with others move in their own tile, and
// rows of nodes that nobody sees are left out; results are those of the whole grid, bit for bit.
#include "methods/mpm/mpm_internal.h"
#include "support/points.h"

enum { SIDE = 6, COUNT = SIDE * SIDE * SIDE };

/// Snow that has fallen apart on a floor: grains ten cells from each other, and some side by side. `asked`: a driver
/// wants to know what colliders exert, so no block is alone.
static phx_world* grains(int threads, const char* kernel, bool asked) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    phx_body_def bd = phx_body_def_default();
    phx_collider_def floor = phx_collider_def_default(), far = phx_collider_def_default();
    phx_driver_def driver = phx_driver_def_default();
    phx_collider_id id;
    phx_body_id body;
    phx_driver_id drives;
    const phx_preset* preset;
    const phx_setting setting = {"kernel", kernel};
    def.threads = threads;
    far.name = driver.collider = "far", far.shape = "sphere(center=(0,0,90),radius=1)";
    driver.kind = PHX_DRIVER_VELOCITY, driver.vector = phxi_vec3(1, 0, 0);
    bd.method = "mpm", bd.shape = "box(center=(0,0,0.06),size=(0.12,0.12,0.12))", bd.spacing = 0.02;
    bd.settings = &setting, bd.setting_count = 1;
    bool good = phx_world_create(&def, &world) == PHX_OK && phx_preset_find("snow", &preset) == PHX_OK &&
                phx_material_create(world, &preset->def, &bd.material) == PHX_OK &&
                phx_body_create(world, &bd, &body) == PHX_OK && phx_collider_create(world, &floor, &id) == PHX_OK &&
                phx_collider_create(world, &far, &id) == PHX_OK &&
                (!asked || phx_driver_create(world, &driver, &drives) == PHX_OK);
    if (!good) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
    }
    for (int i = COUNT / 4; good && i < COUNT; ++i) {
        phxi_particles* p = &world->particles;
        p->x[i] = (phx_real)(0.4 * (i % SIDE) + 0.013 * (i % 5)), p->y[i] = (phx_real)(0.4 * (i / SIDE % SIDE) + 0.4);
        p->z[i] = (phx_real)(0.011 + 0.2 * (i / SIDE / SIDE));
        p->vx[i] = (phx_real)(0.3 * (i % 7) - 1), p->vy[i] = (phx_real)(0.2 * (i % 3)), p->vz[i] = (phx_real)-0.5;
    }
    return world;
}

static int alone(const phx_world* world) {
    const phxi_mpm* s = world->solvers.items[0].state;
    int count = 0;
    for (int h = 0; h < s->blocks.count; ++h) {
        count += s->blocks.items[h].alone;
    }
    return count;
}

static bool same(const phx_world* one, const phx_world* two) {
    const phxi_particles *a = &one->particles, *b = &two->particles;
    const phx_real* const first[] = {a->x, a->y, a->z, a->vx, a->vy, a->vz};
    const phx_real* const second[] = {b->x, b->y, b->z, b->vx, b->vy, b->vz};
    bool all = true;
    for (int n = 0; n < 6; ++n) {
        all = all && memcmp(first[n], second[n], (size_t)a->count * sizeof(phx_real)) == 0;
    }
    return all;
}

TEST(grains_alone_move_as_on_a_shared_grid) {
    static const char* const kernels[] = {"cubic", "quadratic"};
    for (int k = 0; k < 2; ++k) {
        phx_world *one = grains(1, kernels[k], false), *two = grains(2, kernels[k], true);
        REQUIRE(one && two);
        for (int n = 0; n < 150; ++n) {
            REQUIRE_OK(phx_world_substep(one, 2e-4));
            REQUIRE_OK(phx_world_substep(two, 2e-4));
        }
        ENSURE(alone(one) > 50);
        ENSURE(alone(two) == 0);
        ENSURE(same(one, two));
        phx_world_destroy(one);
        phx_world_destroy(two);
    }
}

TEST(blocks_of_few_grains_go_through_planes_together) {
    phx_world* world = grains(1, "cubic", false);
    REQUIRE(world);
    REQUIRE_OK(phx_world_substep(world, 2e-4));
    const phxi_mpm* s = world->solvers.items[0].state;
    int blocks = 0, rows = 0;
    ENSURE(s->blocks.count > 100);
    ENSURE(s->batches.count < 10);
    for (int n = 0; n < s->batches.count; ++n) {
        ENSURE(s->batches.items[n].first == blocks);
        ENSURE(s->batches.items[n].count == 1 || phxi_mpm_batch_size(s, &s->batches.items[n]) <= MPM_CHUNK);
        blocks += s->batches.items[n].count;
    }
    ENSURE(blocks == s->blocks.count);
    for (int h = 0; h < s->blocks.count; ++h) { // 16 columns of one or two rows for a grain
        rows += __builtin_popcountll(s->blocks.items[h].rows.half[0]) +
                __builtin_popcountll(s->blocks.items[h].rows.half[1]);
    }
    ENSURE(rows <= 32 * COUNT);
    ENSURE(s->tiles.count <= 32 * COUNT * MPM_ROW);
    phx_world_destroy(world);
}

// What flies on goes through all of its tile before blocks are assigned again: rows are kept for each wherever it is.
TEST(grains_that_cross_their_tiles_see_all_of_them) {
    phx_world* world = grains(1, "cubic", false);
    REQUIRE(world);
    phxi_particles* p = &world->particles;
    for (int i = 0; i < p->count; ++i) {
        p->z[i] += 1;
        p->vx[i] = (phx_real)1.5, p->vy[i] = (phx_real)-0.7, p->vz[i] = 2;
    }
    for (int n = 0; n < 300; ++n) {
        REQUIRE_OK(phx_world_substep(world, 1e-3));
    }
    for (int i = 0; i < p->count; ++i) {
        ENSURE(fabs((double)p->vx[i] - 1.5) < 1e-3 && fabs((double)p->vy[i] + 0.7) < 1e-3);
        ENSURE(fabs((double)p->vz[i] - (2 - 9.81 * 0.3)) < 1e-3);
    }
    phx_world_destroy(world);
}
