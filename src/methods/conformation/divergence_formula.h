/* The divergence stage, per particle, for the processor and the GPU: see divergence.c. g is the
   edge to a neighbour, minus V0 grad W, or to a boundary sample, with the sample's volume. */
#ifndef OOZE_METHODS_CONFORMATION_DIVERGENCE_FORMULA_H
#define OOZE_METHODS_CONFORMATION_DIVERGENCE_FORMULA_H

#include "solvers/density_formula.h"
#include "solvers/vector_formula.h"

/* Over the neighbours of a particle. */
typedef struct OozeDivergenceSums {
    OozeVector edges; /* sum g */
    float square;     /* sum g^2 / m_j */
} OozeDivergenceSums;

OOZE_FORMULA void ooze_divergence_add_pair(OozeDivergenceSums *sums, OozeVector g,
                                           float inverse_mass)
{
    sums->edges = ooze_vector_madd(sums->edges, 1.0f, g);
    sums->square += inverse_mass * ooze_vector_dot(g, g);
}

/* Over the boundary samples near a particle. */
typedef struct OozeDivergenceWalls {
    OozeVector edges; /* sum g */
    float rate;       /* of density by the motion of the samples, 1/s */
} OozeDivergenceWalls;

OOZE_FORMULA void ooze_divergence_add_wall(OozeDivergenceWalls *walls, OozeVector g,
                                           OozeVector velocity)
{
    walls->edges = ooze_vector_madd(walls->edges, 1.0f, g);
    walls->rate -= ooze_vector_dot(velocity, g);
}

/* Rate by which the density may rise within the step, negative: up to its target. */
OOZE_FORMULA float ooze_divergence_allowed(float target, float density, float dt)
{
    return (target > density ? target - density : 0.0f) / dt;
}

/* The diagonal of J M^-1 J^T. */
OOZE_FORMULA float ooze_divergence_diagonal(const OozeDivergenceSums *sums, OozeVector walls,
                                            float inverse_mass, float support)
{
    OozeVector own = ooze_vector_madd(sums->edges, 1.0f, walls);
    return sums->square + inverse_mass * ooze_vector_dot(own, own) + ooze_density_epsilon(support);
}

/* Rate of density of a particle with velocity u by a neighbour with velocity u_j. */
OOZE_FORMULA float ooze_divergence_rate(OozeVector u, OozeVector u_j, OozeVector g)
{
    return ooze_vector_dot(ooze_vector_madd(u, -1.0f, u_j), g);
}

/* Adds the impulse of an edge, against the rise of density; `change`: of the multipliers of both
   ends, added. */
OOZE_FORMULA OozeVector ooze_divergence_push(OozeVector push, float change, OozeVector g)
{
    return ooze_vector_madd(push, -change, g);
}

#endif
