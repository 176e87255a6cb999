/* Copies of the particles of other ranks that particles of this rank have as neighbours: ghosts.
   They follow the rank's own particles in every array that is read at neighbours, and
   ooze_halo_refresh brings their values. On one process there is no halo: functions get NULL, and
   do nothing or the same for the own particles alone.

   Lists hold neighbours in the order of all ranks' particles, as on one process, so that sums over
   neighbours have the same bits. Sums over all particles are sums of blocks, which are added
   without rounding (base/exact_sum.h). */
#ifndef OOZE_PARTICLES_HALO_H
#define OOZE_PARTICLES_HALO_H

#include "base/memory.h"
#include "particles/neighbours.h"
#include "particles/split.h"

/* Bytes of the largest element of ooze_halo_refresh, and numbers of the widest block. */
enum { OOZE_HALO_ELEMENT_MAX = 64, OOZE_HALO_WIDTH_MAX = 8 };

typedef struct OozeHalo OozeHalo;
OozeHalo *ooze_halo_create(OozeRanks *ranks); /* NULL: out of memory */
void ooze_halo_destroy(OozeHalo *halo);
uint64_t ooze_halo_bytes(const OozeHalo *halo);

/* Ghosts are the particles in cells at most so many cells away from own particles: 1, unless this
   is called, or 2. */
void ooze_halo_set_layers(OozeHalo *halo, int layers);
/* Finds the ghosts of a split: `points` are those of this rank after it, sorted. */
OozeStatus ooze_halo_find(OozeHalo *halo, const OozeSplit *split, const OozeFloat4 *points,
                          OozeError *error);

/* Makes particles ghosts whose indices in the order of all ranks' particles are given; they may
   repeat, and be ghosts or own particles already. All ranks call it. */
OozeStatus ooze_halo_add(OozeHalo *halo, const uint64_t *wanted, uint64_t count, OozeError *error);

/* Lists of the neighbours of the first n points, whose ghosts follow. `grid` receives the cells. */
OozeStatus ooze_halo_lists(OozeHalo *halo, OozeNeighbours *lists, OozeGrid *grid,
                           OozeThreads *threads, const OozeNeighbourQuery *query,
                           const OozePeriodic *periodic, OozeError *error);

/* Number of ghosts and n own particles, and that of all ranks' own particles. */
uint64_t ooze_halo_local(const OozeHalo *halo, uint64_t n);
uint64_t ooze_halo_all(const OozeHalo *halo, uint64_t n);
/* Index of particle or ghost i in the order of all ranks' particles. */
uint64_t ooze_halo_index(const OozeHalo *halo, uint64_t i);
/* The particle or ghost with this index in the order of all; UINT64_MAX: neither. */
uint64_t ooze_halo_find_index(const OozeHalo *halo, uint64_t number);
/* Own particles of the ranks before this one; 0 on one process. */
uint64_t ooze_halo_first(const OozeHalo *halo);
/* Ghosts that precede the own particles in the order of all; 0 on one process. */
uint64_t ooze_halo_below(const OozeHalo *halo);
/* Shares of the ranks in all particles, as ooze_split_find takes them: one more than ranks. */
void ooze_halo_shares(const OozeHalo *halo, double *shares);
OozeRanks *ooze_halo_ranks(const OozeHalo *halo);

/* The ghosts' elements of `data` become those of their owners. */
void ooze_halo_refresh(OozeHalo *halo, void *data, size_t size);

/* The same of an array in the order of all particles: ghosts that precede the own particles, these,
   ghosts behind them. Of halos with two layers. */
void ooze_halo_refresh_sorted(OozeHalo *halo, void *data, size_t size);

/* A loop over the own particles, in blocks of `grain`, a divisor of OOZE_SPLIT_BLOCK. */
typedef struct OozeHaloLoop {
    OozeThreads *threads;
    uint64_t n, grain;
    OozeRangeBody body;
    void *context;
} OozeHaloLoop;

/* Refreshes `data` and runs a loop that reads it at neighbours. Blocks without ghosts among their
   neighbours run while messages travel. */
void ooze_halo_refresh_during(OozeHalo *halo, void *data, size_t size, const OozeHaloLoop *loop);

/* Sum of the numbers of the blocks of `grain` particles of all ranks; `n` is the number of own
   particles. */
double ooze_halo_sum(OozeHalo *halo, const double *blocks, uint64_t n, uint64_t grain);
/* The same of `width` numbers a block, with one message for all of them. */
void ooze_halo_sums(OozeHalo *halo, const double *blocks, uint64_t n, uint64_t grain, int width,
                    double *sums);
/* The largest of the numbers of all ranks, element by element. */
void ooze_halo_max(OozeHalo *halo, double *values, int count);
/* Elements of `size` bytes: `count` of this rank, and those of all ranks one after the other. */
typedef struct OozeHaloList {
    const void *own;
    void *all;
    uint64_t count, total, first; /* first: of all, where those of this rank begin */
    uint64_t *at; /* per rank and one more: where those of each begin; NULL: not wanted */
    size_t size;
} OozeHaloList;
/* Sets all, total, first and the elements of `at`; `all` is memory of the arena, on one process
   that of `own`. */
OozeStatus ooze_halo_gather_list(OozeHalo *halo, OozeArena *arena, OozeHaloList *list,
                                 OozeError *error);
/* Sum of a number of each rank. */
uint64_t ooze_halo_total(OozeHalo *halo, uint64_t number);
/* Whether it holds on some rank. */
bool ooze_halo_any(OozeHalo *halo, bool holds);

#endif
