/* Velocities under external forces and stress: (M - dt K) u = M u* + dt div S0 by conjugate
   gradients, with M^-1 as preconditioner, so that every iterate keeps momentum. */
#include "base/fail.h"
#include "methods/cauchy/operators.h"
#include "methods/cauchy/stress_formula.h"

static void run(OozeCauchyVelocity *v, OozeRangeBody body)
{
    ooze_parallel_for(v->step->context->threads, v->step->n, OOZE_CAUCHY_GRAIN, body, v);
}

static double run_sum(OozeCauchyVelocity *v, OozeRangeBody body)
{
    OozeBlockSum sum = {v->step->context->threads, v->step->n, OOZE_CAUCHY_GRAIN, v->partial,
                        v->step->context->halo};
    return ooze_block_sum(&sum, body, v);
}

static double multiply(OozeCauchyVelocity *v, const OozeF32x4 *input, bool with_explicit_terms)
{
    v->input = input;
    v->output = v->ap;
    v->with_explicit_terms = with_explicit_terms;
    ooze_cauchy_refresh(v->step, (void *)input, sizeof *input);
    run(v, ooze_cauchy_loops()->stress);
    ooze_cauchy_refresh(v->step, v->flux, sizeof *v->flux);
    return run_sum(v, ooze_cauchy_loops()->product);
}

/* r = M u* - A u, p = z = M^-1 r */
static void start_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyVelocity *v = data;
    const OozeCauchyStep *s = v->step;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        float mass = s->materials[s->material[i]].relative_mass;
        OozeF32x4 r = mass * v->u_star[i] - v->ap[i];
        r = s->mobility[i] > 0.0f ? r : ooze_f32x4_splat(0.0f);
        r[3] = 0;
        v->r[i] = r;
        v->p[i] = r / mass;
        sum += (double)ooze_f32x4_dot3(r, v->p[i]);
    }
    v->partial[begin / OOZE_CAUCHY_GRAIN] = sum;
}

static void advance_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyVelocity *v = data;
    OozeCauchyStep *s = v->step;
    float alpha = (float)v->alpha;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        s->u[i] += alpha * v->p[i];
        v->r[i] -= alpha * v->ap[i];
        sum += (double)(ooze_f32x4_dot3(v->r[i], v->r[i]) * s->mobility[i]);
    }
    v->partial[begin / OOZE_CAUCHY_GRAIN] = sum;
}

static void update_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyVelocity *v = data;
    float beta = (float)v->beta;
    for (uint64_t i = begin; i < end; i++) {
        v->p[i] = v->step->mobility[i] * v->r[i] + beta * v->p[i];
    }
}

static double cg_multiply(void *user)
{
    OozeCauchyVelocity *v = user;
    return multiply(v, v->p, false);
}

static double cg_advance(void *user, double alpha, double *square)
{
    OozeCauchyVelocity *v = user;
    v->alpha = alpha;
    *square = run_sum(v, advance_range);
    return *square;
}

static void cg_update(void *user, double beta)
{
    OozeCauchyVelocity *v = user;
    v->beta = beta;
    run(v, update_range);
}

/* ---- coefficients --------------------------------------------------------------------------- */

OozeMat3 ooze_cauchy_gradient(const OozeCauchyStep *s, const OozeF32x4 *u, uint64_t i)
{
    OozeRows rows = ooze_rows_outer(u[i], -s->clinging_sum[i], ooze_rows_zero());
    rows = ooze_edges_outer(&s->edges, u, i, rows);
    rows = ooze_cauchy_wall_rows(s, i, rows);
    return ooze_mat3_mul_sym3(ooze_rows_matrix(rows), s->correction[i]);
}

static void coefficients_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyVelocity *v = data;
    OozeCauchyStep *s = v->step;
    for (uint64_t i = begin; i < end; i++) {
        const float *e = s->strain + 8 * i;
        OozeMat3 l = ooze_cauchy_gradient(s, s->u, i);
        OozeCauchyStress c =
            ooze_cauchy_stress(&s->materials[s->material[i]],
                               ooze_sym3(e[0], e[1], e[2], e[3], e[4], e[5]), l, s->k.dt);
        s->rate[i] = ooze_shear_rate(ooze_mat3_symmetric(l));
        bool singular = s->correction[i].xx == 0.0f;
        s->stiffness[i] = c.stiffness;
        s->explicit_stress[i] = c.explicit_stress;
        s->viscosity[i] = c.viscosity;
        v->hourglass[i] = singular ? 0.0f : s->k.hourglass * c.hourglass;
        v->u_star[i] = s->u[i];
    }
}

static OozeStatus allocate(OozeCauchyVelocity *v, OozeError *error)
{
    OozeArena *arena = v->step->context->arena;
    uint64_t n = v->step->local;
    v->hourglass = ooze_gathered_alloc(arena, n, sizeof(float));
    v->edge_hourglass = ooze_gathered_alloc(arena, n, sizeof(float));
    v->flux = ooze_gathered_alloc(arena, n, sizeof *v->flux);
    v->r = ooze_gathered_alloc(arena, n, sizeof *v->r);
    v->p = ooze_gathered_alloc(arena, n, sizeof *v->p);
    v->ap = ooze_gathered_alloc(arena, n, sizeof *v->ap);
    v->u_star = ooze_arena_alloc(arena, v->step->n, sizeof *v->u_star);
    v->partial = ooze_arena_alloc(arena, n / OOZE_CAUCHY_GRAIN + 1, sizeof(double));
    return ooze_arena_failed(arena) ? ooze_fail_memory(error, "the velocity solve", n * 128)
                                    : OOZE_OK;
}

/* u = u* + dt M^-1 div S(u) */
static void explicit_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyVelocity *v = data;
    OozeCauchyStep *s = v->step;
    for (uint64_t i = begin; i < end; i++) {
        float mass = s->materials[s->material[i]].relative_mass;
        if (s->mobility[i] > 0.0f) {
            s->u[i] = v->u_star[i] + (s->u[i] - v->ap[i] / mass);
        }
    }
}

OozeStatus ooze_cauchy_solve_velocities(OozeCauchyStep *s, OozeError *error)
{
    static const OozeCgOperations operations = {cg_multiply, cg_advance, cg_update};
    OozeCauchyVelocity v = {.step = s};
    OozeArenaMark mark = ooze_arena_mark(s->context->arena);
    OozeStatus status = allocate(&v, error);
    if (status) {
        return status;
    }
    ooze_cauchy_refresh(s, s->u, sizeof *s->u);
    run(&v, coefficients_range);
    ooze_cauchy_refresh(s, v.hourglass, sizeof *v.hourglass);
    run(&v, ooze_cauchy_loops()->edge_hourglass);
    ooze_timer_lap(s->context->timer, "stress");
    if (s->k.explicit_viscosity) {
        multiply(&v, s->u, true);
        run(&v, explicit_range);
    } else {
        OozeConjugateGradients cg = {.restarts = true};
        multiply(&v, s->u, true);
        double rz = run_sum(&v, start_range);
        ooze_cg_begin(&cg, rz, rz, s->k.velocity_tolerance);
        ooze_conjugate_gradients(&cg, &operations, &v, s->k.velocity_iterations);
        ooze_solve_residual_report(&cg.residual, s->context->report);
    }
    ooze_arena_rewind(s->context->arena, mark);
    ooze_timer_lap(s->context->timer, "velocities");
    return OOZE_OK;
}
