/* Stages of the velocity solve on the processor: see methods/cauchy/velocity.c. */
#include "methods/cauchy/cpu/operators.h"

/* ---- coefficients --------------------------------------------------------------------------- */

OozeMat3 ooze_cauchy_gradient(const OozeCauchyStep *s, const OozeF32x4 *u, uint64_t i)
{
    OozeRows rows = ooze_rows_outer(u[i], -s->edge_sum[i], ooze_rows_zero());
    rows = ooze_edges_outer(&s->own->edges, u, i, rows);
    rows = ooze_cauchy_wall_rows(s, i, rows);
    return ooze_mat3_mul_sym3(ooze_rows_matrix(rows), s->correction[i]);
}

static void coefficients_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyVelocity *v = data;
    OozeCauchyStep *s = v->step;
    for (uint64_t i = begin; i < end; i++) {
        ooze_cauchy_set_coefficients(s, v, i, ooze_cauchy_gradient(s, s->u, i));
    }
}

static void find_coefficients(OozeCauchyVelocity *v)
{
    ooze_cauchy_run(v->step, coefficients_range, v);
}

static void sum_hourglass(OozeCauchyVelocity *v)
{
    ooze_cauchy_run(v->step, ooze_cauchy_loops()->edge_hourglass, v);
}

/* ---- product -------------------------------------------------------------------------------- */

static void find_flux(OozeCauchyVelocity *v)
{
    ooze_cauchy_run(v->step, ooze_cauchy_loops()->stress, v);
}

static void apply_flux(OozeCauchyVelocity *v)
{
    double pap = ooze_cauchy_sum(v->step, ooze_cauchy_loops()->product, v);
    if (!v->explicit_terms) {
        ooze_cg_step_length(v->cg, pap);
    }
}

/* u = u* + dt M^-1 div S(u) */
static void explicit_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyVelocity *v = data;
    OozeCauchyStep *s = v->step;
    for (uint64_t i = begin; i < end; i++) {
        float mass = ooze_cauchy_material_of(s, i)->relative_mass;
        if (s->mobility[i] > 0.0f) {
            s->u[i] = v->u_star[i] + (s->u[i] - v->ap[i] / mass);
        }
    }
}

static void step_explicitly(OozeCauchyVelocity *v)
{
    ooze_cauchy_run(v->step, explicit_range, v);
}

/* ---- conjugate gradients -------------------------------------------------------------------- */

/* r = M u* - A u, p = z = M^-1 r */
static void start_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyVelocity *v = data;
    const OozeCauchyStep *s = v->step;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        float mass = ooze_cauchy_material_of(s, i)->relative_mass;
        OozeF32x4 r = mass * v->u_star[i] - v->ap[i];
        r = s->mobility[i] > 0.0f ? r : ooze_f32x4_splat(0.0f);
        r[3] = 0;
        v->r[i] = r;
        v->p[i] = r / mass;
        sum += (double)ooze_f32x4_dot3(r, v->p[i]);
    }
    s->own->partial[begin / OOZE_CAUCHY_GRAIN] = sum;
}

static void advance_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyVelocity *v = data;
    OozeCauchyStep *s = v->step;
    float alpha = (float)v->cg->alpha;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        s->u[i] += alpha * v->p[i];
        v->r[i] -= alpha * v->ap[i];
        sum += (double)(ooze_f32x4_dot3(v->r[i], v->r[i]) * s->mobility[i]);
    }
    s->own->partial[begin / OOZE_CAUCHY_GRAIN] = sum;
}

static void update_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyVelocity *v = data;
    float beta = (float)v->cg->beta;
    for (uint64_t i = begin; i < end; i++) {
        v->p[i] = v->step->mobility[i] * v->r[i] + beta * v->p[i];
    }
}

static void start(OozeCauchyVelocity *v)
{
    double rz = ooze_cauchy_sum(v->step, start_range, v);
    v->cg->restarts = true;
    ooze_cg_begin(v->cg, rz, rz, v->step->k.velocity_tolerance);
}

static void advance(OozeCauchyVelocity *v)
{
    OozeConjugateGradients *cg = v->cg;
    if (!cg->off) {
        double rz = cg->lost ? cg->rz : ooze_cauchy_sum(v->step, advance_range, v);
        ooze_cg_iterated(cg, rz, rz);
        ooze_cauchy_run(v->step, update_range, v);
    }
}

const OozeCauchyVelocityStages ooze_cauchy_velocity_stages = {
    .find_coefficients = find_coefficients,
    .sum_hourglass = sum_hourglass,
    .find_flux = find_flux,
    .apply_flux = apply_flux,
    .step_explicitly = step_explicitly,
    .start = start,
    .advance = advance,
};
