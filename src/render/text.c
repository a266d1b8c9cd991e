// SPDX-License-Identifier: MIT
// Letters as strokes on a grid 4 wide and 6 high (descenders to 8), drawn as smooth lines: readable at any size, no
// font file. A glyph is a list of polylines; each point is a digit pair "xy", y downwards; a blank lifts the pen.
#include "render/image.h"

#include <math.h>
#include <string.h>

static const char* const glyphs[95] = {
    "",                                      // space
    "2024 2526",                             // !
    "1011 3031",                             // "
    "1015 3035 0242 0444",                   // #
    "413010010213334445361605 2026",         // $ (a crossed S)
    "4006 0010110100 3545463635",            // %
    "46020110203205163643",                  // &
    "2021",                                  // '
    "30121436",                              // (
    "10323416",                              // )
    "2125 0343 1234 3214",                   // *
    "2125 0343",                             // +
    "252617",                                // ,
    "0343",                                  // -
    "2526",                                  // .
    "4006",                                  // /
    "103041453616050110 0541",               // 0
    "112026 1636",                           // 1
    "0110304142060646",                      // 2
    "01103041423324 2434454536160504",       // 3
    "3036 30044444",                         // 4
    "400002324345361605",                    // 5
    "403010010516364543330304",              // 6
    "00404126",                              // 7
    "10304142331302011013 1304051636454433", // 8
    "0616364541301001021343",                // 9
    "2122 2526",                             // :
    "2122 252617",                           // ;
    "400346",                                // <
    "0242 0444",                             // =
    "004306",                                // >
    "0110304142232324 2526",                 // ?
    "4636160501103041443424223242",          // @
    "062046 1434",                           // A
    "00063645443303 0030414233",             // B
    "4130100105163645",                      // C
    "000636454130 3000",                     // D
    "40000646 0333",                         // E
    "400006 0333",                           // F
    "413010010516364543 4323",               // G
    "0006 4046 0343",                        // H
    "1030 2026 1636",                        // I
    "4045361605",                            // J
    "0006 400346",                           // K
    "000646",                                // L
    "0600234046",                            // M
    "06004640",                              // N
    "103041453616050110",                    // O
    "0600304142330303",                      // P
    "103041453616050110 2446",               // Q
    "0600304142330303 2346",                 // R
    "413010010213334445361605",              // S
    "0040 2026",                             // T
    "000516364540",                          // U
    "002640",                                // V
    "0016233640",                            // W
    "0046 4006",                             // X
    "002340 2326",                           // Y
    "00400646",                              // Z
    "30101636",                              // [
    "0046",                                  // backslash
    "10303616",                              // ]
    "022042",                                // ^
    "0747",                                  // _
    "1021",                                  // `
    "123242464616050424 2444",               // a
    "0006 0312324345361605",                 // b
    "4332120305163645",                      // c
    "4046 4332120305163645",                 // d
    "04444332120305163645",                  // e
    "40302126 1232",                         // f
    "42473818 4332120305163645",             // g
    "0006 0312324346",                       // h
    "2021 2226",                             // i
    "3031 32371807",                         // j
    "0006 420446",                           // k
    "20252636",                              // l
    "0602 03121323 2326 2332424346",         // m
    "0602 0312324346",                       // n
    "123243453616050312",                    // o
    "0208 0312324345361605",                 // p
    "4248 4332120305163645",                 // q
    "0602 03123242",                         // r
    "43321203143445361605",                  // s
    "20253646 0242",                         // t
    "02051636454246",                        // u
    "022642",                                // v
    "0216243642",                            // w
    "0246 4206",                             // x
    "022542 2518",                           // y
    "02420646",                              // z
    "302122132425 2536",                     // {
    "2027",                                  // |
    "102122332425 2516",                     // }
    "04132433 3342",                         // ~
};

static double distance_to_segment(double x, double y, double ax, double ay, double bx, double by) {
    double dx = bx - ax, dy = by - ay, length = dx * dx + dy * dy;
    double t = length > 0 ? fmin(fmax(((x - ax) * dx + (y - ay) * dy) / length, 0), 1) : 0;
    return hypot(x - ax - t * dx, y - ay - t * dy);
}

static void draw_segment(phx_image* image, double ax, double ay, double bx, double by, double half,
                         const unsigned char color[3]) {
    int x0 = (int)floor(fmin(ax, bx) - half - 1), x1 = (int)ceil(fmax(ax, bx) + half + 1);
    int y0 = (int)floor(fmin(ay, by) - half - 1), y1 = (int)ceil(fmax(ay, by) + half + 1);
    for (int y = y0; y <= y1; ++y) {
        for (int x = x0; x <= x1; ++x) {
            double share = half + 0.5 - distance_to_segment(x + 0.5, y + 0.5, ax, ay, bx, by);
            if (share > 0) {
                phxi_image_blend(image, x, y, color, fmin(share, 1));
            }
        }
    }
}

static double advance_of(int height) {
    return 6.0 * height / 6;
}

int phxi_text_width(int height, const char* text) {
    return (int)ceil((double)strlen(text) * advance_of(height) * 0.95);
}

void phx_image_text(phx_image* image, int x, int y, int height, const char* text, const unsigned char color[3]) {
    if (!image || !text || !color || height < 1) {
        return;
    }
    double unit = height / 6.0, half = fmax(0.45, 0.075 * height), left = x;
    for (; *text; ++text, left += 0.95 * advance_of(height)) {
        int code = (unsigned char)*text - 32;
        const char* stroke = code >= 0 && code < 95 ? glyphs[code] : glyphs['?' - 32];
        double px = 0, py = 0;
        bool down = false;
        while (stroke[0]) {
            if (stroke[0] == ' ' || !stroke[1] || stroke[1] == ' ') {
                down = false;
                ++stroke;
                continue;
            }
            double qx = left + unit * (stroke[0] - '0'), qy = y + unit * (stroke[1] - '0');
            if (down) {
                draw_segment(image, px, py, qx, qy, half, color);
            }
            px = qx, py = qy, down = true;
            stroke += 2;
        }
    }
}
