// SPDX-License-Identifier: MIT
/// Create a world; add materials, bodies, colliders and drivers; step it; read its state.
#pragma once

#include <phyxel/types.h>

#ifdef __cplusplus
extern "C" {
#endif

PHX_API phx_result phx_world_create(const phx_world_def* def, phx_world** world);
/// Accepts NULL. Cannot fail.
PHX_API void phx_world_destroy(phx_world* world);

PHX_API phx_result phx_material_create(phx_world* world, const phx_material_def* def, phx_material_id* material);
/// Samples the mesh or shape and adds its particles. On failure the world is unchanged.
PHX_API phx_result phx_body_create(phx_world* world, const phx_body_def* def, phx_body_id* body);
PHX_API phx_result phx_collider_create(phx_world* world, const phx_collider_def* def, phx_collider_id* collider);
PHX_API phx_result phx_driver_create(phx_world* world, const phx_driver_def* def, phx_driver_id* driver);
PHX_API phx_result phx_driver_destroy(phx_world* world, phx_driver_id driver);
PHX_API phx_result phx_probe_create(phx_world* world, const phx_probe_def* def, phx_probe_id* probe);

/// Sets the velocity of every particle of a body: m/s, plus a spin in rad/s about the body's centre of mass.
PHX_API phx_result phx_body_set_velocity(phx_world* world, phx_body_id body, phx_vec3 velocity, phx_vec3 spin);
/// The body's particles are [*begin, *begin + *count) of phx_world_particles.
PHX_API phx_result phx_body_range(const phx_world* world, phx_body_id body, int* begin, int* count);
PHX_API int phx_world_body_count(const phx_world* world);
/// The id of material, body or probe number `index` (from 0), in the order in which they were made: of a world that was
/// built from a scene. Out of range: an id that every call refuses.
PHX_API phx_material_id phx_world_material_id(const phx_world* world, int index);
PHX_API phx_body_id phx_world_body_id(const phx_world* world, int index);
PHX_API phx_probe_id phx_world_probe_id(const phx_world* world, int index);
/// Name and method of body number `index` (from 0). NULL if out of range.
PHX_API const char* phx_world_body_name(const phx_world* world, int index);
PHX_API const char* phx_world_body_method(const phx_world* world, int index);
/// The property of its material that chose the method, "friction_angle"; NULL if its definition named the method.
PHX_API const char* phx_world_body_chosen_for(const phx_world* world, int index);

/// Advances by `duration` seconds in as many equal substeps as stability requires. On failure the world is restored to
/// its state before the call. PHX_ERROR_UNSTABLE: the state became non-finite.
PHX_API phx_result phx_world_step(phx_world* world, double duration);
/// Takes one substep of dt seconds; for tests and benchmarks. On failure the state is left as it went wrong.
PHX_API phx_result phx_world_substep(phx_world* world, double dt);
/// The substep that would be taken next, and what limits it.
PHX_API phx_result phx_world_dt(phx_world* world, phx_dt_info* info);

/// Finds the equilibrium of all bodies under their weight and the drivers that act now, pins, moves, twists, forces
/// and tractions, which grow from nothing to all in load steps; the clock stands still and velocities are 0 afterwards.
/// `report` may be NULL. PHX_ERROR_UNSUPPORTED names a body or driver that has no static state. PHX_ERROR_UNSTABLE:
/// none was found beyond a share of the load, which is the state that is left.
PHX_API phx_result phx_world_static(phx_world* world, const phx_static_def* def, phx_static_report* report);

PHX_API double phx_world_time(const phx_world* world);      ///< s
PHX_API int64_t phx_world_substeps(const phx_world* world); ///< number taken so far
PHX_API int phx_world_threads(const phx_world* world);
PHX_API phx_particle_view phx_world_particles(const phx_world* world);
/// A field by name ("von_mises", "speed", "det_f", "rest" ...): 1, 3 or 9 numbers per particle, computed on demand into
/// memory of the caller, who provides count * components numbers. phx_world_field_info lists the fields; NULL past the
/// end.
typedef struct phx_field_info {
    const char* name;
    const char* unit;
    const char* help;
    int components;
} phx_field_info;
PHX_API const phx_field_info* phx_world_field_info(const phx_world* world, int i);
PHX_API phx_result phx_world_field(const phx_world* world, const char* name, phx_real* values);

/// Totals of the whole world, of a body, of a probe's group.
PHX_API phx_result phx_world_measure(const phx_world* world, phx_totals* totals);
PHX_API phx_result phx_body_measure(const phx_world* world, phx_body_id body, phx_totals* totals);
PHX_API phx_result phx_probe_measure(const phx_world* world, phx_probe_id probe, phx_totals* totals);

/// Bytes in use. `visit` (may be NULL) is called once for every label.
PHX_API size_t phx_world_memory(phx_world* world,
                                void (*visit)(void* context, const char* label, size_t bytes, int blocks),
                                void* context);
/// Number of allocations made by the world so far.
PHX_API int64_t phx_world_allocations(const phx_world* world);
/// A hash of all bits of the state: equal states have equal hashes.
PHX_API uint64_t phx_world_hash(const phx_world* world);

// -------------------------------------------------------------------------------------- methods, presets, parameters

PHX_API int phx_method_count(void);
PHX_API const char* phx_method_name(int i); ///< NULL when out of range
PHX_API const char* phx_method_summary(int i);
PHX_API const phx_param_table* phx_method_params(int i);
/// What methods can do, one capability at a time: its name and what it means (`help` may be NULL); NULL when out of
/// range.
PHX_API int phx_capability_count(void);
PHX_API const char* phx_capability_name(int i, const char** help);
PHX_API bool phx_method_can(int method, int capability); ///< by index; false when out of range
/// How bodies of two methods act on each other: "contact", "one continuum" (their method sees to it), "flow" (a fluid
/// along a boundary), "nothing"; NULL when out of range.
PHX_API const char* phx_methods_meet(int a, int b);

/// Materials with real values. NULL when out of range.
typedef struct phx_preset {
    const char* name;
    const char* summary;
    const char* source; ///< source of the values
    phx_material_def def;
} phx_preset;
PHX_API int phx_preset_count(void);
PHX_API const phx_preset* phx_preset_at(int i);
/// Finds a preset by name; if there is none, the message suggests similar names.
PHX_API phx_result phx_preset_find(const char* name, const phx_preset** preset);

/// The method that bodies of a material take if they name none, and the property that decides it ("friction_angle";
/// `property` may be NULL). NULL, with a message, if no method obeys all laws of the material.
PHX_API const char* phx_material_method(const phx_material_def* def, const char** property);

/// All tables: world, material, body, collider, driver, probe, then those of the methods and of io. NULL past the end.
PHX_API const phx_param_table* phx_param_table_at(int i);

#ifdef __cplusplus
}
#endif
