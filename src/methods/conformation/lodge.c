/* The implicit velocity solve: (rho - dt a[G[D(u)]]) u = rho u* + dt a[S0], by conjugate gradients.

   Its products are gathers along edges (see lodge_loops.c). Forces are equal and opposite along edges, so every iterate keeps
   linear momentum, and torque about x0 vanishes because stresses are symmetric. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "methods/conformation/lodge.h"
#include "physics/spin.h"
#include "physics/yield.h"

/* Share of a remembered expansion that is forgotten in a step: the pull acts within a few. */
#define FORGET 0.02f

/* Passes before the last only tell what the next is linearised about: so many times the tolerance will do. */
#define ROUGH 10.0

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
    ooze_parallel_for(solve->step->context->threads, solve->step->n, OOZE_CONFORMATION_GRAIN,
                      ooze_lodge_loops()->stress, solve);
    double product = ooze_lodge_run(solve, ooze_lodge_loops()->product);
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
}

/* Goes along p to where the error, measured by the operator, is least, and no farther than p: what each step took
   further than the last would grow without end where iterations are few. Returns the squared residual there. */
static double go_along(OozeLodge *solve)
{
    double alpha = ooze_recall_along(solve) / solve->pap;
    solve->alpha = solve->pap > 0.0 ? fmin(fmax(alpha, 0.0), 1.0) : 0.0;
    return run_with_bodies(solve, ooze_lodge_loops()->advance);
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
    double rr = run_with_bodies(solve, ooze_lodge_loops()->start);
    ooze_step_bodies_respond(solve->step, solve->p);
    ooze_stage_more(s->context->clock, OOZE_PART_VELOCITY_VECTORS);
    bool fresh = true; /* the direction is the residual's own */
    bool last = pass + 1 == s->settings.passes;
    bool goes_on = ooze_velocity_solve_begin(&solve->residual, rr,
                                             (last ? 1.0 : ROUGH) * s->settings.tolerance);
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
            double next = run_with_bodies(solve, ooze_lodge_loops()->advance);
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

/* The strain of a step; half a strain in one step is the most that is believed. */
static OozeMat3 strain_of(OozeMat3 l, float dt)
{
    OozeMat3 a = ooze_mat3_scale(l, dt);
    float norm2 = ooze_mat3_norm2(a);
    return norm2 > 0.25f ? ooze_mat3_scale(a, 0.5f / sqrtf(norm2)) : a;
}

/* What thinning and yielding leave of a material, as seen from the velocities of the last pass. A
   secant: the operator stays positive, and a pass that changes no velocity changes nothing here. */
typedef struct Softened {
    float modulus, viscosity, hourglass;
} Softened;

static Softened soften(const OozeConformationStep *s, const OozeRheology *m, uint64_t i, OozeMat3 l)
{
    Softened soft = {m->modulus, m->viscosity, m->hourglass};
    float thinned = 1.0f, left = 1.0f;
    if (m->thinning.time > 0.0f) {
        thinned = ooze_thinning(m->thinning, ooze_shear_rate(ooze_mat3_symmetric(l)));
    }
    if (isfinite(m->yield)) {
        OozeSym3 trial = ooze_lodge_update(ooze_strain_get(s, i), strain_of(l, s->dt), m->memory);
        left = ooze_yield_share(trial, m->yield);
    }
    if (thinned != 1.0f || left != 1.0f) {
        soft.modulus = thinned * left * m->modulus;
        soft.viscosity = m->solvent + thinned * (m->viscosity - m->solvent);
        soft.hourglass =
            m->solvent_hourglass + thinned * left * (m->hourglass - m->solvent_hourglass);
    }
    return soft;
}

/* Whose stress a particle carries: its own material's, or on a body that of the fluid which wets it. */
static uint16_t stress_row(const OozeConformationStep *s, uint64_t i)
{
    return s->bodies ? s->bodies->film[i] : s->material[i];
}

/* Beside the film's, a soft body has a viscosity of its own. */
static void thicken_film(OozeLodge *solve, uint64_t i)
{
    const OozeConformationStep *s = solve->step;
    const OozeRheology *own = &s->rheology[s->material[i]];
    solve->stiffness[i] = ooze_sym3_add(ooze_sym3_scale(solve->stiffness[i], OOZE_FILM),
                                        ooze_sym3_identity(own->viscosity));
    solve->known[i] = ooze_sym3_scale(solve->known[i], OOZE_FILM);
    solve->bulk[i] = OOZE_FILM * solve->bulk[i] + s->settings.bulk * own->viscosity;
    solve->hourglass[i] = OOZE_FILM * solve->hourglass[i] + own->hourglass;
}

/* A stretched lattice is unstable in motion that alternates from particle to particle, as pairs that come nearer
   pull harder, and gradients do not see it. Its stiffness is that of the stretch, and so must the damping be; it
   slows the growth down, and does not turn it round. Small strains are left as they are. */
static float stretch_of(OozeSym3 q)
{
    return ooze_max(1.0f, ooze_sym3_trace(q) - 3.0f);
}

static void prepare_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Prepare *prepare = data;
    OozeLodge *solve = prepare->solve;
    OozeConformationStep *s = solve->step;
    float dt = s->dt;
    for (uint64_t i = begin; i < end; i++) {
        const OozeRheology *m = &s->rheology[stress_row(s, i)];
        OozeFour unused;
        OozeMat3 l =
            ooze_mat3_mul_sym3(ooze_raw_gradient(s, s->u, i, &unused, true), s->correction[i]);
        OozeSpin w = ooze_spin(l, dt, 0.5f);
        OozeSym3 q = ooze_strain_get(s, i);
        if (prepare->turn) {
            q = ooze_sym3_push(ooze_spin_rotation(w), q);
        }
        Softened soft = soften(s, m, i, l);
        OozeSym3 a = ooze_lodge_stiffness(q, soft.modulus, soft.viscosity, dt, m->memory);
        float mu = ooze_sym3_trace(a) / 3.0f;
        float bulk = s->settings.bulk * mu;
        /* what a rigid turn adds to F F^T must not count as strain: dt/2 W^T W, per dt */
        OozeSym3 ww = ooze_sym3_scale(ooze_spin_square(w), 0.5f / dt);
        OozeSym3 known = ooze_lodge_stress(ww, a, bulk);
        float rg = m->memory.r * soft.modulus;
        known = ooze_sym3_add(known, ooze_sym3(rg * (q.xx - 1), rg * (q.yy - 1), rg * (q.zz - 1),
                                               rg * q.xy, rg * q.xz, rg * q.yz));
        if (s->expansion[i] > 0.0f) {
            float pull = bulk * s->settings.tension / dt * ooze_min(s->expansion[i], 0.1f);
            known.xx += pull;
            known.yy += pull;
            known.zz += pull;
        }
        bool poor = s->correction[i].xx == 0.0f;
        solve->stiffness[i] = a;
        solve->bulk[i] = bulk;
        solve->known[i] = known;
        OozeSym3 stress = ooze_lodge_stress(ooze_mat3_symmetric(l), a, bulk);
        s->stress[i] = ooze_stress_size(ooze_sym3_add(known, stress));
        float elastic = soft.hourglass - m->solvent_hourglass;
        solve->hourglass[i] = poor ? 0.0f : m->solvent_hourglass + stretch_of(q) * elastic;
        if (stress_row(s, i) != s->material[i]) {
            thicken_film(solve, i);
        }
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
    ooze_velocity_solve_report(&solve.residual, s->context->report);
    ooze_arena_rewind(s->context->arena, mark);
    return OOZE_OK;
}

/* ---- end of step -------------------------------------------------------------------------- */

/* How much a particle's surroundings have expanded beyond rest. Inside the fluid the density tells;
   at a surface it cannot, and what was gained is remembered: the integral of the divergence, forgotten
   over some steps. A thread that is stretched would otherwise gain volume until it parts. */
static float expand(const OozeConformationStep *s, uint64_t i, OozeMat3 a)
{
    float open = s->open[i] / (s->settings.surface * s->flat_gradient);
    float inside = ooze_max(0.0f, 1.0f - open);
    float remembered = (s->expansion[i] + a.m[0] + a.m[4] + a.m[8]) * (1.0f - FORGET);
    float seen = 1.0f / s->density[i] - 1.0f;
    float expansion = remembered + inside * (seen - remembered);
    return ooze_min(ooze_max(expansion, -0.5f), 0.5f);
}

static void finish_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeConformationStep *s = data;
    for (uint64_t i = begin; i < end; i++) {
        bool body = s->bodies && s->bodies->slot[i] != UINT32_MAX;
        if (body && stress_row(s, i) == s->material[i]) {
            ooze_strain_set(s, i,
                            ooze_sym3_identity(1)); /* dry: it has no memory but its rest shape */
            continue;
        }
        OozeFour unused;
        OozeMat3 l =
            ooze_mat3_mul_sym3(ooze_raw_gradient(s, s->u, i, &unused, true), s->correction[i]);
        OozeMat3 a = strain_of(l, s->dt);
        const OozeRheology *m = &s->rheology[stress_row(s, i)];
        OozeSym3 q = ooze_lodge_update(ooze_strain_get(s, i), a, m->memory);
        ooze_strain_set(s, i, ooze_yield(q, m->yield));
        s->expansion[i] = body ? 0.0f : expand(s, i, a);
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
    .solve_positions = ooze_conformation_density,
    .finish = finish,
};
