/* The rotation that best maps one set of points onto another: Horn 1987, "Closed-form solution of
   absolute orientation using unit quaternions". Always a proper rotation, never a reflection. In
   double; valid C17 and CUDA. */
#ifndef OOZE_PHYSICS_RIGID_FIT_H
#define OOZE_PHYSICS_RIGID_FIT_H

#include "physics/formula.h"

/* One rotation of Jacobi's eigenvalue method: makes a[p][q] zero and multiplies v by the rotation.
   */
OOZE_FORMULA void ooze_jacobi_rotate4(double a[4][4], double v[4][4], int p, int q)
{
    if (a[p][q] == 0.0) {
        return;
    }
    double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    double size = theta < 0.0 ? -theta : theta;
    double t = 1.0 / (size + sqrt(size * size + 1.0));
    t = theta < 0.0 ? -t : t;
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    OOZE_ROLLED
    for (int k = 0; k < 4; k++) {
        double x = a[k][p], y = a[k][q];
        a[k][p] = c * x - s * y;
        a[k][q] = s * x + c * y;
    }
    OOZE_ROLLED
    for (int k = 0; k < 4; k++) {
        double x = a[p][k], y = a[q][k];
        a[p][k] = c * x - s * y;
        a[q][k] = s * x + c * y;
        x = v[k][p];
        y = v[k][q];
        v[k][p] = c * x - s * y;
        v[k][q] = s * x + c * y;
    }
}

/* From m[3 a + b] = sum of (from_a - mean_a)(to_b - mean_b): the unit quaternion (w, x, y, z) that
   is the eigenvector of the largest eigenvalue of N. Points without extent leave it at identity. */
OOZE_FORMULA void ooze_rigid_fit_quaternion(const double m[9], double q[4])
{
    double a[4][4], v[4][4], scale = 0.0;
    a[0][0] = m[0] + m[4] + m[8];
    a[1][1] = m[0] - m[4] - m[8];
    a[2][2] = -m[0] + m[4] - m[8];
    a[3][3] = -m[0] - m[4] + m[8];
    a[0][1] = a[1][0] = m[5] - m[7];
    a[0][2] = a[2][0] = m[6] - m[2];
    a[0][3] = a[3][0] = m[1] - m[3];
    a[1][2] = a[2][1] = m[1] + m[3];
    a[1][3] = a[3][1] = m[6] + m[2];
    a[2][3] = a[3][2] = m[5] + m[7];
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            v[i][j] = i == j ? 1.0 : 0.0;
            scale += a[i][j] * a[i][j];
        }
    }
    for (int sweep = 0; sweep < 50; sweep++) {
        double off = 0.0;
        for (int i = 0; i < 3; i++) {
            for (int j = i + 1; j < 4; j++) {
                off += a[i][j] * a[i][j];
            }
        }
        if (!(off > 1e-34 * scale)) {
            break;
        }
        OOZE_ROLLED
        for (int i = 0; i < 3; i++) {
            OOZE_ROLLED
            for (int j = i + 1; j < 4; j++) {
                ooze_jacobi_rotate4(a, v, i, j);
            }
        }
    }
    int best = 0;
    for (int i = 1; i < 4; i++) {
        best = a[i][i] > a[best][best] ? i : best;
    }
    for (int i = 0; i < 4; i++) {
        q[i] = v[i][best];
    }
}

/* The same as a matrix, row by row: to - mean ~ r (from - mean). */
OOZE_FORMULA void ooze_rigid_fit(const double m[9], double r[9])
{
    double q[4];
    ooze_rigid_fit_quaternion(m, q);
    double w = q[0], x = q[1], y = q[2], z = q[3];
    r[0] = w * w + x * x - y * y - z * z;
    r[4] = w * w - x * x + y * y - z * z;
    r[8] = w * w - x * x - y * y + z * z;
    r[1] = 2.0 * (x * y - w * z);
    r[3] = 2.0 * (x * y + w * z);
    r[2] = 2.0 * (x * z + w * y);
    r[6] = 2.0 * (x * z - w * y);
    r[5] = 2.0 * (y * z - w * x);
    r[7] = 2.0 * (y * z + w * x);
}

#endif
