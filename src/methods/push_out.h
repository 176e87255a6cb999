/* Solids in the density stage: what is inside of one is put on its surface. */
#ifndef OOZE_METHODS_PUSH_OUT_H
#define OOZE_METHODS_PUSH_OUT_H

#include "methods/density_sweep.h"
#include "solids/nearby.h"

typedef struct OozePushOutGroup {
    uint64_t
        near; /* solids that its particles may touch, while none has moved farther than `room` */
    float room;
} OozePushOutGroup;

/* Solids stand still during the stage, so one look tells how far a particle may go before it must ask
   again. */
typedef struct OozePushOut {
    OozeDensitySweep *sweep;
    OozeNearby nearby;
    OozePushOutGroup *group;
    float *
        room; /* per particle: moved no farther than this from where the stage began, it touches nothing */
    bool looked;
} OozePushOut;

OozeStatus ooze_push_out_begin(OozePushOut *out, OozeDensitySweep *sweep, OozeError *error);
void ooze_push_out(OozePushOut *out);

#endif
