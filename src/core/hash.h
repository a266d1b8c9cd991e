// SPDX-License-Identifier: MIT
// Checksums and reproducible random numbers.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// 64-bit checksum of bytes, in which every single flipped bit shows. Same on every machine.
uint64_t phxi_hash_bytes(const void* bytes, size_t size, uint64_t seed);
/// A well-mixed number from two (for example particle id and step).
uint64_t phxi_hash_pair(uint64_t a, uint64_t b);
/// [0,1) from a hash.
static inline double phxi_hash_unit(uint64_t hash) {
    return (double)(hash >> 11) * 0x1p-53;
}
