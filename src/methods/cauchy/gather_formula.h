/* Weights of pairs, and what follows from the sums over the neighbours of a particle; for the
   processor and the GPU. */
#ifndef OOZE_METHODS_CAUCHY_GATHER_FORMULA_H
#define OOZE_METHODS_CAUCHY_GATHER_FORMULA_H

#include "methods/cauchy/walls_formula.h"
#include "physics/gradient_correction.h"

/* |sum h| of a particle over that at a flat surface, up to which it counts as inside: edges and
   corners of walls stay below. */
#define OOZE_CAUCHY_INSIDE 0.4f
/* Number density over n0 below which a particle is at a surface, whatever sum h is: in the middle
   of a thin thread or film it is 0. */
#define OOZE_CAUCHY_THIN 0.65f

/* Factor of the weight of a pair whose particles see walls; (x, y, z) points from the first to
   the second. */
OOZE_FORMULA float ooze_cauchy_pair_mirror(const OozeCauchyConstants *k, const OozeCauchyWall *a,
                                           const OozeCauchyWall *b, float x, float y, float z)
{
    return 0.5f * (ooze_cauchy_mirror(k, a, x, y, z) + ooze_cauchy_mirror(k, b, -x, -y, -z));
}

/* Coupling to the air, 1/m2. Missing neighbours are air of the pressure 0 at half their distance,
   so that a linear pressure that is 0 half a spacing above a flat surface is in balance. It grows
   from 0 in proportion to what is missing, so that no particle is at the surface in one step and
   inside in the next. Where fluid is compressed, sum h grows with the number of neighbours though
   none is missing. `number`: number density over n0; `length`: |sum h|, walls included. */
OOZE_FORMULA float ooze_cauchy_air(const OozeCauchyConstants *k, float number, float length)
{
    float side = length / (0.5f * k->flat_edge * fmaxf(number, 1.0f));
    float missing =
        k->flat_number * fmaxf(side - OOZE_CAUCHY_INSIDE, 0.0f) / (1.0f - OOZE_CAUCHY_INSIDE);
    missing = fmaxf(missing, 1.0f - number - (1.0f - OOZE_CAUCHY_THIN));
    return 2.0f * k->laplacian * k->number_density * missing;
}

/* Rate of expansion that takes the density of compressed fluid back to that at rest, 1/s. Fluid
   below it is no error that could be measured: surfaces lack neighbours. Errors of the density of
   rough fluid are no compression; far above them it collapses unless the rate grows. */
OOZE_FORMULA float ooze_cauchy_divergence_target(const OozeCauchyConstants *k, float density)
{
    const float tolerance = 0.01f, most = 0.1f, collapsing = 0.3f;
    float excess = fmaxf(density - 1.0f - tolerance, 0.0f);
    return k->density_relaxation * (fminf(excess, most) + fmaxf(excess - collapsing, 0.0f));
}

/* B of pressures; where neighbours do not span three directions, gradients stay uncorrected. */
OOZE_FORMULA OozeSym3 ooze_cauchy_pressure_correction(const OozeCauchyConstants *k, OozeSym3 moment,
                                                      unsigned count)
{
    OozeSym3 b = ooze_gradient_correction(moment, count);
    return k->classic || b.xx == 0.0f ? ooze_sym3_identity(1.0f) : b;
}

#endif
