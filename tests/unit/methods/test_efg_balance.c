// SPDX-License-Identifier: MIT
// Weights of irregular bodies: who gets them, that they are the same on any number of threads, and that want of memory
// is survived. That they balance: validate efg.uniform_stress and efg.bar_modes.
#include "support/efg_fixture.h"

static bool balanced(efg_fixture* f) {
    const phxi_efg* efg = fixture_efg(f);
    return efg->slots.items[efg->slots.count - 1].balanced;
}

TEST(lattices_are_left_as_they_are) {
    static const int paths[] = {EFG_PATH_AUTO, EFG_PATH_ROWS};
    efg_fixture f;
    REQUIRE_OK(fixture_init(&f, NULL, 1));
    for (int k = 0; k < 2; ++k) {
        f.params[2 * k].path = f.params[2 * k + 1].path = paths[k];
        REQUIRE_OK(fixture_add(&f, CUBIC, 5, 5, 5, phxi_vec3(0, 0, 2 * k)));
        ENSURE(!balanced(&f));
        REQUIRE_OK(fixture_add(&f, BCC, 5, 5, 5, phxi_vec3(2, 0, 2 * k)));
        ENSURE(!balanced(&f));
    }
    fixture_destroy(&f);
}

TEST(bodies_that_break_or_sum_densities_are_left_as_they_are) {
    efg_fixture f;
    REQUIRE_OK(fixture_init(&f, NULL, 1));
    f.jitter = 0.2;
    REQUIRE_OK(fixture_add(&f, CUBIC, 5, 5, 5, phxi_vec3(0, 0, 0)));
    ENSURE(balanced(&f));
    f.params[1].volumes = EFG_DENSITY_SUM;
    REQUIRE_OK(fixture_add(&f, CUBIC, 5, 5, 5, phxi_vec3(2, 0, 0)));
    ENSURE(!balanced(&f));
    f.params[2].fracture = 1;
    f.material.strength = 1e5;
    REQUIRE_OK(fixture_add(&f, CUBIC, 5, 5, 5, phxi_vec3(4, 0, 0)));
    ENSURE(!balanced(&f));
    fixture_destroy(&f);
}

TEST(weights_have_the_same_bits_at_any_thread_count) {
    efg_fixture f[3];
    for (int k = 0; k < 3; ++k) {
        REQUIRE_OK(fixture_init(&f[k], NULL, k + 1));
        f[k].jitter = 0.2;
        REQUIRE_OK(fixture_add(&f[k], CUBIC, 9, 8, 7, phxi_vec3(0, 0, 0)));
        ENSURE(balanced(&f[k]));
        const phxi_efg *one = fixture_efg(&f[0]), *other = fixture_efg(&f[k]);
        ENSURE(one->gradient.count == other->gradient.count);
        size_t size = (size_t)one->gradient.count * sizeof *one->gradient.items;
        ENSURE(memcmp(one->gradient.items, other->gradient.items, size) == 0);
    }
    for (int k = 0; k < 3; ++k) {
        fixture_destroy(&f[k]);
    }
}

TEST(every_failing_allocation_is_survived) {
    bool done = false;
    for (int64_t n = 0; !done && n < 1000; ++n) {
        phxt_heap heap;
        phxt_heap_init(&heap, -1);
        efg_fixture f;
        REQUIRE_OK(fixture_init(&f, &heap.allocator, 1));
        f.jitter = 0.2;
        heap.fail_at = heap.allocations + n;
        phx_result result = fixture_add(&f, CUBIC, 5, 5, 5, phxi_vec3(1, 0, 0));
        heap.fail_at = -1;
        done = result == PHX_OK;
        if (!done) {
            ENSURE(result == PHX_ERROR_MEMORY);
            ENSURE(f.body_count == 0 && fixture_efg(&f)->slots.count == 0);
            ENSURE_OK(fixture_add(&f, CUBIC, 5, 5, 5, phxi_vec3(1, 0, 0)));
        }
        ENSURE(balanced(&f));
        ENSURE_OK(fixture_substep(&f, 1e-3));
        fixture_destroy(&f);
        ENSURE(heap.live == 0);
    }
    ENSURE(done);
}
