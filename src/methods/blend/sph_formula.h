/* The SPH half of the blend method, per particle and per pair, for the processor and the GPU. */
#ifndef OOZE_METHODS_BLEND_SPH_FORMULA_H
#define OOZE_METHODS_BLEND_SPH_FORMULA_H

#include <stdbool.h>

#include "methods/blend/constants.h"
#include "methods/blend/contact_formula.h"
#include "physics/kernels.h"

/* What a neighbour needs of a particle; read at once. */
typedef struct __attribute__((aligned(16))) OozeBlendState {
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

/* Share of pressure, of walls on a particle or between two, whose share is `share`. */
OOZE_FORMULA float ooze_blend_pressure_share(float share, bool blended)
{
    return blended ? share : 1.0f;
}

/* Number w with acceleration w (x_j - x_i), by pressures p over both densities' product. */
OOZE_FORMULA float ooze_blend_push(float p_i, float p_j, float inverse_density_product, float slope,
                                   float r, float h)
{
    return 0.5f * (p_i + p_j) * inverse_density_product * ooze_kernel_gradient_scale(slope, r, h);
}

/* Term of a neighbour at a squared distance r2 in the sum of densities, relative to that of the
   particle itself. sph_loops.c evaluates this and ooze_blend_pair for four neighbours at a time. */
OOZE_FORMULA float ooze_blend_density_term(float r2, float inverse_h2)
{
    float t = 1.0f - inverse_h2 * r2;
    return t > 0.0f ? t * t * t : 0.0f;
}

/* Whether particles share a region: their reference positions, which differ by q, are less than the
   radius apart and of the same step (`tag`: difference of their ooze_blend_shape_tag). */
OOZE_FORMULA bool ooze_blend_one_region(float qx, float qy, float qz, float tag, float radius2)
{
    return qx * qx + qy * qy + qz * qz < radius2 && tag == 0.0f;
}

/* Acceleration of a times its relative mass: push (x_b - x_a) + drag (u_b - u_a). */
typedef struct OozeBlendPair {
    float push, drag;
} OozeBlendPair;

OOZE_FORMULA OozeBlendPair ooze_blend_pair(const OozeBlendConstants *k, const OozeBlendState *a,
                                           const OozeBlendState *b, bool one_region, float r)
{
    OozeBlendPair pair;
    float inverse = a->inverse_density * b->inverse_density;
    float share = ooze_blend_pair_share(a->fluid_share, b->fluid_share, one_region);
    float slope = k->gradient_scale * ooze_spiky_slope(r, k->support);
    float laplacian = k->viscous * ooze_viscosity_laplacian(r, k->support);
    pair.push = ooze_blend_pressure_share(share, k->blended_pressure) *
                ooze_blend_push(a->pressure, b->pressure, inverse, slope, r, k->support);
    pair.drag = share * 0.5f * (a->viscosity + b->viscosity) * inverse * laplacian;
    return pair;
}

/* Eqs 1 to 3 as printed: the pressure of the neighbour alone, its velocity instead of the relative
   one, and one kernel for all. Acceleration of a times its relative mass: push (x_b - x_a) + drag
   u_b. Sums include the particle itself, as those of densities do: ooze_blend_printed_own_drag. */
OOZE_FORMULA OozeBlendPair ooze_blend_printed_pair(const OozeBlendConstants *k,
                                                   const OozeBlendState *a, const OozeBlendState *b,
                                                   float r)
{
    OozeBlendPair pair;
    const float h = k->support, q2 = r * r / (h * h), t = fmaxf(1.0f - q2, 0.0f);
    float share = a->fluid_share * (a->inverse_density * b->inverse_density);
    float laplacian = ooze_poly6_value(0.0f, h) / (h * h) * -6.0f * t * (3.0f - 7.0f * q2);
    pair.push = share * (k->gradient_scale * b->pressure *
                         ooze_kernel_gradient_scale(ooze_poly6_slope(r, h), r, h));
    pair.drag = share * (k->volume * a->viscosity * laplacian);
    return pair;
}

OOZE_FORMULA float ooze_blend_printed_own_drag(const OozeBlendConstants *k,
                                               const OozeBlendState *own)
{
    return ooze_blend_printed_pair(k, own, own, 0.0f).drag;
}

/* Velocity change of a particle by the pressure of a wall at a distance, along its normal. */
OOZE_FORMULA float ooze_blend_wall_change(const OozeBlendConstants *k, const OozeBlendState *own,
                                          float relative_mass, double distance)
{
    float share = ooze_blend_pressure_share(own->fluid_share, k->blended_pressure);
    return k->dt * share * own->pressure * own->inverse_density / relative_mass *
           ooze_blend_wall_gradient(distance, k->support);
}

#endif
