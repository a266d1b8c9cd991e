// SPDX-License-Identifier: MIT
// Wide arithmetic by the compilers' vector types: no intrinsics, so one source serves SSE2, AVX2, AVX-512 and NEON.
//
// PHXI_CLONES asks for copies of a function for newer instruction sets, chosen when the program starts. Use it on
// static functions with names that are unique in the whole program, and pass wide values by pointer (by value they
// would have another calling convention in each copy). Contraction is off, so all copies give the same bits.
#pragma once

#include <phyxel/base.h>

#if defined(PHXI_NO_CLONES) || !defined(__x86_64__)
#define PHXI_CLONES
#elif defined(__clang__)
#define PHXI_CLONES __attribute__((target_clones("avx512vl", "avx2", "default"))) // does not know levels
#else
#define PHXI_CLONES __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#endif
#if defined(PHXI_NO_CLONES) || !defined(__x86_64__)
#define PHXI_NARROW_CLONES
#else
#define PHXI_NARROW_CLONES __attribute__((target_clones("avx2", "default"))) // of what has a wide twin for AVX-512
#endif
#ifdef PHXI_SANITIZED // a copy of each loop for every choice is all that takes long to compile there
#define PHXI_INLINE static inline
#else
#define PHXI_INLINE static inline __attribute__((always_inline))
#endif

/// Eight lanes of double, float and state precision; four lanes of state precision (a padded 3-vector).
typedef double phxi_d8 __attribute__((vector_size(64)));
typedef phx_real phxi_r4 __attribute__((vector_size(4 * sizeof(phx_real))));
typedef phx_real phxi_r8 __attribute__((vector_size(8 * sizeof(phx_real))));
/// The same in memory that is only aligned to a number.
typedef phx_real phxi_r4u __attribute__((vector_size(4 * sizeof(phx_real)), aligned(sizeof(phx_real)), may_alias));
