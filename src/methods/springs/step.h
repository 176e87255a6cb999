/* What the files of the springs method share. */
#ifndef OOZE_METHODS_SPRINGS_STEP_H
#define OOZE_METHODS_SPRINGS_STEP_H

#include "methods/springs/bodies.h"
#include "methods/springs/method.h"
#include "methods/springs/pair_formula.h"
#include "methods/springs/schedule.h"
#include "methods/springs/table.h"
#include "solvers/vectors/periodic_f32x4.h"

/* Particles per chunk of a parallel loop. */
enum { OOZE_SPRINGS_GRAIN = 256 };

/* Position of the padding particle of neighbour lists, along the fourth axis. */
#define OOZE_SPRINGS_FAR 1e18f

/* State that lives as long as the world. */
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
} OozeSpringsMemory;

/* A particle's position, and the sum of its corrections, from which its velocity is computed:
   the difference of rounded positions would lose momentum. */
typedef struct OozeSpringsPoint {
    OozeF32x4 x, shift; /* last lanes 0 */
} OozeSpringsPoint;

/* A particle that collides with solids, and how it moves without. */
typedef struct OozeSpringsMotion {
    OozeF32x4 x0, u, shift;
    uint16_t material;
    bool prescribed;
} OozeSpringsMotion;

typedef struct OozeSpringsStep {
    OozeStepContext *context;
    OozeSpringsMemory *memory;
    uint64_t n; /* particles of this process */
    /* Those and ghosts, in the order of all processes' particles; ghosts before the own ones. Equal
       to n, and 0, on one process. */
    uint64_t local, below;
    OozeSpringsConstants k;
    OozeSpringsFeatures any;
    OozeBox box;
    bool periodic, sequential, any_prescribed;
    OozeSpringsCoefficients *coefficients; /* per material */
    OozeContactRule rule;
    /* in store order */
    const OozeFloat4 *start_x, *start_v;
    OozeF32x4 *x0, *u; /* positions at the beginning of the step; velocities */
    uint32_t *row;     /* field */
    const uint16_t *store_material, *store_prescribed; /* the second as that of the context */
    const uint64_t *store_id;
    uint64_t *store_key;
    const OozeNeighbours *store_lists;
    OozeF32x4 *predicted;      /* wrapped */
    OozeFloat4 *end_x, *end_v; /* at the end of the step */
    /* in the order of the sorted predicted positions */
    const uint32_t *order; /* store index of each */
    OozeF32x4 *p;          /* local + 1: predicted */
    OozeSpringsPoint *point;
    uint16_t *material;
    uint64_t *id, *key;
    uint8_t *prescribed;
    uint32_t *old_row;           /* OOZE_LINK_ROW_NONE: none yet */
    uint32_t *long_spring_count; /* springs of a row longer than the support */
    OozeSpringsSchedule store_schedule,
        predicted_schedule; /* for store order and for predicted positions */
    uint64_t first;         /* first run of the current colour */
    /* for dynamic solids */
    uint32_t *near;                      /* particles that may collide with one: of this process */
    uint64_t own_near_count, near_first; /* of these, and of the processes before this one */
    OozeSpringsMotion *near_motion;      /* of all processes */
    uint64_t near_count;
    OozeSpringsCollision *collisions; /* of near_motion */
    OozePose *free_pose;              /* per solid: its pose after free flight */
    OozeStepContext ranks_context; /* of several processes: with the halo of predicted positions */
} OozeSpringsStep;

/* Number of a particle or ghost among those of all processes. */
static inline uint64_t ooze_springs_number(const OozeSpringsStep *s, uint64_t k)
{
    uint64_t ghost = k < s->below ? k + s->n : k < s->below + s->n ? k - s->below : k;
    return ooze_halo_index(s->context->halo, ghost);
}

static inline OozeF32x4 ooze_springs_delta(const OozeSpringsStep *s, OozeF32x4 a, OozeF32x4 b)
{
    return ooze_f32x4_image(a - b, s->box);
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

/* Algorithm 4, at the predicted positions. */
OozeStatus ooze_springs_adjust(OozeSpringsStep *step, OozeError *error);
/* Algorithm 3 for springs longer than the support. The coloured sweep cannot apply them in
   parallel, because their particles may lie in cells that are not adjacent. */
void ooze_springs_apply_long_springs(OozeSpringsStep *step);
OozeSpringsMotion ooze_springs_motion(const OozeSpringsStep *step, uint64_t k);
/* Finds the collision of a particle with all solids. */
void ooze_springs_collide_particle(const OozeSpringsStep *step, const OozeSpringsMotion *motion,
                                   OozeSpringsCollision *meeting);
/* Algorithm 6 up to line 11: moves dynamic solids under fluid impulses, gravity and contacts. */
OozeStatus ooze_springs_move_bodies(OozeSpringsStep *step, OozeError *error);
/* After the particles have collided: gives dynamic solids the momentum that the particles lost. */
OozeStatus ooze_springs_balance_bodies(OozeSpringsStep *step, OozeError *error);
/* Section 6: collisions, stickiness, dynamic solids. Writes positions and velocities to end_x and
   end_v. */
OozeStatus ooze_springs_collide(OozeSpringsStep *step, OozeError *error);

/* See OozeMethod.mark_linked: in linked.c. */
OozeStatus ooze_springs_mark_linked(void *data, const OozeStepContext *context,
                                    const uint32_t *particles, int count, bool *linked,
                                    OozeError *error);

/* ---- in method.c ---- */

/* Arrays in the order of predicted positions, and their elements from the store. */
OozeStatus ooze_springs_allocate_sorted(OozeSpringsStep *step, OozeError *error);
void ooze_springs_gather(OozeSpringsStep *step);

/* ---- several processes: ranks.c ---- */

/* Arrays in store order with ghosts, which the sweep of viscosity needs. */
OozeStatus ooze_springs_load_ranks(OozeSpringsStep *step, OozeError *error);
/* From here on these arrays hold own particles alone. */
void ooze_springs_drop_ghosts(OozeSpringsStep *step);
/* Divides particles in the order of predicted positions, with their springs; and back. */
OozeStatus ooze_springs_enter_ranks(OozeSpringsStep *step, OozeError *error);
OozeStatus ooze_springs_leave_ranks(OozeSpringsStep *step, const OozeStepContext *context,
                                    OozeError *error);
/* Rows of springs of ghosts, after ooze_springs_adjust. */
OozeStatus ooze_springs_fetch_ghost_rows(OozeSpringsStep *step, OozeError *error);
/* ooze_springs_apply_long_springs, on the springs of all processes. */
OozeStatus ooze_springs_apply_long_on_ranks(OozeSpringsStep *step, OozeError *error);
/* Particles of all processes near dynamic solids, in their order. */
OozeStatus ooze_springs_gather_near(OozeSpringsStep *step, OozeError *error);

#endif
