// SPDX-License-Identifier: MIT
// Frames: read back by a strict reader of our own, by VTK where there is one, and line by line for PLY and OBJ.
#include "support/test.h"
#include "unit/io/small_scene.h"

#include <sys/resource.h>
#include <signal.h>
#include <unistd.h>

// One array of a .vtp, as its XML describes it and its data stands.
typedef struct vtp_array {
    char type[16], name[64];
    int components;
    unsigned long long offset;
    const char* data;
} vtp_array;

typedef struct vtp_file {
    char* bytes;
    int points;
    int count;
    vtp_array arrays[16];
} vtp_file;

static size_t type_size(const char* type) {
    return strcmp(type, "UInt64") == 0 || strcmp(type, "Float64") == 0 ? 8 : 4;
}

// Everything must be where it is said to be, and nothing else be there.
static bool vtp_read(vtp_file* f, const char* path) {
    size_t size = 0;
    *f = (vtp_file){.bytes = phxt_read(path, &size)};
    const char* begin = f->bytes ? strstr(f->bytes, "<AppendedData encoding=\"raw\">\n_") : NULL;
    const char* piece = f->bytes ? strstr(f->bytes, "<Piece ") : NULL;
    int verts = -1;
    if (!begin || !piece || !strstr(f->bytes, "byte_order=\"LittleEndian\" header_type=\"UInt64\"") ||
        sscanf(piece, "<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"%d\"", &f->points, &verts) != 2 ||
        verts != f->points) {
        return false;
    }
    begin = strchr(begin, '_') + 1;
    unsigned long long expected = 0;
    for (const char* at = piece; (at = strstr(at, "<DataArray ")) && at < begin; ++at) {
        vtp_array* a = &f->arrays[f->count++];
        if (sscanf(at,
                   "<DataArray type=\"%15[^\"]\" Name=\"%63[^\"]\" NumberOfComponents=\"%d\" format=\"appended\" "
                   "offset=\"%llu\"/>",
                   a->type, a->name, &a->components, &a->offset) != 4 ||
            a->offset != expected) {
            return false;
        }
        uint64_t bytes = 0;
        memcpy(&bytes, begin + a->offset, sizeof bytes);
        if (bytes != type_size(a->type) * (uint64_t)a->components * (uint64_t)f->points) {
            return false;
        }
        a->data = begin + a->offset + 8;
        expected += 8 + bytes;
    }
    static const char end[] = "\n</AppendedData>\n</VTKFile>\n";
    return (size_t)(begin - f->bytes) + expected + sizeof end - 1 == size && strcmp(begin + expected, end) == 0;
}

static const vtp_array* vtp_find(const vtp_file* f, const char* name) {
    for (int i = 0; i < f->count; ++i) {
        if (strcmp(f->arrays[i].name, name) == 0) {
            return &f->arrays[i];
        }
    }
    return NULL;
}

TEST(vtp_is_read_back) {
    phx_world* world = small_world(NULL);
    REQUIRE(world);
    REQUIRE_OK(phx_world_step(world, 0.02));
    const char* path = phxt_path("a.vtp");
    REQUIRE_OK(phx_frame_save(world, path, "velocity speed rest"));
    vtp_file f;
    REQUIRE(vtp_read(&f, path));
    phx_particle_view view = phx_world_particles(world);
    ENSURE(f.points == view.count && f.count == 8);
    const vtp_array *points = vtp_find(&f, "Points"), *id = vtp_find(&f, "id"), *velocity = vtp_find(&f, "velocity");
    const vtp_array *connectivity = vtp_find(&f, "connectivity"), *offsets = vtp_find(&f, "offsets");
    REQUIRE(points && id && velocity && connectivity && offsets && vtp_find(&f, "body") && vtp_find(&f, "rest"));
    ENSURE(strcmp(points->type, sizeof(phx_real) == 8 ? "Float64" : "Float32") == 0 && strcmp(id->type, "UInt64") == 0);
    for (int i = 0; i < view.count; ++i) {
        phx_real p[3], v[3];
        uint64_t number;
        int32_t cell, end;
        memcpy(p, points->data + (size_t)i * sizeof p, sizeof p);
        memcpy(v, velocity->data + (size_t)i * sizeof v, sizeof v);
        memcpy(&number, id->data + (size_t)i * 8, 8);
        memcpy(&cell, connectivity->data + (size_t)i * 4, 4);
        memcpy(&end, offsets->data + (size_t)i * 4, 4);
        ENSURE(p[0] == view.x[i] && p[1] == view.y[i] && p[2] == view.z[i] && v[2] == view.vz[i]);
        ENSURE(number == view.id[i] && cell == i && end == i + 1);
    }
    free(f.bytes);
    phx_world_destroy(world);
}

TEST(vtp_is_read_by_vtk) {
    if (system("/usr/bin/python3 -c 'import vtk' >/dev/null 2>&1") != 0) {
        printf("skipped: no VTK for /usr/bin/python3\n");
        return;
    }
    phx_world* world = small_world(NULL);
    REQUIRE(world);
    REQUIRE_OK(phx_frame_save(world, phxt_path("a.vtp"), "velocity speed det_f"));
    static const char script[] =
        "import sys, vtk\n"
        "reader = vtk.vtkXMLPolyDataReader()\n"
        "reader.SetFileName(sys.argv[1])\n"
        "reader.Update()\n"
        "data = reader.GetOutput()\n"
        "count = int(sys.argv[2])\n"
        "assert reader.GetErrorCode() == 0\n"
        "assert data.GetNumberOfPoints() == count and data.GetNumberOfVerts() == count\n"
        "names = [data.GetPointData().GetArrayName(i) for i in range(data.GetPointData().GetNumberOfArrays())]\n"
        "assert names == ['id', 'body', 'velocity', 'speed', 'det_f'], names\n"
        "ids = data.GetPointData().GetArray('id')\n"
        "assert len(set(ids.GetValue(i) for i in range(count))) == count\n"
        "x, y, z = data.GetPoint(count - 1)\n"
        "assert abs(x - float(sys.argv[3])) < 1e-6 and abs(z - float(sys.argv[4])) < 1e-6\n"
        "assert data.GetFieldData().GetArray('TimeValue').GetValue(0) == 0\n";
    phxt_write(phxt_path("read.py"), script, sizeof script - 1);
    phx_particle_view view = phx_world_particles(world);
    int last = view.count - 1;
    char command[8192];
    snprintf(command, sizeof command, "ASAN_OPTIONS= LD_PRELOAD= /usr/bin/python3 '%s' '%s' %d %.9g %.9g",
             phxt_path("read.py"), phxt_path("a.vtp"), view.count, (double)view.x[last], (double)view.z[last]);
    ENSURE(system(command) == 0);
    phx_world_destroy(world);
}

TEST(ply_is_read_back) {
    phx_world* world = small_world(NULL);
    REQUIRE(world);
    REQUIRE_OK(phx_frame_save(world, phxt_path("a.ply"), "velocity speed"));
    size_t size = 0;
    char* bytes = phxt_read(phxt_path("a.ply"), &size);
    REQUIRE(bytes);
    int count = 0;
    const char* element = strstr(bytes, "element vertex ");
    REQUIRE(element && sscanf(element, "element vertex %d", &count) == 1);
    phx_particle_view view = phx_world_particles(world);
    ENSURE(count == view.count);
    ENSURE(strstr(bytes, "property float z\nproperty int body\nproperty float velocity_x\nproperty float velocity_y\n"
                         "property float velocity_z\nproperty float speed\nend_header\n"));
    const char* data = strstr(bytes, "end_header\n") + 11;
    ENSURE((size_t)(data - bytes) + (size_t)count * 8 * 4 == size);
    for (int i = 0; i < count; ++i) {
        float numbers[8];
        memcpy(numbers, data + (size_t)i * sizeof numbers, sizeof numbers);
        ENSURE(numbers[0] == (float)view.x[i] && numbers[2] == (float)view.z[i] && numbers[5] == (float)view.vy[i]);
    }
    free(bytes);
    // as a mesh reader sees it: vertices and no triangle
    phx_world_destroy(world);
}

TEST(obj_is_read_back) {
    phx_world* world = small_world(NULL);
    REQUIRE(world);
    REQUIRE_OK(phx_frame_save(world, phxt_path("a.obj"), NULL));
    char* bytes = phxt_read(phxt_path("a.obj"), NULL);
    REQUIRE(bytes);
    phx_particle_view view = phx_world_particles(world);
    int i = 0;
    char* rest = NULL;
    for (char* line = strtok_r(bytes, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        double x, y, z;
        if (sscanf(line, "v %lf %lf %lf", &x, &y, &z) == 3) {
            ENSURE((phx_real)x == view.x[i] && (phx_real)y == view.y[i] && (phx_real)z == view.z[i]);
            ++i;
        }
    }
    ENSURE(i == view.count);
    free(bytes);
    phx_world_destroy(world);
}

TEST(mistakes) {
    phx_world* world = small_world(NULL);
    REQUIRE(world);
    ENSURE_RESULT(phx_frame_save(world, phxt_path("a.xyz"), NULL), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("expected .vtp, .ply or .obj");
    ENSURE_RESULT(phx_frame_save(world, phxt_path("a.vtp"), "velocity spede"), PHX_ERROR_ARGUMENT);
    ENSURE_MESSAGE("unknown field 'spede', did you mean 'speed'?");
    ENSURE_RESULT(phx_frame_save(world, phxt_path("no/folder/a.vtp"), NULL), PHX_ERROR_IO);
    ENSURE_RESULT(phx_frame_save(NULL, "a.vtp", NULL), PHX_ERROR_ARGUMENT);
    char many[1000] = "";
    for (int i = 0; i < 40; ++i) {
        strcat(many, "speed ");
    }
    ENSURE_RESULT(phx_frame_save(world, phxt_path("a.vtp"), many), PHX_ERROR_ARGUMENT);
    // an empty world can be saved
    phx_world_destroy(world);
    phx_world_def def = phx_world_def_default();
    REQUIRE_OK(phx_world_create(&def, &world));
    REQUIRE_OK(phx_frame_save(world, phxt_path("none.vtp"), NULL));
    vtp_file f;
    ENSURE(vtp_read(&f, phxt_path("none.vtp")) && f.points == 0);
    free(f.bytes);
    ENSURE_OK(phx_frame_save(world, phxt_path("none.ply"), NULL));
    ENSURE_OK(phx_frame_save(world, phxt_path("none.obj"), NULL));
    phx_world_destroy(world);
}

TEST(full_disk_keeps_the_old_frame) {
    phx_world* world = small_world(NULL);
    REQUIRE(world);
    static const char* const names[] = {"a.vtp", "a.ply", "a.obj"};
    for (int i = 0; i < 3; ++i) {
        phxt_write(phxt_path(names[i]), "old", 3);
        signal(SIGXFSZ, SIG_IGN);
        struct rlimit before, small;
        getrlimit(RLIMIT_FSIZE, &before);
        small = before;
        small.rlim_cur = 512;
        setrlimit(RLIMIT_FSIZE, &small);
        ENSURE_RESULT(phx_frame_save(world, phxt_path(names[i]), NULL), PHX_ERROR_IO);
        setrlimit(RLIMIT_FSIZE, &before);
        ENSURE_MESSAGE(names[i]);
        ENSURE_MESSAGE("File too large");
        char* bytes = phxt_read(phxt_path(names[i]), NULL);
        ENSURE(bytes && strcmp(bytes, "old") == 0);
        free(bytes);
    }
    phx_world_destroy(world);
}

TEST(full_disk_stops_samples_and_meshes) {
    phx_body_def def = phx_body_def_default();
    def.shape = "box(size=(1, 1, 1))";
    def.spacing = 0.1;
    phx_mesh* mesh = NULL;
    REQUIRE_OK(phx_mesh_from_shape("sphere(radius=1)", 0.2, &mesh));
    static const char* const names[] = {"s.csv", "s.ply", "s.vtp", "m.obj", "m.ply", "m.stl"};
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit before, small;
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 512;
    setrlimit(RLIMIT_FSIZE, &small);
    for (int i = 0; i < 6; ++i) {
        const char* path = phxt_path(names[i]);
        ENSURE_RESULT(i < 3 ? phx_sample(&def, path, NULL) : phx_mesh_save(mesh, path), PHX_ERROR_IO);
        ENSURE_MESSAGE(names[i]);
        ENSURE_MESSAGE("File too large");
        ENSURE(access(path, F_OK) != 0);
    }
    setrlimit(RLIMIT_FSIZE, &before);
    phx_mesh_destroy(mesh);
}

TEST(samples) {
    phx_body_def def = phx_body_def_default();
    def.shape = "box(size=(1, 1, 1))";
    def.spacing = 0.25;
    phx_sample_report report;
    REQUIRE_OK(phx_sample(&def, NULL, &report));
    ENSURE(report.count == 64);
    ENSURE_NEAR(report.volume, 1, 1e-6);
    REQUIRE_OK(phx_sample(&def, phxt_path("s.csv"), &report));
    char* bytes = phxt_read(phxt_path("s.csv"), NULL);
    REQUIRE(bytes);
    double sum = 0, x, y, z, volume;
    int lines = 0;
    char* rest = NULL;
    for (char* line = strtok_r(bytes, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest), ++lines) {
        if (lines == 0) {
            ENSURE(strcmp(line, "x[m],y[m],z[m],volume[m^3],spacing[m]") == 0);
        } else {
            REQUIRE(sscanf(line, "%lf,%lf,%lf,%lf", &x, &y, &z, &volume) == 4);
            sum += volume;
        }
    }
    ENSURE(lines == 65);
    ENSURE_NEAR(sum, 1, 1e-12);
    free(bytes);
    REQUIRE_OK(phx_sample(&def, phxt_path("s.vtp"), &report));
    vtp_file f;
    ENSURE(vtp_read(&f, phxt_path("s.vtp")) && f.points == 64 && vtp_find(&f, "volume"));
    free(f.bytes);
    ENSURE_OK(phx_sample(&def, phxt_path("s.ply"), &report));
    ENSURE_RESULT(phx_sample(&def, phxt_path("s.txt"), &report), PHX_ERROR_ARGUMENT);
    ENSURE_RESULT(phx_sample(&def, phxt_path("no/folder/s.csv"), &report), PHX_ERROR_IO);
    def.stamp = 0;
    ENSURE_RESULT(phx_sample(&def, NULL, &report), PHX_ERROR_ARGUMENT);
    def = phx_body_def_default();
    ENSURE(phx_sample(&def, NULL, &report) != PHX_OK); // neither mesh nor shape
}

TEST(tables) {
    static const char* const wanted[] = {"world", "material", "body", "collider", "driver",
                                         "probe", "efg",      "run",  "scene"};
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; ++k) {
        bool found = false;
        for (int i = 0; phx_param_table_at(i); ++i) {
            found |= strcmp(phx_param_table_at(i)->name, wanted[k]) == 0;
        }
        if (!found) {
            phxt_failed(__FILE__, __LINE__, "no table '%s'", wanted[k]);
        }
    }
    ENSURE(!phx_param_table_at(-1) && !phx_param_table_at(10000));
    // every table is sound: names, help, defaults that pass their own check
    for (int i = 0; phx_param_table_at(i); ++i) {
        const phx_param_table* table = phx_param_table_at(i);
        ENSURE(table->summary[0] && table->count > 0 && table->size > 0);
        for (int k = 0; k < table->count; ++k) {
            ENSURE(table->params[k].name[0] && table->params[k].help[0] && table->params[k].offset < table->size);
        }
    }
}
