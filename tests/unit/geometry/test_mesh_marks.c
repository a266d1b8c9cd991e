// SPDX-License-Identifier: MIT
// What files of other programs have beside triangles: polygons of any shape, texture coordinates, groups.
#include "support/test.h"
#include "geometry/mesh.h"

static phx_mesh* parse(const char* text) {
    phx_mesh* mesh = NULL;
    if (phx_mesh_parse("test.obj", text, strlen(text), NULL, &mesh) != PHX_OK) {
        phxt_failed(__FILE__, __LINE__, "%s", phx_error_message());
    }
    return mesh;
}

/// All triangles of a flat mesh in z = 0 look up, and their areas add up to this.
static void ensure_flat_area(const phx_mesh* mesh, double expected) {
    double sum = 0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int* c = mesh->triangles + 3 * t;
        const phx_vec3 a = mesh->positions[c[0]], b = mesh->positions[c[1]], d = mesh->positions[c[2]];
        const double area = 0.5 * phxi_cross(phxi_sub(b, a), phxi_sub(d, a)).z;
        ENSURE(area >= 0);
        sum += area;
    }
    ENSURE(fabs(sum - expected) < 1e-12);
}

TEST(concave_polygons_are_filled_as_they_are) {
    // an arrowhead whose fan from its first corner leaves it, a comb of three teeth, a convex quad
    phx_mesh* arrow = parse("v 0 0 0\nv 2 -1 0\nv 1 0 0\nv 2 1 0\nf 2 3 4 1\n");
    REQUIRE(arrow);
    ENSURE(arrow->triangle_count == 2);
    ensure_flat_area(arrow, 1);
    phx_mesh* comb = parse("v 0 0 0\nv 5 0 0\nv 5 2 0\nv 4 2 0\nv 4 1 0\nv 3 1 0\nv 3 2 0\nv 2 2 0\nv 2 1 0\nv 1 1 0\n"
                           "v 1 2 0\nv 0 2 0\nf 1 2 3 4 5 6 7 8 9 10 11 12\n");
    REQUIRE(comb);
    ENSURE(comb->triangle_count == 10);
    ensure_flat_area(comb, 8);
    phx_mesh* quad = parse("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n");
    REQUIRE(quad);
    const int fan[6] = {0, 1, 2, 0, 2, 3};
    ENSURE(memcmp(quad->triangles, fan, sizeof fan) == 0);
    phx_mesh_destroy(arrow);
    phx_mesh_destroy(comb);
    phx_mesh_destroy(quad);
}

static const char marked[] = "v 0 0 0\nv 2 -1 0\nv 1 0 0\nv 2 1 0\nvt 0 0\nvt 0.5 0\nvt 0.25 0.5\nvt 0.5 1\n"
                             "f 1 2 3\n"
                             "o thing\ng side\nusemtl red paint\nf 2/2 3/3 4/4 1/1\n"
                             "g thing\nf 1/-4 2/-3 3/-2\nusemtl blue\nf 1 2 3\ng side\nusemtl red paint\nf 1 2 4\n";

TEST(texture_coordinates_stay_with_their_corners) {
    phx_mesh* mesh = parse(marked);
    REQUIRE(mesh && phx_mesh_uvs(mesh));
    const float* uvs = phx_mesh_uvs(mesh);
    ENSURE(mesh->triangle_count == 6);
    for (int k = 0; k < 6; ++k) {
        ENSURE(uvs[k] == 0); // the first triangle has none
    }
    for (int corner = 3; corner < 12; ++corner) { // here u, v follow from x, y
        const phx_vec3 p = mesh->positions[mesh->triangles[corner]];
        const float u = p.x == 0 ? 0 : p.x == 1 ? 0.25f : 0.5f;
        ENSURE(uvs[2 * corner] == u);
    }
    phx_mesh* moved = NULL;
    REQUIRE_OK(phxi_mesh_transformed(mesh, 2, phxi_vec3(0, 90, 0), phxi_vec3(1, 0, 0), NULL, &moved));
    ENSURE(memcmp(phx_mesh_uvs(moved), uvs, 36 * sizeof *uvs) == 0);
    ENSURE(phx_mesh_group_count(moved) == phx_mesh_group_count(mesh));
    ENSURE(strcmp(phx_mesh_group_name(moved, 1), phx_mesh_group_name(mesh, 1)) == 0);
    phx_mesh_destroy(moved);
    phx_mesh_destroy(mesh);
}

TEST(groups_have_the_names_of_the_file) {
    phx_mesh* mesh = parse(marked);
    REQUIRE(mesh && phx_mesh_groups(mesh));
    static const char* const expected[6] = {
        "", "thing/side/red paint", "thing/side/red paint", "thing/red paint", "thing/blue", "thing/side/red paint",
    };
    for (int t = 0; t < 6; ++t) {
        ENSURE(strcmp(phx_mesh_group_name(mesh, phx_mesh_groups(mesh)[t]), expected[t]) == 0);
    }
    ENSURE(!phx_mesh_group_name(mesh, phx_mesh_group_count(mesh)));
    phx_mesh_destroy(mesh);
    mesh = parse("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    REQUIRE(mesh);
    ENSURE(!phx_mesh_groups(mesh) && !phx_mesh_uvs(mesh) && phx_mesh_group_count(mesh) == 0);
    phx_mesh_destroy(mesh);
}

TEST(marks_are_written_and_read_back) {
    phx_mesh *mesh = parse(marked), *back = NULL;
    REQUIRE(mesh);
    REQUIRE_OK(phx_mesh_save(mesh, phxt_path("m.obj")));
    REQUIRE_OK(phx_mesh_load(phxt_path("m.obj"), &back));
    REQUIRE(back->triangle_count == mesh->triangle_count && back->uvs && back->groups);
    const size_t count = (size_t)mesh->triangle_count;
    ENSURE(memcmp(back->triangles, mesh->triangles, 3 * count * sizeof(int)) == 0);
    ENSURE(memcmp(back->uvs, mesh->uvs, 6 * count * sizeof(float)) == 0);
    for (size_t t = 0; t < count; ++t) {
        ENSURE(strcmp(phx_mesh_group_name(back, back->groups[t]), phx_mesh_group_name(mesh, mesh->groups[t])) == 0);
    }
    phx_mesh_destroy(mesh);
    phx_mesh_destroy(back);
}

// A cube of 2 x 1 x 1 m, turned about x, in glTF: names of node and material, v upside down, y up.
TEST(marks_of_gltf) {
    size_t size = 0;
    char* bytes = phxt_read(phxt_source("tests/data/mesh/odd/cube.gltf"), &size);
    phx_mesh* mesh = NULL;
    REQUIRE_OK(phx_mesh_parse("cube.gltf", bytes, size, NULL, &mesh));
    ENSURE(mesh->up == PHX_UP_Y);
    ENSURE(phx_mesh_group_count(mesh) == 1 && strcmp(phx_mesh_group_name(mesh, 0), "die/ivory") == 0);
    const phxi_box box = phxi_mesh_box(mesh);
    ENSURE_NEAR(box.low.x, 5, 1e-12);
    ENSURE_NEAR(box.high.x, 7, 1e-12);
    ENSURE_NEAR(box.low.y, -1, 1e-12); // in the file 0 to 1 along z, which becomes -y
    ENSURE_NEAR(box.low.z, -1, 1e-12); // and -1 to 0 along y
    ENSURE_NEAR(box.high.z, 0, 1e-12);
    for (int corner = 0; corner < 36; ++corner) {
        const phx_vec3 p = mesh->positions[mesh->triangles[corner]];
        ENSURE_NEAR(phx_mesh_uvs(mesh)[2 * corner], 0.5 * (p.x - 5), 1e-6);
        ENSURE_NEAR(phx_mesh_uvs(mesh)[2 * corner + 1], 1 + p.y, 1e-6);
    }
    phx_mesh_destroy(mesh);
    free(bytes);
}

TEST(marks_are_written_and_read) {
    phx_mesh *mesh = parse(marked), *again = NULL;
    REQUIRE(mesh);
    REQUIRE_OK(phx_mesh_save(mesh, phxt_path("marked.obj")));
    REQUIRE_OK(phx_mesh_load(phxt_path("marked.obj"), &again));
    ENSURE(memcmp(phx_mesh_uvs(mesh), phx_mesh_uvs(again), 36 * sizeof(float)) == 0);
    for (int t = 0; t < 6; ++t) {
        ENSURE(strcmp(phx_mesh_group_name(mesh, phx_mesh_groups(mesh)[t]),
                      phx_mesh_group_name(again, phx_mesh_groups(again)[t])) == 0);
    }
    phx_mesh_destroy(mesh);
    phx_mesh_destroy(again);
}

TEST(meshes_are_turned_up) {
    phx_mesh* mesh = parse("v 1 2 3\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    REQUIRE(mesh);
    const double volume = phx_mesh_volume(mesh);
    const phx_vec3* p = mesh->positions;
    phx_mesh_turn_up(mesh, PHX_UP_AUTO);
    ENSURE(p->x == 1 && p->y == 2 && p->z == 3);
    phx_mesh_turn_up(mesh, PHX_UP_Y);
    ENSURE(p->x == 1 && p->y == -3 && p->z == 2);
    phx_mesh_turn_up(mesh, PHX_UP_Y);
    ENSURE(p->z == 2);
    phx_mesh_turn_up(mesh, PHX_UP_X);
    ENSURE(p->x == -3 && p->y == 2 && p->z == 1);
    ENSURE_NEAR(phx_mesh_volume(mesh), volume, 1e-15);
    phx_mesh_turn_up(mesh, PHX_UP_Z);
    ENSURE(p->x == 1 && p->y == 2 && p->z == 3);
    phx_mesh_destroy(mesh);
}

TEST(gltf_with_its_numbers_in_another_file) {
    const float positions[12] = {0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1};
    const unsigned char strip[6] = {0, 1, 2, 3, 0, 1};
    static const char text[] =
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":54,\"uri\":\"my%20numbers.bin\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":48},{\"buffer\":0,\"byteOffset\":48,\"byteLength\":6}],"
        "\"accessors\":[{\"bufferView\":0,\"type\":\"VEC3\",\"componentType\":5126,\"count\":4},"
        "{\"bufferView\":1,\"type\":\"SCALAR\",\"componentType\":5121,\"count\":6}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1,\"mode\":5}]}]}";
    FILE* file = fopen(phxt_path("my numbers.bin"), "wb");
    REQUIRE(file);
    fwrite(positions, sizeof positions, 1, file);
    fwrite(strip, sizeof strip, 1, file);
    fclose(file);
    file = fopen(phxt_path("parts.gltf"), "wb");
    REQUIRE(file);
    fwrite(text, sizeof text - 1, 1, file);
    fclose(file);
    phx_mesh* mesh = NULL;
    REQUIRE_OK(phx_mesh_load(phxt_path("parts.gltf"), &mesh));
    ENSURE(mesh->triangle_count == 4 && phx_mesh_open_edges(mesh) == 0);
    ENSURE_NEAR(phx_mesh_volume(mesh), 1.0 / 6, 1e-7);
    phx_mesh_destroy(mesh);
    remove(phxt_path("my numbers.bin"));
    ENSURE_RESULT(phx_mesh_load(phxt_path("parts.gltf"), &mesh), PHX_ERROR_IO);
    ENSURE_MESSAGE("my numbers.bin");
}
