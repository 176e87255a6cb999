/* Constants and per-particle formulas of the density stage, for the processor and the GPU. */
#ifndef OOZE_SOLVERS_DENSITY_DENSITY_FORMULA_H
#define OOZE_SOLVERS_DENSITY_DENSITY_FORMULA_H

#include <stdbool.h>

#include "physics/tensor.h"

/* Iterations of the relief of overlaps in a step; the next step continues it. */
enum { OOZE_RELIEF_ITERATIONS = 2 };

/* Share of the missing distance by which each particle of a close pair drifts in a step. */
#define OOZE_DRIFT_SHARE 0.25f

/* Added to the diagonal of densities, so that the quotient of an isolated pair stays finite. */
OOZE_FORMULA float ooze_density_epsilon(float support)
{
    return 0.05f / (support * support);
}

/* Error of density that sweeps have not removed yet: density beyond rest, and density below rest as
   far as the multiplier still pushes. `error` is density less its target, and `diagonal` that of
   the multiplier's equation. */
OOZE_FORMULA float ooze_density_unfinished(float error, float multiplier, float diagonal)
{
    float pushed = multiplier > 0.0f ? multiplier * diagonal : 0.0f;
    return error > 0.0f ? error : -error < pushed ? -error : pushed;
}

/* Largest drift of a step. Without the limit, many close neighbours together would throw a
   particle. */
OOZE_FORMULA float ooze_drift_limit(float min_distance)
{
    return 0.1f * min_distance;
}

/* Share of a support by which one neighbour moves a particle along its thread in a step, at most.
   With half of it plugs that are drawn out by more than 2% a step part. */
#define OOZE_THREAD_REGULARISATION_SHARE 0.2f

/* Weight of the vector from a neighbour at the distance r: the nearer one pushes more, up to the
   support, so that a particle between two others moves to their middle. */
OOZE_FORMULA float ooze_thread_regularisation_weight(float r, float support)
{
    float left = 1.0f - r / support;
    return left > 0.0f ? OOZE_THREAD_REGULARISATION_SHARE * support * left * left / r : 0.0f;
}

/* Whether thread regularisation moves a particle with these axes: see OozeDensityJob. */
OOZE_FORMULA bool ooze_thread_is_regularised(OozeSym3 axes)
{
    return axes.xx + axes.yy + axes.zz > 0.0f;
}

/* Largest position-only shift of a step. Deep in a solid lie many particles: a longer shift would
   collect them all on its surface. */
OOZE_FORMULA float ooze_position_only_limit(float support)
{
    return 0.125f * support;
}

/* Factor that shortens a vector of this length to `limit`. */
OOZE_FORMULA float ooze_shortened(float length, float limit)
{
    return length > limit ? limit / length : 1.0f;
}

/* Distance to a solid that a particle must keep. A particle that was nearer than `contact` when the
   step began, at the distance `begin`, comes out by a fiftieth of a spacing a step. Contact at rest
   never lacks that much. */
OOZE_FORMULA double ooze_push_out_distance(double contact, double begin, double spacing)
{
    double released = begin + 0.02 * spacing;
    return released < contact ? released : contact;
}

/* What the push-out removes at this distance of a particle that must keep `allowed`. */
OOZE_FORMULA double ooze_push_out_penetration(double distance, double allowed)
{
    return allowed > distance ? allowed - distance : 0.0;
}

/* Density above which the relief of overlaps pushes. */
OOZE_FORMULA float ooze_relief_target(float load_excess)
{
    return 1.0f + load_excess;
}

#endif
