/* Materials of a world with the numbers of a preset. */
#ifndef OOZE_WORLD_PRESET_H
#define OOZE_WORLD_PRESET_H

#include "materials/material.h"

typedef struct OozeWorldPreset {
    int material;
    bool derived;                             /* the material has the numbers of the method */
    uint64_t stated;                          /* bit i: number i is the user's own */
    double values[OOZE_MATERIAL_PARAM_COUNT]; /* measured ones, before they were derived */
} OozeWorldPreset;

#endif
