/* The pressure that particles carry from step to step, for the processor and the GPU: see
   carried_pressure.h. */
#ifndef OOZE_METHODS_CONFORMATION_CARRIED_PRESSURE_FORMULA_H
#define OOZE_METHODS_CONFORMATION_CARRIED_PRESSURE_FORMULA_H

#include <stdbool.h>
#include <stdint.h>

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

typedef struct OozeCarriedPressure {
    float value;     /* pressure over the reference density, m2/s2, never below 0 */
    float stiffness; /* of the step that has found it, m2/s */
} OozeCarriedPressure;

/* Lanes of the field warm_start: the pressure, then its stiffness. */
enum { OOZE_CARRIED_LANE = 3 };

OOZE_FORMULA OozeCarriedPressure ooze_carried_get(const float *warm_start, uint64_t i)
{
    const float *lanes = warm_start + 8 * i + OOZE_CARRIED_LANE;
    OozeCarriedPressure carried = {lanes[0], lanes[1]};
    return carried;
}

OOZE_FORMULA void ooze_carried_set(float *warm_start, uint64_t i, OozeCarriedPressure carried)
{
    float *lanes = warm_start + 8 * i + OOZE_CARRIED_LANE;
    lanes[0] = carried.value;
    lanes[1] = carried.stiffness;
}

/* Fluid that overlaps, and fluid that nozzles move, carry none. In long steps the pressure begins
   anew: see impact.h. */
OOZE_FORMULA bool ooze_carries_pressure(float mobility, float relief_progress, bool long_step)
{
    return mobility > 0.0f && relief_progress >= 1.0f && !long_step;
}

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

/* The multiplier of div u >= -closure expansion/dt after a solve with this stiffness and velocity
   gradient. */
OOZE_FORMULA OozeCarriedPressure ooze_carried_next(OozeCarriedPressure carried, float stiffness,
                                                   OozeMat3 gradient, float expansion, float dt)
{
    float divergence = (float)(gradient.m[0] + gradient.m[4] + gradient.m[8]);
    float rate = divergence + OOZE_CARRIED_CLOSURE * ooze_max(0.0f, expansion) / dt;
    float guess = ooze_carried_guess(carried, stiffness);
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
