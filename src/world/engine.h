/* Another machine that takes a world's steps, with the particles in its own memory. The world stays the same: it
   says what happens when, and the engine does it. Optional parts register engines, see parts/engines.c. */
#ifndef OOZE_WORLD_ENGINE_H
#define OOZE_WORLD_ENGINE_H

#include "methods/method.h"
#include "methods/stage_work.h"
#include "world/emitter.h"

typedef struct OozeEngineFacts {
    uint64_t particles;
    uint64_t pairs,
        wall_pairs; /* of the last neighbour lists: with fluid, and with samples of walls */
    uint64_t bytes; /* of its memory, now */
} OozeEngineFacts;

/* How a stroke ended. */
typedef struct OozeEngineEnd {
    uint64_t first_bad; /* lowest index of a particle that is out of bounds, or UINT64_MAX */
    double speed;       /* of the fastest */
} OozeEngineEnd;

/* What the machine can do at most, for those who compare. */
typedef struct OozeEngineLimits {
    double copy;         /* bytes a second, read and written, of arrays that no cache holds */
    uint64_t free_bytes; /* of its memory */
} OozeEngineLimits;

typedef struct OozeEngine {
    const char *name; /* "cuda" */
    bool stand_in;    /* for tests: taken only where it is asked for */
    /* Whether there is such a machine. `text` gets what it is, or why there is none. */
    bool (*available)(char *text, size_t size);
    /* Whether it can take the steps of this method with these settings; if not, `why` gets the reason as the
       end of a sentence: "... because WHY". Looks at no particles. */
    bool (*takes)(const OozeMethod *method, const OozeStepContext *context, char *why, size_t size);
    OozeStatus (*create)(void **data, OozeError *error);
    void (*destroy)(void *data);
    void (*facts)(const void *data, OozeEngineFacts *facts);
    void (*wait)(void *data); /* until all that was asked of it is done: for clocks */
    OozeStatus (*limits)(void *data, OozeEngineLimits *limits, OozeError *error);
    OozeWork (*work)(OozeWorkKind kind, double fluid,
                     double walls); /* as ooze_work: of its own loops */

    /* Particles: all from the host's store, and all back into it, whose next id stays. */
    OozeStatus (*upload)(void *data, const OozeParticles *particles, OozeError *error);
    OozeStatus (*download)(void *data, OozeParticles *particles, OozeError *error);
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

    /* A stroke. What a context says of particles, neighbours and the fields of either is the host's, and is of no
       use here; its solids are at their poses, and its samples of walls are as they were taken. */

    /* Sorts the particles in space, and says in which box they are; without particles the box stays. */
    OozeStatus (*sort)(void *data, const OozeStepContext *context, float low[3], float high[3],
                       OozeError *error);
    /* After the host's samples of walls are up to date (`anew`: others than before): lists. */
    OozeStatus (*find_neighbours)(void *data, const OozeStepContext *context, bool anew,
                                  OozeError *error);
    OozeStatus (*step)(void *data, OozeStepContext *context, OozeError *error);
    /* Wraps and checks. */
    OozeStatus (*finish)(void *data, const OozePeriodic *periodic, float fastest, float farthest,
                         OozeEngineEnd *end, OozeError *error);
} OozeEngine;

/* The engine of that name: NULL where this build has none. Defined in src/parts. */
const OozeEngine *ooze_engine_find(const char *name);

#endif
