/* Cells of a surface lattice: blocks of OOZE_CELL_STEPS samples along each axis of the lattice.
   Valid C17 and CUDA. */
#ifndef OOZE_SOLIDS_CELL_FORMULA_H
#define OOZE_SOLIDS_CELL_FORMULA_H

#include <stdint.h>

#include "base/vec3.h"

enum {
    OOZE_CELL_STEPS = 8,
    OOZE_CELL_BITS = 21,             /* of each coordinate in a key */
    OOZE_CELL_FARTHEST = 1000 * 1000 /* largest coordinate; farther points are in the last cell */
};

/* Maps a point of the world to a cell: coordinate k is floor(rows[k] . point + offset[k]). */
typedef struct OozeCellMap {
    OozeVec3 rows[3];
    double offset[3];
} OozeCellMap;

OOZE_FORMULA int64_t ooze_cell_clamp(double coordinate)
{
    double far = OOZE_CELL_FARTHEST;
    double inside = coordinate > -far ? coordinate : -far; /* also where it is NaN */
    return (int64_t)floor(inside < far ? inside : far);
}

/* Keys sort by the third coordinate, then the second, then the first. */
OOZE_FORMULA uint64_t ooze_cell_key(int64_t i, int64_t j, int64_t k)
{
    const int64_t middle = (int64_t)1 << (OOZE_CELL_BITS - 1);
    return (uint64_t)(k + middle) << (2 * OOZE_CELL_BITS) |
           (uint64_t)(j + middle) << OOZE_CELL_BITS | (uint64_t)(i + middle);
}

OOZE_FORMULA int64_t ooze_cell_coordinate(uint64_t key, int axis)
{
    const int64_t middle = (int64_t)1 << (OOZE_CELL_BITS - 1);
    const uint64_t mask = ((uint64_t)1 << OOZE_CELL_BITS) - 1;
    return (int64_t)(key >> (axis * OOZE_CELL_BITS) & mask) - middle;
}

/* Key of the cell that contains a point of the world. */
OOZE_FORMULA uint64_t ooze_cell_of(const OozeCellMap *map, OozeVec3 point)
{
    return ooze_cell_key(ooze_cell_clamp(vec3_dot(map->rows[0], point) + map->offset[0]),
                         ooze_cell_clamp(vec3_dot(map->rows[1], point) + map->offset[1]),
                         ooze_cell_clamp(vec3_dot(map->rows[2], point) + map->offset[2]));
}

#endif
