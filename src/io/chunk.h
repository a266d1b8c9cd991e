// SPDX-License-Identifier: MIT
// A file of named blocks of numbers: bytes of equal weight put together (shuffled), packed by zstd, with a 64-bit
// checksum over everything. Any byte that is changed, missing or too much is noticed before a number is used.
//
//   head   magic[8]  version u32  real size u32  checksum u64                                             24 bytes
//   chunk  name[104]  size u64  item u64  packed u64  number u64  checksum u64   packed bytes             144 + packed
//   ...
//   chunk  name "end", size 0, item 1, packed 0, number = how many came before
//
// All numbers are little endian. The checksum of a chunk covers its head and its packed bytes.
#pragma once

#include "core/file.h"

enum { PHXI_CHUNK_NAME = 104 };

typedef struct phxi_chunk_head {
    uint32_t version;
    uint32_t real_size; // bytes of phx_real
} phxi_chunk_head;

typedef struct phxi_chunk_writer {
    phxi_heap* heap;
    phxi_file_writer file;
    void* packer;
    unsigned char *shuffled, *packed; // scratch
    size_t shuffled_size, packed_size;
    uint64_t count;
} phxi_chunk_writer;

phx_result phxi_chunks_begin(phxi_chunk_writer* writer, phxi_heap* heap, const char* path, const phxi_chunk_head* head);
/// `size` bytes, items of `item` bytes each (what is shuffled).
phx_result phxi_chunks_add(phxi_chunk_writer* writer, const char* name, const void* bytes, size_t size, size_t item);
/// The file is complete, or the old one stands. The writer is gone either way.
phx_result phxi_chunks_commit(phxi_chunk_writer* writer);
void phxi_chunks_abandon(phxi_chunk_writer* writer);

typedef struct phxi_chunk {
    char name[PHXI_CHUNK_NAME];
    uint64_t size, item, packed_size, number;
    const unsigned char* packed;
} phxi_chunk;

/// Reads from memory that the caller keeps.
typedef struct phxi_chunk_reader {
    const unsigned char* bytes;
    size_t size, offset;
    uint64_t count;
    phxi_chunk_head head;
    void* unpacker;
} phxi_chunk_reader;

phx_result phxi_chunks_open(phxi_chunk_reader* reader, const void* bytes, size_t size);
/// Fine on a zeroed reader and after a failed open.
void phxi_chunks_close(phxi_chunk_reader* reader);
/// The next chunk, its checksum verified. The last is called "end"; nothing follows it.
phx_result phxi_chunks_next(phxi_chunk_reader* reader, phxi_chunk* chunk);
/// Into `bytes` of chunk->size bytes, with scratch of the same size.
phx_result phxi_chunk_unpack(const phxi_chunk_reader* reader, const phxi_chunk* chunk, void* scratch, void* bytes);
