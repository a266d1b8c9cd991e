// SPDX-License-Identifier: MIT
#define _XOPEN_SOURCE 700
#include "support/test.h"

#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

static phxt_case* cases;
static int failures;
static char scratch[1024];

void phxt_register(phxt_case* test) {
    test->next = cases;
    cases = test;
}

void phxt_failed(const char* file, int line, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: ", file, line);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    ++failures;
}

bool phxt_result(const char* file, int line, const char* text, phx_result got, phx_result wanted) {
    if (got == wanted) {
        return true;
    }
    phxt_failed(file, line, "%s gave %s, expected %s: %s", text, phx_result_name(got), phx_result_name(wanted),
                got == PHX_OK ? "" : phx_error_message());
    return false;
}

static int remove_entry(const char* path, const struct stat* info, int type, struct FTW* where) {
    (void)info, (void)type, (void)where;
    return remove(path);
}

const char* phxt_scratch(void) {
    if (!scratch[0]) {
        snprintf(scratch, sizeof scratch, "%s/scratch-XXXXXX", PHXT_BINARY_DIR);
        if (!mkdtemp(scratch)) {
            fprintf(stderr, "no scratch folder %s: %s\n", scratch, strerror(errno));
            exit(2);
        }
    }
    return scratch;
}

static const char* join(const char* folder, const char* name) {
    static char buffers[8][2048];
    static int next;
    char* buffer = buffers[next++ % 8];
    snprintf(buffer, sizeof buffers[0], "%s/%s", folder, name);
    return buffer;
}

const char* phxt_path(const char* name) {
    return join(phxt_scratch(), name);
}

const char* phxt_source(const char* name) {
    return join(PHXT_SOURCE_DIR, name);
}

void phxt_write(const char* path, const void* bytes, size_t size) {
    FILE* file = fopen(path, "wb");
    bool good = file && fwrite(bytes, 1, size, file) == size;
    if (file) {
        good = fclose(file) == 0 && good;
    }
    if (!good) {
        phxt_failed(__FILE__, __LINE__, "cannot write %s: %s", path, strerror(errno));
    }
}

char* phxt_read(const char* path, size_t* size) {
    FILE* file = fopen(path, "rb");
    if (!file) {
        phxt_failed(__FILE__, __LINE__, "cannot read %s: %s", path, strerror(errno));
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    rewind(file);
    char* bytes = malloc((size_t)length + 1);
    size_t got = bytes ? fread(bytes, 1, (size_t)length, file) : 0;
    fclose(file);
    if (!bytes) {
        return NULL;
    }
    bytes[got] = 0;
    if (size) {
        *size = got;
    }
    return bytes;
}

// Each block carries its size in front, so that the bytes in use are known without trusting the caller.
enum { HEAD = 64 };

static void* heap_alloc(void* context, size_t size, const char* label) {
    phxt_heap* heap = context;
    (void)label;
    int64_t turn = __atomic_fetch_add(&heap->allocations, 1, __ATOMIC_RELAXED);
    if (heap->fail_at >= 0 && turn >= heap->fail_at) {
        return NULL;
    }
    char* block = aligned_alloc(64, (size + HEAD + 63) / 64 * 64);
    if (!block) {
        return NULL;
    }
    memset(block + HEAD, 0xA5, size); // no code may rely on zeros
    *(size_t*)(void*)block = size;
    __atomic_fetch_add(&heap->live, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&heap->live_bytes, (int64_t)size, __ATOMIC_RELAXED);
    return block + HEAD;
}

static void heap_free(void* context, void* memory) {
    phxt_heap* heap = context;
    if (memory) {
        char* block = (char*)memory - HEAD;
        __atomic_fetch_sub(&heap->live, 1, __ATOMIC_RELAXED);
        __atomic_fetch_sub(&heap->live_bytes, (int64_t) * (size_t*)(void*)block, __ATOMIC_RELAXED);
        free(block);
    }
}

void phxt_heap_init(phxt_heap* heap, int64_t fail_at) {
    *heap = (phxt_heap){.allocator = {heap_alloc, heap_free, heap}, .fail_at = fail_at};
}

double phxt_random(uint64_t* state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

int main(int count, char** arguments) {
    int ran = 0;
    for (phxt_case* test = cases; test; test = test->next) {
        if (count > 1 && strcmp(arguments[1], test->name) != 0) {
            continue;
        }
        int before = failures;
        test->run();
        ++ran;
        printf("%s %s\n", failures == before ? "ok  " : "FAIL", test->name);
    }
    if (ran == 0) {
        fprintf(stderr, "no such test\n");
        return 2;
    }
    if (scratch[0] && failures == 0) {
        nftw(scratch, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    }
    return failures != 0;
}
