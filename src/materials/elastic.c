// SPDX-License-Identifier: MIT
// Elastic laws in double, one particle at a time: plain formulas, no tricks for speed.
//
// Each law is written three times over: energy, matrix stress, principal stress. The tests hold them against each
// other and against a table of numbers (docs/theory/materials.md M2), so none of the three can go wrong alone.
//
// Everything is expressed in G = F - I where that is free of cancellation (Green strain, det F - 1, ln det F), so that
// small strains keep their digits here too.
#include "materials/elastic.h"

#include "math/decompose3.h"

phxi_elastic phxi_elastic_from(const phx_material_def* def) {
    double mu = def->young / (2 * (1 + def->poisson));
    double lambda = def->young * def->poisson / ((1 + def->poisson) * (1 - 2 * def->poisson));
    return (phxi_elastic){.law = def->law,
                          .mu = mu,
                          .lambda = lambda,
                          .kappa = lambda + 2 * mu / 3,
                          .mu1 = (1 - def->mooney) * mu,
                          .mu2 = def->mooney * mu,
                          .bound = def->bound};
}

double phxi_sound_speed(const phx_material_def* def) {
    phxi_elastic elastic = phxi_elastic_from(def);
    return sqrt((elastic.lambda + 2 * elastic.mu) / def->density);
}

// ------------------------------------------------------------------------------------------------------ measures of F

static double contract(const phxi_mat3* a, const phxi_mat3* b) {
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            sum += a->m[i][j] * b->m[i][j];
        }
    }
    return sum;
}

static double trace(const phxi_mat3* a) {
    return a->m[0][0] + a->m[1][1] + a->m[2][2];
}

/// a + s b
static phxi_mat3 plus(const phxi_mat3* a, double s, const phxi_mat3* b) {
    phxi_mat3 c;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            c.m[i][j] = a->m[i][j] + s * b->m[i][j];
        }
    }
    return c;
}

static phxi_mat3 gradient(const phxi_mat3* f) {
    phxi_mat3 identity = phxi_identity();
    return plus(f, -1, &identity);
}

/// E = (F^T F - I)/2 = (G + G^T + G^T G)/2
static phxi_mat3 green_strain(const phxi_mat3* f) {
    phxi_mat3 g = gradient(f);
    phxi_mat3 t = phxi_mat3_transpose(&g);
    phxi_mat3 square = phxi_mat3_mul(&t, &g);
    phxi_mat3 e = plus(&g, 1, &t);
    e = plus(&e, 1, &square);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            e.m[i][j] *= 0.5;
        }
    }
    return e;
}

/// det F - 1 = tr G + tr cof G + det G
static double dilation(const phxi_mat3* f) {
    phxi_mat3 g = gradient(f);
    phxi_mat3 c = phxi_mat3_cofactor(&g);
    return trace(&g) + trace(&c) + phxi_mat3_det(&g);
}

/// ln s, continued below `bound` by its tangent.
static double bounded_log(double s, double bound) {
    return s >= bound ? log(s) : log(bound) + (s - bound) / bound;
}

// ------------------------------------------------------------------------------------------------------------- energy

static double energy_of_stretches(const phxi_elastic* elastic, const phxi_mat3* f) {
    phxi_mat3 u, v;
    double s[3], sum = 0, square = 0, reach = 0;
    phxi_svd3(f, &u, s, &v);
    for (int a = 0; a < 3; ++a) {
        double strain = elastic->law == PHX_LAW_HENCKY ? log(s[a]) : bounded_log(s[a], elastic->bound);
        sum += strain;
        square += strain * strain;
        reach += (s[a] - 1) * (s[a] + 1);
    }
    if (elastic->law == PHX_LAW_NEO_HOOKEAN_BOUNDED) {
        return 0.5 * elastic->mu * reach - elastic->mu * sum + 0.5 * elastic->lambda * sum * sum;
    }
    return elastic->mu * square + 0.5 * elastic->lambda * sum * sum;
}

/// R^T F - I, and R; its trace is the sum of s - 1.
static phxi_mat3 corotated_strain(const phxi_mat3* f, phxi_mat3* r) {
    *r = phxi_near_rotation(f);
    phxi_mat3 t = phxi_mat3_transpose(r), e = phxi_mat3_mul(&t, f);
    for (int k = 0; k < 3; ++k) {
        e.m[k][k] -= 1;
    }
    return e;
}

static double corotated_energy(const phxi_elastic* elastic, const phxi_mat3* f) {
    phxi_mat3 r, e = corotated_strain(f, &r);
    double tr = trace(&e);
    return elastic->mu * contract(&e, &e) + 0.5 * elastic->lambda * tr * tr;
}

/// The law that holds at this state: the bounded one is the plain one where every stretch is above the bound (F^T F
/// minus the bound squared is positive definite, Sylvester), which needs no singular values.
static phxi_elastic law_at(const phxi_elastic* elastic, const phxi_mat3* f) {
    phxi_elastic law = *elastic;
    if (law.law != PHX_LAW_NEO_HOOKEAN_BOUNDED) {
        return law;
    }
    phxi_mat3 t = phxi_mat3_transpose(f), c = phxi_mat3_mul(&t, f);
    for (int k = 0; k < 3; ++k) {
        c.m[k][k] -= law.bound * law.bound;
    }
    double minor = c.m[0][0] * c.m[1][1] - c.m[0][1] * c.m[1][0];
    // far stretched states drown the test in rounding
    bool above = c.m[0][0] > 0 && minor > 0 && phxi_mat3_det(&c) > 0 && phxi_mat3_det(f) > 0 &&
                 c.m[0][0] + c.m[1][1] + c.m[2][2] < 1e4;
    law.law = above ? PHX_LAW_NEO_HOOKEAN : law.law;
    return law;
}

double phxi_elastic_energy(const phxi_elastic* bounded, const phxi_mat3* f) {
    const phxi_elastic law = law_at(bounded, f), *elastic = &law;
    double mu = elastic->mu, lambda = elastic->lambda;
    if (elastic->law == PHX_LAW_COROTATED) {
        return corotated_energy(elastic, f);
    }
    if (elastic->law == PHX_LAW_NEO_HOOKEAN_BOUNDED) {
        return energy_of_stretches(elastic, f);
    }
    phxi_mat3 e = green_strain(f);
    double tr = trace(&e), square = contract(&e, &e);
    if (elastic->law == PHX_LAW_STVK) {
        return 0.5 * lambda * tr * tr + mu * square;
    }
    double j = dilation(f);
    if (!(j > -1)) {
        return isnan(j) ? j : INFINITY;
    }
    // I1 - 3 = 2 tr E;  I2 - 3 = 4 tr E + 2 ((tr E)^2 - E:E)
    double l = log1p(j), i1 = 2 * tr, i2 = 4 * tr + 2 * (tr * tr - square);
    double isochoric1 = i1 * exp(-2 * l / 3) + 3 * expm1(-2 * l / 3); // J^-2/3 I1 - 3
    double isochoric2 = i2 * exp(-4 * l / 3) + 3 * expm1(-4 * l / 3); // J^-4/3 I2 - 3
    switch (elastic->law) {
    case PHX_LAW_NEO_HOOKEAN:
        return mu * (tr - l) + 0.5 * lambda * l * l;
    case PHX_LAW_NEO_HOOKEAN_SQUARE:
        return mu * (tr - l) + 0.5 * lambda * j * j;
    case PHX_LAW_NEO_HOOKEAN_GENERAL:
        return 0.5 * mu * isochoric1 + 0.5 * elastic->kappa * j * j;
    case PHX_LAW_MOONEY_RIVLIN:
        return 0.5 * elastic->mu1 * isochoric1 + 0.5 * elastic->mu2 * isochoric2 + 0.5 * elastic->kappa * j * j;
    default:
        return energy_of_stretches(elastic, f);
    }
}

// ------------------------------------------------------------------------------------------------------------- stress

/// R (2 mu e + lambda tr e I), e = sym(R^T F) - I
static phxi_mat3 corotated_stress(const phxi_elastic* elastic, const phxi_mat3* f) {
    phxi_mat3 r, e = corotated_strain(f, &r), s;
    double tr = elastic->lambda * trace(&e);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            s.m[i][j] = elastic->mu * (e.m[i][j] + e.m[j][i]) + (i == j ? tr : 0);
        }
    }
    return phxi_mat3_mul(&r, &s);
}

/// F (lambda tr E I + 2 mu E)
static phxi_mat3 stvk_stress(const phxi_elastic* elastic, const phxi_mat3* f) {
    phxi_mat3 e = green_strain(f), s;
    double tr = elastic->lambda * trace(&e);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            s.m[i][j] = 2 * elastic->mu * e.m[i][j] + (i == j ? tr : 0);
        }
    }
    return phxi_mat3_mul(f, &s);
}

/// U diag(psi) V^T
static bool principal_stress(const phxi_elastic* elastic, const phxi_mat3* f, phxi_mat3* p) {
    phxi_mat3 u, v;
    double s[3], psi[3];
    phxi_svd3(f, &u, s, &v);
    if (!phxi_elastic_principal(elastic, s, psi)) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            p->m[i][j] =
                u.m[i][0] * psi[0] * v.m[j][0] + u.m[i][1] * psi[1] * v.m[j][1] + u.m[i][2] * psi[2] * v.m[j][2];
        }
    }
    return true;
}

/// mu1 J^-2/3 (F - I1/3 T) + mu2 J^-4/3 (I1 F - F F^T F - 2/3 I2 T) + kappa (J-1) J T, T = F^-T; mu2 = 0: generalised
/// neo-Hookean.
static phxi_mat3 isochoric_stress(double mu1, double mu2, double kappa, const phxi_mat3* f, const phxi_mat3* t,
                                  double j) {
    phxi_mat3 e = green_strain(f);
    phxi_mat3 fe = phxi_mat3_mul(f, &e);
    double tr = trace(&e), i1 = 3 + 2 * tr, i2 = 3 + 4 * tr + 2 * (tr * tr - contract(&e, &e));
    double l = log1p(j), q = mu1 * exp(-2 * l / 3), r = mu2 * exp(-4 * l / 3);
    phxi_mat3 p;
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
            double fij = f->m[row][column], tij = t->m[row][column];
            // F F^T F = F (I + 2E)
            p.m[row][column] = q * (fij - i1 / 3 * tij) +
                               r * ((i1 - 1) * fij - 2 * fe.m[row][column] - 2.0 / 3 * i2 * tij) +
                               kappa * j * (1 + j) * tij;
        }
    }
    return p;
}

bool phxi_elastic_stress(const phxi_elastic* bounded, const phxi_mat3* f, phxi_mat3* p) {
    const phxi_elastic law = law_at(bounded, f), *elastic = &law;
    *p = (phxi_mat3){0};
    if (elastic->law == PHX_LAW_COROTATED) {
        *p = corotated_stress(elastic, f);
        return true;
    }
    if (elastic->law == PHX_LAW_STVK) {
        *p = stvk_stress(elastic, f);
        return true;
    }
    if (elastic->law == PHX_LAW_NEO_HOOKEAN_BOUNDED || elastic->law == PHX_LAW_HENCKY) {
        return principal_stress(elastic, f, p);
    }
    double j = dilation(f);
    if (!(j > -1)) {
        return false;
    }
    phxi_mat3 t = phxi_mat3_cofactor(f);
    for (int i = 0; i < 9; ++i) {
        t.m[i / 3][i % 3] /= 1 + j;
    }
    if (elastic->law == PHX_LAW_NEO_HOOKEAN || elastic->law == PHX_LAW_NEO_HOOKEAN_SQUARE) {
        double volume = elastic->law == PHX_LAW_NEO_HOOKEAN ? log1p(j) : j * (1 + j);
        for (int i = 0; i < 9; ++i) {
            double tij = t.m[i / 3][i % 3];
            p->m[i / 3][i % 3] = elastic->mu * (f->m[i / 3][i % 3] - tij) + elastic->lambda * volume * tij;
        }
        return true;
    }
    bool general = elastic->law == PHX_LAW_NEO_HOOKEAN_GENERAL;
    *p = isochoric_stress(general ? elastic->mu : elastic->mu1, general ? 0 : elastic->mu2, elastic->kappa, f, &t, j);
    return true;
}

// ---------------------------------------------------------------------------------------------------- principal stress

/// The laws that are defined for every stretch.
static bool principal_everywhere(const phxi_elastic* elastic, const double s[3], double psi[3]) {
    double mu = elastic->mu, lambda = elastic->lambda, sum = 0;
    for (int a = 0; a < 3; ++a) {
        sum += elastic->law == PHX_LAW_COROTATED ? s[a] - 1
               : elastic->law == PHX_LAW_STVK    ? 0.5 * (s[a] - 1) * (s[a] + 1)
                                                 : bounded_log(s[a], elastic->bound);
    }
    for (int a = 0; a < 3; ++a) {
        psi[a] = elastic->law == PHX_LAW_COROTATED ? 2 * mu * (s[a] - 1) + lambda * sum
                 : elastic->law == PHX_LAW_STVK    ? s[a] * (mu * (s[a] - 1) * (s[a] + 1) + lambda * sum)
                                                   : mu * s[a] + (lambda * sum - mu) / fmax(s[a], elastic->bound);
    }
    return true;
}

static bool principal_hencky(const phxi_elastic* elastic, const double s[3], double psi[3]) {
    if (!(s[0] > 0 && s[1] > 0 && s[2] > 0)) {
        return false;
    }
    double e[3] = {log(s[0]), log(s[1]), log(s[2])};
    for (int a = 0; a < 3; ++a) {
        psi[a] = (2 * elastic->mu * e[a] + elastic->lambda * (e[0] + e[1] + e[2])) / s[a];
    }
    return true;
}

bool phxi_elastic_principal(const phxi_elastic* elastic, const double s[3], double psi[3]) {
    double mu = elastic->mu, lambda = elastic->lambda;
    psi[0] = psi[1] = psi[2] = 0;
    if (elastic->law == PHX_LAW_COROTATED || elastic->law == PHX_LAW_STVK ||
        elastic->law == PHX_LAW_NEO_HOOKEAN_BOUNDED) {
        return principal_everywhere(elastic, s, psi);
    }
    if (elastic->law == PHX_LAW_HENCKY) {
        return principal_hencky(elastic, s, psi);
    }
    double j = s[0] * s[1] * s[2];
    if (!(j > 0)) {
        return false;
    }
    double square[3] = {s[0] * s[0], s[1] * s[1], s[2] * s[2]};
    double i1 = square[0] + square[1] + square[2];
    double i2 = square[0] * square[1] + square[1] * square[2] + square[2] * square[0];
    bool general = elastic->law == PHX_LAW_NEO_HOOKEAN_GENERAL;
    double q = (general ? mu : elastic->mu1) * pow(j, -2.0 / 3);
    double r = (general ? 0 : elastic->mu2) * pow(j, -4.0 / 3);
    for (int a = 0; a < 3; ++a) {
        double inverse = 1 / s[a];
        if (elastic->law == PHX_LAW_NEO_HOOKEAN) {
            psi[a] = mu * (s[a] - inverse) + lambda * log(j) * inverse;
        } else if (elastic->law == PHX_LAW_NEO_HOOKEAN_SQUARE) {
            psi[a] = mu * (s[a] - inverse) + lambda * (j - 1) * j * inverse;
        } else {
            psi[a] = q * (s[a] - i1 / 3 * inverse) + r * ((i1 - square[a]) * s[a] - 2.0 / 3 * i2 * inverse) +
                     elastic->kappa * (j - 1) * j * inverse;
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------- von Mises

double phxi_von_mises(const phxi_mat3* f, const phxi_mat3* p) {
    double det = phxi_mat3_det(f);
    phxi_mat3 t = phxi_mat3_transpose(f);
    phxi_mat3 tau = phxi_mat3_mul(p, &t); // det F times the Cauchy stress
    double a = tau.m[0][0] - tau.m[1][1], b = tau.m[1][1] - tau.m[2][2], c = tau.m[2][2] - tau.m[0][0];
    double xy = 0.5 * (tau.m[0][1] + tau.m[1][0]), yz = 0.5 * (tau.m[1][2] + tau.m[2][1]),
           zx = 0.5 * (tau.m[2][0] + tau.m[0][2]);
    double norm = sqrt(0.5 * (a * a + b * b + c * c) + 3 * (xy * xy + yz * yz + zx * zx)) / fabs(det);
    return isfinite(norm) ? norm : 0;
}

/// d(dPsi/ds_1)/ds_1 at (s, t, t), by a difference.
static double modulus(const phxi_elastic* elastic, double s, double t) {
    double step = 1e-4 * s, psi[2][3];
    if (!phxi_elastic_principal(elastic, (double[3]){s + step, t, t}, psi[0]) ||
        !phxi_elastic_principal(elastic, (double[3]){s - step, t, t}, psi[1])) {
        return 0;
    }
    return (psi[0][0] - psi[1][0]) / (2 * step);
}

double phxi_elastic_stiffening(const phxi_elastic* elastic, double least, double most, double volume_stiffness) {
    double rest = modulus(elastic, 1, 1) + volume_stiffness, factor = 1;
    const double stretches[2] = {fmax(least, 0.05), fmin(most, 1e3)};
    for (int k = 0; k < 2; ++k) {
        double s = stretches[k];
        double side = modulus(elastic, s, 1) + volume_stiffness;
        double all = modulus(elastic, s, s) + volume_stiffness * s * s * s * s;
        factor = fmax(factor, side / rest);
        if (s < 1) {
            factor = fmax(factor, all / rest);
        }
    }
    return factor;
}
