// SPDX-License-Identifier: MIT
/// One scene with several methods: how near each comes to an answer, how long its substeps may be, what that costs.
#pragma once

#include <phyxel/io.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What is taken of a column of a probe over a run.
typedef enum phx_compare_quantity {
    PHX_COMPARE_CHANGE, ///< its last value less its first
    PHX_COMPARE_END,    ///< its last value
    PHX_COMPARE_MOST,   ///< its largest value
    PHX_COMPARE_LEAST,  ///< its smallest value
    PHX_COMPARE_PERIOD, ///< s, between passages through its mean
    PHX_COMPARE_COUNT
} phx_compare_quantity;

/// What came of one method at one spacing.
typedef struct phx_compare_row {
    const char* method; ///< as in the definition
    double spacing;     ///< m, of the bodies; NaN: as in the scene
    phx_result result;  ///< not PHX_OK: the method could not do it, and
    char trouble[256];  ///< why
    int particles;
    int64_t substeps;
    double dt, cpu;           ///< s; mean substep, processor time of all steps
    double value, error;      ///< error relative to `exact`; NaN where there is none
    double exact;             ///< what the value is held against
    double own_dt, stable_dt; ///< s; the largest substep that the method calls stable, and that was seen to be; NaN:
                              ///< not looked for. Substeps are at most 64 times as long as its own.
} phx_compare_row;

typedef struct phx_compare_def {
    const char* scene;            ///< path
    const char* const* overrides; ///< "key=value" texts, NULL terminated; NULL: none
    const char* const* methods;   ///< "efg" or, with options of it, "fem:integrator=bdf2:implicit_dt=0.01"; NULL
                                  ///< terminated
    const double* spacings;       ///< m, for all bodies, from coarse to fine
    int spacing_count;            ///< 0: bodies are as the scene has them
    const char* probe;            ///< its name in the scene; NULL: the first
    const char* column;           ///< of its file, without the unit; "z"
    int quantity;                 ///< phx_compare_quantity; change
    double exact;                 ///< what it should be; NaN: what the first method gives at the finest spacing
    bool stability;               ///< look for the largest stable substep, at the first spacing; true
    int threads;                  ///< 0: one per processor; 1
    /// Every row, once all is known. `curve` (may be NULL): the column over time, as it comes.
    void (*row)(void* context, const phx_compare_row* row);
    void (*curve)(void* context, const char* method, double spacing, double time, double value);
    void* context;
    uint32_t stamp;
} phx_compare_def;
phx_compare_def phx_compare_def_default(void);
/// Runs all. A method that fails has a row that says so; an error is what no row can tell (a bad scene, no memory).
phx_result phx_compare(const phx_compare_def* def);
/// Processor time for an error, s, between the spacings of one method (a straight line of logarithms); NaN if none of
/// its rows comes so near.
double phx_compare_cost(const phx_compare_row* rows, int count, double error);

#ifdef __cplusplus
}
#endif
