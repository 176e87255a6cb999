/* The cycle of a hierarchy of grids: which operation follows which, for both kinds of equations, on
   the processor, on the GPU, and within one launch of the GPU. Valid C17 and CUDA. */
#ifndef OOZE_SOLVERS_MULTIGRID_CYCLE_FORMULA_H
#define OOZE_SOLVERS_MULTIGRID_CYCLE_FORMULA_H

#include "solvers/multigrid/levels.h"

typedef enum OozeCycleKind {
    OOZE_CYCLE_ZERO,     /* the first direction of the smoother from x = 0 */
    OOZE_CYCLE_BEGIN,    /* the same from x */
    OOZE_CYCLE_STEP,     /* a further direction */
    OOZE_CYCLE_ISOLATED, /* solves isolated cells */
    OOZE_CYCLE_DENSE,    /* solves the level */
    OOZE_CYCLE_RESIDUAL, /* r = b - A x */
    OOZE_CYCLE_RESTRICT, /* b = P^T r of the finer level */
    OOZE_CYCLE_PROLONG   /* x += P x of the coarser level */
} OozeCycleKind;

typedef struct OozeCycleStep {
    OozeCycleKind kind;
    int level;
    int direction;  /* of STEP: 1, 2, ...; else 0 */
    bool from_zero; /* of STEP: those after ZERO */
} OozeCycleStep;

/* Of the first level and of the others: directions of the smoother, and visits of the next level
   before the cycle of a level ends. */
typedef struct OozeCyclePlan {
    int degree[2], visits[2];
    bool isolated;    /* isolated cells are solved */
    bool begins_last; /* the last level smooths from zero and then once more */
} OozeCyclePlan;

/* Directions of a polynomial, and two visits: a cell of a coarse grid that is longer than a body is
   thick does not bend, so that one visit does not suffice; on the first grid, which costs the most,
   it does. */
OOZE_FORMULA OozeCyclePlan ooze_velocity_plan(void)
{
    OozeCyclePlan plan;
    plan.degree[0] = 2;
    plan.degree[1] = 3;
    plan.visits[0] = 1;
    plan.visits[1] = 2;
    plan.isolated = true;
    plan.begins_last = false;
    return plan;
}

/* A V-cycle with one step of the smoother before and one after: see OOZE_MULTIGRID_DAMPING. */
OOZE_FORMULA OozeCyclePlan ooze_pressure_plan(void)
{
    OozeCyclePlan plan;
    plan.degree[0] = plan.degree[1] = 1;
    plan.visits[0] = plan.visits[1] = 1;
    plan.isolated = false;
    plan.begins_last = true;
    return plan;
}

typedef enum OozeCycleState {
    OOZE_CYCLE_ENTERS,
    OOZE_CYCLE_SMOOTHS,
    OOZE_CYCLE_SMOOTHED,
    OOZE_CYCLE_DESCENDS,
    OOZE_CYCLE_ASCENDED,
    OOZE_CYCLE_LEAVES
} OozeCycleState;

typedef struct OozeCycle {
    OozeCyclePlan plan;
    int first, last; /* levels */
    bool dense;      /* the last is solved */
    OozeCycleState state;
    int level, direction;
    bool from_zero;
    int visits[OOZE_MULTIGRID_LEVELS]; /* of the next level so far */
} OozeCycle;

/* A cycle for A x = b of level `first`; it has no steps where there are no levels. */
OOZE_FORMULA void ooze_cycle_start(OozeCycle *c, OozeCyclePlan plan, int first, int last,
                                   bool dense)
{
    c->plan = plan;
    c->first = c->level = first;
    c->last = last;
    c->dense = dense;
    c->from_zero = false;
    c->direction = 0;
    c->state = first <= last ? OOZE_CYCLE_ENTERS : OOZE_CYCLE_LEAVES;
}

/* The level that has just got its b is solved without the steps of its cycle. */
OOZE_FORMULA void ooze_cycle_skip(OozeCycle *c)
{
    c->state = OOZE_CYCLE_LEAVES;
}

OOZE_FORMULA bool ooze_cycle_emit(const OozeCycle *c, OozeCycleKind kind, OozeCycleStep *step)
{
    step->kind = kind;
    step->level = c->level;
    step->direction = kind == OOZE_CYCLE_STEP ? c->direction : 0;
    step->from_zero = c->from_zero;
    return true;
}

OOZE_FORMULA bool ooze_cycle_smooth(OozeCycle *c, bool from_zero, OozeCycleStep *step)
{
    c->state = OOZE_CYCLE_SMOOTHS;
    c->from_zero = from_zero;
    c->direction = 0;
    return ooze_cycle_emit(c, from_zero ? OOZE_CYCLE_ZERO : OOZE_CYCLE_BEGIN, step);
}

/* After the last direction. Returns whether there is a step. */
OOZE_FORMULA bool ooze_cycle_after_smoothing(OozeCycle *c, OozeCycleStep *step)
{
    if (c->level == c->last && c->from_zero && c->plan.begins_last) {
        return ooze_cycle_smooth(c, false, step);
    }
    bool complete = c->level == c->last || c->visits[c->level] == c->plan.visits[c->level > 0];
    c->state = complete ? OOZE_CYCLE_LEAVES : OOZE_CYCLE_DESCENDS;
    return !complete && ooze_cycle_emit(c, OOZE_CYCLE_RESIDUAL, step);
}

/* The next step; false: the cycle is complete. */
OOZE_FORMULA bool ooze_cycle_next(OozeCycle *c, OozeCycleStep *step)
{
    if (c->state == OOZE_CYCLE_ENTERS) {
        c->visits[c->level] = 0;
        if (c->level < c->last || !c->dense) {
            return ooze_cycle_smooth(c, true, step);
        }
        c->state = OOZE_CYCLE_LEAVES;
        return ooze_cycle_emit(c, OOZE_CYCLE_DENSE, step);
    }
    if (c->state == OOZE_CYCLE_SMOOTHS) {
        c->direction++;
        if (c->direction < c->plan.degree[c->level > 0]) {
            return ooze_cycle_emit(c, OOZE_CYCLE_STEP, step);
        }
        c->state = OOZE_CYCLE_SMOOTHED;
        if (c->from_zero && c->plan.isolated) {
            return ooze_cycle_emit(c, OOZE_CYCLE_ISOLATED, step);
        }
    }
    if (c->state == OOZE_CYCLE_SMOOTHED && ooze_cycle_after_smoothing(c, step)) {
        return true;
    }
    if (c->state == OOZE_CYCLE_DESCENDS) {
        c->state = OOZE_CYCLE_ENTERS;
        c->level++;
        return ooze_cycle_emit(c, OOZE_CYCLE_RESTRICT, step);
    }
    if (c->state == OOZE_CYCLE_ASCENDED) {
        c->visits[c->level]++;
        return ooze_cycle_smooth(c, false, step);
    }
    if (c->level == c->first) {
        return false;
    }
    c->state = OOZE_CYCLE_ASCENDED;
    c->level--;
    return ooze_cycle_emit(c, OOZE_CYCLE_PROLONG, step);
}

#endif
