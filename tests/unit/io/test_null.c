// SPDX-License-Identifier: MIT
// NULL in every public call that takes an address: the call refuses it, or gives what stands for nothing. A call of the
// headers that is missing here fails the last test.
#include "support/test.h"
#include "unit/io/small_scene.h"

#include <ctype.h>

#define REFUSED(call) ENSURE_RESULT((call), PHX_ERROR_ARGUMENT)

static const char TEXT[] = "x";
static phx_vec3 zero;

TEST(worlds) {
    phx_totals totals;
    int begin, count;
    REFUSED(phx_world_create(NULL, NULL));
    REFUSED(phx_material_create(NULL, NULL, NULL));
    REFUSED(phx_body_create(NULL, NULL, NULL));
    REFUSED(phx_collider_create(NULL, NULL, NULL));
    REFUSED(phx_driver_create(NULL, NULL, NULL));
    REFUSED(phx_driver_destroy(NULL, (phx_driver_id){0, 1}));
    REFUSED(phx_probe_create(NULL, NULL, NULL));
    REFUSED(phx_body_set_velocity(NULL, (phx_body_id){0, 1}, zero, zero));
    REFUSED(phx_body_range(NULL, (phx_body_id){0, 1}, &begin, &count));
    REFUSED(phx_world_step(NULL, 1));
    REFUSED(phx_world_substep(NULL, 1));
    REFUSED(phx_world_dt(NULL, NULL));
    REFUSED(phx_world_static(NULL, NULL, NULL));
    REFUSED(phx_world_field(NULL, NULL, NULL));
    REFUSED(phx_world_measure(NULL, &totals));
    REFUSED(phx_body_measure(NULL, (phx_body_id){0, 1}, &totals));
    REFUSED(phx_probe_measure(NULL, (phx_probe_id){0, 1}, &totals));
    phx_world_destroy(NULL);
    ENSURE(phx_world_body_count(NULL) == 0 && phx_world_body_id(NULL, 0).generation == 0);
    ENSURE(phx_world_material_id(NULL, 0).generation == 0 && phx_world_probe_id(NULL, 0).generation == 0);
    ENSURE(!phx_world_body_name(NULL, 0) && !phx_world_body_method(NULL, 0) && !phx_world_body_chosen_for(NULL, 0));
    ENSURE(phx_world_time(NULL) == 0 && phx_world_substeps(NULL) == 0 && phx_world_threads(NULL) == 0);
    ENSURE(phx_world_particles(NULL).count == 0 && !phx_world_particles(NULL).x);
    ENSURE(!phx_world_field_info(NULL, 0));
    ENSURE(phx_world_memory(NULL, NULL, NULL) == 0 && phx_world_allocations(NULL) == 0 && phx_world_hash(NULL) == 0);
    ENSURE(phx_capability_name(0, NULL) != NULL);
    ENSURE(!phx_material_method(NULL, NULL));
    REFUSED(phx_preset_find(NULL, NULL));
    REFUSED(phx_preset_find("rubber", NULL));
}

TEST(places_of_a_world) {
    phx_world* world = small_world(NULL);
    REQUIRE(world);
    phx_body_id body = phx_world_body_id(world, 0);
    int number;
    uint64_t hash = phx_world_hash(world);
    phx_real* values = malloc(sizeof *values * (size_t)phx_world_particles(world).count);
    phx_body_def body_def = phx_body_def_default();
    phx_driver_def driver_def = phx_driver_def_default();
    phx_probe_def probe_def = phx_probe_def_default();
    phx_body_id made_body;
    phx_driver_id made_driver;
    phx_probe_id made_probe;
    phx_material_def material_def = phx_material_def_default();
    phx_collider_def collider_def = phx_collider_def_default();
    REFUSED(phx_material_create(world, &material_def, NULL));
    REFUSED(phx_collider_create(world, &collider_def, NULL));
    body_def.name = NULL;
    driver_def.name = NULL;
    probe_def.name = NULL;
    REFUSED(phx_body_create(world, &body_def, &made_body));
    REFUSED(phx_driver_create(world, &driver_def, &made_driver));
    REFUSED(phx_probe_create(world, &probe_def, &made_probe));
    REFUSED(phx_body_range(world, body, NULL, &number));
    REFUSED(phx_body_range(world, body, &number, NULL));
    REFUSED(phx_world_dt(world, NULL));
    REFUSED(phx_world_field(world, NULL, values));
    REFUSED(phx_world_field(world, "speed", NULL));
    REFUSED(phx_world_measure(world, NULL));
    REFUSED(phx_body_measure(world, body, NULL));
    REFUSED(phx_probe_measure(world, phx_world_probe_id(world, 0), NULL));
    REFUSED(phx_checkpoint_save(world, NULL));
    REFUSED(phx_checkpoint_load(world, NULL));
    REFUSED(phx_frame_save(world, NULL, NULL));
    REFUSED(phx_frame_of_world(world, NULL, NULL));
    ENSURE(phx_world_hash(world) == hash);
    free(values);
    phx_world_destroy(world);
}

TEST(files) {
    phx_mesh* mesh = NULL;
    phx_scene* scene = NULL;
    phx_sample_report report;
    REFUSED(phx_mesh_load(NULL, &mesh));
    REFUSED(phx_mesh_load(TEXT, NULL));
    REFUSED(phx_mesh_parse(NULL, TEXT, 1, NULL, NULL));
    ENSURE(phx_mesh_parse(NULL, NULL, 1, NULL, &mesh) != PHX_OK);
    phx_mesh_turn_up(NULL, PHX_UP_X);
    REFUSED(phx_mesh_save(NULL, NULL));
    REFUSED(phx_mesh_create(3, NULL, 1, NULL, &mesh));
    REFUSED(phx_mesh_create(0, NULL, 0, NULL, NULL));
    REFUSED(phx_mesh_from_shape(NULL, 1, &mesh));
    REFUSED(phx_mesh_from_shape("box(size=(1, 1, 1))", 1, NULL));
    phx_mesh_destroy(NULL);
    ENSURE(phx_mesh_vertex_count(NULL) == 0 && phx_mesh_triangle_count(NULL) == 0 && phx_mesh_group_count(NULL) == 0);
    ENSURE(!phx_mesh_positions(NULL) && !phx_mesh_triangles(NULL) && !phx_mesh_uvs(NULL) && !phx_mesh_groups(NULL));
    ENSURE(!phx_mesh_group_name(NULL, 0) && phx_mesh_volume(NULL) == 0 && phx_mesh_open_edges(NULL) == 0);
    REQUIRE_OK(phx_mesh_from_shape("box(size=(1, 1, 1))", 0.5, &mesh));
    REFUSED(phx_mesh_save(mesh, NULL));
    phx_mesh_destroy(mesh);
    REFUSED(phx_sample(NULL, NULL, &report));
    REFUSED(phx_frame_save(NULL, NULL, NULL));
    REFUSED(phx_checkpoint_save(NULL, NULL));
    REFUSED(phx_checkpoint_load(NULL, NULL));
    REFUSED(phx_scene_load(NULL, NULL, &scene));
    REFUSED(phx_scene_load(TEXT, NULL, NULL));
    REFUSED(phx_scene_parse(TEXT, NULL, 1, NULL, NULL, &scene));
    REFUSED(phx_scene_parse(TEXT, TEXT, 1, NULL, NULL, NULL));
    phx_scene_destroy(NULL);
    REFUSED(phx_scene_build(NULL, NULL, NULL));
    REFUSED(phx_scene_estimate(NULL, NULL));
    REFUSED(phx_run(NULL, NULL));
    phx_run_def def = phx_run_def_default();
    REFUSED(phx_run(&def, NULL));
}

TEST(frames) {
    phx_frame* frame = NULL;
    phx_frames* frames = NULL;
    phx_usd* usd = NULL;
    float* values = NULL;
    REFUSED(phx_frame_create(1, 0, 0, NULL, NULL));
    REFUSED(phx_frame_of_world(NULL, NULL, NULL));
    phx_frame_destroy(NULL);
    ENSURE(phx_frame_points(NULL) == 0 && phx_frame_triangles(NULL) == 0 && phx_frame_time(NULL) == 0);
    ENSURE(!phx_frame_positions(NULL) && !phx_frame_indices(NULL));
    REFUSED(phx_frame_add_field(NULL, NULL, 1, NULL));
    ENSURE(!phx_frame_field_at(NULL, 0) && !phx_frame_find(NULL, NULL));
    REFUSED(phx_frame_pick(NULL, NULL, NULL));
    REFUSED(phx_frame_check(NULL));
    REFUSED(phx_frame_write(NULL, NULL));
    REQUIRE_OK(phx_frame_create(1, 0, 0, NULL, &frame));
    REFUSED(phx_frame_add_field(frame, NULL, 1, &values));
    REFUSED(phx_frame_add_field(frame, "a", 1, NULL));
    ENSURE(!phx_frame_find(frame, NULL));
    REFUSED(phx_frame_pick(frame, NULL, NULL));
    REFUSED(phx_frame_write(frame, NULL));
    phx_vec3 low, high;
    ENSURE(!phx_frame_bounds(NULL, &low, &high));
    (void)phx_frame_bounds(frame, NULL, NULL);
    phx_frame_destroy(frame);
    REFUSED(phx_frames_open(NULL, &frames));
    REFUSED(phx_frames_open(TEXT, NULL));
    phx_frames_close(NULL);
    ENSURE(phx_frames_count(NULL) == 0 && !(phx_frames_time(NULL, 0) == 0) && !phx_frames_path(NULL, 0));
    REFUSED(phx_frames_read(NULL, 0, &frame));
    REFUSED(phx_usd_begin(NULL, 1, &usd));
    REFUSED(phx_usd_begin(TEXT, 1, NULL));
    REFUSED(phx_usd_add(NULL, NULL));
    REFUSED(phx_usd_add_parts(NULL, NULL, NULL, 1));
    ENSURE_OK(phx_usd_end(NULL, true)); // as destroy does
}

TEST(surfaces) {
    phx_frame* frame = NULL;
    REQUIRE_OK(phx_frame_create(1, 0, 0, NULL, &frame));
    phx_surface_def surface_def = phx_surface_def_default();
    phx_liquid_def liquid_def = phx_liquid_def_default();
    phx_crack_surface_def crack_def = phx_crack_surface_def_default();
    phx_skin_def skin_def = phx_skin_def_default();
    phx_frame* made;
    double ball;
    phx_skin* skin;
    phx_crack_surface* cracks;
    REFUSED(phx_surface_reconstruct(NULL, NULL, NULL, NULL));
    REFUSED(phx_surface_reconstruct(frame, NULL, &made, NULL));
    REFUSED(phx_surface_reconstruct(frame, &surface_def, NULL, NULL));
    REFUSED(phx_surface_splats(NULL, NULL, NULL));
    REFUSED(phx_surface_splats(frame, NULL, &made));
    REFUSED(phx_surface_splats(frame, &surface_def, NULL));
    REFUSED(phx_liquid_surface(NULL, NULL, NULL));
    REFUSED(phx_liquid_surface(frame, NULL, &made));
    REFUSED(phx_liquid_surface(frame, &liquid_def, NULL));
    REFUSED(phx_liquid_fit(NULL, NULL, 1, NULL));
    REFUSED(phx_liquid_fit(frame, NULL, 1, &ball));
    REFUSED(phx_liquid_fit(frame, &liquid_def, 1, NULL));
    REFUSED(phx_skin_create(NULL, NULL));
    REFUSED(phx_skin_create(&skin_def, NULL));
    REFUSED(phx_skin_create(&skin_def, &skin));
    phx_skin_destroy(NULL);
    REFUSED(phx_skin_apply(NULL, NULL, NULL));
    REFUSED(phx_skin_apply(NULL, frame, &made));
    REFUSED(phx_crack_surface_create(NULL, NULL, NULL));
    REFUSED(phx_crack_surface_create(NULL, &crack_def, &cracks));
    phx_crack_surface_destroy(NULL);
    REFUSED(phx_crack_surface_frame(NULL, NULL));
    phx_frame_destroy(frame);
}

TEST(pictures) {
    const phx_part* parts = NULL;
    phx_image* image = NULL;
    phx_film* film = NULL;
    phx_gltf* gltf = NULL;
    phx_look look;
    int count;
    unsigned char white[3] = {255, 255, 255};
    phx_render_def def = phx_render_def_default();
    REFUSED(phx_image_create(1, 1, NULL));
    phx_image_destroy(NULL);
    ENSURE(phx_image_width(NULL) == 0 && phx_image_height(NULL) == 0 && !phx_image_pixels(NULL));
    REFUSED(phx_image_save(NULL, NULL));
    REFUSED(phx_image_sheet(NULL, 1, 1, &image));
    REFUSED(phx_image_sheet((phx_image* [1]){NULL}, 1, 1, &image));
    phx_image_text(NULL, 0, 0, 10, TEXT, white);
    REQUIRE_OK(phx_image_create(8, 8, &image));
    REFUSED(phx_image_save(image, NULL));
    REFUSED(phx_image_sheet(&image, 1, 1, NULL));
    phx_image_text(image, 0, 0, 8, NULL, white);
    phx_image_text(image, 0, 0, 8, TEXT, NULL);
    REFUSED(phx_render_bar_beside(image, NULL, &image));
    REFUSED(phx_render_bar_beside(image, &def, NULL));
    phx_image_destroy(image);
    image = NULL;
    REFUSED(phx_film_begin(NULL, 8, 8, 1, &film));
    REFUSED(phx_film_begin(TEXT, 8, 8, 1, NULL));
    REFUSED(phx_film_add(NULL, NULL));
    ENSURE_OK(phx_film_end(NULL, true));
    REFUSED(phx_look_of_preset(NULL, &look));
    REFUSED(phx_look_of_preset("rubber", NULL));
    ENSURE(phx_render_view_width(NULL) == 0);
    REFUSED(phx_render_bar_beside(NULL, NULL, NULL));
    REFUSED(phx_render(NULL, NULL, NULL));
    REFUSED(phx_render(NULL, &def, &image));
    REFUSED(phx_render_parts(NULL, 1, &def, &image));
    REFUSED(phx_render_parts(NULL, 0, NULL, NULL));
    REFUSED(phx_gltf_write(NULL, NULL, NULL, 1));
    REFUSED(phx_gltf_write(phxt_path("a.glb"), NULL, NULL, 1));
    REFUSED(phx_gltf_begin(NULL, &gltf));
    REFUSED(phx_gltf_begin(TEXT, NULL));
    REFUSED(phx_gltf_add_parts(NULL, NULL, NULL, 1));
    ENSURE_OK(phx_gltf_end(NULL, true));
    REFUSED(phx_stage_write(NULL, NULL, NULL, 1, NULL));
    REFUSED(phx_stage_write(phxt_path("a.json"), NULL, NULL, 1, &def));
    REFUSED(phx_pov_write(NULL, NULL, 1, NULL));
    REFUSED(phx_pov_write(phxt_path("a.pov"), NULL, 1, &def));
    REFUSED(phx_render_write_pov(NULL, NULL, NULL));
    REFUSED(phx_show_open(NULL, NULL));
    phx_show_def show_def = phx_show_def_default();
    phx_show* show = NULL;
    REFUSED(phx_show_open(&show_def, &show));
    show_def.run = TEXT;
    REFUSED(phx_show_open(&show_def, NULL));
    phx_show_close(NULL);
    ENSURE(!phx_show_folder(NULL) && phx_show_count(NULL) == 0 && phx_show_body_count(NULL) == 0);
    ENSURE(!(phx_show_time(NULL, 0) == 0) && !phx_show_body_name(NULL, 0) && !phx_show_part_name(NULL, 0));
    ENSURE(phx_show_body_draw(NULL, 0) == PHX_DRAW_LIQUID && phx_show_cloud_spacing(NULL) == 0);
    REFUSED(phx_show_particles(NULL, 0, NULL));
    REFUSED(phx_show_parts(NULL, 0, &parts, &count));
    REFUSED(phx_show_surface(NULL, 0, NULL));
    REFUSED(phx_show_stage(NULL, NULL, 0, 1, NULL, NULL));
    REFUSED(phx_pictures_open(NULL, NULL));
    phx_pictures_def pictures_def = phx_pictures_def_default();
    phx_pictures* pictures = NULL;
    REFUSED(phx_pictures_open(&pictures_def, &pictures));
    pictures_def.run_count = 1;
    REFUSED(phx_pictures_open(&pictures_def, &pictures));
    phx_pictures_close(NULL);
    ENSURE(phx_pictures_count(NULL) == 0 && phx_pictures_frame(NULL, 0) == -1 && !(phx_pictures_time(NULL, 0) == 0));
    ENSURE(phx_pictures_rate(NULL) == 0 && !phx_pictures_render(NULL) && !phx_pictures_folder(NULL));
    ENSURE(!phx_pictures_show(NULL, 0));
    REFUSED(phx_pictures_parts(NULL, 0, 0, NULL, NULL));
    REFUSED(phx_pictures_draw(NULL, 0, NULL));
    REFUSED(phx_pictures_make(NULL, NULL, NULL));
}

// What takes no address cannot be given NULL.
static const char* const without[] = {
    "phx_result_name",      "phx_error_message",  "phx_version",        "phx_shape_help",    "phx_film_possible",
    "phx_camera_framing",   "phx_look_default",   "phx_look_of_number", "phx_render_engine", "phx_method_count",
    "phx_method_name",      "phx_method_summary", "phx_method_params",  "phx_method_can",    "phx_methods_meet",
    "phx_capability_count", "phx_preset_count",   "phx_preset_at",      "phx_param_table_at"};

static bool is_walked(const char* own, const char* name, size_t length) {
    for (size_t i = 0; i < sizeof without / sizeof *without; ++i) {
        if (strlen(without[i]) == length && memcmp(without[i], name, length) == 0) {
            return true;
        }
    }
    char call[128];
    snprintf(call, sizeof call, "%.*s(", (int)length, name);
    return (length > 8 && memcmp(name + length - 8, "_default", 8) == 0) || strstr(own, call);
}

TEST(every_call_is_here) {
    static const char* const headers[] = {"base", "frame",   "io",    "pictures", "render",
                                          "show", "surface", "types", "world"};
    char* own = phxt_read(phxt_source("tests/unit/io/test_null.c"), NULL);
    REQUIRE(own);
    int calls = 0;
    for (size_t h = 0; h < sizeof headers / sizeof *headers; ++h) {
        char path[64];
        snprintf(path, sizeof path, "include/phyxel/%s.h", headers[h]);
        char* text = phxt_read(phxt_source(path), NULL);
        REQUIRE(text);
        for (char* at = text; (at = strstr(at, "\nPHX_API ")); ++at) {
            char* bracket = strchr(at, '(');
            char* name = bracket;
            while (name > at && (isalnum((unsigned char)name[-1]) || name[-1] == '_')) {
                --name;
            }
            if (!is_walked(own, name, (size_t)(bracket - name))) {
                phxt_failed(__FILE__, __LINE__, "%.*s is not walked", (int)(bracket - name), name);
            }
            ++calls;
        }
        free(text);
    }
    ENSURE(calls > 150);
    free(own);
}
