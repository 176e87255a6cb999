/* Bound of an explicit step of the stress method for any arrangement of particles and any stretch
   of the polymer; derived in docs/methods/stress.md.

   A step dt is stable if dt^2 K + 2 dt Gamma + 2 dt / tau <= 4, with K the form of elastic forces
   and Gamma that of damping. Since B^-1 = sum f x x^T, the inequality of Cauchy and Schwarz bounds
   |L_i|^2 by |B_i| sum f |u_ji|^2, less the form of hourglass damping. The sum is that of a graph
   with the weights w_i + w_j on its edges, whose eigenvalues Gershgorin's rows bound. */
#ifndef OOZE_METHODS_STRESS_STABILITY_FORMULA_H
#define OOZE_METHODS_STRESS_STABILITY_FORMULA_H

#include <math.h>

#include "methods/stress/step.h"
#include "physics/tensor.h"

/* The sum of elastic, viscous and relaxing parts that a step may reach. */
#define OOZE_STRESS_BOUND 4.0

/* |B|: the largest eigenvalue of the correction; 0 where there is no stress. */
OOZE_FORMULA double ooze_stress_correction_norm(OozeSym3 correction)
{
    return -(double)ooze_sym3_min_eigenvalue(ooze_sym3_scale(correction, -1));
}

/* Stiffness of an edge in a step of length dt against motion that L describes, over |B|. `stretch`
   is at least the largest eigenvalue of Q. */
OOZE_FORMULA double ooze_stress_linear_stiffness(const OozeStressMaterial *m, double stretch,
                                                 double dt)
{
    return 2.0 * dt * (dt * m->modulus * stretch + 2.0 * m->viscosity);
}

/* The same against other motion, by hourglass damping. */
OOZE_FORMULA double ooze_stress_hourglass_stiffness(const OozeStressMaterial *m, double dt)
{
    return 2.0 * dt * m->hourglass;
}

/* w of a particle: no motion meets both. */
OOZE_FORMULA double ooze_stress_edge_stiffness(const OozeStressMaterial *m, double norm,
                                               double stretch, double dt)
{
    double linear = norm * ooze_stress_linear_stiffness(m, stretch, dt);
    return norm > 0.0 ? fmax(linear, ooze_stress_hourglass_stiffness(m, dt)) : 0.0;
}

#endif
