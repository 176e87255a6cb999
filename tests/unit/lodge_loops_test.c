/* The operator of the implicit velocity solve and the vectors of its conjugate gradients, on every
   instruction set, against double; momentum and symmetry. */
#include "conformation_case.h"
#include "methods/conformation/cpu/lodge.h"

enum { BONDED = 3 }; /* particles i and i + 1, i a multiple of this, hold each other */

typedef struct Solve {
    Stepped *s;
    OozeLodge lodge;
    OozeLodgeOwn own;
    OozeStepBodies bodies;
    OozeBonds bonds;
    Flux *flux; /* as it should be */
} Solve;

/* One bond from either end: a soft body's pairs. */
static void set_bonds(Solve *w)
{
    Case *c = w->s->c;
    OozeStepBodies *b = &w->bodies;
    uint64_t *first = case_array(c, c->n + 1, sizeof *first), bonds = 0;
    b->slot = case_array(c, c->n, sizeof *b->slot);
    b->pull = case_array(c, c->n, sizeof *b->pull);
    b->stiffness = case_array(c, c->n, sizeof *b->stiffness);
    b->to = case_array(c, c->n, sizeof *b->to);
    for (uint64_t i = 0; i < c->n; i++) {
        b->slot[i] = i % BONDED == 2 ? UINT32_MAX : (uint32_t)i;
        first[i] = bonds;
        uint64_t other = i % BONDED == 0 ? i + 1 : i - 1;
        if (i % BONDED < 2 && other < c->n) {
            uint64_t pair = i / BONDED;
            OozeF32x4 pull = random_four(41, pair);
            b->pull[bonds] = i % BONDED == 0 ? pull : -pull;
            b->pull[bonds][3] = between(42, pair, 0, -0.01, 0.01);
            b->stiffness[bonds] = between(42, pair, 1, 0, 100);
            b->to[bonds++] = (uint32_t)other;
        }
    }
    first[c->n] = bonds;
    w->bonds.first = first;
    b->bonds = &w->bonds;
    b->step = &w->s->step;
    w->s->own.bodies = b;
}

static Solve *solve_create(const Setting *setting, bool held, bool bonded)
{
    Solve *w = ooze_alloc_zero(1, sizeof *w);
    assert_non_null(w);
    w->s = stepped_create(setting, held);
    Case *c = w->s->c;
    uint64_t n = c->n, padded = n + OOZE_LIST_PAD;
    w->lodge = (OozeLodge){
        .step = &w->s->step,
        .stiffness = random_sym3s(c, 31, 0.6, 0.2),
        .explicit_stress = random_sym3s(c, 32, 0.0, 3.0),
        .bulk = random_floats(c, 33, 0.0, 2.0),
        .hourglass = random_floats(c, 34, 0.0, 0.05),
        .edge_hourglass = case_array(c, padded, sizeof(float)),
        .r = random_fours(c, 35),
        .p = random_fours(c, 36),
        .ap = random_fours(c, 37),
        .own = &w->own,
    };
    w->own =
        (OozeLodgeOwn){.flux = case_array(c, padded, sizeof(OozeRows)),
                       .partial = case_array(c, n / OOZE_CONFORMATION_GRAIN + 1, sizeof(double))};
    w->own.alpha = 0.37;
    w->own.beta = 0.81;
    w->flux = case_array(c, n, sizeof *w->flux);
    if (bonded) {
        set_bonds(w);
    }
    return w;
}

static void solve_destroy(Solve *w)
{
    stepped_destroy(w->s);
    ooze_free(w);
}

static Near edge_hourglass_of(const Solve *w, uint64_t i)
{
    Sum sum = {0};
    for (uint64_t e = w->s->c->fluid.first[i]; e < list_end(&w->s->c->fluid, i); e++) {
        Near f = exact((double)w->s->own.edges->weight[e]);
        add(&sum, times(f, exact((double)w->lodge.hourglass[w->s->c->fluid.index[e]])));
    }
    return total(&sum);
}

/* D A + A D + k tr(D) I for D = (L + L^T)/2, and S0. */
static NearMat stress_of(const Solve *w, uint64_t i, const NearMat *l)
{
    NearMat lt = near_transpose(l), twice = near_plus(l, &lt);
    NearMat a = near_symmetric(&w->lodge.stiffness[i].xx), half = near_product(&twice, &a);
    NearMat other = near_transpose(&half), sum = near_plus(&half, &other);
    NearMat known = near_symmetric(&w->lodge.explicit_stress[i].xx),
            s = near_scaled(exact(0.5), &sum);
    Near pressure =
        times(exact((double)w->lodge.bulk[i]), sum3(l->m[0][0], l->m[1][1], l->m[2][2]));
    for (int k = 0; k < 3; k++) {
        s.m[k][k] = plus(s.m[k][k], pressure);
    }
    return w->own.with_explicit_terms ? near_plus(&s, &known) : s;
}

static void expect_flux(Solve *w)
{
    const OozeLodge *lodge = &w->lodge;
    for (uint64_t i = 0; i < w->s->c->n; i++) {
        FluxInput in = {.b = near_symmetric(&w->s->step.correction[i].xx),
                        .u = lodge->own->input[i],
                        .n = exact((double)lodge->hourglass[i]),
                        .edge_n = edge_hourglass_of(w, i)};
        NearMat raw =
            raw_gradient(w->s, lodge->own->input, i, lodge->own->with_explicit_terms, in.weighted);
        in.l = near_product(&raw, &in.b);
        in.stress = stress_of(w, i, &in.l);
        w->flux[i] = flux_of(w->s, i, &in);
    }
}

static void add_bonds(const Solve *w, uint64_t i, Near force[3])
{
    const OozeStepBodies *b = w->s->own.bodies;
    Near dt = exact((double)w->s->step.dt);
    for (uint64_t e = b ? w->bonds.first[i] : 0; b && e < w->bonds.first[i + 1]; e++) {
        Near own[3], other[3], travel[3], pull[3];
        exact_vector(w->own.input[i], own);
        exact_vector(w->own.input[b->to[e]], other);
        exact_vector(b->pull[e], pull);
        for (int k = 0; k < 3; k++) {
            travel[k] = minus(other[k], own[k]);
        }
        Near stretch = times(dt, dot3(travel, pull));
        if (w->own.with_explicit_terms) {
            stretch = plus(stretch, exact((double)b->pull[e][3]));
        }
        for (int k = 0; k < 3; k++) {
            force[k] =
                plus(force[k], times(times(exact((double)b->stiffness[e]), stretch), pull[k]));
        }
    }
}

/* weight u - dt force, without what holds take. */
static void expect_product(const Solve *w, const Flux *flux, uint64_t i, Near out[3])
{
    const OozeConformationStep *step = &w->s->step;
    Near force[3], weight = exact((double)step->rheology[step->material[i]].relative_mass);
    gather_flux(w->s, flux, i, force);
    add_bonds(w, i, force);
    for (int k = 0; k < 3; k++) {
        Near own = times(weight, exact((double)w->own.input[i][k]));
        out[k] = minus(own, times(exact((double)step->dt), force[k]));
    }
    if (!w->own.unprojected && step->contact_of[i] >= 0) {
        project_out(&step->contact_sets[step->contact_of[i]], 7, out);
    }
}

/* Sums in double of float products, by chunk. */
static void compare_partial(Comparison *job, const Solve *w, const Near *terms)
{
    for (uint64_t begin = 0; begin < w->s->c->n; begin += OOZE_CONFORMATION_GRAIN) {
        Near sum = {0};
        for (uint64_t i = begin; i < w->s->c->n && i < begin + OOZE_CONFORMATION_GRAIN; i++) {
            sum.v += terms[i].v;
            sum.e += terms[i].e;
        }
        compare(job, "sum of the chunk", begin, w->own.partial[begin / OOZE_CONFORMATION_GRAIN],
                sum);
    }
}

/* Output of A for this input; compares every stage where there is a job. */
static void apply(Solve *w, const OozeLodgeLoops *loops, const OozeF32x4 *input, OozeF32x4 *output,
                  Comparison *job)
{
    Case *c = w->s->c;
    OozeLodge *lodge = &w->lodge;
    lodge->own->input = input;
    lodge->own->output = output;
    run_all(c, loops->edge_hourglass, lodge);
    run_all(c, loops->stress, lodge);
    expect_flux(w);
    Flux *stored = ooze_alloc(c->n, sizeof *stored);
    Near *terms = ooze_alloc(c->n, sizeof *terms);
    assert_non_null(stored);
    assert_non_null(terms);
    for (uint64_t i = 0; i < c->n; i++) {
        compare(job, "edge hourglass", i, (double)lodge->edge_hourglass[i],
                edge_hourglass_of(w, i));
        compare_flux(job, i, &w->flux[i], &lodge->own->flux[i], output[i]);
        stored[i] = flux_stored(&lodge->own->flux[i], output[i]);
    }
    assert_padding_silent(c, lodge->own->flux);
    run_all(c, loops->product, lodge);
    for (uint64_t i = 0; i < c->n; i++) {
        Near want[3], got[3], in[3];
        expect_product(w, stored, i, want);
        exact_vector(output[i], got);
        exact_vector(input[i], in);
        for (int k = 0; k < 3; k++) {
            compare(job, "product", i, (double)output[i][k], want[k]);
        }
        terms[i] = dot3(got, in);
    }
    compare_partial(job, w, terms);
    ooze_free(stored);
    ooze_free(terms);
}

static void operator_parity(void **state)
{
    (void)state;
    const OozeLodgeLoops *const tables[OOZE_ISA_COUNT] = EVERY_TABLE(ooze_lodge_loops);
    Comparison job = {.subject = "lodge operator"};
    for (int k = 0; k < SETTING_COUNT * 4; k++) {
        for (int isa = 0; isa <= (int)ooze_isa(); isa++) {
            Solve *w = solve_create(&settings[k / 4], true, k % 2);
            w->own.with_explicit_terms = k / 2 % 2;
            w->own.unprojected = k % 2;
            job.setting = settings[k / 4].name;
            job.isa = ooze_isa_name((OozeIsa)isa);
            OozeF32x4 *in = random_fours(w->s->c, 51), *out = random_fours(w->s->c, 52);
            apply(w, tables[isa], in, out, &job);
            solve_destroy(w);
        }
    }
    conclude(&job);
}

/* What is added to momentum is what walls add: nothing without them. The bound is that of all
   outputs together; inputs are exact. */
static void compare_momentum(Comparison *job, const Solve *w, const OozeF32x4 *in,
                             const OozeF32x4 *out)
{
    const OozeConformationStep *step = &w->s->step;
    for (int k = 0; k < 3; k++) {
        double sum = 0.0, bound = 0.0;
        for (uint64_t i = 0; i < step->n; i++) {
            Near want[3];
            expect_product(w, w->flux, i, want);
            double own = (double)step->rheology[step->material[i]].relative_mass * (double)in[i][k];
            sum += (double)out[i][k] - own;
            bound += want[k].e;
        }
        compare(job, "momentum", (uint64_t)k, sum, (Near){0.0, bound});
    }
}

/* p . A q, and how far rounding of A q may move it. */
static Near product_with(const Solve *w, const OozeF32x4 *p, const OozeF32x4 *aq)
{
    Near sum = {0};
    for (uint64_t i = 0; i < w->s->c->n; i++) {
        Near want[3];
        expect_product(w, w->flux, i, want);
        for (int k = 0; k < 3; k++) {
            sum.v += (double)p[i][k] * (double)aq[i][k];
            sum.e += fabs((double)p[i][k]) * want[k].e;
        }
    }
    return sum;
}

static void momentum_and_symmetry(void **state)
{
    (void)state;
    const OozeLodgeLoops *const tables[OOZE_ISA_COUNT] = EVERY_TABLE(ooze_lodge_loops);
    Comparison job = {.subject = "lodge momentum and symmetry"}, unused = job;
    for (int k = 0; k < SETTING_COUNT; k++) {
        for (int isa = 0; isa <= (int)ooze_isa(); isa++) {
            Solve *w = solve_create(&settings[k], false, true);
            Case *c = w->s->c;
            unused.setting = job.setting = settings[k].name;
            unused.isa = job.isa = ooze_isa_name((OozeIsa)isa);
            OozeF32x4 *p = random_fours(c, 61), *q = random_fours(c, 62), *ap = random_fours(c, 63),
                      *aq = random_fours(c, 64);
            apply(w, tables[isa], p, ap, &unused);
            Near qap = product_with(w, q, ap);
            if (!settings[k].walls) {
                compare_momentum(&job, w, p, ap);
            }
            apply(w, tables[isa], q, aq, &unused);
            Near paq = product_with(w, p, aq);
            compare(&job, "p.Aq", 0, paq.v, (Near){qap.v, qap.e + paq.e});
            w->own.with_explicit_terms = true;
            apply(w, tables[isa], q, aq, &unused);
            if (!settings[k].walls) {
                compare_momentum(&job, w, q, aq);
            }
            solve_destroy(w);
        }
    }
    conclude(&job);
}

/* ---- vectors -------------------------------------------------------------------------------- */

static void compare_vector(Comparison *job, const char *what, uint64_t i, OozeF32x4 got,
                           const Near want[3])
{
    for (int k = 0; k < 3; k++) {
        compare(job, what, i, (double)got[k], want[k]);
    }
}

static void check_start(Solve *w, const OozeLodgeLoops *loops, Comparison *job, Near *terms)
{
    Case *c = w->s->c;
    const OozeConformationStep *step = &w->s->step;
    OozeF32x4 *before = random_fours(c, 35);
    w->lodge.u_star = before;
    run_all(c, loops->start, &w->lodge);
    for (uint64_t i = 0; i < c->n; i++) {
        const OozeRheology *m = &step->rheology[step->material[i]];
        Near r[3], p[3];
        for (int k = 0; k < 3; k++) {
            r[k] = times(exact((double)m->relative_mass), exact((double)before[i][k]));
        }
        if (step->contact_of[i] >= 0) {
            project_out(&step->contact_sets[step->contact_of[i]], 7, r);
        }
        for (int k = 0; k < 3; k++) {
            r[k] = minus(r[k], exact((double)w->lodge.ap[i][k]));
            p[k] = over(r[k], exact((double)m->preconditioner_mass));
        }
        compare_vector(job, "r", i, w->lodge.r[i], r);
        compare_vector(job, "p", i, w->lodge.p[i], p);
        terms[i] = dot3(r, p);
    }
    compare_partial(job, w, terms);
}

static void check_advance(Solve *w, const OozeLodgeLoops *loops, Comparison *job, Near *terms)
{
    Case *c = w->s->c;
    const OozeConformationStep *step = &w->s->step;
    OozeF32x4 *u = random_fours(c, 21), *r0 = random_fours(c, 35);
    Near alpha = {w->own.alpha, ROUNDING * w->own.alpha};
    memcpy(w->lodge.r, r0, c->n * sizeof *r0);
    run_all(c, loops->advance, &w->lodge);
    for (uint64_t i = 0; i < c->n; i++) {
        Near r[3], moved[3],
            divisor = exact((double)step->rheology[step->material[i]].preconditioner_mass);
        for (int k = 0; k < 3; k++) {
            Near p = exact((double)w->lodge.p[i][k]), ap = exact((double)w->lodge.ap[i][k]);
            moved[k] = plus(exact((double)u[i][k]), times(alpha, p));
            r[k] = minus(exact((double)r0[i][k]), times(alpha, ap));
        }
        compare_vector(job, "u", i, step->u[i], moved);
        compare_vector(job, "r", i, w->lodge.r[i], r);
        terms[i] = over(dot3(r, r), divisor);
    }
    compare_partial(job, w, terms);
}

static void check_update(Solve *w, const OozeLodgeLoops *loops, Comparison *job)
{
    Case *c = w->s->c;
    const OozeConformationStep *step = &w->s->step;
    OozeF32x4 *p0 = random_fours(c, 38);
    Near beta = {w->own.beta, ROUNDING * w->own.beta};
    memcpy(w->lodge.p, p0, c->n * sizeof *p0);
    run_all(c, loops->update, &w->lodge);
    for (uint64_t i = 0; i < c->n; i++) {
        Near p[3], divisor = exact((double)step->rheology[step->material[i]].preconditioner_mass);
        for (int k = 0; k < 3; k++) {
            p[k] = plus(over(exact((double)w->lodge.r[i][k]), divisor),
                        times(beta, exact((double)p0[i][k])));
        }
        compare_vector(job, "p", i, w->lodge.p[i], p);
    }
}

static void vectors(void **state)
{
    (void)state;
    const OozeLodgeLoops *const tables[OOZE_ISA_COUNT] = EVERY_TABLE(ooze_lodge_loops);
    Comparison job = {.subject = "vectors of conjugate gradients"};
    for (int k = 0; k < SETTING_COUNT; k++) {
        for (int isa = 0; isa <= (int)ooze_isa(); isa++) {
            Solve *w = solve_create(&settings[k], true, false);
            Near *terms = case_array(w->s->c, w->s->c->n, sizeof *terms);
            job.setting = settings[k].name;
            job.isa = ooze_isa_name((OozeIsa)isa);
            check_start(w, tables[isa], &job, terms);
            check_advance(w, tables[isa], &job, terms);
            check_update(w, tables[isa], &job);
            solve_destroy(w);
        }
    }
    conclude(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operator_parity),
        cmocka_unit_test(momentum_and_symmetry),
        cmocka_unit_test(vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
