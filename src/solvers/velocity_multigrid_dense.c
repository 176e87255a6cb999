/* Direct solves of the smallest matrices of velocity_multigrid.h. */
#include <math.h>
#include <string.h>

#include "solvers/velocity_multigrid_levels.h"

static void factorise(double *a, uint64_t n)
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

void ooze_velocity_solve_factor(const double *u, uint64_t n, double *x)
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
        double sum[4] = {0};
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

void ooze_velocity_factorise_level(const OozeVelocityLevel *level, double *a)
{
    const uint64_t n = 3 * level->nodes;
    memset(a, 0, n * n * sizeof *a);
    for (uint64_t i = 0; i < level->nodes; i++) {
        for (uint32_t k = level->row_first[i]; k < level->row_first[i + 1]; k++) {
            const float *block = level->block + (uint64_t)OOZE_VELOCITY_BLOCK * k;
            for (uint64_t e = 0; e < 9; e++) {
                a[(3 * i + e % 3) * n + 3 * level->column[k] + e / 3] = (double)block[e];
            }
        }
    }
    factorise(a, n);
}

/* ---- elements that share no node with others ---- */

static void invert_element(const float *element, float *inverse)
{
    enum { N = OOZE_VELOCITY_ROWS };
    double a[N * N], x[N];
    for (int k = 0; k < OOZE_VELOCITY_ELEMENT; k++) {
        int pair = k / OOZE_VELOCITY_BLOCK, e = k % OOZE_VELOCITY_BLOCK;
        a[N * (3 * (pair / 8) + e % 3) + 3 * (pair % 8) + e / 3] = (double)element[k];
    }
    factorise(a, N);
    for (int k = 0; k < N; k++) {
        memset(x, 0, sizeof x);
        x[k] = 1.0;
        ooze_velocity_solve_factor(a, N, x);
        for (int j = 0; j <= k; j++) { /* symmetric also in the last bit */
            inverse[N * k + j] = inverse[N * j + k] = (float)x[j];
        }
    }
}

void ooze_velocity_invert_isolated(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeVelocityLevel *level = data;
    for (uint64_t k = begin; k < end; k++) {
        uint64_t e = level->isolated[k];
        invert_element(level->element + OOZE_VELOCITY_ELEMENT * e,
                       level->isolated_inverse +
                           (uint64_t)(OOZE_VELOCITY_ROWS * OOZE_VELOCITY_ROWS) * k);
        for (uint64_t c = 0; c < 8; c++) { /* the smoother leaves them alone */
            level->inverse[level->corner_node[8 * e + c]] = ooze_sym3_identity(0.0f);
        }
    }
}

void ooze_velocity_solve_isolated(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeVelocityLevel *level = data;
    enum { N = OOZE_VELOCITY_ROWS };
    for (uint64_t k = begin; k < end; k++) {
        const uint32_t *node = level->corner_node + 8 * (uint64_t)level->isolated[k];
        const float *inverse = level->isolated_inverse + (uint64_t)(N * N) * k;
        float sum[N] = {0};
        for (int j = 0; j < N; j++) {
            float b = level->b[node[j / 3]][j % 3];
            for (int i = 0; i < N; i++) {
                sum[i] += inverse[N * j + i] * b;
            }
        }
        for (int c = 0; c < 8; c++) {
            level->x[node[c]] = ooze_f32x4(sum[3 * c], sum[3 * c + 1], sum[3 * c + 2], 0.0f);
        }
    }
}
