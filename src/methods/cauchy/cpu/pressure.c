/* Stages of the pressure solve on the processor: see methods/cauchy/pressure.c. */
#include <math.h>
#include <string.h>

#include "methods/cauchy/cpu/operators.h"

static OozeGridMultigrid *multigrid_of(const OozeCauchyPressure *p)
{
    return ((const OozeCauchyMemory *)p->step->memory)->multigrid;
}

/* Runs a loop that leaves three sums a block, and adds them. */
static void find_sums(OozeCauchyPressure *p, OozeRangeBody body, double sums[3])
{
    const OozeCauchyStep *s = p->step;
    ooze_cauchy_run(s, body, p);
    ooze_halo_sums(s->machine->context->halo, s->own->partial, s->machine->n, OOZE_CAUCHY_GRAIN, 3,
                   sums);
}

/* ---- operator and right side ---------------------------------------------------------------- */

static OozeStatus build_grids(OozeCauchyPressure *p, OozeError *error)
{
    const OozeCauchyStep *s = p->step;
    const OozeStepContext *c = s->machine->context;
    ooze_cauchy_run(s, ooze_cauchy_loops()->diagonal, p);
    OozeGridMultigridInput input = {.n = s->machine->n,
                                    .x = s->x,
                                    .spacing = c->spacing,
                                    .periodic = &c->periodic,
                                    .stiffness = s->mobility,
                                    .mass = p->mass,
                                    .halo = c->halo,
                                    .threads = c->threads};
    return ooze_grid_multigrid_build(multigrid_of(p), &input, error);
}

static void find_right_side(OozeCauchyPressure *p)
{
    double sums[3];
    find_sums(p, ooze_cauchy_loops()->right_side, sums);
    *p->mean = ooze_cauchy_mean(sums[0], sums[1], sums[2]);
}

static void multiply(OozeCauchyPressure *p)
{
    ooze_cg_step_length(p->cg, ooze_cauchy_sum(p->step, ooze_cauchy_loops()->multiply, p));
}

/* ---- preconditioned conjugate gradients ----------------------------------------------------- */

/* Takes the mean out; q = 0, and the diagonal part of z. */
static void start_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyPressure *p = data;
    for (uint64_t i = begin; i < end; i++) {
        p->q[i] = 0.0f;
        p->r[i] -= p->diagonal[i] > 0.0f ? *p->mean : 0.0f;
        p->z[i] = ooze_cauchy_smooth(p->r[i], p->diagonal[i]);
    }
}

static void advance_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyPressure *p = data;
    float alpha = (float)p->cg->alpha;
    for (uint64_t i = begin; i < end; i++) {
        p->q[i] += alpha * p->p[i];
        p->r[i] -= alpha * p->ap[i];
        p->z[i] = ooze_cauchy_smooth(p->r[i], p->diagonal[i]);
    }
}

static void dots_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyPressure *p = data;
    const OozeCauchyStep *s = p->step;
    double sum = 0.0, square = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        p->z[i] = ooze_cauchy_is_free(s, p, i) ? p->z[i] : 0.0f;
        sum += (double)p->r[i] * (double)p->z[i];
        square += (double)p->r[i] * (double)p->r[i];
    }
    ooze_cauchy_set_sums(s, begin, sum, square, 0.0);
}

static void update_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyPressure *p = data;
    float beta = (float)p->cg->beta;
    for (uint64_t i = begin; i < end; i++) {
        p->p[i] = p->z[i] + beta * p->p[i];
    }
}

/* Adds the coarse part of z. Returns r.z; `square`: r.r. */
static double precondition(OozeCauchyPressure *p, double *square)
{
    double sums[3];
    ooze_grid_multigrid_apply(multigrid_of(p), p->r, p->z);
    find_sums(p, dots_range, sums);
    *square = sums[1];
    return sums[0];
}

static void start(OozeCauchyPressure *p)
{
    OozeConjugateGradients *cg = p->cg;
    const OozeSolveResidual *last = &cg->residual; /* of the pass before */
    double square, rz;
    p->step->solves->missed |= last->has_tolerance && last->current > last->target;
    ooze_cauchy_run(p->step, start_range, p);
    rz = precondition(p, &square);
    memcpy(p->p, p->z, p->step->machine->n * sizeof *p->p);
    cg->restarts = true;
    ooze_cg_begin(cg, rz, square, p->step->k.pressure_tolerance);
}

static void advance(OozeCauchyPressure *p)
{
    OozeConjugateGradients *cg = p->cg;
    double rz = cg->rz, square = cg->residual.current;
    if (cg->off) {
        return;
    }
    if (!cg->lost) {
        ooze_cauchy_run(p->step, advance_range, p);
        rz = precondition(p, &square);
    }
    ooze_cg_iterated(cg, rz, square);
    ooze_cauchy_run(p->step, update_range, p);
}

/* ---- velocities and pressures --------------------------------------------------------------- */

static void clamp(OozeCauchyPressure *p)
{
    for (uint64_t i = 0; i < p->step->machine->n; i++) {
        p->q[i] = fmaxf(p->q[i], 0.0f);
    }
}

static void find_classic_gradient(OozeCauchyPressure *p)
{
    ooze_cauchy_run(p->step, ooze_cauchy_loops()->classic_gradient, p);
}

/* q.(D u - s) and a.M a of the acceleration a by q. Where walls rest and s is 0, the first is
   u.M a; walls that move do work on the fluid. */
static void work_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeCauchyPressure *p = data;
    const OozeCauchyStep *s = p->step;
    double along = 0.0, square = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        float mass = ooze_cauchy_material_of(s, i)->relative_mass;
        along += (double)(p->q[i] * (p->divergence[i] - s->divergence_target[i]));
        square += (double)(mass * ooze_f32x4_dot3(p->acceleration[i], p->acceleration[i]));
    }
    ooze_cauchy_set_sums(s, begin, along, square, 0.0);
}

static void find_share(OozeCauchyPressure *p)
{
    double sums[3];
    find_sums(p, work_range, sums);
    *p->share = ooze_cauchy_damped_share(sums[0], sums[1], (double)p->step->k.dt);
}

static void apply_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeCauchyPressure *p = data;
    OozeCauchyStep *s = p->step;
    float share = *p->share, reference = 1.0f / s->inverse_reference;
    for (uint64_t i = begin; i < end; i++) {
        s->u[i] += s->k.dt * share * p->acceleration[i];
        float removed = p->divergence[i] - s->divergence_target[i];
        s->last_pressure[i] += share * p->q[i];
        if (p->pass == 0) {
            s->next_pressure[i] = reference * ooze_cauchy_next_pressure(s->last_pressure[i], 0.0f,
                                                                        s->viscosity[i], removed);
        } else {
            s->next_pressure[i] += reference * share * p->q[i];
        }
    }
}

static void apply(OozeCauchyPressure *p)
{
    ooze_cauchy_run(p->step, apply_range, p);
}

const OozeCauchyPressureStages ooze_cauchy_pressure_stages = {
    .build_grids = build_grids,
    .find_right_side = find_right_side,
    .start = start,
    .multiply = multiply,
    .advance = advance,
    .clamp = clamp,
    .find_classic_gradient = find_classic_gradient,
    .find_share = find_share,
    .apply = apply,
};
