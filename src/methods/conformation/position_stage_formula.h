/* Travel of a substep, for the processor and the GPU. */
#ifndef OOZE_METHODS_CONFORMATION_POSITION_STAGE_FORMULA_H
#define OOZE_METHODS_CONFORMATION_POSITION_STAGE_FORMULA_H

#include <stdbool.h>

#include "base/formula.h"

/* Whether a particle of this squared speed is in free flight: see OozeStepContext.free_speed. */
OOZE_FORMULA bool ooze_flies_freely(float square, float free_speed)
{
    return square > free_speed * free_speed;
}

/* Whether the farthest particle exceeds the longest travel of a substep by more than rounding. */
OOZE_FORMULA bool ooze_travels_too_far(float farthest, double longest)
{
    return farthest > (1.0f + 1e-5f) * (float)longest;
}

#endif
