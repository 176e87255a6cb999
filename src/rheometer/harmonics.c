#include "rheometer/harmonics.h"

#include <math.h>
#include <string.h>

void ooze_harmonics_begin(OozeHarmonics *h, const double *omega, int waves)
{
    memset(h, 0, sizeof *h);
    h->waves = waves;
    memcpy(h->omega, omega, (size_t)waves * sizeof *omega);
}

void ooze_harmonics_add(OozeHarmonics *h, double time, double value)
{
    double row[2 * OOZE_HARMONICS_MAX + 1];
    int n = 2 * h->waves + 1;
    for (int k = 0; k < h->waves; k++) {
        row[2 * k] = sin(h->omega[k] * time);
        row[2 * k + 1] = cos(h->omega[k] * time);
    }
    row[n - 1] = 1.0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            h->matrix[i][j] += row[i] * row[j];
        }
        h->right[i] += row[i] * value;
    }
}

/* The matrix is positive definite, given enough points: Gaussian elimination without pivoting. */
void ooze_harmonics_solve(OozeHarmonics *h, OozeWave *waves)
{
    int n = 2 * h->waves + 1;
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            double factor = h->matrix[j][i] / h->matrix[i][i];
            for (int k = i; k < n; k++) {
                h->matrix[j][k] -= factor * h->matrix[i][k];
            }
            h->right[j] -= factor * h->right[i];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) {
            h->right[i] -= h->matrix[i][k] * h->right[k];
        }
        h->right[i] /= h->matrix[i][i];
    }
    for (int k = 0; k < h->waves; k++) {
        waves[k] = (OozeWave){.in = h->right[2 * k], .out = h->right[2 * k + 1]};
    }
}
