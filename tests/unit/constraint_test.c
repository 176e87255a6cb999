/* The formulas of the conformation constraint, in double: convection, steady shear, Jacobians,
   compliance. */
#define OOZE_REAL double
#define OOZE_SQRT sqrt
#include "physics/constraint.h"

#include "base/hash.h"
#include "check.h"
#include "physics/kernels.h"

/* A_ij u of eq 10 for a kernel gradient g: the rows of u g^T + g u^T. */
static OozeSym3 constraint_rows(const double g[3], const double u[3])
{
    return ooze_sym3(2 * g[0] * u[0], 2 * g[1] * u[1], 2 * g[2] * u[2], g[1] * u[0] + g[0] * u[1],
                     g[2] * u[0] + g[0] * u[2], g[2] * u[1] + g[1] * u[2]);
}

static OozeMat3 shear(double rate)
{
    OozeMat3 l = ooze_mat3_zero();
    l.m[1] = rate; /* du_x/dy */
    return l;
}

/* ---- convection ------------------------------------------------------------------------------ */

enum { TURN_STEPS = 200 };

static OozeMat3 spin_gradient(double angle)
{
    OozeMat3 l = ooze_mat3_zero();
    l.m[1] = -angle;
    l.m[3] = angle;
    return l;
}

/* Q = diag(2, 1, 1) turned by 45 degrees has Qxy = +0.5; implicit Euler damps the anisotropy by
   1/sqrt(1 + (2 a)^2) a step of angle a, in all to 0.4969. */
static void rotation_carries_q_along(void **state)
{
    (void)state;
    OozeMat3 l = spin_gradient(OOZE_PI / 4 / TURN_STEPS);
    OozeSym3 right = ooze_sym3(2, 1, 1, 0, 0, 0), printed = right, corotated = right;
    for (int k = 0; k < TURN_STEPS; k++) {
        right = ooze_conformation_implicit(right, l, 1.0, INFINITY);
        printed = ooze_conformation_implicit(printed, ooze_mat3_transpose(l), 1.0, INFINITY);
        OozeMat3 f = ooze_mat3_add(ooze_mat3_identity(), l), r = ooze_polar_rotation(f);
        corotated = ooze_corotated_update(corotated, r, ooze_corotated_strain(f, r, 0.5), 1.0);
    }
    MEASURED("Qxy, implicit", right.xy, 0.49, 0.51);
    MEASURED("Qxy, as printed", printed.xy, -0.51, -0.49);
    MEASURED("Qxy, corotated", corotated.xy, 0.4999, 0.5001);
}

/* ---- steady shear ---------------------------------------------------------------------------- */

/* Implicit Euler has the exact steady state: Qxy = rate tau, Qxx - Qyy = 2 (rate tau)^2. */
static void steady_shear_is_exact(void **state)
{
    (void)state;
    const double tau = 0.1, dt = 1.0 / 240.0, rate = 2.0;
    OozeSym3 q = ooze_sym3_identity(1);
    for (int k = 0; k < 2000; k++) {
        q = ooze_conformation_implicit(q, shear(rate), dt, tau);
    }
    MEASURED("Qxy", q.xy, 0.2 - 1e-6, 0.2 + 1e-6);
    MEASURED("Qxx - Qyy", q.xx - q.yy, 0.08 - 1e-6, 0.08 + 1e-6);
}

/* No memory forgets all; a stretch that the step cannot take leaves Q as it was. */
static void implicit_limits(void **state)
{
    (void)state;
    OozeSym3 q = ooze_sym3(3, 1, 1, 0.5, 0, 0);
    OozeSym3 forgot = ooze_conformation_implicit(q, shear(5), 0.1, 0.0);
    assert_true(forgot.xx == 1.0 && forgot.xy == 0.0);
    OozeMat3 stretch = ooze_mat3_zero();
    stretch.m[0] = 0.5; /* dt L = 1/2: the equation for Qxx is 0 Qxx = 3 */
    OozeSym3 kept = ooze_conformation_implicit(q, stretch, 1.0, INFINITY);
    assert_true(kept.xx == q.xx && kept.xy == q.xy);
}

/* The steady stress of the corrected constraint is (G tau + nu) rate at every time step; that of eq
   7 is G (tau + dt) rate. Small rate: the corotated update is linear. */
static void viscosity_does_not_follow_the_step(void **state)
{
    (void)state;
    const double g = 16.0, tau = 0.1, nu = 0.3, rate = 1e-3;
    static const double steps[] = {1.0 / 480, 1.0 / 60, 0.06, 1.0};
    for (int k = 0; k < 4; k++) {
        double dt = steps[k], kept = 1.0 / (1.0 + dt / tau), stress = 0.0;
        OozeConstraintLaw soft = ooze_constraint_law(g, tau, nu, dt);
        OozeMat3 f = ooze_mat3_add(ooze_mat3_identity(), ooze_mat3_scale(shear(rate), dt));
        OozeSym3 q = ooze_sym3_identity(1);
        for (int step = 0; step * dt < 40 * tau; step++) {
            OozeMat3 r = ooze_polar_rotation(f);
            OozeSym3 strain = ooze_corotated_strain(f, r, 0.5);
            stress = (soft.share * q.xy + strain.xy) / soft.compliance;
            q = ooze_corotated_update(q, r, strain, kept);
        }
        CHECK_NEAR(stress / rate, g * tau + nu, 2e-3 * g * tau);
    }
    OozeConstraintLaw newtonian = ooze_constraint_law(0.0, 0.0, nu, 0.01);
    CHECK_NEAR(newtonian.compliance, 0.01 / nu, 1e-12);
    assert_true(newtonian.share == 0.0);
    assert_true(ooze_constraint_law(0.0, 0.0, 0.0, 0.01).compliance >= 1e20); /* no stress at all */
}

/* ---- Lyapunov, positive definiteness --------------------------------------------------------- */

static void solves_lyapunov(void **state)
{
    (void)state;
    double worst = 0.0;
    for (uint64_t k = 0; k < 100; k++) {
        OozeMat3 m;
        for (int e = 0; e < 9; e++) {
            m.m[e] = ooze_random01(3, k, (uint64_t)e) - 0.5 + (e % 4 == 0 ? 1.5 : 0.0);
        }
        double v[6];
        for (int e = 0; e < 6; e++) {
            v[e] = ooze_random01(4, k, (uint64_t)e) - 0.5;
        }
        OozeSym3 r = ooze_sym3(v[0], v[1], v[2], v[3], v[4], v[5]), q = r;
        assert_true(ooze_lyapunov(m, r, &q));
        OozeMat3 mq = ooze_mat3_mul_sym3(m, q);
        OozeSym3 left = ooze_sym3_scale(ooze_mat3_symmetric(mq), 2);
        OozeSym3 off = ooze_sym3_add(left, ooze_sym3_scale(r, -1));
        worst = fmax(worst, sqrt(ooze_mat3_norm2(ooze_mat3_from_sym3(off))));
    }
    MEASURED("residual", worst, 0.0, 1e-12);
}

static void keeps_q_positive(void **state)
{
    (void)state;
    OozeSym3 q = ooze_conformation_at_least(ooze_sym3(0.2, 2, 1, 0.9, 0, 0), 0.05);
    CHECK_NEAR(ooze_sym3_min_eigenvalue(q), 0.05, 1e-6);
    CHECK_NEAR((q.yy - 1) / (q.xx - 1), 1.0 / -0.8, 1e-9); /* along Q - I */
    OozeSym3 fine = ooze_sym3(0.3, 2, 1, 0.1, 0, 0);
    assert_true(ooze_conformation_at_least(fine, 0.05).xx == fine.xx);
}

/* ---- rows and Jacobians on a jittered lattice ------------------------------------------------ */

enum { SIDE = 5, COUNT = SIDE * SIDE * SIDE, CENTRE = COUNT / 2 };
static const double spacing = 0.1, support = 0.22, volume = 0.001;

typedef struct Cloud {
    double x[COUNT][3], u[COUNT][3];
} Cloud;

static Cloud jittered(void)
{
    Cloud c;
    for (int i = 0; i < COUNT; i++) {
        int at[3] = {i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE)};
        for (int a = 0; a < 3; a++) {
            uint64_t n = (uint64_t)(3 * i + a);
            c.x[i][a] = spacing * (at[a] + 0.4 * (ooze_random01(5, n, 0) - 0.5));
            c.u[i][a] = ooze_random01(5, n, 1) - 0.5;
        }
    }
    return c;
}

/* V grad_i W(x_i - x_j); false beyond the support. */
static int edge(const Cloud *c, int i, int j, double g[3])
{
    double d[3], r2 = 0.0;
    for (int a = 0; a < 3; a++) {
        d[a] = c->x[i][a] - c->x[j][a];
        r2 += d[a] * d[a];
    }
    double r = sqrt(r2);
    for (int a = 0; a < 3; a++) {
        g[a] = volume * ooze_cubic_slope(r, support) * d[a] / r;
    }
    return r < support;
}

/* Eq 10 without q0 and dt: sum V A_ij u_ji. */
static OozeSym3 rows_of(const Cloud *c, int i)
{
    OozeSym3 sum = ooze_sym3_identity(0);
    double g[3];
    for (int j = 0; j < COUNT; j++) {
        if (j != i && edge(c, i, j, g)) {
            double u[3] = {c->u[j][0] - c->u[i][0], c->u[j][1] - c->u[i][1],
                           c->u[j][2] - c->u[i][2]};
            sum = ooze_sym3_add(sum, constraint_rows(g, u));
        }
    }
    return sum;
}

static void to_array(OozeSym3 s, double v[6])
{
    v[0] = s.xx;
    v[1] = s.yy;
    v[2] = s.zz;
    v[3] = s.xy;
    v[4] = s.xz;
    v[5] = s.yz;
}

/* The derivative of the SPH-interpolated velocity field sum V (u_j - u_i) W at x_i, by
   differences. */
static double interpolated(const Cloud *c, int i, const double x[3], int a)
{
    double sum = 0.0;
    for (int j = 0; j < COUNT; j++) {
        double r2 = 0.0;
        for (int b = 0; b < 3; b++) {
            r2 += (x[b] - c->x[j][b]) * (x[b] - c->x[j][b]);
        }
        sum += volume * (c->u[j][a] - c->u[i][a]) * ooze_cubic_value(sqrt(r2), support);
    }
    return sum;
}

static void rows_are_the_symmetric_gradient(void **state)
{
    (void)state;
    Cloud c = jittered();
    const double step = 1e-6;
    double worst = 0.0, size = 0.0;
    for (int i = CENTRE - 3; i <= CENTRE + 3; i++) {
        OozeMat3 l;
        for (int a = 0; a < 3; a++) {
            for (int b = 0; b < 3; b++) {
                double up[3] = {c.x[i][0], c.x[i][1], c.x[i][2]};
                double down[3] = {up[0], up[1], up[2]};
                up[b] += step;
                down[b] -= step;
                l.m[3 * a + b] =
                    (interpolated(&c, i, up, a) - interpolated(&c, i, down, a)) / (2 * step);
            }
        }
        double expected[6], got[6];
        to_array(ooze_constraint_strain(l), expected);
        to_array(rows_of(&c, i), got);
        for (int k = 0; k < 6; k++) {
            worst = fmax(worst, fabs(got[k] - expected[k]));
            size = fmax(size, fabs(expected[k]));
        }
    }
    MEASURED("eq 10 against differences, relative", worst / size, 0.0, 1e-6);
}

/* Eq 13: V A_ik for a neighbour, minus the sum of all for the particle itself; the diagonal of J
   J^T is the sum of squares; and row sums bound |J| |J|^T. */
static void jacobian_is_the_derivative(void **state)
{
    (void)state;
    Cloud c = jittered();
    const int i = CENTRE;
    double worst = 0.0, size = 0.0, squares[6] = {0}, own[3] = {0, 0, 0}, g[3];
    OozeSym3 diagonal = ooze_sym3_identity(0);
    for (int k = 0; k < COUNT; k++) {
        if (k != i && edge(&c, i, k, g)) {
            for (int a = 0; a < 3; a++) {
                own[a] += g[a];
            }
            ooze_constraint_add_square(&diagonal, g, 1.0);
        }
    }
    ooze_constraint_add_square(&diagonal, own, 1.0);
    for (int k = 0; k < COUNT; k++) {
        if (k != i && !edge(&c, i, k, g)) {
            continue;
        }
        for (int a = 0; a < 3; a++) {
            Cloud up = c, down = c;
            up.u[k][a] += 0.5;
            down.u[k][a] -= 0.5;
            double high[6], low[6], row[6], unit[3] = {a == 0, a == 1, a == 2};
            to_array(rows_of(&up, i), high);
            to_array(rows_of(&down, i), low);
            to_array(constraint_rows(k == i ? own : g, unit), row);
            for (int r = 0; r < 6; r++) {
                double expected = (k == i ? -1.0 : 1.0) * row[r], found = high[r] - low[r];
                worst = fmax(worst, fabs(found - expected));
                size = fmax(size, fabs(expected));
                squares[r] += found * found;
            }
        }
    }
    MEASURED("eq 13 against differences, relative", worst / size, 0.0, 1e-6);
    double d[6];
    to_array(diagonal, d);
    for (int r = 0; r < 6; r++) {
        CHECK_NEAR(d[r] / squares[r], 1.0, 1e-9);
    }
}

/* A^T lambda = S(lambda) g: lambda . (A u) = u . (S g). */
static void transpose_is_the_adjoint(void **state)
{
    (void)state;
    double g[3] = {0.3, -0.7, 1.1}, u[3] = {-0.2, 0.9, 0.4}, a[6], b[6];
    OozeSym3 l = ooze_sym3(0.5, -1.2, 0.7, 0.3, -0.8, 1.5), s = ooze_constraint_transpose(l);
    to_array(constraint_rows(g, u), a);
    to_array(l, b);
    double left = 0.0;
    for (int k = 0; k < 6; k++) {
        left += a[k] * b[k];
    }
    OozeMat3 m = ooze_mat3_from_sym3(s);
    double right = 0.0;
    for (int r = 0; r < 3; r++) {
        right += u[r] * (m.m[3 * r] * g[0] + m.m[3 * r + 1] * g[1] + m.m[3 * r + 2] * g[2]);
    }
    CHECK_NEAR(left, right, 1e-12);
}

/* ---- compliance ------------------------------------------------------------------------------ */

/* A constraint c0 + J x with relaxation w. As printed the relaxation scales what x is pushed by but
   not the multiplier, so that x feels the compliance alpha/w; folded into the diagonal it does not
   change the answer. */
static void relaxation_and_compliance(void **state)
{
    (void)state;
    const double c0 = 0.7, j = 1.3, alpha = 0.4, w = 1.0 / 6.0;
    double printed = 0.0, folded = 0.0, x = 0.0, y = 0.0;
    for (int k = 0; k < 400; k++) {
        double change = ooze_multiplier_step(c0 + j * x, printed, j * j, alpha);
        printed += change;
        x += w * j * change;
        change = ooze_multiplier_step(c0 + j * y, folded, j * j / w, alpha);
        folded += change;
        y += j * change;
    }
    /* x = J f with the force f that really acts: C = -compliance f */
    MEASURED("compliance as printed over alpha", -(c0 + j * x) / (x / j) / alpha, 6 - 1e-9,
             6 + 1e-9);
    MEASURED("compliance folded over alpha", -(c0 + j * y) / (y / j) / alpha, 1 - 1e-9, 1 + 1e-9);
    assert_true(ooze_multiplier_step(1.0, 0.0, 0.0, 0.0) == 0.0); /* nothing to move */
}

/* Stress S(-C/a) for a shear along the axes and the same shear at 45 degrees. */
static void stiffness_is_isotropic(void **state)
{
    (void)state;
    const double a = 0.25, strain = 0.01;
    OozeSym3 axis = ooze_sym3(0, 0, 0, strain, 0, 0),
             turned = ooze_sym3(strain, -strain, 0, 0, 0, 0);
    for (int fixed = 0; fixed < 2; fixed++) {
        double normal = fixed ? 2 * a : a;
        OozeSym3 zero = ooze_sym3_identity(0);
        OozeSym3 s1 = ooze_constraint_transpose(ooze_multiplier_steps(axis, zero, zero, normal, a));
        OozeSym3 s2 =
            ooze_constraint_transpose(ooze_multiplier_steps(turned, zero, zero, normal, a));
        CHECK_NEAR(-s1.xy / strain, 1.0 / a, 1e-12);
        CHECK_NEAR(s2.xx / s1.xy, fixed ? 1.0 : 2.0, 1e-12);
    }
}

/* Row sums of |J| |J|^T: for two constraints on one particle they are exact. */
static void row_sums_bound_the_matrix(void **state)
{
    (void)state;
    double g1[3] = {0.3, -0.2, 0.5}, g2[3] = {-0.4, 0.1, 0.2}, column[3] = {0, 0, 0};
    ooze_constraint_add_column(column, g1);
    ooze_constraint_add_column(column, g2);
    OozeSym3 bound = ooze_sym3_identity(0);
    ooze_constraint_add_bound(&bound, g1, column);
    double got[6], j[12][3];
    to_array(bound, got);
    for (int a = 0; a < 3; a++) {
        double unit[3] = {a == 0, a == 1, a == 2}, r1[6], r2[6];
        to_array(constraint_rows(g1, unit), r1);
        to_array(constraint_rows(g2, unit), r2);
        for (int r = 0; r < 6; r++) {
            j[r][a] = fabs(r1[r]);
            j[6 + r][a] = fabs(r2[r]);
        }
    }
    for (int r = 0; r < 6; r++) {
        double sum = 0.0;
        for (int other = 0; other < 12; other++) {
            for (int a = 0; a < 3; a++) {
                sum += j[r][a] * j[other][a];
            }
        }
        CHECK_NEAR(got[r], sum, 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotation_carries_q_along),
        cmocka_unit_test(steady_shear_is_exact),
        cmocka_unit_test(implicit_limits),
        cmocka_unit_test(viscosity_does_not_follow_the_step),
        cmocka_unit_test(solves_lyapunov),
        cmocka_unit_test(keeps_q_positive),
        cmocka_unit_test(rows_are_the_symmetric_gradient),
        cmocka_unit_test(jacobian_is_the_derivative),
        cmocka_unit_test(transpose_is_the_adjoint),
        cmocka_unit_test(relaxation_and_compliance),
        cmocka_unit_test(stiffness_is_isotropic),
        cmocka_unit_test(row_sums_bound_the_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
