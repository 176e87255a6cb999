/* Numbers of the pressure solve, for the processor and the GPU. */
#ifndef OOZE_METHODS_CAUCHY_PRESSURE_FORMULA_H
#define OOZE_METHODS_CAUCHY_PRESSURE_FORMULA_H

#include "methods/cauchy/constants.h"
#include "solvers/multigrid/grid_multigrid_formula.h"

/* Number density over n0 below which a particle is at the free surface in the classic scheme. */
#define OOZE_CAUCHY_CLASSIC_SURFACE 0.97f

/* What is taken out of the right side in `rows` rows with this sum. Without a free surface the
   pressure is determined up to a constant, and a right side whose mean is not 0 has no solution:
   walls move towards each other, or the fluid is compressed. `open`: particles that are coupled to
   the pressure 0. */
OOZE_FORMULA float ooze_cauchy_mean(double sum, double open, double rows)
{
    return open == 0.0 && rows > 0.0 ? (float)(sum / rows) : 0.0f;
}

/* Kinematic pressure of the last step that acts before the projection, as far as viscosity makes
   the flow follow it. `pressure`: of the last step, over the reference density. */
OOZE_FORMULA float ooze_cauchy_last_pressure(const OozeCauchyConstants *k,
                                             const OozeCauchyMaterial *m, float pressure)
{
    float nu = m->viscosity + m->modulus * k->dt;
    float diffusion = 4.0f * nu * k->dt / (k->spacing * k->spacing);
    return k->classic ? 0.0f : pressure * diffusion / (1.0f + diffusion);
}

/* Diagonal part of the preconditioner. */
OOZE_FORMULA float ooze_cauchy_smooth(float residual, float diagonal)
{
    return diagonal > 0.0f ? OOZE_GRID_MULTIGRID_OMEGA * residual / diagonal : 0.0f;
}

/* Share of the pressure q whose error is least in the norm of kinetic energy, between 0.05 and 1. L
   is not exactly D M^-1 D^T: a whole step could overshoot where a surface is rough. `along`:
   q.(D u - s), D u with the velocities of walls, which may add energy; `square`: a.M a of the
   acceleration a by q. */
OOZE_FORMULA float ooze_cauchy_damped_share(double along, double square, double dt)
{
    double best = square > 0.0 ? -along / (dt * square) : 1.0;
    return (float)fmin(fmax(best, 0.05), 1.0);
}

/* Kinematic pressure after the solve. In thick fluids the divergence that the velocity solve leaves
   is a measure of the pressure that it lacked: -nu div u (Cahouet and Chabard 1988). `solved`: of
   the solve; `divergence`: that it removed, 1/s. */
OOZE_FORMULA float ooze_cauchy_next_pressure(float last, float solved, float viscosity,
                                             float divergence)
{
    return last + solved - viscosity * divergence;
}

#endif
