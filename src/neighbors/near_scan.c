// SPDX-License-Identifier: MIT
#include "neighbors/near_scan.h"

#include "neighbors/near_wide.h" // gather.h brings the intrinsics

enum { WORD = PHXI_NEAR_WORD };

typedef phx_real lanes_anywhere
    __attribute__((vector_size(PHXI_LANE_COUNT * sizeof(phx_real)), aligned(sizeof(phx_real)), may_alias));

/// Which of the candidates from `first` on, as many as there are lanes, are within the list radius of place i: the
/// operations of phxi_near_within. Some candidates behind the last place are read and meaningless.
PHXI_INLINE void test_lanes(const phxi_near* near, int i, int first, bool equal, bool periodic,
                            phxi_lane_mask* near_by) {
    const phx_real own[3] = {near->x[i], near->y[i], near->z[i]}, list_radius = near->list_radius[i];
    const phx_real* const axes[3] = {near->x + first, near->y + first, near->z + first};
    phxi_lanes x[3], limit = (phxi_lanes){0} + list_radius * list_radius;
    for (int a = 0; a < 3; ++a) {
        x[a] = own[a] - *(const lanes_anywhere*)axes[a];
        if (periodic) {
            phxi_image_lanes(near->period[a], near->per_period[a], &x[a]);
        }
    }
    if (!equal) {
        limit = (phx_real)0.5 * (list_radius + *(const lanes_anywhere*)(near->list_radius + first));
        limit *= limit;
    }
    *near_by = (phxi_lane_mask)(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] < limit);
}

#ifdef PHXI_LANES_WIDE

/// Bit k: candidate first + k is within the list radius of place i; `count` of them are looked at, and some more.
PHXI_INLINE uint64_t test_word(const phxi_near* near, int i, int first, int count, bool equal, bool periodic) {
    uint64_t word = 0;
    for (int at = 0; at < WORD && at < count; at += PHXI_LANE_COUNT) {
        phxi_lane_mask near_by;
        test_lanes(near, i, first + at, equal, periodic, &near_by);
        word |= (uint64_t)_mm512_movepi32_mask((__m512i)near_by) << at;
    }
    return word;
}

#else

#define BITS(k)                                                                                                        \
    { 1u << (k), 2u << (k), 4u << (k), 8u << (k), 16u << (k), 32u << (k), 64u << (k), 128u << (k) }
#ifdef PHX_DOUBLE
typedef uint64_t bits8 __attribute__((vector_size(64)));
#else
typedef uint32_t bits8 __attribute__((vector_size(32)));
#endif

/// Bit 8 v + k of lane k: candidate first + 8 v + k is within the list radius of place i.
PHXI_INLINE void test_half(const phxi_near* near, int i, int first, bool equal, bool periodic, bits8* lanes) {
    static const bits8 bit[4] = {BITS(0), BITS(8), BITS(16), BITS(24)};
    *lanes = (bits8){0};
    for (int v = 0; v < 4; ++v) {
        phxi_lane_mask near_by;
        test_lanes(near, i, first + v * PHXI_LANE_COUNT, equal, periodic, &near_by);
        *lanes |= bit[v] & (bits8)near_by;
    }
}

/// Bit k: candidate first + k is within the list radius of place i. The two halves become a word together.
PHXI_INLINE uint64_t test_word(const phxi_near* near, int i, int first, int count, bool equal, bool periodic) {
    bits8 a, b;
    (void)count;
    test_half(near, i, first, equal, periodic, &a);
    test_half(near, i, first + WORD / 2, equal, periodic, &b);
    bits8 both = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13) |
                 __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
    both |= __builtin_shufflevector(both, both, 4, 5, 6, 7, 0, 1, 2, 3);
    both |= __builtin_shufflevector(both, both, 2, 3, 0, 1, 6, 7, 4, 5);
    return (uint64_t)both[0] | (uint64_t)both[1] << 32;
}

#endif

/// Bit k: place first + k ignores its own kind.
static uint64_t ignoring_from(const uint64_t* ignores_own_kind, int first) {
    const uint64_t* at = ignores_own_kind + first / WORD;
    int shift = first % WORD;
    return shift ? at[0] >> shift | at[1] << (WORD - shift) : at[0];
}

PHXI_INLINE void test_group(const phxi_near_scan* s, const phxi_near_group* g, int begin, int end, uint64_t* words,
                            int64_t* counts, bool equal, bool periodic) {
    const phxi_near* near = s->near;
    size_t stride = (size_t)g->words;
    for (int i = begin; i < end; ++i) {
        counts[i - begin] = 0;
    }
    for (const phxi_near_run* r = g->runs; r < g->runs + g->run_count; ++r) {
        for (int first = r->begin; first < r->end; first += WORD) {
            int count = r->end - first;
            uint64_t *at = words++, valid = UINT64_MAX >> (count < WORD ? WORD - count : 0);
            uint64_t listed_by_all = s->ignores_own_kind ? valid & ~ignoring_from(s->ignores_own_kind, first) : valid;
            for (int i = begin; i < end; ++i, at += stride) {
                uint64_t asked = s->ignores_own_kind && near->ignores_own_kind[i] ? listed_by_all : valid;
                unsigned self = (unsigned)(i - first);
                uint64_t others = ~((uint64_t)(self < WORD) << (self % WORD));
                *at = asked ? test_word(near, i, first, count, equal, periodic) & asked & others : 0;
                counts[i - begin] += __builtin_popcountll(*at);
            }
        }
    }
}

PHXI_LOOP_CLONES static void near_test_any(const phxi_near_scan* s, const phxi_near_group* g, int begin, int end,
                                           uint64_t* words, int64_t* counts) {
    if (s->periodic) {
        test_group(s, g, begin, end, words, counts, false, true);
    } else if (s->equal) {
        test_group(s, g, begin, end, words, counts, true, false);
    } else {
        test_group(s, g, begin, end, words, counts, false, false);
    }
}

void PHXI_LANES_NAME(phxi_near_test)(const phxi_near_scan* s, const phxi_near_group* g, int begin, int end,
                                     uint64_t* words, int64_t* counts) {
    near_test_any(s, g, begin, end, words, counts);
}

// ------------------------------------------------------------------------------------------------------------- expand

#ifdef PHXI_LANES_WIDE

PHXI_INLINE int* expand_word(const phxi_near_bits* bits, uint64_t word, int first, int* row) {
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    (void)bits;
    for (; word; word >>= 16, first += 16) {
        __m512i items = _mm512_add_epi32(lane, _mm512_set1_epi32(first));
        _mm512_storeu_si512(row, _mm512_maskz_compress_epi32((__mmask16)word, items));
        row += __builtin_popcountll(word & 0xffff);
    }
    return row;
}

#else

void phxi_near_make_bits(phxi_near_bits* bits) {
    for (int b = 0; b < 256; ++b) {
        int n = 0;
        bits->at[b] = (phxi_near_int8){0};
        for (int k = 0; k < 8; ++k) {
            if (b >> k & 1) {
                bits->at[b][n++] = k;
            }
        }
        bits->count[b] = (uint8_t)n;
    }
}

typedef int int8_anywhere __attribute__((vector_size(32), aligned(4), may_alias));

PHXI_INLINE int* expand_word(const phxi_near_bits* bits, uint64_t word, int first, int* row) {
    phxi_near_int8 base = (phxi_near_int8){0} + first;
    for (; word; word >>= 8, base += 8) {
        *(int8_anywhere*)row = base + bits->at[word & 255];
        row += bits->count[word & 255];
    }
    return row;
}

#endif

PHXI_LOOP_CLONES static void near_expand_any(const phxi_near_bits* bits, const phxi_near_group* g,
                                             const uint64_t* words, int* row) {
    for (const phxi_near_run* r = g->runs; r < g->runs + g->run_count; ++r) {
        for (int first = r->begin; first < r->end; first += WORD) {
            row = expand_word(bits, *words++, first, row);
        }
    }
}

void PHXI_LANES_NAME(phxi_near_expand)(const phxi_near_bits* bits, const phxi_near_group* g, const uint64_t* words,
                                       int* row) {
    near_expand_any(bits, g, words, row);
}
