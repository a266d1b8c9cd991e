// SPDX-License-Identifier: MIT
// What loads of full strength push each particle of a group with:
//
//   force   f_i = F m_i / M                            torque  f_i = T m_i a x r_i / sum m |a x r|^2
//
// a the axis, r from the middle of the group's mass as it is now, so that a torque is a pure couple that turns with
// what it turns: its forces add up to nothing, wherever its axis is.
#include "world/world.h"

static phx_vec3 position_of(const phxi_particles* p, int i) {
    return phxi_vec3(p->x[i], p->y[i], p->z[i]);
}

static void share_force(const phx_world* world, const phxi_driver* driver, phx_vec3* units) {
    const phxi_particles* p = &world->particles;
    for (int k = 0; k < driver->group.count; ++k) {
        units[k] = phxi_scale(p->mass[driver->group.indices[k]] / driver->mass, driver->def.vector);
    }
}

static phx_result share_torque(const phx_world* world, const phxi_driver* driver, phx_vec3* units) {
    const phxi_particles* p = &world->particles;
    phx_vec3 axis = phxi_normalize(driver->def.axis, phxi_vec3(0, 0, 1)), middle = {0, 0, 0};
    double inertia = 0;
    for (int k = 0; k < driver->group.count; ++k) {
        int i = driver->group.indices[k];
        middle = phxi_add_scaled(middle, (double)p->mass[i] / driver->mass, position_of(p, i));
    }
    for (int k = 0; k < driver->group.count; ++k) {
        int i = driver->group.indices[k];
        units[k] = phxi_cross(axis, phxi_sub(position_of(p, i), middle));
        inertia += (double)p->mass[i] * phxi_dot(units[k], units[k]);
    }
    if (!(inertia > 0)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "driver '%s': all its particles stand on the axis of its torque, expected "
                                             "some beside it",
                         driver->name);
    }
    for (int k = 0; k < driver->group.count; ++k) {
        units[k] = phxi_scale(driver->def.torque / inertia * (double)p->mass[driver->group.indices[k]], units[k]);
    }
    return PHX_OK;
}

bool phxi_driver_loads(const phx_driver_def* def) {
    return def->kind == PHX_DRIVER_FORCE || def->kind == PHX_DRIVER_TORQUE;
}

phx_result phxi_load_units(phx_world* world, const phxi_driver* driver, phx_vec3** units) {
    *units = phxi_arena_take(&world->arena, (size_t)driver->group.count, sizeof **units);
    if (!*units) {
        return PHX_ERROR_MEMORY;
    }
    if (driver->def.kind == PHX_DRIVER_TORQUE) {
        return share_torque(world, driver, *units);
    }
    share_force(world, driver, *units);
    return PHX_OK;
}
