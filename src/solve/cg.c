// SPDX-License-Identifier: MIT
#include "solve/cg.h"

#include <math.h>

phxi_cg_report phxi_cg(const phxi_cg_problem* problem, double first, double goal, int most) {
    phxi_cg_report report = {.left = first};
    double alpha = 0, beta = 0;
    while (report.iterations < most && report.left > goal && isfinite(report.left)) {
        if (problem->steps) {
            problem->steps(problem->context, report.iterations, &alpha, &beta);
        }
        problem->direction(problem->context, beta);
        double curvature = problem->product(problem->context);
        if (!(curvature > 0) || !isfinite(curvature)) {
            report.indefinite = !(curvature > 0);
            break;
        }
        alpha = problem->steps ? alpha : report.left / curvature;
        double next = problem->advance(problem->context, alpha);
        beta = next / report.left;
        report.left = next;
        ++report.iterations;
    }
    return report;
}
