// SPDX-License-Identifier: MIT
// Pressure on a surface that turns and stretches with its body. A particle that owns the area A n at rest pushes with
//
//   f = -p A (F t1) x (F t2),   t1 x t2 = n,
//
// which is -p cof(F) n A (Nanson) and asks F along the surface only, so that sheets are loaded like solids. F is the
// least squares fit to where its bonds have gone, F = sum w y X^T (sum w X X^T)^+, w = 1/|X|^2; of rigid bodies it is
// their rotation. If the surface is closed, the areas add up to nothing at rest; what is left of their sum as they
// deform, by the error of the fits, is taken off by area: pressure alone moves no body.
#include "world/world.h"

#include "math/decompose3.h"

#define CLOSED 1e-3 // sum of areas over sum of their sizes
enum { GRAIN = 128 };

typedef struct pressing {
    phx_world* world;
    const phxi_driver* driver;
    const phxi_bond_view* bonds; // by body
    const phxi_mat3* turns;      // by body, of rigid ones
    phx_vec3* units;
} pressing;

/// The gradient of the motion at particle i along its surface.
static phxi_mat3 gradient_of(const pressing* c, int i) {
    const phxi_particles* p = &c->world->particles;
    int body = p->body[i], begin = c->world->bodies.items[body].begin, neighbors[PHXI_MAX_BONDS];
    if (phxi_world_is_rigid(c->world, body)) {
        return c->turns[body];
    }
    int count = phxi_bonds_of(&c->bonds[body], begin, i - begin, neighbors);
    phxi_sym3 m = {0}, inverse;
    phxi_mat3 spread = {0};
    for (int k = 0; k < count; ++k) {
        int j = neighbors[k];
        phx_vec3 now = phxi_vec3(p->x[j] - p->x[i], p->y[j] - p->y[i], p->z[j] - p->z[i]);
        phx_vec3 rest =
            phxi_vec3(p->rest_x[j] - p->rest_x[i], p->rest_y[j] - p->rest_y[i], p->rest_z[j] - p->rest_z[i]);
        double w = 1 / phxi_dot(rest, rest);
        const double y[3] = {now.x, now.y, now.z}, x[3] = {rest.x, rest.y, rest.z};
        for (int e = 0; e < 9; ++e) {
            spread.m[e / 3][e % 3] += w * y[e / 3] * x[e % 3];
        }
        m.xx += w * x[0] * x[0], m.yy += w * x[1] * x[1], m.zz += w * x[2] * x[2];
        m.xy += w * x[0] * x[1], m.xz += w * x[0] * x[2], m.yz += w * x[1] * x[2];
    }
    phxi_pseudo_inverse_sym3(&m, 1e-6, &inverse, NULL);
    phxi_mat3 full = phxi_sym3_full(&inverse);
    return phxi_mat3_mul(&spread, &full);
}

static void press_block(void* context, int begin, int end, int block) {
    (void)block;
    const pressing* c = context;
    for (int k = begin; k < end; ++k) {
        int i = c->driver->group.indices[k];
        phx_vec3 area = phxi_face_area(&c->world->particles, i, c->driver->face);
        double size = phxi_length(area);
        if (size == 0) {
            c->units[k] = area;
            continue;
        }
        phx_vec3 n = phxi_scale(1 / size, area);
        phx_vec3 aside = fabs(n.x) < 0.6 ? phxi_vec3(1, 0, 0) : phxi_vec3(0, 1, 0);
        phx_vec3 t1 = phxi_normalize(phxi_cross(aside, n), aside), t2 = phxi_cross(n, t1);
        phxi_mat3 f = gradient_of(c, i);
        phx_vec3 turned = phxi_cross(phxi_mat3_apply(&f, t1), phxi_mat3_apply(&f, t2));
        c->units[k] = phxi_scale(-c->driver->def.pressure * size, turned);
    }
}

/// What pressure on a closed surface would push the whole with, taken off by area.
static void balance(const pressing* c) {
    const phxi_group* group = &c->driver->group;
    phx_vec3 rest = {0, 0, 0}, push = {0, 0, 0};
    double size = 0;
    for (int k = 0; k < group->count; ++k) {
        phx_vec3 area = phxi_face_area(&c->world->particles, group->indices[k], c->driver->face);
        rest = phxi_add(rest, area);
        push = phxi_add(push, c->units[k]);
        size += phxi_length(area);
    }
    for (int k = 0; k < group->count && phxi_length(rest) <= CLOSED * size; ++k) {
        phx_vec3 area = phxi_face_area(&c->world->particles, group->indices[k], c->driver->face);
        c->units[k] = phxi_add_scaled(c->units[k], -phxi_length(area) / size, push);
    }
}

phx_result phxi_pressure_units(phx_world* world, const phxi_driver* driver, phx_vec3* units) {
    size_t count = (size_t)world->bodies.count;
    phxi_bond_view* bonds = phxi_arena_take(&world->arena, count, sizeof *bonds);
    phxi_mat3* turns = phxi_arena_take(&world->arena, count, sizeof *turns);
    if (!bonds || !turns) {
        return PHX_ERROR_MEMORY;
    }
    for (int b = 0; b < world->bodies.count; ++b) {
        bonds[b] = phxi_world_bonds(world, b);
        turns[b] = phxi_world_is_rigid(world, b) ? phxi_world_rigid(world, b, NULL).rotation : phxi_identity();
    }
    pressing c = {world, driver, bonds, turns, units};
    phxi_parallel_for(world->pool, driver->group.count, GRAIN, press_block, &c);
    if (driver->profile.local) {
        return PHX_OK; // differs from place to place: it may push
    }
    balance(&c);
    return PHX_OK;
}
