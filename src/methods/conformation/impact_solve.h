/* Contacts between particles that are no neighbours at the beginning of a long step and meet within
   it: pairs of particles at free surfaces, each with a direction in which the surfaces must not
   cross. The velocity solve opposes the approach of a pair beyond its gap, and pairs never pull. */
#ifndef OOZE_METHODS_CONFORMATION_IMPACT_PAIRS_H
#define OOZE_METHODS_CONFORMATION_IMPACT_PAIRS_H

#include "methods/conformation/impact_formula.h"
#include "methods/conformation/lodge.h"
#include "methods/conformation/lodge_formula.h"

/* Arrays in the step arena. */
typedef struct OozeImpactPairs {
    OozeImpactPair *pair;
    uint64_t count, room;
    uint32_t *first; /* n + 1: index into `entry` of each particle */
    uint32_t *entry; /* twice the index of a pair, plus one where the particle is its second */
} OozeImpactPairs;

/* Grids of the surfaces, kept from step to step. */
typedef struct OozeImpactMemory OozeImpactMemory;
void ooze_impact_memory_destroy(OozeImpactMemory *memory);
uint64_t ooze_impact_memory_bytes(const OozeImpactMemory *memory);

/* After a pass: updates the forces of the pairs, and adds those that u brings together. `added`:
   their number. */
OozeStatus ooze_impact_find_pairs(OozeLodge *solve, uint64_t *added, OozeError *error);

/* ---- in the velocity solve: impact.c ---- */

/* Adds to the coefficients of particle i the pressure of earlier passes, and what returns its
   density to rest. */
void ooze_impact_add_pressure(OozeLodge *solve, uint64_t i, const OozeLodgeState *state,
                              OozeLodgeCoefficients *coefficients);
/* After a pass but the last: contacts with solids and between particles that it has missed, and how
   many passes the step takes. */
OozeStatus ooze_impact_end_pass(OozeLodge *solve, int pass, OozeError *error);

/* The part of the operator of particle i, with its constant terms where `explicit_terms`. */
static inline OozeF32x4 ooze_impact_pull(const OozeImpactPairs *pairs, uint64_t i,
                                         const OozeF32x4 *u, bool explicit_terms)
{
    OozeF32x4 sum = {0};
    for (uint32_t e = pairs->first[i]; e < pairs->first[i + 1]; e++) {
        const OozeImpactPair *pair = &pairs->pair[pairs->entry[e] / 2];
        OozeF32x4 n = ooze_f32x4(pair->normal[0], pair->normal[1], pair->normal[2], 0);
        float rate = ooze_f32x4_dot3(n, u[pair->i] - u[pair->j]);
        float push = ooze_impact_pair_push(pair, rate, explicit_terms);
        sum += (pairs->entry[e] & 1 ? -push : push) * n;
    }
    return sum;
}

#endif
