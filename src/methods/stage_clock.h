/* Where the time of a step goes, inside its stages. One thread of control runs through a step, so a part is
   timed by laps: whoever has done something says so, and gets the time since the last one who did. One reading
   of the clock for each parallel region, none inside. */
#ifndef OOZE_METHODS_STAGE_CLOCK_H
#define OOZE_METHODS_STAGE_CLOCK_H

#include "ooze/world.h"

typedef enum OozeStagePart {
    /* neighbours */
    OOZE_PART_SORT,
    OOZE_PART_WALLS, /* samples of solids to where these are, and sorted */
    OOZE_PART_REORDER,
    OOZE_PART_LISTS,
    OOZE_PART_WALL_LISTS,
    /* method */
    OOZE_PART_START,              /* from the particle store to the method's own arrays */
    OOZE_PART_GATHER,             /* what a step re-uses along edges */
    OOZE_PART_CONTACT,            /* what solids hold */
    OOZE_PART_PREPARE,            /* of a velocity solve: coefficients, diagonals */
    OOZE_PART_VELOCITY_OPERATOR,  /* one application in conjugate gradients */
    OOZE_PART_VELOCITY_VECTORS,   /* the rest of their iteration */
    OOZE_PART_VELOCITY_ITERATION, /* of solvers without search directions */
    OOZE_PART_DIVERGENCE,
    OOZE_PART_LIMITS, /* moves to the predicted positions, and what may be corrected there */
    OOZE_PART_DENSITY_SORT,
    OOZE_PART_DENSITY_LISTS,
    OOZE_PART_DENSITY_LINES,
    OOZE_PART_DENSITY_MULTIPLIERS, /* the first of three parts of a density iteration */
    OOZE_PART_DENSITY_CORRECTIONS,
    OOZE_PART_PUSH_OUT,
    OOZE_PART_CONFORMATION_SWEEP, /* with the former three a position iteration */
    OOZE_PART_SETTLING,
    OOZE_PART_DRIFT,
    OOZE_PART_FINISH, /* stress and conformation at the end of the step */
    OOZE_PART_STORE,
    OOZE_PART_REST,
    OOZE_PART_COUNT
} OozeStagePart;

typedef struct OozeStageClock {
    OozeStagePartTime parts[OOZE_PART_COUNT]; /* since the world was created */
    double mark;
    double (*read)(void); /* seconds of which kind */
    /* A machine that works on while the thread goes on is waited for, or its parts have no times of their own;
       NULL: there is none, or nobody asks. */
    void (*wait)(void *machine);
    void *machine;
} OozeStageClock;

/* Nothing measured yet. */
OozeStageClock ooze_stage_clock(void);
/* The time now, after waiting. */
double ooze_stage_now(const OozeStageClock *clock);
/* What has passed so far is nobody's. Both do nothing where clock is NULL. */
void ooze_stage_mark(OozeStageClock *clock);
/* `part` was done once more, since the last mark or lap. */
void ooze_stage_lap(OozeStageClock *clock, OozeStagePart part);
/* The same, but of something that was counted already: only the time is added. */
void ooze_stage_more(OozeStageClock *clock, OozeStagePart part);

#endif
