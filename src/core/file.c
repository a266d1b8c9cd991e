// SPDX-License-Identifier: MIT
// Reading goes to the end of the file rather than to the size the system gives, so pipes and /proc work and a file
// that grows meanwhile is read whole. Writing goes to "<path>.<process>-<number>.tmp", opened exclusively; what is no
// regular file (a pipe, a terminal, /dev/null) is written in place, as a rename would replace it by a file. There is no
// fsync: the old or the new file survives a crash of the program, and the file system decides after a loss of power.
#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static phx_result fail_path(const char* verb, const char* path, int error) {
    char reason[128] = "unknown error";
    if (error != 0) {
        (void)!strerror_r(error, reason, sizeof reason);
    }
    return phxi_fail(PHX_ERROR_IO, "cannot %s '%s': %s", verb, path, reason);
}

static phx_result fail_size(const char* path, size_t limit) {
    return phxi_fail(PHX_ERROR_IO, "cannot read '%s': larger than %zu bytes", path, limit);
}

// *bytes holds what was read, also on failure.
static phx_result read_stream(FILE* stream, phxi_heap* heap, const char* path, size_t limit, size_t capacity,
                              char** bytes, size_t* size) {
    for (*size = 0;;) {
        char* grown = phxi_realloc(heap, *bytes, capacity, 1, "file");
        if (!grown) {
            return PHX_ERROR_MEMORY;
        }
        *bytes = grown;
        errno = 0;
        *size += fread(grown + *size, 1, capacity - 1 - *size, stream); // one byte for the zero
        if (ferror(stream)) {
            return fail_path("read", path, errno);
        }
        if (*size > limit) {
            return fail_size(path, limit);
        }
        if (*size < capacity - 1) { // the end
            grown[*size] = 0;
            return PHX_OK;
        }
        capacity *= 2;
    }
}

phx_result phxi_file_read(phxi_heap* heap, const char* path, size_t limit, char** bytes, size_t* size) {
    *bytes = NULL;
    *size = 0;
    limit = limit ? limit : (size_t)1 << 31;
    FILE* stream = fopen(path, "rb");
    if (!stream) {
        return fail_path("open", path, errno);
    }
    struct stat info;
    phx_result result = PHX_OK;
    if (fstat(fileno(stream), &info) != 0) {
        result = fail_path("read", path, errno);
    } else if (S_ISDIR(info.st_mode)) {
        result = fail_path("read", path, EISDIR);
    } else if (S_ISREG(info.st_mode) && (uintmax_t)info.st_size > limit) {
        result = fail_size(path, limit);
    } else {
        // One byte for the zero and one to see the end without growing.
        size_t expected = S_ISREG(info.st_mode) && info.st_size > 0 ? (size_t)info.st_size : 4096;
        result = read_stream(stream, heap, path, limit, expected + 2, bytes, size);
    }
    fclose(stream);
    if (result != PHX_OK) {
        phxi_free(heap, *bytes);
        *bytes = NULL;
        *size = 0;
    }
    return result;
}

static void release(phxi_file_writer* writer) {
    if (writer->heap) {
        phxi_free(writer->heap, writer->path);
        phxi_free(writer->heap, writer->temporary);
    }
    *writer = (phxi_file_writer){0};
}

// Opens an unused name beside the path.
static phx_result open_temporary(phxi_file_writer* writer) {
    static int serial;
    size_t size = strlen(writer->path) + 48;
    writer->temporary = phxi_alloc(writer->heap, size, 1, "file");
    if (!writer->temporary) {
        return PHX_ERROR_MEMORY;
    }
    int descriptor;
    do {
        int number = __atomic_fetch_add(&serial, 1, __ATOMIC_RELAXED);
        snprintf(writer->temporary, size, "%s.%ld-%d.tmp", writer->path, (long)getpid(), number);
        descriptor = open(writer->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (descriptor < 0 && errno == EEXIST);
    if (descriptor < 0) {
        return fail_path("create", writer->path, errno);
    }
    writer->stream = fdopen(descriptor, "wb");
    if (!writer->stream) {
        phx_result result = fail_path("create", writer->path, errno);
        close(descriptor);
        unlink(writer->temporary);
        return result;
    }
    return PHX_OK;
}

phx_result phxi_file_begin(phxi_file_writer* writer, phxi_heap* heap, const char* path) {
    *writer = (phxi_file_writer){.heap = heap};
    writer->path = phxi_strdup(heap, path, "file");
    if (!writer->path) {
        *writer = (phxi_file_writer){0};
        return PHX_ERROR_MEMORY;
    }
    struct stat info;
    bool exists = stat(path, &info) == 0;
    phx_result result;
    if (exists && S_ISDIR(info.st_mode)) {
        result = fail_path("create", path, EISDIR);
    } else if (exists && !S_ISREG(info.st_mode)) {
        writer->stream = fopen(path, "wb");
        result = writer->stream ? PHX_OK : fail_path("open", path, errno);
    } else {
        result = open_temporary(writer);
    }
    if (result != PHX_OK) {
        release(writer);
    }
    return result;
}

phx_result phxi_file_commit(phxi_file_writer* writer) {
    if (!writer->stream) {
        return phxi_fail(PHX_ERROR_ARGUMENT, "no file is being written");
    }
    bool good = !ferror(writer->stream);
    if (!good) { // an earlier write failed; its reason is gone, but one more byte will meet it again
        fputc('\n', writer->stream);
    }
    errno = 0;
    good = fflush(writer->stream) == 0 && good;
    int error = errno ? errno : EIO;
    if (fclose(writer->stream) != 0 && good) {
        good = false;
        error = errno;
    }
    writer->stream = NULL;
    phx_result result = good ? PHX_OK : fail_path("write", writer->path, error);
    if (good && writer->temporary && rename(writer->temporary, writer->path) != 0) {
        result = fail_path("replace", writer->path, errno);
    }
    if (result != PHX_OK && writer->temporary) {
        unlink(writer->temporary);
    }
    release(writer);
    return result;
}

void phxi_file_abandon(phxi_file_writer* writer) {
    if (writer->stream) {
        fclose(writer->stream);
        if (writer->temporary) {
            unlink(writer->temporary);
        }
    }
    release(writer);
}

static bool is_folder(const char* path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

phx_result phxi_make_folder(const char* path) {
    char part[4096];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof part) {
        return fail_path("make folder", path, length ? ENAMETOOLONG : ENOENT);
    }
    for (size_t end = 1; end <= length; ++end) {
        if (path[end] != '/' && path[end] != 0) {
            continue;
        }
        memcpy(part, path, end);
        part[end] = 0;
        if (is_folder(part)) {
            continue;
        }
        if (mkdir(part, 0777) != 0) {
            int error = errno;
            if (!is_folder(part)) { // it may just have been made by another process
                return fail_path("make folder", part, error);
            }
        }
    }
    return PHX_OK;
}

phx_result phxi_folder_lock(const char* path, int* lock) {
    *lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*lock < 0) {
        return errno == EACCES ? PHX_OK : fail_path("open folder", path, errno); // one may write without reading
    }
    if (flock(*lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        phxi_folder_unlock(*lock);
        *lock = -1;
        return phxi_fail(PHX_ERROR_IO, "cannot write into '%s': another run is writing there", path);
    }
    return PHX_OK;
}

void phxi_folder_unlock(int lock) {
    if (lock >= 0) {
        close(lock);
    }
}

char* phxi_path_join(phxi_heap* heap, const char* folder, const char* name) {
    if (!folder || !folder[0] || name[0] == '/') {
        return phxi_strdup(heap, name, "path");
    }
    size_t folder_size = strlen(folder), name_size = strlen(name) + 1;
    bool slash = folder[folder_size - 1] != '/';
    char* path = phxi_alloc(heap, folder_size + slash + name_size, 1, "path");
    if (path) {
        memcpy(path, folder, folder_size);
        path[folder_size] = '/';
        memcpy(path + folder_size + slash, name, name_size);
    }
    return path;
}

char* phxi_path_folder(phxi_heap* heap, const char* path) {
    const char* slash = strrchr(path, '/');
    if (!slash) {
        return phxi_strdup(heap, ".", "path");
    }
    size_t size = slash == path ? 1 : (size_t)(slash - path);
    char* folder = phxi_alloc(heap, size + 1, 1, "path");
    if (folder) {
        memcpy(folder, path, size);
        folder[size] = 0;
    }
    return folder;
}
