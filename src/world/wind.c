// SPDX-License-Identifier: MIT
// The driver `wind`: air that streams past what it meets. Each particle has the face of a cell, A = spacing^2, and
// takes
//
//   f = air/2 A |w| w,   w = (u - v) . n n
//
// u the velocity of the air, v its own. What n is its bonds tell: across the plane in which they lie (sheets, both
// sides of which the wind may meet), across the line (rods: w is all that is across), outward from the side on which
// there are more (the surface of solids, which only wind against it meets; within them there is none); a particle on
// its own is met from everywhere. A method that tells no bonds has particles on their own. Gusts are waves that the
// wind carries along: u = V + gust |V| sin(2 pi (t / period - x / wavelength)) a, x the way along V and a the direction
// of `axis`. What a particle feels is that of the end of the step, as far as the wind alone would move it: v follows,
// or cloth, which is light, would be thrown about.
#include "world/world.h"

#include "math/decompose3.h"

#define TAU   6.28318530717958647692
#define FLAT  0.08 // second moment across over that along, below which bonds lie in a plane; or on a line
#define ASIDE 0.12 // of the spacing: middle of the neighbours, beyond which a particle is at the surface
enum { GRAIN = 256 };

typedef struct blowing {
    phx_world* world;
    phxi_driver* driver;
    const phxi_bond_view* bonds; // by body
    double dt;
} blowing;

static phx_vec3 air_at(const phx_driver_def* def, double share, double time, phx_vec3 x) {
    double speed = phxi_length(def->vector);
    phx_vec3 way = phxi_normalize(def->vector, phxi_vec3(0, 0, 0)), side = phxi_normalize(def->axis, way);
    double phase = (time - def->start) / def->period - phxi_dot(x, way) / def->wavelength;
    return phxi_scale(share, phxi_add_scaled(def->vector, def->gust * speed * sin(TAU * phase), side));
}

/// What of the wind w relative to particle i meets it.
static phx_vec3 met_by(const blowing* c, int i, phx_vec3 w) {
    const phxi_particles* p = &c->world->particles;
    int body = p->body[i], begin = c->world->bodies.items[body].begin, neighbors[PHXI_MAX_BONDS];
    int count = phxi_bonds_of(&c->bonds[body], begin, i - begin, neighbors);
    phxi_sym3 m = {0};
    phx_vec3 here = phxi_vec3(p->x[i], p->y[i], p->z[i]), middle = {0, 0, 0};
    for (int k = 0; k < count; ++k) {
        int j = neighbors[k];
        phx_vec3 y = phxi_sub(phxi_vec3(p->x[j], p->y[j], p->z[j]), here);
        middle = phxi_add_scaled(middle, 1.0 / count, y);
        m.xx += y.x * y.x, m.yy += y.y * y.y, m.zz += y.z * y.z;
        m.xy += y.x * y.y, m.xz += y.x * y.z, m.yz += y.y * y.z;
    }
    if (count == 0) {
        return w;
    }
    double values[3];
    phxi_mat3 axes;
    phxi_eigen_sym3(&m, values, &axes);
    phx_vec3 along = phxi_vec3(axes.m[0][0], axes.m[1][0], axes.m[2][0]);
    phx_vec3 across = phxi_vec3(axes.m[0][2], axes.m[1][2], axes.m[2][2]);
    if (!(values[1] > FLAT * values[0])) {
        return phxi_add_scaled(w, -phxi_dot(w, along), along);
    }
    if (!(values[2] > FLAT * values[1])) {
        return phxi_scale(phxi_dot(w, across), across);
    }
    phx_vec3 out = phxi_normalize(phxi_scale(-1, middle), phxi_vec3(0, 0, 0));
    bool surface = phxi_length(middle) > ASIDE * (double)p->spacing[i] && phxi_dot(w, out) < 0;
    return surface ? phxi_scale(phxi_dot(w, out), out) : phxi_vec3(0, 0, 0);
}

static void blow_block(void* context, int begin, int end, int block) {
    (void)block;
    const blowing* c = context;
    const phxi_particles* p = &c->world->particles;
    const phx_driver_def* def = &c->driver->def;
    phxi_push push = {0};
    for (int k = begin, body = -1; k < end; ++k) {
        int i = c->driver->group.indices[k];
        if (p->body[i] != body) {
            body = p->body[i];
            push = phxi_driver_push(c->world, c->driver, i, c->dt);
        }
        phx_vec3 x = phxi_vec3(p->x[i], p->y[i], p->z[i]), v = phxi_vec3(p->vx[i], p->vy[i], p->vz[i]);
        phx_vec3 w = met_by(c, i, phxi_sub(air_at(def, push.share, c->world->time, x), v));
        double drag = 0.5 * def->air * (double)p->spacing[i] * (double)p->spacing[i] * phxi_length(w);
        phx_vec3 force = phxi_scale(push.covered * drag / (1 + 2 * drag * c->dt / (double)p->mass[i]), w);
        phx_real* f = c->driver->reactions + 3 * (size_t)k;
        f[0] = (phx_real)force.x, f[1] = (phx_real)force.y, f[2] = (phx_real)force.z;
    }
}

phx_result phxi_wind_forces(phx_world* world, phxi_driver* driver, double dt) {
    blowing c = {.world = world, .driver = driver, .dt = dt};
    phxi_bond_view* bonds = phxi_arena_take(&world->arena, (size_t)world->bodies.count + 1, sizeof *bonds);
    if (!bonds) {
        return PHX_ERROR_MEMORY;
    }
    for (int b = 0; b < world->bodies.count; ++b) {
        bonds[b] = phxi_world_bonds(world, b);
    }
    c.bonds = bonds;
    phxi_parallel_for(world->pool, driver->group.count, GRAIN, blow_block, &c);
    return PHX_OK;
}
