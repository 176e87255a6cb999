/* Rotation in one step, from the antisymmetric part of the velocity gradient. Valid C17 and CUDA.
   */
#ifndef OOZE_PHYSICS_SPIN_H
#define OOZE_PHYSICS_SPIN_H

#include "physics/tensor.h"

/* Axis times angle of a step. */
typedef struct OozeSpin {
    OOZE_REAL x, y, z;
} OozeSpin;

/* w dt: the axial vector of the antisymmetric part of l, its length limited to `most`. */
OOZE_FORMULA OozeSpin ooze_spin(OozeMat3 l, OOZE_REAL dt, OOZE_REAL most)
{
    const OOZE_REAL half = (OOZE_REAL)0.5 * dt;
    OozeSpin w;
    w.x = half * (l.m[7] - l.m[5]);
    w.y = half * (l.m[2] - l.m[6]);
    w.z = half * (l.m[3] - l.m[1]);
    OOZE_REAL angle = OOZE_SQRT(w.x * w.x + w.y * w.y + w.z * w.z);
    OOZE_REAL scale = angle > most ? most / angle : 1;
    w.x *= scale;
    w.y *= scale;
    w.z *= scale;
    return w;
}

/* Cayley's map (I - W/2)^-1 (I + W/2) of the cross product matrix W of w: orthonormal to rounding
   and of second order in w. */
OOZE_FORMULA OozeMat3 ooze_spin_rotation(OozeSpin w)
{
    OOZE_REAL a = w.x / 2, b = w.y / 2, c = w.z / 2;
    OOZE_REAL s = 1 / (1 + a * a + b * b + c * c);
    OozeMat3 r;
    r.m[0] = (1 + a * a - b * b - c * c) * s;
    r.m[1] = 2 * (a * b - c) * s;
    r.m[2] = 2 * (a * c + b) * s;
    r.m[3] = 2 * (a * b + c) * s;
    r.m[4] = (1 - a * a + b * b - c * c) * s;
    r.m[5] = 2 * (b * c - a) * s;
    r.m[6] = 2 * (a * c - b) * s;
    r.m[7] = 2 * (b * c + a) * s;
    r.m[8] = (1 - a * a - b * b + c * c) * s;
    return r;
}

/* W^T W: the spurious stretch of I + W to second order. */
OOZE_FORMULA OozeSym3 ooze_spin_square(OozeSpin w)
{
    OOZE_REAL w2 = w.x * w.x + w.y * w.y + w.z * w.z;
    return ooze_sym3(w2 - w.x * w.x, w2 - w.y * w.y, w2 - w.z * w.z, -w.x * w.y, -w.x * w.z,
                     -w.y * w.z);
}

#endif
