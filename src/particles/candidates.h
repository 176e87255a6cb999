/* The inner loops of building lists: candidates near a group of points, then each point's
   neighbours among them. */
#ifndef OOZE_PARTICLES_CANDIDATES_H
#define OOZE_PARTICLES_CANDIDATES_H

#include "base/isa.h"
#include "particles/grid_cells.h"

/* A structure of arrays in ascending order of index, padded to a whole block with points at
   infinity, which are no neighbours of any point. Working memory of one worker; starts as zero. */
typedef struct OozeCandidates {
    uint64_t capacity, count, used; /* used: count and padding */
    float *x, *y, *z;
    uint32_t *index;
    uint32_t *bits; /* of each block, a mask of the neighbours of the current point */
} OozeCandidates;

void ooze_candidates_free(OozeCandidates *candidates);
uint64_t ooze_candidates_bytes(const OozeCandidates *candidates);
/* Capacity for this many; the content is lost. False: out of memory. */
bool ooze_candidates_reserve(OozeCandidates *candidates, uint64_t wanted);

/* Position of the candidate with this index; UINT64_MAX: not found. */
uint64_t ooze_candidates_find(const OozeCandidates *candidates, uint32_t index);

/* Memory for the shuffles of ooze_wide_compact, large enough for every instruction set. */
typedef struct OozeCompactTable {
    uint32_t words[2112];
} OozeCompactTable;

enum { OOZE_CANDIDATES_OVERRUN = 16 };

/* Runs of an array of n points. */
typedef struct OozeCandidateSource {
    const OozeFloat4 *points;
    uint64_t n;
    const OozeGridRun *runs;
    int run_count;
} OozeCandidateSource;

/* Bounding box of a group of points, and the radius within which their neighbours lie. */
typedef struct OozeCandidateBox {
    const float *low, *high;
    float radius;
} OozeCandidateBox;

typedef struct OozeCandidatesLoops {
    void (*fill_table)(OozeCompactTable *table);
    /* Copies the points of the source that a point inside the box could have as neighbours; all of
       them where box is NULL. False: out of memory. */
    bool (*gather)(OozeCandidates *candidates, const OozeCompactTable *table,
                   const OozeCandidateSource *source, const OozeCandidateBox *box);
    /* Writes the indices of the candidates within `radius` of p, except the one at position `self`
       (UINT64_MAX: no exception), and returns their number. `wrap`: compares nearest images; NULL:
       no periodic axis matters. Writes up to used + OOZE_CANDIDATES_OVERRUN elements. */
    uint32_t (*select)(const OozeCandidates *candidates, const OozeCompactTable *table,
                       OozeFloat4 p, float radius, const OozePeriodic *wrap, uint64_t self,
                       uint32_t *to);
} OozeCandidatesLoops;
OOZE_LOOPS_DECLARE(OozeCandidatesLoops, ooze_candidates_loops);

#endif
