/* Linear RGB colours. */
#ifndef OOZE_BASE_COLOR_H
#define OOZE_BASE_COLOR_H

#include <stdbool.h>

/* Whether every component is a number from 0 to 1. */
static inline bool ooze_color_is_valid(const float color[3])
{
    bool valid = true;
    for (int k = 0; k < 3; k++) {
        valid = valid && color[k] >= 0.0f && color[k] <= 1.0f;
    }
    return valid;
}

#endif
