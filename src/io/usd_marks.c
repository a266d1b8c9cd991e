// SPDX-License-Identifier: MIT
#include "io/usd_marks.h"

#include "core/text.h"

#include <string.h>

void phxi_usd_identifier(const char* name, char out[PHXI_USD_NAME]) {
    size_t n = 0;
    for (; name[n] && n < PHXI_USD_NAME - 1; ++n) {
        char c = name[n];
        bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (n > 0 && c >= '0' && c <= '9');
        out[n] = good ? c : '_';
    }
    out[n] = 0;
}

void phxi_usd_put_uvs(FILE* out, const phx_mesh* mesh) {
    const float* uvs = phx_mesh_uvs(mesh);
    if (!uvs) {
        return;
    }
    fputs("        texCoord2f[] primvars:st = [", out);
    for (int i = 0; i < 3 * phx_mesh_triangle_count(mesh); ++i) {
        char u[32], v[32];
        phxi_format_float(uvs[2 * (size_t)i], u);
        phxi_format_float(uvs[2 * (size_t)i + 1], v);
        fprintf(out, "%s(%s, %s)", i ? ", " : "", u, v);
    }
    fputs("] (\n            interpolation = \"faceVarying\"\n        )\n", out);
}

/// A name that no group before has: two may differ only in letters that USD does not take.
static void name_group(const phx_mesh* mesh, int group, char name[PHXI_USD_NAME]) {
    char other[PHXI_USD_NAME];
    const char* told = phx_mesh_group_name(mesh, group);
    phxi_usd_identifier(told[0] ? told : "group", name);
    for (int g = 0; g < group; ++g) {
        const char* before = phx_mesh_group_name(mesh, g);
        phxi_usd_identifier(before[0] ? before : "group", other);
        if (strcmp(other, name) == 0) {
            size_t length = strlen(name) < PHXI_USD_NAME - 12 ? strlen(name) : PHXI_USD_NAME - 12;
            snprintf(name + length, PHXI_USD_NAME - length, "_%d", group);
            return;
        }
    }
}

void phxi_usd_put_groups(FILE* out, const phx_mesh* mesh) {
    const int *groups = phx_mesh_groups(mesh), triangles = phx_mesh_triangle_count(mesh);
    for (int g = 0; groups && g < phx_mesh_group_count(mesh); ++g) {
        char name[PHXI_USD_NAME];
        bool some = false;
        name_group(mesh, g, name);
        fprintf(out,
                "\n        def GeomSubset \"%s\"\n        {\n            uniform token elementType = \"face\"\n"
                "            uniform token familyName = \"groups\"\n            int[] indices = [",
                name);
        for (int t = 0; t < triangles; ++t) {
            if (groups[t] == g) {
                fprintf(out, "%s%d", some ? ", " : "", t);
                some = true;
            }
        }
        fputs("]\n        }\n", out);
    }
}
