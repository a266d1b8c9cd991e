// SPDX-License-Identifier: MIT
// The picture of `phyxel bench efg.scaling --plot FILE.svg`: time of a substep against particles (both axes
// logarithmic) and against neighbours, each with the straight line fitted to it. Written as SVG by hand.
#include "bench_plot.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { WIDTH = 420, HEIGHT = 320, LEFT = 64, RIGHT = 16, TOP = 36, BOTTOM = 46 };

typedef struct panel {
    FILE* out;
    double shift; // of the left edge
    bool log;     // both axes
    double low[2], high[2];
} panel;

void bench_plot_add(bench_plot* plot, const phx_bench_line* line) {
    if (plot->count < BENCH_PLOT_POINTS && !line->unit && strcmp(line->section, "efg.scaling") == 0) {
        snprintf(plot->points[plot->count].name, sizeof plot->points[0].name, "%s", line->name);
        plot->points[plot->count].particles = line->particles;
        plot->points[plot->count].neighbors = (double)line->pairs / line->particles;
        plot->points[plot->count++].nanoseconds = line->ns_per_particle;
    }
}

// Of a point on axis 0 or 1.
static double at(const panel* p, int axis, double value) {
    double low = p->low[axis], high = p->high[axis];
    if (p->log) {
        low = log10(low), high = log10(high), value = log10(value);
    }
    double t = (value - low) / (high - low);
    return axis == 0 ? p->shift + LEFT + t * (WIDTH - LEFT - RIGHT) : HEIGHT - BOTTOM - t * (HEIGHT - TOP - BOTTOM);
}

static void text(const panel* p, double x, double y, const char* anchor, const char* words) {
    fprintf(p->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, words);
}

static void axes(const panel* p, const char* title, const char* x, const char* y) {
    double left = p->shift + LEFT, right = p->shift + WIDTH - RIGHT;
    fprintf(p->out, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"none\" stroke=\"#888\"/>\n", left,
            TOP, right - left, HEIGHT - TOP - BOTTOM);
    text(p, (left + right) / 2, 14, "middle", title);
    text(p, (left + right) / 2, HEIGHT - 8, "middle", x);
    text(p, left, TOP - 4, "start", y);
    for (int axis = 0; axis < 2; ++axis) {
        double step = p->log ? 10 : (p->high[axis] - p->low[axis]) / 5;
        for (double v = p->low[axis]; v <= p->high[axis] * 1.0001; v = p->log ? v * step : v + step) {
            char words[32];
            snprintf(words, sizeof words, "%.3g", v);
            double place = at(p, axis, v);
            text(p, axis == 0 ? place : left - 6, axis == 0 ? HEIGHT - BOTTOM + 16 : place + 4,
                 axis == 0 ? "middle" : "end", words);
        }
    }
}

static bool belongs(const bench_plot* plot, int k, const char* name) {
    return strcmp(plot->points[k].name, name) == 0;
}

static double value(const bench_plot* plot, int k, int axis, bool by_neighbors) {
    double n = by_neighbors ? plot->points[k].neighbors : plot->points[k].particles;
    return axis == 0 ? n : plot->points[k].nanoseconds * (by_neighbors ? 1 : plot->points[k].particles * 1e-6);
}

// Dots of one series and the line fitted to them: t = a n for particles, t = a n + b for neighbours.
static void series(const panel* p, const bench_plot* plot, const char* name, bool by_neighbors, const char* color,
                   int row) {
    double n = 0, mx = 0, my = 0, xx = 0, xy = 0, yy = 0;
    for (int k = 0; k < plot->count; ++k) {
        if (belongs(plot, k, name)) {
            double x = value(plot, k, 0, by_neighbors), y = value(plot, k, 1, by_neighbors);
            n += 1, mx += x, my += y, xx += x * x, xy += x * y, yy += y * y;
            fprintf(p->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>\n", at(p, 0, x), at(p, 1, y),
                    color);
        }
    }
    double all = yy - my * my / n, slope = by_neighbors ? (xy - mx * my / n) / (xx - mx * mx / n) : xy / xx;
    double base = by_neighbors ? (my - slope * mx) / n : 0;
    double rest = yy + slope * slope * xx + n * base * base - 2 * (slope * xy + base * my - slope * base * mx);
    char words[128];
    snprintf(words, sizeof words, "%s: %.3g %s, R&#178; = %.4f", name, slope * (by_neighbors ? 1 : 1e6),
             by_neighbors ? "ns a neighbour" : "ns a particle", 1 - rest / all);
    fprintf(p->out, "<text x=\"%.1f\" y=\"%d\" fill=\"%s\">%s</text>\n", p->shift + LEFT + 10, TOP + 16 * (row + 1),
            color, words);
    double from = fmax(p->low[0], by_neighbors ? 0 : p->low[1] / slope);
    double to = fmin(p->high[0], (p->high[1] - base) / slope);
    fprintf(p->out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", at(p, 0, from),
            at(p, 1, base + slope * from), at(p, 0, to), at(p, 1, base + slope * to), color);
}

static void bounds(panel* p, const bench_plot* plot, bool by_neighbors) {
    p->high[0] = p->high[1] = 0;
    p->low[0] = p->low[1] = p->log ? INFINITY : 0;
    for (int k = 0; k < plot->count; ++k) {
        for (int axis = 0; axis < 2 && by_neighbors == belongs(plot, k, "rows by support"); ++axis) {
            p->high[axis] = fmax(p->high[axis], value(plot, k, axis, by_neighbors));
            p->low[axis] = fmin(p->low[axis], value(plot, k, axis, by_neighbors));
        }
    }
    for (int axis = 0; axis < 2; ++axis) {
        double unit = pow(10, floor(log10(p->high[axis])));
        p->high[axis] = p->log ? pow(10, ceil(log10(p->high[axis]))) : ceil(p->high[axis] / unit) * unit;
        p->low[axis] = p->log ? pow(10, floor(log10(p->low[axis]))) : 0;
    }
}

int bench_plot_write(const bench_plot* plot, const char* path) {
    if (plot->count == 0) {
        fprintf(stderr, "phyxel: nothing to plot in %s: only section efg.scaling has points\n", path);
        return CLI_BAD_INPUT;
    }
    FILE* out = fopen(path, "w");
    if (!out) {
        fprintf(stderr, "phyxel: cannot write %s: %s\n", path, strerror(errno));
        return CLI_BAD_INPUT;
    }
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
            "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            2 * WIDTH, HEIGHT);
    panel left = {.out = out, .log = true}, right = {.out = out, .shift = WIDTH};
    bounds(&left, plot, false);
    bounds(&right, plot, true);
    axes(&left, "substep against particles", "particles", "ms");
    series(&left, plot, "lattice", false, "#1f77b4", 0);
    series(&left, plot, "rows", false, "#d62728", 1);
    axes(&right, "substep against neighbours, 1728 particles", "mean number of neighbours", "ns a particle");
    series(&right, plot, "rows by support", true, "#d62728", 0);
    fprintf(out, "</svg>\n");
    if (fclose(out) != 0) {
        fprintf(stderr, "phyxel: cannot write %s: %s\n", path, strerror(errno));
        return CLI_BAD_INPUT;
    }
    return CLI_OK;
}
