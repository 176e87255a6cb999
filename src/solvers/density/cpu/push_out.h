/* Push-out of the density stage: a particle inside a solid is moved onto its surface. */
#ifndef OOZE_SOLVERS_DENSITY_CPU_PUSH_OUT_H
#define OOZE_SOLVERS_DENSITY_CPU_PUSH_OUT_H

#include "solids/broad_phase.h"
#include "solvers/density/cpu/density_sweep.h"

typedef struct OozePushOutGroup {
    /* Solids that its particles may touch while none has moved farther than `clearance`. */
    uint64_t near;
    float clearance;
} OozePushOutGroup;

/* The distance to solids bounds the travel of a particle until the next query. */
typedef struct OozePushOut {
    OozeDensitySweep *sweep;
    OozeBroadPhase nearby;
    OozePushOutGroup *group;
    float *clearance; /* per particle: travel below which it has no contact */
    bool searched;    /* groups are set */
} OozePushOut;

OozeStatus ooze_push_out_begin(OozePushOut *out, OozeDensitySweep *sweep, OozeError *error);
void ooze_push_out(OozePushOut *out);

#endif
