/* Sweeps of the position stage of `consistent`, four particles at a time. */
#include <string.h>

#include "methods/conformation/constraint/cpu/constraint_solve.h"
#include "solvers/pairs/stress_flux.h"
#include "solvers/vectors/polar_f32x4.h"

typedef struct Sweep {
    OozeConstraint *constraint;
    OozeF32x4 *u;
    int sweeps;
} Sweep;

static void run_sweep(Sweep *sweep, OozeRangeBody body)
{
    const OozeConformationStep *s = sweep->constraint->step;
    ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, body, sweep);
}

static void damping_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Sweep *sweep = data;
    OozeConstraint *c = sweep->constraint;
    const OozeConformationStep *s = c->step;
    for (uint64_t i = begin; i < end; i++) {
        const OozeRheology *r = &s->rheology[s->material[i]];
        bool singular = c->correction[i].xx == 0.0f;
        float damping = ooze_sweep_damping(r->hourglass, sweep->sweeps, r->relative_mass, s->dt,
                                           s->edge_sum[i][3]);
        c->hourglass[i] = singular ? 0.0f : damping;
    }
}

static void edge_damping_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Sweep *sweep = data;
    OozeConstraint *c = sweep->constraint;
    const OozeConformationStep *s = c->step;
    for (uint64_t i = begin; i < end; i++) {
        c->edge_hourglass[i] = ooze_edges_sum(s->own->edges, c->hourglass, i);
    }
}

static void set_damping(OozeConstraint *c, int sweeps)
{
    Sweep sweep = {.constraint = c, .sweeps = sweeps};
    run_sweep(&sweep, damping_range);
    ooze_halo_refresh(c->step->context->halo, c->hourglass, sizeof *c->hourglass);
    run_sweep(&sweep, edge_damping_range);
}

/* ooze_constraint_deviator with deviatoric_only. */
static inline void limit_f32x4(const OozeConstraint *c, OozeMat3F32x4 *rows)
{
    if (c->step->plan->settings.deviatoric_only) {
        OozeF32x4 mean = (rows->m[0][0] + rows->m[1][1] + rows->m[2][2]) * (1.0f / 3.0f);
        for (int k = 0; k < 3; k++) {
            rows->m[k][k] -= mean;
        }
    }
}

/* ooze_constraint_corotated of particles i to i + 3, with deformations f and rotations r. */
static inline OozeMat3F32x4 corotated_rows(const OozeConstraint *c, uint64_t i,
                                           const OozeMat3F32x4 *f, const OozeMat3F32x4 *r,
                                           OozeF32x4 share)
{
    const OozeConformationStep *s = c->step;
    OozeF32x4 low[4], high[4];
    const float *e = s->conformation + 8 * i;
    float last[32] = {0};
    if (i + 4 > s->n) { /* avoids reads beyond the array */
        memcpy(last, e, (s->n - i) * 8 * sizeof *e);
        e = last;
    }
    ooze_f32x4_transpose(ooze_f32x4_load(e), ooze_f32x4_load(e + 8), ooze_f32x4_load(e + 16),
                         ooze_f32x4_load(e + 24), low);
    ooze_f32x4_transpose(ooze_f32x4_load(e + 4), ooze_f32x4_load(e + 12), ooze_f32x4_load(e + 20),
                         ooze_f32x4_load(e + 28), high);
    OozeMat3F32x4 rows = {
        {{low[0], low[3], high[0]}, {low[3], low[1], high[1]}, {high[0], high[1], low[2]}}};
    if (s->plan->settings.corotation) { /* R (Q - I) R^T */
        OozeMat3F32x4 rotated = ooze_mat3_f32x4_product(r, &rows);
        for (int k = 0; k < 9; k++) {
            const OozeF32x4 *a = rotated.m[k / 3], *b = r->m[k % 3];
            rows.m[k / 3][k % 3] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        }
    }
    for (int k = 0; k < 9; k++) {
        int row = k / 3, column = k % 3;
        OozeF32x4 strain = f->m[row][column] - r->m[row][column];
        strain += f->m[column][row] - r->m[column][row];
        rows.m[row][column] = share * rows.m[row][column] + strain;
    }
    limit_f32x4(c, &rows);
    return rows;
}

/* Adds ooze_multiplier_steps of these rows to the multipliers, and returns the steps. */
static inline OozeMat3F32x4 corotated_change(OozeConstraint *c, uint64_t i, uint64_t end,
                                             const OozeMat3F32x4 *f, const OozeMat3F32x4 *r)
{
    const uint16_t *material = c->step->material;
    OozeF32x4 normal, shear, share, none = {0};
    for (int k = 0; k < 4; k++) {
        uint64_t j = i + (uint64_t)k < end ? i + (uint64_t)k : i;
        const OozeConstraintMaterial *m = &c->materials[material[j]];
        normal[k] = m->normal;
        shear[k] = m->shear;
        share[k] = m->share;
    }
    OozeMat3F32x4 rows = corotated_rows(c, i, f, r, share);
    OozeMat3F32x4 lambda = ooze_mat3_f32x4_from_sym3(&c->lambda[i]);
    OozeMat3F32x4 diagonal = ooze_mat3_f32x4_from_sym3(&c->diagonal[i]);
    OozeF32x4 xx = ooze_f32x4(c->correction[i].xx, c->correction[i + 1].xx, c->correction[i + 2].xx,
                              c->correction[i + 3].xx);
    for (int k = 0; k < 9; k++) {
        if (k / 3 <= k % 3) {
            OozeF32x4 compliance = k % 4 == 0 ? normal : shear;
            OozeF32x4 total = diagonal.m[k / 3][k % 3] + compliance;
            OozeF32x4 step = -(rows.m[k / 3][k % 3] + compliance * lambda.m[k / 3][k % 3]) / total;
            step = ooze_f32x4_select((total > 0.0f) & (xx != 0.0f), step, none);
            rows.m[k / 3][k % 3] = rows.m[k % 3][k / 3] = step;
        }
    }
    for (int k = 0; k < 4 && i + (uint64_t)k < end; k++) {
        OozeSym3 *to = &c->lambda[i + (uint64_t)k];
        *to = ooze_sym3_add(*to, ooze_sym3(rows.m[0][0][k], rows.m[1][1][k], rows.m[2][2][k],
                                           rows.m[0][1][k], rows.m[0][2][k], rows.m[1][2][k]));
    }
    return rows;
}

/* One sweep for particles i to i + 3, of which those from `end` on do not exist. */
static inline void sweep_f32x4(const Sweep *sweep, uint64_t i, uint64_t end)
{
    OozeConstraint *c = sweep->constraint;
    const OozeConformationStep *s = c->step;
    OozeRows rows[4];
    OozeF32x4 weighted[3];
    for (uint64_t k = 0; k < 4; k++) {
        rows[k] = i + k < end ? ooze_raw_rows(s, sweep->u, i + k, true) : ooze_rows_zero();
    }
    OozeMat3F32x4 raw = ooze_mat3_f32x4_from_rows(rows, weighted), f, r;
    OozeMat3F32x4 correction = ooze_mat3_f32x4_from_sym3(&c->correction[i]);
    OozeMat3F32x4 l = ooze_mat3_f32x4_product(&raw, &correction);
    for (int k = 0; k < 9; k++) {
        float own = k % 4 == 0 ? 1.0f : 0.0f;
        f.m[k / 3][k % 3] = own + s->dt * l.m[k / 3][k % 3];
        r.m[k / 3][k % 3] = ooze_f32x4_splat(own);
    }
    if (s->plan->settings.corotation) {
        r = ooze_polar_f32x4(&f);
    }
    OozeMat3F32x4 stress = corotated_change(c, i, end, &f, &r);
    limit_f32x4(c, &stress);
    for (int k = 0; k < 9; k++) { /* see ooze_constraint_stress */
        stress.m[k / 3][k % 3] *= k % 4 == 0 ? -2.0f * s->dt : -s->dt;
    }
    OozeStressFlux flux = {.stress = &stress,
                           .l = &l,
                           .correction = &correction,
                           .weighted = weighted,
                           .n = s->dt * ooze_f32x4_load(c->hourglass + i),
                           .edge_n = s->dt * ooze_f32x4_load(c->edge_hourglass + i)};
    ooze_stress_flux(&flux, sweep->u + i, s->edge_sum + i, c->flux + i, c->base + i);
}

static void corotated_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    for (uint64_t i = begin; i < end; i += 4) {
        sweep_f32x4(data, i, end);
    }
}

static void push_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Sweep *sweep = data;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 push = ooze_constraint_velocity_change(sweep->constraint, i);
        push[3] = 0;
        sweep->u[i] += push;
    }
}

static void corotated_sweep(OozeConstraint *c, OozeF32x4 *u)
{
    Sweep sweep = {.constraint = c, .u = u};
    OozeHalo *halo = c->step->context->halo;
    ooze_halo_refresh(halo, u, sizeof *u);
    run_sweep(&sweep, corotated_range);
    ooze_halo_refresh(halo, c->flux, sizeof *c->flux);
    run_sweep(&sweep, push_range);
}

const OozeCorotatedLoops OOZE_LOOPS(ooze_corotated_loops) = {
    .set_damping = set_damping,
    .sweep = corotated_sweep,
};
