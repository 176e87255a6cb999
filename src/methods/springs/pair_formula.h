/* Pairs of particles of the springs method, for the processor and the GPU. A pair has the mean of
   the coefficients of both particles. */
#ifndef OOZE_METHODS_SPRINGS_PAIR_FORMULA_H
#define OOZE_METHODS_SPRINGS_PAIR_FORMULA_H

#include "methods/springs/constants.h"

/* ---- double density relaxation: algorithm 2 ------------------------------------------------- */

/* Displacement of a neighbour over its distance vector; `half` is h dt^2 / 2, t = 1 - r/h, and
   `inverse` 1/r. A macro, because t and inverse are vectors of four neighbours on the processor. */
#define OOZE_SPRINGS_PUSH(half, pressure, near_pressure, t, inverse)                               \
    ((half) * ((pressure) + (near_pressure) * (t)) * (t) * (inverse))

/* Particles nearer than this have no direction, m. */
OOZE_FORMULA float ooze_springs_smallest(const OozeSpringsConstants *k)
{
    return 1e-6f * k->h;
}

/* ---- springs: algorithms 3 and 4 ------------------------------------------------------------ */

OOZE_FORMULA OozeSpringLaw ooze_springs_pair_law(const OozeSpringsCoefficients *a,
                                                 const OozeSpringsCoefficients *b)
{
    OozeSpringLaw law = {0.5f * (a->law.stretch + b->law.stretch),
                         0.5f * (a->law.compress + b->law.compress),
                         0.5f * (a->law.stretch_yield + b->law.stretch_yield),
                         0.5f * (a->law.compress_yield + b->law.compress_yield)};
    return law;
}

/* 0 unless both have springs. */
OOZE_FORMULA float ooze_springs_pair_stiffness(const OozeSpringsCoefficients *a,
                                               const OozeSpringsCoefficients *b)
{
    return a->spring > 0.0f && b->spring > 0.0f ? 0.5f * (a->spring + b->spring) : 0.0f;
}

/* Displacement of the second particle of a spring of length r, over the vector to it from the
   first, which is displaced by the opposite. */
OOZE_FORMULA float ooze_springs_pull(const OozeSpringsConstants *k,
                                     const OozeSpringsCoefficients *a,
                                     const OozeSpringsCoefficients *b, float rest, float r)
{
    float stiffness = ooze_springs_pair_stiffness(a, b);
    float push = ooze_spring_displacement(k->dt_units2, stiffness, rest, r, k->h);
    return r > ooze_springs_smallest(k) ? 0.5f * push / r : 0.0f;
}

/* The rest length after this step; 0: the spring is removed. */
OOZE_FORMULA float ooze_springs_updated_rest(const OozeSpringsConstants *k,
                                             const OozeSpringsCoefficients *a,
                                             const OozeSpringsCoefficients *b, float rest,
                                             float length)
{
    if (!(ooze_springs_pair_stiffness(a, b) > 0.0f)) {
        return 0.0f;
    }
    OozeSpringLaw law = ooze_springs_pair_law(a, b);
    rest = ooze_spring_rest(&law, rest, length);
    return rest <= k->h ? fmaxf(rest, ooze_springs_smallest(k)) : 0.0f;
}

/* The same for a new spring. With `spring_start: distance` it begins with the distance of the pair
   if at least one particle had no springs yet (`fresh`), so that new matter keeps its shape. Other
   pairs start force-free at the support, as published; otherwise lumps pressed together would
   stick. */
OOZE_FORMULA float ooze_springs_new_rest(const OozeSpringsConstants *k,
                                         const OozeSpringsCoefficients *a,
                                         const OozeSpringsCoefficients *b, bool fresh, float length)
{
    bool from_distance = k->from_distance && fresh;
    float rest = from_distance ? fmaxf(length, ooze_springs_smallest(k)) : k->h;
    return ooze_springs_updated_rest(k, a, b, rest, length);
}

/* ---- viscosity: algorithm 5 ----------------------------------------------------------------- */

/* Whether a pair has viscosity: it approaches, and has a direction. */
OOZE_FORMULA bool ooze_springs_approach(const OozeSpringsConstants *k, float along, float r)
{
    return along > 0.0f && r > ooze_springs_smallest(k);
}

/* Change of the second particle's velocity over the vector d to it from the first, which gets the
   opposite; `along` is (u_i - u_j) d, and r the length of d. For pairs that approach. */
OOZE_FORMULA float ooze_springs_drag(const OozeSpringsConstants *k,
                                     const OozeSpringsCoefficients *a,
                                     const OozeSpringsCoefficients *b, float along, float r)
{
    float impulse = ooze_viscosity_impulse(k->dt_units, r * k->inverse_h, along / (r * k->speed),
                                           0.5f * (a->linear + b->linear),
                                           0.5f * (a->quadratic + b->quadratic));
    return 0.5f * impulse * k->speed / r;
}

#endif
