// SPDX-License-Identifier: MIT
// The stage of our own pictures, as POV-Ray has it. What lights the scene and what the eye sees behind it differ: the
// first is a sphere that reflections and radiosity see and the camera does not, the second the other way round. Lamps
// are discs far away; a disc that only reflections see stands for each of them.
//
// POV-Ray's axes are left-handed; the camera's `right` vector points the other way to undo that.
#include "io/pov.h"

#include "core/text.h"

#include <math.h>

static const double pi = 3.14159265358979323846;
enum { STEPS = 16 }; // of colours that blend

void phxi_pov_number(FILE* out, double value) {
    char text[32];
    phxi_format_float((float)value, text);
    fputs(text, out);
}

void phxi_pov_vector(FILE* out, double x, double y, double z) {
    fputc('<', out);
    phxi_pov_number(out, x);
    fputc(',', out);
    phxi_pov_number(out, y);
    fputc(',', out);
    phxi_pov_number(out, z);
    fputc('>', out);
}

void phxi_pov_color(FILE* out, const char* key, phxi_f3 color) {
    fprintf(out, "%s rgb ", key);
    phxi_pov_vector(out, (double)color.x, (double)color.y, (double)color.z);
}

static void put_place(FILE* out, const char* key, phx_vec3 p) {
    fprintf(out, "%s ", key);
    phxi_pov_vector(out, p.x, p.y, p.z);
    fputc('\n', out);
}

static void put_camera(FILE* out, const phx_render_def* def) {
    const phx_camera* c = &def->camera;
    double aspect = (double)def->width / def->height, half = atan(aspect * tan(c->field_of_view * pi / 360));
    fputs("camera {\n", out);
    put_place(out, "location", c->eye);
    fputs("right <-", out);
    phxi_pov_number(out, aspect);
    fputs(", 0, 0>\n", out);
    put_place(out, "sky", c->up);
    fputs("angle ", out);
    phxi_pov_number(out, half * 360 / pi);
    fputc('\n', out);
    put_place(out, "look_at", c->target);
    fputs("}\n", out);
}

static void put_lamp(FILE* out, const phx_vec3* center, const phxi_stage_light* light, const phxi_lamp* lamp) {
    phxi_f3 d = lamp->direction, u, v;
    double way = 40 * (double)light->radius, cosine = (double)lamp->cosine;
    double sine2 = 1 - cosine * cosine, wide = way * sqrt(sine2) / cosine;
    if (!(phxi_f3_most(lamp->radiance) > 0)) {
        return;
    }
    phxi_f3_frame(d, &u, &v);
    phx_vec3 at = {center->x + way * (double)d.x, center->y + way * (double)d.y, center->z + way * (double)d.z};
    put_place(out, "light_source {", at);
    // a diffuse white face that looks at it shines with irradiance / pi
    phxi_pov_color(out, "", phxi_f3_scale((float)sine2, lamp->radiance));
    fputs(" area_light ", out);
    phxi_pov_vector(out, 2 * wide * (double)u.x, 2 * wide * (double)u.y, 2 * wide * (double)u.z);
    fputc(',', out);
    phxi_pov_vector(out, 2 * wide * (double)v.x, 2 * wide * (double)v.y, 2 * wide * (double)v.z);
    fputs(" 4,4 adaptive 0 jitter circular orient }\n", out);
    put_place(out, "disc {", at);
    fputc(',', out);
    phxi_pov_vector(out, (double)d.x, (double)d.y, (double)d.z);
    fputc(',', out);
    phxi_pov_number(out, wide);
    phxi_pov_color(out, " pigment {", lamp->radiance);
    fputs(" } finish { ambient 0 diffuse 0 emission 1 } no_image no_radiosity no_shadow }\n", out);
}

/// A sphere around everything, coloured by the height of a direction (0: horizon and below, 1: straight up).
static void put_sphere(FILE* out, const phx_vec3* center, const phxi_stage_light* light, const char* seen_by,
                       phxi_f3 (*color)(const phxi_stage_light* light, phxi_f3 direction)) {
    double radius = 60 * (double)light->radius;
    fputs("sphere { 0, 1 pigment { function { max(0, min(1, z)) } color_map {", out);
    for (int i = 0; i <= STEPS; ++i) {
        float z = (float)i / STEPS;
        fputs(" [", out);
        phxi_pov_number(out, (double)z);
        phxi_pov_color(out, "", color(light, (phxi_f3){0, sqrtf(1 - z * z), z}));
        fputc(']', out);
    }
    fprintf(out, " } } finish { ambient 0 diffuse 0 emission 1 } hollow no_shadow %s scale ", seen_by);
    phxi_pov_number(out, radius);
    put_place(out, " translate", *center);
    fputs("}\n", out);
}

/// Fades into what is behind: from 6 radii on it is clear. It lies a little too high, so that what stands on it has no
/// gap beneath.
static void put_floor(FILE* out, const phx_vec3* center, const phxi_stage_light* light, double height) {
    fputs("plane { z, ", out);
    phxi_pov_number(out, height + 5e-4 * (double)light->radius);
    fputs(" pigment { function { min(1, sqrt(x*x + y*y)) } color_map {", out);
    for (int i = 0; i <= 4 * STEPS; ++i) {
        float far = (float)i / (4 * STEPS), fade;
        phxi_f3 c = phxi_floor_color(light, (phxi_f3){6 * far * light->radius, 0, 0}, &fade);
        fputs(" [", out);
        phxi_pov_number(out, (double)far);
        fputs(" rgbt <", out);
        const float rgbt[4] = {c.x, c.y, c.z, fade};
        for (int k = 0; k < 4; ++k) {
            fputs(k ? "," : "", out);
            phxi_pov_number(out, (double)rgbt[k]);
        }
        fputs(">]", out);
    }
    fputs(" } scale ", out);
    phxi_pov_number(out, 6 * (double)light->radius);
    put_place(out, " translate", (phx_vec3){center->x, center->y, 0});
    fputs("} finish { ambient 0 diffuse 1 } }\n", out);
}

void phxi_pov_put_stage(FILE* out, const phx_render_def* def, const phxi_stage_light* light) {
    const phx_vec3* center = &def->camera.target;
    fprintf(out,
            "// phyxel, m. povray +W%d +H%d FILE\n#version 3.7;\n"
            "global_settings { assumed_gamma 1 max_trace_level 6\n"
            "  radiosity { pretrace_start 0.08 pretrace_end 0.02 count 60 nearest_count 6 error_bound 0.7 "
            "recursion_limit 1 low_error_factor 0.6 gray_threshold 0 minimum_reuse 0.02 brightness 1 } }\n",
            def->width, def->height);
    put_camera(out, def);
    for (int k = 0; k < PHXI_LAMPS; ++k) {
        put_lamp(out, center, light, &light->lamps[k]);
    }
    put_sphere(out, center, light, "no_image", phxi_dome);
    put_sphere(out, center, light, "no_reflection no_radiosity", phxi_behind);
    if (def->floor) {
        put_floor(out, center, light, def->floor_height);
    }
}
