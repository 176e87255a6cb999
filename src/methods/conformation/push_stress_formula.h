/* The deviatoric stress of the pushes of the density stage, for the processor and the GPU: see
   push_stress.h. */
#ifndef OOZE_METHODS_CONFORMATION_PUSH_STRESS_FORMULA_H
#define OOZE_METHODS_CONFORMATION_PUSH_STRESS_FORMULA_H

#include <math.h>
#include <stdbool.h>

#include "methods/conformation/step.h"
#include "physics/tensor.h"

/* Stiffness times dt over the square of the spacing. Below the first value any material removes all
   of the stress of pushes. Above the second an elastic material removes none: its own stress
   resists more than the pushes do. */
#define OOZE_PUSH_STRESS_THIN  0.05f
#define OOZE_PUSH_STRESS_THICK 0.1f

/* Share of the stress of pushes that a material of this stiffness removes (m2/s, see A of the
   velocity solve). A viscous material removes at least the share of pushes that its velocity solve
   expects (expected_push_formula.h). Stress that stays resists slow shear like a yield stress,
   however thick the fluid is. */
OOZE_FORMULA float ooze_push_stress_share(float stiffness, float expected_push_share, float spacing,
                                          float dt)
{
    float thickness = stiffness * dt / (spacing * spacing);
    float share =
        (OOZE_PUSH_STRESS_THICK - thickness) / (OOZE_PUSH_STRESS_THICK - OOZE_PUSH_STRESS_THIN);
    share = share < 1.0f ? share : 1.0f;
    return share > expected_push_share ? share : expected_push_share;
}

/* Viscosity times dt over the square of the spacing. Above this value the shifts of the density
   stage change too. */
#define OOZE_PUSH_STRESS_OF_SHIFTS 0.01f

/* Largest shift, in spacings, by which the density stage carries the weight of fluid in a step. The
   shifts change only below it: removing stress from larger shifts would compress fluid that lands.
   */
#define OOZE_PUSH_STRESS_LONGEST 0.05f

/* `weight`: length of the gravity, m/s2. */
OOZE_FORMULA bool ooze_push_stress_is_of_shifts(float viscosity, float weight, float spacing,
                                                float dt)
{
    return viscosity * dt >= OOZE_PUSH_STRESS_OF_SHIFTS * spacing * spacing &&
           weight * dt * dt <= OOZE_PUSH_STRESS_LONGEST * spacing;
}

/* The part of the moment of pushes that is removed. */
OOZE_FORMULA OozeSym3 ooze_push_stress_deviator(OozeSym3 moment, float share)
{
    float mean = ooze_sym3_trace(moment) / 3.0f;
    moment.xx -= mean;
    moment.yy -= mean;
    moment.zz -= mean;
    return ooze_sym3_scale(moment, share);
}

/* Samples of walls near a particle. The normals of the two faces of a narrow gap are opposite. Such
   normals are turned to the side of the first one before all are averaged. */
typedef struct OozeNearWalls {
    float first[3];  /* normal of the first sample */
    float normal[3]; /* weighted sum of normals, turned to the side of the first */
    float weight;    /* sum of the weights; 0: there are no samples */
} OozeNearWalls;

/* Weight of a sample of a volume at the squared distance r2. */
OOZE_FORMULA float ooze_near_wall_weight(float r2, float support, float volume)
{
    float left = 1.0f - r2 / (support * support);
    return left > 0.0f ? volume * left : 0.0f;
}

/* Cosine of normals below which they are opposite. Not 0: rounding would turn normals of faces at
   right angles. */
#define OOZE_NEAR_WALLS_OPPOSITE (-0.5f)

/* Adds a sample with its outward unit normal. */
OOZE_FORMULA void ooze_near_walls_add(OozeNearWalls *walls, const float *normal, float weight)
{
    float along = 0.0f;
    for (int k = 0; k < 3; k++) {
        walls->first[k] = walls->weight > 0.0f ? walls->first[k] : normal[k];
        along += walls->first[k] * normal[k];
    }
    for (int k = 0; k < 3; k++) {
        walls->normal[k] +=
            along < OOZE_NEAR_WALLS_OPPOSITE ? -weight * normal[k] : weight * normal[k];
    }
    walls->weight += weight;
}

/* Below this length of the mean normal the walls form an edge or a corner, and not a plane. */
#define OOZE_NEAR_WALLS_FLAT 0.9f

/* The part that is removed near walls: the shear stress on planes along the wall. The moment lacks
   the pushes of walls, which act along the normal and have no such part. They balance the part of
   the moment along the normal. The other parts of the moment are those of half a neighbourhood.
   Edges and corners keep all stress: the moment of a quarter of a neighbourhood has shear also at
   rest. */
OOZE_FORMULA OozeSym3 ooze_push_stress_along_walls(OozeSym3 moment, const OozeNearWalls *walls,
                                                   float share)
{
    const float *sum = walls->normal;
    float length = sqrtf(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    if (!(length > OOZE_NEAR_WALLS_FLAT * walls->weight)) {
        return ooze_sym3(0, 0, 0, 0, 0, 0);
    }
    float n[3] = {sum[0] / length, sum[1] / length, sum[2] / length}, t[3];
    ooze_sym3_apply(moment, n, t); /* traction on a plane along the wall */
    float normal = t[0] * n[0] + t[1] * n[1] + t[2] * n[2];
    for (int k = 0; k < 3; k++) {
        t[k] = share * (t[k] - normal * n[k]);
    }
    return ooze_sym3(2.0f * t[0] * n[0], 2.0f * t[1] * n[1], 2.0f * t[2] * n[2],
                     t[0] * n[1] + t[1] * n[0], t[0] * n[2] + t[2] * n[0],
                     t[1] * n[2] + t[2] * n[1]);
}

/* Sums over all particles: the energy that the pushes have removed, and the energy that the change
   of velocities adds, to first order and to second. */
typedef struct OozePushEnergy {
    double removed, along, own;
} OozePushEnergy;

/* The energies of a particle, from its mass, its velocity after the pushes, the velocity that these
   have added, and the change. Vectors have three numbers. */
OOZE_FORMULA OozePushEnergy ooze_push_energy_of(float mass, const float *u, const float *pushed,
                                                const float *change)
{
    OozePushEnergy e = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; k++) {
        e.removed += (double)(mass * pushed[k] * (0.5f * pushed[k] - u[k]));
        e.along += (double)(mass * u[k] * change[k]);
        e.own += (double)(0.5f * mass * change[k] * change[k]);
    }
    return e;
}

/* The change of the velocity of a particle, by this force over the reference mass, times the rate
   1/s; returns its energies. */
OOZE_FORMULA OozePushEnergy ooze_push_stress_change(const OozeConformationStep *s, uint64_t i,
                                                    OozeVector force, OozeVector *change)
{
    const OozePushEnergy none = {0.0, 0.0, 0.0};
    OozeVector pushed = ooze_vector_scale(1.0f / s->dt, s->shift[i]);
    OozeVector u =
        ooze_vector_madd(s->u[i], -1.0f, ooze_vector_over(s->position_only_shift[i], s->dt));
    force = ooze_vector_scale(s->mobility[i] / s->dt, force);
    *change = ooze_vector_with_last(force, 0.0f);
    return s->mobility[i] > 0.0f
               ? ooze_push_energy_of(1.0f / s->mobility[i], (const float *)&u,
                                     (const float *)&pushed, (const float *)change)
               : none;
}

/* Adds it to the velocity, and to the shift where shifts change too. */
OOZE_FORMULA void ooze_push_stress_add(const OozeConformationStep *s, uint64_t i, OozeVector change,
                                       bool of_shifts)
{
    s->u[i] = ooze_vector_madd(s->u[i], 1.0f, change);
    if (of_shifts) {
        s->shift[i] = ooze_vector_madd(s->shift[i], s->dt, change);
        s->x[i] = ooze_vector_madd(s->x[i], s->dt, change);
    }
}

/* Largest factor of the change, at most 1, with which the stage adds no energy. It is the same for
   all particles, which conserves momentum. */
OOZE_FORMULA float ooze_push_stress_factor(OozePushEnergy e)
{
    double most = e.removed > 0.0 ? e.removed : 0.0;
    if (!(e.own > 0.0)) {
        return 0.0f;
    }
    if (e.along + e.own <= most) {
        return 1.0f;
    }
    return (float)((sqrt(e.along * e.along + 4.0 * e.own * most) - e.along) / (2.0 * e.own));
}

#endif
