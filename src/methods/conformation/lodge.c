/* The implicit velocity solve: (rho - dt a[G[D(u)]]) u = rho u* + dt a[S0], by conjugate gradients.

   Its products are gathers along edges (see lodge_loops.c). Forces are equal and opposite along edges, so every iterate keeps
   linear momentum, and torque about x0 vanishes because stresses are symmetric. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "methods/conformation/lodge.h"
#include "methods/conformation/lodge_formula.h"

double ooze_lodge_run(OozeLodge *solve, OozeRangeBody body)
{
    uint64_t n = solve->step->n;
    ooze_parallel_for(solve->step->context->threads, n, OOZE_CONFORMATION_GRAIN, body, solve);
    double sum = 0.0;
    for (uint64_t k = 0; k * OOZE_CONFORMATION_GRAIN < n; k++) {
        sum += solve->partial[k];
    }
    return sum;
}

static double multiply(OozeLodge *solve, const OozeFour *input, OozeFour *output, bool with_known)
{
    solve->input = input;
    solve->output = output;
    solve->with_known = with_known;
    ooze_couple_spread(solve);
    ooze_parallel_for(solve->step->context->threads, solve->step->n, OOZE_CONFORMATION_GRAIN,
                      ooze_lodge_loops()->stress, solve);
    double product = ooze_lodge_run(solve, ooze_lodge_loops()->product);
    product += ooze_couple_product(solve);
    ooze_stage_lap(solve->step->context->clock, OOZE_PART_VELOCITY_OPERATOR);
    return product;
}

double ooze_lodge_multiply(OozeLodge *solve)
{
    return multiply(solve, solve->p, solve->ap, false);
}

/* ---- conjugate gradients ------------------------------------------------------------------ */

/* One of the sweeps that leave a residual; rigid bodies answer to it as a whole. */
static double run_with_bodies(OozeLodge *solve, OozeRangeBody body)
{
    double sum = ooze_lodge_run(solve, body);
    return sum + ooze_step_bodies_precondition(solve->step, solve->r);
}

/* p = the next direction. */
static void turn(OozeLodge *solve)
{
    const OozeConformationStep *s = solve->step;
    ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, ooze_lodge_loops()->turn,
                      solve);
    ooze_step_bodies_respond(solve->step, solve->p);
    ooze_couple_turn(solve);
}

/* Along p, by alpha. Returns the squared residual there. */
static double advance(OozeLodge *solve)
{
    double rr = run_with_bodies(solve, ooze_lodge_loops()->advance);
    return rr + ooze_couple_advance(solve);
}

/* Goes along p to where the error, measured by the operator, is least, and no farther than p: what each step took
   further than the last would grow without end where iterations are few. Returns the squared residual there. */
static double go_along(OozeLodge *solve)
{
    double alpha = ooze_recall_along(solve) / solve->pap;
    solve->alpha = solve->pap > 0.0 ? fmin(fmax(alpha, 0.0), 1.0) : 0.0;
    return advance(solve);
}

/* Begins with what is remembered, and turns to the residual. Returns its square. */
static double recall(OozeLodge *solve, int pass, double rr)
{
    bool any = pass == 0 ? ooze_recall_push(solve) : ooze_recall_released(solve, solve->star);
    rr = any ? go_along(solve) : rr;
    solve->beta = 0.0;
    turn(solve);
    ooze_stage_more(solve->step->context->clock, OOZE_PART_VELOCITY_VECTORS);
    return rr;
}

/* The unknown starts from step->u, held directions already set, and in the first pass from what
   the last step did. Residuals are divided by the weights (their inverse is the preconditioner): residuals add
   up to nothing because forces do, so what joins the velocities carries no momentum whatever the densities,
   in every iterate. */
static void conjugate_gradients(OozeLodge *solve, int pass)
{
    OozeConformationStep *s = solve->step;
    multiply(solve, s->u, solve->ap, true);
    double rr = run_with_bodies(solve, ooze_lodge_loops()->start) + ooze_couple_start(solve);
    ooze_step_bodies_respond(solve->step, solve->p);
    ooze_stage_more(s->context->clock, OOZE_PART_VELOCITY_VECTORS);
    bool fresh = true; /* the direction is the residual's own */
    bool last = pass + 1 == s->settings.passes;
    bool goes_on = ooze_velocity_solve_begin(
        &solve->residual, rr, (last ? 1.0 : OOZE_LODGE_ROUGH) * s->settings.tolerance);
    if (goes_on && s->settings.velocity_iterations > 0 && (pass == 0 || s->hold_count > 0)) {
        rr = recall(solve, pass, rr);
        goes_on = ooze_velocity_solve_look(&solve->residual, rr);
    }
    for (int k = 0; k < s->settings.velocity_iterations && goes_on; k++) {
        double pap = ooze_lodge_multiply(solve);
        /* the operator is the weights and more, so p.Ap is at least r.r in exact numbers; where it is not,
           rounding has spoilt the direction, and going on would blow it up */
        bool spoilt = !(pap > 0.5 * rr);
        if (spoilt && fresh) {
            break;
        }
        solve->beta = 0.0;
        if (!spoilt) {
            solve->alpha = rr / pap;
            double next = advance(solve);
            solve->beta = next / rr;
            rr = next;
        }
        goes_on = ooze_velocity_solve_go_on(&solve->residual, rr);
        fresh = spoilt;
        turn(solve);
        ooze_stage_lap(s->context->clock, OOZE_PART_VELOCITY_VECTORS);
    }
}

/* ---- contact ------------------------------------------------------------------------------ */

/* Held directions take the velocity of the surface. */
static void hold_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeConformationStep *s = data;
    for (uint64_t i = begin; i < end; i++) {
        if (s->hold_of[i] >= 0) {
            const OozeHold *hold = &s->holds[s->hold_of[i]];
            OozeFour v = ooze_lodge_project(s, i, s->u[i]);
            for (int k = 0; k < hold->count; k++) {
                v += hold->speed[k] * hold->direction[k];
            }
            s->u[i] = v;
        }
    }
}

/* A solid pushes and does not pull, and friction holds up to its coefficient times the push. `given`
   is what the solid would have to give the particle; what it cannot give is let go of, and the
   friction of a slipping contact is returned. */
static OozeFour let_go(OozeHold *hold, OozeFour given)
{
    float push = 0;
    int kept = 0;
    for (int k = 0; k < hold->normals; k++) {
        float along = ooze_four_dot3(given, hold->direction[k]);
        if (along >= 0.0f) {
            push += along;
            hold->direction[kept] = hold->direction[k];
            hold->speed[kept++] = hold->speed[k];
        }
    }
    OozeFour drag = {0};
    for (int k = hold->normals; k < hold->count; k++) {
        drag += ooze_four_dot3(given, hold->direction[k]) * hold->direction[k];
    }
    float size = sqrtf(ooze_four_dot3(drag, drag));
    bool sticks = kept > 0 && size <= hold->friction * push;
    for (int k = hold->normals; k < hold->count && sticks; k++) {
        hold->direction[kept] = hold->direction[k];
        hold->speed[kept++] = hold->speed[k];
    }
    hold->released = kept < hold->count;
    hold->normals = sticks ? hold->normals : kept;
    hold->count = kept;
    bool slips = !sticks && kept > 0 && size > 0.0f;
    return slips ? drag * (hold->friction * push / size) : ooze_four(0, 0, 0, 0);
}

/* What a solid gives a particle is A u - weight u*; friction of what slips joins u*. */
static void release_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeLodge *solve = data;
    OozeConformationStep *s = solve->step;
    for (uint64_t i = begin; i < end; i++) {
        float weight = s->rheology[s->material[i]].weight;
        if (s->hold_of[i] >= 0 && s->mobility[i] > 0.0f) {
            OozeFour given = solve->ap[i] - weight * solve->star[i];
            solve->star[i] += let_go(&s->holds[s->hold_of[i]], given) / weight;
        }
        solve->r[i] = weight * solve->star[i] - solve->ap[i]; /* what bodies have to take up */
    }
}

static void release_holds(OozeLodge *solve)
{
    OozeConformationStep *s = solve->step;
    if (s->hold_count == 0 && !s->bodies) {
        return;
    }
    solve->with_held = true;
    multiply(solve, s->u, solve->ap, true);
    solve->with_held = false;
    ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, release_range, solve);
    ooze_step_bodies_release(s, solve->r);
    ooze_stage_lap(s->context->clock, OOZE_PART_CONTACT);
}

static void star_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeLodge *solve = data;
    memcpy(solve->star + begin, solve->step->u + begin, (end - begin) * sizeof *solve->star);
}

/* ---- coefficients of a pass --------------------------------------------------------------- */

typedef struct Prepare {
    OozeLodge *solve;
    bool turn; /* second pass: Q turned with the velocity of the first */
} Prepare;

/* Whose stress a particle carries: its own material's, or on a body that of the fluid which wets it. */
static uint16_t stress_row(const OozeConformationStep *s, uint64_t i)
{
    return s->bodies ? s->bodies->film[i] : s->material[i];
}

/* The conformations of all modes. */
static void get_modes(const OozeConformationStep *s, uint64_t i, OozeSym3 *q)
{
    q[0] = ooze_strain_get(s, i);
    for (int k = 0; k < s->more_modes; k++) {
        q[k + 1] = ooze_strain_read(s->more_strain[k], i);
    }
}

static void set_modes(OozeConformationStep *s, uint64_t i, const OozeSym3 *q)
{
    ooze_strain_set(s, i, q[0]);
    for (int k = 0; k < s->more_modes; k++) {
        ooze_strain_write(s->more_strain[k], i, q[k + 1]);
    }
}

static void prepare_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Prepare *prepare = data;
    OozeLodge *solve = prepare->solve;
    OozeConformationStep *s = solve->step;
    OozeLodgeState state = {.more = s->more_modes,
                            .turned = prepare->turn,
                            .dt = s->dt,
                            .bulk_share = s->settings.bulk,
                            .tension = s->settings.tension};
    for (uint64_t i = begin; i < end; i++) {
        const OozeRheology *m = &s->rheology[stress_row(s, i)];
        OozeFour unused;
        state.l =
            ooze_mat3_mul_sym3(ooze_raw_gradient(s, s->u, i, &unused, true), s->correction[i]);
        get_modes(s, i, state.q);
        state.expansion = s->expansion[i];
        state.poor = s->correction[i].xx == 0.0f;
        OozeLodgeCoefficients c = ooze_lodge_coefficients(m, &state);
        s->stress[i] = c.stress;
        if (stress_row(s, i) != s->material[i]) {
            c = ooze_lodge_thicken(c, &s->rheology[s->material[i]], s->settings.bulk);
        }
        solve->stiffness[i] = c.stiffness;
        solve->known[i] = c.known;
        solve->bulk[i] = c.bulk;
        solve->hourglass[i] = c.hourglass;
    }
}

/* The stress that the solve has come to: S0 + G[D(u)]. */
static void tell_stress_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodge *solve = data;
    const OozeConformationStep *s = solve->step;
    for (uint64_t i = begin; i < end; i++) {
        OozeFour unused;
        OozeMat3 l =
            ooze_mat3_mul_sym3(ooze_raw_gradient(s, s->u, i, &unused, true), s->correction[i]);
        OozeSym3 stress =
            ooze_lodge_stress(ooze_mat3_symmetric(l), solve->stiffness[i], solve->bulk[i]);
        s->context->stress[i] =
            ooze_sym3_scale(ooze_sym3_add(solve->known[i], stress), ooze_reference_density(s));
    }
}

static OozeStatus allocate(OozeLodge *solve, OozeError *error)
{
    OozeArena *arena = solve->step->context->arena;
    uint64_t n = solve->step->n;
    solve->stiffness = ooze_gathered_alloc(arena, n, sizeof *solve->stiffness);
    solve->known = ooze_gathered_alloc(arena, n, sizeof *solve->known);
    solve->bulk = ooze_gathered_alloc(arena, n, sizeof *solve->bulk);
    solve->hourglass = ooze_gathered_alloc(arena, n, sizeof *solve->hourglass);
    solve->edge_hourglass = ooze_gathered_alloc(arena, n, sizeof *solve->edge_hourglass);
    solve->flux = ooze_gathered_alloc(arena, n, sizeof *solve->flux);
    solve->r = ooze_gathered_alloc(arena, n, sizeof *solve->r);
    solve->p = ooze_gathered_alloc(arena, n, sizeof *solve->p);
    solve->ap = ooze_gathered_alloc(arena, n, sizeof *solve->ap);
    solve->partial = ooze_arena_alloc(arena, n / OOZE_CONFORMATION_GRAIN + 1, sizeof(double));
    if (!solve->stiffness || !solve->known || !solve->bulk || !solve->hourglass ||
        !solve->edge_hourglass || !solve->flux || !solve->r || !solve->p || !solve->ap ||
        !solve->partial) {
        return ooze_fail_memory(error, "the velocity solve", n * 256);
    }
    return ooze_recall_allocate(solve, error);
}

static OozeStatus solve_velocities(OozeConformationStep *s, OozeError *error)
{
    OozeLodge solve = {.step = s};
    s->pushed = ooze_arena_alloc(s->context->arena, s->n, sizeof *s->pushed);
    OozeArenaMark mark = ooze_arena_mark(s->context->arena);
    OozeStatus status = allocate(&solve, error);
    solve.star = ooze_arena_alloc(s->context->arena, s->n, sizeof *solve.star);
    if (status || !solve.star || !s->pushed) {
        return status ? status : ooze_fail_memory(error, "the velocity solve", s->n * 32);
    }
    OozeThreads *threads = s->context->threads;
    ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN, star_range, &solve);
    /* a residual bounds the error of the velocities, so one that is small beside them is small */
    solve.residual.first = ooze_recall_speed(&solve);
    for (int pass = 0; pass < s->settings.passes; pass++) {
        Prepare prepare = {.solve = &solve, .turn = pass > 0};
        ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN, prepare_range, &prepare);
        ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN,
                          ooze_lodge_loops()->edge_hourglass, &solve);
        ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN, hold_range, s);
        ooze_step_bodies_hold(s, solve.star);
        ooze_stage_lap(s->context->clock, OOZE_PART_PREPARE);
        conjugate_gradients(&solve, pass);
        if (pass + 1 < s->settings.passes) {
            release_holds(&solve);
        }
    }
    ooze_recall_note(&solve);
    ooze_step_bodies_settle(s);
    if (s->coupled) {
        ooze_coupled_spread_motion(s->coupled);
    }
    if (s->context->stress) {
        ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN, tell_stress_range, &solve);
    }
    ooze_velocity_solve_report(&solve.residual, s->context->report);
    ooze_arena_rewind(s->context->arena, mark);
    return OOZE_OK;
}

/* ---- end of step -------------------------------------------------------------------------- */

static void finish_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeConformationStep *s = data;
    const OozeSym3 one = ooze_sym3_identity(1), rest[OOZE_MODES] = {one, one, one, one};
    for (uint64_t i = begin; i < end; i++) {
        bool body = s->bodies && s->bodies->slot[i] != UINT32_MAX;
        if (body && stress_row(s, i) == s->material[i]) {
            set_modes(s, i, rest); /* dry: it has no memory but its rest shape */
            continue;
        }
        OozeFour unused;
        OozeMat3 l =
            ooze_mat3_mul_sym3(ooze_raw_gradient(s, s->u, i, &unused, true), s->correction[i]);
        OozeMat3 a = ooze_lodge_strain(l, s->dt);
        const OozeRheology *m = &s->rheology[stress_row(s, i)];
        OozeSym3 q[OOZE_MODES];
        get_modes(s, i, q);
        ooze_lodge_remember(m, a, s->more_modes, q);
        set_modes(s, i, q);
        float open = s->open[i] / (s->settings.surface * s->flat_gradient);
        s->expansion[i] = body ? 0.0f : ooze_lodge_expand(s->expansion[i], a, s->density[i], open);
    }
}

static void finish(OozeConformationStep *s)
{
    ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, finish_range, s);
    ooze_recall_store(s);
}

const OozeFormulation ooze_formulation_lodge = {
    .name = "lodge",
    .lends_edges = true,
    .solve_velocities = solve_velocities,
    .takes_bodies = true,
    .takes_dynamic = true,
    .solve_positions = ooze_conformation_density,
    .finish = finish,
};
