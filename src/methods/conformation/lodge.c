/* The implicit velocity solve (rho - dt a[C[D(u)]]) u = rho u* + dt a[S0], by conjugate
   gradients.

   Products of the operator are gathers along edges (see lodge_loops.c). Forces are equal and
   opposite along edges, so every iterate keeps linear momentum, and torque about x0 vanishes
   because stresses are symmetric. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "methods/conformation/cpu/density_warm_start.h"
#include "methods/conformation/cpu/impact_solve.h"
#include "methods/conformation/cpu/lodge_multigrid.h"
#include "methods/conformation/lodge_formula.h"
#include "methods/conformation/pressure_solve.h"

static void run(OozeLodge *solve, OozeRangeBody body)
{
    const OozeConformationStep *s = solve->step;
    ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, body, solve);
}

double ooze_lodge_sum(OozeLodge *solve, OozeRangeBody body)
{
    const OozeConformationStep *s = solve->step;
    OozeBlockSum sum = {s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, solve->partial,
                        s->context->halo};
    return ooze_block_sum(&sum, body, solve);
}

double ooze_lodge_multiply_by(OozeLodge *solve, const OozeF32x4 *input, bool with_explicit_terms)
{
    solve->input = input;
    solve->output = solve->ap;
    solve->with_explicit_terms = with_explicit_terms;
    const OozeStepContext *c = solve->step->context;
    const uint64_t n = solve->step->n, grain = OOZE_CONFORMATION_GRAIN;
    const OozeHaloLoop stress = {c->threads, n, grain, ooze_lodge_loops()->stress, solve},
                       forces = {c->threads, n, grain, ooze_lodge_loops()->product, solve};
    ooze_step_bodies_fetch(solve->step, input);
    if (solve->pairs) {
        ooze_impact_fetch(solve->pairs, input);
    }
    ooze_lodge_solids_spread(solve);
    ooze_halo_refresh_during(c->halo, (void *)input, sizeof *input, &stress);
    ooze_halo_refresh_during(c->halo, solve->flux, sizeof *solve->flux, &forces);
    double product = ooze_halo_sum(c->halo, solve->partial, n, grain);
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

/* u += alpha p, r -= alpha ap. Returns r.z; `square` is r.z of the diagonal preconditioner. */
static double advance(void *user, double alpha, double *square)
{
    OozeLodge *solve = user;
    solve->alpha = alpha;
    *square = sum_with_bodies(solve, ooze_lodge_loops()->advance);
    *square += ooze_lodge_solids_advance(solve);
    if (solve->multigrid) {
        ooze_timer_add(solve->step->context->timer, "velocity_vectors");
        return ooze_lodge_multigrid_precondition(solve);
    }
    return *square;
}

/* p = z + beta p */
static void update(OozeLodge *solve, double beta)
{
    solve->beta = beta;
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
    update(solve, beta);
    ooze_timer_lap(solve->step->context->timer, "velocity_vectors");
}

static void direction_dot_residual_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodge *solve = data;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        sum += (double)ooze_f32x4_dot3(solve->p[i], solve->r[i]);
    }
    solve->partial[begin / OOZE_CONFORMATION_GRAIN] = sum;
}

/* Advances along the initial guess of the pass, then continues from the residual. Returns whether
   there was a guess. */
static bool warm_start(OozeLodge *solve, int pass)
{
    OozeConjugateGradients *cg = &solve->cg;
    bool guessed = pass == 0 ? ooze_warm_start_last_step(solve) : ooze_warm_start_released(solve);
    if (guessed) {
        double along = ooze_lodge_sum(solve, direction_dot_residual_range);
        along += ooze_lodge_solids_dot(solve);
        advance(solve, ooze_cg_guess_length(along, cg->pap), &cg->rz);
    }
    update(solve, 0.0);
    ooze_timer_add(solve->step->context->timer, "velocity_vectors");
    cg->off = !ooze_solve_residual_check(&cg->residual, cg->rz);
    return guessed;
}

static const OozeCgOperations operations = {operator_product, advance, update_direction};

/* Continues with multigrid from the present residual. */
static OozeStatus change_to_multigrid(OozeLodge *solve, OozeError *error)
{
    OozeConjugateGradients *cg = &solve->cg;
    OozeStatus status = ooze_lodge_multigrid_begin(solve, error);
    if (!status) {
        cg->rz = cg->first_rz = ooze_lodge_multigrid_precondition(solve);
        cg->min_curvature = 0.0; /* the bound holds for the diagonal only */
        cg->fresh = 1;
        cg->off = !(cg->rz > 0.0);
        update(solve, 0.0);
    }
    return status;
}

/* In slow flow few iterations remain after the initial guess, fewer than grids are worth. The
   diagonal preconditioner continues if its residual falls fast enough. */
static void try_diagonal(OozeLodge *solve, int iterations)
{
    const OozeSolveResidual *residual = &solve->cg.residual;
    int first = iterations < OOZE_LODGE_TRIAL ? iterations : OOZE_LODGE_TRIAL;
    double begin = residual->current;
    ooze_conjugate_gradients(&solve->cg, &operations, solve, first);
    int needed = ooze_lodge_trial_iterations(begin, residual);
    needed = needed < iterations ? needed : iterations;
    if (needed <= OOZE_LODGE_TRIAL_MOST) {
        int most = iterations < OOZE_LODGE_TRIAL_MOST ? iterations : OOZE_LODGE_TRIAL_MOST;
        ooze_conjugate_gradients(&solve->cg, &operations, solve, most - first);
    }
}

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
        if (solve->deferred[i][3] > 0.0f) {
            ooze_lodge_scale(&solve->stiffness[i], &solve->bulk[i], &solve->hourglass[i],
                             job->factor);
        }
    }
}

static void sum_hourglass(OozeLodge *solve)
{
    ooze_halo_refresh(solve->step->context->halo, solve->hourglass, sizeof *solve->hourglass);
    run(solve, ooze_lodge_loops()->edge_hourglass);
}

void ooze_lodge_scale_second_stage(OozeLodge *solve, int pass, float factor)
{
    ScaleJob job = {solve, factor};
    if (solve->deferred && pass > 0) {
        const OozeConformationStep *s = solve->step;
        ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, scale_range, &job);
        sum_hourglass(solve);
    }
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
    advance(solve, 1.0, &rz);
    update(solve, 0.0);
    return rz;
}

/* Starts from step->u, contact directions already set, and a guess of the change. */
static OozeStatus iterate(OozeLodge *solve, int pass, OozeError *error)
{
    OozeConformationStep *s = solve->step;
    OozeConjugateGradients *cg = &solve->cg;
    int iterations = s->settings.velocity_iterations, before = cg->residual.iterations;
    bool accurate = s->settings.second_order || pass + 1 == solve->passes;
    bool guessed = pass > 0;
    OozeStatus status = OOZE_OK;
    solve->multigrid = NULL;
    cg->min_curvature = OOZE_LODGE_MIN_CURVATURE;
    ooze_lodge_multiply_by(solve, s->u, true);
    ooze_lodge_scale_second_stage(solve, pass, 0.5f);
    double rz = sum_with_bodies(solve, ooze_lodge_loops()->start) + ooze_lodge_solids_start(solve);
    ooze_step_bodies_respond(solve->step, solve->p);
    rz = solve->deferred && pass > 0 ? add_deferred(solve) : rz;
    ooze_timer_add(s->context->timer, "velocity_vectors");
    ooze_cg_begin(cg, rz, rz,
                  (accurate ? 1.0 : OOZE_LODGE_EARLY_TOLERANCE) * s->settings.tolerance);
    if (!cg->off && iterations > 0 && (pass == 0 || s->any_contacts)) {
        guessed = warm_start(solve, pass) || guessed;
    }
    if (solve->status) {
        return ooze_fail_memory(error, "the velocity solve", 0);
    }
    if (!cg->off && solve->multigrid_use != OOZE_MULTIGRID_NEVER) {
        if (solve->multigrid_use == OOZE_MULTIGRID_IF_LATE && !solve->grids) {
            ooze_conjugate_gradients(cg, &operations, solve, OOZE_LODGE_LATE);
        } else if (solve->multigrid_use == OOZE_MULTIGRID_IF_SLOW && guessed && !solve->grids) {
            try_diagonal(solve, iterations);
        }
        status = cg->off ? OOZE_OK : change_to_multigrid(solve, error);
    }
    if (!status) {
        int left = iterations - (cg->residual.iterations - before);
        left =
            solve->multigrid && left > OOZE_LODGE_MULTIGRID_MOST ? OOZE_LODGE_MULTIGRID_MOST : left;
        ooze_conjugate_gradients(cg, &operations, solve, left);
    }
    return status;
}

/* A solve by multigrid that has failed is repeated with the diagonal preconditioner. */
static OozeStatus solve_pass(OozeLodge *solve, int pass, OozeError *error)
{
    if (solve->step->grid_pressure) {
        return ooze_grid_pressure_solve(solve, pass, error);
    }
    if (solve->multigrid_use != OOZE_MULTIGRID_NEVER) {
        ooze_lodge_multigrid_save(solve);
    }
    OozeStatus status = iterate(solve, pass, error);
    if (!status && solve->multigrid && !ooze_lodge_multigrid_succeeded(solve)) {
        ooze_lodge_multigrid_give_up(solve);
        ooze_lodge_scale_second_stage(solve, pass, 2.0f);
        status = iterate(solve, pass, error);
    }
    return status;
}

/* ---- coefficients of a pass --------------------------------------------------------------- */

typedef struct Prepare {
    OozeLodge *solve;
    bool later_pass; /* after the first: Q rotates with its velocity, or the second stage */
} Prepare;

/* The row whose stress a particle carries: its own material's, or on a body that of the fluid
   that wets it. */
static uint16_t stress_row(const OozeConformationStep *s, uint64_t i)
{
    return s->bodies ? s->bodies->film[i] : s->material[i];
}

OozeMat3 ooze_velocity_gradient(const OozeConformationStep *s, uint64_t i)
{
    OozeF32x4 unused;
    return ooze_mat3_mul_sym3(ooze_raw_gradient(s, s->u, i, &unused, true), s->correction[i]);
}

static void set_modes(OozeConformationStep *s, uint64_t i, const OozeSym3 *q)
{
    ooze_strain_set(s, i, q[0]);
    for (int k = 0; k < s->more_modes; k++) {
        ooze_strain_write(s->more_strain[k], i, q[k + 1]);
    }
}

/* What the coefficients of all particles depend on. */
static OozeLodgeState state_of_step(const OozeConformationStep *s, bool later_pass)
{
    return (OozeLodgeState){.more = s->more_modes,
                            .later_pass = later_pass,
                            .dt = s->dt,
                            .bulk_factor = ooze_impact_bulk(s->settings.bulk, s->long_step),
                            .void_closure = s->settings.void_closure};
}

/* Second order: takes a part of the external forces out of u*, and puts it back in the second
   stage. */
static void defer_forces(OozeLodge *solve, uint64_t i, float share, bool later_pass)
{
    const OozeConformationStep *s = solve->step;
    if (later_pass) {
        solve->u_star[i] += solve->deferred[i] * ooze_f32x4(1, 1, 1, 0);
        return;
    }
    const OozeFloat4 v = ooze_particles_velocities(s->context->particles)[i];
    bool own = s->mobility[i] > 0.0f && s->rheology[s->material[i]].second_order;
    OozeF32x4 change = solve->u_star[i] - ooze_f32x4(v.x, v.y, v.z, 0);
    OozeF32x4 deferred = (own ? share : 0.0f) * change;
    solve->u_star[i] -= deferred;
    deferred[3] = share;
    solve->deferred[i] = deferred;
}

/* Where the grid holds the fluid, its pressure closes voids. */
static float void_expansion(const OozeConformationStep *s, uint64_t i)
{
    bool held = s->grid_pressure && s->grid_pressure->reached[i] > 0.0f;
    return held ? 0.0f : s->expansion[i];
}

static void prepare_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Prepare *prepare = data;
    OozeLodge *solve = prepare->solve;
    OozeConformationStep *s = solve->step;
    OozeLodgeState state = state_of_step(s, prepare->later_pass);
    for (uint64_t i = begin; i < end; i++) {
        uint16_t row = stress_row(s, i);
        state.l = ooze_velocity_gradient(s, i);
        ooze_modes_get(s, i, state.q);
        state.expansion = void_expansion(s, i);
        state.singular = s->correction[i].xx == 0.0f;
        if (solve->deferred && prepare->later_pass) {
            state.first_share = solve->deferred[i][3];
            state.first_stress = ooze_sym3_scale(solve->explicit_stress[i],
                                                 row != s->material[i] ? 1.0f / OOZE_FILM : 1.0f);
        }
        OozeLodgeCoefficients c = ooze_lodge_coefficients(&s->rheology[row], &state);
        s->stress[i] = c.stress;
        if (s->thread_regularisation) {
            s->thread_regularisation[i] =
                ooze_lodge_thread_regularisation(&s->rheology[s->material[i]], &state);
        }
        if (s->long_step) {
            ooze_impact_add_pressure(solve, i, &state, &c);
        }
        if (solve->deferred) {
            defer_forces(solve, i, c.share, prepare->later_pass);
        }
        if (row != s->material[i]) {
            c = ooze_lodge_wet_body(c, &s->rheology[s->material[i]], s->settings.bulk);
        }
        solve->stiffness[i] = c.stiffness;
        solve->explicit_stress[i] = c.explicit_stress;
        solve->bulk[i] = c.bulk;
        solve->hourglass[i] = c.hourglass;
    }
}

/* Coefficients of first order, whose stress is that of the end of the step. */
static void set_first_order(OozeLodge *solve, uint64_t i, OozeLodgeState *state)
{
    const OozeConformationStep *s = solve->step;
    OozeRheology row = s->rheology[stress_row(s, i)];
    row.second_order = false;
    ooze_modes_get(s, i, state->q);
    state->expansion = void_expansion(s, i);
    OozeLodgeCoefficients c = ooze_lodge_coefficients(&row, state);
    solve->stiffness[i] = c.stiffness;
    solve->explicit_stress[i] = c.explicit_stress;
    solve->bulk[i] = c.bulk;
}

/* The stress after the solve, S0 + C[D(u)], for output. */
static void report_stress_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeLodge *solve = data;
    const OozeConformationStep *s = solve->step;
    OozeLodgeState state = state_of_step(s, true);
    for (uint64_t i = begin; i < end; i++) {
        state.l = ooze_velocity_gradient(s, i);
        if (solve->deferred && solve->deferred[i][3] > 0.0f) {
            set_first_order(solve, i, &state);
        }
        OozeSym3 stress =
            ooze_lodge_stress(ooze_mat3_symmetric(state.l), solve->stiffness[i], solve->bulk[i]);
        s->context->stress[i] = ooze_sym3_scale(ooze_sym3_add(solve->explicit_stress[i], stress),
                                                ooze_reference_density(s));
    }
}

static void allocate(OozeLodge *solve)
{
    OozeArena *arena = solve->step->context->arena;
    uint64_t n = solve->step->n, local = solve->step->local;
    solve->stiffness = ooze_gathered_alloc(arena, local, sizeof *solve->stiffness);
    solve->explicit_stress = ooze_gathered_alloc(arena, n, sizeof *solve->explicit_stress);
    solve->bulk = ooze_gathered_alloc(arena, local, sizeof *solve->bulk);
    solve->hourglass = ooze_gathered_alloc(arena, local, sizeof *solve->hourglass);
    solve->edge_hourglass = ooze_gathered_alloc(arena, n, sizeof *solve->edge_hourglass);
    solve->flux = ooze_gathered_alloc(arena, local, sizeof *solve->flux);
    solve->r = ooze_gathered_alloc(arena, n, sizeof *solve->r);
    solve->p = ooze_gathered_alloc(arena, local, sizeof *solve->p);
    solve->ap = ooze_gathered_alloc(arena, n, sizeof *solve->ap);
    solve->pressure = ooze_arena_alloc(arena, solve->step->long_step ? n : 0, sizeof(float));
    solve->partial = ooze_arena_alloc(arena, n / OOZE_CONFORMATION_GRAIN + 1, sizeof(double));
    solve->u_star = ooze_arena_alloc(arena, n, sizeof *solve->u_star);
    if (solve->step->settings.second_order) {
        solve->deferred = ooze_arena_alloc(arena, n, sizeof *solve->deferred);
    }
    ooze_warm_start_allocate(solve);
}

/* u* = u and the push that is expected, and sum rho u^2. Forces of a surface are opposite on
   neighbouring layers and cancel in the solve of a viscous fluid: their impulse belongs to u*, but
   not to the velocities that the solve starts from, whose residual would make the tolerance too
   large. */
static void start_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodge *solve = data;
    const OozeConformationStep *s = solve->step;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 push = ooze_lodge_expected_push(s, i);
        push += s->grid_pressure ? s->grid_pressure->applied[i] : push - push;
        solve->u_star[i] = s->u[i] + push;
        OozeF32x4 u = s->grid_pressure ? solve->u_star[i] : s->u[i];
        sum += (double)s->rheology[s->material[i]].relative_mass * (double)ooze_f32x4_dot3(u, u);
        s->u[i] = s->surface_impulse ? s->u[i] - s->surface_impulse[i] : s->u[i];
        s->u[i] += push;
    }
    solve->partial[begin / OOZE_CONFORMATION_GRAIN] = sum;
}

static void take_pushes_back_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodge *solve = data;
    for (uint64_t i = begin; i < end; i++) {
        solve->step->u[i] -= ooze_lodge_expected_push(solve->step, i);
    }
}

static OozeStatus solve_velocities(OozeConformationStep *s, OozeError *error)
{
    OozeArena *arena = s->context->arena;
    OozeLodge solve = {.step = s, .cg = {.restarts = true}};
    s->next_warm_start = ooze_arena_alloc(arena, s->n, sizeof *s->next_warm_start);
    s->thread_regularisation = s->regularises_threads
                                   ? ooze_arena_alloc(arena, s->n, sizeof *s->thread_regularisation)
                                   : NULL;
    OozeStatus status = ooze_density_warm_start_find(s, error);
    OozeArenaMark mark = ooze_arena_mark(arena);
    allocate(&solve);
    if (status) {
        return status;
    }
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "the velocity solve", s->n * 256);
    }
    /* a residual bounds the error of the velocities: the tolerance is relative to these */
    solve.speed_square = ooze_lodge_sum(&solve, start_range);
    solve.cg.residual.initial = solve.speed_square;
    ooze_lodge_solids_expect(s, 1.0);
    solve.passes = s->settings.passes + (s->long_step ? s->settings.impact_passes : 0);
    for (int pass = 0; pass < solve.passes && !status; pass++) {
        Prepare prepare = {.solve = &solve, .later_pass = pass > 0};
        ooze_halo_refresh(s->context->halo, s->u, sizeof *s->u);
        ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, prepare_range,
                          &prepare);
        sum_hourglass(&solve);
        solve.first_pass = pass == 0;
        ooze_lodge_set_contact_velocities(&solve);
        ooze_step_bodies_begin_pass(s, solve.u_star);
        ooze_timer_lap(s->context->timer, "prepare");
        status = pass == 0 ? ooze_lodge_multigrid_plan(&solve, error) : OOZE_OK;
        status = status ? status : solve_pass(&solve, pass, error);
        if (!status && pass + 1 < solve.passes) {
            ooze_lodge_release_contacts(&solve);
            ooze_grid_pressure_release(&solve);
            status = s->long_step ? ooze_impact_end_pass(&solve, pass, error) : OOZE_OK;
        }
    }
    if (!status && (solve.grids || s->grid_pressure)) {
        ooze_grid_pressure_leave_out(&solve, -1.0f);
        status = ooze_lodge_restore_momentum(&solve, error);
        ooze_grid_pressure_leave_out(&solve, 1.0f);
    }
    if (status) {
        return status;
    }
    ooze_warm_start_record(&solve);
    if (s->expects_pushes) {
        run(&solve, take_pushes_back_range);
    }
    ooze_step_bodies_apply_impulses(s);
    ooze_lodge_solids_expect(s, -1.0);
    if (s->context->stress) {
        run(&solve, report_stress_range);
    }
    ooze_solve_residual_report(&solve.cg.residual, s->context->report);
    s->context->report->multigrid = solve.grids != NULL;
    ooze_arena_rewind(arena, mark);
    return OOZE_OK;
}

/* ---- end of step -------------------------------------------------------------------------- */

static void finish_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeConformationStep *s = data;
    const OozeSym3 one = ooze_sym3_identity(1), rest[OOZE_MODES] = {one, one, one, one};
    const float cutoff = OOZE_VOID_CLOSURE_CUTOFF * s->flat_gradient;
    OozeLodgeEnd particle = {.more = s->more_modes, .dt = s->dt};
    for (uint64_t i = begin; i < end; i++) {
        uint16_t row = stress_row(s, i);
        particle.body = s->bodies && s->bodies->slot[i] != UINT32_MAX;
        if (particle.body && row == s->material[i]) {
            set_modes(s, i, rest); /* dry: it has no conformation */
            continue;
        }
        ooze_modes_get(s, i, particle.q);
        particle.expansion = s->expansion[i];
        particle.density = s->density[i];
        particle.surface = s->surface_indicator[i] / cutoff;
        ooze_lodge_end(&s->rheology[row], ooze_velocity_gradient(s, i), &particle);
        set_modes(s, i, particle.q);
        s->expansion[i] = particle.expansion;
    }
}

static void finish(OozeConformationStep *s)
{
    ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, finish_range, s);
    ooze_warm_start_store(s);
}

const OozeFormulation ooze_formulation_lodge = {
    .regathers_edges = true,
    .solve_velocities = solve_velocities,
    .solve_positions = ooze_conformation_density,
    .finish = finish,
};
