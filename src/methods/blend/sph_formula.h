/* The SPH half of the blend method, per particle and per pair, for the processor and the GPU. */
#ifndef OOZE_METHODS_BLEND_SPH_FORMULA_H
#define OOZE_METHODS_BLEND_SPH_FORMULA_H

#include <stdbool.h>

#include "physics/kernels.h"

/* What a neighbour needs of a particle. */
typedef struct OozeBlendState {
    float pressure;        /* over the density of the first material, m2/s2 */
    float inverse_density; /* relative to rest */
    float viscosity;       /* m2/s */
    float fluid_share;
} OozeBlendState;

/* Rounding of densities on the rest lattice, which must not push. */
#define OOZE_BLEND_DENSITY_SLACK 1e-5f

/* Pressure over the density of the first material, m2/s2, at a density d relative to rest: eq 1's
   k (rho - rho_0). Below rest density, where SPH densities are at every free surface, only the
   printed equation pulls. */
OOZE_FORMULA float ooze_blend_pressure(float relative_mass, float density, float sound,
                                       bool published)
{
    float p = relative_mass * sound * sound * (density - 1.0f - OOZE_BLEND_DENSITY_SLACK);
    return p > 0.0f || published ? p : 0.0f;
}

/* Share of the SPH forces between two particles in their acceleration, the same for both, so that
   momentum is conserved: the mean of their fluid shares. Particles that share no region feel the
   whole pressure: bodies that touch push each other however elastic they are. */
OOZE_FORMULA float ooze_blend_pair_share(float a, float b, bool one_region)
{
    return one_region ? 0.5f * (a + b) : 1.0f;
}

/* Share of the pressure of walls on a particle. */
OOZE_FORMULA float ooze_blend_pressure_share(float fluid_share, bool blended)
{
    return blended ? fluid_share : 1.0f;
}

/* Number w with acceleration w (x_j - x_i), by pressures p over both densities' product. */
OOZE_FORMULA float ooze_blend_push(float p_i, float p_j, float inverse_density_product, float slope,
                                   float r, float h)
{
    return 0.5f * (p_i + p_j) * inverse_density_product * ooze_kernel_gradient_scale(slope, r, h);
}

#endif
