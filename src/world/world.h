/* The world's inside. */
#ifndef OOZE_WORLD_WORLD_H
#define OOZE_WORLD_WORLD_H

#include "methods/method.h"
#include "world/emitter.h"
#include "world/probe.h"

/* Stages of a step, in order: the rows of the profile table. */
typedef enum OozeStage {
    OOZE_STAGE_EMIT,
    OOZE_STAGE_SOLIDS,
    OOZE_STAGE_NEIGHBOURS,
    OOZE_STAGE_METHOD,
    OOZE_STAGE_FINISH,
    OOZE_STAGE_PROBES,
    OOZE_STAGE_COUNT
} OozeStage;

/* A growing array of things a user adds. */
#define OOZE_LIST(type)                                                                            \
    struct {                                                                                       \
        type *items;                                                                               \
        int count, capacity;                                                                       \
    }

struct OozeWorld {
    OozeWorldDef def;
    const OozeMethod *method;
    void *method_data;
    double *params;
    OozeThreads *threads;
    OozeArena *arena;
    OozeParticles *particles;
    OozePeriodic periodic;
    double support;
    OOZE_LIST(OozeMaterial) materials;
    OOZE_LIST(OozeSolid) solids;
    OOZE_LIST(OozeEmitter) emitters;
    OOZE_LIST(OozeSink) sinks;
    OOZE_LIST(OozeProbe) probes;
    OozeBoundary boundary;
    OozeGrid *grid;
    OozeNeighbours fluid, fluid_boundary;
    double time; /* s, always step * time_step */
    uint64_t step;
    uint64_t emitted, removed;
    OozeStepReport report;
    OozeStageTime stages[OOZE_STAGE_COUNT];
    struct OozeFrameCache *frame; /* what ooze_world_frame hands out */
};

#endif
