/* Rigid body motion: inertia, angular velocity from angular momentum, and the rotation of a step.
   In double, for sums over all particles of a body; valid C17 and CUDA.

   Symmetric 3x3 matrices are six numbers in the order xx, yy, zz, xy, xz, yz. */
#ifndef OOZE_PHYSICS_RIGID_MOTION_H
#define OOZE_PHYSICS_RIGID_MOTION_H

#include "physics/formula.h"

/* out = s v */
OOZE_FORMULA void ooze_sym6_apply(const double s[6], const double v[3], double out[3])
{
    double x = s[0] * v[0] + s[3] * v[1] + s[4] * v[2];
    double y = s[3] * v[0] + s[1] * v[1] + s[5] * v[2];
    double z = s[4] * v[0] + s[5] * v[1] + s[2] * v[2];
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

/* moment += mass x x^T */
OOZE_FORMULA void ooze_rigid_add_moment(double moment[6], double mass, const double x[3])
{
    moment[0] += mass * x[0] * x[0];
    moment[1] += mass * x[1] * x[1];
    moment[2] += mass * x[2] * x[2];
    moment[3] += mass * x[0] * x[1];
    moment[4] += mass * x[0] * x[2];
    moment[5] += mass * x[1] * x[2];
}

/* The direction of collinear points: the longest column of their moment. */
OOZE_FORMULA void ooze_rigid_line_direction(const double moment[6], double d[3])
{
    double columns[3][3] = {{moment[0], moment[3], moment[4]},
                            {moment[3], moment[1], moment[5]},
                            {moment[4], moment[5], moment[2]}};
    int best = moment[1] > moment[0] ? 1 : 0;
    best = moment[2] > moment[best] ? 2 : best;
    double size = sqrt(columns[best][0] * columns[best][0] + columns[best][1] * columns[best][1] +
                       columns[best][2] * columns[best][2]);
    for (int k = 0; k < 3; k++) {
        d[k] = columns[best][k] / size;
    }
}

/* Inverse of the inertia tr(moment) I - moment about the centre of mass. It is 0 for rotations that
   do not move the points: all of a single point, and those of collinear points about their line. A
   trace up to `least` counts as a single point. */
OOZE_FORMULA void ooze_rigid_inverse_inertia(const double moment[6], double least,
                                             double inverse[6])
{
    double trace = moment[0] + moment[1] + moment[2];
    double xx = trace - moment[0], yy = trace - moment[1], zz = trace - moment[2];
    double xy = -moment[3], xz = -moment[4], yz = -moment[5];
    double det = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
    for (int k = 0; k < 6; k++) {
        inverse[k] = 0.0;
    }
    if (!(trace > least)) {
        return;
    }
    if (det > 1e-6 * trace * trace * trace) {
        inverse[0] = (yy * zz - yz * yz) / det;
        inverse[1] = (xx * zz - xz * xz) / det;
        inverse[2] = (xx * yy - xy * xy) / det;
        inverse[3] = (xz * yz - xy * zz) / det;
        inverse[4] = (xy * yz - xz * yy) / det;
        inverse[5] = (xy * xz - xx * yz) / det;
        return;
    }
    double d[3];
    ooze_rigid_line_direction(moment, d);
    inverse[0] = (1.0 - d[0] * d[0]) / trace;
    inverse[1] = (1.0 - d[1] * d[1]) / trace;
    inverse[2] = (1.0 - d[2] * d[2]) / trace;
    inverse[3] = -d[0] * d[1] / trace;
    inverse[4] = -d[0] * d[2] / trace;
    inverse[5] = -d[1] * d[2] / trace;
}

/* The rotation about w by the angle |w|, row major: orthonormal to rounding; the error of the angle
   is below 1e-5 up to half a radian. Cayley's map of the vector along w of length tan(|w|/2). */
OOZE_FORMULA void ooze_rigid_rotation(const double w[3], double r[9])
{
    double square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    double half = 0.5 * (1.0 + square / 12.0 * (1.0 + square / 10.0));
    double a = half * w[0], b = half * w[1], c = half * w[2];
    double s = 1.0 / (1.0 + a * a + b * b + c * c);
    r[0] = (1.0 + a * a - b * b - c * c) * s;
    r[1] = 2.0 * (a * b - c) * s;
    r[2] = 2.0 * (a * c + b) * s;
    r[3] = 2.0 * (a * b + c) * s;
    r[4] = (1.0 - a * a + b * b - c * c) * s;
    r[5] = 2.0 * (b * c - a) * s;
    r[6] = 2.0 * (a * c - b) * s;
    r[7] = 2.0 * (b * c + a) * s;
    r[8] = (1.0 - a * a - b * b + c * c) * s;
}

/* out = r v, or with `back` r^T v */
OOZE_FORMULA void ooze_rigid_rotate(const double r[9], const double v[3], int back, double out[3])
{
    int row = back ? 1 : 3, column = back ? 3 : 1;
    double turned[3];
    for (int k = 0; k < 3; k++) {
        turned[k] = r[row * k] * v[0] + r[row * k + column] * v[1] + r[row * k + 2 * column] * v[2];
    }
    for (int k = 0; k < 3; k++) {
        out[k] = turned[k];
    }
}

/* Spin of a body that has turned by r since its inverse inertia was taken: r inverse r^T l. */
OOZE_FORMULA void ooze_rigid_spin(const double inverse[6], const double r[9], const double l[3],
                                  double w[3])
{
    double v[3];
    ooze_rigid_rotate(r, l, 1, v);
    ooze_sym6_apply(inverse, v, v);
    ooze_rigid_rotate(r, v, 0, w);
}

/* The turn of a step of a body with angular momentum l, which stays, by the midpoint rule: the spin
   half-way, where the body has turned by half of what it began with. */
OOZE_FORMULA void ooze_rigid_step(const double inverse[6], const double l[3], double dt,
                                  double turn[9])
{
    double w[3], half[9];
    ooze_sym6_apply(inverse, l, w);
    for (int k = 0; k < 3; k++) {
        w[k] *= 0.5 * dt;
    }
    ooze_rigid_rotation(w, half);
    ooze_rigid_spin(inverse, half, l, w);
    for (int k = 0; k < 3; k++) {
        w[k] *= dt;
    }
    ooze_rigid_rotation(w, turn);
}

#endif
