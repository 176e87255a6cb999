/* The innermost work of building lists: candidates near a group of points, then each point's
   neighbours among them. */
#ifndef OOZE_PARTICLES_CANDIDATES_H
#define OOZE_PARTICLES_CANDIDATES_H

#include "base/machine.h"
#include "particles/grid.h"

/* Coordinates apart, in ascending order of index, filled up to a whole block with points at infinity,
   which are near nothing. Working memory of one worker; starts as zero. */
typedef struct OozeCandidates {
    uint64_t room, count, used; /* used: count filled up */
    float *x, *y, *z;
    uint32_t *index;
    uint32_t *bits; /* which of each block are neighbours of the point at hand */
} OozeCandidates;

void ooze_candidates_free(OozeCandidates *candidates);
uint64_t ooze_candidates_bytes(const OozeCandidates *candidates);
/* Room for this many; what was gathered is lost. False: out of memory. */
bool ooze_candidates_reserve(OozeCandidates *candidates, uint64_t wanted);

/* Position of the candidate with this index; UINT64_MAX if it is not among them. */
uint64_t ooze_candidates_find(const OozeCandidates *candidates, uint32_t index);

/* Memory for the patterns by which an instruction set moves some of its lanes to the front. */
typedef struct OozeCompactTable {
    uint32_t words[2112];
} OozeCompactTable;

enum { OOZE_CANDIDATES_OVERRUN = 16 };

typedef struct OozeCandidatesLoops {
    void (*fill_table)(OozeCompactTable *table);
    /* Takes over the points of these runs that some point in the box from `low` to `high` could have
       within `radius`; all of them where low is NULL. False: out of memory. `all` holds n points. */
    bool (*gather)(OozeCandidates *candidates, const OozeCompactTable *table, const OozeFloat4 *all,
                   uint64_t n, const OozeGridRun *runs, int run_count, const float low[3],
                   const float high[3], float radius);
    /* Writes the indices of those within `radius` of p, leaving out the candidate at position `self`
       (UINT64_MAX: none), and gives their number. `wrap`: compare nearest images, or NULL. Writes up to
       used + OOZE_CANDIDATES_OVERRUN elements. */
    uint32_t (*select)(const OozeCandidates *candidates, const OozeCompactTable *table,
                       OozeFloat4 p, float radius, const OozePeriodic *wrap, uint64_t self,
                       uint32_t *to);
} OozeCandidatesLoops;
OOZE_LOOPS_DECLARE(OozeCandidatesLoops, ooze_candidates_loops);

#endif
