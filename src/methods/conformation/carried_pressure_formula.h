/* The pressure that particles carry from step to step, for the processor and the GPU: see
   carried_pressure.h. */
#ifndef OOZE_METHODS_CONFORMATION_CARRIED_PRESSURE_FORMULA_H
#define OOZE_METHODS_CONFORMATION_CARRIED_PRESSURE_FORMULA_H

#include "physics/tensor.h"

/* Viscosity alone makes thin fluid too soft: its stiffness rises by that which stops compression
   within a step against the inertia of a particle, but by no more than this factor. Water stays
   soft: without viscosity nothing damps motion of particles that gradients do not see. */
#define OOZE_CARRIED_STIFFENING 20.0f
/* Hourglass coefficient over the stiffness that is added. Gradients see one number of a particle's
   three velocities: fluid under weight finds motion that alternates from particle to particle, has
   no divergence and lets the fluid sink through itself, at a speed of g d^2 over this coefficient
   (it acts on no linear field). */
#define OOZE_CARRIED_HOURGLASS 3.0f
/* Share of an expansion beyond rest that a step takes back. */
#define OOZE_CARRIED_CLOSURE 0.1f
/* Stiffness over that of inertia at which half of the shifts of the density stage enter no
   velocity. */
#define OOZE_CARRIED_HALF 0.3f

/* Lane of the field warm_start: the pressure, then its stiffness. */
enum { OOZE_CARRIED_LANE = 3 };

typedef struct OozeCarriedPressure {
    float value;     /* pressure over the reference density, m2/s2, never below 0 */
    float stiffness; /* of the step that has found it, m2/s */
} OozeCarriedPressure;

/* Stiffness that stops compression of a particle within a step, m2/s. */
OOZE_FORMULA float ooze_carried_inertia(float spacing, float dt)
{
    return spacing * spacing / dt;
}

/* Stiffness against change of volume, m2/s; `inertia`: that of a particle. */
OOZE_FORMULA float ooze_carried_stiffness(float bulk, float inertia)
{
    return bulk + ooze_min(OOZE_CARRIED_STIFFENING * bulk, inertia);
}

/* The pressure to begin a step with. Fluid that has become softer, because it melts or thins, no
   longer withstands what it was found to: a softer fluid takes many steps to release it. */
OOZE_FORMULA float ooze_carried_guess(OozeCarriedPressure carried, float stiffness)
{
    return stiffness < carried.stiffness ? carried.value * (stiffness / carried.stiffness)
                                         : carried.value;
}

/* Adds the carried pressure to the coefficients of a particle, and raises their stiffness. */
OOZE_FORMULA void ooze_carried_apply(OozeCarriedPressure carried, float inertia, float *bulk,
                                     float *hourglass, OozeSym3 *explicit_stress)
{
    float stiffness = ooze_carried_stiffness(*bulk, inertia);
    *hourglass += OOZE_CARRIED_HOURGLASS * (stiffness - *bulk);
    *bulk = stiffness;
    *explicit_stress =
        ooze_sym3_add_pressure(*explicit_stress, -ooze_carried_guess(carried, stiffness));
}

/* The multiplier of div u >= -closure expansion/dt after a solve that began with the pressure
   `guess`. */
OOZE_FORMULA OozeCarriedPressure ooze_carried_next(float guess, float stiffness, float divergence,
                                                   float expansion, float dt)
{
    float rate = divergence + OOZE_CARRIED_CLOSURE * ooze_max(0.0f, expansion) / dt;
    OozeCarriedPressure next = {ooze_max(0.0f, guess - stiffness * rate), stiffness};
    return next;
}

/* Share of a shift of the density stage that enters no velocity: the smallest of the materials
   present counts for all, so that what is left conserves momentum. */
OOZE_FORMULA float ooze_carried_still(float stiffness, float inertia)
{
    return stiffness / (stiffness + OOZE_CARRIED_HALF * inertia);
}

#endif
