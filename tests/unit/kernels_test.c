/* The kernel formulas in double precision: normalisation, derivatives, support, the centre. */
#define OOZE_REAL double
#define OOZE_SQRT sqrt
#include "physics/kernels.h"

#include "check.h"
#include "physics/lattice.h"

static const char *const names[OOZE_KERNEL_COUNT] = {"cubic", "wendland",  "poly6",
                                                     "spiky", "viscosity", "mps"};
static const double supports[] = {0.013, 1.0, 7.5};
enum { SUPPORTS = sizeof supports / sizeof supports[0] };

/* Integral of W over space by the midpoint rule; the error of n points is of order 1/n^2. */
static double integrate(OozeKernel kernel, double h)
{
    enum { POINTS = 20000 };
    double sum = 0.0;
    for (int i = 0; i < POINTS; i++) {
        double r = (i + 0.5) * h / POINTS;
        sum += 4.0 * OOZE_PI * r * r * ooze_kernel_value(kernel, r, h) * (h / POINTS);
    }
    return sum;
}

static void integrates_to_one(void **state)
{
    (void)state;
    for (int s = 0; s < SUPPORTS; s++) {
        for (int k = 0; k < OOZE_KERNEL_MPS; k++) {
            double whole = integrate((OozeKernel)k, supports[s]);
            if (!(fabs(whole - 1.0) < 1e-6)) {
                fail_msg("%s with h = %g integrates to %.9f", names[k], supports[s], whole);
            }
        }
        /* The MPS weight is not normalised: integral of 4 pi r^2 (h/r - 1) = (2/3) pi h^3. */
        double h = supports[s], volume = 2.0 / 3.0 * OOZE_PI * h * h * h;
        CHECK_NEAR(integrate(OOZE_KERNEL_MPS, h) / volume, 1.0, 1e-6);
    }
}

/* Central differences over e = 1e-5 h. From r = 0.02 h on their error is below 3 (e/r)^2 < 1e-6 of the
   terms that make up the derivative, at a pole as elsewhere. */
static void check_derivatives(OozeKernel kernel, double r, double h)
{
    double e = 1e-5 * h, slope = ooze_kernel_slope(kernel, r, h);
    double size = ooze_kernel_value(kernel, 0.5 * h, h) / h;
    double difference =
        (ooze_kernel_value(kernel, r + e, h) - ooze_kernel_value(kernel, r - e, h)) / (2.0 * e);
    if (!(fabs(difference - slope) < 1e-6 * (fabs(slope) + size))) {
        fail_msg("slope of %s at %g h: %.9g, not %.9g", names[kernel], r / h, slope, difference);
    }
    double bend =
        (ooze_kernel_slope(kernel, r + e, h) - ooze_kernel_slope(kernel, r - e, h)) / (2.0 * e);
    double turn = 2.0 * slope / r, laplacian = ooze_kernel_laplacian(kernel, r, h);
    if (!(fabs(bend + turn - laplacian) < 1e-6 * (fabs(bend) + fabs(turn) + size / h))) {
        fail_msg("Laplacian of %s at %g h: %.9g, not %.9g", names[kernel], r / h, laplacian,
                 bend + turn);
    }
}

static void derivatives_match_differences(void **state)
{
    (void)state;
    for (int s = 0; s < SUPPORTS; s++) {
        for (int k = 0; k < OOZE_KERNEL_COUNT; k++) {
            for (int i = 1; i < 64; i++) { /* misses the knot of the cubic spline */
                check_derivatives((OozeKernel)k, supports[s] * (i + 0.37) / 65.0, supports[s]);
            }
        }
    }
}

static void viscosity_laplacian_is_the_designed_one(void **state)
{
    (void)state;
    double h = 0.3;
    for (int i = 0; i < 10; i++) {
        double r = 0.03 * i;
        double expected = 45.0 / (OOZE_PI * pow(h, 6)) * (h - r);
        CHECK_NEAR(ooze_viscosity_laplacian(r, h), expected, 1e-12 * expected + 1e-9);
    }
}

static void support_is_compact(void **state)
{
    (void)state;
    for (int s = 0; s < SUPPORTS; s++) {
        double h = supports[s];
        const double outside[] = {h, nextafter(h, 2 * h), 1.5 * h, 1e6 * h, INFINITY};
        for (int k = 0; k < OOZE_KERNEL_COUNT; k++) {
            OozeKernel kernel = (OozeKernel)k;
            for (int i = 0; i < 5; i++) {
                assert_true(ooze_kernel_value(kernel, outside[i], h) == 0.0);
                assert_true(ooze_kernel_slope(kernel, outside[i], h) == 0.0);
                assert_true(ooze_kernel_laplacian(kernel, outside[i], h) == 0.0);
            }
            double inside = nextafter(h, 0.0);
            assert_true(ooze_kernel_value(kernel, inside, h) >= 0.0);
            assert_true(ooze_kernel_value(kernel, 0.99 * h, h) > 0.0);
            assert_true(ooze_kernel_slope(kernel, 0.99 * h, h) < 0.0);
        }
    }
}

/* Values at the centre by hand: 8/pi, 21/(2 pi), 315/(64 pi), 15/pi, each over h^3. */
static void centre_is_finite(void **state)
{
    (void)state;
    const double at_zero[] = {8.0 / OOZE_PI, 10.5 / OOZE_PI, 315.0 / 64.0 / OOZE_PI,
                              15.0 / OOZE_PI};
    double h = 0.2, volume = h * h * h;
    for (int k = 0; k < OOZE_KERNEL_COUNT; k++) {
        OozeKernel kernel = (OozeKernel)k;
        const double near[] = {0.0, 1e-300, 1e-30, 1e-9 * h};
        for (int i = 0; i < 4; i++) {
            double r = near[i], slope = ooze_kernel_slope(kernel, r, h);
            assert_true(isfinite(ooze_kernel_value(kernel, r, h)));
            assert_true(isfinite(slope));
            assert_true(isfinite(ooze_kernel_laplacian(kernel, r, h)));
            assert_true(ooze_kernel_gradient_scale(slope, r, h) == 0.0);
        }
        if (k <= OOZE_KERNEL_SPIKY) {
            CHECK_NEAR(ooze_kernel_value(kernel, 0.0, h) * volume, at_zero[k], 1e-12);
        } else {
            assert_true(ooze_kernel_value(kernel, 0.0, h) > 1e5);
        }
    }
    /* Bounded Laplacians at the centre: -36 sigma, -60 sigma, -18 sigma over h^5. */
    CHECK_NEAR(ooze_cubic_laplacian(0.0, 1.0), -36.0 * 8.0 / OOZE_PI, 1e-12);
    CHECK_NEAR(ooze_wendland_laplacian(0.0, 1.0), -60.0 * 10.5 / OOZE_PI, 1e-12);
    CHECK_NEAR(ooze_poly6_laplacian(0.0, 1.0), -18.0 * 315.0 / 64.0 / OOZE_PI, 1e-12);
}

/* The gradient as a vector against differences of W along each axis. */
static void gradient_points_down_the_slope(void **state)
{
    (void)state;
    const double x[3] = {0.11, -0.23, 0.31};
    double h = 0.9, e = 1e-6;
    double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    for (int k = 0; k < OOZE_KERNEL_COUNT; k++) {
        OozeKernel kernel = (OozeKernel)k;
        double scale = ooze_kernel_gradient_scale(ooze_kernel_slope(kernel, r, h), r, h);
        assert_true(scale < 0.0);
        for (int axis = 0; axis < 3; axis++) {
            double w[2];
            for (int side = 0; side < 2; side++) {
                double y[3] = {x[0], x[1], x[2]};
                y[axis] += side ? e : -e;
                w[side] =
                    ooze_kernel_value(kernel, sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]), h);
            }
            CHECK_NEAR((w[1] - w[0]) / (2.0 * e), scale * x[axis], 1e-7);
        }
    }
}

/* MPS at h = 2.1 dx by hand: 6 neighbours at 1, 12 at sqrt 2, 8 at sqrt 3, 6 at 2 spacings. The
   Laplacian model is exact for f = x^2 on the lattice by the definition of lambda. */
static void mps_has_its_own_reference(void **state)
{
    (void)state;
    const double h = 2.1, counts[] = {6, 12, 8, 6}, squares[] = {1, 2, 3, 4};
    double n0 = 0.0, moment = 0.0;
    for (int i = 0; i < 4; i++) {
        n0 += counts[i] * (h / sqrt(squares[i]) - 1.0);
        moment += counts[i] * squares[i] * (h / sqrt(squares[i]) - 1.0);
    }
    CHECK_NEAR(ooze_lattice_number_density(1.0, h), n0, 1e-12 * n0);
    double along_x = moment / 3.0; /* sum of x^2 w on a cubic lattice */
    CHECK_NEAR(ooze_mps_laplacian_scale(n0, moment / n0) * along_x, 2.0, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integrates_to_one),
        cmocka_unit_test(derivatives_match_differences),
        cmocka_unit_test(viscosity_laplacian_is_the_designed_one),
        cmocka_unit_test(support_is_compact),
        cmocka_unit_test(centre_is_finite),
        cmocka_unit_test(gradient_points_down_the_slope),
        cmocka_unit_test(mps_has_its_own_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
