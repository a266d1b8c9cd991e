// SPDX-License-Identifier: MIT
// A plot has a row for each quantity of its case. Quantities differ in unit and size, so each row is drawn in units of
// its own bound: the exact value in the middle, the band of what is allowed around it, a dot where the measured value
// is. Errors far inside the band are drawn by their size on a second, logarithmic scale.
#define _POSIX_C_SOURCE 200809L
#include "report.h"

#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROW = 26, LEFT = 330, BAND = 220, GAP = 60, LOG = 260, WIDTH = LEFT + BAND + GAP + LOG + 40 };

struct cli_report {
    char path[1100], part[1200];
    FILE* page; // table and plots go to memory streams first: a plot needs its number of rows
    FILE* plot; // of the case at hand
    char* text; // what was drawn into `plot`
    size_t size;
    int rows, checks, failed;
    phx_check_case item;
    FILE* table;
    char* table_text;
    size_t table_size;
};

static void put_text(FILE* out, const char* text) {
    for (; *text; ++text) {
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        default:
            fputc(*text, out);
        }
    }
}

cli_report* cli_report_begin(const char* folder) {
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "phyxel: cannot make folder '%s': %s\n", folder, strerror(errno));
        return NULL;
    }
    cli_report* r = calloc(1, sizeof *r);
    if (!r) {
        return NULL;
    }
    snprintf(r->path, sizeof r->path, "%.1000s/index.html", folder);
    snprintf(r->part, sizeof r->part, "%s.part", r->path);
    r->page = fopen(r->part, "w");
    r->table = r->page ? open_memstream(&r->table_text, &r->table_size) : NULL;
    if (!r->table) {
        fprintf(stderr, "phyxel: cannot write '%s': %s\n", r->path, strerror(errno));
        cli_report_end(r, false);
        return NULL;
    }
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>phyxel: known answers</title>\n"
          "<style>body{font:15px/1.5 sans-serif;max-width:1000px;margin:2em auto;padding:0 1em;color:#222}"
          "table{border-collapse:collapse;width:100%;font-size:13px}th,td{padding:3px 8px;text-align:left;"
          "border-bottom:1px solid #ddd}td.n{text-align:right;font-family:monospace}.no{color:#b00020;font-weight:bold}"
          "h2{margin:1.6em 0 0}p{margin:.2em 0 .6em}svg{max-width:100%}</style></head><body>\n",
          r->page);
    fprintf(r->page,
            "<h1>Known answers</h1>\n<p>phyxel %s. Each row is drawn in units of its bound: the exact value in "
            "the middle, the band of what is allowed, a dot for what was measured; to the right the size of "
            "the error against its bound.</p>\n",
            phx_version());
    return r;
}

// Writes out the plot of the case that ends.
static void close_case(cli_report* r) {
    if (!r->plot) {
        return;
    }
    fclose(r->plot);
    r->plot = NULL;
    fputs("<h2>", r->page);
    put_text(r->page, r->item.name);
    fputs("</h2>\n<p>", r->page);
    put_text(r->page, r->item.summary);
    int height = r->rows * ROW + 44, x = LEFT + BAND + GAP;
    fprintf(r->page,
            "</p>\n<svg viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\" font-size=\"12\" font-family=\"sans-serif\">\n",
            WIDTH, height, WIDTH);
    fprintf(r->page, "<rect x=\"%d\" y=\"4\" width=\"%d\" height=\"%d\" fill=\"#e3efe3\"/>\n", LEFT + BAND / 4,
            BAND / 2, r->rows * ROW);
    fprintf(r->page, "<line x1=\"%d\" x2=\"%d\" y1=\"4\" y2=\"%d\" stroke=\"#4a7\"/>\n", LEFT + BAND / 2,
            LEFT + BAND / 2, r->rows * ROW + 4);
    fwrite(r->text ? r->text : "", 1, r->text ? r->size : 0, r->page);
    static const char* const marks[] = {"-bound", "exact", "+bound"};
    for (int i = 0; i < 3; ++i) {
        fprintf(r->page, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" fill=\"#666\">%s</text>\n",
                LEFT + BAND / 4 * (i + 1), r->rows * ROW + 20, marks[i]);
    }
    for (int decade = -8; decade <= 0; decade += 2) { // error over bound
        int at = x + (decade + 8) * LOG / 8;
        fprintf(r->page, "<line x1=\"%d\" x2=\"%d\" y1=\"4\" y2=\"%d\" stroke=\"%s\"/>", at, at, r->rows * ROW + 4,
                decade ? "#ddd" : "#4a7");
        fprintf(r->page, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" fill=\"#666\">%.3g</text>\n", at,
                r->rows * ROW + 20, pow(10, decade));
    }
    fprintf(r->page, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" fill=\"#666\">error / bound</text>\n", x + LOG / 2,
            r->rows * ROW + 36);
    fputs("</svg>\n", r->page);
    free(r->text);
    r->text = NULL;
}

void cli_report_case(cli_report* r, const phx_check_case* item) {
    if (r) {
        close_case(r);
        r->item = *item;
        r->rows = 0;
        r->plot = open_memstream(&r->text, &r->size);
    }
}

static void put_row(cli_report* r, const phx_check* c) {
    double ratio = c->bound > 0 ? c->error / c->bound : c->error > 0 ? INFINITY : 0;
    double place = c->measured < c->exact ? -ratio : ratio;
    bool inside = fabs(place) <= 2;
    int y = r->rows++ * ROW + 4 + ROW / 2;
    const char* color = c->pass ? "#2a6" : "#b00020";
    fprintf(r->plot, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", LEFT - 10, y + 4);
    put_text(r->plot, c->quantity);
    fprintf(r->plot, "</text><line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke=\"#ccc\"/>", LEFT, LEFT + BAND, y, y);
    double at = LEFT + BAND / 2.0 + BAND / 4.0 * (inside ? place : isfinite(place) ? copysign(2, place) : 2);
    fprintf(r->plot,
            "<circle cx=\"%.1f\" cy=\"%d\" r=\"5\" fill=\"%s\"><title>measured %.9g, exact %.9g</title></circle>", at,
            y, color, c->measured, c->exact);
    double size = ratio > 0 ? fmin(fmax(8 + log10(ratio), 0), 8.6) * LOG / 8 : 0;
    size = isnan(ratio) ? 8.6 * LOG / 8 : size;
    fprintf(r->plot, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"10\" fill=\"%s\" opacity=\"0.75\"/>\n",
            LEFT + BAND + GAP, y - 5, size, color);
}

void cli_report_add(cli_report* r, const phx_check* c) {
    if (!r || !r->plot) {
        return;
    }
    put_row(r, c);
    ++r->checks;
    r->failed += !c->pass;
    fputs("<tr><td>", r->table);
    put_text(r->table, c->name);
    fputs("</td><td>", r->table);
    put_text(r->table, c->quantity);
    fprintf(r->table,
            "</td><td class=\"n\">%.6g</td><td class=\"n\">%.6g</td><td class=\"n\">%.2e</td><td class=\"n\">%.2e</td>"
            "<td%s>%s</td></tr>\n",
            c->measured, c->exact, c->error, c->bound, c->pass ? "" : " class=\"no\"", c->pass ? "yes" : "NO");
}

bool cli_report_end(cli_report* r, bool keep) {
    if (!r) {
        return true;
    }
    bool good = r->page && r->table;
    if (good) {
        close_case(r);
        fclose(r->table);
        fprintf(r->page,
                "<h2>Table</h2>\n<p>%d of %d quantities within their bounds.</p>\n<table><tr><th>case</th>"
                "<th>quantity</th><th>measured</th><th>exact</th><th>error</th><th>bound</th><th>pass</th></tr>\n",
                r->checks - r->failed, r->checks);
        fwrite(r->table_text, 1, r->table_size, r->page);
        fputs("</table>\n</body></html>\n", r->page);
    }
    if (r->page) {
        good = !ferror(r->page) && good;
        good = fclose(r->page) == 0 && good && keep && rename(r->part, r->path) == 0;
        if (!good) {
            unlink(r->part);
        }
        if (!good && keep) {
            fprintf(stderr, "phyxel: cannot write '%s'\n", r->path);
        }
    }
    free(r->table_text);
    free(r->text);
    free(r);
    return good;
}
