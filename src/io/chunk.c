// SPDX-License-Identifier: MIT
// zstd level 1 on shuffled bytes: floats of a body share sign and exponent, which stand together after the shuffle
// (about 1.8 times smaller at 0.4 GB/s). zstd's own working memory comes from malloc; it does not depend on the input
// beyond its level and is gone with the writer.
#include "io/chunk.h"

#include "core/hash.h"

#include <string.h>
#include <zstd.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they are in memory");

static const char MAGIC[8] = {'p', 'h', 'y', 'x', 'e', 'l', 'C', '\n'};

enum { HEAD = 24, CHUNK = PHXI_CHUNK_NAME + 5 * 8, CHECKED = CHUNK - 8, LEVEL = 1 };

static void put64(unsigned char* at, uint64_t value) {
    memcpy(at, &value, sizeof value);
}
static uint64_t get64(const unsigned char* at) {
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

// out[b * n + i] = byte b of item i; bytes behind the last whole item stay where they are.
static void shuffle(unsigned char* restrict out, const unsigned char* restrict in, size_t size, size_t item) {
    size_t n = size / item;
    for (size_t b = 0; b < item; ++b) {
        for (size_t i = 0; i < n; ++i) {
            out[b * n + i] = in[i * item + b];
        }
    }
    memcpy(out + n * item, in + n * item, size - n * item);
}

static void unshuffle(unsigned char* restrict out, const unsigned char* restrict in, size_t size, size_t item) {
    size_t n = size / item;
    for (size_t b = 0; b < item; ++b) {
        for (size_t i = 0; i < n; ++i) {
            out[i * item + b] = in[b * n + i];
        }
    }
    memcpy(out + n * item, in + n * item, size - n * item);
}

// ------------------------------------------------------------------------------------------------------------ writing

static phx_result put(phxi_chunk_writer* writer, const void* bytes, size_t size) {
    if (size > 0 && fwrite(bytes, 1, size, writer->file.stream) != size) {
        return phxi_file_commit(&writer->file); // fails with the system's reason and removes the temporary
    }
    return PHX_OK;
}

static phx_result grow(phxi_heap* heap, unsigned char** bytes, size_t* have, size_t need) {
    if (*have >= need && *bytes) {
        return PHX_OK;
    }
    phxi_free(heap, *bytes);
    *have = 0;
    *bytes = phxi_alloc(heap, need, 1, "checkpoint");
    if (!*bytes) {
        return PHX_ERROR_MEMORY;
    }
    *have = need;
    return PHX_OK;
}

phx_result phxi_chunks_begin(phxi_chunk_writer* writer, phxi_heap* heap, const char* path,
                             const phxi_chunk_head* head) {
    *writer = (phxi_chunk_writer){.heap = heap};
    writer->packer = ZSTD_createCCtx();
    if (!writer->packer) {
        return phxi_fail_memory("checkpoint");
    }
    phx_result result = phxi_file_begin(&writer->file, heap, path);
    if (result == PHX_OK) {
        unsigned char bytes[HEAD];
        memcpy(bytes, MAGIC, sizeof MAGIC);
        memcpy(bytes + 8, &head->version, 4);
        memcpy(bytes + 12, &head->real_size, 4);
        put64(bytes + 16, phxi_hash_bytes(bytes, 16, 0));
        result = put(writer, bytes, sizeof bytes);
    }
    if (result != PHX_OK) {
        phxi_chunks_abandon(writer);
    }
    return result;
}

static phx_result put_chunk(phxi_chunk_writer* writer, const char* name, size_t size, size_t item, size_t packed_size) {
    unsigned char head[CHUNK] = {0};
    memcpy(head, name, strlen(name));
    put64(head + PHXI_CHUNK_NAME, size);
    put64(head + PHXI_CHUNK_NAME + 8, item);
    put64(head + PHXI_CHUNK_NAME + 16, packed_size);
    put64(head + PHXI_CHUNK_NAME + 24, writer->count);
    put64(head + CHECKED, phxi_hash_bytes(writer->packed, packed_size, phxi_hash_bytes(head, CHECKED, 0)));
    ++writer->count;
    PHXI_TRY(put(writer, head, sizeof head));
    return put(writer, writer->packed, packed_size);
}

phx_result phxi_chunks_add(phxi_chunk_writer* writer, const char* name, const void* bytes, size_t size, size_t item) {
    if (strlen(name) >= PHXI_CHUNK_NAME || item == 0) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "'%.120s' cannot be the name of a chunk", name);
    }
    size_t bound = ZSTD_compressBound(size);
    PHXI_TRY(grow(writer->heap, &writer->shuffled, &writer->shuffled_size, size + 1));
    PHXI_TRY(grow(writer->heap, &writer->packed, &writer->packed_size, bound + 1));
    if (size > 0) {
        shuffle(writer->shuffled, bytes, size, item);
    }
    size_t packed = ZSTD_compressCCtx(writer->packer, writer->packed, bound, writer->shuffled, size, LEVEL);
    if (ZSTD_isError(packed)) {
        return phxi_fail(PHX_ERROR_MEMORY, "cannot pack '%s': %s", name, ZSTD_getErrorName(packed));
    }
    return put_chunk(writer, name, size, item, packed);
}

phx_result phxi_chunks_commit(phxi_chunk_writer* writer) {
    phx_result result = put_chunk(writer, "end", 0, 1, 0);
    if (result == PHX_OK) {
        result = phxi_file_commit(&writer->file);
    }
    phxi_chunks_abandon(writer);
    return result;
}

void phxi_chunks_abandon(phxi_chunk_writer* writer) {
    phxi_file_abandon(&writer->file);
    ZSTD_freeCCtx(writer->packer);
    if (writer->heap) {
        phxi_free(writer->heap, writer->shuffled);
        phxi_free(writer->heap, writer->packed);
    }
    *writer = (phxi_chunk_writer){0};
}

// ------------------------------------------------------------------------------------------------------------ reading

phx_result phxi_chunks_open(phxi_chunk_reader* reader, const void* bytes, size_t size) {
    *reader = (phxi_chunk_reader){.bytes = bytes, .size = size, .offset = HEAD};
    size_t known = size < sizeof MAGIC ? size : sizeof MAGIC;
    if (memcmp(bytes, MAGIC, known) != 0 || size == 0) {
        return phxi_fail(PHX_ERROR_FORMAT, "not a checkpoint of phyxel");
    }
    if (size < HEAD) {
        return phxi_fail(PHX_ERROR_FORMAT, "the file is cut off after %zu bytes", size);
    }
    if (get64(reader->bytes + 16) != phxi_hash_bytes(bytes, 16, 0)) {
        return phxi_fail(PHX_ERROR_FORMAT, "the head is damaged (checksum)");
    }
    memcpy(&reader->head.version, reader->bytes + 8, 4);
    memcpy(&reader->head.real_size, reader->bytes + 12, 4);
    reader->unpacker = ZSTD_createDCtx();
    return reader->unpacker ? PHX_OK : phxi_fail_memory("checkpoint");
}

void phxi_chunks_close(phxi_chunk_reader* reader) {
    ZSTD_freeDCtx(reader->unpacker);
    *reader = (phxi_chunk_reader){0};
}

phx_result phxi_chunks_next(phxi_chunk_reader* reader, phxi_chunk* chunk) {
    const unsigned char* head = reader->bytes + reader->offset;
    size_t left = reader->size - reader->offset;
    if (left < CHUNK) {
        return phxi_fail(PHX_ERROR_FORMAT, "the file is cut off after %zu bytes, chunk %llu is missing", reader->size,
                         (unsigned long long)reader->count);
    }
    memcpy(chunk->name, head, PHXI_CHUNK_NAME);
    chunk->name[PHXI_CHUNK_NAME - 1] = 0;
    chunk->size = get64(head + PHXI_CHUNK_NAME);
    chunk->item = get64(head + PHXI_CHUNK_NAME + 8);
    chunk->packed_size = get64(head + PHXI_CHUNK_NAME + 16);
    chunk->number = get64(head + PHXI_CHUNK_NAME + 24);
    chunk->packed = head + CHUNK;
    if (chunk->packed_size > left - CHUNK) {
        return phxi_fail(PHX_ERROR_FORMAT, "the file is cut off after %zu bytes, or chunk %llu is damaged",
                         reader->size, (unsigned long long)reader->count);
    }
    uint64_t checksum = phxi_hash_bytes(chunk->packed, chunk->packed_size, phxi_hash_bytes(head, CHECKED, 0));
    if (checksum != get64(head + CHECKED)) {
        return phxi_fail(PHX_ERROR_FORMAT, "chunk %llu is damaged (checksum)", (unsigned long long)reader->count);
    }
    if (chunk->number != reader->count || chunk->item == 0) {
        return phxi_fail(PHX_ERROR_FORMAT, "chunk %llu is out of order", (unsigned long long)reader->count);
    }
    reader->offset += CHUNK + chunk->packed_size;
    ++reader->count;
    if (strcmp(chunk->name, "end") == 0 && reader->offset != reader->size) {
        return phxi_fail(PHX_ERROR_FORMAT, "%zu bytes follow the end", reader->size - reader->offset);
    }
    return PHX_OK;
}

phx_result phxi_chunk_unpack(const phxi_chunk_reader* reader, const phxi_chunk* chunk, void* scratch, void* bytes) {
    size_t got = ZSTD_decompressDCtx(reader->unpacker, scratch, chunk->size, chunk->packed, chunk->packed_size);
    if (ZSTD_isError(got) || got != chunk->size) {
        return phxi_fail(PHX_ERROR_FORMAT, "'%s' cannot be unpacked: %s", chunk->name,
                         ZSTD_isError(got) ? ZSTD_getErrorName(got) : "too short");
    }
    if (chunk->size > 0) {
        unshuffle(bytes, scratch, chunk->size, chunk->item);
    }
    return PHX_OK;
}
