/* Loops of the springs method on the processor, what it keeps between steps, and its stages that
   are in files of their own. */
#ifndef OOZE_METHODS_SPRINGS_CPU_LOOPS_H
#define OOZE_METHODS_SPRINGS_CPU_LOOPS_H

#include <math.h>

#include "base/isa.h"
#include "methods/springs/cpu/schedule.h"
#include "methods/springs/stages.h"
#include "solvers/vectors/periodic_f32x4.h"

/* Particles per chunk of a parallel loop. */
enum { OOZE_SPRINGS_GRAIN = 256 };

/* State that lives as long as the world, and data of a step that the processor alone has. */
typedef struct OozeSpringsMemory {
    OozeGrid *grid; /* of predicted positions */
    OozeNeighbours near;
    OozeSpringTable table;
    /* Of several processes: particles divided in the order of predicted positions; lists of own
       particles and ghosts in the order of the store; rows of own particles with springs that name
       rows of all processes, and rows of ghosts. */
    OozeSplit split;
    OozeHalo *halo;
    OozeNeighbours store_lists;
    OozeLinkRows named, received;
    /* Of a step: for store order and for predicted positions; of several processes, the context
       with the halo of predicted positions, in place of that of the store. */
    OozeSpringsSchedule store_schedule, predicted_schedule;
    OozeStepContext context, *store_context;
    OozeF32x4 *predicted; /* positions, wrapped */
} OozeSpringsMemory;

/* A particle that collides with solids, and how it moves without. */
typedef struct OozeSpringsMotion {
    OozeF32x4 x0, u, shift;
    uint16_t material;
    bool prescribed;
} OozeSpringsMotion;

/* Runs of a schedule, one colour at a time. */
typedef struct OozeSpringsLoops {
    OozeRangeBody apply_viscosity; /* algorithm 5, on velocities in store order: store_schedule */
    OozeRangeBody pull;            /* algorithm 3: predicted_schedule */
    OozeRangeBody relax;           /* algorithm 2: predicted_schedule */
} OozeSpringsLoops;
OOZE_LOOPS_DECLARE(OozeSpringsLoops, ooze_springs_loops);

/* Number of a particle or ghost among those of all processes. */
static inline uint64_t ooze_springs_number(const OozeSpringsStep *s, uint64_t k)
{
    const uint64_t n = s->machine->n;
    uint64_t ghost = k < s->below ? k + n : k < s->below + n ? k - s->below : k;
    return ooze_halo_index(s->machine->context->halo, ghost);
}

/* Algorithm 3 for one spring; d = x_j - x_i. */
static inline void ooze_springs_displace_pair(OozeSpringsStep *s, uint32_t i, uint32_t j,
                                              float rest, OozeF32x4 d, bool prescribed)
{
    d *= ooze_springs_pull(&s->k, &s->coefficients[s->material[i]],
                           &s->coefficients[s->material[j]], rest, sqrtf(ooze_f32x4_dot3(d, d)));
    if (!prescribed || !s->prescribed[j]) {
        s->point[j].x += d;
        s->point[j].shift += d;
    }
    if (!prescribed || !s->prescribed[i]) {
        s->point[i].x -= d;
        s->point[i].shift -= d;
    }
}

/* springs.c */
OozeStatus ooze_springs_update(OozeSpringsStep *step, OozeError *error);
void ooze_springs_clear(OozeSpringsStep *step);
void ooze_springs_number_rows(OozeSpringsStep *step);
OozeStatus ooze_springs_pull_long(OozeSpringsStep *step, OozeError *error);
/* bodies.c */
OozeStatus ooze_springs_find_near(OozeSpringsStep *step, OozeError *error);
OozeStatus ooze_springs_collide_near(OozeSpringsStep *step, OozeError *error);
OozeStatus ooze_springs_solve_bodies(OozeSpringsStep *step, double (*change)[6], OozeError *error);
void ooze_springs_collide_particles(OozeSpringsStep *step);
OozeStatus ooze_springs_sum_lost(OozeSpringsStep *step, OozeSpringsLost *lost, OozeError *error);
void ooze_springs_change_velocities(OozeSpringsStep *step, const OozeVec3 *changes);
/* linked.c; see OozeMethod.mark_linked */
OozeStatus ooze_springs_mark_linked(void *data, const OozeStepContext *context,
                                    const uint32_t *particles, int count, bool *linked,
                                    OozeError *error);
/* stages.c: elements of arrays in the order of predicted positions, from the store */
void ooze_springs_gather(OozeSpringsStep *step);

/* ---- several processes: ranks.c ---- */

/* Arrays in store order with ghosts, which the sweep of viscosity needs; of `end`, too. */
OozeStatus ooze_springs_load_ranks(OozeSpringsStep *step, OozeError *error);
/* From here on these arrays hold own particles alone. */
void ooze_springs_drop_ghosts(OozeSpringsStep *step);
/* Divides particles in the order of predicted positions, with their springs; and back. */
OozeStatus ooze_springs_enter_ranks(OozeSpringsStep *step, OozeError *error);
OozeStatus ooze_springs_leave_ranks(OozeSpringsStep *step, OozeError *error);
/* Rows of springs of ghosts, after ooze_springs_update. */
OozeStatus ooze_springs_fetch_ghost_rows(OozeSpringsStep *step, OozeError *error);
/* ooze_springs_pull_long, on the springs of all processes. */
OozeStatus ooze_springs_apply_long_on_ranks(OozeSpringsStep *step, OozeError *error);
/* Particles of all processes near dynamic solids, in their order. */
OozeStatus ooze_springs_gather_near(OozeSpringsStep *step, OozeError *error);

#endif
