/* Direct solves of small matrices of velocity_multigrid.h. Valid C17 and CUDA. */
#ifndef OOZE_SOLVERS_MULTIGRID_VELOCITY_MULTIGRID_DENSE_FORMULA_H
#define OOZE_SOLVERS_MULTIGRID_VELOCITY_MULTIGRID_DENSE_FORMULA_H

#include "solvers/multigrid/velocity_multigrid_formula.h"

/* Factor U of a = U^T U with its diagonal raised, in the upper half; a direction without weight
   becomes 0. */
OOZE_FORMULA void ooze_velocity_factorise(double *a, uint64_t n)
{
    for (uint64_t k = 0; k < n; k++) {
        a[k * n + k] *= 1.0 + OOZE_VELOCITY_SHIFT;
    }
    for (uint64_t k = 0; k < n; k++) {
        double *row = a + k * n, scale = row[k] > 0.0 ? 1.0 / sqrt(row[k]) : 0.0;
        for (uint64_t j = k; j < n; j++) {
            row[j] *= scale;
        }
        for (uint64_t i = k + 1; i < n; i++) {
            double factor = row[i], *to = a + i * n;
            for (uint64_t j = i; j < n && factor != 0.0; j++) {
                to[j] -= factor * row[j];
            }
        }
    }
}

/* x = (U^T U)^-1 x */
OOZE_FORMULA void ooze_velocity_solve_factor(const double *u, uint64_t n, double *x)
{
    for (uint64_t k = 0; k < n; k++) {
        const double *row = u + k * n;
        double here = row[k] > 0.0 ? x[k] / row[k] : 0.0;
        x[k] = here;
        for (uint64_t j = k + 1; j < n; j++) {
            x[j] -= here * row[j];
        }
    }
    for (uint64_t k = n; k-- > 0;) {
        const double *row = u + k * n;
        double sum[4] = {0.0, 0.0, 0.0, 0.0};
        uint64_t j = k + 1;
        for (; j + 4 <= n; j += 4) {
            for (uint64_t m = 0; m < 4; m++) {
                sum[m] += row[j + m] * x[j + m];
            }
        }
        for (; j < n; j++) {
            sum[0] += row[j] * x[j];
        }
        double rest = x[k] - ((sum[0] + sum[1]) + (sum[2] + sum[3]));
        x[k] = row[k] > 0.0 ? rest / row[k] : 0.0;
    }
}

/* Inverse of the matrix of an element, 24 x 24; `a` holds as many numbers, and `x` 24. */
OOZE_FORMULA void ooze_velocity_invert_element(const float *element, double *a, double *x,
                                               float *inverse)
{
    const int n = OOZE_VELOCITY_ROWS;
    for (int k = 0; k < OOZE_VELOCITY_ELEMENT; k++) {
        int pair = k / OOZE_VELOCITY_BLOCK, e = k % OOZE_VELOCITY_BLOCK;
        a[n * (3 * (pair / 8) + e % 3) + 3 * (pair % 8) + e / 3] = (double)element[k];
    }
    ooze_velocity_factorise(a, (uint64_t)n);
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < n; j++) {
            x[j] = j == k ? 1.0 : 0.0;
        }
        ooze_velocity_solve_factor(a, (uint64_t)n, x);
        for (int j = 0; j <= k; j++) { /* symmetric also in the last bit */
            inverse[n * k + j] = inverse[n * j + k] = (float)x[j];
        }
    }
}

#endif
