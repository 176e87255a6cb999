/* Sweeps over the velocity constraint on every instruction set against double, one at a time: each
   iteration begins with the arrays of the previous one. */
#include "constraint_case.h"

/* What solids do to a particle that would fly with v: no slower than the surface along normals, and
   with friction up to its share of that push along tangents. Every case meets the next without a
   jump. */
static void contact_velocity(const Constrained *w, uint64_t i, Near v[3])
{
    const OozeConformationStep *s = &w->s->step;
    if (!w->k.with_contacts || s->contact_of[i] < 0) {
        return;
    }
    const OozeContactSet *hold = &s->contact_sets[s->contact_of[i]];
    Near drag[3] = {{0, 0}, {0, 0}, {0, 0}}, push = exact(0), d[3];
    for (int k = 0; k < hold->count; k++) {
        exact_vector(hold->direction[k], d);
        Near lack = minus(exact((double)hold->speed[k]), dot3(v, d));
        if (k < hold->normals) {
            lack = at_least(lack, 0);
            push = plus(push, lack);
        }
        for (int a = 0; a < 3; a++) {
            Near *to = k < hold->normals ? &v[a] : &drag[a];
            *to = plus(*to, times(lack, d[a]));
        }
    }
    Near size = length_of(drag), most = times(exact((double)hold->friction), push);
    for (int a = 0; a < 3 && push.v > 0; a++) {
        v[a] = plus(v[a], size.v > most.v ? times(drag[a], over(most, size)) : drag[a]);
    }
}

static void compare_held(Comparison *job, const Constrained *w)
{
    for (uint64_t i = 0; i < w->s->c->n; i++) {
        Near v[3];
        exact_vector(w->k.free[i], v);
        contact_velocity(w, i, v);
        compare_three(job, "held velocity", i, w->s->step.u[i], v);
    }
}

static Six residual(const Constrained *w, uint64_t i, Six rows, Six lambda)
{
    Six out;
    for (int e = 0; e < 6; e++) {
        out.v[e] = minus(negative(rows.v[e]), times(softness_of(w, i, e), lambda.v[e]));
    }
    return out;
}

static Six rows_at(const Constrained *w, const OozeF32x4 *u, uint64_t i)
{
    return limited(w, six_plus(exact_six(&w->k.known[i]), strain_rows(w, u, i, true)));
}

/* Sum of the squared residuals of velocities u and multipliers as they stand. */
static Near residual_square(const Constrained *w, const OozeF32x4 *u, const OozeSym3 *lambda)
{
    Near sum = {0};
    for (uint64_t i = 0; i < w->s->c->n; i++) {
        if (has_constraint(w, i)) {
            Six r = residual(w, i, rows_at(w, u, i), exact_six(&lambda[i]));
            Near square = six_dot(r, r);
            sum = (Near){sum.v + square.v, sum.e + square.e};
        }
    }
    return sum;
}

/* ---- start ---------------------------------------------------------------------------------- */

static void check_start(Constrained *w, const OozeConstraintLoops *loops, Comparison *job)
{
    Case *c = w->s->c;
    Flux *stored = case_array(c, c->n, sizeof *stored);
    loops->start(&w->k);
    for (uint64_t i = 0; i < c->n; i++) {
        Flux want = change_flux(w, i, exact_six(&w->k.lambda[i]));
        compare_flux(job, i, &want, &w->k.flux[i], w->k.base[i]);
    }
    stored_fluxes(w, stored);
    for (uint64_t i = 0; i < c->n; i++) {
        Near push[3];
        velocity_change(w, stored, i, push);
        for (int k = 0; k < 3; k++) {
            push[k] = plus(exact((double)w->k.u_star[i][k]), push[k]);
        }
        compare_three(job, "free velocity", i, w->k.free[i], push);
    }
    compare_held(job, w);
    assert_padding_silent(c, w->k.flux);
}

/* ---- Jacobi and Chebyshev ------------------------------------------------------------------- */

/* What a sweep begins with. */
typedef struct Before {
    OozeSym3 *lambda, *earlier;
    OozeF32x4 *u, *free;
} Before;

static Before remember(const Constrained *w)
{
    Case *c = w->s->c;
    Before b = {.lambda = case_array(c, c->n, sizeof *b.lambda),
                .earlier = case_array(c, c->n, sizeof *b.earlier),
                .u = case_array(c, c->n + 1, sizeof *b.u),
                .free = case_array(c, c->n, sizeof *b.free)};
    memcpy(b.lambda, w->k.lambda, c->n * sizeof *b.lambda);
    memcpy(b.earlier, w->k.before, c->n * sizeof *b.earlier);
    memcpy(b.u, w->s->step.u, c->n * sizeof *b.u);
    memcpy(b.free, w->k.free, c->n * sizeof *b.free);
    return b;
}

/* change, or with Chebyshev's weight what leads to before + w (lambda + change - before). */
static Six expect_change(const Constrained *w, const Before *b, uint64_t i, float weight)
{
    Six lambda = exact_six(&b->lambda[i]), earlier = exact_six(&b->earlier[i]);
    Six change = multiplier_steps(w, i, rows_at(w, b->u, i), lambda);
    if (weight == 1.0f) {
        return change;
    }
    Near g = exact((double)weight);
    Six past = six_plus(lambda, six_scaled(exact(-1), earlier));
    return six_plus(six_scaled(g, change), six_scaled(minus(g, exact(1)), past));
}

static void compare_sweep(Comparison *job, const Constrained *w, const Before *b, float weight)
{
    Case *c = w->s->c;
    Flux *stored = case_array(c, c->n, sizeof *stored);
    for (uint64_t i = 0; i < c->n; i++) {
        Six change = exact_six(&(OozeSym3){0, 0, 0, 0, 0, 0});
        Six lambda = exact_six(&b->lambda[i]);
        if (has_constraint(w, i)) {
            change = expect_change(w, b, i, weight);
            compare_six(job, "multiplier before", i, &w->k.before[i], lambda);
        }
        compare_six(job, "multiplier", i, &w->k.lambda[i], six_plus(lambda, change));
        Flux want = change_flux(w, i, change);
        compare_flux(job, i, &want, &w->k.flux[i], w->k.base[i]);
    }
    stored_fluxes(w, stored);
    for (uint64_t i = 0; i < c->n; i++) {
        Near push[3];
        velocity_change(w, stored, i, push);
        for (int k = 0; k < 3; k++) {
            push[k] = plus(exact((double)b->free[i][k]), push[k]);
        }
        compare_three(job, "free velocity", i, w->k.free[i], push);
    }
    compare_held(job, w);
}

/* The second sweep of `two` begins where `one` has ended. */
static void check_jacobi(Constrained *one, Constrained *two, const OozeConstraintLoops *loops,
                         Comparison *job)
{
    const double radius = 0.9;
    loops->start(&one->k);
    loops->start(&two->k);
    Before first = remember(one);
    loops->jacobi(&one->k, 1, radius, 0.0);
    compare_sweep(job, one, &first, 1.0f);
    compare(job, "residual at first", 0, one->k.solve.initial,
            residual_square(one, first.u, first.lambda));
    if (one->k.solve.current > 0.0) { /* else there was nothing to solve, and it has stopped */
        Near last = residual_square(one, one->s->step.u, one->k.lambda);
        compare(job, "residual at last", 0, one->k.solve.current, last);
        Before second = remember(one);
        loops->jacobi(&two->k, 2, radius, 0.0);
        compare_sweep(job, two, &second, (float)(2.0 / (2.0 - radius * radius)));
    }
}

/* ---- conjugate gradients --------------------------------------------------------------------- */

static Six preconditioned(const Constrained *w, uint64_t i, Six r)
{
    Six none = exact_six(&(OozeSym3){0, 0, 0, 0, 0, 0});
    return multiplier_steps(w, i, six_scaled(exact(-1), r), none);
}

/* The search ends with the velocities of its multipliers, which are those that it began with. */
static void compare_direction(Comparison *job, const Constrained *w)
{
    Case *c = w->s->c;
    Near sum = {0};
    for (uint64_t i = 0; i < c->n; i++) {
        Six r = exact_six(&(OozeSym3){0, 0, 0, 0, 0, 0});
        if (has_constraint(w, i)) {
            r = residual(w, i, rows_at(w, w->s->step.u, i), exact_six(&w->k.lambda[i]));
        }
        compare_six(job, "residual", i, &w->k.before[i], r);
        Six stored = exact_six(&w->k.before[i]);
        compare_six(job, "direction", i, &w->k.direction[i], preconditioned(w, i, stored));
        Near square = six_dot(r, r);
        sum = (Near){sum.v + square.v, sum.e + square.e};
    }
    compare(job, "residual at first", 0, w->k.solve.initial, sum);
}

/* M^-1 J^T of the direction, and the matrix times it. */
static void compare_product(Comparison *job, const Constrained *w, const OozeSym3 *direction,
                            Near *pap)
{
    Case *c = w->s->c;
    const OozeConformationStep *step = &w->s->step;
    Flux *flux = case_array(c, c->n, sizeof *flux);
    for (uint64_t i = 0; i < c->n; i++) {
        flux[i] = change_flux(w, i, exact_six(&direction[i]));
    }
    for (uint64_t i = 0; i < c->n; i++) {
        Near v[3];
        velocity_change(w, flux, i, v);
        if (w->k.with_contacts && step->contact_of[i] >= 0) {
            project_out(&step->contact_sets[step->contact_of[i]], w->k.active[step->contact_of[i]],
                        v);
        }
        compare_three(job, "change", i, w->k.change[i], v);
    }
    for (uint64_t i = 0; i < c->n; i++) {
        Six p = exact_six(&direction[i]), out = exact_six(&(OozeSym3){0, 0, 0, 0, 0, 0});
        if (has_constraint(w, i)) {
            out = limited(w, strain_rows(w, w->k.change, i, false));
            for (int e = 0; e < 6; e++) {
                out.v[e] = plus(out.v[e], times(softness_of(w, i, e), p.v[e]));
            }
        }
        compare_six(job, "product", i, &w->k.product[i], out);
        Near term = six_dot(p, exact_six(&w->k.product[i]));
        *pap = (Near){pap->v + term.v, pap->e + term.e};
    }
}

/* `none` has made no iteration: its direction is the first of `one`. */
static void compare_search(Comparison *job, const Constrained *none, const Constrained *one)
{
    Case *c = one->s->c;
    Near pap = {0}, rz = {0}, next = {0};
    compare_product(job, one, none->k.direction, &pap);
    for (uint64_t i = 0; i < c->n; i++) {
        Six r = exact_six(&none->k.before[i]), d = exact_six(&none->k.direction[i]);
        Near term = six_dot(r, d), step = exact((double)one->k.alpha);
        rz = (Near){rz.v + term.v, rz.e + term.e};
        compare_six(job, "multiplier", i, &one->k.lambda[i],
                    six_plus(exact_six(&none->k.lambda[i]), six_scaled(step, d)));
        Six left = six_scaled(negative(step), exact_six(&one->k.product[i]));
        compare_six(job, "residual", i, &one->k.before[i], six_plus(r, left));
        Six now = exact_six(&one->k.before[i]), z = preconditioned(one, i, now);
        term = six_dot(now, z);
        next = (Near){next.v + term.v, next.e + term.e};
        Near turn = exact((double)one->k.beta);
        compare_six(job, "direction", i, &one->k.direction[i], six_plus(z, six_scaled(turn, d)));
    }
    compare(job, "length of the step", 0, (double)one->k.alpha, over(rz, pap));
    compare(job, "turn", 0, (double)one->k.beta, over(next, rz));
}

static void check_search(Constrained *none, Constrained *one, const OozeConstraintLoops *loops,
                         Comparison *job)
{
    loops->start(&none->k);
    loops->start(&one->k);
    loops->conjugate_gradients(&none->k, 0, 0.9, 0.0);
    compare_direction(job, none);
    loops->conjugate_gradients(&one->k, 1, 0.9, 0.0);
    if (one->k.solve.iterations == 1) { /* else there was nothing to search for */
        compare_search(job, none, one);
    }
    for (uint64_t i = 0; i < one->s->c->n; i++) {
        assert_true(isfinite(one->s->step.u[i][0] + one->s->step.u[i][1] + one->s->step.u[i][2]));
    }
    compare_held(job, one);
}

/* ---- all ------------------------------------------------------------------------------------ */

enum { START, JACOBI, SEARCH };

static void check(int stage, const char *subject)
{
    const OozeConstraintLoops *const tables[OOZE_ISA_COUNT] = EVERY_TABLE(ooze_constraint_loops);
    Comparison job = {.subject = subject};
    for (int k = 0; k < SETTING_COUNT * 4; k++) {
        for (int isa = 0; isa <= (int)ooze_isa(); isa++) {
            const Setting *setting = &settings[k / 4];
            Constrained *a = constrained_create(setting, k % 2, k / 2 % 2);
            Constrained *b = constrained_create(setting, k % 2, k / 2 % 2);
            if (k % 4 == 3) {
                a->k.receiver = random_floats(a->s->c, 91, 0.1, 1.0);
                b->k.receiver = a->k.receiver;
            }
            job.setting = setting->name;
            job.isa = ooze_isa_name((OozeIsa)isa);
            if (stage == START) {
                check_start(a, tables[isa], &job);
            } else if (stage == JACOBI) {
                check_jacobi(a, b, tables[isa], &job);
            } else {
                check_search(a, b, tables[isa], &job);
            }
            constrained_destroy(b);
            constrained_destroy(a);
        }
    }
    conclude(&job);
}

static void velocities_of_multipliers(void **state)
{
    (void)state;
    check(START, "velocities of multipliers");
}

static void jacobi_and_chebyshev_sweeps(void **state)
{
    (void)state;
    check(JACOBI, "Jacobi and Chebyshev");
}

static void conjugate_gradients_on_multipliers(void **state)
{
    (void)state;
    check(SEARCH, "conjugate gradients on multipliers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocities_of_multipliers),
        cmocka_unit_test(jacobi_and_chebyshev_sweeps),
        cmocka_unit_test(conjugate_gradients_on_multipliers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
