/* Another machine that takes a world's steps, with the particles in its own memory. The world stays the same: it
   says what happens when, and the engine does it. Optional parts register engines, see parts/engines.c. */
#ifndef OOZE_WORLD_ENGINE_H
#define OOZE_WORLD_ENGINE_H

#include "methods/method.h"
#include "world/emitter.h"

typedef struct OozeEngine {
    const char *name; /* "cuda" */
    /* Whether there is such a machine; if not, `why` gets the reason. */
    bool (*available)(char *why, size_t size);
    /* Whether it can take the steps of this method with these settings; if not, `why` gets the reason. */
    bool (*takes)(const OozeMethod *method, const OozeStepContext *context, char *why, size_t size);
    OozeStatus (*create)(void **data, OozeError *error);
    void (*destroy)(void *data);
    uint64_t (*bytes)(const void *data); /* of its memory, now */

    /* Particles: all from the host's store, and all back into it. */
    OozeStatus (*upload)(void *data, const OozeParticles *particles, OozeError *error);
    OozeStatus (*download)(void *data, OozeParticles *particles, OozeError *error);
    uint64_t (*count)(const void *data);
    /* All particles of `newcomers`, a store with the same fields, join the end. */
    OozeStatus (*append)(void *data, const OozeParticles *newcomers, OozeError *error);
    /* What the open sinks swallow at `time`. */
    OozeStatus (*remove)(void *data, const OozeSink *sinks, int count, double time,
                         uint64_t *removed, OozeError *error);
    /* As ooze_emitter_lead. */
    OozeStatus (*lead)(void *data, const OozeEmitter *emitter, double time, uint16_t mark,
                       OozeError *error);
    OozeStatus (*fastest)(void *data, double *speed, OozeError *error);
    /* Wraps positions into the periodic box. */
    OozeStatus (*wrap)(void *data, const OozePeriodic *periodic, OozeError *error);

    /* Sorts the particles in space, and says in which box they are. */
    OozeStatus (*sort)(void *data, const OozeStepContext *context, float low[3], float high[3],
                       OozeError *error);
    /* After the host's samples of walls are up to date (`anew`: others than before): lists. */
    OozeStatus (*find_neighbours)(void *data, const OozeStepContext *context, bool anew,
                                  OozeError *error);
    OozeStatus (*step)(void *data, OozeStepContext *context, OozeError *error);
    /* Wraps and checks: the lowest index of a particle that is out of bounds, or UINT64_MAX. */
    OozeStatus (*finish)(void *data, const OozePeriodic *periodic, float fastest, float farthest,
                         uint64_t *first_bad, OozeError *error);
} OozeEngine;

/* The engine of that name: NULL where this build has none. Defined in src/parts. */
const OozeEngine *ooze_engine_find(const char *name);

#endif
