/* The implicit velocity solve, for every machine: passes, contacts, and the choice of the
   preconditioner.

   Forces are equal and opposite along edges, so every iterate keeps linear momentum, and torque
   about x0 vanishes because stresses are symmetric. */
#include "methods/conformation/lodge.h"

#include <math.h>

#include "methods/conformation/cost_model.h"
#include "methods/conformation/lodge_formula.h"

static int least(int a, int b)
{
    return a < b ? a : b;
}

static const OozeLodgeStages *stages_of(const OozeLodge *solve)
{
    return solve->step->stages->lodge;
}

static const OozeConformationSettings *settings_of(const OozeLodge *solve)
{
    return &solve->step->plan->settings;
}

/* ---- the choice of the preconditioner ---- */

/* Of `auto`. */
static OozeMultigridUse expected_use(OozeLodge *solve, double diffusion, double layers)
{
    if (stages_of(solve)->grids_save_time(solve, diffusion, layers)) {
        return OOZE_MULTIGRID_IF_SLOW;
    }
    return settings_of(solve)->velocity_iterations > OOZE_LODGE_LATE ? OOZE_MULTIGRID_IF_LATE
                                                                     : OOZE_MULTIGRID_NEVER;
}

/* Needs the coefficients of the first pass. Beyond OOZE_COST_FARTHEST floats do not resolve the
   mass of a body beside its stiffness: only iterates by masses keep its momentum then. */
static void plan_preconditioner(OozeLodge *solve)
{
    const OozeConformationStep *s = solve->step;
    const OozeConformationSettings *set = settings_of(solve);
    const OozeLodgeStages *stages = stages_of(solve);
    OozeConformationSettings diagonal = *set;
    const bool chosen = set->preconditioner == OOZE_PRECONDITIONER_MULTIGRID;
    const int few = chosen || set->pressure_grid ? 0 : OOZE_LODGE_TRIAL_MOST;
    solve->multigrid_use = OOZE_MULTIGRID_NEVER;
    solve->masses_alone = set->velocity_iterations <= few || !stages->takes_blocks(solve);
    if (solve->masses_alone) {
        return;
    }
    if (chosen) {
        solve->multigrid_use = OOZE_MULTIGRID_AT_ONCE;
        return;
    }
    const OozeLodgeExtent extent = stages->find_extent(solve);
    const double layers = extent.longest / s->context->spacing;
    const double diffusion =
        sqrt((double)s->dt * extent.largest_stiffness / 3.0) / s->context->spacing;
    const bool possible = diffusion < OOZE_COST_FARTHEST;
    diagonal.preconditioner = OOZE_PRECONDITIONER_DIAGONAL;
    solve->masses_alone = !possible;
    solve->expected = ooze_cost_of_solve(&diagonal, diffusion, layers, 0.0).iterations;
    if (set->preconditioner == OOZE_PRECONDITIONER_AUTO && possible) {
        solve->multigrid_use = expected_use(solve, diffusion, layers);
    }
}

/* Iterates by masses approach the solution from u* without passing it, so that a few of them do no
   harm. Those with blocks or multigrid may pass it, and with multigrid they converge slowly where
   few particles are in each cell of the grids: a solve that ends early throws particles. It has
   succeeded if it met its tolerance, or if the residual, which bounds the error of the velocities,
   is a tenth of these. */
static bool has_succeeded(const OozeLodge *solve)
{
    const OozeSolveResidual *residual = &solve->cg->residual;
    return !residual->has_tolerance || ooze_solve_residual_converged(residual) ||
           residual->current <= 0.01 * solve->speed_square;
}

/* In thin fluid or slow flow few iterations remain after the initial guess, fewer than blocks or
   grids are worth. Masses continue if the residual falls fast enough. */
static void try_few_iterations(OozeLodge *solve, int iterations)
{
    const OozeLodgeStages *stages = stages_of(solve);
    const int first = least(iterations, OOZE_LODGE_TRIAL);
    const double begin = solve->cg->residual.current;
    stages->iterate_by_masses(solve, first);
    stages->read(solve);
    const int needed = least(ooze_lodge_trial_iterations(begin, &solve->cg->residual), iterations);
    if (!solve->cg->off && needed <= OOZE_LODGE_TRIAL_MOST) {
        stages->iterate_by_masses(solve, least(iterations, OOZE_LODGE_TRIAL_MOST) - first);
        stages->read(solve);
    }
}

/* ---- a pass ---- */

/* The first residual from step->u, and the initial guess of the change. */
static OozeStatus begin_iterations(OozeLodge *solve, OozeError *error)
{
    const OozeConformationSettings *set = settings_of(solve);
    const OozeLodgeStages *stages = stages_of(solve);
    const bool accurate = set->second_order || solve->pass + 1 == solve->passes;
    solve->multigrid = NULL;
    solve->guessed = false;
    stages->begin_iterations(solve, (accurate ? 1.0 : OOZE_LODGE_EARLY_TOLERANCE) * set->tolerance);
    if (set->velocity_iterations > 0 && (solve->pass == 0 || solve->step->any_contacts)) {
        return stages->guess(solve, error);
    }
    return OOZE_OK;
}

static bool may_do_by_masses(const OozeLodge *solve)
{
    return !solve->grids && solve->multigrid_use != OOZE_MULTIGRID_AT_ONCE &&
           ooze_lodge_is_near(&solve->cg->residual, solve->expected, settings_of(solve)->tolerance);
}

/* With blocks, and grids where they are used. */
static OozeStatus precondition(OozeLodge *solve, int iterations, OozeError *error)
{
    const OozeLodgeStages *stages = stages_of(solve);
    OozeStatus status = stages->build(solve, error);
    if (!status) {
        solve->loses_momentum = true;
        stages->start_multigrid(solve);
        stages->iterate_multigrid(
            solve, solve->uses_grids ? least(iterations, OOZE_LODGE_MULTIGRID_MOST) : iterations);
    }
    return status;
}

static OozeStatus iterate(OozeLodge *solve, OozeError *error)
{
    const OozeLodgeStages *stages = stages_of(solve);
    const int iterations = settings_of(solve)->velocity_iterations;
    OozeStatus status = begin_iterations(solve, error);
    if (status) {
        return status;
    }
    if (solve->masses_alone) {
        stages->iterate_by_masses(solve, iterations);
        return OOZE_OK;
    }
    stages->read(solve);
    const int end = solve->cg->residual.iterations + iterations;
    if (!solve->cg->off && may_do_by_masses(solve)) {
        try_few_iterations(solve, iterations);
    }
    const bool late = solve->multigrid_use == OOZE_MULTIGRID_IF_LATE;
    solve->uses_grids = solve->uses_grids || solve->multigrid_use >= OOZE_MULTIGRID_IF_SLOW;
    if (!solve->cg->off && !solve->uses_grids) {
        const int left = end - solve->cg->residual.iterations;
        status = precondition(solve, late ? least(left, OOZE_LODGE_LATE) : left, error);
        if (late && !status) {
            stages->read(solve);
            solve->uses_grids = !solve->cg->off;
        }
    }
    if (!status && !solve->cg->off && solve->uses_grids) {
        const int left = end - solve->cg->residual.iterations;
        status = precondition(solve, left, error);
    }
    return status;
}

/* A solve that has failed is repeated by masses. */
static OozeStatus iterate_safely(OozeLodge *solve, OozeError *error)
{
    const OozeLodgeStages *stages = stages_of(solve);
    OozeStatus status = solve->masses_alone ? OOZE_OK : stages->save(solve, error);
    status = status ? status : iterate(solve, error);
    if (status || !solve->multigrid) {
        return status;
    }
    stages->read(solve);
    if (!has_succeeded(solve)) {
        stages->restore(solve);
        solve->grids = NULL;
        solve->uses_grids = false;
        solve->masses_alone = true;
        if (solve->deferred && solve->pass > 0) {
            stages->scale_second_stage(solve, 2.0f);
        }
        status = iterate(solve, error);
    }
    return status;
}

static OozeStatus run_pass(OozeLodge *solve, OozeError *error)
{
    OozeConformationStep *s = solve->step;
    const OozeLodgeStages *stages = stages_of(solve);
    const bool on_grid = s->plan->settings.pressure_grid;
    ooze_machine_refresh(s->machine, s->u, sizeof *s->u);
    stages->prepare(solve);
    stages->set_contact_velocities(solve);
    stages->begin_bodies(solve);
    ooze_machine_lap(s->machine, "prepare");
    if (solve->pass == 0) {
        plan_preconditioner(solve);
        solve->uses_grids = on_grid && solve->multigrid_use != OOZE_MULTIGRID_NEVER;
    }
    OozeStatus status =
        on_grid ? stages->solve_pressure(solve, error) : iterate_safely(solve, error);
    if (status || solve->pass + 1 >= solve->passes) {
        return status;
    }
    stages->release_contacts(solve);
    if (on_grid) {
        stages->release_walls(solve);
    }
    return s->long_step ? stages->end_long_pass(solve, error) : OOZE_OK;
}

/* ---- the solve ---- */

/* Iterates with blocks or multigrid do not conserve the momenta of free components of fluid. */
static OozeStatus restore_momentum(OozeLodge *solve, OozeError *error)
{
    const OozeLodgeStages *stages = stages_of(solve);
    const bool on_grid = settings_of(solve)->pressure_grid;
    if (!solve->loses_momentum && !on_grid) {
        return OOZE_OK;
    }
    if (on_grid) {
        stages->leave_pressure_out(solve, -1.0f);
    }
    OozeStatus status = stages->restore_momentum(solve, error);
    if (on_grid) {
        stages->leave_pressure_out(solve, 1.0f);
    }
    return status;
}

static OozeStatus run_passes(OozeLodge *solve, OozeError *error)
{
    const OozeConformationSettings *set = settings_of(solve);
    OozeStatus status = OOZE_OK;
    solve->passes = set->passes + (solve->step->long_step ? set->impact_passes : 0);
    for (solve->pass = 0; solve->pass < solve->passes && !status; solve->pass++) {
        status = run_pass(solve, error);
    }
    return status ? status : restore_momentum(solve, error);
}

OozeStatus ooze_lodge_solve(OozeConformationStep *s, OozeError *error)
{
    const OozeLodgeStages *stages = s->stages->lodge;
    OozeLodge *solve = NULL;
    const OozeMachineMark mark = ooze_machine_mark(s->machine);
    OozeStatus status = stages->create(s, &solve, error);
    if (!status) {
        stages->start(solve);
        stages->expect_solids(solve, 1.0);
        status = run_passes(solve, error);
    }
    if (!status) {
        s->used_multigrid = solve->uses_grids;
        stages->end(solve);
        stages->expect_solids(solve, -1.0);
        stages->report_stress(solve);
    }
    ooze_machine_rewind(s->machine, mark);
    return status;
}
