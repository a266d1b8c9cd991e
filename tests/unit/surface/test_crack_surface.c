// SPDX-License-Identifier: MIT
// Surfaces of cracked bodies: closed around every fragment and of its particles' volume, whatever is cut; carried
// exactly by affine motion; smoothed within bounds; frames of worlds.
#include "support/test.h"

#include "core/hash.h"
#include "support/cracked.h"
#include "support/meshes.h"
#include "support/points.h"
#include "surface/crack_body.h"

static phx_body_def body(const char* shape, const phx_mesh* mesh, double spacing, int sampling) {
    return (phx_body_def){
        .shape = shape, .mesh = mesh, .scale = 1, .spacing = spacing, .sampling = sampling, .levels = 1};
}

static bool cut_all(const phxt_cracked* b, int i, int j, phx_vec3* point, phx_vec3* normal, void* context) {
    (void)b, (void)i, (void)j, (void)point, (void)normal, (void)context;
    return true;
}

static bool cut_random(const phxt_cracked* b, int i, int j, phx_vec3* point, phx_vec3* normal, void* context) {
    (void)b, (void)point, (void)normal;
    return phxi_hash_unit(phxi_hash_pair(phxi_key_pair(i, j), 1)) < *(const double*)context;
}

/// Directed edges that do not cancel: those of copies of different fragments are different.
static int unmatched(const phxi_crack_body* b, phxi_heap* heap) {
    phxi_key_table keys = {.heap = heap};
    PHXI_ARRAY(int) balance = {0};
    int open = 0;
    for (int t = 0; t < b->copy_triangles.count; ++t) {
        const int* v = b->copy_triangles.items[t].v;
        for (int k = 0; k < 3; ++k) {
            int from = v[k], to = v[(k + 1) % 3];
            open += b->copies.items[from].fragment != b->copies.items[to].fragment;
            int* slot = phxi_key_slot(&keys, from < to ? phxi_key_pair(from, to) : phxi_key_pair(to, from));
            if (*slot < 0) {
                *slot = balance.count;
                *(int*)phxi_array_add(&balance, heap, "sides") = 0;
            }
            balance.items[*slot] += from < to ? 1 : -1;
        }
    }
    for (int i = 0; i < balance.count; ++i) {
        open += balance.items[i] != 0;
    }
    phxi_key_destroy(&keys);
    phxi_array_destroy(&balance, heap);
    return open;
}

static int fragment_of(const phxi_crack_body* b, int triangle) {
    return b->copies.items[b->copy_triangles.items[triangle].v[0]].fragment;
}

/// The volume of each fragment's surface; `volumes` is of the caller.
static void fragment_volumes(const phxi_crack_body* b, const phx_vec3* x, double* volumes, int fragments) {
    phx_vec3* centers = calloc((size_t)fragments, sizeof *centers); // near the fragment, so that nothing cancels
    memset(volumes, 0, (size_t)fragments * sizeof *volumes);
    for (int t = 0; t < b->copy_triangles.count; ++t) {
        centers[fragment_of(b, t)] = x[b->copy_triangles.items[t].v[0]];
    }
    for (int t = 0; t < b->copy_triangles.count; ++t) {
        const int* v = b->copy_triangles.items[t].v;
        phx_vec3 o = centers[fragment_of(b, t)];
        volumes[fragment_of(b, t)] +=
            phxi_dot(phxi_sub(x[v[0]], o), phxi_cross(phxi_sub(x[v[1]], o), phxi_sub(x[v[2]], o))) / 6;
    }
    free(centers);
}

typedef struct outcome {
    int unmatched;
    double fragment_error, total_error; // relative
} outcome;

/// Every fragment flies off and turns: closed, and with the volume it had.
static outcome explode(phxt_cracked* body, bool smooth) {
    outcome o = {-1, INFINITY, INFINITY};
    phxi_crack_body b;
    int n = body->samples.count, fragments = body->cracks.fragment_count;
    if (phxi_crack_body_create(&body->heap, body->cells, body->samples.positions, body->samples.spacings, &b) !=
            PHX_OK ||
        phxi_crack_body_update(&b, &body->cracks, smooth) != PHX_OK) {
        return o;
    }
    phx_vec3* x = malloc((size_t)n * sizeof *x);
    phxi_mat3* f = malloc((size_t)n * sizeof *f);
    phx_vec3* copies = malloc((size_t)b.copies.count * sizeof *copies);
    double *volumes = calloc((size_t)fragments, sizeof *volumes), *sums = calloc((size_t)fragments, sizeof *sums);
    for (int i = 0; i < n; ++i) {
        int fragment = body->fragment[i];
        f[i] = phxi_rotation(phxi_vec3(1, fragment % 7, fragment % 3), 0.7 * fragment);
        x[i] = phxi_add(phxi_mat3_apply(&f[i], body->samples.positions[i]),
                        phxi_vec3(0.31 * (fragment % 5), 0.27 * (fragment % 11), 0.1 * (fragment % 3)));
        sums[fragment] += body->cells->volumes[i];
    }
    phxi_crack_body_move(&b, NULL, x, f, copies, NULL);
    fragment_volumes(&b, copies, volumes, fragments);
    double total = 0, whole = 0;
    o = (outcome){unmatched(&b, &body->heap), 0, 0};
    for (int i = 0; i < fragments; ++i) {
        double error = fabs(volumes[i] - sums[i]) / fmax(sums[i], 1e-3 * pow(body->samples.spacings[0], 3));
        o.fragment_error = fmax(o.fragment_error, error);
        total += volumes[i];
        whole += sums[i];
    }
    o.total_error = fabs(total / whole - 1);
    free(x), free(f), free(copies), free(volumes), free(sums);
    phxi_crack_body_destroy(&b);
    return o;
}

static void ensure_outcome(const char* what, outcome o, double fragment, double total) {
    if (o.unmatched != 0 || !(o.fragment_error <= fragment) || !(o.total_error <= total)) {
        phxt_failed(__FILE__, __LINE__, "%s: %d unmatched, fragments off by %.3g, all by %.3g", what, o.unmatched,
                    o.fragment_error, o.total_error);
    }
}

/// Half, a part, some, many and all bonds.
static void ensure_cracks(const char* name, const phx_body_def* def) {
    phxt_cracked b;
    REQUIRE(phxt_cracked_create(&b, def));
    phxi_box box = phxi_mesh_box(b.mesh);
    const double exact = 1e-13, total = 1e-12;
    phxt_cracked_cut(&b, cut_all, NULL);
    ENSURE(b.cracks.fragment_count == b.samples.count);
    ensure_outcome(name, explode(&b, false), exact, total);
    double share = 0.5;
    phxt_cracked_cut(&b, cut_random, &share);
    ensure_outcome(name, explode(&b, false), exact, total);
    share = 0.97;
    phxt_cracked_cut(&b, cut_random, &share);
    ensure_outcome(name, explode(&b, true), INFINITY, total);
    phxt_planes planes = phxt_random_planes(1, box.low, box.high, 3);
    planes.above = 0.5 * (box.low.z + box.high.z);
    phxt_cracked_cut(&b, phxt_cut_planes, &planes);
    ensure_outcome(name, explode(&b, false), exact, total);
    ensure_outcome(name, explode(&b, true), exact, total); // one fragment: nothing to give or take
    planes = phxt_random_planes(4, box.low, box.high, 5);
    phxt_cracked_cut(&b, phxt_cut_planes, &planes);
    ENSURE(b.cracks.fragment_count >= 4);
    ensure_outcome(name, explode(&b, false), exact, total);
    ensure_outcome(name, explode(&b, true), INFINITY, total);
    phxt_cracked_destroy(&b);
}

static void ensure_samplings(const char* name, const char* shape, const phx_mesh* mesh, double spacing) {
    for (int sampling = 0; sampling < 4; ++sampling) {
        phx_body_def def = body(shape, mesh, spacing, sampling == 3 ? PHX_SAMPLING_UNIFORM : sampling);
        def.rotate = sampling == 0 ? (phx_vec3){0, 0, 0} : (phx_vec3){15, 20, 25};
        def.jitter = sampling == 3 ? 0.3 : 0;
        def.spacing *= sampling == PHX_SAMPLING_OCTREE ? 1.7 : sampling == PHX_SAMPLING_BCC ? 1.2 : 1;
        ensure_cracks(name, &def);
    }
}

TEST(box) {
    ensure_samplings("box", "box(size=(1,0.8,0.6))", NULL, 0.1);
}

TEST(sphere) {
    phx_mesh* mesh = phxt_sphere_mesh((phx_vec3){0, 0, 0}, 0.5, 16, 24);
    ensure_samplings("sphere", NULL, mesh, 0.1);
    phx_mesh_destroy(mesh);
}

TEST(torus) {
    phx_mesh* mesh = phxt_torus_mesh(0.5, 0.2, 30, 16);
    ensure_samplings("torus", NULL, mesh, 0.1);
    phx_mesh_destroy(mesh);
}

TEST(vase) {
    ensure_samplings("vase",
                     "difference(sphere(radius=0.5), sphere(radius=0.42), box(center=(0,0,0.5),size=(1,1,0.5)))", NULL,
                     0.12);
}

TEST(hare) {
    phx_mesh* mesh = NULL;
    REQUIRE_OK(phx_mesh_load(phxt_source("scenes/models/hare.obj"), &mesh));
    phx_body_def def = body(NULL, mesh, 0.025, PHX_SAMPLING_UNIFORM);
    ensure_cracks("hare", &def);
    phx_mesh_destroy(mesh);
}

/// A bar on an oblique lattice broken by a plane: the faces lie near the plane, and the halves keep their volume.
TEST(smoothing_finds_the_plane) {
    phx_body_def def = body("box(size=(2,0.5,0.5))", NULL, 0.0625, PHX_SAMPLING_UNIFORM);
    def.rotate = (phx_vec3){0, 0, 20};
    phxt_cracked b;
    REQUIRE(phxt_cracked_create(&b, &def));
    phxt_planes plane = {.count = 1, .point = {{0.01, 0.02, 0}}, .above = -INFINITY};
    plane.normal[0] = phxi_vec3(cos(0.349), sin(0.349), 0);
    phxt_cracked_cut(&b, phxt_cut_planes, &plane);
    ENSURE(b.cracks.fragment_count == 2);
    ensure_outcome("raw", explode(&b, false), 1e-13, 1e-12);
    ensure_outcome("smooth", explode(&b, true), 0.005, 1e-12);
    double rms[2];
    for (int smooth = 0; smooth < 2; ++smooth) {
        phxi_crack_body c;
        REQUIRE_OK(phxi_crack_body_create(&b.heap, b.cells, b.samples.positions, b.samples.spacings, &c));
        REQUIRE_OK(phxi_crack_body_update(&c, &b.cracks, smooth));
        double sum = 0;
        int count = 0;
        for (int i = 0; i < c.points.count; ++i) {
            if (c.points.items[i].wall >= 0) {
                phx_vec3 x = c.positions[c.copies.items[c.points.items[i].copy].vertex];
                double off = phxi_dot(plane.normal[0], phxi_sub(x, plane.point[0])) / def.spacing;
                sum += off * off;
                ++count;
            }
        }
        rms[smooth] = sqrt(sum / count);
        phxi_crack_body_destroy(&c);
    }
    ENSURE(rms[0] > 0.2 && rms[1] < 0.18);
    phxt_cracked_destroy(&b);
}

/// An affine motion is followed exactly by every copy, and normals turn with it.
TEST(affine_motion) {
    phx_body_def def = body("box(size=(1,0.8,0.6))", NULL, 0.1, PHX_SAMPLING_BCC);
    phxt_cracked b;
    REQUIRE(phxt_cracked_create(&b, &def));
    phxt_planes planes = phxt_random_planes(3, (phx_vec3){-0.5, -0.4, -0.3}, (phx_vec3){0.5, 0.4, 0.3}, 9);
    phxt_cracked_cut(&b, phxt_cut_planes, &planes);
    phxi_crack_body c;
    REQUIRE_OK(phxi_crack_body_create(&b.heap, b.cells, b.samples.positions, b.samples.spacings, &c));
    REQUIRE_OK(phxi_crack_body_update(&c, &b.cracks, true));
    const phxi_mat3 a = {{{1.2, 0.3, -0.1}, {0.2, 0.9, 0.4}, {0, -0.3, 1.1}}};
    int n = b.samples.count;
    phx_vec3 *x = malloc((size_t)n * sizeof *x), *copies = malloc((size_t)c.copies.count * sizeof *copies),
             *normals = malloc((size_t)c.points.count * sizeof *normals);
    phxi_mat3* f = malloc((size_t)n * sizeof *f);
    for (int i = 0; i < n; ++i) {
        f[i] = a;
        x[i] = phxi_mat3_apply(&a, b.samples.positions[i]);
    }
    phxi_crack_body_move(&c, NULL, x, f, copies, normals);
    for (int i = 0; i < c.copies.count; ++i) {
        phx_vec3 wanted = phxi_mat3_apply(&a, c.positions[c.copies.items[i].vertex]);
        ENSURE_NEAR(phxi_distance(copies[i], wanted), 0, 1e-13);
    }
    // normals of the box's sides stay at right angles to it
    for (int t = 0; t < c.triangles.count; ++t) {
        const int *v = c.copy_triangles.items[t].v, *p = c.triangles.items[t].v;
        phx_vec3 area = phxi_cross(phxi_sub(copies[v[1]], copies[v[0]]), phxi_sub(copies[v[2]], copies[v[0]]));
        if (c.points.items[p[0]].wall < 0 && phxi_length(area) > 1e-9) {
            ENSURE_NEAR(phxi_dot(phxi_normalize(area, area), normals[p[0]]), 1, 1e-6);
        }
        ENSURE_NEAR(phxi_length(normals[p[1]]), 1, 1e-12);
    }
    free(x), free(copies), free(normals), free(f);
    phxi_crack_body_destroy(&c);
    phxt_cracked_destroy(&b);
}

TEST(unchanged_cracks_are_kept) {
    phx_body_def def = body("box(size=(1,0.8,0.6))", NULL, 0.2, PHX_SAMPLING_UNIFORM);
    phxt_cracked b;
    REQUIRE(phxt_cracked_create(&b, &def));
    phxi_crack_body c;
    REQUIRE_OK(phxi_crack_body_create(&b.heap, b.cells, b.samples.positions, b.samples.spacings, &c));
    REQUIRE_OK(phxi_crack_body_update(&c, NULL, true));
    ENSURE(unmatched(&c, &b.heap) == 0 && c.triangles.count == b.cells->piece_count);
    int64_t before = b.heap.allocations;
    REQUIRE_OK(phxi_crack_body_update(&c, NULL, true));
    ENSURE(b.heap.allocations == before);
    phxt_cracked_cut(&b, cut_all, NULL);
    REQUIRE_OK(phxi_crack_body_update(&c, &b.cracks, true));
    ENSURE(c.triangles.count == b.cells->piece_count + 2 * b.cells->wall_triangle_count);
    before = b.heap.allocations;
    REQUIRE_OK(phxi_crack_body_update(&c, &b.cracks, true));
    ENSURE(b.heap.allocations == before);
    phxi_crack_body_destroy(&c);
    phxt_cracked_destroy(&b);
}

// ------------------------------------------------------------------------------------------------------------- worlds

static phxi_cracks world_cracks;
static const phxi_cracks* give_cracks(const void* state, phxi_step* step, int index) {
    (void)state, (void)step, (void)index;
    return world_cracks.fragment ? &world_cracks : NULL;
}

static bool always(const phxi_body* body) {
    (void)body;
    return true;
}

static phx_world* breaking_world(const phxi_method* method) {
    phx_world_def def = phx_world_def_default();
    phx_world* world = NULL;
    phx_material_def stuff = phx_material_def_default();
    phx_material_id material;
    phx_body_id id;
    ENSURE_OK(phx_world_create(&def, &world));
    ENSURE_OK(phxi_world_add_solver(world, method));
    ENSURE_OK(phx_material_create(world, &stuff, &material));
    ENSURE_OK(phxt_body(world, "bar", "box(size=(0.8,0.2,0.2))", 0.1, NULL, &id));
    return world;
}

TEST(frames_of_worlds) {
    phxi_method method = phxt_points;
    phx_crack_surface* surface = NULL;
    phx_crack_surface_def def = phx_crack_surface_def_default();
    phx_world* world = breaking_world(&method);
    ENSURE_RESULT(phx_crack_surface_create(world, &def, &surface), PHX_ERROR_UNSUPPORTED);
    phx_world_destroy(world);
    const phxi_fracture_table fracture = {.needs_cells = always, .cracks = give_cracks};
    method.fracture = &fracture;
    world = breaking_world(&method);
    def.fields = "speed rest";
    REQUIRE_OK(phx_crack_surface_create(world, &def, &surface));
    phx_frame* frame = NULL;
    REQUIRE_OK(phx_crack_surface_frame(surface, &frame));
    ENSURE_OK(phx_frame_check(frame));
    int whole = phx_frame_triangles(frame);
    phx_frame_destroy(frame);
    // cut in the middle
    enum { MOST = 4096 };
    static int fragment[MOST], cut[MOST][2], count;
    static phx_vec3 points[MOST], normals[MOST];
    const phxi_particles* p = &world->particles;
    for (int i = 0; i < p->count; ++i) {
        fragment[i] = p->rest_x[i] > 0;
        for (int j = i + 1; j < p->count; ++j) {
            if ((p->rest_x[i] > 0) != (p->rest_x[j] > 0) && fabs((double)p->rest_x[i] - (double)p->rest_x[j]) < 0.15) {
                cut[count][0] = i;
                cut[count][1] = j;
                normals[count++] = phxi_vec3(1, 0, 0);
            }
        }
    }
    world_cracks = (phxi_cracks){2, fragment, count, (const int(*)[2])(void*)cut, points, normals};
    REQUIRE_OK(phx_crack_surface_frame(surface, &frame));
    ENSURE_OK(phx_frame_check(frame));
    ENSURE(phx_frame_triangles(frame) > whole);
    const phx_frame_field *inner = phx_frame_find(frame, "inner"), *rest = phx_frame_find(frame, "rest"),
                          *labels = phx_frame_find(frame, "fragment");
    REQUIRE(inner && rest && labels && phx_frame_find(frame, "speed") && phx_frame_find(frame, "normal"));
    int cracked = 0;
    for (int i = 0; i < phx_frame_points(frame); ++i) {
        const double* x = phx_frame_positions(frame) + 3 * i;
        cracked += inner->values[i] > 0;
        ENSURE(inner->values[i] == 0 || fabs(x[0]) < 1e-6);
        ENSURE(fabsf(labels->values[i]) < 0.5f ? x[0] < 1e-6 : x[0] > -1e-6);
        ENSURE(fabs((double)rest->values[3 * i] - x[0]) < 0.1);
    }
    ENSURE(cracked > 0);
    phx_frame_destroy(frame);
    phx_crack_surface_destroy(surface);
    def.fields = "nonsense";
    REQUIRE_OK(phx_crack_surface_create(world, &def, &surface));
    ENSURE_RESULT(phx_crack_surface_frame(surface, &frame), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("nonsense");
    phx_crack_surface_destroy(surface);
    // memory runs out
    def.fields = "speed";
    for (int64_t n = 0, done = 0; !done; ++n) {
        phxt_heap heap;
        phxt_heap_init(&heap, n);
        def.allocator = heap.allocator;
        phx_result result = phx_crack_surface_create(world, &def, &surface);
        frame = NULL;
        if (result == PHX_OK) {
            result = phx_crack_surface_frame(surface, &frame);
            done = result == PHX_OK;
            phx_frame_destroy(frame);
            phx_crack_surface_destroy(surface);
        }
        ENSURE(result == PHX_OK || result == PHX_ERROR_MEMORY);
        ENSURE(heap.live == 0);
    }
    phx_world_destroy(world);
    ENSURE_RESULT(phx_crack_surface_create(NULL, &def, &surface), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_crack_surface_frame(NULL, &frame), PHX_ERROR_ARGUMENT);
    phx_crack_surface_destroy(NULL);
}
