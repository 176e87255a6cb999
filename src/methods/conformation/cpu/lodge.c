/* The velocity solve on the processor: products of the operator, conjugate gradients, beginning and
   end. Products are gathers along edges (see lodge_loops.c). */
#include "methods/conformation/cpu/lodge.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "methods/conformation/cost_model.h"
#include "methods/conformation/cpu/density_warm_start.h"
#include "methods/conformation/cpu/impact_solve.h"
#include "methods/conformation/cpu/lodge_multigrid.h"
#include "methods/conformation/lodge_particle_formula.h"
#include "methods/conformation/pressure_solve.h"

static void run(OozeLodge *solve, OozeRangeBody body)
{
    const OozeConformationStep *s = solve->step;
    ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, body, solve);
}

double ooze_lodge_sum(OozeLodge *solve, OozeRangeBody body)
{
    const OozeConformationStep *s = solve->step;
    OozeBlockSum sum = {s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, solve->own->partial,
                        s->context->halo};
    return ooze_block_sum(&sum, body, solve);
}

double ooze_lodge_multiply_by(OozeLodge *solve, const OozeF32x4 *input, bool with_explicit_terms)
{
    solve->own->input = input;
    solve->own->output = solve->ap;
    solve->own->with_explicit_terms = with_explicit_terms;
    const OozeStepContext *c = solve->step->context;
    const uint64_t n = solve->step->n, grain = OOZE_CONFORMATION_GRAIN;
    const OozeHaloLoop stress = {c->threads, n, grain, ooze_lodge_loops()->stress, solve},
                       forces = {c->threads, n, grain, ooze_lodge_loops()->product, solve};
    ooze_step_bodies_fetch(solve->step, input);
    if (solve->own->pairs) {
        ooze_impact_fetch(solve->own->pairs, input);
    }
    ooze_lodge_solids_spread(solve);
    ooze_halo_refresh_during(c->halo, (void *)input, sizeof *input, &stress);
    ooze_halo_refresh_during(c->halo, solve->own->flux, sizeof *solve->own->flux, &forces);
    double product = ooze_halo_sum(c->halo, solve->own->partial, n, grain);
    product += ooze_lodge_solids_product(solve);
    ooze_timer_lap(c->timer, "velocity_operator");
    return product;
}

double ooze_lodge_multiply(OozeLodge *solve)
{
    return ooze_lodge_multiply_by(solve, solve->p, false);
}

/* ---- conjugate gradients ------------------------------------------------------------------ */

/* The diagonal preconditioner is the inverse of the masses. Residuals sum to zero because forces
   do, so changes of the velocities carry no momentum in any iterate, whatever the densities. Rigid
   bodies respond to residuals as a whole. */
static double sum_with_bodies(OozeLodge *solve, OozeRangeBody body)
{
    double sum = ooze_lodge_sum(solve, body);
    return sum + ooze_step_bodies_precondition(solve->step, solve->r);
}

static double operator_product(void *user)
{
    return ooze_lodge_multiply(user);
}

double ooze_lodge_advance(void *user, double alpha, double *square)
{
    OozeLodge *solve = user;
    solve->own->alpha = alpha;
    *square = sum_with_bodies(solve, ooze_lodge_loops()->advance);
    *square += ooze_lodge_solids_advance(solve);
    if (solve->multigrid) {
        ooze_timer_add(solve->step->context->timer, "velocity_vectors");
        return ooze_lodge_multigrid_precondition(solve);
    }
    return *square;
}

void ooze_lodge_next_direction(OozeLodge *solve, double beta)
{
    solve->own->beta = beta;
    if (solve->multigrid) {
        ooze_lodge_multigrid_update(solve);
    } else {
        run(solve, ooze_lodge_loops()->update);
        ooze_step_bodies_respond(solve->step, solve->p);
    }
    ooze_lodge_solids_update(solve);
}

static void update_direction(void *user, double beta)
{
    OozeLodge *solve = user;
    ooze_lodge_next_direction(solve, beta);
    ooze_timer_lap(solve->step->context->timer, "velocity_vectors");
}

static const OozeCgOperations operations = {operator_product, ooze_lodge_advance, update_direction};

static void iterate(OozeLodge *solve, int iterations)
{
    ooze_conjugate_gradients(solve->cg, &operations, solve, iterations);
}

/* Numbers of the solve are in the host's memory. */
static void read_numbers(OozeLodge *solve)
{
    (void)solve;
}

/* ---- second order ---- */

typedef struct ScaleJob {
    OozeLodge *solve;
    float factor;
} ScaleJob;

static void scale_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const ScaleJob *job = data;
    const OozeLodge *solve = job->solve;
    for (uint64_t i = begin; i < end; i++) {
        ooze_lodge_scale_particle(solve, i, job->factor);
    }
}

static void sum_hourglass(OozeLodge *solve)
{
    ooze_halo_refresh(solve->step->context->halo, solve->hourglass, sizeof *solve->hourglass);
    run(solve, ooze_lodge_loops()->edge_hourglass);
}

void ooze_lodge_scale_second_stage(OozeLodge *solve, float factor)
{
    ScaleJob job = {solve, factor};
    const OozeConformationStep *s = solve->step;
    ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, scale_range, &job);
    sum_hourglass(solve);
}

static void guess_deferred_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodge *solve = data;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 p = solve->deferred[i];
        p[3] = 0;
        solve->p[i] = ooze_lodge_project(solve->step, i, p);
    }
}

/* The forces that the first stage has left out join the velocities here, so that every iterate
   has the momentum of u*. */
static double add_deferred(OozeLodge *solve)
{
    double rz = 0.0;
    run(solve, guess_deferred_range);
    ooze_lodge_solids_zero(solve);
    ooze_lodge_multiply(solve);
    ooze_lodge_advance(solve, 1.0, &rz);
    ooze_lodge_next_direction(solve, 0.0);
    return rz;
}

/* ---- a pass ---- */

static void prepare(OozeLodge *solve)
{
    ooze_lodge_prepare(solve);
    sum_hourglass(solve);
}

static void begin_bodies(OozeLodge *solve)
{
    ooze_step_bodies_begin_pass(solve->step, solve->u_star);
}

static void begin_iterations(OozeLodge *solve, double tolerance)
{
    OozeConformationStep *s = solve->step;
    const bool second_stage = solve->deferred && solve->pass > 0;
    solve->cg->min_curvature = OOZE_LODGE_MIN_CURVATURE;
    ooze_lodge_multiply_by(solve, s->u, true);
    if (second_stage) {
        ooze_lodge_scale_second_stage(solve, 0.5f);
    }
    double rz = sum_with_bodies(solve, ooze_lodge_loops()->start) + ooze_lodge_solids_start(solve);
    ooze_step_bodies_respond(s, solve->p);
    rz = second_stage ? add_deferred(solve) : rz;
    ooze_timer_add(s->context->timer, "velocity_vectors");
    ooze_cg_begin(solve->cg, rz, rz, tolerance);
}

/* ---- beginning and end ---- */

static void allocate(OozeLodge *solve)
{
    OozeArena *arena = solve->step->context->arena;
    uint64_t n = solve->step->n, local = solve->step->local;
    solve->stiffness = ooze_gathered_alloc(arena, local, sizeof *solve->stiffness);
    solve->explicit_stress = ooze_gathered_alloc(arena, n, sizeof *solve->explicit_stress);
    solve->bulk = ooze_gathered_alloc(arena, local, sizeof *solve->bulk);
    solve->hourglass = ooze_gathered_alloc(arena, local, sizeof *solve->hourglass);
    solve->edge_hourglass = ooze_gathered_alloc(arena, n, sizeof *solve->edge_hourglass);
    solve->own->flux = ooze_gathered_alloc(arena, local, sizeof *solve->own->flux);
    solve->r = ooze_gathered_alloc(arena, n, sizeof *solve->r);
    solve->p = ooze_gathered_alloc(arena, local, sizeof *solve->p);
    solve->ap = ooze_gathered_alloc(arena, n, sizeof *solve->ap);
    solve->pressure = ooze_arena_alloc(arena, solve->step->long_step ? n : 0, sizeof(float));
    solve->own->partial = ooze_arena_alloc(arena, n / OOZE_CONFORMATION_GRAIN + 1, sizeof(double));
    solve->u_star = ooze_arena_alloc(arena, n, sizeof *solve->u_star);
    if (solve->step->plan->settings.second_order) {
        solve->deferred = ooze_arena_alloc(arena, n, sizeof *solve->deferred);
    }
    ooze_warm_start_allocate(solve);
}

static OozeStatus create(OozeConformationStep *s, OozeLodge **out, OozeError *error)
{
    OozeLodge *solve = ooze_arena_alloc(s->context->arena, 1, sizeof *solve);
    OozeLodgeOwn *own = ooze_arena_alloc(s->context->arena, 1, sizeof *own);
    if (solve && own) {
        *own = (OozeLodgeOwn){.cg = {.restarts = true}};
        *solve = (OozeLodge){.step = s, .own = own, .cg = &own->cg};
        ooze_density_warm_start_find(s);
        allocate(solve);
    }
    *out = solve;
    return ooze_arena_failed(s->context->arena)
               ? ooze_fail_memory(error, "the velocity solve", s->n * 256)
               : OOZE_OK;
}

static void start_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodge *solve = data;
    const OozeConformationStep *s = solve->step;
    const OozeF32x4 *applied = s->own->grid_pressure ? s->own->grid_pressure->applied : NULL;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        sum += ooze_lodge_start_particle(s, solve, i, applied);
    }
    solve->own->partial[begin / OOZE_CONFORMATION_GRAIN] = sum;
}

/* A residual bounds the error of the velocities: the tolerance is relative to these. */
static void start(OozeLodge *solve)
{
    solve->speed_square = ooze_lodge_sum(solve, start_range);
    solve->cg->residual.initial = solve->speed_square;
}

static void expect_solids(OozeLodge *solve, double sign)
{
    ooze_lodge_solids_expect(solve->step, sign);
}

static void take_pushes_back_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodge *solve = data;
    for (uint64_t i = begin; i < end; i++) {
        solve->step->u[i] -= ooze_lodge_expected_push(solve->step, i);
    }
}

static void end(OozeLodge *solve)
{
    ooze_warm_start_record(solve);
    if (solve->step->expects_pushes) {
        run(solve, take_pushes_back_range);
    }
    ooze_step_bodies_apply_impulses(solve->step);
    solve->step->residual = solve->cg->residual;
}

const OozeLodgeStages ooze_lodge_stages = {
    .create = create,
    .start = start,
    .expect_solids = expect_solids,
    .prepare = prepare,
    .set_contact_velocities = ooze_lodge_set_contact_velocities,
    .begin_bodies = begin_bodies,
    .scale_second_stage = ooze_lodge_scale_second_stage,
    .begin_iterations = begin_iterations,
    .guess = ooze_warm_start,
    .read = read_numbers,
    .iterate_by_masses = iterate,
    .iterate_multigrid = iterate,
    .release_contacts = ooze_lodge_release_contacts,
    .end_long_pass = ooze_impact_end_pass,
    .takes_blocks = ooze_lodge_multigrid_is_possible,
    .find_extent = ooze_lodge_multigrid_find_extent,
    .grids_save_time = ooze_lodge_multigrid_saves_time,
    .save = ooze_lodge_multigrid_save,
    .restore = ooze_lodge_multigrid_restore,
    .build = ooze_lodge_multigrid_begin,
    .start_multigrid = ooze_lodge_multigrid_start,
    .restore_momentum = ooze_lodge_restore_momentum,
    .solve_pressure = ooze_grid_pressure_solve,
    .release_walls = ooze_grid_pressure_release,
    .leave_pressure_out = ooze_grid_pressure_leave_out,
    .end = end,
    .report_stress = ooze_lodge_report_stress,
};

const OozeFormulation ooze_formulation_lodge = {
    .solve_velocities = ooze_lodge_solve,
    .solve_positions = ooze_conformation_density,
    .finish = ooze_lodge_finish,
};
