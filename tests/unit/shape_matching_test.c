/* The formulas of shape matching: sums about any base, rotations of regular, inverted and
   degenerate regions, rigid velocities, splines and material numbers. */
#include "check.h"

#include "base/hash.h"
#include "base/vec3.h"
#include "physics/shape_matching.h"

enum { POINTS = 40, TRIALS = 500 };

typedef struct Cloud {
    int n;
    double w[POINTS], x[POINTS][3], q[POINTS][3], v[POINTS][3];
} Cloud;

static double random_in(uint64_t seed, uint64_t i, uint64_t draw, double low, double high)
{
    return low + (high - low) * ooze_random01(seed, i, draw);
}

static Cloud make_cloud(uint64_t seed, int n)
{
    Cloud c = {.n = n};
    for (int i = 0; i < n; i++) {
        c.w[i] = random_in(seed, (uint64_t)i, 0, 0.1, 2);
        for (int k = 0; k < 3; k++) {
            c.x[i][k] = 3 * k + random_in(seed, (uint64_t)i, (uint64_t)(1 + k), -1, 1);
            c.q[i][k] = 7 - k + random_in(seed, (uint64_t)i, (uint64_t)(4 + k), -1, 1);
            c.v[i][k] = random_in(seed, (uint64_t)i, (uint64_t)(7 + k), -1, 1);
        }
    }
    return c;
}

static OozeQuat random_turn(uint64_t seed, double most)
{
    OozeVec3 axis = vec3(random_in(seed, 1, 0, -1, 1), random_in(seed, 1, 1, -1, 1),
                         random_in(seed, 1, 2, -1, 1));
    return quat_from_vector(
        vec3_scale(vec3_unit(axis, vec3(1, 0, 0)), random_in(seed, 2, 0, 0, most)));
}

static void to_array(OozeQuat q, double to[4])
{
    to[0] = q.w;
    to[1] = q.x;
    to[2] = q.y;
    to[3] = q.z;
}

/* a = r s */
static void multiply(const double r[9], const double s[9], double a[9])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            a[3 * i + j] = r[3 * i] * s[j] + r[3 * i + 1] * s[3 + j] + r[3 * i + 2] * s[6 + j];
        }
    }
}

/* Largest difference of the rotations of two quaternions. */
static double difference(const double p[4], const double q[4])
{
    double a[9], b[9], worst = 0;
    ooze_quaternion_matrix(p, a);
    ooze_quaternion_matrix(q, b);
    for (int k = 0; k < 9; k++) {
        worst = fmax(worst, fabs(a[k] - b[k]));
    }
    return worst;
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void add_terms(const Cloud *c, int begin, int end, const double x0[3], const double q0[3],
                      double sums[OOZE_MATCH_SUMS])
{
    for (int i = begin; i < end; i++) {
        double terms[OOZE_MATCH_SUMS];
        const double dx[3] = {c->x[i][0] - x0[0], c->x[i][1] - x0[1], c->x[i][2] - x0[2]};
        const double dq[3] = {c->q[i][0] - q0[0], c->q[i][1] - q0[1], c->q[i][2] - q0[2]};
        ooze_match_terms(c->w[i], dx, dq, terms);
        for (int t = 0; t < OOZE_MATCH_SUMS; t++) {
            sums[t] += terms[t];
        }
    }
}

static OozeMatchRegion region_by_definition(const Cloud *c)
{
    OozeMatchRegion r = {.weight = 0};
    for (int i = 0; i < c->n; i++) {
        r.weight += c->w[i];
        for (int k = 0; k < 3; k++) {
            r.x[k] += c->w[i] * c->x[i][k];
            r.q[k] += c->w[i] * c->q[i][k];
        }
    }
    for (int k = 0; k < 3; k++) {
        r.x[k] /= r.weight;
        r.q[k] /= r.weight;
    }
    for (int i = 0; i < c->n; i++) {
        for (int k = 0; k < 9; k++) {
            r.a[k] += c->w[i] * (c->x[i][k / 3] - r.x[k / 3]) * (c->q[i][k % 3] - r.q[k % 3]);
        }
    }
    return r;
}

static void check_region(const OozeMatchRegion *got, const OozeMatchRegion *want, double bound)
{
    CHECK_NEAR(got->weight, want->weight, bound);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(got->x[k], want->x[k], bound);
        CHECK_NEAR(got->q[k], want->q[k], bound);
    }
    for (int k = 0; k < 9; k++) {
        CHECK_NEAR(got->a[k], want->a[k], bound);
    }
}

static void sums_give_centres_and_moments(void **state)
{
    (void)state;
    Cloud c = make_cloud(1, POINTS);
    OozeMatchRegion want = region_by_definition(&c);
    const double bases[3][3] = {{0, 0, 0}, {1, 2, 3}, {-4, 9, 0.5}};
    for (int b = 0; b < 3; b++) {
        double sums[OOZE_MATCH_SUMS] = {0};
        add_terms(&c, 0, c.n, bases[b], bases[(b + 1) % 3], sums);
        OozeMatchRegion got = ooze_match_centre(sums, bases[b], bases[(b + 1) % 3]);
        check_region(&got, &want, 1e-11);
    }
}

static void sums_about_other_bases_add_up(void **state)
{
    (void)state;
    Cloud c = make_cloud(2, POINTS);
    const double x0[3] = {1, -2, 0.5}, q0[3] = {4, 4, 4}, x1[3] = {0, 3, 3}, q1[3] = {7, 1, -2};
    double sums[OOZE_MATCH_SUMS] = {0}, other[OOZE_MATCH_SUMS] = {0}, all[OOZE_MATCH_SUMS] = {0};
    add_terms(&c, 0, 15, x0, q0, sums);
    add_terms(&c, 15, c.n, x1, q1, other);
    add_terms(&c, 0, c.n, x0, q0, all);
    ooze_match_add(sums, x0, q0, other, x1, q1);
    for (int t = 0; t < OOZE_MATCH_SUMS; t++) {
        CHECK_NEAR(sums[t], all[t], 1e-10);
    }
}

static void empty_regions_are_finite(void **state)
{
    (void)state;
    const double none[OOZE_MATCH_SUMS] = {0}, base[3] = {1, 2, 3};
    OozeMatchRegion r = ooze_match_centre(none, base, base);
    OozeMatchVelocity v = ooze_match_velocity(none, base);
    for (int k = 0; k < 3; k++) {
        assert_true(r.x[k] == base[k] && r.q[k] == base[k] && r.a[k] == 0);
        assert_true(v.x[k] == base[k] && v.v[k] == 0 && v.spin[k] == 0);
    }
}

/* ---- rotations ------------------------------------------------------------------------------- */

static void quaternion_matrix_rotates(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        OozeQuat q = random_turn(seed, M_PI);
        double p[4], r[9];
        to_array(q, p);
        ooze_quaternion_matrix(p, r);
        OozeVec3 v = vec3(0.3, -1.1, 0.7), turned = quat_rotate(q, v);
        CHECK_NEAR(r[0] * v.x + r[1] * v.y + r[2] * v.z, turned.x, 1e-14);
        CHECK_NEAR(r[3] * v.x + r[4] * v.y + r[5] * v.z, turned.y, 1e-14);
        CHECK_NEAR(r[6] * v.x + r[7] * v.y + r[8] * v.z, turned.z, 1e-14);
    }
}

static void small_systems_are_solved(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        double l[3][3] = {{0}}, h[6], x[3], b[3], got[3] = {0};
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j <= i; j++) {
                l[i][j] = random_in(seed, (uint64_t)i, (uint64_t)j, i == j ? 0.3 : -1, 1);
            }
            x[i] = random_in(seed, 9, (uint64_t)i, -1, 1);
        }
        double m[3][3] = {{0}};
        for (int k = 0; k < 27; k++) {
            m[k / 9][k / 3 % 3] += l[k / 9][k % 3] * l[k / 3 % 3][k % 3];
        }
        const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
        for (int k = 0; k < 6; k++) {
            h[k] = m[at[k][0]][at[k][1]];
        }
        for (int i = 0; i < 3; i++) {
            b[i] = m[i][0] * x[0] + m[i][1] * x[1] + m[i][2] * x[2];
        }
        assert_true(ooze_solve_spd3(h, 1e-12, b, got));
        for (int i = 0; i < 3; i++) {
            CHECK_NEAR(got[i], x[i], 1e-10);
        }
    }
    const double b[3] = {1, 1, 1},
                 indefinite[3][6] = {{-1, 1, 1, 0, 0, 0}, {1, -1, 1, 0, 0, 0}, {1, 1, 1, 0, 0, 2}};
    double x[3];
    for (int k = 0; k < 3; k++) {
        assert_false(ooze_solve_spd3(indefinite[k], 0, b, x));
    }
}

/* a = r0 s with a positive definite s: r0 is the only maximum, found from any start. */
static void rotation_is_that_of_the_polar_decomposition(void **state)
{
    (void)state;
    double worst = 0;
    for (uint64_t seed = 0; seed < TRIALS; seed++) {
        double want[4], r0[9], turn[9], s[9] = {0}, a[9], stretched[9], q[4];
        OozeQuat axes = random_turn(1000 + seed, M_PI);
        to_array(random_turn(seed, M_PI), want);
        ooze_quaternion_matrix(want, r0);
        double p[4];
        to_array(axes, p);
        ooze_quaternion_matrix(p, turn);
        double size = pow(10, random_in(seed, 5, 0, -20, 20));
        for (int k = 0; k < 3; k++) {
            s[4 * k] = size * random_in(seed, 5, (uint64_t)(1 + k), 0.05, 3);
        }
        multiply(turn, s, stretched); /* turn s turn^T */
        for (int k = 0; k < 9; k++) {
            s[k] = stretched[k / 3 * 3] * turn[k % 3 * 3] +
                   stretched[k / 3 * 3 + 1] * turn[k % 3 * 3 + 1] +
                   stretched[k / 3 * 3 + 2] * turn[k % 3 * 3 + 2];
        }
        multiply(r0, s, a);
        to_array(random_turn(2000 + seed, M_PI), q);
        ooze_match_rotation(a, q);
        worst = fmax(worst, difference(q, want));
        CHECK_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-14);
    }
    printf("  worst element of a rotation: %.2g\n", worst);
    assert_true(worst < 1e-12);
}

/* A region that is pressed flat and turned inside out keeps its rotation until it is inverted by
   more than its next smallest stretch; a polar decomposition with reflections would change sign at
   once. */
static void inverted_regions_do_not_flip(void **state)
{
    (void)state;
    double still[4], q[4], r[9], a[9], drift = 0;
    to_array(random_turn(3, 2), still);
    ooze_quaternion_matrix(still, r);
    memcpy(q, still, sizeof q);
    for (int k = 0; k <= 190; k++) {
        const double s[9] = {1.5, 0, 0, 0, 1 - 0.01 * k, 0, 0, 0, 1.2};
        multiply(r, s, a);
        ooze_match_rotation(a, q);
        drift = fmax(drift, difference(q, still));
    }
    printf("  change of the rotation: %.2g\n", drift);
    assert_true(drift < 1e-12);
    /* beyond that, the rotation of an inverted region is finite and a rotation */
    for (uint64_t seed = 0; seed < TRIALS; seed++) {
        for (int k = 0; k < 9; k++) {
            a[k] = random_in(seed, 7, (uint64_t)k, -1, 1);
        }
        memcpy(q, still, sizeof q);
        ooze_match_rotation(a, q);
        CHECK_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-14);
    }
}

/* The sum of (x - x_mean)(q - q_mean)^T of n particles that were turned by `turn`. */
static void turned_moment(int n, const double reference[][3], OozeQuat turn, double a[9])
{
    double sums[OOZE_MATCH_SUMS] = {0}, terms[OOZE_MATCH_SUMS];
    const double origin[3] = {0, 0, 0};
    for (int i = 0; i < n; i++) {
        OozeVec3 x = quat_rotate(turn, vec3(reference[i][0], reference[i][1], reference[i][2]));
        const double at[3] = {x.x, x.y, x.z};
        ooze_match_terms(1, at, reference[i], terms);
        for (int t = 0; t < OOZE_MATCH_SUMS; t++) {
            sums[t] += terms[t];
        }
    }
    OozeMatchRegion r = ooze_match_centre(sums, origin, origin);
    memcpy(a, r.a, sizeof r.a);
}

/* One particle, two particles, three on a line, three in a plane: the rotation maps what there is,
   and keeps the rest. */
static void degenerate_regions_keep_what_is_undetermined(void **state)
{
    (void)state;
    static const double reference[3][3] = {{0, 0, 0}, {0.3, 0.1, -0.2}, {-0.1, 0.5, 0.2}};
    static const double line[3][3] = {{0, 0, 0}, {0.3, 0.1, -0.2}, {0.9, 0.3, -0.6}};
    double worst = 0, twist = 0;
    for (uint64_t seed = 0; seed < TRIALS; seed++) {
        OozeQuat turn = random_turn(seed, M_PI);
        double a[9], r[9], q[4], start[4];
        to_array(random_turn(3000 + seed, M_PI), start);
        memcpy(q, start, sizeof q);
        turned_moment(1, reference, turn, a);
        ooze_match_rotation(a, q);
        assert_true(difference(q, start) == 0);
        for (int kind = 0; kind < 3; kind++) {
            int n = kind == 0 ? 2 : 3;
            const double(*at)[3] = kind == 1 ? line : reference;
            memcpy(q, start, sizeof q);
            turned_moment(n, at, turn, a);
            ooze_match_rotation(a, q);
            ooze_quaternion_matrix(q, r);
            for (int i = 1; i < n; i++) {
                OozeVec3 x = quat_rotate(turn, vec3(at[i][0], at[i][1], at[i][2]));
                worst =
                    fmax(worst, fabs(r[0] * at[i][0] + r[1] * at[i][1] + r[2] * at[i][2] - x.x));
                worst =
                    fmax(worst, fabs(r[3] * at[i][0] + r[4] * at[i][1] + r[5] * at[i][2] - x.y));
                worst =
                    fmax(worst, fabs(r[6] * at[i][0] + r[7] * at[i][1] + r[8] * at[i][2] - x.z));
            }
            /* again from there: rounding, 1e-15, over the shift of the Hessian, 1e-9, is all that
               turns about the line */
            double again[4];
            memcpy(again, q, sizeof q);
            ooze_match_rotation(a, again);
            twist = fmax(twist, difference(again, q));
        }
    }
    printf("  positions: %.2g m, second call: %.2g\n", worst, twist);
    assert_true(worst < 1e-8 && twist < 1e-4);
    /* no size, and sizes whose squares overflow */
    const double none[9] = {0}, huge[9] = {1e200, 0, 0, 0, 1e200, 0, 0, 0, 1e200};
    double q[4] = {0.6, 0, 0.8, 0}, q2[4] = {0.6, 0, 0.8, 0};
    ooze_match_rotation(none, q);
    ooze_match_rotation(huge, q2);
    assert_true(difference(q, q2) == 0 && q[0] == 0.6);
}

/* ---- velocities ------------------------------------------------------------------------------ */

static void add_velocity_terms(const Cloud *c, int begin, int end, const double x0[3],
                               double sums[OOZE_MATCH_SUMS])
{
    for (int i = begin; i < end; i++) {
        double terms[OOZE_MATCH_SUMS];
        const double dx[3] = {c->x[i][0] - x0[0], c->x[i][1] - x0[1], c->x[i][2] - x0[2]};
        ooze_match_velocity_terms(c->w[i], dx, c->v[i], terms);
        for (int t = 0; t < OOZE_MATCH_SUMS; t++) {
            sums[t] += terms[t];
        }
    }
}

/* Velocities of a rigid motion of any number of particles are reproduced at each of them. */
static void rigid_velocities_are_found(void **state)
{
    (void)state;
    const double x0[3] = {2, 0, -1}, x1[3] = {0.5, 3, 4};
    for (int n = 1; n <= POINTS; n++) {
        Cloud c = make_cloud(40 + (uint64_t)n, n);
        OozeVec3 v = vec3(0.3, -2, 1), spin = vec3(1, 0.4, -0.7);
        double sums[OOZE_MATCH_SUMS] = {0}, other[OOZE_MATCH_SUMS] = {0},
               all[OOZE_MATCH_SUMS] = {0};
        for (int i = 0; i < n; i++) {
            OozeVec3 u = vec3_add(v, vec3_cross(spin, vec3(c.x[i][0], c.x[i][1], c.x[i][2])));
            c.v[i][0] = u.x;
            c.v[i][1] = u.y;
            c.v[i][2] = u.z;
        }
        add_velocity_terms(&c, 0, n / 2, x0, sums);
        add_velocity_terms(&c, n / 2, n, x1, other);
        add_velocity_terms(&c, 0, n, x0, all);
        ooze_match_velocity_add(sums, x0, other, x1);
        for (int t = 0; t < OOZE_MATCH_SUMS; t++) {
            CHECK_NEAR(sums[t], all[t], 1e-9);
        }
        OozeMatchVelocity m = ooze_match_velocity(sums, x0);
        for (int i = 0; i < n; i++) {
            OozeVec3 d = vec3(c.x[i][0] - m.x[0], c.x[i][1] - m.x[1], c.x[i][2] - m.x[2]);
            OozeVec3 u = vec3_cross(vec3(m.spin[0], m.spin[1], m.spin[2]), d);
            double bound = n < 3 ? 1e-7 : 1e-8; /* shift of the inertia */
            CHECK_NEAR(m.v[0] + u.x, c.v[i][0], bound);
            CHECK_NEAR(m.v[1] + u.y, c.v[i][1], bound);
            CHECK_NEAR(m.v[2] + u.z, c.v[i][2], bound);
        }
    }
}

/* ---- splines and material numbers ------------------------------------------------------------ */

static void splines_have_even_moments(void **state)
{
    (void)state;
    for (int k = 0; k <= 20; k++) {
        double f = -0.5 + 0.05 * k, w[3], sum = 0, first = 0, second = 0;
        ooze_match_spline(f, w);
        for (int cell = -1; cell <= 1; cell++) {
            assert_true(w[cell + 1] >= 0);
            sum += w[cell + 1];
            first += w[cell + 1] * (cell - f);
            second += w[cell + 1] * (cell - f) * (cell - f);
        }
        CHECK_NEAR(sum, 1, 1e-15);
        CHECK_NEAR(first, 0, 1e-15);
        CHECK_NEAR(second, 0.25, 1e-15);
    }
    /* from one cell to the next without a jump */
    double below[3], above[3];
    ooze_match_spline(0.5, below);
    ooze_match_spline(-0.5, above);
    CHECK_NEAR(below[0], 0, 0);
    CHECK_NEAR(above[2], 0, 0);
    CHECK_NEAR(below[1], above[0], 1e-15);
    CHECK_NEAR(below[2], above[1], 1e-15);
    double edge = ooze_match_cell_edge(3);
    CHECK_NEAR(edge * edge / 4, 9.0 / 5.0, 1e-15);
}

static void material_numbers_are_inverse(void **state)
{
    (void)state;
    double density = 1100, sigma = 0.03;
    for (int k = 0; k < 8; k++) {
        double modulus = pow(10, k), tau = ooze_match_response_time(density, sigma, modulus);
        CHECK_NEAR(ooze_match_modulus(density, sigma, tau), modulus, 1e-12 * modulus);
        /* a pull of velocities with rate 1 / tau acts as density sigma^2 / (10 tau) */
        double rate = ooze_match_damping_rate(density, sigma, modulus);
        CHECK_NEAR(density * sigma * sigma * rate / 10, modulus, 1e-12 * modulus);
    }
    CHECK_NEAR(ooze_match_modulus(1000, 0.1, 0.01), 1e4, 1e-9);
    CHECK_NEAR(ooze_match_pull(0.1, 0.01), 100, 1e-12);
    CHECK_NEAR(ooze_match_pull(0.001, 0.01), 1e4, 1e-9); /* the goal in one step, no farther */
    CHECK_NEAR(ooze_match_pull(0, 0.01), 1e4, 1e-9);
    CHECK_NEAR(ooze_match_drag(30, 0.01), 30, 0);
    CHECK_NEAR(ooze_match_drag(300, 0.01), 100, 1e-12); /* rigid motion in one step */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_give_centres_and_moments),
        cmocka_unit_test(sums_about_other_bases_add_up),
        cmocka_unit_test(empty_regions_are_finite),
        cmocka_unit_test(quaternion_matrix_rotates),
        cmocka_unit_test(small_systems_are_solved),
        cmocka_unit_test(rotation_is_that_of_the_polar_decomposition),
        cmocka_unit_test(inverted_regions_do_not_flip),
        cmocka_unit_test(degenerate_regions_keep_what_is_undetermined),
        cmocka_unit_test(rigid_velocities_are_found),
        cmocka_unit_test(splines_have_even_moments),
        cmocka_unit_test(material_numbers_are_inverse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
