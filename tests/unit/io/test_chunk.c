// SPDX-License-Identifier: MIT
// The container: what goes in comes out; nothing that was changed does.
#include "support/test.h"

#include "io/chunk.h"

static const phxi_chunk_head head = {3, 4};

// Two chunks: floats and odd bytes.
static void write_file(const char* path) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_chunk_writer writer;
    REQUIRE_OK(phxi_chunks_begin(&writer, &heap, path, &head));
    float numbers[500];
    for (int i = 0; i < 500; ++i) {
        numbers[i] = 1.0f + 0.001f * (float)i;
    }
    ENSURE_OK(phxi_chunks_add(&writer, "numbers", numbers, sizeof numbers, sizeof *numbers));
    ENSURE_OK(phxi_chunks_add(&writer, "odd", "hello", 5, 4));
    ENSURE_OK(phxi_chunks_add(&writer, "nothing", NULL, 0, 8));
    ENSURE_OK(phxi_chunks_commit(&writer));
    phxi_heap_destroy(&heap);
}

// PHX_OK if all of it is there.
static phx_result read_all(const void* bytes, size_t size) {
    phxi_chunk_reader reader;
    phx_result result = phxi_chunks_open(&reader, bytes, size);
    while (result == PHX_OK) {
        phxi_chunk chunk;
        static unsigned char scratch[4096], values[4096];
        result = phxi_chunks_next(&reader, &chunk);
        if (result != PHX_OK || strcmp(chunk.name, "end") == 0) {
            break;
        }
        result = chunk.size <= sizeof values ? phxi_chunk_unpack(&reader, &chunk, scratch, values) : PHX_ERROR_FORMAT;
    }
    phxi_chunks_close(&reader);
    return result;
}

TEST(round_trip) {
    const char* path = phxt_path("a.phx");
    write_file(path);
    size_t size = 0;
    char* bytes = phxt_read(path, &size);
    REQUIRE(bytes && size < 500 * 4);
    phxi_chunk_reader reader;
    REQUIRE_OK(phxi_chunks_open(&reader, bytes, size));
    ENSURE(reader.head.version == 3 && reader.head.real_size == 4);
    phxi_chunk chunk;
    float scratch[500], numbers[500];
    REQUIRE_OK(phxi_chunks_next(&reader, &chunk));
    ENSURE(strcmp(chunk.name, "numbers") == 0 && chunk.size == sizeof numbers);
    REQUIRE_OK(phxi_chunk_unpack(&reader, &chunk, scratch, numbers));
    for (int i = 0; i < 500; ++i) {
        ENSURE(numbers[i] == 1.0f + 0.001f * (float)i);
    }
    REQUIRE_OK(phxi_chunks_next(&reader, &chunk));
    REQUIRE_OK(phxi_chunk_unpack(&reader, &chunk, scratch, numbers));
    ENSURE(chunk.size == 5 && memcmp(numbers, "hello", 5) == 0);
    REQUIRE_OK(phxi_chunks_next(&reader, &chunk));
    ENSURE(chunk.size == 0);
    REQUIRE_OK(phxi_chunk_unpack(&reader, &chunk, scratch, numbers));
    REQUIRE_OK(phxi_chunks_next(&reader, &chunk));
    ENSURE(strcmp(chunk.name, "end") == 0);
    phxi_chunks_close(&reader);
    free(bytes);
}

TEST(every_length_is_refused) {
    const char* path = phxt_path("a.phx");
    write_file(path);
    size_t size = 0;
    char* bytes = phxt_read(path, &size);
    REQUIRE(bytes);
    ENSURE_OK(read_all(bytes, size));
    for (size_t length = 0; length < size; ++length) {
        char* cut = malloc(length ? length : 1); // exact, so that the sanitizer sees a read behind it
        memcpy(cut, bytes, length);
        ENSURE_RESULT(read_all(cut, length), PHX_ERROR_FORMAT);
        free(cut);
    }
    char* longer = calloc(1, size + 3);
    memcpy(longer, bytes, size);
    ENSURE_RESULT(read_all(longer, size + 3), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("3 bytes follow the end");
    free(longer);
    free(bytes);
}

TEST(every_flipped_byte_is_refused) {
    const char* path = phxt_path("a.phx");
    write_file(path);
    size_t size = 0;
    char* bytes = phxt_read(path, &size);
    REQUIRE(bytes);
    for (size_t i = 0; i < size; ++i) {
        for (int bit = 0; bit < 8; bit += 7) {
            bytes[i] ^= (char)(1 << bit);
            ENSURE_RESULT(read_all(bytes, size), PHX_ERROR_FORMAT);
            bytes[i] ^= (char)(1 << bit);
        }
    }
    ENSURE_OK(read_all(bytes, size));
    free(bytes);
}

TEST(bad_arguments_and_folders) {
    phxi_heap heap;
    phxi_heap_init(&heap, NULL);
    phxi_chunk_writer writer;
    ENSURE_RESULT(phxi_chunks_begin(&writer, &heap, phxt_path("no/such/folder.phx"), &head), PHX_ERROR_IO);
    REQUIRE_OK(phxi_chunks_begin(&writer, &heap, phxt_path("b.phx"), &head));
    char name[200];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    ENSURE_RESULT(phxi_chunks_add(&writer, name, "a", 1, 1), PHX_ERROR_ARGUMENT);
    phxi_chunks_abandon(&writer);
    FILE* none = fopen(phxt_path("b.phx"), "rb");
    ENSURE(!none);
    phxi_heap_destroy(&heap);
}

TEST(failing_allocation) {
    for (int n = 0;; ++n) {
        phxt_heap memory;
        phxt_heap_init(&memory, n);
        phxi_heap heap;
        phxi_heap_init(&heap, &memory.allocator);
        phxi_chunk_writer writer;
        phx_result result = phxi_chunks_begin(&writer, &heap, phxt_path("c.phx"), &head);
        if (result == PHX_OK) {
            result = phxi_chunks_add(&writer, "x", "abc", 3, 1);
            if (result == PHX_OK) {
                result = phxi_chunks_commit(&writer);
            } else {
                phxi_chunks_abandon(&writer);
            }
        }
        ENSURE(memory.live == 0);
        phxi_heap_destroy(&heap);
        if (result == PHX_OK) {
            ENSURE(n > 2);
            break;
        }
        ENSURE(result == PHX_ERROR_MEMORY);
    }
}
