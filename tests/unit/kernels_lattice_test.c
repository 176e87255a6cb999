/* The kernel formulas in the single precision that particles use: sums over the rest lattice. */
#include "check.h"
#include "physics/lattice.h"

/* V sum W - 1 over the simple cubic lattice, by an independent summation in double. */
static void lattice_sums_have_their_stated_errors(void **state)
{
    (void)state;
    static const double ratios[] = {2.0, 2.5, 3.0, 3.5, 4.0};
    static const double excess[] = {-0.000028, -0.001483, 0.001795, 0.001086, 0.000079};
    const double spacings[] = {0.001, 0.01, 1.0};
    for (int s = 0; s < 3; s++) {
        for (int i = 0; i < 5; i++) {
            double dx = spacings[s], sum = ooze_lattice_sum(dx, ratios[i] * dx);
            /* 1e-6 from the table's last digit, 2e-6 from rounding in float */
            CHECK_NEAR(dx * dx * dx * sum - 1.0, excess[i], 3e-6);
        }
    }
}

static void float_support_is_compact_and_centre_finite(void **state)
{
    (void)state;
    const float supports[] = {1e-4f, 0.02f, 0.1f, 3.0f};
    for (int s = 0; s < 4; s++) {
        float h = supports[s];
        const float outside[] = {h, nextafterf(h, 2 * h), 2 * h, INFINITY};
        for (int i = 0; i < 4; i++) {
            assert_true(ooze_cubic_value(outside[i], h) == 0.0f);
            assert_true(ooze_cubic_slope(outside[i], h) == 0.0f);
            assert_true(ooze_viscosity_laplacian(outside[i], h) == 0.0f);
        }
        const float inside[] = {nextafterf(h, 0.0f), 0.5f * h, 1e-3f * h, 1e-6f * h, 1e-38f, 0};
        for (int i = 0; i < 6; i++) {
            float r = inside[i], slope = ooze_cubic_slope(r, h);
            assert_true(ooze_cubic_value(r, h) >= 0.0f && isfinite(ooze_cubic_value(r, h)));
            assert_true(slope <= 0.0f && isfinite(ooze_kernel_gradient_scale(slope, r, h)));
            assert_true(ooze_viscosity_laplacian(r, h) >= 0.0f);
        }
        assert_true(ooze_kernel_gradient_scale(ooze_cubic_slope(0, h), 0, h) == 0.0f);
    }
    assert_true(isnan(ooze_cubic_value(NAN, 1.0f)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lattice_sums_have_their_stated_errors),
        cmocka_unit_test(float_support_is_compact_and_centre_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
