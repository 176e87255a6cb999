/* The kernel formulas in double precision: normalisation, derivatives, support, the centre. */
#define OOZE_REAL double
#define OOZE_SQRT sqrt
#include "physics/kernels.h"

#include "check.h"

static const double supports[] = {0.013, 1.0, 7.5};
enum { SUPPORTS = sizeof supports / sizeof supports[0] };

/* Integral of f over the ball of radius h by the midpoint rule; the error of n points is of order
   1/n^2. */
static double integrate(double (*f)(double, double), double h)
{
    enum { POINTS = 20000 };
    double sum = 0.0;
    for (int i = 0; i < POINTS; i++) {
        double r = (i + 0.5) * h / POINTS;
        sum += 4.0 * OOZE_PI * r * r * f(r, h) * (h / POINTS);
    }
    return sum;
}

/* -r W'/3 has the integral of W. */
static double poly6_radial(double r, double h)
{
    return -r * ooze_poly6_slope(r, h) / 3.0;
}

static double spiky_radial(double r, double h)
{
    return -r * ooze_spiky_slope(r, h) / 3.0;
}

/* By parts twice, the integral of r^2 lap W / 6 is that of W. */
static double viscosity_radial(double r, double h)
{
    return r * r * ooze_viscosity_laplacian(r, h) / 6.0;
}

static void integrates_to_one(void **state)
{
    (void)state;
    for (int s = 0; s < SUPPORTS; s++) {
        CHECK_NEAR(integrate(ooze_cubic_value, supports[s]), 1.0, 1e-6);
        CHECK_NEAR(integrate(poly6_radial, supports[s]), 1.0, 1e-6);
        CHECK_NEAR(integrate(ooze_poly6_value, supports[s]), 1.0, 1e-6);
        CHECK_NEAR(integrate(spiky_radial, supports[s]), 1.0, 1e-6);
        CHECK_NEAR(integrate(viscosity_radial, supports[s]), 1.0, 1e-6);
    }
}

/* 15 / (pi h^6) (h - r)^3, whose slope alone is used. */
static double spiky_value(double r, double h)
{
    double t = r < h ? 1.0 - r / h : 0.0;
    return 15.0 / (OOZE_PI * h * h * h) * t * t * t;
}

/* Integral of f over the plane at distance d, with r^2 = d^2 + s^2. */
static double integrate_plane(double (*f)(double, double), double d, double h)
{
    enum { POINTS = 2000 };
    double sum = 0.0;
    for (int i = 0; i < POINTS; i++) {
        double r = d + (h - d) * (i + 0.5) / POINTS;
        sum += 2.0 * OOZE_PI * r * f(r, h) * (h - d) / POINTS;
    }
    return sum;
}

/* Half spaces at distance d are stacks of planes; 0 from the support on, half at the surface. */
static void planes_and_half_spaces_are_integrals(void **state)
{
    (void)state;
    for (int s = 0; s < SUPPORTS; s++) {
        double h = supports[s];
        for (int k = 0; k < 12; k++) {
            enum { PLANES = 400 };
            double d = h * k / 12.0, half = 0.0;
            CHECK_NEAR(ooze_spiky_plane(d, h) * h, integrate_plane(spiky_value, d, h) * h, 1e-5);
            for (int i = 0; i < PLANES; i++) {
                double at = d + (h - d) * (i + 0.5) / PLANES;
                half += integrate_plane(ooze_poly6_value, at, h) * (h - d) / PLANES;
            }
            CHECK_NEAR(ooze_poly6_half_space(d, h), half, 1e-5);
        }
        CHECK_NEAR(ooze_poly6_half_space(0.0, h), 0.5, 1e-15);
        CHECK_NEAR(ooze_poly6_half_space(-h, h), 0.5, 1e-15);
        CHECK_NEAR(ooze_spiky_plane(-h, h), ooze_spiky_plane(0.0, h), 0.0);
        for (int k = 0; k < 5; k++) {
            assert_true(ooze_poly6_half_space(h * (1 + k), h) == 0.0);
            assert_true(ooze_spiky_plane(h * (1 + k), h) == 0.0);
        }
    }
}

/* Central differences over e = 1e-5 h. */
static void slope_matches_differences(void **state)
{
    (void)state;
    for (int s = 0; s < SUPPORTS; s++) {
        double h = supports[s], e = 1e-5 * h, size = ooze_cubic_value(0.5 * h, h) / h;
        for (int i = 1; i < 64; i++) { /* misses the knot of the spline */
            double r = h * (i + 0.37) / 65.0, slope = ooze_cubic_slope(r, h);
            double difference = (ooze_cubic_value(r + e, h) - ooze_cubic_value(r - e, h)) / (2 * e);
            CHECK_NEAR(difference, slope, 1e-6 * (fabs(slope) + size));
        }
    }
}

/* poly6 = 315 / (64 pi h^9) (h^2 - r^2)^3 and the viscosity kernel's 45 / (pi h^6) (h - r). */
static void formulas_are_those_of_the_paper(void **state)
{
    (void)state;
    double h = 0.3;
    for (int i = 0; i < 10; i++) {
        double r = 0.03 * i, s = h * h - r * r;
        double laplacian = 45.0 / (OOZE_PI * pow(h, 6)) * (h - r);
        double slope = -6.0 * r * s * s * 315.0 / (64.0 * OOZE_PI * pow(h, 9));
        CHECK_NEAR(ooze_viscosity_laplacian(r, h), laplacian, 1e-12 * laplacian + 1e-9);
        CHECK_NEAR(ooze_poly6_slope(r, h), slope, 1e-12 * fabs(slope) + 1e-9);
        double value = 315.0 / (64.0 * OOZE_PI * pow(h, 9)) * s * s * s;
        double spiky = -45.0 / (OOZE_PI * pow(h, 6)) * (h - r) * (h - r);
        CHECK_NEAR(ooze_poly6_value(r, h), value, 1e-12 * value + 1e-9);
        CHECK_NEAR(ooze_spiky_slope(r, h), spiky, 1e-12 * fabs(spiky) + 1e-9);
    }
}

static void support_is_compact(void **state)
{
    (void)state;
    for (int s = 0; s < SUPPORTS; s++) {
        double h = supports[s];
        const double outside[] = {h, nextafter(h, 2 * h), 1.5 * h, 1e6 * h, INFINITY};
        for (int i = 0; i < 5; i++) {
            assert_true(ooze_cubic_value(outside[i], h) == 0.0);
            assert_true(ooze_cubic_slope(outside[i], h) == 0.0);
            assert_true(ooze_poly6_slope(outside[i], h) == 0.0);
            assert_true(ooze_poly6_value(outside[i], h) == 0.0);
            assert_true(ooze_spiky_slope(outside[i], h) == 0.0);
            assert_true(ooze_viscosity_laplacian(outside[i], h) == 0.0);
        }
        assert_true(ooze_cubic_value(nextafter(h, 0.0), h) >= 0.0);
        assert_true(ooze_cubic_value(0.99 * h, h) > 0.0);
        assert_true(ooze_cubic_slope(0.99 * h, h) < 0.0);
    }
}

static void coincident_particles_have_no_gradient(void **state)
{
    (void)state;
    const double h = 0.2, near[] = {0.0, 1e-300, 1e-30, 1e-9 * 0.2};
    for (int i = 0; i < 4; i++) {
        assert_true(ooze_kernel_gradient_scale(ooze_cubic_slope(near[i], h), near[i], h) == 0.0);
    }
    CHECK_NEAR(ooze_cubic_value(0.0, h) * h * h * h, 8.0 / OOZE_PI, 1e-12);
}

/* The gradient as a vector against differences of W along each axis. */
static void gradient_points_down_the_slope(void **state)
{
    (void)state;
    const double x[3] = {0.11, -0.23, 0.31};
    double h = 0.9, e = 1e-6;
    double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    double scale = ooze_kernel_gradient_scale(ooze_cubic_slope(r, h), r, h);
    assert_true(scale < 0.0);
    for (int axis = 0; axis < 3; axis++) {
        double w[2];
        for (int side = 0; side < 2; side++) {
            double y[3] = {x[0], x[1], x[2]};
            y[axis] += side ? e : -e;
            w[side] = ooze_cubic_value(sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]), h);
        }
        CHECK_NEAR((w[1] - w[0]) / (2.0 * e), scale * x[axis], 1e-7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integrates_to_one),
        cmocka_unit_test(planes_and_half_spaces_are_integrals),
        cmocka_unit_test(slope_matches_differences),
        cmocka_unit_test(formulas_are_those_of_the_paper),
        cmocka_unit_test(support_is_compact),
        cmocka_unit_test(coincident_particles_have_no_gradient),
        cmocka_unit_test(gradient_points_down_the_slope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
