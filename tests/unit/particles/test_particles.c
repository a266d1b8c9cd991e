// SPDX-License-Identifier: MIT
#include "particles/particles.h"

#include "support/test.h"

static const phxi_field_def extra_saved = {"toy.heat", "K", "a saved field", PHXI_FIELD_REAL, true};
static const phxi_field_def extra_scratch = {"toy.scratch", "", "a scratch field", PHXI_FIELD_INT, false};

// Gives every item of every field a value of its own.
static void fill(phxi_particles* particles) {
    for (int f = 0; f < particles->field_count; ++f) {
        for (int i = 0; i < particles->count; ++i) {
            double value = 1000 * f + i;
            switch (particles->fields[f].def.type) {
            case PHXI_FIELD_REAL:
                ((phx_real*)particles->fields[f].data)[i] = (phx_real)value;
                break;
            case PHXI_FIELD_INT:
                ((int*)particles->fields[f].data)[i] = (int)value;
                break;
            case PHXI_FIELD_UINT64:
                ((uint64_t*)particles->fields[f].data)[i] = (uint64_t)value;
                break;
            }
        }
    }
}

static double value_of(const phxi_field* field, int i) {
    switch (field->def.type) {
    case PHXI_FIELD_REAL:
        return (double)((phx_real*)field->data)[i];
    case PHXI_FIELD_INT:
        return ((int*)field->data)[i];
    case PHXI_FIELD_UINT64:
        return (double)((uint64_t*)field->data)[i];
    }
    return NAN;
}

static bool open_store(phxt_heap* counted, int64_t fail_at, phxi_heap* heap, phxi_particles* particles) {
    phxt_heap_init(counted, fail_at);
    phxi_heap_init(heap, &counted->allocator);
    return phxi_particles_init(particles, heap) == PHX_OK;
}

static void close_store(phxt_heap* counted, phxi_heap* heap, phxi_particles* particles) {
    phxi_particles_destroy(particles);
    ENSURE(counted->live == 0);
    phxi_heap_destroy(heap);
}

TEST(core_table_matches_members) {
    phxt_heap counted;
    phxi_heap heap;
    phxi_particles p;
    REQUIRE(open_store(&counted, -1, &heap, &p));
    ENSURE(p.count == 0);
    REQUIRE_OK(phxi_particles_add(&p, 100));
#define X(member, type, suffix, unit_text, is_saved, help)                                                             \
    ENSURE((void*)p.member == phxi_particles_field(&p, #member) && p.member != NULL);
    PHXI_CORE_FIELDS(X)
#undef X
    ENSURE(phxi_particles_field(&p, "nothing") == NULL);
    ENSURE(phxi_field_size(PHXI_FIELD_REAL) == sizeof(phx_real) && phxi_field_size(PHXI_FIELD_UINT64) == 8);
    for (int f = 0; f < p.field_count; ++f) {
        ENSURE((uintptr_t)p.fields[f].data % 64 == 0);
        ENSURE(p.fields[f].def.unit && p.fields[f].def.help[0]);
        for (int g = 0; g < f; ++g) {
            ENSURE(strcmp(p.fields[f].def.name, p.fields[g].def.name) != 0);
        }
    }
    close_store(&counted, &heap, &p);
}

TEST(add_gives_zeros_and_new_ids) {
    phxt_heap counted;
    phxi_heap heap;
    phxi_particles p;
    REQUIRE(open_store(&counted, -1, &heap, &p));
    REQUIRE_OK(phxi_particles_add_field(&p, &extra_saved));
    for (int round = 0; round < 20; ++round) {
        int before = p.count;
        REQUIRE_OK(phxi_particles_add(&p, 7 * round));
        ENSURE(p.count == before + 7 * round && p.capacity >= p.count);
        for (int i = before; i < p.count; ++i) {
            ENSURE(p.id[i] == (uint64_t)i + 1);
            for (int f = 1; f < p.field_count; ++f) {
                ENSURE(value_of(&p.fields[f], i) == 0);
            }
            p.x[i] = (phx_real)i;
        }
        for (int i = 0; i < p.count; ++i) {
            ENSURE(p.x[i] == (phx_real)i);
        }
    }
    // what is dropped leaves nothing behind: same ids, zeros again
    fill(&p);
    for (int i = 0; i < p.count; ++i) {
        p.id[i] = (uint64_t)i + 1;
    }
    int count = p.count;
    phxi_particles_drop(&p, 33);
    ENSURE(p.count == count - 33);
    REQUIRE_OK(phxi_particles_add(&p, 33));
    ENSURE(p.id[count - 33] == (uint64_t)count - 32 && p.x[count - 1] == 0 && p.next_id == (uint64_t)count + 1);
    // an older particle's id is never given again
    p.id[count - 1] = 5;
    phxi_particles_drop(&p, 1);
    REQUIRE_OK(phxi_particles_add(&p, 1));
    ENSURE(p.id[count - 1] == (uint64_t)count + 1);
    close_store(&counted, &heap, &p);
}

TEST(grows_by_an_eighth) {
    phxt_heap counted;
    phxi_heap heap;
    phxi_particles p;
    REQUIRE(open_store(&counted, -1, &heap, &p));
    int moves = 0;
    for (int i = 0; i < 20000; ++i) {
        int capacity = p.capacity;
        REQUIRE_OK(phxi_particles_add(&p, 1));
        if (p.capacity != capacity) {
            ENSURE(p.capacity % 16 == 0 && p.capacity <= capacity + capacity / 8 + 16);
            ++moves;
        }
    }
    ENSURE(moves < 60);
    // a whole vector behind the last particle may be read
    phx_real sum = 0;
    for (int i = p.capacity; i < p.capacity + 8; ++i) {
        sum += p.x[i];
    }
    ENSURE(sum == 0);
    close_store(&counted, &heap, &p);
}

TEST(bad_counts) {
    phxt_heap counted;
    phxi_heap heap;
    phxi_particles p;
    REQUIRE(open_store(&counted, -1, &heap, &p));
    ENSURE_RESULT(phxi_particles_add(&p, -1), PHX_ERROR_ARGUMENT);
    REQUIRE_OK(phxi_particles_add(&p, 10));
    ENSURE_RESULT(phxi_particles_add(&p, INT32_MAX - 5), PHX_ERROR_ARGUMENT);
    int order[11] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    ENSURE_RESULT(phxi_particles_reorder(&p, 0, 11, order), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phxi_particles_reorder(&p, -1, 2, order), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phxi_particles_reorder(&p, 2, -1, order), PHX_ERROR_ARGUMENT);
    order[3] = 4; // twice
    ENSURE_RESULT(phxi_particles_reorder(&p, 0, 10, order), PHX_ERROR_ARGUMENT);
    order[3] = -1;
    ENSURE_RESULT(phxi_particles_reorder(&p, 0, 10, order), PHX_ERROR_ARGUMENT);
    ENSURE(p.count == 10 && p.id[9] == 10);
    ENSURE_OK(phxi_particles_reorder(&p, 10, 0, order));
    ENSURE_OK(phxi_particles_add(&p, 0));
    phxi_particles_drop(&p, 0);
    close_store(&counted, &heap, &p);
}

TEST(fields_of_methods) {
    phxt_heap counted;
    phxi_heap heap;
    phxi_particles p;
    REQUIRE(open_store(&counted, -1, &heap, &p));
    REQUIRE_OK(phxi_particles_add(&p, 50));
    int core = p.field_count;
    REQUIRE_OK(phxi_particles_add_field(&p, &extra_saved));
    REQUIRE_OK(phxi_particles_add_field(&p, &extra_saved));
    ENSURE(p.field_count == core + 1);
    phx_real* heat = phxi_particles_field(&p, "toy.heat");
    REQUIRE(heat != NULL);
    for (int i = 0; i < 50; ++i) {
        ENSURE(heat[i] == 0);
    }
    phxi_field_def other = extra_saved;
    other.type = PHXI_FIELD_INT;
    ENSURE_RESULT(phxi_particles_add_field(&p, &other), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("toy.heat");
    char names[64][16]; // many: the table itself grows
    for (int k = 0; k < 64; ++k) {
        snprintf(names[k], sizeof names[k], "f%d", k);
        REQUIRE_OK(phxi_particles_add_field(&p, &(phxi_field_def){names[k], "", "one of many", PHXI_FIELD_INT, true}));
    }
    ENSURE(phxi_particles_field(&p, "toy.heat") == heat && phxi_particles_field(&p, "f63") != NULL);
    REQUIRE_OK(phxi_particles_add(&p, 1000));
    ENSURE(phxi_particles_field(&p, "x") == p.x);
    close_store(&counted, &heap, &p);
}

TEST(reorder_moves_every_field) {
    phxt_heap counted;
    phxi_heap heap;
    phxi_particles p;
    REQUIRE(open_store(&counted, -1, &heap, &p));
    REQUIRE_OK(phxi_particles_add_field(&p, &extra_saved));
    REQUIRE_OK(phxi_particles_add_field(&p, &extra_scratch));
    REQUIRE_OK(phxi_particles_add(&p, 40));
    fill(&p);
    enum { BEGIN = 9, COUNT = 25 };
    int order[COUNT];
    for (int k = 0; k < COUNT; ++k) {
        order[k] = (k * 7 + 3) % COUNT;
    }
    REQUIRE_OK(phxi_particles_reorder(&p, BEGIN, COUNT, order));
    for (int f = 0; f < p.field_count; ++f) {
        for (int i = 0; i < p.count; ++i) {
            int from = i >= BEGIN && i < BEGIN + COUNT ? BEGIN + order[i - BEGIN] : i;
            ENSURE(value_of(&p.fields[f], i) == 1000 * f + from);
        }
    }
    close_store(&counted, &heap, &p);
}

TEST(hash_sees_every_saved_bit) {
    phxt_heap counted;
    phxi_heap heap;
    phxi_particles p;
    REQUIRE(open_store(&counted, -1, &heap, &p));
    REQUIRE_OK(phxi_particles_add_field(&p, &extra_saved));
    REQUIRE_OK(phxi_particles_add_field(&p, &extra_scratch));
    uint64_t empty = phxi_particles_hash(&p);
    REQUIRE_OK(phxi_particles_add(&p, 13));
    fill(&p);
    uint64_t hash = phxi_particles_hash(&p);
    ENSURE(hash != empty);
    for (int f = 0; f < p.field_count; ++f) {
        size_t size = phxi_field_size(p.fields[f].def.type);
        unsigned char* bytes = p.fields[f].data;
        for (size_t bit = 0; bit < 13 * size * 8; ++bit) {
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            ENSURE((phxi_particles_hash(&p) != hash) == p.fields[f].def.saved);
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
        bytes[13 * size] ^= 1; // behind the last particle
        ENSURE(phxi_particles_hash(&p) == hash);
    }
    ENSURE(phxi_particles_hash(&p) == hash);
    phxi_particles_drop(&p, 1);
    ENSURE(phxi_particles_hash(&p) != hash);
    close_store(&counted, &heap, &p);
}

// Every allocation fails in turn: nothing leaks, nothing changes, and the store goes on when there is memory again.
TEST(every_allocation_may_fail) {
    int good = 0;
    for (int64_t n = 0; n < 200 && good == 0; ++n) {
        phxt_heap counted;
        phxi_heap heap;
        phxi_particles p;
        if (!open_store(&counted, n, &heap, &p)) {
            ENSURE(counted.live == 0);
            phxi_heap_destroy(&heap);
            continue;
        }
        if (phxi_particles_add(&p, 20) == PHX_OK && phxi_particles_add_field(&p, &extra_saved) == PHX_OK) {
            fill(&p);
            uint64_t hash = phxi_particles_hash(&p);
            phx_real* x = p.x;
            int capacity = p.capacity;
            int order[20];
            for (int k = 0; k < 20; ++k) {
                order[k] = 19 - k;
            }
            phx_result added = phxi_particles_add(&p, 500);
            if (added != PHX_OK) {
                ENSURE(added == PHX_ERROR_MEMORY && p.count == 20 && p.x == x && p.capacity == capacity);
                ENSURE(phxi_particles_hash(&p) == hash);
                ENSURE_RESULT(phxi_particles_reorder(&p, 0, 20, order), PHX_ERROR_MEMORY);
                ENSURE(phxi_particles_hash(&p) == hash);
                counted.fail_at = -1;
                ENSURE_OK(phxi_particles_add(&p, 500));
                ENSURE(p.count == 520);
            } else if (phxi_particles_reorder(&p, 0, 20, order) == PHX_OK) {
                good = 1;
            }
        }
        close_store(&counted, &heap, &p);
    }
    ENSURE(good == 1);
}
