/* The pressure that particles carry from step to step, for the processor and the GPU: see
   carried_pressure.h. */
#ifndef OOZE_METHODS_CONFORMATION_CARRIED_PRESSURE_FORMULA_H
#define OOZE_METHODS_CONFORMATION_CARRIED_PRESSURE_FORMULA_H

#include <stdbool.h>
#include <stdint.h>

#include "physics/yield.h"

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
/* Strain rate over fall_rate at which half of the hourglass coefficient is left. */
#define OOZE_CARRIED_SLOW 4.0f
/* Of the pressure of the density stage beyond that of so much depth, in spacings, this share joins
   the carried one in a step: in deep fluid the divergence that is left is too small to find it
   soon. Shallower pressure may be that of disorder. A larger share overshoots: a film of 20 Pa s
   becomes thicker and flows 1.10 times as fast with 0.2, 1.00 with 0.05. */
#define OOZE_CARRIED_FEED       0.05f
#define OOZE_CARRIED_FEED_DEPTH 2.0f

typedef struct OozeCarriedPressure {
    float value;     /* pressure over the reference density, m2/s2, never below 0 */
    float stiffness; /* of the step that has found it, m2/s */
} OozeCarriedPressure;

/* What is the same for all particles. 0 where particle bodies are: all shifts of the density stage
   are momentum there, and of these a stiffer fluid makes motion that hardly decays. */
typedef struct OozeCarriedScales {
    float inertia;   /* stiffness that stops compression of a particle within a step, m2/s */
    float fall_rate; /* fall of a step over the spacing, 1/s */
    float layer;     /* weight of a layer of one spacing over its area and density, m2/s2 */
} OozeCarriedScales;

OOZE_FORMULA OozeCarriedScales ooze_carried_scales(float spacing, float dt, float gravity)
{
    OozeCarriedScales scales = {spacing * spacing / dt, gravity * dt / spacing, gravity * spacing};
    return scales;
}

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

/* Share of its weight that a particle carries: 0 in free fall, 1 half a spacing deep. */
OOZE_FORMULA float ooze_carried_weight(OozeCarriedPressure carried, OozeCarriedScales scales)
{
    return scales.layer > 0.0f ? ooze_min(1.0f, 2.0f * carried.value / scales.layer) : 0.0f;
}

/* 1 at rest under weight; 0 in free fall, and in fluid that is strained much faster than its fall
   in a step moves neighbours apart: there motion that gradients do not see is small beside the
   flow, and the hourglass term would resist what is curved in it. */
OOZE_FORMULA float ooze_carried_slow(OozeCarriedPressure carried, OozeMat3 gradient,
                                     OozeCarriedScales scales)
{
    float fall = OOZE_CARRIED_SLOW * scales.fall_rate * ooze_carried_weight(carried, scales);
    float strain = (float)ooze_sym3_norm2(ooze_mat3_symmetric(gradient));
    return fall > 0.0f ? fall * fall / (fall * fall + strain) : 0.0f;
}

/* Adds the carried pressure to the coefficients of a particle with this velocity gradient, and
   raises their stiffness. */
OOZE_FORMULA void ooze_carried_apply(OozeCarriedPressure carried, OozeMat3 gradient,
                                     OozeCarriedScales scales, float *bulk, float *hourglass,
                                     OozeSym3 *explicit_stress)
{
    float inertia = scales.inertia * ooze_carried_weight(carried, scales);
    float stiffness = ooze_carried_stiffness(*bulk, inertia);
    *hourglass +=
        OOZE_CARRIED_HOURGLASS * ooze_carried_slow(carried, gradient, scales) * (stiffness - *bulk);
    *bulk = stiffness;
    *explicit_stress =
        ooze_sym3_add_pressure(*explicit_stress, -ooze_carried_guess(carried, stiffness));
}

/* Rate at which a step with velocity gradient L changes volume, (det(I + dt L) - 1)/dt: to keep its
   volume fluid that rotates must contract along the tangents of its motion. */
OOZE_FORMULA float ooze_carried_volume_rate(OozeMat3 l, float dt)
{
    const OOZE_REAL *m = l.m;
    OOZE_REAL minors =
        m[0] * m[4] - m[1] * m[3] + m[0] * m[8] - m[2] * m[6] + m[4] * m[8] - m[5] * m[7];
    return (float)(m[0] + m[4] + m[8] + dt * (minors + dt * ooze_mat3_det(l)));
}

/* The multiplier of a volume rate of at least -closure expansion/dt after a solve with this
   stiffness and velocity gradient. */
OOZE_FORMULA OozeCarriedPressure ooze_carried_next(OozeCarriedPressure carried, float stiffness,
                                                   OozeMat3 gradient, float expansion, float dt)
{
    float rate = ooze_carried_volume_rate(gradient, dt) +
                 OOZE_CARRIED_CLOSURE * ooze_max(0.0f, expansion) / dt;
    float guess = ooze_carried_guess(carried, stiffness);
    OozeCarriedPressure next = {ooze_max(0.0f, guess - stiffness * rate), stiffness};
    return next;
}

/* Pressure that the density stage, whose multiplier is this, adds to the carried one. */
OOZE_FORMULA float ooze_carried_feed(float multiplier, float value, OozeCarriedScales scales,
                                     float dt)
{
    float least = OOZE_CARRIED_FEED_DEPTH * scales.layer;
    float beyond = ooze_min(multiplier / (dt * dt) - least, value + least);
    return scales.layer > 0.0f ? OOZE_CARRIED_FEED * ooze_max(0.0f, beyond) : 0.0f;
}

/* Share of a shift of the density stage that enters no velocity, in slow fluid: the smallest of the
   materials present counts for all, so that what is left conserves momentum. */
OOZE_FORMULA float ooze_carried_still(float stiffness, float inertia)
{
    return stiffness / (stiffness + OOZE_CARRIED_HALF * inertia);
}

/* Over all particles. */
typedef struct OozeCarriedSums {
    double slow, pressure; /* see ooze_carried_slow, and the carried pressure */
    double multiplier;     /* of the density stage, where pressure is carried */
} OozeCarriedSums;

/* That share in this step. Pressure that the density stage has found besides the carried one must
   enter velocities, or the fluid would go on sinking. */
OOZE_FORMULA float ooze_carried_still_now(float still, OozeCarriedSums sums, uint64_t n, float dt)
{
    double found = sums.multiplier / ((double)dt * (double)dt);
    double part = sums.pressure > 0.0 ? sums.pressure / (sums.pressure + found) : 0.0;
    return n > 0 ? still * (float)(part * sums.slow / (double)n) : 0.0f;
}

#endif
