// SPDX-License-Identifier: MIT
// Files: every one under tests/data/mesh does what its list says; what is written is read back; nothing that is cut or
// overwritten at any byte does harm.
#include "support/test.h"
#include "support/meshes.h"
#include "geometry/mesh.h"

static phx_result result_named(const char* name) {
    for (int i = 0; i < 9; ++i) {
        if (strcmp(phx_result_name((phx_result)i), name) == 0) {
            return (phx_result)i;
        }
    }
    return PHX_OK;
}

// Cuts a line at its tabs; the number of fields.
static int split(char* line, char* fields[], int most) {
    int count = 0;
    for (char* at = line; at && count < most; ++count) {
        fields[count] = at;
        at = strchr(at, '\t');
        if (at) {
            *at++ = 0;
        }
    }
    return count;
}

// Calls `check` with the fields of each line of tests/data/mesh/<folder>/expected.txt and the bytes of its file.
static int each_file(const char* folder, int fields, void (*check)(char* field[], const char* bytes, size_t size)) {
    char path[256];
    snprintf(path, sizeof path, "tests/data/mesh/%s/expected.txt", folder);
    char* list = phxt_read(phxt_source(path), NULL);
    int count = 0;
    for (char* line = list; line && *line;) {
        char* next = strchr(line, '\n');
        if (next) {
            *next++ = 0;
        }
        char* field[8];
        ENSURE(split(line, field, 8) == fields);
        snprintf(path, sizeof path, "tests/data/mesh/%s/%s", folder, field[0]);
        size_t size = 0;
        char* bytes = phxt_read(phxt_source(path), &size);
        // Handed on in a block of exactly its size, so that a sanitizer sees every byte read behind it.
        char* exact = malloc(size ? size : 1);
        memcpy(exact, bytes, size);
        check(field, exact, size);
        free(exact);
        free(bytes);
        ++count;
        line = next;
    }
    free(list);
    return count;
}

static void check_bad(char* field[], const char* bytes, size_t size) {
    phxt_heap heap;
    phxt_heap_init(&heap, -1);
    phx_mesh* mesh = (phx_mesh*)1;
    const phx_result result = phx_mesh_parse(field[0], bytes, size, &heap.allocator, &mesh);
    if (result != result_named(field[1]) || !strstr(phx_error_message(), field[2])) {
        phxt_failed(field[0], 1, "%s \"%s\", expected %s \"%s\"", phx_result_name(result), phx_error_message(),
                    field[1], field[2]);
    }
    ENSURE(mesh == NULL);
    ENSURE(heap.live == 0);
}

static void check_odd(char* field[], const char* bytes, size_t size) {
    phx_mesh* mesh = NULL;
    if (!phxt_result(field[0], 1, "phx_mesh_parse", phx_mesh_parse(field[0], bytes, size, NULL, &mesh), PHX_OK)) {
        return;
    }
    const int got[3] = {phx_mesh_vertex_count(mesh), phx_mesh_triangle_count(mesh), phx_mesh_open_edges(mesh)};
    const int wanted[3] = {atoi(field[1]), atoi(field[2]), atoi(field[3])};
    if (memcmp(got, wanted, sizeof got) != 0) {
        phxt_failed(field[0], 1, "%d vertices, %d triangles, %d open edges; expected %s, %s, %s", got[0], got[1],
                    got[2], field[1], field[2], field[3]);
    }
    if (!(fabs(phx_mesh_volume(mesh) - atof(field[4])) <= 1e-12)) {
        phxt_failed(field[0], 1, "volume %.17g, expected %s", phx_mesh_volume(mesh), field[4]);
    }
    phx_mesh_destroy(mesh);
}

TEST(bad_files_are_refused_with_their_place) {
    ENSURE(each_file("bad", 3, check_bad) >= 60);
}

TEST(odd_files_are_read) {
    ENSURE(each_file("odd", 5, check_odd) >= 40);
}

// Every n-th allocation fails.
static void check_memory(char* field[], const char* bytes, size_t size) {
    bool done = false;
    for (int n = 0; !done && n < 60; ++n) {
        phxt_heap heap;
        phxt_heap_init(&heap, n);
        phx_mesh* mesh = NULL;
        const phx_result result = phx_mesh_parse(field[0], bytes, size, &heap.allocator, &mesh);
        done = result == PHX_OK;
        ENSURE(done || (result == PHX_ERROR_MEMORY && !mesh));
        phx_mesh_destroy(mesh);
        ENSURE(heap.live == 0);
    }
    ENSURE(done);
}

TEST(allocation_failures) {
    each_file("odd", 5, check_memory);
}

// A cut file never crashes; binary ones are whole or refused. Memory stays in proportion to what is there.
static void check_cut(char* field[], const char* bytes, size_t size) {
    for (size_t length = 0; length < size; ++length) {
        phxt_heap heap;
        phxt_heap_init(&heap, -1);
        char* exact = malloc(length ? length : 1);
        memcpy(exact, bytes, length);
        phx_mesh* mesh = NULL;
        const phx_result result = phx_mesh_parse(field[0], exact, length, &heap.allocator, &mesh);
        ENSURE(result == PHX_OK || result == PHX_ERROR_FORMAT);
        ENSURE((result == PHX_OK) == (mesh != NULL));
        ENSURE(heap.live_bytes <= 4096 + 64 * (int64_t)length);
        phx_mesh_destroy(mesh);
        free(exact);
    }
}

TEST(cut_files) {
    each_file("odd", 5, check_cut);
}

// Each byte set to values that are likely to hurt.
static void check_spoilt(char* field[], const char* bytes, size_t size) {
    static const char values[] = {0, '\n', '-', '9', '\x7F', '\xFF', '\x80', ' '};
    char* copy = malloc(size);
    for (size_t i = 0; i < size; ++i) {
        for (size_t k = 0; k < sizeof values; ++k) {
            memcpy(copy, bytes, size);
            copy[i] = values[k];
            phx_mesh* mesh = NULL;
            const phx_result result = phx_mesh_parse(field[0], copy, size, NULL, &mesh);
            ENSURE(result == PHX_OK || result == PHX_ERROR_FORMAT);
            if (mesh) {
                for (int j = 0; j < 3 * mesh->triangle_count; ++j) {
                    ENSURE(mesh->triangles[j] >= 0 && mesh->triangles[j] < mesh->vertex_count);
                }
                ENSURE(isfinite(phx_mesh_volume(mesh)) && isfinite(phxi_mesh_area(mesh)));
                phx_mesh_destroy(mesh);
            }
        }
    }
    free(copy);
}

TEST(spoilt_files) {
    each_file("odd", 5, check_spoilt);
}

static void ensure_same(const phx_mesh* a, const phx_mesh* b, bool exact) {
    REQUIRE(a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count);
    for (int i = 0; i < a->vertex_count; ++i) {
        const double off = phxi_distance(a->positions[i], b->positions[i]);
        ENSURE(exact ? off == 0 : off < 1e-6);
    }
    ENSURE(memcmp(a->triangles, b->triangles, (size_t)a->triangle_count * 3 * sizeof(int)) == 0);
}

TEST(round_trips) {
    phx_mesh* mesh = phxt_torus_mesh(1, 0.3, 17, 11);
    static const char* const names[] = {"a.obj", "a.ply", "a.stl", "A.OBJ"};
    for (int i = 0; i < 4; ++i) {
        phx_mesh* back = NULL;
        REQUIRE_OK(phx_mesh_save(mesh, phxt_path(names[i])));
        REQUIRE_OK(phx_mesh_load(phxt_path(names[i]), &back));
        if (i == 2) { // floats, and vertices in the order of their first use
            ENSURE(back->vertex_count == mesh->vertex_count && back->triangle_count == mesh->triangle_count);
            ENSURE_NEAR(phx_mesh_volume(back), phx_mesh_volume(mesh), 1e-6);
            ENSURE(phx_mesh_open_edges(back) == 0);
            phx_mesh* again = NULL;
            REQUIRE_OK(phx_mesh_save(back, phxt_path("b.stl")));
            REQUIRE_OK(phx_mesh_load(phxt_path("b.stl"), &again));
            ensure_same(back, again, true);
            phx_mesh_destroy(again);
        } else {
            ensure_same(mesh, back, true);
        }
        phx_mesh_destroy(back);
    }
    phx_mesh_destroy(mesh);
}

TEST(extreme_coordinates_round_trip) {
    const double p[] = {0, 0, 0, 1e30, 0, 5e-324, -1e30, 0.1, 1.0 / 3};
    const int t[] = {0, 1, 2};
    phx_mesh *mesh = NULL, *back = NULL;
    REQUIRE_OK(phx_mesh_create(3, p, 1, t, &mesh));
    static const char* const names[] = {"a.obj", "a.ply"};
    for (int i = 0; i < 2; ++i) {
        REQUIRE_OK(phx_mesh_save(mesh, phxt_path(names[i])));
        REQUIRE_OK(phx_mesh_load(phxt_path(names[i]), &back));
        ensure_same(mesh, back, true);
        phx_mesh_destroy(back);
    }
    ENSURE_OK(phx_mesh_save(mesh, phxt_path("a.stl")));
    phx_mesh_destroy(mesh);
}

TEST(files_that_cannot_be) {
    phx_mesh* mesh = NULL;
    ENSURE_RESULT(phx_mesh_load(phxt_path("missing.obj"), &mesh), PHX_ERROR_IO);
    ENSURE_MESSAGE("missing.obj");
    ENSURE_RESULT(phx_mesh_load(phxt_scratch(), &mesh), PHX_ERROR_IO);
    phxt_write(phxt_path("empty.ply"), "", 0);
    ENSURE_RESULT(phx_mesh_load(phxt_path("empty.ply"), &mesh), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("empty.ply:1: nothing is there");
    ENSURE_RESULT(phx_mesh_parse(NULL, NULL, 0, NULL, &mesh), PHX_ERROR_FORMAT);
    mesh = phxt_box_mesh((phx_vec3){0, 0, 0}, (phx_vec3){1, 1, 1});
    ENSURE_RESULT(phx_mesh_save(mesh, phxt_path("box.fbx")), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("expected .obj, .ply or .stl");
    ENSURE_RESULT(phx_mesh_save(mesh, phxt_path("no/such/folder/box.obj")), PHX_ERROR_IO);
    phx_mesh_destroy(mesh);
}

// Claims of many lines, long lines and many polygon corners cost time in proportion to the bytes.
TEST(long_lines) {
    const size_t size = 2000000;
    char* bytes = malloc(size);
    memset(bytes, ' ', size);
    phx_mesh* mesh = NULL;
    memcpy(bytes, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1  2", 30);
    memcpy(bytes + size - 2, " 3", 2);
    REQUIRE_OK(phx_mesh_parse("long.obj", bytes, size, NULL, &mesh));
    ENSURE(phx_mesh_triangle_count(mesh) == 1);
    phx_mesh_destroy(mesh);
    for (size_t i = 30; i < size; i += 2) { // one polygon of a million corners
        memcpy(bytes + i, " 1", 2);
    }
    REQUIRE_OK(phx_mesh_parse("long.obj", bytes, size, NULL, &mesh));
    ENSURE(phx_mesh_triangle_count(mesh) == (int)((size - 30) / 2));
    phx_mesh_destroy(mesh);
    memset(bytes, '\n', size);
    ENSURE_RESULT(phx_mesh_parse("lines.obj", bytes, size, NULL, &mesh), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("lines.obj:2000001: no faces");
    memset(bytes, 'v', size);
    ENSURE_RESULT(phx_mesh_parse("word.obj", bytes, size, NULL, &mesh), PHX_ERROR_FORMAT);
    memset(bytes, '\\', size);
    ENSURE_RESULT(phx_mesh_parse("slashes.obj", bytes, size, NULL, &mesh), PHX_ERROR_FORMAT);
    free(bytes);
}

// The path of a mesh may come from a scene of somebody else, and point at anything.
TEST(messages_say_nothing_of_other_files) {
    static const char long_text[] =
        "plain text, hunter2, more plain text, hunter2, and so on, until there is more of it "
        "than the head of a binary file has, hunter2, hunter2\n";
    static const char* const contents[] = {"hunter2\n",
                                           "root:hunter2:0:0\n",
                                           "# keys\ns on\nhunter2 = 1\n",
                                           "solid\nhunter2 hunter2\n",
                                           "{\"hunter2\": 1}\n",
                                           "f hunter2 1 2\n",
                                           long_text};
    static const char* const names[] = {"secret",     "secret.obj",  "secret.ply",
                                        "secret.stl", "secret.gltf", "secret.glb"};
    for (size_t c = 0; c < sizeof contents / sizeof *contents; ++c) {
        for (size_t n = 0; n < sizeof names / sizeof *names; ++n) {
            phx_mesh* mesh = NULL;
            phxt_write(phxt_path(names[n]), contents[c], strlen(contents[c]));
            ENSURE_RESULT(phx_mesh_load(phxt_path(names[n]), &mesh), PHX_ERROR_FORMAT);
            ENSURE_MESSAGE(names[n]);
            if (strstr(phx_error_message(), "hunter")) {
                phxt_failed(__FILE__, __LINE__, "%s: %s", names[n], phx_error_message());
            }
        }
    }
}
