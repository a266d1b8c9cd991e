// SPDX-License-Identifier: MIT
// Each word of the input is folded in by a map that is one-to-one in the state and in the word, so two inputs of one
// length that differ in one word (or one bit) can never give the same checksum. Words are little-endian everywhere.
#include "core/hash.h"

#include <string.h>

static uint64_t mix(uint64_t h) { // one-to-one, every bit of the input moves half of the output
    h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9u;
    h = (h ^ (h >> 27)) * 0x94D049BB133111EBu;
    return h ^ (h >> 31);
}

static uint64_t fold(uint64_t h, uint64_t word) {
    h = (h ^ word) * 0x9E3779B97F4A7C15u;
    return h ^ (h >> 32);
}

static uint64_t load(const unsigned char* bytes, size_t size) {
    uint64_t word = 0;
    memcpy(&word, bytes, size);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

uint64_t phxi_hash_bytes(const void* bytes, size_t size, uint64_t seed) {
    const unsigned char* at = bytes;
    uint64_t h = mix(mix(seed + 0x9E3779B97F4A7C15u) ^ (uint64_t)size);
    for (; size >= 8; at += 8, size -= 8) {
        h = fold(h, load(at, 8));
    }
    if (size > 0) {
        h = fold(h, load(at, size));
    }
    return mix(h);
}

uint64_t phxi_hash_pair(uint64_t a, uint64_t b) {
    return mix(mix(a + 0x9E3779B97F4A7C15u) + 0xD1B54A32D192ED03u * (b + 1));
}
