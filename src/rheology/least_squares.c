#include "rheology/least_squares.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Step of numerical derivatives: above the square root of the error of the formulas, 1e-8. */
#define DIFFERENCE 1e-3
#define STEP_MAX   2.0 /* of one unknown in an iteration: a factor of e^2 */
enum { P = OOZE_UNKNOWNS_MAX, ROUNDS = 200, TRIES = 20 };

typedef struct Normal {
    double matrix[P][P]; /* J^T J */
    double slope[P];     /* J^T r */
} Normal;

static double student_95(double freedom)
{
    /* Cornish and Fisher's expansion about the normal distribution. */
    double z = 1.959964, z2 = z * z, f = 1.0 / freedom;
    double a = z * (z2 + 1.0) / 4.0, b = z * ((5.0 * z2 + 16.0) * z2 + 3.0) / 96.0;
    double c = z * (((3.0 * z2 + 19.0) * z2 + 17.0) * z2 - 15.0) / 384.0;
    return z + f * (a + f * (b + f * c));
}

double ooze_residual_sum(const OozeLeastSquares *problem, const double *unknowns)
{
    double *values = problem->work, sum = 0.0;
    problem->values(problem->context, unknowns, values);
    for (size_t i = 0; i < problem->count; i++) {
        double r = log(values[i] / problem->measured[i]);
        sum += r * r;
    }
    return isfinite(sum) ? sum : INFINITY;
}

static void linearise(const OozeLeastSquares *problem, const double *unknowns, Normal *normal)
{
    size_t n = problem->count;
    int unknown_count = problem->unknown_count;
    double *columns = problem->work + n, *above = columns + (size_t)P * n, at[P];
    memcpy(at, unknowns, (size_t)unknown_count * sizeof *at);
    for (int k = 0; k < unknown_count; k++) {
        double *column = columns + (size_t)k * n;
        at[k] = unknowns[k] + DIFFERENCE;
        problem->values(problem->context, at, above);
        at[k] = unknowns[k] - DIFFERENCE;
        problem->values(problem->context, at, column);
        at[k] = unknowns[k];
        for (size_t i = 0; i < n; i++) {
            column[i] = log(above[i] / column[i]) / (2.0 * DIFFERENCE);
        }
    }
    problem->values(problem->context, unknowns, problem->work);
    for (int k = 0; k < unknown_count; k++) {
        const double *a = columns + (size_t)k * n;
        for (int l = 0; l <= k; l++) {
            const double *b = columns + (size_t)l * n;
            double sum = 0.0;
            for (size_t i = 0; i < n; i++) {
                sum += a[i] * b[i];
            }
            normal->matrix[k][l] = normal->matrix[l][k] = sum;
        }
        double slope = 0.0;
        for (size_t i = 0; i < n; i++) {
            slope += a[i] * log(problem->work[i] / problem->measured[i]);
        }
        normal->slope[k] = slope;
    }
}

/* Cholesky factorisation in place, lower triangle; false where not positive definite. */
static bool factorise(double m[P][P], int n)
{
    for (int k = 0; k < n; k++) {
        double diagonal = m[k][k];
        for (int j = 0; j < k; j++) {
            m[k][k] -= m[k][j] * m[k][j];
        }
        if (!(m[k][k] > 1e-14 * diagonal) || !isfinite(m[k][k])) {
            return false;
        }
        m[k][k] = sqrt(m[k][k]);
        for (int i = k + 1; i < n; i++) {
            for (int j = 0; j < k; j++) {
                m[i][k] -= m[i][j] * m[k][j];
            }
            m[i][k] /= m[k][k];
        }
    }
    return true;
}

static void solve(double m[P][P], int n, double *b)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            b[i] -= m[i][j] * b[j];
        }
        b[i] /= m[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) {
            b[i] -= m[j][i] * b[j];
        }
        b[i] /= m[i][i];
    }
}

/* Leaves out unknowns at a bound whose descent leads beyond it; with `any` all unknowns at a bound.
   */
static int free_unknowns(const OozeLeastSquares *problem, const double *unknowns,
                         const Normal *normal, bool any, int *free)
{
    int count = 0;
    for (int k = 0; k < problem->unknown_count; k++) {
        bool low = unknowns[k] <= problem->low[k] && (any || normal->slope[k] > 0.0);
        bool high = unknowns[k] >= problem->high[k] && (any || normal->slope[k] < 0.0);
        if (!low && !high) {
            free[count++] = k;
        }
    }
    return count;
}

/* One damped step; false where the matrix is singular. */
static bool step(const OozeLeastSquares *problem, const double *unknowns, const Normal *normal,
                 double damping, double *next)
{
    double m[P][P], b[P];
    int free[P], count = free_unknowns(problem, unknowns, normal, false, free);
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) {
            m[i][j] = normal->matrix[free[i]][free[j]];
        }
        m[i][i] += damping * m[i][i] + 1e-12;
        b[i] = -normal->slope[free[i]];
    }
    memcpy(next, unknowns, (size_t)problem->unknown_count * sizeof *next);
    if (count == 0 || !factorise(m, count)) {
        return false;
    }
    solve(m, count, b);
    for (int i = 0; i < count; i++) {
        int k = free[i];
        double by = fmin(fmax(b[i], -STEP_MAX), STEP_MAX);
        next[k] = fmin(fmax(unknowns[k] + by, problem->low[k]), problem->high[k]);
    }
    return true;
}

static void find_half_widths(const OozeLeastSquares *problem, const double *unknowns,
                             Normal *normal, double sum, double *half_widths)
{
    linearise(problem, unknowns, normal);
    double m[P][P];
    int free[P], count = free_unknowns(problem, unknowns, normal, true, free);
    double freedom = (double)problem->count - problem->unknown_count;
    for (int k = 0; k < problem->unknown_count; k++) {
        half_widths[k] = INFINITY;
    }
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) {
            m[i][j] = normal->matrix[free[i]][free[j]];
        }
    }
    if (freedom < 1.0 || !factorise(m, count)) {
        return;
    }
    double scale = student_95(freedom) * sqrt(sum / freedom);
    for (int i = 0; i < count; i++) {
        double unit[P] = {0};
        unit[i] = 1.0;
        solve(m, count, unit);
        half_widths[free[i]] = scale * sqrt(unit[i]);
    }
}

double ooze_least_squares(const OozeLeastSquares *problem, double *unknowns, double *half_widths)
{
    Normal normal;
    memset(&normal, 0, sizeof normal);
    double sum = ooze_residual_sum(problem, unknowns), damping = 1e-3;
    bool improving = isfinite(sum);
    for (int round = 0; round < ROUNDS && improving; round++) {
        linearise(problem, unknowns, &normal);
        improving = false;
        for (int i = 0; i < TRIES && !improving; i++) {
            double next[P];
            bool solved = step(problem, unknowns, &normal, damping, next);
            double next_sum = solved ? ooze_residual_sum(problem, next) : INFINITY;
            if (next_sum < sum) {
                improving = next_sum < sum * (1.0 - 1e-9);
                sum = next_sum;
                memcpy(unknowns, next, (size_t)problem->unknown_count * sizeof *unknowns);
                damping = fmax(damping / 5.0, 1e-12);
                if (!improving) {
                    break;
                }
            } else {
                damping = fmin(damping * 4.0, 1e12);
            }
        }
    }
    find_half_widths(problem, unknowns, &normal, sum, half_widths);
    return sum;
}
