// SPDX-License-Identifier: MIT
// The wide loops of near_cells.c: candidates are tested, 64 to a word of bits, and words become items. By
// PHXI_LANES_CALL.
#pragma once

#include "math/lanes.h"
#include "neighbors/near_cells.h"

enum { PHXI_NEAR_WORD = 64, PHXI_NEAR_RUNS = 18 };

typedef struct phxi_near_run {
    int begin, end; // places
} phxi_near_run;

/// Places of one cell and their candidates, as kept between scan and expand: then follow the words, of one place after
/// the other.
typedef struct phxi_near_group {
    int run_count, words; // of a place
    phxi_near_run runs[PHXI_NEAR_RUNS];
} phxi_near_group;

typedef struct phxi_near_scan {
    phxi_near* near;
    const phxi_near_cells* cells;
    phxi_staging* masks;
    bool equal, periodic;
    const uint64_t* ignores_own_kind; // NULL: none
    const int* listed_by_all;
} phxi_near_scan;

typedef int phxi_near_int8 __attribute__((vector_size(32)));
/// Which bits are set in a byte, in order, and how many.
typedef struct phxi_near_bits {
    phxi_near_int8 at[256]; // 8 KB, but bytes would have to be widened, which gcc does one by one
    uint8_t count[256];
} phxi_near_bits;

void phxi_near_make_bits(phxi_near_bits* bits);
/// Words of all places [begin, end) of a cell, and the numbers of their neighbours.
void phxi_near_test(const phxi_near_scan* s, const phxi_near_group* g, int begin, int end, uint64_t* words,
                    int64_t* counts);
void phxi_near_test_avx512(const phxi_near_scan* s, const phxi_near_group* g, int begin, int end, uint64_t* words,
                           int64_t* counts);
/// Items of the words of one place. Up to PHXI_GROUP numbers behind the last are written.
void phxi_near_expand(const phxi_near_bits* bits, const phxi_near_group* g, const uint64_t* words, int* row);
void phxi_near_expand_avx512(const phxi_near_bits* bits, const phxi_near_group* g, const uint64_t* words, int* row);
