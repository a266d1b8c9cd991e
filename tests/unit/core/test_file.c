// SPDX-License-Identifier: MIT
#include "support/test.h"
#include "core/file.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static phxi_heap heap; // one per process

static int entries(const char* path) {
    DIR* folder = opendir(path);
    int count = 0;
    while (folder && readdir(folder)) {
        ++count;
    }
    if (folder) {
        closedir(folder);
    }
    return count - 2; // without . and ..
}

// A folder of this case alone.
static const char* own_folder(const char* name) {
    const char* folder = phxt_path(name);
    ENSURE_OK(phxi_make_folder(folder));
    return folder;
}

static void ensure_content(const char* path, const char* wanted) {
    size_t size = 0;
    char* bytes = phxt_read(path, &size);
    ENSURE(bytes && size == strlen(wanted) && memcmp(bytes, wanted, size) == 0);
    free(bytes);
}

TEST(reads_all_bytes_and_a_zero) {
    phxi_heap_init(&heap, NULL);
    static const size_t sizes[] = {0, 1, 4095, 4096, 4097, 100001};
    static char content[100001];
    for (size_t i = 0; i < sizeof content; ++i) {
        content[i] = (char)(i * 31);
    }
    for (int i = 0; i < 6; ++i) {
        const char* path = phxt_path("data");
        phxt_write(path, content, sizes[i]);
        char* bytes = NULL;
        size_t size = 99;
        REQUIRE_OK(phxi_file_read(&heap, path, 0, &bytes, &size));
        ENSURE(size == sizes[i] && memcmp(bytes, content, size) == 0 && bytes[size] == 0);
        phxi_free(&heap, bytes);
        if (sizes[i] > 0) {
            ENSURE_OK(phxi_file_read(&heap, path, sizes[i], &bytes, &size));
            phxi_free(&heap, bytes);
        }
        if (sizes[i] > 1) {
            ENSURE_RESULT(phxi_file_read(&heap, path, sizes[i] - 1, &bytes, &size), PHX_ERROR_IO);
            ENSURE_MESSAGE("larger than");
            ENSURE(bytes == NULL && size == 0);
        }
    }
    ENSURE(heap.live_bytes == 0);
    phxi_heap_destroy(&heap);
}

TEST(reads_what_has_no_size) {
    phxi_heap_init(&heap, NULL);
    char* bytes = NULL;
    size_t size = 0;
    if (access("/proc/self/status", R_OK) == 0) {
        ENSURE_OK(phxi_file_read(&heap, "/proc/self/status", 0, &bytes, &size));
        ENSURE(size > 10 && strlen(bytes) == size);
        phxi_free(&heap, bytes);
    }
    if (access("/dev/zero", R_OK) == 0) {
        ENSURE_RESULT(phxi_file_read(&heap, "/dev/zero", 100000, &bytes, &size), PHX_ERROR_IO);
        ENSURE_MESSAGE("larger than 100000 bytes");
    }
    ENSURE(heap.live_bytes == 0);
    phxi_heap_destroy(&heap);
}

TEST(read_errors_name_path_and_reason) {
    phxi_heap_init(&heap, NULL);
    char* bytes = NULL;
    size_t size = 0;
    ENSURE_RESULT(phxi_file_read(&heap, phxt_path("absent"), 0, &bytes, &size), PHX_ERROR_IO);
    ENSURE_MESSAGE("absent");
    ENSURE_MESSAGE("No such file");
    ENSURE_RESULT(phxi_file_read(&heap, phxt_scratch(), 0, &bytes, &size), PHX_ERROR_IO);
    ENSURE_MESSAGE("directory");
    ENSURE_RESULT(phxi_file_read(&heap, "", 0, &bytes, &size), PHX_ERROR_IO);
    ENSURE(!bytes && size == 0 && heap.live_bytes == 0);
    phxi_heap_destroy(&heap);
}

TEST(write_is_complete_or_not_at_all) {
    phxi_heap_init(&heap, NULL);
    const char *folder = own_folder("one"), *path = phxt_path("one/out.txt");
    phxt_write(path, "old", 3);
    phxi_file_writer writer;
    REQUIRE_OK(phxi_file_begin(&writer, &heap, path));
    fputs("new content", writer.stream);
    fflush(writer.stream);
    ensure_content(path, "old");
    ENSURE_OK(phxi_file_commit(&writer));
    ensure_content(path, "new content");
    phxi_file_abandon(&writer); // fine after a commit
    REQUIRE_OK(phxi_file_begin(&writer, &heap, path));
    fputs("never", writer.stream);
    phxi_file_abandon(&writer);
    phxi_file_abandon(&writer);
    ensure_content(path, "new content");
    ENSURE(entries(folder) == 1);
    ENSURE_RESULT(phxi_file_commit(&writer), PHX_ERROR_ARGUMENT);
    struct stat info;
    mode_t mask = umask(0);
    umask(mask);
    ENSURE(stat(path, &info) == 0 && (info.st_mode & 0777) == (0666 & ~mask)); // as any file of this user
    ENSURE(heap.live_bytes == 0);
    phxi_heap_destroy(&heap);
}

TEST(two_writers_of_one_file_do_not_mix) {
    phxi_heap_init(&heap, NULL);
    const char *folder = own_folder("two"), *path = phxt_path("two/out.txt");
    phxi_file_writer first, second;
    REQUIRE_OK(phxi_file_begin(&first, &heap, path));
    REQUIRE_OK(phxi_file_begin(&second, &heap, path));
    fputs("first", first.stream);
    fputs("second", second.stream);
    ENSURE_OK(phxi_file_commit(&first));
    ensure_content(path, "first");
    ENSURE_OK(phxi_file_commit(&second));
    ensure_content(path, "second");
    ENSURE(entries(folder) == 1);
    phxi_heap_destroy(&heap);
}

TEST(write_errors_name_path_and_reason) {
    phxi_heap_init(&heap, NULL);
    phxi_file_writer writer;
    ENSURE_RESULT(phxi_file_begin(&writer, &heap, phxt_path("no/such/folder/a")), PHX_ERROR_IO);
    ENSURE_MESSAGE("no/such/folder/a'");
    ENSURE_MESSAGE("No such file");
    ENSURE(!writer.stream);
    phxi_file_abandon(&writer);
    ENSURE_RESULT(phxi_file_begin(&writer, &heap, phxt_scratch()), PHX_ERROR_IO);
    ENSURE_MESSAGE("directory");
    // The place turns into a folder meanwhile: the rename fails, and nothing is left behind.
    const char *folder = own_folder("turned"), *path = phxt_path("turned/a");
    REQUIRE_OK(phxi_file_begin(&writer, &heap, path));
    fputs("lost", writer.stream);
    REQUIRE(mkdir(path, 0777) == 0);
    ENSURE_RESULT(phxi_file_commit(&writer), PHX_ERROR_IO);
    ENSURE_MESSAGE("/a'");
    ENSURE(entries(folder) == 1 && heap.live_bytes == 0);
    phxi_heap_destroy(&heap);
}

TEST(full_disk_is_reported) {
    if (access("/dev/full", W_OK) != 0) {
        return;
    }
    phxi_heap_init(&heap, NULL);
    for (int lines = 1; lines <= 100000; lines *= 100) { // less and more than the stream's buffer
        phxi_file_writer writer;
        REQUIRE_OK(phxi_file_begin(&writer, &heap, "/dev/full"));
        for (int i = 0; i < lines; ++i) {
            fputs("0123456789\n", writer.stream);
        }
        ENSURE_RESULT(phxi_file_commit(&writer), PHX_ERROR_IO);
        ENSURE_MESSAGE("/dev/full");
        ENSURE_MESSAGE("No space left");
    }
    struct stat info;
    ENSURE(stat("/dev/full", &info) == 0 && S_ISCHR(info.st_mode)); // written in place, not replaced
    phxi_heap_destroy(&heap);
}

TEST(folders_have_one_owner) {
    const char* folder = own_folder("locked");
    int first = -1, second = -1;
    REQUIRE_OK(phxi_folder_lock(folder, &first));
    ENSURE_RESULT(phxi_folder_lock(folder, &second), PHX_ERROR_IO);
    ENSURE_MESSAGE("another run is writing there");
    ENSURE(second == -1 && entries(folder) == 0);
    phxi_folder_unlock(first);
    ENSURE_OK(phxi_folder_lock(folder, &second));
    phxi_folder_unlock(second);
    phxi_folder_unlock(-1);
    ENSURE_RESULT(phxi_folder_lock(phxt_path("none"), &first), PHX_ERROR_IO);
}

TEST(makes_folders_with_parents) {
    phxi_heap_init(&heap, NULL);
    const char* path = phxt_path("a/b//c");
    ENSURE_OK(phxi_make_folder(path));
    ENSURE_OK(phxi_make_folder(path));
    ENSURE_OK(phxi_make_folder(phxt_path("a/b/d/")));
    ENSURE(access(phxt_path("a/b/c"), F_OK) == 0 && access(phxt_path("a/b/d"), F_OK) == 0);
    ENSURE_OK(phxi_make_folder("/"));
    ENSURE_OK(phxi_make_folder("."));
    phxt_write(phxt_path("file"), "x", 1);
    ENSURE_RESULT(phxi_make_folder(phxt_path("file")), PHX_ERROR_IO);
    ENSURE_RESULT(phxi_make_folder(phxt_path("file/below")), PHX_ERROR_IO);
    ENSURE_MESSAGE("file");
    ENSURE_RESULT(phxi_make_folder(""), PHX_ERROR_IO);
    static char longest[10000];
    memset(longest, 'x', sizeof longest - 1);
    ENSURE_RESULT(phxi_make_folder(longest), PHX_ERROR_IO);
    phxi_heap_destroy(&heap);
}

TEST(paths) {
    phxi_heap_init(&heap, NULL);
    static const char* const joins[][3] = {{"a", "b", "a/b"}, {"a/", "b", "a/b"}, {"a", "/b", "/b"}, {"", "b", "b"},
                                           {NULL, "b", "b"},  {"/", "b", "/b"},   {"a", "", "a/"}};
    for (int i = 0; i < 7; ++i) {
        char* path = phxi_path_join(&heap, joins[i][0], joins[i][1]);
        ENSURE(path && strcmp(path, joins[i][2]) == 0);
    }
    static const char* const folders[][2] = {{"a/b", "a"},       {"a", "."}, {"/a", "/"},
                                             {"/a/b/c", "/a/b"}, {"", "."},  {"a/", "a"}};
    for (int i = 0; i < 6; ++i) {
        char* folder = phxi_path_folder(&heap, folders[i][0]);
        ENSURE(folder && strcmp(folder, folders[i][1]) == 0);
    }
    phxi_heap_destroy(&heap);
}

TEST(survives_failing_allocation) {
    const char *folder = own_folder("poor"), *path = phxt_path("poor/data");
    static char content[10000];
    phxt_write(path, content, sizeof content);
    for (int n = 0; n < 4; ++n) {
        phxt_heap counting;
        phxt_heap_init(&counting, n);
        phxi_heap_init(&heap, &counting.allocator);
        char* bytes = NULL;
        size_t size;
        phx_result result = phxi_file_read(&heap, path, 0, &bytes, &size);
        ENSURE(result == (n < 1 ? PHX_ERROR_MEMORY : PHX_OK));
        phxi_free(&heap, bytes);
        counting.allocations = 0;
        phxi_file_writer writer;
        result = phxi_file_begin(&writer, &heap, phxt_path("poor/out"));
        ENSURE(result == (n < 2 ? PHX_ERROR_MEMORY : PHX_OK));
        phxi_file_abandon(&writer);
        ENSURE(entries(folder) == 1);
        counting.allocations = 0;
        ENSURE((phxi_path_join(&heap, "a", "b") == NULL) == (n < 1));
        ENSURE((phxi_path_folder(&heap, "a/b") == NULL) == (n < 2));
        phxi_heap_destroy(&heap);
        ENSURE(counting.live == 0);
    }
}
