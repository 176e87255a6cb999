/* The pressure that removes the divergence of the velocities: L q = (s - D u)/dt by conjugate
   gradients with a multigrid preconditioner, then u += dt M^-1 D^T q. L is the compact Laplacian of
   MPS. Walls prescribe the normal velocity; missing neighbours of a free surface are air. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "methods/cauchy/operators.h"
#include "methods/cauchy/pressure_formula.h"
#include "solvers/multigrid/grid_multigrid.h"

static void run(OozeCauchyPressure *p, OozeRangeBody body)
{
    ooze_parallel_for(p->step->context->threads, p->step->n, OOZE_CAUCHY_GRAIN, body, p);
}

static double run_sum(OozeCauchyPressure *p, OozeRangeBody body)
{
    OozeBlockSum sum = {p->step->context->threads, p->step->n, OOZE_CAUCHY_GRAIN, p->partial,
                        p->step->context->halo};
    return ooze_block_sum(&sum, body, p);
}

/* acceleration = M^-1 D^T input */
static void accelerate(OozeCauchyPressure *p, const float *input)
{
    OozeCauchyStep *s = p->step;
    p->input = input;
    ooze_cauchy_refresh(s, (void *)input, sizeof *input);
    ooze_parallel_for(s->context->threads, s->local, OOZE_CAUCHY_GRAIN, ooze_cauchy_loops()->weigh,
                      p);
    run(p, ooze_cauchy_loops()->accelerate);
}

static double multiply(OozeCauchyPressure *p, const float *input, float *output)
{
    p->output = output;
    p->input = input;
    ooze_cauchy_refresh(p->step, (void *)input, sizeof *input);
    return run_sum(p, ooze_cauchy_loops()->multiply);
}

/* ---- preconditioned conjugate gradients ------------------------------------------------------ */

static void smooth_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyPressure *p = data;
    for (uint64_t i = begin; i < end; i++) {
        p->z[i] = ooze_cauchy_smooth(p->r[i], p->diagonal[i]);
    }
}

static void dots_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyPressure *p = data;
    double sum = 0.0, square = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        bool free = p->diagonal[i] > 0.0f && !(p->surface && p->surface[i]);
        p->z[i] = free ? p->z[i] : 0.0f;
        sum += (double)p->r[i] * (double)p->z[i];
        square += (double)p->r[i] * (double)p->r[i];
    }
    p->partial[begin / OOZE_CAUCHY_GRAIN] = sum;
    p->partial[(begin / OOZE_CAUCHY_GRAIN) + p->step->n / OOZE_CAUCHY_GRAIN + 1] = square;
}

/* Runs a loop that leaves two sums a block. */
static double run_pair(OozeCauchyPressure *p, OozeRangeBody body, double *second)
{
    uint64_t blocks = p->step->n / OOZE_CAUCHY_GRAIN + 1;
    double first = run_sum(p, body);
    *second =
        ooze_halo_sum(p->step->context->halo, p->partial + blocks, p->step->n, OOZE_CAUCHY_GRAIN);
    return first;
}

/* z = preconditioned r. Returns r.z; `square`: r.r. */
static double precondition(OozeCauchyPressure *p, double *square)
{
    run(p, smooth_range);
    ooze_grid_multigrid_apply(p->step->memory->multigrid, p->r, p->z);
    return run_pair(p, dots_range, square);
}

static double cg_multiply(void *user)
{
    OozeCauchyPressure *p = user;
    double product = multiply(p, p->p, p->ap);
    ooze_timer_lap(p->step->context->timer, "pressure_operator");
    return product;
}

static void advance_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyPressure *p = data;
    float alpha = (float)p->alpha;
    for (uint64_t i = begin; i < end; i++) {
        p->q[i] += alpha * p->p[i];
        p->r[i] -= alpha * p->ap[i];
    }
}

static double cg_advance(void *user, double alpha, double *square)
{
    OozeCauchyPressure *p = user;
    p->alpha = alpha;
    run(p, advance_range);
    double rz = precondition(p, square);
    ooze_timer_lap(p->step->context->timer, "pressure_multigrid");
    return rz;
}

static void update_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyPressure *p = data;
    float beta = (float)p->beta;
    for (uint64_t i = begin; i < end; i++) {
        p->p[i] = p->z[i] + beta * p->p[i];
    }
}

static void cg_update(void *user, double beta)
{
    OozeCauchyPressure *p = user;
    p->beta = beta;
    run(p, update_range);
}

/* ---- right side and multigrid ---------------------------------------------------------------- */

/* Coefficients of the coarse grids: the energy of the pressure p is sum k |grad p|^2 + m p^2. */
typedef struct Coarse {
    OozeCauchyPressure *pressure;
    float *stiffness, *mass;
} Coarse;

static void coarse_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Coarse *coarse = data;
    OozeCauchyPressure *p = coarse->pressure;
    const OozeCauchyStep *s = p->step;
    for (uint64_t i = begin; i < end; i++) {
        float k = s->mobility[i];
        bool held = p->surface && p->surface[i];
        coarse->stiffness[i] = k;
        coarse->mass[i] = held ? p->diagonal[i] : k * s->air[i];
    }
}

static OozeStatus build_coarse(OozeCauchyPressure *p, OozeError *error)
{
    OozeCauchyStep *s = p->step;
    OozeArena *arena = s->context->arena;
    Coarse coarse = {p, ooze_arena_alloc(arena, s->n, sizeof(float)),
                     ooze_arena_alloc(arena, s->n, sizeof(float))};
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "the pressure solve", s->n * 8);
    }
    run(p, ooze_cauchy_loops()->diagonal);
    ooze_parallel_for(s->context->threads, s->n, OOZE_CAUCHY_GRAIN, coarse_range, &coarse);
    OozeGridMultigridInput input = {.n = s->n,
                                    .x = s->x,
                                    .spacing = s->context->spacing,
                                    .periodic = &s->context->periodic,
                                    .stiffness = coarse.stiffness,
                                    .mass = coarse.mass,
                                    .halo = s->context->halo,
                                    .threads = s->context->threads};
    return ooze_grid_multigrid_build(s->memory->multigrid, &input, error);
}

/* q.(D u - s) and a.M a of the acceleration a by q. Where walls rest and s is 0, the first is
   u.M a; walls that move do work on the fluid. */
static void work_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyPressure *p = data;
    const OozeCauchyStep *s = p->step;
    double along = 0.0, square = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        float mass = s->materials[s->material[i]].relative_mass;
        along += (double)(p->q[i] * (p->divergence[i] - s->divergence_target[i]));
        square += (double)(mass * ooze_f32x4_dot3(p->acceleration[i], p->acceleration[i]));
    }
    p->partial[begin / OOZE_CAUCHY_GRAIN] = along;
    p->partial[(begin / OOZE_CAUCHY_GRAIN) + s->n / OOZE_CAUCHY_GRAIN + 1] = square;
}

static float damped_share(OozeCauchyPressure *p)
{
    double square, along = run_pair(p, work_range, &square);
    return ooze_cauchy_damped_share(along, square, (double)p->step->k.dt);
}

/* Velocities and pressures after the solve. */
static void finish_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyPressure *p = data;
    OozeCauchyStep *s = p->step;
    float reference = 1.0f / s->materials[0].inverse_reference;
    for (uint64_t i = begin; i < end; i++) {
        s->u[i] += s->k.dt * p->share * p->acceleration[i];
        float removed = p->divergence[i] - s->divergence_target[i];
        s->last_pressure[i] += p->share * p->q[i];
        if (p->pass == 0) {
            s->next_pressure[i] = reference * ooze_cauchy_next_pressure(s->last_pressure[i], 0.0f,
                                                                        s->viscosity[i], removed);
        } else {
            s->next_pressure[i] += reference * p->share * p->q[i];
        }
    }
}

/* ---- the solve ------------------------------------------------------------------------------- */

static OozeStatus allocate(OozeCauchyPressure *p, OozeError *error)
{
    OozeArena *arena = p->step->context->arena;
    uint64_t n = p->step->local;
    p->q = ooze_gathered_alloc(arena, n, sizeof *p->q);
    p->r = ooze_gathered_alloc(arena, n, sizeof *p->r);
    p->z = ooze_gathered_alloc(arena, n, sizeof *p->z);
    p->p = ooze_gathered_alloc(arena, n, sizeof *p->p);
    p->ap = ooze_gathered_alloc(arena, n, sizeof *p->ap);
    p->diagonal = ooze_arena_alloc(arena, n, sizeof *p->diagonal);
    p->divergence = ooze_arena_alloc(arena, n, sizeof *p->divergence);
    p->acceleration = ooze_gathered_alloc(arena, n, sizeof *p->acceleration);
    p->weighted = ooze_gathered_alloc(arena, n, sizeof *p->weighted);
    p->surface = p->step->k.classic ? ooze_arena_alloc(arena, n, 1) : NULL;
    p->partial = ooze_arena_alloc(arena, 2 * (n / OOZE_CAUCHY_GRAIN + 1), sizeof(double));
    return ooze_arena_failed(arena) ? ooze_fail_memory(error, "the pressure solve", n * 72)
                                    : OOZE_OK;
}

static void right_side_sum_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyPressure *p = data;
    double sum = 0.0, open = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        bool held = p->surface && p->surface[i];
        sum += (double)p->r[i];
        open += held || p->step->mobility[i] * p->step->air[i] > 0.0f ? 1.0 : 0.0;
    }
    p->partial[begin / OOZE_CAUCHY_GRAIN] = sum;
    p->partial[(begin / OOZE_CAUCHY_GRAIN) + p->step->n / OOZE_CAUCHY_GRAIN + 1] = open;
}

static void count_rows_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyPressure *p = data;
    double count = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        count += p->diagonal[i] > 0.0f ? 1.0 : 0.0;
    }
    p->partial[begin / OOZE_CAUCHY_GRAIN] = count;
}

/* Without a free surface the pressure is determined up to a constant, and a right side whose
   mean is not 0 has no solution: walls move towards each other, or the fluid is compressed.
   Takes the mean out. */
static void close_right_side(OozeCauchyPressure *p)
{
    double open, sum = run_pair(p, right_side_sum_range, &open);
    double rows = open == 0.0 ? run_sum(p, count_rows_range) : 0.0;
    for (uint64_t i = 0; rows > 0.0 && i < p->step->n; i++) {
        p->r[i] -= p->diagonal[i] > 0.0f ? (float)(sum / rows) : 0.0f;
    }
}

static void solve(OozeCauchyPressure *p)
{
    static const OozeCgOperations operations = {cg_multiply, cg_advance, cg_update};
    OozeCauchyStep *s = p->step;
    ooze_cauchy_refresh(s, s->u, sizeof *s->u);
    run(p, ooze_cauchy_loops()->right_side);
    close_right_side(p);
    double square, rz = precondition(p, &square);
    memcpy(p->p, p->z, s->n * sizeof *p->p);
    ooze_cg_begin(&p->cg, rz, square, s->k.pressure_tolerance);
    ooze_conjugate_gradients(&p->cg, &operations, p, s->k.pressure_iterations);
    OozeStepReport *to = s->context->report;
    bool unconverged = to->unconverged; /* the velocity solve */
    ooze_solve_residual_report(&p->cg.residual, to);
    to->unconverged = to->unconverged || unconverged;
}

static void add_force_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeCauchyPressure *p = data;
    OozeCauchyStep *s = p->step;
    for (uint64_t i = begin; i < end; i++) {
        s->force[i] += s->materials[s->material[i]].relative_mass * p->acceleration[i];
    }
}

/* Force of the pressure of the last step: see ooze_cauchy_last_pressure. */
OozeStatus ooze_cauchy_predict_pressure(OozeCauchyStep *s, OozeError *error)
{
    OozeArena *arena = s->context->arena;
    OozeArenaMark mark = ooze_arena_mark(arena);
    OozeCauchyPressure p = {.step = s};
    p.acceleration = ooze_gathered_alloc(arena, s->local, sizeof *p.acceleration);
    p.weighted = ooze_gathered_alloc(arena, s->local, sizeof *p.weighted);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "the pressure", s->n * 40);
    }
    accelerate(&p, s->last_pressure);
    run(&p, add_force_range);
    ooze_arena_rewind(arena, mark);
    return OOZE_OK;
}

OozeStatus ooze_cauchy_project(OozeCauchyStep *s, OozeError *error)
{
    OozeArenaMark mark = ooze_arena_mark(s->context->arena);
    OozeCauchyPressure p = {.step = s};
    OozeStatus status = allocate(&p, error);
    for (uint64_t i = 0; !status && p.surface && i < s->n; i++) {
        p.surface[i] = s->density[i] < OOZE_CAUCHY_CLASSIC_SURFACE;
    }
    status = status ? status : build_coarse(&p, error);
    if (status) {
        return status;
    }
    ooze_timer_lap(s->context->timer, "pressure_grids");
    p.cg.restarts = true;
    for (p.pass = 0; p.pass < s->k.pressure_passes; p.pass++) {
        solve(&p);
        if (s->k.classic) {
            for (uint64_t i = 0; i < s->n; i++) {
                p.q[i] = fmaxf(p.q[i], 0.0f);
            }
            ooze_cauchy_refresh(s, p.q, sizeof *p.q);
            run(&p, ooze_cauchy_loops()->classic_gradient);
        } else {
            accelerate(&p, p.q);
        }
        p.share = damped_share(&p);
        run(&p, finish_range);
    }
    ooze_arena_rewind(s->context->arena, mark);
    ooze_timer_lap(s->context->timer, "pressure");
    return OOZE_OK;
}
