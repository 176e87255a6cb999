/* Divides points among ranks. Each rank gets a contiguous range of the order of the grid of all
   points (see grid.h), which is the order on one process: cell by cell, and within a cell in the
   order before. Ranges begin at multiples of a block, so that sums over blocks are those on one
   process. */
#ifndef OOZE_PARTICLES_SPLIT_H
#define OOZE_PARTICLES_SPLIT_H

#include "base/ranks.h"
#include "particles/grid_cells.h"

/* Blocks of all sums over particles divide this or are equal to it. */
enum { OOZE_SPLIT_BLOCK = 256 };

typedef struct OozeSplit {
    OozeRanks *ranks;
    OozeThreads *threads;     /* of the last search */
    uint64_t before, after;   /* points of this rank */
    uint64_t block;           /* ranges begin at multiples of it; 0: of OOZE_SPLIT_BLOCK */
    uint64_t total, first;    /* points of all ranks, and of the ranks before this one, after it */
    float low[3], high[3];    /* box of all points */
    OozeGridAxis axis[3];     /* of that box: see ooze_split_key */
    OozeGrid *grid;           /* of the points before; its order stays valid */
    uint64_t *send, *receive; /* per rank and one more: points, in the orders before and after */
    uint64_t *keys, *counts;  /* working memory */
    size_t key_capacity, count_capacity;
    char *buffer[2];
    size_t buffer_capacity[2];
} OozeSplit; /* starts as zero, but for the ranks */
void ooze_split_free(OozeSplit *split);
uint64_t ooze_split_bytes(const OozeSplit *split);

/* Number of a cell in the order of the grid, of cells inside the box of all points. */
OOZE_FORMULA uint64_t ooze_split_key(const OozeGridAxis axis[3], int32_t x, int32_t y, int32_t z)
{
    uint64_t row = (uint64_t)z * (uint64_t)axis[1].count + (uint64_t)y;
    return row * (uint64_t)axis[0].count + (uint64_t)x;
}

static inline uint64_t ooze_split_point_key(const OozeGridAxis axis[3], OozeFloat4 x)
{
    return ooze_split_key(axis, ooze_grid_number(&axis[0], x.x), ooze_grid_number(&axis[1], x.y),
                          ooze_grid_number(&axis[2], x.z));
}

/* The points that this rank has before, and the cells. */
typedef struct OozeSplitPoints {
    const OozeFloat4 *points;
    uint64_t n;
    double cell;
    const OozePeriodic *periodic;
} OozeSplitPoints;

/* `shares`: per rank, the fraction of the points of ranks before it; NULL: equal parts. */
OozeStatus ooze_split_find(OozeSplit *split, OozeThreads *threads, const OozeSplitPoints *points,
                           const double *shares, OozeError *error);

/* Keys of points in the box of all points, in an order; NULL: as they are. */
void ooze_split_keys(const OozeSplit *split, const OozeFloat4 *points, const uint32_t *order,
                     uint64_t count, uint64_t *keys);

/* The same for points that are sorted already, of another grid whose cells have the order of their
   keys: `axis`, `total`, `before` and the keys are set, which ooze_split_reserve makes room for. */
OozeStatus ooze_split_reserve(OozeSplit *split, uint64_t n, OozeError *error);
OozeStatus ooze_split_cut(OozeSplit *split, const double *shares, OozeError *error);

/* An array of elements of `size` bytes. */
typedef struct OozeColumn {
    void *from, *to;
    size_t size;
} OozeColumn;

/* Moves arrays from the order before to the order after: that of the ranks before, and sorted
   within the points of each of these. Or back. `from` may be `to`. */
OozeStatus ooze_split_move(OozeSplit *split, const OozeColumn *columns, int count,
                           OozeError *error);
OozeStatus ooze_split_move_back(OozeSplit *split, const OozeColumn *columns, int count,
                                OozeError *error);

/* Where in its memory a rank receives from each, from where in it each is sent: sums, one more than
   ranks. `scratch` holds two numbers a rank. */
void ooze_split_receipts(OozeRanks *ranks, const uint64_t *send, uint64_t *scratch,
                         uint64_t *receive);

/* Agreement on an error: the status of the lowest rank that has one, on all ranks. Elsewhere a rank
   that fails returns its error at once, and the command ends the others, which wait for it. */
OozeStatus ooze_ranks_agree(OozeRanks *ranks, OozeStatus status, OozeError *error);

#endif
