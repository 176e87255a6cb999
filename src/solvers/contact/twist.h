/* Six numbers of a rigid body, linear then angular: velocities, momenta, or one row of a constraint
   on velocities. Valid C17 and CUDA. */
#ifndef OOZE_SOLVERS_CONTACT_TWIST_H
#define OOZE_SOLVERS_CONTACT_TWIST_H

#include <math.h>

#include "base/formula.h"

typedef struct OozeTwist {
    double v[6];
} OozeTwist;

OOZE_FORMULA double ooze_twist_dot(const OozeTwist *a, const OozeTwist *b)
{
    double sum = 0.0;
    for (int c = 0; c < 6; c++) {
        sum += a->v[c] * b->v[c];
    }
    return sum;
}

/* a += s b */
OOZE_FORMULA void ooze_twist_add(OozeTwist *a, double s, const OozeTwist *b)
{
    for (int c = 0; c < 6; c++) {
        a->v[c] += s * b->v[c];
    }
}

/* Symmetric: masses and stiffnesses, or their inverses. */
typedef struct OozeTwistMatrix {
    double m[36];
} OozeTwistMatrix;

OOZE_FORMULA OozeTwist ooze_twist_apply(const OozeTwistMatrix *a, const OozeTwist *b)
{
    OozeTwist y;
    for (int r = 0; r < 6; r++) {
        y.v[r] = 0.0;
        for (int c = 0; c < 6; c++) {
            y.v[r] += a->m[6 * r + c] * b->v[c];
        }
    }
    return y;
}

/* Adds N^T K N, where N takes the six velocities to that of a point at `arm`; k: 3 x 3. */
OOZE_FORMULA void ooze_twist_add_point(OozeTwistMatrix *a, const float k[9], const double arm[3])
{
    const double n[3][6] = {{1, 0, 0, 0, arm[2], -arm[1]},
                            {0, 1, 0, -arm[2], 0, arm[0]},
                            {0, 0, 1, arm[1], -arm[0], 0}};
    for (int r = 0; r < 6; r++) {
        for (int c = 0; c < 6; c++) {
            for (int e = 0; e < 9; e++) {
                a->m[6 * r + c] += n[e / 3][r] * (double)k[e] * n[e % 3][c];
            }
        }
    }
}

/* Of a positive definite matrix, by its factor L L^T. */
OOZE_FORMULA OozeTwistMatrix ooze_twist_inverse(OozeTwistMatrix a)
{
    OozeTwistMatrix inverse;
    for (int j = 0; j < 6; j++) {
        for (int i = j; i < 6; i++) {
            double sum = a.m[6 * i + j];
            for (int k = 0; k < j; k++) {
                sum -= a.m[6 * i + k] * a.m[6 * j + k];
            }
            a.m[6 * i + j] = i == j ? sqrt(fmax(sum, 1e-300)) : sum / a.m[7 * j];
        }
    }
    for (int c = 0; c < 6; c++) {
        double y[6];
        for (int i = 0; i < 6; i++) {
            y[i] = i == c ? 1.0 : 0.0;
            for (int j = 0; j < i; j++) {
                y[i] -= a.m[6 * i + j] * y[j];
            }
            y[i] /= a.m[7 * i];
        }
        for (int i = 5; i >= 0; i--) {
            for (int j = i + 1; j < 6; j++) {
                y[i] -= a.m[6 * j + i] * y[j];
            }
            y[i] /= a.m[7 * i];
            inverse.m[6 * i + c] = y[i];
        }
    }
    return inverse;
}

/* Takes out of an inverse mass what moves along a row: no force then gives velocity along it. */
OOZE_FORMULA void ooze_twist_hold(OozeTwistMatrix *inverse, const OozeTwist *row)
{
    OozeTwist response = ooze_twist_apply(inverse, row);
    double along = ooze_twist_dot(row, &response);
    for (int k = 0; k < 36 && along > 0.0; k++) {
        inverse->m[k] -= response.v[k / 6] * response.v[k % 6] / along;
    }
}

#endif
