/* Rotations of four and sweeps of the corotated constraint, on every instruction set against
   double. */
#include "constraint_case.h"
#include "solvers/vectors/polar_f32x4.h"

#define MOST_DAMPING 0.35 /* see corotated_loops.c */

/* ---- rotations in double --------------------------------------------------------------------- */

static double det_of(const double m[9])
{
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
           m[2] * (m[3] * m[7] - m[4] * m[6]);
}

/* The rotation that maximises tr(R^T f); Newton's iteration where there is a polar factor. */
static void rotation_of(const double f[9], double r[9])
{
    double norm = 0.0, m[9];
    for (int k = 0; k < 9; k++) {
        norm += f[k] * f[k];
        m[3 * (k % 3) + k / 3] = f[k];
        r[k] = f[k];
    }
    if (!(det_of(f) > 1e-3 * norm * sqrt(norm))) {
        ooze_rigid_fit(m, r);
        return;
    }
    for (int turn = 0; turn < 60; turn++) {
        double c[9], det = det_of(r);
        for (int k = 0; k < 9; k++) {
            int i1 = (k / 3 + 1) % 3, i2 = (k / 3 + 2) % 3, j1 = (k + 1) % 3, j2 = (k + 2) % 3;
            c[k] = r[3 * i1 + j1] * r[3 * i2 + j2] - r[3 * i1 + j2] * r[3 * i2 + j1];
        }
        for (int k = 0; k < 9; k++) {
            r[k] = 0.5 * (r[k] + c[k] / det);
        }
    }
}

/* tr S - largest eigenvalue of S = R^T f, the sum of the two smaller stretches: a change of f turns
   R by up to its size over half of this. */
static double stiffness_of(const double f[9], const double r[9])
{
    double s[9], trace = 0.0, square = 0.0;
    for (int k = 0; k < 9; k++) {
        int i = k / 3, j = k % 3;
        s[k] = r[i] * f[j] + r[3 + i] * f[3 + j] + r[6 + i] * f[6 + j];
        trace += i == j ? s[k] : 0.0;
    }
    for (int k = 0; k < 9; k++) {
        s[k] -= k % 4 == 0 ? trace / 3.0 : 0.0;
        square += s[k] * s[k];
    }
    double p = sqrt(square / 6.0), turn = p > 0.0 ? det_of(s) / (2.0 * p * p * p) : 0.0;
    double largest = trace / 3.0 + 2.0 * p * cos(acos(fmax(-1.0, fmin(1.0, turn))) / 3.0);
    return trace - largest;
}

/* Errors of f; one rounding of it, for its scale; and two of the entries of a rotation in the last
   step of Newton's iteration, which forgets the errors of earlier ones. What it stops short of
   is below 1e-12. */
static NearMat near_rotation(const NearMat *f)
{
    double m[9], r[9], error = 0.0, norm = 0.0;
    for (int k = 0; k < 9; k++) {
        Near entry = f->m[k / 3][k % 3];
        m[k] = entry.v;
        error += entry.e * entry.e;
        norm += entry.v * entry.v;
    }
    rotation_of(m, r);
    double stiffness = stiffness_of(m, r);
    double bound = 2.0 * (sqrt(error) + ROUNDING * sqrt(norm)) / stiffness + 2 * ROUNDING;
    NearMat out;
    for (int k = 0; k < 9; k++) {
        out.m[k / 3][k % 3] = (Near){r[k], stiffness > 0.0 ? bound : INFINITY};
    }
    return out;
}

/* ---- four rotations -------------------------------------------------------------------------- */

static float entry_of(int kind, uint64_t turn, int lane, int k)
{
    uint64_t seed = 4 * turn + (uint64_t)lane;
    float own = k % 4 == 0 ? 1.0f : 0.0f, random = between(95, seed, (uint64_t)k, -1, 1);
    switch (kind) {
    case 0: /* near a rotation by little */
        return own + 0.05f * random;
    case 1: /* anything */
        return random;
    case 2: /* of any size */
        return powf(10.0f, (float)(turn % 7) - 3.0f) * (own + 0.3f * random);
    case 3: /* one lane far from the others */
        return lane == (int)(turn % 4) ? 2.0f * random : own + 0.1f * random;
    default: /* a mirror image beside three that are not */
        return (lane == (int)(turn % 4) && k == 0 ? -1.0f : 1.0f) * (own + 0.1f * random);
    }
}

static void rotations_of_four(void **state)
{
    (void)state;
    Comparison job = {.subject = "rotations of four", .isa = "here"};
    static const char *const names[] = {"small turns", "random", "scaled", "one far", "mirror"};
    for (int turn = 0; turn < 1000; turn++) {
        int kind = turn % 5;
        job.setting = names[kind];
        OozeMat3F32x4 f;
        for (int k = 0; k < 36; k++) {
            f.m[k % 9 / 3][k % 3][k / 9] = entry_of(kind, (uint64_t)turn, k / 9, k % 9);
        }
        OozeMat3F32x4 r = ooze_polar_f32x4(&f);
        for (int lane = 0; lane < 4; lane++) {
            NearMat given;
            for (int k = 0; k < 9; k++) {
                given.m[k / 3][k % 3] = exact((double)f.m[k / 3][k % 3][lane]);
            }
            NearMat want = near_rotation(&given);
            for (int k = 0; k < 9 && want.m[0][0].e < 1e-3; k++) {
                compare(&job, "entry", (uint64_t)k, (double)r.m[k / 3][k % 3][lane],
                        want.m[k / 3][k % 3]);
            }
        }
    }
    conclude(&job);
}

/* What has no rotation is turned by none, and leaves its neighbours alone. */
static void lanes_without_rotation(void **state)
{
    (void)state;
    static const float bad[] = {0.0f, NAN, INFINITY, 1e30f};
    for (int turn = 0; turn < 16; turn++) {
        OozeMat3F32x4 f;
        int lane = turn % 4;
        for (int k = 0; k < 9; k++) {
            f.m[k / 3][k % 3] = ooze_f32x4_splat(k % 4 == 0 ? 1.0f : 0.0f);
            f.m[k / 3][k % 3][lane] = bad[turn / 4];
        }
        OozeMat3F32x4 r = ooze_polar_f32x4(&f);
        for (int k = 0; k < 36; k++) {
            CHECK_NEAR((double)r.m[k % 9 / 3][k % 3][k / 9], k % 9 % 4 == 0 ? 1.0 : 0.0,
                       4 * ROUNDING);
        }
    }
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

static Near edge_damping_of(const Constrained *w, uint64_t i)
{
    Sum sum = {0};
    for (uint64_t e = w->s->c->fluid.first[i]; e < list_end(&w->s->c->fluid, i); e++) {
        Near f = exact((double)w->s->own.edges->weight[e]);
        add(&sum, times(f, exact((double)w->k.hourglass[w->s->c->fluid.index[e]])));
    }
    return total(&sum);
}

static void compare_damping(Comparison *job, const Constrained *w, int sweeps)
{
    const OozeConformationStep *s = &w->s->step;
    for (uint64_t i = 0; i < w->s->c->n; i++) {
        const OozeRheology *m = &s->rheology[s->material[i]];
        double most =
            MOST_DAMPING * (double)m->relative_mass / ((double)s->dt * (double)s->edge_sum[i][3]);
        double want = fmin((double)m->hourglass / (double)sweeps, most);
        compare(job, "damping", i, (double)w->k.hourglass[i],
                has_constraint(w, i) ? (Near){want, 5 * ROUNDING * want} : exact(0));
        compare(job, "damping of edges", i, (double)w->k.edge_hourglass[i], edge_damping_of(w, i));
    }
}

/* share R E R^T + (F - R) + (F - R)^T */
static Six corotated_rows(const Constrained *w, uint64_t i, const NearMat *f, const NearMat *r)
{
    const OozeConformationStep *s = &w->s->step;
    NearMat rows = near_symmetric(s->conformation + 8 * i), rt = near_transpose(r);
    Near share = exact((double)w->materials[s->material[i]].share);
    if (s->plan->settings.corotation) {
        NearMat turned = near_product(r, &rows);
        rows = near_product(&turned, &rt);
    }
    Six out;
    for (int e = 0; e < 6; e++) {
        int a = sym_row[e], b = sym_column[e];
        Near strain = plus(minus(f->m[a][b], r->m[a][b]), minus(f->m[b][a], r->m[b][a]));
        out.v[e] = plus(times(share, rows.m[a][b]), strain);
    }
    return limited(w, out);
}

/* What particle i hands on in a sweep from velocities u and multipliers lambda. False: it is
   stretched so that rounding alone may turn it. */
static bool expect_sweep(const Constrained *w, const OozeF32x4 *u, Six lambda, uint64_t i,
                         Six *change, Flux *flux)
{
    const OozeConformationStep *s = &w->s->step;
    Near dt = exact((double)s->dt);
    FluxInput in = {.b = near_symmetric(&w->k.correction[i].xx),
                    .u = u[i],
                    .n = times(dt, exact((double)w->k.hourglass[i])),
                    .edge_n = times(dt, exact((double)w->k.edge_hourglass[i]))};
    NearMat raw = raw_gradient(w->s, u, i, true, in.weighted), r, f;
    in.l = near_product(&raw, &in.b);
    f = near_scaled(dt, &in.l);
    for (int k = 0; k < 9; k++) {
        r.m[k / 3][k % 3] = exact(k % 4 == 0 ? 1 : 0);
    }
    f = near_plus(&r, &f);
    r = s->plan->settings.corotation ? near_rotation(&f) : r;
    *change = exact_six(&(OozeSym3){0, 0, 0, 0, 0, 0});
    if (has_constraint(w, i)) {
        *change = multiplier_steps(w, i, corotated_rows(w, i, &f, &r), lambda);
    }
    in.stress = stress_of_change(w, *change);
    *flux = flux_of(w->s, i, &in);
    return r.m[0][0].e < 1e-3;
}

static void compare_sweep(Comparison *job, const Constrained *w, const OozeF32x4 *u,
                          const OozeSym3 *lambda)
{
    Case *c = w->s->c;
    Flux *stored = case_array(c, c->n, sizeof *stored);
    uint64_t compared = 0;
    for (uint64_t i = 0; i < c->n; i++) {
        Six change, before = exact_six(&lambda[i]);
        Flux flux;
        if (expect_sweep(w, u, before, i, &change, &flux)) {
            compare_six(job, "multiplier", i, &w->k.lambda[i], six_plus(before, change));
            compare_flux(job, i, &flux, &w->k.flux[i], w->k.base[i]);
            compared++;
        }
    }
    assert_true(10 * compared >= 9 * c->n);
    assert_padding_silent(c, w->k.flux);
    stored_fluxes(w, stored);
    for (uint64_t i = 0; i < c->n; i++) {
        Near push[3];
        velocity_change(w, stored, i, push);
        for (int k = 0; k < 3; k++) {
            push[k] = plus(exact((double)u[i][k]), push[k]);
        }
        compare_three(job, "velocity", i, w->s->step.u[i], push);
        assert_true(w->s->step.u[i][3] == 0.0f);
    }
}

/* Kinds of sweep: with and without rotations, volumes, and in the last with velocities that turn
   fluid inside out. */
static void check_sweep(const Setting *setting, int kind, const OozeCorotatedLoops *loops,
                        Comparison *job)
{
    Constrained *w = constrained_create(setting, false, kind % 2);
    Case *c = w->s->c;
    OozeConformationStep *s = &w->s->step;
    w->s->plan.settings.corotation = kind > 0;
    s->conformation = case_array(c, 8 * c->n, sizeof *s->conformation);
    for (uint64_t i = 0; i < c->n; i++) {
        OozeSym3 e = random_sym3(86, i, 0.0, 0.3);
        memcpy(s->conformation + 8 * i, &e, sizeof e);
        s->conformation[8 * i + 6] = s->conformation[8 * i + 7] = NAN; /* unused lanes */
        s->u[i] = s->u[i] * (kind == 3 ? 20.0f : 1.0f);
    }
    OozeF32x4 *u = random_fours(c, 97);
    OozeSym3 *lambda = random_sym3s(c, 98, 0, 0);
    memcpy(u, s->u, c->n * sizeof *u);
    memcpy(lambda, w->k.lambda, c->n * sizeof *lambda);
    loops->set_damping(&w->k, kind + 1);
    compare_damping(job, w, kind + 1);
    loops->sweep(&w->k, s->u);
    compare_sweep(job, w, u, lambda);
    constrained_destroy(w);
}

static void sweeps(void **state)
{
    (void)state;
    const OozeCorotatedLoops *const tables[OOZE_ISA_COUNT] = EVERY_TABLE(ooze_corotated_loops);
    Comparison job = {.subject = "corotated sweeps"};
    for (int k = 0; k < SETTING_COUNT * 4; k++) {
        for (int isa = 0; isa <= (int)ooze_isa(); isa++) {
            job.setting = settings[k / 4].name;
            job.isa = ooze_isa_name((OozeIsa)isa);
            check_sweep(&settings[k / 4], k % 4, tables[isa], &job);
        }
    }
    conclude(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotations_of_four),
        cmocka_unit_test(lanes_without_rotation),
        cmocka_unit_test(sweeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
