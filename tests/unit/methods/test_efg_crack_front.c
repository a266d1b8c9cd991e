// SPDX-License-Identifier: MIT
// Geometry of crack fronts in boxes of lattice particles with a given direction of tension.
#include "support/test.h"

#include "core/hash.h"
#include "methods/efg/fracture/crack_front.h"

#define EDGE_SLACK 1e-9

/// A box of cubic cells one wide, one corner at the origin, under tension along `normal` everywhere.
typedef struct box {
    int cells[3];
    phx_vec3 normal;
    double tension;
    double turn; // radians the normal turns about z per unit of x
} box;

static bool solid(void* context, phx_vec3 at, phx_vec3 ahead) {
    const box* b = context;
    const double x[3] = {at.x, at.y, at.z};
    int low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        low[k] = (int)fmax(0, floor(x[k] - 2));
        high[k] = (int)fmin(b->cells[k], floor(x[k] + 2));
    }
    for (int k = low[2]; k < high[2]; ++k) {
        for (int j = low[1]; j < high[1]; ++j) {
            for (int i = low[0]; i < high[0]; ++i) {
                phx_vec3 d = phxi_sub(phxi_vec3(i + 0.5, j + 0.5, k + 0.5), at);
                if (phxi_dot(d, ahead) > 0 && phxi_length(d) < 1.25) {
                    return true;
                }
            }
        }
    }
    return false;
}

static double tension(void* context, phx_vec3 at, phx_vec3* normal) {
    const box* b = context;
    phxi_mat3 turn = phxi_rotation(phxi_vec3(0, 0, 1), b->turn * at.x);
    *normal = phxi_mat3_apply(&turn, b->normal);
    return b->tension;
}

static phxi_crack_medium medium_of(box* b) {
    return (phxi_crack_medium){b, solid, tension, 0.3};
}

typedef struct fixture {
    phxi_heap heap;
    phxi_crack_set set;
    box body;
    phxi_crack_medium medium;
} fixture;

static void begin(fixture* f, int x, int y, int z) {
    memset(f, 0, sizeof *f);
    phxi_heap_init(&f->heap, NULL);
    phxi_cracks_init(&f->set, 1);
    f->body = (box){{x, y, z}, {0, 1, 0}, 1.5, 0};
    f->medium = medium_of(&f->body);
}

static void end(fixture* f) {
    phxi_cracks_destroy(&f->set, &f->heap);
    ENSURE(f->heap.live_bytes == 0);
    phxi_heap_destroy(&f->heap);
}

/// Links agree, dead nodes are ends, edges are within bounds.
static void check(const phxi_crack_set* set) {
    for (int k = 0; k < set->nodes.count; ++k) {
        const phxi_crack_node* n = &set->nodes.items[k];
        if (n->state == PHXI_NODE_UNUSED) {
            continue;
        }
        ENSURE(n->prev < 0 || set->nodes.items[n->prev].next == k);
        ENSURE(n->next < 0 || set->nodes.items[n->next].prev == k);
        ENSURE(n->prev >= 0 || n->next >= 0);
        ENSURE(n->state == PHXI_NODE_LIVE || n->prev < 0 || n->next < 0);
        ENSURE_NEAR(phxi_length(n->ahead), 1, 1e-9);
        ENSURE_NEAR(phxi_length(n->normal), 1, 1e-9);
        if (n->next >= 0) {
            const phxi_crack_node* q = &set->nodes.items[n->next];
            double length = phxi_distance(n->at, q->at);
            bool ends = n->prev < 0 || q->next < 0;
            ENSURE(length <= 1 + EDGE_SLACK);
            ENSURE(length >= 0.25 - EDGE_SLACK || ends);
        }
    }
}

/// Steps until no front lives; returns how many, or -1.
static int run(fixture* f, int most) {
    for (int step = 0; step < most; ++step) {
        if (phxi_cracks_live_nodes(&f->set) == 0) {
            return step;
        }
        ENSURE_OK(phxi_cracks_grow(&f->set, &f->heap, &f->medium, 1));
        check(&f->set);
    }
    return -1;
}

static int open_chains(fixture* f) {
    int count = 0;
    ENSURE_OK(phxi_cracks_find_chains(&f->set, &f->heap));
    for (int k = 0; k < f->set.chains.count; ++k) {
        count += !f->set.chains.items[k].closed;
    }
    return count;
}

/// Vertical bonds across the plane y that no crack cuts, of the box.
static int uncut(const fixture* f, double y) {
    int count = 0;
    for (int k = 0; k < f->body.cells[2]; ++k) {
        for (int i = 0; i < f->body.cells[0]; ++i) {
            double t;
            phx_vec3 from = {i + 0.5, y - 0.5, k + 0.5}, to = {i + 0.5, y + 0.5, k + 0.5};
            count += phxi_crack_surface_cut(&f->set.surface, from, to, 0, 0, &t) < 0;
        }
    }
    return count;
}

/// A straight front across the thickness at x, with the crack behind it or, `from` beyond x, on the other side.
static void add_edge_crack(fixture* f, double from, double x, double y) {
    phx_vec3 back[16], front[16];
    int count = f->body.cells[2] + 1;
    for (int k = 0; k < count; ++k) {
        back[k] = phxi_vec3(from, y, k);
        front[k] = phxi_vec3(x, y, k);
    }
    REQUIRE_OK(phxi_cracks_add_strip(&f->set, &f->heap, back, front, count));
}

TEST(straight_through_a_plate) {
    fixture f;
    begin(&f, 24, 16, 2);
    add_edge_crack(&f, -1, 6, 8);
    ENSURE(uncut(&f, 8) == 18 * 2);
    int steps = run(&f, 200);
    ENSURE(steps > 30 && steps < 60);
    ENSURE(uncut(&f, 8) == 0);
    for (int k = 0; k < f.set.surface.triangles.count; ++k) {
        for (int c = 0; c < 3; ++c) {
            ENSURE_NEAR(f.set.surface.triangles.items[k].corner[c].y, 8, 1e-12);
        }
    }
    end(&f);
}

TEST(nothing_moves_without_tension) {
    fixture f;
    begin(&f, 24, 16, 2);
    f.body.tension = 0.99;
    add_edge_crack(&f, -1, 6, 8);
    int before = f.set.surface.triangles.count;
    ENSURE(run(&f, 20) < 0);
    ENSURE(f.set.surface.triangles.count == before);
    // far from its end a front asks for stress; a narrow ligament tears
    add_edge_crack(&f, 25, 7.5, 8);
    int steps = run(&f, 60);
    ENSURE(steps > 0);
    ENSURE(uncut(&f, 8) == 0);
    end(&f);
}

TEST(opposite_fronts_merge) {
    // also a little aside, and with nodes that do not lie opposite each other
    const double offsets[3] = {0, 0.2, 0.4};
    for (int c = 0; c < 3; ++c) {
        fixture f;
        begin(&f, 20, 8, 3);
        add_edge_crack(&f, -1, 4, 4);
        phx_vec3 back[2] = {{21, 4 + offsets[c], -0.2}, {21, 4 + offsets[c], 3.3}},
                 front[2] = {{15.3, 4 + offsets[c], -0.2}, {15.3, 4 + offsets[c], 3.3}};
        REQUIRE_OK(phxi_cracks_add_strip(&f.set, &f.heap, back, front, 2));
        int steps = run(&f, 100);
        ENSURE(steps > 0);
        ENSURE(uncut(&f, 4) == 0);
        ENSURE(phxi_cracks_root(&f.set, 1) == 0);
        end(&f);
    }
}

TEST(disc_grows_to_all_faces) {
    fixture f;
    begin(&f, 11, 6, 9);
    REQUIRE_OK(phxi_cracks_nucleate(&f.set, &f.heap, phxi_vec3(5.5, 3, 4.5), phxi_vec3(0, 1, 0), 6));
    ENSURE(open_chains(&f) == 0 && f.set.chains.count == 1);
    int most = 0;
    for (int step = 0; step < 100 && phxi_cracks_live_nodes(&f.set) > 0; ++step) {
        REQUIRE_OK(phxi_cracks_grow(&f.set, &f.heap, &f.medium, 1));
        check(&f.set);
        int open = open_chains(&f);
        most = open > most ? open : most;
    }
    ENSURE(phxi_cracks_live_nodes(&f.set) == 0);
    ENSURE(most >= 2); // after the near faces, a front towards each far end
    ENSURE(uncut(&f, 3) == 0);
    ENSURE(f.set.surface.triangles.count > 100);
    end(&f);
}

TEST(fronts_end_at_another_crack) {
    fixture f;
    begin(&f, 12, 12, 3);
    // a crack through everything at x = 8 first
    phx_vec3 back[4], front[4];
    for (int k = 0; k < 4; ++k) {
        back[k] = phxi_vec3(8, -1, k);
        front[k] = phxi_vec3(8, 13, k);
    }
    REQUIRE_OK(phxi_cracks_add_strip(&f.set, &f.heap, back, front, 4));
    ENSURE(run(&f, 10) >= 0);
    add_edge_crack(&f, -1, 3, 6);
    int steps = run(&f, 60);
    ENSURE(steps > 5);
    double farthest = 0;
    for (int k = 0; k < f.set.surface.triangles.count; ++k) {
        for (int c = 0; c < 3; ++c) {
            if (f.set.surface.triangles.items[k].crack == 1) {
                farthest = fmax(farthest, f.set.surface.triangles.items[k].corner[c].x);
            }
        }
    }
    ENSURE_NEAR(farthest, 8, 1e-9);
    ENSURE(uncut(&f, 6) == 4 * 3);
    end(&f);
}

/// A ring front that closes inwards: the crack of a notch all round.
TEST(ring_closes) {
    for (int count = 5; count < 40; count += 6) {
        fixture f;
        begin(&f, 10, 4, 10);
        phx_vec3 back[41], front[41];
        for (int k = 0; k <= count; ++k) {
            double angle = 6.283185307179586 * k / count;
            back[k] = phxi_vec3(5 + 9 * cos(angle), 2, 5 + 9 * sin(angle));
            front[k] = phxi_vec3(5 + 4 * cos(angle), 2, 5 + 4 * sin(angle));
        }
        REQUIRE_OK(phxi_cracks_add_strip(&f.set, &f.heap, back, front, count + 1));
        // one node closes the chain: the last is the first
        int last = f.set.nodes.count - 1;
        f.set.nodes.items[last - 1].next = 0;
        f.set.nodes.items[0].prev = last - 1;
        f.set.nodes.items[last].prev = -1;
        ENSURE(run(&f, 100) > 0);
        ENSURE(uncut(&f, 2) == 0);
        end(&f);
    }
}

TEST(many_discs_become_one_crack) {
    fixture f;
    begin(&f, 20, 5, 20);
    uint64_t random = 7;
    for (int k = 0; k < 6; ++k) {
        phx_vec3 at = {2 + 16 * phxt_random(&random), 2.5 + 0.2 * (phxt_random(&random) - 0.5),
                       2 + 16 * phxt_random(&random)};
        // either sign of the normal is as good
        REQUIRE_OK(phxi_cracks_nucleate(&f.set, &f.heap, at, phxi_vec3(0, k % 2 ? 1 : -1, 0), 3 + k));
    }
    ENSURE(run(&f, 200) > 0);
    for (int k = 1; k < 6; ++k) {
        ENSURE(phxi_cracks_root(&f.set, k) == 0);
    }
    int open = 0;
    for (int k = 0; k < 20; ++k) {
        for (int i = 0; i < 20; ++i) {
            double t;
            phx_vec3 from = {i + 0.5, 1.5, k + 0.5}, to = {i + 0.5, 3.5, k + 0.5};
            open += phxi_crack_surface_cut(&f.set.surface, from, to, 0, 0, &t) < 0;
        }
    }
    ENSURE(open == 0);
    end(&f);
}

TEST(fronts_follow_the_tension) {
    fixture f;
    begin(&f, 30, 24, 4);
    f.body.turn = 0.02;
    add_edge_crack(&f, -1, 4, 6);
    int steps = run(&f, 200);
    ENSURE(steps > 30);
    // it curves as the tension does: y = log cos(turn x) / turn
    const phxi_crack_triangle* last = &f.set.surface.triangles.items[f.set.surface.triangles.count - 1];
    phx_vec3 n = phxi_normalize(
        phxi_cross(phxi_sub(last->corner[1], last->corner[0]), phxi_sub(last->corner[2], last->corner[0])),
        phxi_vec3(0, 1, 0));
    ENSURE(fabs(n.x) > 0.4 && fabs(n.x) < 0.6);
    ENSURE(fabs(n.z) < 1e-9);
    end(&f);
}

TEST(ends_stay_at_the_surface) {
    // a front with its middle behind: the ends go inwards
    fixture f;
    begin(&f, 16, 8, 9);
    phx_vec3 back[5], front[5];
    for (int k = 0; k < 5; ++k) {
        back[k] = phxi_vec3(-1, 4, 2.25 * k);
        front[k] = phxi_vec3(3 + 0.9 * abs(k - 2), 4, 2.25 * k);
    }
    REQUIRE_OK(phxi_cracks_add_strip(&f.set, &f.heap, back, front, 5));
    ENSURE(run(&f, 100) > 0);
    ENSURE(uncut(&f, 4) == 0);
    end(&f);
}

TEST(random_cracks_keep_their_order) {
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        fixture f;
        begin(&f, 9, 9, 9);
        uint64_t random = seed;
        for (int step = 0; step < 60; ++step) {
            if (step % 5 == 0) {
                phx_vec3 at = {9 * phxt_random(&random), 9 * phxt_random(&random), 9 * phxt_random(&random)};
                phx_vec3 n = {phxt_random(&random) - 0.5, phxt_random(&random) - 0.5, phxt_random(&random) - 0.5};
                f.body.normal = phxi_normalize(n, phxi_vec3(0, 1, 0));
                REQUIRE_OK(phxi_cracks_nucleate(&f.set, &f.heap, at, f.body.normal, 3 + (int)(seed % 6)));
            }
            REQUIRE_OK(phxi_cracks_grow(&f.set, &f.heap, &f.medium, 1));
            check(&f.set);
        }
        ENSURE(run(&f, 300) >= 0);
        ENSURE(f.set.nodes.count < 2000 && f.set.surface.triangles.count < 60000);
        end(&f);
    }
}

TEST(distance_to_fronts) {
    fixture f;
    begin(&f, 24, 16, 2);
    ENSURE(isinf(phxi_cracks_distance(&f.set, -1, phxi_vec3(0, 0, 0))));
    add_edge_crack(&f, -1, 6, 8);
    ENSURE_NEAR(phxi_cracks_distance(&f.set, 0, phxi_vec3(3, 8, 1.3)), 3, 1e-12);
    ENSURE_NEAR(phxi_cracks_distance(&f.set, -1, phxi_vec3(6, 10, 3)), sqrt(5), 1e-12);
    add_edge_crack(&f, 25, 20, 8);
    ENSURE_NEAR(phxi_cracks_distance(&f.set, -1, phxi_vec3(19, 8, 1)), 1, 1e-12);
    ENSURE_NEAR(phxi_cracks_distance(&f.set, 0, phxi_vec3(19, 8, 1)), 13, 1e-12);
    end(&f);
}

TEST(segments_against_triangles) {
    fixture f;
    begin(&f, 4, 4, 4);
    double t;
    phx_vec3 flat[3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, corner[3] = {{0, 1, 0}, {3, 1, 0}, {0, 1, 3}};
    REQUIRE_OK(phxi_crack_surface_add(&f.set.surface, &f.heap, flat, 0));
    ENSURE(f.set.surface.triangles.count == 0);
    ENSURE(phxi_crack_surface_cut(&f.set.surface, phxi_vec3(1, 0, 1), phxi_vec3(1, 2, 1), 0, 0, &t) < 0);
    REQUIRE_OK(phxi_crack_surface_add(&f.set.surface, &f.heap, corner, 0));
    ENSURE(phxi_crack_surface_cut(&f.set.surface, phxi_vec3(1, 0.5, 1), phxi_vec3(1, 2.5, 1), 0, 0, &t) == 0);
    ENSURE_NEAR(t, 0.25, 1e-12);
    ENSURE(phxi_crack_surface_cut(&f.set.surface, phxi_vec3(1, 0.5, 1), phxi_vec3(1, 2.5, 1), 0.3, 0, &t) < 0);
    ENSURE(phxi_crack_surface_cut(&f.set.surface, phxi_vec3(2, 0, 2), phxi_vec3(2, 2, 2), 0, 0, &t) < 0);
    // borders count, segments in the plane do not
    ENSURE(phxi_crack_surface_cut(&f.set.surface, phxi_vec3(1, 0, 0), phxi_vec3(1, 2, 0), 0, 0, &t) == 0);
    ENSURE(phxi_crack_surface_cut(&f.set.surface, phxi_vec3(-1, 1, 1), phxi_vec3(2, 1, 1), 0, 0, &t) < 0);
    ENSURE(phxi_crack_surface_cut(&f.set.surface, phxi_vec3(0.5, 0.9, 1), phxi_vec3(2, 1.1, 0.5), 0, 0.5, &t) < 0);
    end(&f);
}

static uint64_t hash_of(const phxi_crack_set* set) {
    uint64_t hash = phxi_hash_bytes(set->nodes.items, (size_t)set->nodes.count * sizeof *set->nodes.items, 1);
    return phxi_hash_bytes(set->surface.triangles.items,
                           (size_t)set->surface.triangles.count * sizeof *set->surface.triangles.items, hash);
}

TEST(the_same_bits_every_time) {
    uint64_t hashes[2];
    for (int round = 0; round < 2; ++round) {
        fixture f;
        begin(&f, 9, 7, 8);
        REQUIRE_OK(phxi_cracks_nucleate(&f.set, &f.heap, phxi_vec3(3, 3, 4), phxi_vec3(0, 1, 0), 5));
        REQUIRE_OK(phxi_cracks_nucleate(&f.set, &f.heap, phxi_vec3(6, 3.1, 4.3), phxi_vec3(0, -1, 0), 6));
        ENSURE(run(&f, 100) > 0);
        hashes[round] = hash_of(&f.set);
        end(&f);
    }
    ENSURE(hashes[0] == hashes[1]);
}

TEST(failing_allocations) {
    bool done = false;
    for (int64_t n = 0; !done && n < 200; ++n) {
        phxt_heap failing;
        phxt_heap_init(&failing, n);
        fixture f;
        memset(&f, 0, sizeof f);
        phxi_heap_init(&f.heap, &failing.allocator);
        phxi_cracks_init(&f.set, 1);
        f.body = (box){{7, 5, 6}, {0, 1, 0}, 1.5, 0};
        f.medium = medium_of(&f.body);
        phx_result result = phxi_cracks_nucleate(&f.set, &f.heap, phxi_vec3(3, 2, 3), phxi_vec3(0, 1, 0), 6);
        phx_vec3 back[2] = {{-1, 2, -1}, {-1, 2, 7}}, front[2] = {{1, 2, -1}, {1, 2, 7}};
        if (result == PHX_OK) {
            result = phxi_cracks_add_strip(&f.set, &f.heap, back, front, 2);
        }
        for (int step = 0; step < 40 && result == PHX_OK; ++step) {
            result = phxi_cracks_grow(&f.set, &f.heap, &f.medium, 1);
        }
        done = result == PHX_OK;
        ENSURE(done || result == PHX_ERROR_MEMORY);
        phxi_cracks_destroy(&f.set, &f.heap);
        phxi_heap_destroy(&f.heap);
        ENSURE(failing.live == 0);
    }
    ENSURE(done);
}
