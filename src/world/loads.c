// SPDX-License-Identifier: MIT
// What loads of full strength push each particle of a group with:
//
//   force     f_i = F m_i / M, or F A_i / A            torque    f_i = T m_i a x r_i / sum m |a x r|^2
//   traction  f_i = t A_i                              pressure  f_i = -p cof(F_i) n_i A_i (pressure.c)
//
// A_i the area at rest of the face that a particle owns, a the axis, r from the middle of the group's mass as it is
// now, so that a torque is a pure couple that turns with what it turns: its forces add up to nothing, wherever its axis
// is.
#include "world/world.h"

static phx_vec3 position_of(const phxi_particles* p, int i) {
    return phxi_vec3(p->x[i], p->y[i], p->z[i]);
}

static double area_of(const phx_world* world, const phxi_driver* driver, int k) {
    return phxi_length(phxi_face_area(&world->particles, driver->group.indices[k], driver->face));
}

static double whole_area(const phx_world* world, const phxi_driver* driver) {
    double sum = 0;
    for (int k = 0; k < driver->group.count; ++k) {
        sum += area_of(world, driver, k);
    }
    return sum;
}

static void share_force(const phx_world* world, const phxi_driver* driver, phx_vec3* units) {
    const phxi_particles* p = &world->particles;
    bool by_area = driver->def.share == PHX_SHARE_AREA;
    double area = by_area ? whole_area(world, driver) : 0;
    for (int k = 0; k < driver->group.count; ++k) {
        double share = by_area ? area_of(world, driver, k) / area : p->mass[driver->group.indices[k]] / driver->mass;
        units[k] = phxi_scale(share, driver->def.vector);
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
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "driver '%s': all its particles stand on the axis of its torque, expected "
                         "some beside it",
                         driver->name);
    }
    for (int k = 0; k < driver->group.count; ++k) {
        units[k] = phxi_scale(driver->def.torque / inertia * (double)p->mass[driver->group.indices[k]], units[k]);
    }
    return PHX_OK;
}

bool phxi_driver_loads(const phx_driver_def* def) {
    return def->kind == PHX_DRIVER_FORCE || def->kind == PHX_DRIVER_TORQUE || def->kind == PHX_DRIVER_TRACTION ||
           def->kind == PHX_DRIVER_PRESSURE;
}

phx_result phxi_load_check(phx_world* world, const phxi_driver* driver) {
    const phx_driver_def* def = &driver->def;
    bool by_area = def->kind == PHX_DRIVER_TRACTION || def->kind == PHX_DRIVER_PRESSURE ||
                   (def->kind == PHX_DRIVER_FORCE && def->share == PHX_SHARE_AREA);
    if (def->kind == PHX_DRIVER_TRACTION && !(phxi_length(driver->face) > 0)) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "face is not given, expected the direction that the loaded face looks to, "
                                             "such as -x");
    }
    if (by_area && !(whole_area(world, driver) > 0)) {
        return phxi_fail(PHX_ERROR_ARGUMENT,
                         "none of its particles stands on the surface of body '%s', which a load "
                         "by area needs: `sampling: conforming` puts them there if it is more than one layer thick",
                         world->bodies.items[world->particles.body[driver->group.indices[0]]].name);
    }
    for (int k = 0; def->kind == PHX_DRIVER_PRESSURE && k < driver->group.count; ++k) {
        int b = world->particles.body[driver->group.indices[k]];
        const phxi_method* method = world->solvers.items[world->bodies.items[b].solver].method;
        if (!phxi_world_is_rigid(world, b) && !(method->touch && method->touch->bonds)) {
            return phxi_fail(PHX_ERROR_UNSUPPORTED,
                             "pressure follows a surface that its method knows; body '%s' is %s, expected one of a "
                             "solid with bonds, or rigid (a traction stays as it is)",
                             world->bodies.items[b].name, method->name);
        }
    }
    return PHX_OK;
}

phx_result phxi_load_units(phx_world* world, const phxi_driver* driver, phx_vec3** units) {
    *units = phxi_arena_take(&world->arena, (size_t)driver->group.count, sizeof **units);
    if (!*units) {
        return PHX_ERROR_MEMORY;
    }
    if (driver->def.kind == PHX_DRIVER_TORQUE) {
        return share_torque(world, driver, *units);
    }
    if (driver->def.kind == PHX_DRIVER_PRESSURE) {
        return phxi_pressure_units(world, driver, *units);
    }
    if (driver->def.kind == PHX_DRIVER_FORCE) {
        share_force(world, driver, *units);
        return PHX_OK;
    }
    for (int k = 0; k < driver->group.count; ++k) {
        (*units)[k] = phxi_scale(area_of(world, driver, k), driver->def.vector);
    }
    return PHX_OK;
}
