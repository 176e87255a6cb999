/* Cells, colours and keys of the sweeps (see schedule.h), for the processor and the GPU. */
#ifndef OOZE_METHODS_SPRINGS_SCHEDULE_FORMULA_H
#define OOZE_METHODS_SPRINGS_SCHEDULE_FORMULA_H

#include "base/hash.h"
#include "particles/grid_cells.h"

/* Three colours per axis, and two more where a periodic axis has not a multiple of three cells. */
enum { OOZE_SPRINGS_COLOURS_AXIS = 5, OOZE_SPRINGS_COLOURS_MAX = 125 };

/* 0 to 4. Adjacent cells across a periodic border have different colours, too. */
OOZE_FORMULA int ooze_springs_colour_along(const OozeGridAxis *axis, int32_t cell)
{
    int32_t odd = axis->wraps ? axis->count % 3 : 0;
    if (cell >= axis->count - odd && odd > 0) {
        return 3 + (int)(cell - (axis->count - odd));
    }
    int32_t absolute = axis->wraps ? cell : cell + axis->base;
    return (int)(((absolute % 3) + 3) % 3);
}

/* The cell of a point, numbered in the order z, y, x, and its colour. */
typedef struct OozeSpringsCell {
    uint64_t number;
    int colour;
} OozeSpringsCell;

OOZE_FORMULA OozeSpringsCell ooze_springs_cell(const OozeGridAxis *axis, const float x[3])
{
    OozeSpringsCell at = {0, 0};
    for (int k = 2; k >= 0; k--) {
        int32_t cell = ooze_grid_number(&axis[k], x[k]);
        at.number = at.number * (uint64_t)axis[k].count + (uint64_t)cell;
        at.colour =
            at.colour * OOZE_SPRINGS_COLOURS_AXIS + ooze_springs_colour_along(&axis[k], cell);
    }
    return at;
}

/* Position of a particle in the order within its cell; different for all ids. */
OOZE_FORMULA uint64_t ooze_springs_key(uint64_t id, uint64_t seed)
{
    return ooze_mix(id ^ seed);
}

/* A random order of colours for a step: OOZE_SPRINGS_COLOURS_MAX numbers. */
void ooze_springs_colour_order(uint8_t *order, uint64_t step);

#endif
