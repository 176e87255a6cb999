/* The constraint formulations on the neighbourhoods of loops_case.h, and their formulas in
   double. */
#ifndef OOZE_TESTS_CONSTRAINT_CASE_H
#define OOZE_TESTS_CONSTRAINT_CASE_H

#include "conformation_case.h"
#include "methods/conformation/constraint/cpu/constraint_solve.h"

static const int sym_row[6] = {0, 1, 2, 0, 0, 1}, sym_column[6] = {0, 1, 2, 1, 2, 2};

typedef struct Constrained {
    Stepped *s;
    OozeConstraintMaterial materials[CASE_MATERIALS];
    OozeConstraint k;
    OozeStepReport report;
} Constrained;

static inline Constrained *constrained_create(const Setting *setting, bool held, bool deviatoric)
{
    Constrained *w = ooze_alloc_zero(1, sizeof *w);
    assert_non_null(w);
    w->s = stepped_create(setting, held);
    Case *c = w->s->c;
    uint64_t n = c->n, padded = n + OOZE_LIST_PAD, chunks = n / OOZE_CONFORMATION_GRAIN + 1;
    for (int m = 0; m < CASE_MATERIALS; m++) { /* the second has no give at all */
        float softness = m == 1 ? 0.0f : 0.01f * (float)(m + 1);
        w->materials[m] = (OozeConstraintMaterial){2 * softness, softness, 0.9f - 0.2f * (float)m};
    }
    w->s->plan.settings.deviatoric_only = deviatoric;
    w->k = (OozeConstraint){
        .step = &w->s->step,
        .materials = w->materials,
        .correction = w->s->step.correction,
        .known = random_sym3s(c, 81, 0.0, 0.2),
        .diagonal = random_sym3s(c, 82, 0.02, 0.01),
        .lambda = random_sym3s(c, 83, 0.0, 2.0),
        .before = random_sym3s(c, 84, 0.0, 2.0),
        .direction = case_array(c, n, sizeof(OozeSym3)),
        .product = case_array(c, n, sizeof(OozeSym3)),
        .flux = case_array(c, padded, sizeof(OozeRows)),
        .base = case_array(c, padded, sizeof(OozeF32x4)),
        .u_star = random_fours(c, 85),
        .free = case_array(c, n, sizeof(OozeF32x4)),
        .change = case_array(c, padded, sizeof(OozeF32x4)),
        .hourglass = case_array(c, padded, sizeof(float)),
        .edge_hourglass = case_array(c, padded, sizeof(float)),
        .active = case_array(c, 2, sizeof(uint8_t)),
        .partial = case_array(c, chunks, sizeof(double)),
        .squares = case_array(c, chunks, sizeof(double)),
        .with_contacts = held,
    };
    for (uint64_t i = 0; i < n; i++) { /* the shear rows count like the others */
        float *d = &w->k.diagonal[i].xx;
        for (int e = 3; e < 6; e++) {
            d[e] = 0.02f + 0.5f * d[e];
        }
        if (i % 13 == 4) { /* no neighbours that it feels, and for some no give either */
            w->k.diagonal[i] = ooze_sym3_identity(0);
        }
    }
    return w;
}

static inline void constrained_destroy(Constrained *w)
{
    stepped_destroy(w->s);
    ooze_free(w);
}

/* ---- six rows in double ---------------------------------------------------------------------- */

typedef struct Six {
    Near v[6];
} Six;

static inline Six exact_six(const OozeSym3 *s)
{
    Six out;
    for (int e = 0; e < 6; e++) {
        out.v[e] = exact((double)(&s->xx)[e]);
    }
    return out;
}

static inline Six six_plus(Six a, Six b)
{
    for (int e = 0; e < 6; e++) {
        a.v[e] = plus(a.v[e], b.v[e]);
    }
    return a;
}

static inline Six six_scaled(Near s, Six a)
{
    for (int e = 0; e < 6; e++) {
        a.v[e] = times(s, a.v[e]);
    }
    return a;
}

static inline Near six_dot(Six a, Six b)
{
    Sum sum = {0};
    for (int e = 0; e < 6; e++) {
        add(&sum, times(a.v[e], b.v[e]));
    }
    return total(&sum);
}

static inline void compare_six(Comparison *job, const char *what, uint64_t i, const OozeSym3 *got,
                               Six want)
{
    for (int e = 0; e < 6; e++) {
        compare(job, what, i, (double)(&got->xx)[e], want.v[e]);
    }
}

/* Shear alone, where that is asked for. */
static inline Six limited(const Constrained *w, Six rows)
{
    if (w->s->plan.settings.deviatoric_only) {
        Near third = {1.0 / 3.0, ROUNDING / 3.0};
        Near mean = times(sum3(rows.v[0], rows.v[1], rows.v[2]), third);
        for (int e = 0; e < 3; e++) {
            rows.v[e] = minus(rows.v[e], mean);
        }
    }
    return rows;
}

static inline bool has_constraint(const Constrained *w, uint64_t i)
{
    return w->k.correction[i].xx != 0.0f;
}

static inline Near softness_of(const Constrained *w, uint64_t i, int e)
{
    const OozeConstraintMaterial *m = &w->materials[w->s->step.material[i]];
    return exact((double)(e < 3 ? m->normal : m->shear));
}

/* (-C - a lambda) / (D + a), or 0 where nothing gives. */
static inline Six multiplier_steps(const Constrained *w, uint64_t i, Six c, Six lambda)
{
    Six out;
    for (int e = 0; e < 6; e++) {
        Near soft = softness_of(w, i, e), all = plus(exact_six(&w->k.diagonal[i]).v[e], soft);
        Near push = negative(plus(c.v[e], times(soft, lambda.v[e])));
        out.v[e] = all.v > 0 ? over(push, all) : exact(0);
    }
    return out;
}

/* dt (L + L^T) of velocities u. */
static inline Six strain_rows(const Constrained *w, const OozeF32x4 *u, uint64_t i, bool moving)
{
    Near weighted[3];
    NearMat raw = raw_gradient(w->s, u, i, moving, weighted);
    NearMat b = near_symmetric(&w->k.correction[i].xx), l = near_product(&raw, &b);
    l = near_scaled(exact((double)w->s->step.dt), &l);
    Six out;
    for (int e = 0; e < 6; e++) {
        out.v[e] = plus(l.m[sym_row[e]][sym_column[e]], l.m[sym_column[e]][sym_row[e]]);
    }
    return out;
}

/* The stress of a change of multipliers, times dt: -dt S, S with twice the diagonal rows. */
static inline NearMat stress_of_change(const Constrained *w, Six change)
{
    Six rows = limited(w, change);
    NearMat s;
    for (int e = 0; e < 6; e++) {
        Near entry = scaled(e < 3 ? -2.0 : -1.0, rows.v[e]);
        s.m[sym_row[e]][sym_column[e]] = times(exact((double)w->s->step.dt), entry);
        s.m[sym_column[e]][sym_row[e]] = s.m[sym_row[e]][sym_column[e]];
    }
    return s;
}

static inline Flux change_flux(const Constrained *w, uint64_t i, Six change)
{
    FluxInput in = {.stress = stress_of_change(w, change),
                    .b = near_symmetric(&w->k.correction[i].xx),
                    .u = ooze_f32x4(0, 0, 0, 0)};
    return flux_of(w->s, i, &in);
}

/* M^-1 J^T of fluxes. */
static inline void velocity_change(const Constrained *w, const Flux *all, uint64_t i, Near out[3])
{
    Near factor = exact((double)w->s->step.mobility[i]);
    if (w->k.receiver) {
        factor = times(factor, exact((double)w->k.receiver[i]));
    }
    gather_flux(w->s, all, i, out);
    for (int k = 0; k < 3; k++) {
        out[k] = times(factor, out[k]);
    }
}

/* Fluxes as they stand in memory. */
static inline void stored_fluxes(const Constrained *w, Flux *all)
{
    for (uint64_t i = 0; i < w->s->c->n; i++) {
        all[i] = flux_stored(&w->k.flux[i], w->k.base[i]);
    }
}

static inline void compare_three(Comparison *job, const char *what, uint64_t i, OozeF32x4 got,
                                 const Near want[3])
{
    for (int k = 0; k < 3; k++) {
        compare(job, what, i, (double)got[k], want[k]);
    }
}

#endif
