/* Position-based density: Macklin and Mueller 2013, one-sided, on neighbours of the positions that a
   step predicts, with sweeps that converge (see projected.h). Solids push back after every iteration. */
#ifndef OOZE_METHODS_DENSITY_H
#define OOZE_METHODS_DENSITY_H

#include "methods/coupled.h"
#include "methods/edges.h"
#include "methods/method.h"

/* Working memory that outlives a step; nothing that is saved. A method that keeps nothing else takes
   the functions for its own. */
typedef struct OozeDensityMemory {
    OozeGrid *grid; /* of predicted positions */
    OozeNeighbours near, near_walls;
} OozeDensityMemory;

OozeStatus ooze_density_memory_create(void **memory, OozeError *error);
void ooze_density_memory_destroy(void *memory);
uint64_t ooze_density_memory_bytes(const void *memory);

typedef struct OozeDensityJob {
    const OozeStepContext *context;
    uint64_t n;
    float support;
    float volume;     /* V0 such that the rest lattice has density 1 exactly */
    float wall_scale; /* see OozeGather */
    float contact;    /* m between centres and solids */
    int iterations;
    float
        tolerance; /* density beyond rest that is good enough for all: then no more iterations, unless something
                        is done between them. Below 0: never */
    bool plain; /* sweeps as first published: whole Jacobi steps that only ever push */
    /* Pairs nearer than `apart` (m) drift from each other without gaining speed, half the lack of
       distance a step: particles of a stretched fluid would otherwise line up in strings. `drift`
       gets this move per particle; NULL: none. */
    float apart;
    OozeFour *drift;
    /* Densities that are let be, per particle, relative to rest; NULL: 1 for all. A step much shorter
       than the time in which a density error should vanish keeps most of it, for what is taken out in
       a step turns into velocity. */
    const float *limit;
    /* Not NULL: what lay in a solid when the step began only follows its surface, and some more iterations,
       with rest and `borne` for limit and full distance to solids, move what was kept back. `settled` gets this move per
       particle, which is no velocity either, though the fluid is strained by it. Needs start
       and borne. */
    OozeFour *settled;
    /* Per particle: density beyond rest that pressure explains, and that settling lets be. */
    const float *borne;
    /* Per particle: how far it gives way, 1 over its density relative to the others'; 0: not at all.
       NULL: all 1. */
    const float *mobility;
    /* Per particle: number of the rigid body it is part of, 0: of none; NULL: there are none. Pairs of one
       body do not push each other, and `between` is to make its shifts those of a body that enters no
       solid. */
    const uint16_t *rigid;
    /* Per particle: how far it gives way once that is done, which multipliers reckon with. NULL:
       mobility. */
    const float *ease;
    /* Per particle: not 0 where samples of solids do not count, for what is held by solids in other ways.
       NULL: they count for all. */
    const uint8_t *bare;
    /* Positions at the beginning of the step: pairs are pushed along the line between these, not along
       the one they have come to. With velocities (x - x0)/dt that is what keeps angular momentum:
       the change of x cross u is x0 cross the push. NULL: along the line between x. */
    const OozeFour *start;
    /* Dynamic solids, whose samples in the context's boundary move; NULL: none. */
    OozeCoupled *coupled;
    /* Called in every iteration between density and solids, with the shifts of all particles so far:
       what it adds to them counts. For constraints that are solved in turn with density; may be NULL. */
    void (*between)(void *user, OozeFour *shift);
    void *user;
    /* working memory that outlives the step */
    OozeEdgeMemory *memory; /* may be NULL */
    OozeFour *lent;         /* 3 (n + 1) of the caller's, or NULL */
    OozeGrid *grid;
    OozeNeighbours *near, *near_walls;
} OozeDensityJob;

/* The shift that the positions x need, which are wrapped into the box. Kept apart from the positions: a velocity taken from rounded
   positions would lose every change smaller than their last bit over dt. */
OozeStatus ooze_density_solve(const OozeDensityJob *job, OozeFour *x, OozeFour *shift,
                              OozeError *error);

#endif
