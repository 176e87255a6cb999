/* Pressures and forces of the wcsph method, for the processor and the GPU. Forces are over the
   density of the first material, m/s2.

   Mueller, Charypar and Gross 2003, eq 14, made symmetric: sum mu V lap W u_ji / (d_i d_j) - V (p_i
   / d_i^2 + p_j / d_j^2) grad W, with mu the mean of both. */
#ifndef OOZE_METHODS_WCSPH_PARTICLE_FORMULA_H
#define OOZE_METHODS_WCSPH_PARTICLE_FORMULA_H

#include "methods/wcsph/step.h"
#include "physics/wcsph.h"

/* A particle of a density relative to rest. */
OOZE_FORMULA OozeWcsphState ooze_wcsph_state(const OozeWcsphConstants *k,
                                             const OozeWcsphMaterial *material, float density)
{
    OozeWcsphState state;
    state.inverse_density = 1.0f / density;
    state.pressure_term = material->relative_mass * ooze_tait_pressure(density, k->sound) *
                          (state.inverse_density * state.inverse_density);
    state.viscosity = material->viscosity;
    return state;
}

/* Force of a neighbour at distance r, along the edge to it: the factor of x_ji. */
OOZE_FORMULA float ooze_wcsph_push(const OozeWcsphConstants *k, float own_term, float other_term,
                                   float r)
{
    return k->volume * (own_term + other_term) *
           ooze_kernel_gradient_scale(ooze_cubic_slope(r, k->support), r, k->support);
}

/* The factor of u_ji. */
OOZE_FORMULA float ooze_wcsph_drag(const OozeWcsphConstants *k, OozeWcsphState own,
                                   OozeWcsphState other, float r)
{
    return k->half_viscous *
           ((own.viscosity + other.viscosity) * (own.inverse_density * other.inverse_density)) *
           ooze_viscosity_laplacian(r, k->support);
}

/* The same of a boundary sample of an Akinci volume, which has the pressure of the particle. */
OOZE_FORMULA float ooze_wcsph_wall_push(const OozeWcsphConstants *k, float own_term, float volume,
                                        float r)
{
    return 2.0f * own_term * k->wall_volume * volume *
           ooze_kernel_gradient_scale(ooze_cubic_slope(r, k->support), r, k->support);
}

/* Of a no-slip solid: others exert no viscous drag. */
OOZE_FORMULA float ooze_wcsph_wall_drag(const OozeWcsphConstants *k, OozeWcsphState own,
                                        float volume, float r)
{
    return k->wall_viscous * own.viscosity * own.inverse_density * volume *
           ooze_viscosity_laplacian(r, k->support);
}

#endif
