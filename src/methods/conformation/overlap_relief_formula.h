/* Relief of overlaps, per particle, for the processor and the GPU. See overlap_relief.c. */
#ifndef OOZE_METHODS_CONFORMATION_OVERLAP_RELIEF_FORMULA_H
#define OOZE_METHODS_CONFORMATION_OVERLAP_RELIEF_FORMULA_H

#include "methods/conformation/step_formula.h"

/* Up to this density the grid alone carries the fluid. Beyond it, particles have come together
   within a cell, which the grid does not resolve, and positions are corrected. The disorder of
   fluid at rest stays below. */
#define OOZE_RELIEF_HELD_BY_GRID 1.05f
/* A density that no particle has. */
#define OOZE_RELIEF_NO_TARGET 1e3f

/* Steps in which an overlap at one place is relieved at most. */
#define OOZE_RELIEF_STEPS 256.0f
/* Density beyond rest and load_excess below which no overlap is left. */
#define OOZE_RELIEF_DENSITY 1e-3f

/* Extremes over all particles that are not in free flight, which carry no load. */
typedef struct OozeReliefExtremes {
    float top, bottom; /* of g . x */
    float fastest;     /* square of the largest speed */
} OozeReliefExtremes;

OOZE_FORMULA OozeReliefExtremes ooze_relief_widen(OozeReliefExtremes a, OozeReliefExtremes b)
{
    a.top = b.top > a.top ? b.top : a.top;
    a.bottom = b.bottom < a.bottom ? b.bottom : a.bottom;
    a.fastest = b.fastest > a.fastest ? b.fastest : a.fastest;
    return a;
}

/* Those of one particle. */
OOZE_FORMULA OozeReliefExtremes ooze_relief_extremes_of(const OozeConformationStep *s, uint64_t i,
                                                        OozeVector gravity)
{
    float depth = ooze_vector_dot(gravity, s->x0[i]);
    float square = ooze_vector_dot(s->velocity[i], s->velocity[i]);
    OozeReliefExtremes one = {depth, depth, square}, none = {-INFINITY, INFINITY, 0.0f};
    return ooze_flies_freely(square, s->free_speed) ? none : one;
}

/* p/rho that acts on all of the fluid: the weight of the fluid above, the stagnation pressure of
   the fastest particle, and the largest surface tension at a radius of one spacing. */
OOZE_FORMULA float ooze_relief_load(OozeReliefExtremes all, float tension, float spacing)
{
    float height = all.top > all.bottom ? all.top - all.bottom : 0.0f; /* 0: all fly freely */
    return height + 0.5f * all.fastest + 2.0f * tension / spacing;
}

/* Twice the density beyond rest that k iterations need to carry the load p/rho for a step: the
   fluid is not at rest. */
OOZE_FORMULA float ooze_relief_excess(float load, float dt, float iterations, float spacing)
{
    return 2.0f * load * dt * dt / (iterations * spacing * spacing);
}

/* Whether the error of density of a particle is an overlap to be relieved. */
OOZE_FORMULA bool ooze_relief_applies(float relief_progress, float density, float load_excess)
{
    return relief_progress < 1.0f && density > 1.0f + load_excess + OOZE_RELIEF_DENSITY;
}

/* Density that the density stage aims at, from the load on all of the fluid. */
OOZE_FORMULA void ooze_relief_set_target(const OozeConformationStep *s, uint64_t i, float on_all,
                                         float iterations)
{
    float load = on_all + s->stress[i] * s->mobility[i];
    float excess = ooze_relief_excess(load, s->dt, iterations, s->spacing);
    bool relieved = ooze_relief_applies(s->relief_progress[i], s->density[i], excess);
    s->load_excess[i] = relieved ? excess : INFINITY;
    s->density_target[i] = relieved ? s->density[i] - excess : 1.0f;
    if (ooze_step_is_held(s, i)) {
        s->load_excess[i] = OOZE_RELIEF_HELD_BY_GRID - 1.0f;
        s->density_target[i] = OOZE_RELIEF_NO_TARGET;
    }
}

/* Square of the smallest shift by relief that counts. */
OOZE_FORMULA float ooze_relief_shift_square(float spacing)
{
    float smallest = 1e-3f * spacing;
    return smallest * smallest;
}

/* Progress after a step in which the particle was relieved, or not. */
OOZE_FORMULA float ooze_relief_advance(float relief_progress, bool relieved)
{
    float next = relief_progress + 1.0f / OOZE_RELIEF_STEPS;
    return relieved && next < 1.0f ? next : 1.0f;
}

/* Whether a shift of a neighbour restarts the relief of a particle that was not relieved. */
OOZE_FORMULA bool ooze_relief_follows(const OozeConformationStep *s, uint64_t i)
{
    return s->mobility[i] > 0.0f && !isfinite(s->load_excess[i]);
}

/* Progress and velocity after the step. `restarts`: such a shift has. */
OOZE_FORMULA void ooze_relief_end(const OozeConformationStep *s, uint64_t i, bool restarts)
{
    float next = ooze_relief_advance(s->relief_progress[i], isfinite(s->load_excess[i]));
    s->relief_progress[i] = restarts || s->mobility[i] == 0.0f ? 0.0f : next;
    OozeVector only = ooze_vector_over(s->position_only_shift[i], s->dt);
    s->u[i] = ooze_vector_madd(s->u[i], -1.0f, only);
}

#endif
