// SPDX-License-Identifier: MIT
// Neighbour counts, radii that grow, lattices told apart, volumes by density sums, bad input.
#include "support/efg_fixture.h"

static const phx_real* gradient_at(const phxi_efg* efg, int row, int pair) {
    return (const phx_real*)&efg->gradient.items[efg->list.items[row] + pair - efg->start.items[row]];
}

static int neighbors_of(efg_fixture* f, int row) {
    const phxi_efg* efg = f->state;
    int count = 0;
    for (int k = efg->start.items[row]; k < efg->start.items[row + 1]; ++k) {
        count += gradient_at(efg, row, k)[3] > 0;
    }
    return count;
}

/// Rows by number of neighbours, only those at least `margin` inside a block of n cells of edge a.
static void check_inside(efg_fixture* f, double size, double margin, int wanted) {
    const phxi_particles* p = &f->particles;
    int inside = 0;
    for (int i = 0; i < p->count; ++i) {
        const double at[3] = {p->x[i], p->y[i], p->z[i]};
        bool deep = true;
        for (int k = 0; k < 3; ++k) {
            deep = deep && at[k] > margin && at[k] < size - margin;
        }
        if (deep) {
            ++inside;
            ENSURE(neighbors_of(f, i) == wanted);
        }
    }
    ENSURE(inside > 0);
}

TEST(cubic_has_26_inside) {
    efg_fixture f;
    REQUIRE_OK(fixture_init(&f, NULL, 1));
    REQUIRE_OK(fixture_add(&f, CUBIC, 6, 6, 6, phxi_vec3(0, 0, 0)));
    check_inside(&f, 0.6, 0.1, 26);
    ENSURE_NEAR(fixture_efg(&f)->slots.items[0].support, 1.8, 0);
    ENSURE(fixture_efg(&f)->flats.count == 0);
    fixture_destroy(&f);
}

TEST(bcc_has_14_inside) {
    efg_fixture f;
    REQUIRE_OK(fixture_init(&f, NULL, 2));
    for (int n = 3; n <= 6; ++n) {
        REQUIRE_OK(fixture_add(&f, BCC, n, n, n, phxi_vec3(0, 0, 0)));
        ENSURE_NEAR(fixture_efg(&f)->slots.items[n - 3].support, 1.2, 0);
    }
    fixture_destroy(&f);
    REQUIRE_OK(fixture_init(&f, NULL, 2));
    REQUIRE_OK(fixture_add(&f, BCC, 6, 6, 6, phxi_vec3(0, 0, 0)));
    check_inside(&f, 0.6, 0.12, 14);
    fixture_destroy(&f);
}

TEST(jitter_and_shift_do_not_confuse_lattices) {
    efg_fixture f;
    REQUIRE_OK(fixture_init(&f, NULL, 1));
    f.jitter = 0.2;
    REQUIRE_OK(fixture_add(&f, CUBIC, 6, 5, 7, phxi_vec3(100, -20, 3)));
    REQUIRE_OK(fixture_add(&f, BCC, 5, 5, 5, phxi_vec3(-7, 0, 0)));
    ENSURE_NEAR(fixture_efg(&f)->slots.items[0].support, 1.8, 0);
    ENSURE_NEAR(fixture_efg(&f)->slots.items[1].support, 1.2, 0);
    fixture_destroy(&f);
}

TEST(rows_of_lattices_share_their_gradients) {
    const lattice kinds[2] = {CUBIC, BCC};
    for (int k = 0; k < 2; ++k) {
        efg_fixture f;
        REQUIRE_OK(fixture_init(&f, NULL, 1));
        REQUIRE_OK(fixture_add(&f, kinds[k], 12, 12, 12, phxi_vec3(0.37, 1, -0.2)));
        const phxi_efg* efg = f.state;
        ENSURE(efg->offset.count > 20000);
        ENSURE(efg->gradient.count < 1500); // 27 kinds of rows, twice for two sublattices
        f.jitter = 0.2;
        int before = efg->gradient.count, pairs = efg->offset.count;
        REQUIRE_OK(fixture_add(&f, kinds[k], 5, 5, 5, phxi_vec3(5, 1, -0.2)));
        ENSURE(efg->gradient.count - before == efg->offset.count - pairs);
        fixture_destroy(&f);
    }
}

TEST(support_is_taken_as_given) {
    efg_fixture f;
    REQUIRE_OK(fixture_init(&f, NULL, 1));
    f.params[0].support = 2.6;
    REQUIRE_OK(fixture_add(&f, CUBIC, 7, 7, 7, phxi_vec3(0, 0, 0)));
    check_inside(&f, 0.7, 0.2, 80);
    fixture_destroy(&f);
}

TEST(lists_are_symmetric_and_rows_padded) {
    efg_fixture f;
    REQUIRE_OK(fixture_init(&f, NULL, 2));
    f.jitter = 0.2;
    REQUIRE_OK(fixture_add(&f, CUBIC, 5, 6, 7, phxi_vec3(0, 0, 0)));
    REQUIRE_OK(fixture_add(&f, BCC, 3, 3, 3, phxi_vec3(0, 0, 0)));
    const phxi_efg* efg = f.state;
    ENSURE(efg->slots.items[1].row % EFG_ROW_ALIGN == 0);
    for (int r = 0; r < efg->u.count; ++r) {
        REQUIRE((efg->start.items[r + 1] - efg->start.items[r]) % 2 == 0);
        for (int k = efg->start.items[r]; k < efg->start.items[r + 1]; ++k) {
            int j = efg->offset.items[k] / (int)sizeof(phxi_r4);
            const phx_real* y = gradient_at(efg, r, k);
            bool found = y[3] == 0;
            REQUIRE(found == (j == r));
            for (int m = efg->start.items[j]; m < efg->start.items[j + 1] && !found; ++m) {
                const phx_real* z = gradient_at(efg, j, m);
                found = efg->offset.items[m] / (int)sizeof(phxi_r4) == r && z[0] == -y[0] && z[3] == y[3];
            }
            ENSURE(found);
        }
    }
    fixture_destroy(&f);
}

TEST(sheets_and_rods_keep_small_neighborhoods) {
    efg_fixture f;
    REQUIRE_OK(fixture_init(&f, NULL, 1));
    REQUIRE_OK(fixture_add(&f, CUBIC, 9, 9, 1, phxi_vec3(0, 0, 0)));
    REQUIRE_OK(fixture_add(&f, CUBIC, 9, 1, 1, phxi_vec3(0, 0, 0)));
    REQUIRE_OK(fixture_add(&f, CUBIC, 1, 1, 1, phxi_vec3(0, 0, 0)));
    const phxi_efg* efg = f.state;
    ENSURE(efg->flats.count == 81 + 9 + 1);
    int most = 0;
    for (int r = 0; r < 81; ++r) {
        most = neighbors_of(&f, r) > most ? neighbors_of(&f, r) : most;
    }
    ENSURE(most <= 12);
    ENSURE(efg->flats.items[0].rank == 2 && efg->flats.items[81].rank == 1 && efg->flats.items[90].rank == 0);
    for (int r = 0; r < 9; ++r) {
        ENSURE(neighbors_of(&f, efg->slots.items[1].row + r) <= 2);
    }
    fixture_destroy(&f);
}

TEST(thin_plates_of_two_layers_have_full_rank) {
    efg_fixture f;
    REQUIRE_OK(fixture_init(&f, NULL, 1));
    REQUIRE_OK(fixture_add(&f, CUBIC, 8, 8, 2, phxi_vec3(0, 0, 0)));
    ENSURE(fixture_efg(&f)->flats.count == 0);
    fixture_destroy(&f);
}

TEST(density_sum_gives_the_density_inside_and_inflates_surfaces) {
    const lattice kinds[2] = {CUBIC, BCC};
    for (int k = 0; k < 2; ++k) {
        efg_fixture f;
        REQUIRE_OK(fixture_init(&f, NULL, 1));
        f.params[0].volumes = EFG_DENSITY_SUM;
        f.params[0].support = k ? 2 * 0.893 : 2 * 1.166; // h = 2 r
        REQUIRE_OK(fixture_add(&f, kinds[k], 9, 9, 9, phxi_vec3(0, 0, 0)));
        const phxi_particles* p = &f.particles;
        double volume = 0, inside_mass = 0, inside_volume = 0, constant = 0;
        int inside = 0;
        for (int i = 0; i < p->count; ++i) {
            volume += (double)p->volume[i];
            if (fabs((double)p->x[i] - 0.45) < 0.16 && fabs((double)p->y[i] - 0.45) < 0.16 &&
                fabs((double)p->z[i] - 0.45) < 0.16) {
                inside_mass += (double)p->mass[i];
                inside_volume += (double)p->volume[i];
                double r = k ? 0.0892820 : 0.1165685;
                constant += (double)p->mass[i] / (1000 * r * r * r);
                ++inside;
            }
        }
        ENSURE(inside > 20);
        ENSURE_NEAR(inside_mass / inside_volume, 1000, 10);
        ENSURE_NEAR(constant / inside, k ? 0.709 : 0.628, 0.004);
        ENSURE(volume / 0.729 > 1.1 && volume / 0.729 < 1.65);
        fixture_destroy(&f);
    }
}

TEST(bad_particles_are_refused) {
    efg_fixture f;
    REQUIRE_OK(fixture_init(&f, NULL, 1));
    f.spacing = NAN;
    ENSURE_RESULT(fixture_add(&f, CUBIC, 2, 2, 2, phxi_vec3(0, 0, 0)), PHX_ERROR_ARGUMENT);
    f.spacing = 0.1;
    ENSURE_RESULT(fixture_add(&f, CUBIC, 2, 2, 2, phxi_vec3(INFINITY, 0, 0)), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("block0");
    f.material.density = 0;
    ENSURE_RESULT(fixture_add(&f, CUBIC, 2, 2, 2, phxi_vec3(0, 0, 0)), PHX_ERROR_ARGUMENT);
    f.material.density = 1000;
    ENSURE_OK(fixture_add(&f, CUBIC, 2, 2, 2, phxi_vec3(0, 0, 0)));
    ENSURE_OK(fixture_substep(&f, 1e-3));
    fixture_destroy(&f);
}

TEST(coincident_particles_are_bearable) {
    efg_fixture f;
    REQUIRE_OK(fixture_init(&f, NULL, 1));
    f.jitter = 0;
    f.spacing = 1e-30; // everything at one point, in float
    (void)fixture_add(&f, CUBIC, 3, 3, 3, phxi_vec3(1, 1, 1));
    f.spacing = 0.1;
    REQUIRE_OK(fixture_add(&f, CUBIC, 3, 3, 3, phxi_vec3(1, 1, 1)));
    ENSURE_OK(fixture_substep(&f, 1e-4));
    fixture_destroy(&f);
}

TEST(every_failing_allocation_leaves_the_solver_usable) {
    bool done = false;
    for (int64_t n = 0; !done && n < 1000; ++n) {
        phxt_heap heap;
        phxt_heap_init(&heap, -1);
        efg_fixture f;
        REQUIRE_OK(fixture_init(&f, &heap.allocator, 1));
        f.params[1].volumes = EFG_DENSITY_SUM;
        REQUIRE_OK(fixture_add(&f, CUBIC, 3, 3, 3, phxi_vec3(0, 0, 0)));
        heap.fail_at = heap.allocations + n;
        phx_result result = fixture_add(&f, BCC, 4, 4, 4, phxi_vec3(1, 0, 0));
        heap.fail_at = -1;
        done = result == PHX_OK;
        if (!done) {
            ENSURE(result == PHX_ERROR_MEMORY);
            ENSURE(f.body_count == 1 && fixture_efg(&f)->slots.count == 1);
            ENSURE_OK(fixture_substep(&f, 1e-3));
            ENSURE_OK(fixture_add(&f, BCC, 4, 4, 4, phxi_vec3(1, 0, 0)));
        }
        ENSURE_OK(fixture_substep(&f, 1e-3));
        ENSURE(fixture_efg(&f)->slots.count == 2);
        fixture_destroy(&f);
        ENSURE(heap.live == 0);
    }
    ENSURE(done);
}
