/* Loops of the links method on the processor, what it keeps between steps, and its stages that are
   in files of their own. */
#ifndef OOZE_METHODS_LINKS_CPU_LOOPS_H
#define OOZE_METHODS_LINKS_CPU_LOOPS_H

#include "base/isa.h"
#include "methods/links/stages.h"
#include "methods/links/table.h"
#include "solvers/contact/dynamic_coupling.h"
#include "solvers/vectors/periodic_f32x4.h"

/* Particles of a chunk of parallel work. */
enum { OOZE_LINKS_GRAIN = 256 };

/* State that lives as long as the world, and data of a step that the processor alone has. */
typedef struct OozeLinksMemory {
    OozeLinkTable table;
    OozeGrid *grid; /* of predicted positions */
    OozeNeighbours near_walls;
    OozeLinksRest rest;
    /* of several processes: particles divided in the order of predicted positions */
    OozeSplit split;
    OozeHalo *halo;
    /* Of a step: dynamic solids; data of solve.c; of several processes, the context with the halo
       of predicted positions, in place of that of the store. */
    OozeDynamicCoupling coupling;
    struct OozeLinksPushOut *push_out;
    OozeStepContext context, *store_context;
} OozeLinksMemory;

/* Position of the padding particle of lists along the fourth axis: its square is finite. */
#define OOZE_LINKS_FAR 1e18f

/* Pose of a solid in single precision. */
typedef struct OozeLinksSolid {
    OozeF32x4 origin, axes[3]; /* last lanes 0 */
    bool has_friction;         /* fluid has links to it */
    bool smooths;              /* takes part in XSPH: has friction and is not dynamic */
} OozeLinksSolid;

/* Of an OozeLinksStep, in chunks of OOZE_LINKS_GRAIN. */
typedef struct OozeLinksLoops {
    /* x_lambda, share, excess, push, pull, and the part of change that solids cause */
    OozeRangeBody multipliers;
    OozeRangeBody correct; /* x and shift */
} OozeLinksLoops;
OOZE_LOOPS_DECLARE(OozeLinksLoops, ooze_links_loops);

typedef struct OozeLinksSmoothLoops {
    OozeRangeBody densities; /* moving, value, wall_motion */
    OozeRangeBody smooth;    /* u */
} OozeLinksSmoothLoops;
OOZE_LOOPS_DECLARE(OozeLinksSmoothLoops, ooze_links_smooth_loops);

static inline OozeF32x4 ooze_links_separation(const OozeLinksStep *s, OozeF32x4 a, OozeF32x4 b)
{
    return ooze_f32x4_nearest(a - b, &s->periodic);
}

/* Place of a particle or ghost among these, in the order of all processes' particles. */
static inline uint32_t ooze_links_place(const OozeLinksStep *s, uint32_t j)
{
    uint32_t n = (uint32_t)s->machine->n;
    return s->below == 0 ? j : j < n ? j + s->below : j < n + s->below ? j - n : j;
}

static inline void ooze_links_run(OozeLinksStep *s, OozeRangeBody body)
{
    ooze_parallel_for(s->machine->context->threads, s->machine->n, OOZE_LINKS_GRAIN, body, s);
}

/* stages.c: elements of arrays in the order of predicted positions, from the store */
void ooze_links_gather(OozeLinksStep *step);
/* Updates `poses` from the present poses. */
void ooze_links_update_solids(OozeLinksStep *step);
/* control.c, control_walls.c */
OozeStatus ooze_links_control(OozeLinksStep *step, OozeError *error);
OozeStatus ooze_links_control_walls(OozeLinksStep *step, OozeError *error);
/* Present position of the fixed end of a link; last lane: its rest length. */
OozeF32x4 ooze_links_held_at(const OozeLinksStep *step, const OozeWallLink *link);
/* solve.c */
OozeStatus ooze_links_begin_solve(OozeLinksStep *step, OozeError *error);
void ooze_links_find_multipliers(OozeLinksStep *step);
void ooze_links_correct(OozeLinksStep *step);
void ooze_links_push_out(OozeLinksStep *step);
void ooze_links_move_solids(OozeLinksStep *step); /* by the reactions collected so far */
/* coupling.c: dynamic solids */
OozeStatus ooze_links_couple(OozeLinksStep *step, OozeError *error);
OozeStatus ooze_links_find_near(OozeLinksStep *step, OozeError *error);
void ooze_links_push_solids(OozeLinksStep *step);
void ooze_links_hold(OozeLinksStep *step);
void ooze_links_load_solids(OozeLinksStep *step);
/* ranks.c: several processes. Divides particles in the order of predicted positions, `change`, with
   their links; and back. */
OozeStatus ooze_links_enter_ranks(OozeLinksStep *step, OozeError *error);
OozeStatus ooze_links_leave_ranks(OozeLinksStep *step, OozeError *error);

#endif
