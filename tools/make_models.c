// SPDX-License-Identifier: MIT
// Writes scenes/models/*.obj: our own models, each a shape expression and a spacing. Metres, z up, standing on z = 0.
//   make_models FOLDER
// Change a shape here, run it on scenes/models, and commit the files with the change: scenes and tests read those.
#include <phyxel/io.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TAU 6.283185307179586

/// The expression being written; a comma goes between what is added.
static char text[65536];
static size_t used;

__attribute__((format(printf, 1, 2))) static void add(const char* format, ...) {
    if (used > 0 && !strchr("(,", text[used - 1]) && format[0] != ')' && used + 1 < sizeof text) {
        text[used++] = ',';
        text[used] = 0;
    }
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text + used, sizeof text - used, format, arguments);
    va_end(arguments);
    used += length > 0 ? (size_t)length : 0;
    used = used < sizeof text ? used : sizeof text - 1;
}

/// What is within r of a shape: joining a shape with itself moves its surface out by a quarter of the radius.
static void add_rounded(double r, const char* shape) {
    add("smooth_union(%g,%s,%s)", 4 * r, shape, shape);
}

/// A plate of this outline, 2 r thick and more in the middle, its rim round.
static void add_blade(double x, double y, double z, double rx, double ry, double rz, double r) {
    char shape[160];
    snprintf(shape, sizeof shape, "ellipsoid((%g,%g,%g),(%g,%g,%g))", x, y, z, fmax(rx - r, 1e-3), fmax(ry - r, 1e-3),
             fmax(rz - r, 1e-3));
    add_rounded(r, shape);
}

// A sitting hare, looking along x.
static void hare(void) {
    add("difference(smooth_union(0.006,smooth_union(0.03");
    add("ellipsoid((-0.03,0,0.088),(0.085,0.058,0.074))"); // back
    add("ellipsoid((0.038,0,0.092),(0.048,0.044,0.064))"); // chest
    add("capsule((0.05,0,0.125),(0.078,0,0.172),0.03)");   // neck
    add("ellipsoid((0.094,0,0.192),(0.046,0.033,0.035))"); // head
    add("ellipsoid((0.128,0,0.181),(0.024,0.02,0.019))");  // nose
    for (int s = -1; s <= 1; s += 2) {
        add("ellipsoid((0.112,%g,0.18),(0.022,0.014,0.015))", s * 0.018); // cheeks
        add("ellipsoid((-0.035,%g,0.06),(0.058,0.026,0.052))", s * 0.05); // haunches
    }
    add(")");
    add("sphere((-0.122,0,0.088),0.026)"); // tail
    for (int s = -1; s <= 1; s += 2) {
        add("smooth_union(0.012,capsule((-0.03,%g,0.0145),(0.048,%g,0.0145),0.0145)", s * 0.056, s * 0.06);
        add("ellipsoid((-0.02,%g,0.026),(0.03,0.018,0.025)))", s * 0.056); // hind foot and heel
        add("smooth_union(0.012,capsule((0.06,%g,0.09),(0.078,%g,0.016),0.0125)", s * 0.028, s * 0.027);
        add("ellipsoid((0.088,%g,0.0125),(0.022,0.0135,0.0125)))", s * 0.027);                           // fore leg
        add("sphere((0.114,%g,0.203),0.0085)", s * 0.0285);                                              // eye
        add("move((0.066,%g,0.27),rotate((0,1,0),-17,rotate((1,0,0),%d,difference(", s * 0.029, s * -9); // ear
        add("ellipsoid((0,0,0),(0.0115,0.0195,0.072)),ellipsoid((0.0125,0,-0.004),(0.0085,0.0125,0.054))))))");
    }
    add("),box((0,0,-0.05),(1,1,0.1)))");
}

// A carp, swimming along x.
static void fish(void) {
    const double r = 0.0042; // of the fins' rims
    add("difference(smooth_union(0.006,smooth_union(0.035");
    add("ellipsoid((0.03,0,0.07),(0.1,0.034,0.05))");     // body
    add("ellipsoid((0.09,0,0.068),(0.056,0.029,0.038))"); // head
    add("cone((-0.02,0,0.072),(-0.118,0,0.078),0.034,0.012))");
    for (int s = -1; s <= 1; s += 2) {
        add("move((-0.145,0,%g),rotate((0,1,0),%d", 0.078 + s * 0.026, s * 38); // tail fin
        add_blade(0, 0, 0, 0.052, 0.0056, 0.019, r);
        add(")),move((0.06,%g,0.052),rotate((0,0,1),%d,rotate((1,0,0),%d", s * 0.03, s * -35, s * 35); // side fins
        add_blade(-0.026, 0, 0, 0.036, 0.0056, 0.016, r);
        add("))),move((-0.02,%g,0.028),rotate((1,0,0),%d,rotate((0,1,0),-50", s * 0.017, s * 25); // belly fins
        add_blade(0, 0, 0, 0.032, 0.0056, 0.014, r);
        add("))),sphere((0.117,%g,0.081),0.0085)", s * 0.0235); // eyes
    }
    add("move((0.0,0,0.112),rotate((0,1,0),6"); // back fin
    add_blade(0, 0, 0, 0.056, 0.0056, 0.026, r);
    add(")),move((-0.075,0,0.05),rotate((0,1,0),-30"); // anal fin
    add_blade(0, 0, 0, 0.032, 0.0056, 0.016, r);
    add(")))");
    add("move((0.147,0,0.056),rotate((0,1,0),14,ellipsoid((0,0,0),(0.022,0.034,0.0046)))))"); // mouth
}

// A pot with a curved stem and thin leaves.
static void plant(void) {
    const double turn[7] = {20, 150, 275, 60, 195, 310, 110};
    add("union(smooth_union(0.008");
    add_rounded(0.004, "cone((0,0,0.004),(0,0,0.07),0.038,0.051)");
    add("torus((0,0,0.073),(0,0,1),0.053,0.0075))");
    add("smooth_union(0.01,capsule((0,0,0.07),(0.008,0,0.15),0.0085)");
    add("capsule((0.008,0,0.15),(0.004,0.008,0.22),0.0075),capsule((0.004,0.008,0.22),(-0.008,0.006,0.29),0.0065)");
    for (int i = 0; i < 7; ++i) {
        double z = 0.12 + 0.026 * i, size = 1.15 - 0.08 * i, lift = 22 + 5 * i;
        // A leaf is a stalk and a blade in two halves, the outer one hanging.
        add("move((0.004,0.003,%g),rotate((0,0,1),%g,rotate((0,1,0),%g", z, turn[i], -lift);
        add("smooth_union(0.006,capsule((0,0,0),(%g,0,0),0.0052),smooth_union(0.008", 0.05 * size);
        add_blade(0.068 * size, 0, 0, 0.042 * size, 0.026 * size, 0.0046, 0.0036);
        add("move((%g,0,0),rotate((0,1,0),22", 0.085 * size);
        add_blade(0.014 * size, 0, 0, 0.044 * size, 0.0245 * size, 0.0046, 0.0036);
        add(")))))))");
    }
    add("ellipsoid((-0.009,0.006,0.3),(0.012,0.012,0.022))))");
}

/// A stroke of a letter in the plane y = 0.
static void stroke(double x0, double z0, double x1, double z1) {
    const double r = 0.0115;
    add("capsule((%g,0,%g),(%g,0,%g),%g)", x0, z0 + r, x1, z1 + r, r);
}

// The name in tubes, read from -y.
static void logo(void) {
    const double h = 0.08, w = 0.043, step = 0.077;
    double x = 0;
    add("union(");
    stroke(x, 0, x, h); // P
    add("intersection(torus((%g,0,%g),(0,1,0),%g,0.0115),plane((%g,0,0),(-1,0,0)))", x + 0.02, 0.0115 + h - 0.021,
        0.021, x + 0.02);
    stroke(x, h, x + 0.02, h), stroke(x, h - 0.042, x + 0.02, h - 0.042);
    x += step; // H
    stroke(x, 0, x, h), stroke(x + w, 0, x + w, h), stroke(x, 0.5 * h, x + w, 0.5 * h);
    x += step; // Y
    stroke(x + 0.5 * w, 0, x + 0.5 * w, 0.42 * h);
    stroke(x - 0.002, h, x + 0.5 * w, 0.42 * h), stroke(x + w + 0.002, h, x + 0.5 * w, 0.42 * h);
    x += step; // X
    stroke(x, 0, x + w, h), stroke(x, h, x + w, 0);
    x += step; // E
    stroke(x, 0, x, h), stroke(x, 0, x + w, 0), stroke(x, h, x + w, h), stroke(x, 0.5 * h, x + 0.85 * w, 0.5 * h);
    x += step; // L
    stroke(x, 0, x, h), stroke(x, 0, x + w, 0);
    x += step; // !
    add("cone((%g,0,0.036),(%g,0,0.092),0.0085,0.0135),sphere((%g,0,0.092),0.0135),sphere((%g,0,0.036),0.0085)", x, x,
        x, x);
    add("sphere((%g,0,0.0125),0.0125)", x);
    add(")");
}

static void chair(void) {
    add("smooth_union(0.008,box((0,0,0.23),(0.23,0.22,0.026),0.011)"); // seat
    for (int s = -1; s <= 1; s += 2) {
        add("cone((0.1,%g,0),(0.085,%g,0.23),0.0115,0.017)", s * 0.098, s * 0.085);   // front legs
        add("cone((-0.115,%g,0),(-0.09,%g,0.23),0.0115,0.017)", s * 0.098, s * 0.09); // back legs
        add("capsule((-0.09,%g,0.23),(-0.135,%g,0.46),0.0125)", s * 0.09, s * 0.1);   // posts
        add("capsule((0.094,%g,0.09),(-0.104,%g,0.09),0.01)", s * 0.093, s * 0.094);  // side rails
    }
    add("capsule((0,-0.094,0.09),(0,0.094,0.09),0.01)");
    for (int i = -1; i <= 1; ++i) {
        add("capsule((-0.098,%g,0.24),(-0.13,%g,0.42),0.0105)", i * 0.043, i * 0.048);
    }
    add("move((-0.133,0,0.443),rotate((0,1,0),-11,box((0,0,0),(0.023,0.235,0.062),0.0105)))");
    add(")");
}

/// A tapering, curved horn of balls joined by capsules.
static void horn(int side) {
    add("smooth_union(0.01");
    for (int i = 0; i < 7; ++i) {
        double a = 0.22 * i, b = 0.22 * (i + 1), r = 0.021 - 0.0022 * i;
        add("capsule((%.4f,%.4f,%.4f),(%.4f,%.4f,%.4f),%.4f)", 0.005 - 0.075 * (1 - cos(a)),
            side * (0.045 + 0.06 * sin(a)), 0.225 + 0.03 * i - 0.0012 * i * i, 0.005 - 0.075 * (1 - cos(b)),
            side * (0.045 + 0.06 * sin(b)), 0.225 + 0.03 * (i + 1) - 0.0012 * (i + 1) * (i + 1), r);
    }
    add(")");
}

// A horned head on a plinth, looking along x.
static void gargoyle(void) {
    add("smooth_union(0.005,difference(smooth_union(0.018");
    add("ellipsoid((0,0,0.175),(0.078,0.068,0.074))");    // skull
    add("ellipsoid((0.06,0,0.145),(0.055,0.042,0.036))"); // muzzle
    add("ellipsoid((0.05,0,0.104),(0.05,0.038,0.02))");   // jaw
    add("capsule((0,0,0.052),(-0.005,0,0.13),0.05)");
    add_rounded(0.005, "cone((0,0,0.005),(0,0,0.025),0.08,0.072)"); // plinth
    add("ellipsoid((0.112,0,0.158),(0.016,0.024,0.015))");          // nose
    for (int s = -1; s <= 1; s += 2) {
        add("move((0.062,%g,0.208),rotate((0,0,1),%d,rotate((1,0,0),%d,ellipsoid((0,0,0),(0.02,0.036,0.0125)))))",
            s * 0.03, s * 22, s * 24);                                   // brow
        add("ellipsoid((0.05,%g,0.155),(0.028,0.017,0.018))", s * 0.05); // cheek
        add("sphere((0.12,%g,0.15),0.0085)", s * 0.017);                 // nostril
    }
    add("capsule((-0.05,0,0.235),(-0.085,0,0.17),0.012),capsule((0.0,0,0.25),(-0.05,0,0.235),0.012)"); // crest
    add(")");
    add("move((0.09,0,0.122),rotate((0,1,0),6,box((0,0,0),(0.1,0.11,0.016),0.005)))"); // mouth
    for (int s = -1; s <= 1; s += 2) {
        add("sphere((0.083,%g,0.188),0.0165)", s * 0.031); // eye socket
    }
    add(")");
    for (int s = -1; s <= 1; s += 2) {
        add("sphere((0.072,%g,0.187),0.0135)", s * 0.031);
        add("cone((0.1,%g,0.13),(0.102,%g,0.105),0.0075,0.002),cone((0.085,%g,0.105),(0.085,%g,0.132),0.0075,0.002)",
            s * 0.02, s * 0.02, s * 0.028, s * 0.028); // fangs
        add("move((-0.005,%g,0.19),rotate((1,0,0),%d,rotate((0,0,1),%d,difference(", s * 0.068, s * -62,
            s * -15); // ear
        add_blade(0, 0, 0.03, 0.027, 0.0125, 0.055, 0.006);
        add("ellipsoid((0.008,%g,0.03),(0.014,0.009,0.036))))))", s * -0.0135);
        horn(s);
    }
    add(")");
}

// A pudding turned out of a fluted mould.
static void jelly(void) {
    const int flutes = 12;
    const double r = 0.006;
    char shape[160];
    add("smooth_union(0.01");
    add_rounded(r, "cone((0,0,0.006),(0,0,0.07),0.064,0.047)");
    for (int i = 0; i < flutes; ++i) {
        double c = cos(TAU * i / flutes), s = sin(TAU * i / flutes);
        snprintf(shape, sizeof shape, "cone((%.4f,%.4f,%g),(%.4f,%.4f,0.066),%g,%g)", 0.069 * c, 0.069 * s, r,
                 0.053 * c, 0.053 * s, 0.0165 - r, 0.0125 - r);
        add_rounded(r, shape);
    }
    add("torus((0,0,0.08),(0,0,1),0.034,0.0165))"); // the ring on top
}

// A stout little creature with a tail, arms held out, on two legs; looking along x.
static void figure(void) {
    add("difference(smooth_union(0.005,smooth_union(0.02");
    add("ellipsoid((0,0,0.135),(0.042,0.046,0.055))");        // trunk
    add("ellipsoid((0.012,0,0.115),(0.04,0.042,0.04))");      // belly
    add("ellipsoid((0.012,0,0.212),(0.034,0.032,0.033))");    // head
    add("ellipsoid((0.042,0,0.204),(0.024,0.018,0.015))");    // snout
    add("capsule((0,0,0.16),(0.008,0,0.2),0.022)");           // neck
    add("cone((-0.028,0,0.1),(-0.088,0,0.016),0.025,0.014)"); // tail
    for (int s = -1; s <= 1; s += 2) {
        add("capsule((0.002,%g,0.095),(0.012,%g,0.05),0.0225)", s * 0.029, s * 0.04);  // thigh
        add("capsule((0.012,%g,0.05),(-0.002,%g,0.016),0.0175)", s * 0.04, s * 0.043); // shank
        add("ellipsoid((0.02,%g,0.012),(0.052,0.023,0.0125))", s * 0.048);             // foot
        add("capsule((0.002,%g,0.162),(0.02,%g,0.135),0.0155)", s * 0.042, s * 0.076); // upper arm
        add("capsule((0.02,%g,0.135),(0.055,%g,0.142),0.0125)", s * 0.076, s * 0.083); // lower arm
    }
    add(")");
    for (int s = -1; s <= 1; s += 2) {
        add("sphere((0.064,%g,0.145),0.0145)", s * 0.084);                  // hand
        add("move((0.004,%g,0.238),rotate((1,0,0),%d", s * 0.022, s * -30); // ear
        add("ellipsoid((0,0,0.008),(0.0085,0.0125,0.022))))");
        add("sphere((0.036,%g,0.222),0.008)", s * 0.0145); // eye
        for (int toe = -1; toe <= 1; ++toe) {
            add("sphere((%g,%g,0.0085),0.0085)", 0.068 - 0.004 * toe * toe, s * 0.046 + 0.0125 * toe);
        }
    }
    for (int k = 0; k < 5; ++k) { // plates along the back
        double a = 0.95 + 0.33 * k;
        add("ellipsoid((%g,0,%g),(0.0095,0.007,0.0125))", -0.044 * sin(a), 0.135 + 0.057 * cos(a));
    }
    add(")");
    add("move((0.056,0,0.197),rotate((0,1,0),8,ellipsoid((0,0,0),(0.02,0.022,0.0028)))))"); // mouth
}

typedef struct model {
    const char* name;
    void (*shape)(void);
    double spacing;
} model;

static const model models[] = {
    {"hare", hare, 0.0074},   {"fish", fish, 0.0053},         {"plant", plant, 0.0058}, {"logo", logo, 0.0056},
    {"chair", chair, 0.0088}, {"gargoyle", gargoyle, 0.0076}, {"jelly", jelly, 0.0048}, {"figure", figure, 0.0042},
};

/// A hundredth of a millimetre, without needless zeros.
static void write_number(FILE* file, double value) {
    char digits[32];
    snprintf(digits, sizeof digits, "%.5f", value);
    size_t length = strlen(digits);
    while (digits[length - 1] == '0') {
        digits[--length] = 0;
    }
    if (digits[length - 1] == '.') {
        digits[--length] = 0;
    }
    fprintf(file, " %s", strcmp(digits, "-0") == 0 ? "0" : digits);
}

static bool write_obj(const phx_mesh* mesh, const char* name, const char* path) {
    FILE* file = fopen(path, "w");
    if (!file) {
        return false;
    }
    const double* p = phx_mesh_positions(mesh);
    const int* t = phx_mesh_triangles(mesh);
    double floor = INFINITY;
    for (int v = 0; v < phx_mesh_vertex_count(mesh); ++v) {
        floor = fmin(floor, p[3 * v + 2]);
    }
    fprintf(file, "# phyxel model: %s (tools/make_models.c), metres, z up\n", name);
    for (int v = 0; v < phx_mesh_vertex_count(mesh); ++v) {
        fputs("v", file);
        write_number(file, p[3 * v]);
        write_number(file, p[3 * v + 1]);
        write_number(file, p[3 * v + 2] - floor);
        fputc('\n', file);
    }
    for (int i = 0; i < phx_mesh_triangle_count(mesh); ++i) {
        fprintf(file, "f %d %d %d\n", t[3 * i] + 1, t[3 * i + 1] + 1, t[3 * i + 2] + 1);
    }
    return fclose(file) == 0;
}

/// Points one `APART` apart for sampling: points, and their faces.
#define APART 0.02
enum { MOST = 1024 };
static double points[MOST][3];
static int faces[2 * MOST][3], point_count, face_count;

static void add_point(double x, double y, double z) {
    points[point_count][0] = x, points[point_count][1] = y, points[point_count++][2] = z;
}

static void add_face(int a, int b, int c) {
    faces[face_count][0] = a, faces[face_count][1] = b, faces[face_count++][2] = c;
}

/// A line that is closed: faces of three points that follow each other.
static void hoop(void) {
    enum { COUNT = 60 };
    double radius = APART / (2 * sin(TAU / 2 / COUNT));
    for (int k = 0; k < COUNT; ++k) {
        add_point(radius * sin(TAU * k / COUNT), 0, -radius * cos(TAU * k / COUNT));
        add_face(k, (k + 1) % COUNT, (k + 2) % COUNT);
    }
}

/// Half a cylinder.
static void vault(void) {
    enum { ALONG = 33, ACROSS = 17 };
    double step = TAU / 2 / (ALONG - 1), radius = APART / (2 * sin(step / 2));
    for (int k = 0; k < ALONG * ACROSS; ++k) {
        double angle = step * (k / ACROSS);
        add_point(-radius * cos(angle), APART * (k % ACROSS - (ACROSS - 1) / 2), radius * sin(angle));
        if (k / ACROSS + 1 < ALONG && k % ACROSS + 1 < ACROSS) {
            add_face(k, k + ACROSS, k + ACROSS + 1);
            add_face(k, k + ACROSS + 1, k + 1);
        }
    }
}

/// A coil spring of seven turns, which climb by 10 degrees.
static void spring(void) {
    enum { TURN = 24, COUNT = 7 * TURN + 1 };
    double step = TAU / TURN, climb = 0.176327 * step; // per radius
    double radius = APART / sqrt(4 * sin(step / 2) * sin(step / 2) + climb * climb);
    for (int k = 0; k < COUNT; ++k) {
        add_point(radius * cos(step * k), radius * sin(step * k), radius * climb * k);
        if (k + 2 < COUNT) {
            add_face(k, k + 1, k + 2);
        }
    }
}

static bool write_layers(const char* folder) {
    static const struct {
        const char* name;
        void (*make)(void);
    } layers[] = {{"hoop", hoop}, {"vault", vault}, {"spring", spring}};
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; ++i) {
        char path[1024];
        phx_mesh* mesh = NULL;
        point_count = face_count = 0;
        layers[i].make();
        snprintf(path, sizeof path, "%s/%s.obj", folder, layers[i].name);
        bool good = phx_mesh_create(point_count, points[0], face_count, faces[0], &mesh) == PHX_OK &&
                    write_obj(mesh, layers[i].name, path);
        printf("%-9s %6d points\n", layers[i].name, point_count);
        phx_mesh_destroy(mesh);
        if (!good) {
            fprintf(stderr, "%s: cannot be written\n", path);
            return false;
        }
    }
    return true;
}

int main(int count, char** arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: make_models FOLDER\n");
        return 2;
    }
    for (size_t i = 0; i < sizeof models / sizeof models[0]; ++i) {
        char path[1024];
        phx_mesh* mesh = NULL;
        used = 0;
        models[i].shape();
        if (phx_mesh_from_shape(text, models[i].spacing, &mesh) != PHX_OK) {
            fprintf(stderr, "%s: %s\n", models[i].name, phx_error_message());
            return 1;
        }
        snprintf(path, sizeof path, "%s/%s.obj", arguments[1], models[i].name);
        bool good = write_obj(mesh, models[i].name, path);
        printf("%-9s %6d triangles, %d open edges, %.4g m^3\n", models[i].name, phx_mesh_triangle_count(mesh),
               phx_mesh_open_edges(mesh), phx_mesh_volume(mesh));
        phx_mesh_destroy(mesh);
        if (!good) {
            fprintf(stderr, "%s: cannot be written\n", path);
            return 1;
        }
    }
    return write_layers(arguments[1]) ? 0 : 1;
}
