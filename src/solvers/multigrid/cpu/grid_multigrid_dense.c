#include "solvers/multigrid/grid_multigrid_dense.h"

#include <math.h>
#include <string.h>

#include "solvers/multigrid/grid_multigrid_formula.h"

/* The diagonal of the coarsest matrix is raised by this fraction. The matrix is singular where a
   body of fluid is nowhere coupled to pressure 0, and rounding errors of its mean must not grow. */
#define DENSE_SHIFT 0.1

/* Factor L of the matrix a = L L^T, in its lower half. A column without weight becomes 0. */
static void factorise(double *a, uint64_t n)
{
    for (uint64_t j = 0; j < n; j++) {
        for (uint64_t k = 0; k < j; k++) {
            for (uint64_t i = j; i < n; i++) {
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
            }
        }
        double pivot = a[j * n + j], scale = pivot > 0.0 ? 1.0 / sqrt(pivot) : 0.0;
        for (uint64_t i = j; i < n; i++) {
            a[i * n + j] *= scale;
        }
    }
}

/* Column j of the inverse of L L^T. */
static void invert_column(const double *l, uint64_t n, uint64_t j, double *x)
{
    for (uint64_t i = 0; i < n; i++) {
        double sum = i == j ? 1.0 : 0.0;
        for (uint64_t k = j; k < i; k++) {
            sum -= l[i * n + k] * x[k];
        }
        x[i] = i >= j && l[i * n + i] > 0.0 ? sum / l[i * n + i] : 0.0;
    }
    for (uint64_t i = n; i-- > 0;) {
        double sum = x[i];
        for (uint64_t k = i + 1; k < n; k++) {
            sum -= l[k * n + i] * x[k];
        }
        x[i] = l[i * n + i] > 0.0 ? sum / l[i * n + i] : 0.0;
    }
}

void ooze_multigrid_invert(const float *elements, const uint32_t *corner_node, uint64_t cells,
                           uint64_t nodes, double *inverse)
{
    const uint64_t n = nodes;
    double a[OOZE_MULTIGRID_DENSE * OOZE_MULTIGRID_DENSE] = {0}, column[OOZE_MULTIGRID_DENSE];
    for (uint64_t c = 0; c < cells; c++) {
        for (uint64_t k = 0; k < 64; k++) {
            uint64_t i = corner_node[8 * c + k / 8], j = corner_node[8 * c + k % 8];
            a[i * n + j] += (double)elements[64 * c + k];
        }
    }
    for (uint64_t i = 0; i < n; i++) {
        a[i * n + i] *= 1.0 + DENSE_SHIFT;
    }
    factorise(a, n);
    for (uint64_t j = 0; j < n; j++) {
        invert_column(a, n, j, column);
        memcpy(inverse + j * n, column, n * sizeof *column);
    }
    for (uint64_t i = 0; i < n; i++) { /* symmetric also in the last bit */
        for (uint64_t j = 0; j < i; j++) {
            inverse[i * n + j] = inverse[j * n + i];
        }
    }
}
