// SPDX-License-Identifier: MIT
// Spheres as discs with the right depth and normal, triangles by barycentric coordinates; nearest wins. Simple on
// purpose: it is the fallback where Embree is missing, and the reference the rays are tested against.
#include "render/raster.h"

#include <math.h>
#include <string.h>

static float dot3(const float a[3], const float b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void phxi_view_ray(const phxi_view* v, float x, float y, float ray[3]) {
    float a = (x - 0.5f * (float)v->width) / v->scale, b = (0.5f * (float)v->height - y) / v->scale;
    float length = sqrtf(1 + a * a + b * b);
    for (int k = 0; k < 3; ++k) {
        ray[k] = (v->forward[k] + a * v->right[k] + b * v->up[k]) / length;
    }
}

static bool project(const phxi_view* v, const float p[3], float* x, float* y, float* depth) {
    float d[3] = {p[0] - v->eye[0], p[1] - v->eye[1], p[2] - v->eye[2]};
    *depth = dot3(d, v->forward);
    if (!(*depth > 1e-6f)) {
        return false;
    }
    *x = 0.5f * (float)v->width + v->scale * dot3(d, v->right) / *depth;
    *y = 0.5f * (float)v->height - v->scale * dot3(d, v->up) / *depth;
    return true;
}

static int clamp_int(float value, int low, int high) {
    return value <= (float)low ? low : value >= (float)high ? high : (int)value;
}

static void draw_sphere(const phxi_drawing* d, int i, const phxi_view* v, float sx, float sy, phxi_hit* hits) {
    const float* p = d->positions + 4 * i;
    float x, y, depth;
    if (!project(v, p, &x, &y, &depth) || depth <= p[3]) {
        return;
    }
    float reach = v->scale * p[3] / (depth - p[3]) + 1;
    int x0 = clamp_int(x - reach, 0, v->width), x1 = clamp_int(x + reach + 1, 0, v->width);
    int y0 = clamp_int(y - reach, 0, v->height), y1 = clamp_int(y + reach + 1, 0, v->height);
    float to[3] = {p[0] - v->eye[0], p[1] - v->eye[1], p[2] - v->eye[2]};
    for (int row = y0; row < y1; ++row) {
        for (int column = x0; column < x1; ++column) {
            float ray[3];
            phxi_view_ray(v, (float)column + 0.5f + sx, (float)row + 0.5f + sy, ray);
            float along = dot3(to, ray), gap = dot3(to, to) - along * along, inside = p[3] * p[3] - gap;
            phxi_hit* hit = &hits[(size_t)row * (size_t)v->width + (size_t)column];
            if (inside < 0 || along - sqrtf(inside) >= hit->distance) {
                continue;
            }
            hit->distance = along - sqrtf(inside);
            for (int k = 0; k < 3; ++k) {
                hit->normal[k] = hit->face[k] = (hit->distance * ray[k] - to[k]) / p[3];
                hit->color[k] = d->colors[3 * i + k];
            }
        }
    }
}

static void draw_triangle(const phxi_drawing* d, int t, const phxi_view* v, float sx, float sy, phxi_hit* hits) {
    const float* p[3];
    float x[3], y[3], z[3];
    for (int k = 0; k < 3; ++k) {
        p[k] = d->positions + 4 * d->indices[3 * t + k];
        if (!project(v, p[k], &x[k], &y[k], &z[k])) {
            return;
        }
    }
    float area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
    if (area == 0) {
        return;
    }
    float e1[3], e2[3];
    for (int k = 0; k < 3; ++k) {
        e1[k] = p[1][k] - p[0][k], e2[k] = p[2][k] - p[0][k];
    }
    float n[3] = {e1[1] * e2[2] - e1[2] * e2[1], e1[2] * e2[0] - e1[0] * e2[2], e1[0] * e2[1] - e1[1] * e2[0]};
    float length = sqrtf(dot3(n, n));
    int x0 = clamp_int(fminf(x[0], fminf(x[1], x[2])) - 1, 0, v->width),
        x1 = clamp_int(fmaxf(x[0], fmaxf(x[1], x[2])) + 2, 0, v->width);
    int y0 = clamp_int(fminf(y[0], fminf(y[1], y[2])) - 1, 0, v->height),
        y1 = clamp_int(fmaxf(y[0], fmaxf(y[1], y[2])) + 2, 0, v->height);
    for (int row = y0; row < y1; ++row) {
        for (int column = x0; column < x1; ++column) {
            float px = (float)column + 0.5f + sx, py = (float)row + 0.5f + sy;
            float w1 = ((px - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (py - y[0])) / area;
            float w2 = ((x[1] - x[0]) * (py - y[0]) - (px - x[0]) * (y[1] - y[0])) / area;
            if (w1 < 0 || w2 < 0 || w1 + w2 > 1) {
                continue;
            }
            // Weights on the picture become weights in space by the depths.
            float u[3] = {(1 - w1 - w2) / z[0], w1 / z[1], w2 / z[2]};
            float sum = u[0] + u[1] + u[2], depth = 1 / sum, ray[3];
            phxi_view_ray(v, px, py, ray);
            float distance = depth / dot3(ray, v->forward);
            phxi_hit* hit = &hits[(size_t)row * (size_t)v->width + (size_t)column];
            if (distance >= hit->distance || length == 0) {
                continue;
            }
            hit->distance = distance;
            for (int k = 0; k < 3; ++k) {
                u[k] *= depth;
                hit->face[k] = n[k] / length;
            }
            phxi_hit_finish(d, t, u, ray, hit);
        }
    }
}

void phxi_hit_finish(const phxi_drawing* d, int triangle, const float weights[3], const float direction[3],
                     phxi_hit* hit) {
    memset(hit->color, 0, sizeof hit->color);
    float smooth[3] = {0, 0, 0};
    for (int corner = 0; corner < 3; ++corner) {
        int vertex = d->indices[3 * triangle + corner];
        for (int k = 0; k < 3; ++k) {
            hit->color[k] += weights[corner] * d->colors[3 * vertex + k];
            smooth[k] += d->normals ? weights[corner] * d->normals[3 * vertex + k] : 0;
        }
    }
    float length = sqrtf(dot3(smooth, smooth)), flip = dot3(hit->face, direction) > 0 ? -1 : 1;
    int most = weights[0] >= weights[1] ? (weights[0] >= weights[2] ? 0 : 2) : weights[1] >= weights[2] ? 1 : 2;
    hit->from_outside = flip > 0;
    hit->of = d;
    hit->point = d->indices[3 * triangle + most];
    // Seen from behind (an open sheet): both normals turn. A smooth normal that points away is given up.
    for (int k = 0; k < 3; ++k) {
        hit->face[k] *= flip;
        hit->normal[k] = length > 0.1f ? smooth[k] / length : hit->face[k];
    }
    if (dot3(hit->normal, hit->face) < 0) {
        for (int k = 0; k < 3; ++k) {
            hit->normal[k] = -hit->normal[k];
        }
    }
}

void phxi_raster(const phxi_drawing* drawing, const phxi_view* view, float shift_x, float shift_y, phxi_hit* hits) {
    for (size_t i = 0; i < (size_t)view->width * (size_t)view->height; ++i) {
        hits[i].distance = INFINITY;
    }
    for (const phxi_drawing* d = drawing; d; d = d->beside) {
        for (int i = 0; d->triangles == 0 && i < d->points; ++i) {
            draw_sphere(d, i, view, shift_x, shift_y, hits);
        }
        for (int t = 0; t < d->triangles; ++t) {
            draw_triangle(d, t, view, shift_x, shift_y, hits);
        }
    }
}
