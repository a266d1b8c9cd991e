// SPDX-License-Identifier: MIT
// Several lanes of state precision: selection, any-lane tests, square root, logarithm and exponential.
//
// The C library's functions are scalar, so these are written here, in the compilers' vector types. Each lane depends on
// its own input alone: results do not change with the neighbours in the register. Wide values go by pointer (simd.h).
//
// log1p and expm1 also give what is left after the linear term (x - log1p x, expm1 x - x), to full relative precision:
// energies of small strains are made of these second-order rests and would vanish in the rounding of the functions.
#pragma once

#include "math/simd.h"

#include <math.h>
#include <string.h>

/// One register of AVX2: 8 floats or 4 doubles. Wider types would serve AVX-512 in double alone, and gcc takes them
/// apart badly elsewhere (twice the time on AVX2).
#define PHXI_LANES ((int)(32 / sizeof(phx_real)))
typedef phx_real phxi_rw __attribute__((vector_size(32)));
#ifdef PHX_DOUBLE
typedef int64_t phxi_mw __attribute__((vector_size(32)));  // masks: 0 or all ones
typedef uint64_t phxi_ww __attribute__((vector_size(32))); // bits
#define PHXI_WIDE_MANTISSA  52
#define PHXI_WIDE_FRACTION  0xfffffffffffffu
#define PHXI_WIDE_BIAS      1023
#define PHXI_WIDE_ONE       0x3ff0000000000000u
#define PHXI_WIDE_ROOT_HALF 0x3fe6a09e667f3bcdu
#define PHXI_WIDE_MAGIC     0x1.8p52 // adding it leaves an integer in the low bits
#define PHXI_WIDE_LN2_HIGH  0x1.62e42feep-1
#define PHXI_WIDE_LN2_LOW   0x1.a39ef35793c76p-33
#define PHXI_WIDE_LOG_TERMS 10
#define PHXI_WIDE_EXP_TERMS 12
#else
typedef int32_t phxi_mw __attribute__((vector_size(32)));
typedef uint32_t phxi_ww __attribute__((vector_size(32)));
#define PHXI_WIDE_MANTISSA  23
#define PHXI_WIDE_FRACTION  0x7fffffu
#define PHXI_WIDE_BIAS      127
#define PHXI_WIDE_ONE       0x3f800000u
#define PHXI_WIDE_ROOT_HALF 0x3f3504f3u
#define PHXI_WIDE_MAGIC     0x1.8p23f
#define PHXI_WIDE_LN2_HIGH  0x1.63p-1f
#define PHXI_WIDE_LN2_LOW   -0x1.bd0106p-13f
#define PHXI_WIDE_LOG_TERMS 4
#define PHXI_WIDE_EXP_TERMS 6
#endif

/// mask ? a : b, lane by lane.
#define PHXI_SELECT(mask, a, b) ((phxi_rw)(((phxi_mw)(a) & (mask)) | ((phxi_mw)(b) & ~(mask))))
/// A number in every lane, in state precision.
#define PHXI_R(number) ((phx_real)(number))

PHXI_INLINE bool phxi_wide_any(const phxi_mw* mask) {
    uint64_t words[sizeof(phxi_mw) / 8], all = 0;
    memcpy(words, mask, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        all |= words[i];
    }
    return all != 0;
}

PHXI_INLINE void phxi_wide_sqrt(const phxi_rw* x, phxi_rw* root) {
    for (int lane = 0; lane < PHXI_LANES; ++lane) {
#ifdef PHX_DOUBLE
        (*root)[lane] = sqrt((*x)[lane]);
#else
        (*root)[lane] = sqrtf((*x)[lane]);
#endif
    }
}

/// log(2^k (1 + f)) with 1 + f in [sqrt 1/2, sqrt 2), and f - log(1+f). s = f/(2+f);
/// log(1+f) = 2 atanh s = f - (h - s (h + R)), h = f^2/2, R = s^2 (2/3 + 2/5 s^2 + ...).
PHXI_INLINE void phxi_wide_log_parts(const phxi_rw* f, const phxi_ww* k, phxi_rw* log, phxi_rw* curved) {
    const phxi_rw s = *f / (PHXI_R(2) + *f), z = s * s, h = PHXI_R(0.5) * *f * *f;
    phxi_rw r = {0};
    for (int term = PHXI_WIDE_LOG_TERMS; term > 0; --term) {
        r = z * (r + PHXI_R(2.0 / (2 * term + 1)));
    }
    const phxi_rw magic = {0};
    const phxi_rw power = (phxi_rw)((phxi_ww)(magic + PHXI_WIDE_MAGIC) + *k) - PHXI_WIDE_MAGIC;
    *curved = h - s * (h + r);
    *log = power * PHXI_WIDE_LN2_HIGH + ((*f - *curved) + power * PHXI_WIDE_LN2_LOW);
}

/// log1p of x > -1 (below: some finite number), and x - log1p(x).
PHXI_INLINE void phxi_wide_log1p(const phxi_rw* x, phxi_rw* log, phxi_rw* rest) {
    const phxi_rw u = PHXI_R(1) + *x;
    const phxi_ww bits = (phxi_ww)u + (PHXI_WIDE_ONE - PHXI_WIDE_ROOT_HALF);
    const phxi_ww k = (bits >> PHXI_WIDE_MANTISSA) - PHXI_WIDE_BIAS;
    const phxi_ww mantissa = (bits & PHXI_WIDE_FRACTION) + PHXI_WIDE_ROOT_HALF;
    const phxi_mw near = (phxi_mw)(k == 0);
    const phxi_rw f = PHXI_SELECT(near, *x, (phxi_rw)mantissa - PHXI_R(1)); // x itself has all digits
    phxi_rw curved;
    phxi_wide_log_parts(&f, &k, log, &curved);
    *rest = PHXI_SELECT(near, curved, *x - *log);
}

/// log of a normal number u > 0 (of others: some finite number).
PHXI_INLINE void phxi_wide_log(const phxi_rw* u, phxi_rw* log) {
    const phxi_ww bits = (phxi_ww)*u + (PHXI_WIDE_ONE - PHXI_WIDE_ROOT_HALF);
    const phxi_ww k = (bits >> PHXI_WIDE_MANTISSA) - PHXI_WIDE_BIAS;
    const phxi_rw f = (phxi_rw)((bits & PHXI_WIDE_FRACTION) + PHXI_WIDE_ROOT_HALF) - PHXI_R(1);
    phxi_rw curved;
    phxi_wide_log_parts(&f, &k, log, &curved);
}

/// x = k ln 2 + r, |r| < 0.35: k, r, 2^k and e^r - 1 - r by its series. |x| < 80.
PHXI_INLINE void phxi_wide_exp_parts(const phxi_rw* x, phxi_rw* k, phxi_rw* r, phxi_rw* scale, phxi_rw* tail) {
    static const phx_real inverse_factorial[] = {1.0 / 2,       1.0 / 6,        1.0 / 24,        1.0 / 120,
                                                 1.0 / 720,     1.0 / 5040,     1.0 / 40320,     1.0 / 362880,
                                                 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
    const phxi_rw shifted = *x * PHXI_R(1.4426950408889634) + PHXI_WIDE_MAGIC;
    *k = shifted - PHXI_WIDE_MAGIC;
    *r = (*x - *k * PHXI_WIDE_LN2_HIGH) - *k * PHXI_WIDE_LN2_LOW;
    phxi_rw sum = {0};
    for (int term = PHXI_WIDE_EXP_TERMS - 1; term >= 0; --term) {
        sum = sum * *r + inverse_factorial[term];
    }
    *tail = sum * (*r * *r);
    *scale = (phxi_rw)(((phxi_ww)shifted << PHXI_WIDE_MANTISSA) + PHXI_WIDE_ONE);
}

/// expm1 of |x| < 80, and expm1(x) - x.
PHXI_INLINE void phxi_wide_expm1(const phxi_rw* x, phxi_rw* value, phxi_rw* rest) {
    phxi_rw k, r, scale, tail;
    phxi_wide_exp_parts(x, &k, &r, &scale, &tail);
    *value = scale * (r + tail) + (scale - PHXI_R(1));
    *rest = PHXI_SELECT((phxi_mw)(k == PHXI_R(0)), tail, *value - *x);
}

/// exp of |x| < 80.
PHXI_INLINE void phxi_wide_exp(const phxi_rw* x, phxi_rw* value) {
    phxi_rw k, r, scale, tail;
    phxi_wide_exp_parts(x, &k, &r, &scale, &tail);
    *value = scale * (PHXI_R(1) + (r + tail));
}
