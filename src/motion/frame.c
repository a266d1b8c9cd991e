// SPDX-License-Identifier: MIT
// See frame.h.
#include "motion/frame.h"

#include "math/decompose3.h"
#include "parallel/parallel.h"

#include <math.h>

int phxi_frame_sample_count(int count) {
    return count < PHXI_FRAME_SAMPLES ? count : PHXI_FRAME_SAMPLES;
}

int phxi_frame_sample(int count, int k) {
    return (int)((int64_t)k * count / phxi_frame_sample_count(count));
}

void phxi_frame_rest(const phx_vec3* rest, int count, phxi_frame_base* base, phxi_frame* frame) {
    phx_vec3 origin = {0};
    for (int k = 0; k < count; ++k) {
        origin = phxi_add_scaled(origin, 1.0 / count, rest[k]);
    }
    phxi_sym3 moment = {0};
    for (int k = 0; k < count; ++k) {
        phx_vec3 d = phxi_sub(rest[k], origin);
        moment.xx += d.x * d.x;
        moment.yy += d.y * d.y;
        moment.zz += d.z * d.z;
        moment.xy += d.x * d.y;
        moment.xz += d.x * d.z;
        moment.yz += d.y * d.z;
    }
    phxi_pseudo_inverse_sym3(&moment, 1e-6, &base->inverse, &base->span);
    *frame = (phxi_frame){origin, origin, phxi_identity(), phxi_identity()};
}

/// Gram-Schmidt: a rotation near `a` in 50 ns, false if its columns are too dependent or mirrored.
static bool orthonormalize(const phxi_mat3* a, phxi_mat3* rotation) {
    phx_vec3 x = {a->m[0][0], a->m[1][0], a->m[2][0]}, y = {a->m[0][1], a->m[1][1], a->m[2][1]};
    phx_vec3 z = {a->m[0][2], a->m[1][2], a->m[2][2]};
    double length = phxi_length(x);
    x = phxi_scale(1 / length, x);
    y = phxi_add_scaled(y, -phxi_dot(x, y), x);
    double width = phxi_length(y);
    y = phxi_scale(1 / width, y);
    phx_vec3 normal = phxi_cross(x, y);
    double height = phxi_dot(normal, z);
    if (!(length > 1e-3 && width > 1e-3 && height > 1e-3 && length + width + height < 1e3)) {
        return false;
    }
    *rotation = (phxi_mat3){{{x.x, y.x, normal.x}, {x.y, y.y, normal.y}, {x.z, y.z, normal.z}}};
    return true;
}

void phxi_frame_fit(const phxi_frame_base* base, const phx_vec3* rest, const phx_vec3* at, int count,
                    phxi_frame* frame) {
    phx_vec3 center = {0}, origin = frame->origin;
    for (int k = 0; k < count; ++k) {
        center = phxi_add_scaled(center, 1.0 / count, at[k]);
    }
    phxi_mat3 cross = {0}, inverse = phxi_sym3_full(&base->inverse);
    for (int k = 0; k < count; ++k) {
        phx_vec3 d = phxi_sub(rest[k], origin), r = phxi_sub(at[k], center);
        const double left[3] = {r.x, r.y, r.z}, right[3] = {d.x, d.y, d.z};
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b < 3; ++b) {
                cross.m[a][b] += left[a] * right[b];
            }
        }
    }
    phxi_mat3 affine = phxi_mat3_mul(&cross, &inverse), rotation;
    if (!orthonormalize(&affine, &rotation)) {
        rotation = phxi_polar_rotation(&affine); // flat bodies, and what has been crushed or blown up
    }
    phxi_mat3 turned = phxi_mat3_transpose(&rotation), stretch = phxi_mat3_mul(&turned, &affine);
    phxi_mat3 span = phxi_sym3_full(&base->span);
    double size = fabs(center.x) + fabs(center.y) + fabs(center.z);
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
            // directions the sample does not span are left as they were
            stretch.m[a][b] += (a == b ? 1 : 0) - span.m[a][b];
            size += fabs(stretch.m[a][b]);
        }
    }
    *frame = (phxi_frame){center, origin, rotation, stretch};
    if (!isfinite(size)) {
        *frame = (phxi_frame){origin, origin, phxi_identity(), phxi_identity()};
    }
}

/// u = R^T (x - center - R B (X - origin)): what is in brackets is a small difference of large numbers and wants
/// double, the rest does not.
static PHXI_CLONES void frame_displacements(const phxi_frame* frame, const phxi_frame_points* p, int count,
                                            phx_real* const u[3]) {
    const phx_real* restrict x = p->x[0], * restrict y = p->x[1], * restrict z = p->x[2];
    const phx_real* restrict low_x = p->low[0], * restrict low_y = p->low[1], * restrict low_z = p->low[2];
    const phx_real* restrict rest_x = p->rest[0], * restrict rest_y = p->rest[1], * restrict rest_z = p->rest[2];
    phx_real* restrict u0 = u[0], * restrict u1 = u[1], * restrict u2 = u[2];
    const phxi_mat3 a = phxi_mat3_mul(&frame->rotation, &frame->stretch);
    const phx_vec3 c = phxi_sub(frame->center, phxi_mat3_apply(&a, frame->origin));
    phx_real r[9];
    for (int k = 0; k < 9; ++k) {
        r[k] = (phx_real)frame->rotation.m[k / 3][k % 3];
    }
    PHXI_SIMD
    for (int i = 0; i < count; ++i) {
        double ox = (double)rest_x[i], oy = (double)rest_y[i], oz = (double)rest_z[i];
        phx_real dx =
            (phx_real)((double)x[i] - c.x + (double)low_x[i] - (a.m[0][0] * ox + a.m[0][1] * oy + a.m[0][2] * oz));
        phx_real dy =
            (phx_real)((double)y[i] - c.y + (double)low_y[i] - (a.m[1][0] * ox + a.m[1][1] * oy + a.m[1][2] * oz));
        phx_real dz =
            (phx_real)((double)z[i] - c.z + (double)low_z[i] - (a.m[2][0] * ox + a.m[2][1] * oy + a.m[2][2] * oz));
        u0[i] = r[0] * dx + r[3] * dy + r[6] * dz;
        u1[i] = r[1] * dx + r[4] * dy + r[7] * dz;
        u2[i] = r[2] * dx + r[5] * dy + r[8] * dz;
    }
}

void phxi_frame_displacements(const phxi_frame* frame, const phxi_frame_points* points, int count,
                              phx_real* const u[3]) {
    frame_displacements(frame, points, count, u);
}

/// Returns zero, or NaN if anything is not finite.
static PHXI_CLONES phx_real frame_accelerate(const phxi_mat3* rotation, const phx_real* const force[3],
                                             const phx_real* restrict mass, int count,
                                             phx_real* const acceleration[3]) {
    phx_real r[9], finite = 0;
    for (int k = 0; k < 9; ++k) {
        r[k] = (phx_real)rotation->m[k / 3][k % 3];
    }
    const phx_real* restrict fx = force[0], * restrict fy = force[1], * restrict fz = force[2];
    phx_real* restrict ax = acceleration[0], * restrict ay = acceleration[1], * restrict az = acceleration[2];
#pragma omp simd reduction(+ : finite)
    for (int i = 0; i < count; ++i) {
        phx_real inverse = 1 / mass[i], x = fx[i], y = fy[i], z = fz[i];
        ax[i] = (r[0] * x + r[1] * y + r[2] * z) * inverse;
        ay[i] = (r[3] * x + r[4] * y + r[5] * z) * inverse;
        az[i] = (r[6] * x + r[7] * y + r[8] * z) * inverse;
        finite += 0 * (ax[i] + ay[i] + az[i]);
    }
    return finite;
}

bool phxi_frame_accelerate(const phxi_mat3* rotation, const phx_real* const force[3], const phx_real* mass, int count,
                           phx_real* const acceleration[3]) {
    return frame_accelerate(rotation, force, mass, count, acceleration) == 0;
}

// ------------------------------------------------------------------------------------------------------------- bodies

static int rest_sample(const phxi_particles* p, int begin, int count, phx_vec3 rest[PHXI_FRAME_SAMPLES]) {
    int samples = phxi_frame_sample_count(count);
    for (int k = 0; k < samples; ++k) {
        int i = begin + phxi_frame_sample(count, k);
        rest[k] = phxi_vec3(p->rest_x[i], p->rest_y[i], p->rest_z[i]);
    }
    return samples;
}

void phxi_frame_rest_body(const phxi_particles* p, int begin, int count, phxi_frame_base* base, phxi_frame* frame) {
    phx_vec3 rest[PHXI_FRAME_SAMPLES];
    int samples = rest_sample(p, begin, count, rest);
    phxi_frame_rest(rest, samples, base, frame);
}

void phxi_frame_fit_body(const phxi_frame_base* base, const phxi_particles* p, int begin, int count, double dt,
                         phxi_frame* frame) {
    phx_vec3 rest[PHXI_FRAME_SAMPLES], at[PHXI_FRAME_SAMPLES];
    int samples = rest_sample(p, begin, count, rest);
    for (int k = 0; k < samples; ++k) {
        int i = begin + phxi_frame_sample(count, k);
        at[k] = phxi_vec3(p->x[i] + dt * p->vx[i], p->y[i] + dt * p->vy[i], p->z[i] + dt * p->vz[i]);
    }
    phxi_frame_fit(base, rest, at, samples, frame);
}

void phxi_frame_fit_at(const phxi_frame_base* base, const phxi_particles* p, int begin, int count, const phx_vec3* x,
                       phxi_frame* frame) {
    phx_vec3 rest[PHXI_FRAME_SAMPLES], at[PHXI_FRAME_SAMPLES];
    int samples = rest_sample(p, begin, count, rest);
    for (int k = 0; k < samples; ++k) {
        at[k] = x[phxi_frame_sample(count, k)];
    }
    phxi_frame_fit(base, rest, at, samples, frame);
}

void phxi_frame_place(const phxi_frame* frame, const phxi_particles* p, int begin, const phx_vec3* x, int first,
                      int last, phxi_r4* u) {
    phxi_mat3 back = phxi_mat3_transpose(&frame->rotation);
    for (int i = first; i < last; ++i) {
        int k = begin + i;
        phx_vec3 rest = phxi_vec3(p->rest_x[k], p->rest_y[k], p->rest_z[k]);
        phx_vec3 now = phxi_mat3_apply(&back, phxi_sub(x[i], frame->center));
        phx_vec3 moved = phxi_sub(now, phxi_sub(rest, frame->origin));
        u[i] = (phxi_r4){(phx_real)moved.x, (phx_real)moved.y, (phx_real)moved.z, 0};
    }
}
