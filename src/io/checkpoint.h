// SPDX-License-Identifier: MIT
// Checkpoints of a run: those of its world, and a record (core/record.h) of what else has to stay as it was.
#pragma once

#include <phyxel/io.h>

phx_result phxi_checkpoint_save(const phx_world* world, const char* path, const char* run);
/// `run` NULL: whatever the run was. That of a world that was saved without a run fits any.
phx_result phxi_checkpoint_load(phx_world* world, const char* path, const char* run);
