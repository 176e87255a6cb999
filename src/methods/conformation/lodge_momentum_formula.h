/* The rigid motion that restores the momenta of a component of fluid: see lodge_momentum.c. Valid
   C17 and CUDA. */
#ifndef OOZE_METHODS_CONFORMATION_LODGE_MOMENTUM_FORMULA_H
#define OOZE_METHODS_CONFORMATION_LODGE_MOMENTUM_FORMULA_H

#include "physics/rigid_motion.h"

/* Sums over a component, positions from its root. */
typedef struct OozeMomentumSums {
    double mass, first[3], second[6]; /* moments of mass */
    double p[3], l[3];                /* lack of linear and angular momentum */
    double held;                      /* particles on which walls, nozzles or contacts act */
    double wraps;                     /* of which the nearest image is far across a periodic axis */
} OozeMomentumSums;

/* Adds a particle at x from the root that lacks the velocity u. length: of the periodic box, 0
   along axes that are not periodic. */
OOZE_FORMULA void ooze_momentum_add(OozeMomentumSums *sum, double mass, const double x[3],
                                    const double u[3], const float length[3], bool held)
{
    double p[3];
    sum->mass += mass;
    for (int k = 0; k < 3; k++) {
        p[k] = mass * u[k];
        sum->first[k] += mass * x[k];
        sum->p[k] += p[k];
        sum->wraps += length[k] > 0.0f && fabs(x[k]) > 0.25 * (double)length[k] ? 1.0 : 0.0;
    }
    ooze_rigid_add_moment(sum->second, mass, x);
    sum->l[0] += x[1] * p[2] - x[2] * p[1];
    sum->l[1] += x[2] * p[0] - x[0] * p[2];
    sum->l[2] += x[0] * p[1] - x[1] * p[0];
    sum->held += held ? 1.0 : 0.0;
}

/* Linear velocity at the root and angular velocity with the momenta that are lacking. */
OOZE_FORMULA void ooze_momentum_motion(const OozeMomentumSums *sum, double spacing, double y[6])
{
    double mean[3], inverse[6], l[3], moment[6];
    for (int k = 0; k < 6; k++) {
        y[k] = 0.0;
    }
    if (sum->held > 0.0 || !(sum->mass > 0.0)) {
        return;
    }
    for (int k = 0; k < 3; k++) {
        mean[k] = sum->first[k] / sum->mass;
        y[k] = sum->p[k] / sum->mass;
    }
    if (sum->wraps == 0.0) {
        for (int k = 0; k < 6; k++) {
            moment[k] = sum->second[k];
        }
        ooze_rigid_add_moment(moment, -sum->mass, mean);
        ooze_rigid_inverse_inertia(moment, 1e-6 * sum->mass * spacing * spacing, inverse);
        l[0] = sum->l[0] - (mean[1] * sum->p[2] - mean[2] * sum->p[1]);
        l[1] = sum->l[1] - (mean[2] * sum->p[0] - mean[0] * sum->p[2]);
        l[2] = sum->l[2] - (mean[0] * sum->p[1] - mean[1] * sum->p[0]);
        ooze_sym6_apply(inverse, l, y + 3);
        y[0] -= y[4] * mean[2] - y[5] * mean[1];
        y[1] -= y[5] * mean[0] - y[3] * mean[2];
        y[2] -= y[3] * mean[1] - y[4] * mean[0];
    }
}

/* Velocity at x of such a motion. */
OOZE_FORMULA void ooze_momentum_velocity(const double y[6], const double x[3], float u[3])
{
    u[0] = (float)(y[0] + y[4] * x[2] - y[5] * x[1]);
    u[1] = (float)(y[1] + y[5] * x[0] - y[3] * x[2]);
    u[2] = (float)(y[2] + y[3] * x[1] - y[4] * x[0]);
}

#endif
