/* Points sorted into blocks, for finding the points near a place in a fixed order. */
#ifndef OOZE_SOLIDS_NEAR_POINTS_H
#define OOZE_SOLIDS_NEAR_POINTS_H

#include <stdint.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "solids/shape.h"

typedef struct OozeBlockEntry {
    uint32_t block; /* along x */
    uint32_t point; /* index */
} OozeBlockEntry;

/* Starts as zero. Entries are sorted by block (z, then y, then x), then by index. */
typedef struct OozeNearPoints {
    double side;     /* of a block; borders of blocks are at multiples of it */
    double base[3];  /* coordinates of the first block */
    int64_t size[3]; /* blocks along each axis */
    uint32_t *rows;  /* first entry of each row of blocks along x; one more for the end */
    OozeBlockEntry *entries, *scratch;
    uint64_t row_capacity, capacity;
} OozeNearPoints;

void ooze_near_points_free(OozeNearPoints *near);
/* Points lie within the bounds. Two points are in the same order whatever the bounds are. */
OozeStatus ooze_near_points_sort(OozeNearPoints *near, const OozeVec3 *points, uint64_t count,
                                 const OozeBounds *bounds, double side, OozeError *error);

/* The points in the block of a place and in the 26 around it, in the order of the entries. */
typedef struct OozeNearWalk {
    const OozeNearPoints *near;
    int64_t x, y, z; /* block of the place */
    int row;         /* 0 to 8, next of the rows about it */
    uint32_t at, end;
} OozeNearWalk;

OozeNearWalk ooze_near_walk(const OozeNearPoints *near, OozeVec3 place);
/* Index of the next point; -1: no more. */
int64_t ooze_near_next(OozeNearWalk *walk);

#endif
