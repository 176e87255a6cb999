/* The world's state as a frame: taking it, and putting it back. */
#ifndef OOZE_WORLD_SNAPSHOT_H
#define OOZE_WORLD_SNAPSHOT_H

#include "world/world.h"

enum { OOZE_STATE_ENTRIES = 9 };

struct OozeSnapshot {
    OozeFrame frame;
    OozeFieldView *fields;
    int field_capacity;
    OozeSolidView *solids;
    int solid_capacity;
    OozeMaterialView *materials;
    int material_capacity;
    OozeFieldView state[OOZE_STATE_ENTRIES + OOZE_METHOD_ARRAYS_MAX];
    double *numbers; /* what the float64 entries of the state point into */
    uint64_t *counts;
    int number_capacity, count_capacity;
};

#endif
