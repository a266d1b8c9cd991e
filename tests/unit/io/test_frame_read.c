// SPDX-License-Identifier: MIT
// Frames from files: back as they were written, from lists and folders, and told what is wrong with bad ones.
#include "support/test.h"
#include "io/frame_read.h"
#include "unit/io/frame_fixture.h"
#include "unit/io/small_scene.h"

#include <sys/stat.h>

static phx_frame* read_one(const char* path) {
    phx_frames* frames = NULL;
    phx_frame* frame = NULL;
    if (phx_frames_open(path, &frames) == PHX_OK) {
        (void)phx_frames_read(frames, 0, &frame);
    }
    phx_frames_close(frames);
    return frame;
}

static void replace(char* bytes, size_t size, const char* from, const char* to) {
    size_t length = strlen(from);
    REQUIRE(length == strlen(to));
    for (size_t i = 0; i + length <= size; ++i) {
        if (memcmp(bytes + i, from, length) == 0) {
            memcpy(bytes + i, to, length);
            return;
        }
    }
    phxt_failed(__FILE__, __LINE__, "there is no '%s'", from);
}

TEST(back_as_written) {
    static const char* const names[] = {"a.vtp", "a.ply", "a.obj"};
    for (int kind = 0; kind < 2; ++kind) {
        phx_frame* frame = small_frame(kind == 1, 0.0125, NULL);
        REQUIRE(frame);
        for (int i = 0; i < 3; ++i) {
            const char* path = phxt_path(names[i]);
            REQUIRE_OK(phx_frame_write(frame, path));
            phx_frame* back = read_one(path);
            REQUIRE(back);
            ENSURE(same_frame(frame, back, i < 2, i != 1));
            ENSURE(i == 2 || phx_frame_field_at(back, 3));
            ENSURE(!phx_frame_field_at(back, i == 2 ? 1 : 4));
            ENSURE(i != 2 || kind == 0 || phx_frame_find(back, "normal"));
            phx_frame_destroy(back);
        }
        phx_frame_destroy(frame);
    }
}

TEST(frames_of_a_world) {
    phx_world* world = small_world(NULL);
    REQUIRE(world);
    REQUIRE_OK(phx_world_step(world, 0.02));
    REQUIRE_OK(phx_frame_save(world, phxt_path("a.vtp"), "velocity rest deformation"));
    REQUIRE_OK(phx_frame_save(world, phxt_path("a.ply"), "velocity rest deformation"));
    phx_frame *of_world = NULL, *vtp = read_one(phxt_path("a.vtp")), *ply = read_one(phxt_path("a.ply"));
    REQUIRE_OK(phx_frame_of_world(world, "body velocity rest deformation", &of_world));
    REQUIRE(vtp && ply);
    ENSURE(same_frame(of_world, vtp, true, true));
    ENSURE(same_frame(of_world, ply, true, sizeof(phx_real) == 4));
    const phx_frame_field* id = phx_frame_find(vtp, "id");
    REQUIRE(id);
    ENSURE(id->values[3] == (float)phx_world_particles(world).id[3]);
    phx_frame_destroy(of_world);
    phx_frame_destroy(vtp);
    phx_frame_destroy(ply);
    phx_world_destroy(world);
}

TEST(lists) {
    mkdir(phxt_path("frames"), 0777);
    for (int i = 0; i < 3; ++i) {
        char name[64];
        phx_frame* frame = small_frame(false, 0.5 * i, NULL);
        snprintf(name, sizeof name, "frames/frame_%05d.vtp", i);
        REQUIRE_OK(phx_frame_write(frame, phxt_path(name)));
        phx_frame_destroy(frame);
    }
    phx_frames* frames = NULL;
    // no list: the names in the folder and the times in the files
    for (int i = 0; i < 2; ++i) {
        REQUIRE_OK(phx_frames_open(i ? phxt_path("frames") : phxt_scratch(), &frames));
        ENSURE(phx_frames_count(frames) == 3 && phx_frames_time(frames, 2) == 1.0);
        ENSURE(strstr(phx_frames_path(frames, 1), "frames/frame_00001.vtp"));
        phx_frames_close(frames);
    }
    static const char list[] = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
                               "byte_order=\"LittleEndian\">\n<!-- ours -->\n<Collection>\n"
                               "<DataSet timestep=\"0.25\" part=\"0\" file=\"frames/frame_00002.vtp\"/>\n"
                               "<DataSet timestep=\"0.5\" part=\"0\" file=\"frames/frame_00007.vtp\"/>\n"
                               "</Collection>\n</VTKFile>\n";
    phxt_write(phxt_path("frames.pvd"), list, sizeof list - 1);
    for (int i = 0; i < 2; ++i) {
        REQUIRE_OK(phx_frames_open(i ? phxt_path("frames.pvd") : phxt_scratch(), &frames));
        ENSURE(phx_frames_count(frames) == 2 && phx_frames_time(frames, 0) == 0.25);
        phx_frame* frame = NULL;
        ENSURE_OK(phx_frames_read(frames, 0, &frame));
        phx_frame_destroy(frame);
        ENSURE_RESULT(phx_frames_read(frames, 1, &frame), PHX_ERROR_IO); // is not there: told when it is read
        ENSURE_MESSAGE("frame_00007.vtp");
        ENSURE_RESULT(phx_frames_read(frames, 2, &frame), PHX_ERROR_ARGUMENT);
        ENSURE(isnan(phx_frames_time(frames, 2)) && isnan(phx_frames_time(frames, -1)) && !phx_frames_path(frames, 2));
        phx_frames_close(frames);
    }
    for (size_t cut = 0; cut < sizeof list - 2; ++cut) {
        phxt_write(phxt_path("cut.pvd"), list, cut);
        ENSURE_RESULT(phx_frames_open(phxt_path("cut.pvd"), &frames), PHX_ERROR_FORMAT);
    }
    ENSURE_MESSAGE("cut.pvd:");
    phx_frames_close(NULL);
}

TEST(meshes_of_others) {
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    phxt_write(phxt_path("a.obj"), text, sizeof text - 1);
    phx_frame* frame = read_one(phxt_path("a.obj"));
    REQUIRE(frame);
    ENSURE(phx_frame_points(frame) == 3 && phx_frame_triangles(frame) == 1);
    phx_frame_destroy(frame);
}

TEST(nothing_to_open) {
    phx_frames* frames = NULL;
    ENSURE_RESULT(phx_frames_open(phxt_path("none"), &frames), PHX_ERROR_IO);
    ENSURE_MESSAGE("none");
    ENSURE_RESULT(phx_frames_open(phxt_scratch(), &frames), PHX_ERROR_IO);
    ENSURE_MESSAGE("neither frames.pvd nor");
    phxt_write(phxt_path("a.txt"), "x", 1);
    ENSURE_RESULT(phx_frames_open(phxt_path("a.txt"), &frames), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_frames_open(NULL, &frames), PHX_ERROR_ARGUMENT);
    ENSURE(phx_frames_count(NULL) == 0);
}

// Every cut is told; every spoilt byte is told or harmless.
TEST(cut_and_spoilt) {
    static const char* const names[] = {"a.vtp", "a.ply", "a.obj"};
    for (int kind = 0; kind < 2; ++kind) {
        phx_frame* frame = small_frame(kind == 1, 0.25, NULL);
        for (int i = 0; i < 3; ++i) {
            const char* path = phxt_path(names[i]);
            REQUIRE_OK(phx_frame_write(frame, path));
            size_t size = 0;
            char* bytes = phxt_read(path, &size);
            phxi_frame_parser* parse = phxi_frame_parser_for(path);
            phx_frame* back = NULL;
            for (size_t cut = 0; cut < size; ++cut) {
                // an OBJ file that ends with a line may be whole
                if (i == 2 && cut > 0 && bytes[cut - 1] == '\n') {
                    continue;
                }
                ENSURE_RESULT(parse(path, bytes, cut, NULL, &back), PHX_ERROR_FORMAT);
                ENSURE(!back);
            }
            for (size_t at = 0; at < size; ++at) {
                for (int change = 0; change < 3; ++change) {
                    char old = bytes[at];
                    bytes[at] = (char)(change == 0 ? old ^ 1 : change == 1 ? old ^ 0x80 : '<');
                    phx_result result = parse(path, bytes, size, NULL, &back);
                    ENSURE(result == PHX_ERROR_FORMAT || (result == PHX_OK && phx_frame_check(back) == PHX_OK));
                    phx_frame_destroy(back);
                    back = NULL;
                    bytes[at] = old;
                }
            }
            free(bytes);
        }
        phx_frame_destroy(frame);
    }
}

TEST(not_finite) {
    phx_frame* frame = small_frame(false, 0, NULL);
    const char* path = phxt_path("a.vtp");
    REQUIRE_OK(phx_frame_write(frame, path));
    size_t size = 0;
    char* bytes = phxt_read(path, &size);
    double corner = 0.2, bad = NAN;
    bool found = false;
    for (size_t i = 0; !found && i + 8 <= size; ++i) {
        if (memcmp(bytes + i, &corner, 8) == 0) {
            memcpy(bytes + i, &bad, 8);
            found = true;
        }
    }
    REQUIRE(found);
    phxt_write(path, bytes, size);
    phx_frames* frames = NULL;
    phx_frame* back = NULL;
    REQUIRE_OK(phx_frames_open(path, &frames));
    ENSURE_RESULT(phx_frames_read(frames, 0, &back), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("a.vtp");
    ENSURE_MESSAGE("point 3 is at (0.1, nan, 2)");
    phx_frames_close(frames);
    free(bytes);
    phx_frame_destroy(frame);
}

TEST(messages) {
    static const struct {
        const char *from, *to, *says;
    } cases[] = {
        {"PolyData\"", "PolyDato\"", ":2: type is \"PolyDato\", expected \"PolyData\""},
        {"Little", "Bigger", "byte_order"},
        {"raw", "row", "encoding is \"row\""},
        {"NumberOfPoints=\"4\"", "NumberOfPoints=\"5\"", "4 vertices for 5 points"},
        {"NumberOfPoints=\"4\"", "NumberOfPoints=\"x\"", "NumberOfPoints is \"x\""},
        {"Float32", "Float16", "an array of type \"Float16\""},
        {"Name=\"body\"", "Nome=\"body\"", "an array without a name"},
        {"offset=\"0\"", "offset=\"4\"", "is at offset 4, expected 0"},
        {"<Points>", "<Pointz>", "<Points> was expected"},
    };
    phx_frame* frame = small_frame(false, 0.25, NULL);
    const char* path = phxt_path("a.vtp");
    REQUIRE_OK(phx_frame_write(frame, path));
    phx_frame_destroy(frame);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        size_t size = 0;
        char* bytes = phxt_read(path, &size);
        replace(bytes, size, cases[i].from, cases[i].to);
        phx_frame* back = NULL;
        ENSURE_RESULT(phxi_frame_parse_vtp("a.vtp", bytes, size, NULL, &back), PHX_ERROR_FORMAT);
        ENSURE_MESSAGE(cases[i].says);
        free(bytes);
    }
}

TEST(no_memory) {
    static const char* const names[] = {"a.vtp", "a.ply", "a.obj"};
    phx_frame* frame = small_frame(true, 0, NULL);
    for (int i = 0; i < 3; ++i) {
        const char* path = phxt_path(names[i]);
        REQUIRE_OK(phx_frame_write(frame, path));
        size_t size = 0;
        char* bytes = phxt_read(path, &size);
        for (int64_t n = 0; n < 100; ++n) {
            phxt_heap heap;
            phxt_heap_init(&heap, n);
            phx_frame* back = NULL;
            phx_result result = phxi_frame_parser_for(path)(path, bytes, size, &heap.allocator, &back);
            if (result == PHX_OK) {
                phx_frame_destroy(back);
                ENSURE(heap.live == 0);
                break;
            }
            ENSURE(result == PHX_ERROR_MEMORY && !back && heap.live == 0 && n < 99);
        }
        free(bytes);
    }
    phx_frame_destroy(frame);
}

// A name that would end before it begins is a mistake of the file, not of the caller.
TEST(names_with_zeros_are_refused) {
    static const char text[] = "ply\nformat binary_little_endian 1.0\ncomment phyxel, SI units\ncomment time 0\n"
                               "element vertex 0\nproperty float x\nproperty float y\nproperty float z\n"
                               "property float \0S\nend_header\n";
    phx_frame* frame = NULL;
    ENSURE_RESULT(phxi_frame_parse_ply("zero.ply", text, sizeof text - 1, NULL, &frame), PHX_ERROR_FORMAT);
    ENSURE_MESSAGE("zero.ply:9");
    ENSURE(!frame);
}
