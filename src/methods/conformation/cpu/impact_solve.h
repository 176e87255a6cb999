/* Contacts between particles that are no neighbours at the beginning of a long step and meet within
   it: pairs of particles at free surfaces, each with a direction in which the surfaces must not
   cross. The velocity solve opposes the approach of a pair beyond its gap, and pairs never pull. */
#ifndef OOZE_METHODS_CONFORMATION_CPU_IMPACT_SOLVE_H
#define OOZE_METHODS_CONFORMATION_CPU_IMPACT_SOLVE_H

#include "methods/conformation/cpu/lodge.h"
#include "methods/conformation/impact_formula.h"
#include "methods/conformation/lodge_formula.h"
#include "solvers/multigrid/rank_exchange.h"

/* Arrays in the step arena. */
typedef struct OozeImpactPairs {
    OozeImpactPair *pair;
    uint64_t count, room;
    uint32_t *first; /* n + 1: index into `entry` of each particle */
    uint32_t *entry; /* twice the index of a pair, plus one where the particle is its second */
    /* Of several processes: ends from n on are particles of others, whose values are in `foreign`.
       */
    uint64_t n;
    OozeF32x4 *foreign;
    OozeRankExchange exchange; /* of these */
    OozeF32x4 *buffer;
} OozeImpactPairs;

/* Particles at free surfaces, and what pairs are made of. Numbers are those of the particles of the
   step; over several processes numbers of the particles at surfaces in the order of all of them,
   which every process has. */
typedef struct OozeImpactSurface {
    const OozeConformationStep *step;
    const OozeF32x4 *x0, *u, *inward; /* by number; inward: edge_sum */
    const float *trace;               /* of A, by number */
    uint64_t count;
    uint64_t *chunk; /* per chunk of particles: index of its first */
    uint32_t *index; /* numbers */
    OozeImpactWindow window;
    const OozeGrid *grid;  /* of the window */
    OozeF32x4 *x, *sorted; /* in the middle of the window; the same in the order of the grid */
    uint32_t *particle;    /* numbers in the order of the grid */
    uint8_t *met;          /* by number: search at which it first meets another */
    /* of several processes */
    uint64_t own_count;
    uint32_t *own;     /* particles of this process at surfaces */
    uint64_t *rank_at; /* per rank and one more: first number of its particles */
} OozeImpactSurface;

/* Of several processes: gathers the particles at surfaces. `surface` holds those of this one. */
OozeStatus ooze_impact_gather_surface(OozeImpactSurface *surface, const OozeLodge *solve,
                                      OozeError *error);
/* solve->own->pairs: those of solve->own->all_pairs with particles of this process. */
OozeStatus ooze_impact_take_pairs(const OozeImpactSurface *surface, OozeLodge *solve,
                                  OozeError *error);
/* Values at the ends of pairs that other processes have. */
void ooze_impact_fetch(OozeImpactPairs *pairs, const OozeF32x4 *u);
/* Lists of the pairs of each of the numbers below n. */
void ooze_impact_list_pairs(OozeImpactPairs *pairs, uint64_t n);

/* Grids of the surfaces, kept from step to step. */
typedef struct OozeImpactMemory OozeImpactMemory;
void ooze_impact_memory_destroy(OozeImpactMemory *memory);
uint64_t ooze_impact_memory_bytes(const OozeImpactMemory *memory);

/* After a pass, updates the forces of the pairs and adds the pairs that u brings together. `added`:
   their number. */
OozeStatus ooze_impact_find_pairs(OozeLodge *solve, uint64_t *added, OozeError *error);

/* ---- in the velocity solve: impact.c ---- */

/* After each pass except the last: finds contacts with solids and between particles that the pass
   has missed, and how many passes the step takes. */
OozeStatus ooze_impact_end_pass(OozeLodge *solve, OozeError *error);

static inline OozeF32x4 ooze_impact_value(const OozeImpactPairs *pairs, const OozeF32x4 *u,
                                          uint32_t end)
{
    return end < pairs->n ? u[end] : pairs->foreign[end - pairs->n];
}

/* The part of the operator of particle i, with its constant terms where `explicit_terms`. */
static inline OozeF32x4 ooze_impact_pull(const OozeImpactPairs *pairs, uint64_t i,
                                         const OozeF32x4 *u, bool explicit_terms)
{
    OozeF32x4 sum = {0};
    for (uint32_t e = pairs->first[i]; e < pairs->first[i + 1]; e++) {
        const OozeImpactPair *pair = &pairs->pair[pairs->entry[e] / 2];
        float rate = ooze_impact_pair_rate(pair, ooze_impact_value(pairs, u, pair->i),
                                           ooze_impact_value(pairs, u, pair->j));
        sum = ooze_impact_pair_pull(pair, pairs->entry[e] & 1, rate, explicit_terms, sum);
    }
    return sum;
}

#endif
