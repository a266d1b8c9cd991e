// SPDX-License-Identifier: MIT
// State of a method besides the saved fields of its particles, for checkpoints and snapshots.
#pragma once

#include "bodies/step.h"

/// Where packed bytes go: into memory, a file, a hash.
typedef struct phxi_sink {
    void (*put)(struct phxi_sink* sink, const void* data, size_t size);
} phxi_sink;

typedef struct phxi_saving_table {
    /// Small private numbers (last dt, counters). NULL and 0: none.
    int word_count;
    double* (*words)(void* state);
    /// State of variable size that fits in no field or word (bonds, facets). The bytes given to unpack may come from a
    /// damaged file; on an error the state is as before. NULL: none.
    void (*pack)(const void* state, phxi_sink* sink);
    phx_result (*unpack)(void* state, phxi_step* step, const uint8_t* bytes, size_t size);
    /// Velocities were changed from outside (phx_body_set_velocity), or everything was restored: renew caches. NULL:
    /// there are none.
    phx_result (*restored)(void* state, phxi_step* step);
} phxi_saving_table;
