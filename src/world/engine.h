/* An engine executes a world's steps on a device: the processor, or a GPU that holds the particles
   in its own memory. See cpu_engine.c and features/engines.c. */
#ifndef OOZE_WORLD_ENGINE_H
#define OOZE_WORLD_ENGINE_H

#include "base/ranks.h"
#include "heat/heat.h"
#include "methods/method.h"
#include "world/emitter.h"
#include "world/probes/probe_formula.h"

typedef struct OozeEngineFacts {
    uint64_t particles;
    uint64_t pairs, wall_pairs; /* entries of the last neighbour lists: fluid, boundary samples */
    uint64_t bytes;             /* of device memory in use; 0: it uses host memory */
    uint64_t free_bytes;        /* of device memory; 0: not known */
} OozeEngineFacts;

/* State of the particles at the end of a substep. */
typedef struct OozeEngineEnd {
    uint64_t first_bad; /* lowest index of a particle that is out of bounds, or UINT64_MAX */
    double speed;       /* m/s of the fastest particle; NAN: not measured */
} OozeEngineEnd;

/* The particles that find_fast finds, and a particle that it has found. */
typedef struct OozeFastQuery {
    float speed;             /* m/s, which they exceed */
    const char *bound_field; /* uint8: not 0 for bound particles; NULL: there is no such field */
    uint64_t capacity;       /* of the list */
} OozeFastQuery;
typedef struct OozeFastParticle {
    uint32_t index;
    /* not 0: a nozzle prescribes its velocity, it is part of a body, or bound_field is not 0 */
    uint32_t bound;
    float position[3], velocity[3];
} OozeFastParticle;

/* Host memory to which an engine copies particles while steps go on. Starts as zero. It may be
   waited for and freed by any thread, also after the engine is destroyed. */
typedef struct OozeFetch OozeFetch;
struct OozeFetch {
    unsigned char *data;
    size_t capacity;
    void *event; /* the engine's */
    /* Returns when the copy is complete. */
    OozeStatus (*wait)(OozeFetch *fetch, OozeError *error);
    void (*free)(OozeFetch *fetch); /* NULL: it has no memory */
};

typedef struct OozeEngine {
    const char *name; /* "cpu", "cuda" */
    bool stand_in;    /* for tests: used only where the device is chosen explicitly */
    bool own_memory;  /* particles and arrays of the method are copied from and to host memory */
    /* Whether the device exists. `text` gets its description, or the reason why it cannot be used.
       */
    bool (*available)(char *text, size_t size);
    /* Whether it implements this method with these settings; if not, `why` gets the reason as the
       end of a sentence: "... because WHY". Does not read particles. */
    bool (*supports)(const OozeMethod *method, const OozeStepContext *context, char *why,
                     size_t size);
    /* Whether it shares such steps with other ranks: the sort then divides the particles of all of
       them, and sums are over all. NULL: never. Otherwise as `supports`, which holds. */
    bool (*supports_ranks)(const OozeMethod *method, const OozeStepContext *context, char *why,
                           size_t size);
    OozeStatus (*create)(OozeWorld *world, const OozeMethod *method, void **data, OozeError *error);
    void (*destroy)(void *data);
    void (*facts)(const void *data, OozeEngineFacts *facts);
    /* Returns when all launched work is complete. NULL: all calls are synchronous. */
    void (*wait)(void *data);
    /* What it counts, at an address that stays. NULL: nothing. */
    const OozeEngineCounts *(*counts)(const void *data);

    /* Copy all particles from and to the host's store; its next id does not change. `arrays` are
       those of the method (see OozeMethod.arrays), NULL where it has none: upload reads data and
       count of each, download sets them, valid until the next call. */
    OozeStatus (*upload)(void *data, const OozeParticles *particles, const OozeFieldView *arrays,
                         OozeError *error);
    OozeStatus (*download)(void *data, OozeParticles *particles, OozeFieldView *arrays,
                           OozeError *error);
    /* Begins to copy fields of all particles, as they are now, to the memory of `fetch`, and sets
       count and data of their views. False: not possible, for lack of memory. NULL: never. */
    bool (*fetch)(void *data, OozeFetch *fetch, OozeFieldView *fields, int count);
    /* Appends all particles of `arrivals`, a store with the same fields. */
    OozeStatus (*append)(void *data, const OozeParticles *arrivals, OozeError *error);
    /* Removes the particles inside sinks that are open at `time`. */
    OozeStatus (*remove)(void *data, const OozeSink *sinks, int count, double time,
                         uint64_t *removed, OozeError *error);
    /* As ooze_emitter_prescribe. */
    OozeStatus (*prescribe)(void *data, const OozeEmitter *emitter, double time, uint16_t mark,
                            OozeError *error);
    /* Speed of the fastest particle, m/s. */
    OozeStatus (*fastest)(void *data, double *speed, OozeError *error);
    /* Counts the particles of a query, and lists them in any order unless they are more than its
       capacity. Called before a substep only. */
    OozeStatus (*find_fast)(void *data, const OozeFastQuery *query, OozeFastParticle *found,
                            uint64_t *count, OozeError *error);
    /* OozeMethod.mark_linked of the particles that find_fast has found last; their indices are
       `particles`. NULL: links are in host memory, or are not known. */
    OozeStatus (*mark_linked)(void *data, const OozeStepContext *context, const uint32_t *particles,
                              int count, bool *linked, OozeError *error);
    /* Measures a probe that is a sum or a percentile (see probe_formula.h) without copying the
       particles; `masses` (kg) of the particles of each material, `values` NaN before the call.
       NULL: such probes are measured on the host's particles. */
    OozeStatus (*measure)(void *data, const OozeProbeQuery *query, const double *masses, int count,
                          double *values, OozeError *error);
    /* Wraps positions into the periodic box. */
    OozeStatus (*wrap)(void *data, const OozePeriodic *periodic, OozeError *error);

    /* The functions below make up a substep. Particles, neighbours and fields of the context are
       the host's, which may be outdated; its solids are at their poses, its boundary samples as
       they were generated. */

    /* Sorts the particles by cell and sets their bounding box, unless there are no particles. */
    OozeStatus (*sort)(void *data, const OozeStepContext *context, float low[3], float high[3],
                       OozeError *error);
    /* Adds the cells of the particles that are not faster than `speed` (m/s; INFINITY: of all) to
       an empty set, in any order; a cell may be added several times. */
    OozeStatus (*find_cells)(void *data, const OozeCellMap *map, float speed, OozeCellSet *cells,
                             OozeError *error);
    /* Builds neighbour lists. `resampled`: the boundary samples differ from the last call's. */
    OozeStatus (*find_neighbours)(void *data, const OozeStepContext *context, bool resampled,
                                  OozeError *error);
    OozeStatus (*step)(void *data, OozeStepContext *context, OozeError *error);
    /* As ooze_heat_step, after the step. */
    OozeStatus (*conduct)(void *data, OozeHeatJob *job, OozeError *error);
    /* Wraps positions; checks distances from the origin (m) and speeds (m/s) against the limits. */
    OozeStatus (*finish)(void *data, const OozePeriodic *periodic, float fastest, float farthest,
                         OozeEngineEnd *end, OozeError *error);
} OozeEngine;

/* The processor: `data` of its functions is the world. */
extern const OozeEngine ooze_cpu_engine;

/* The ranks that share the steps of a world; NULL: one process. */
OozeRanks *ooze_world_ranks(const OozeWorld *world);

/* Replaces AUTO by the choice of the environment variable OOZE_DEVICE, if there is one. */
OozeStatus ooze_device_choose(OozeDevice *device, OozeError *error);
/* Errors of device cuda: this build has no such part, or it cannot be used here. */
OozeStatus ooze_device_missing(OozeError *error);
OozeStatus ooze_device_unusable(const char *why, OozeError *error);

/* The engine of that name besides the processor: NULL where this build has none. Defined in
   src/parts. */
const OozeEngine *ooze_engine_find(const char *name);

#endif
