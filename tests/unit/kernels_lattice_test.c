/* The kernel formulas in the single precision that particles use: sums over the rest lattice. */
#include "check.h"
#include "physics/lattice.h"

static const double ratios[] = {2.0, 2.5, 3.0, 3.5, 4.0};
enum { RATIOS = sizeof ratios / sizeof ratios[0] };

/* V sum W - 1 over the simple cubic lattice, by an independent summation in double. The viscosity
   kernel lacks its own cell, which holds about 2 (dx/h) of the whole near its pole. */
static const double excess[OOZE_KERNEL_MPS][RATIOS] = {
    {-0.000028, -0.001483, 0.001795, 0.001086, 0.000079},     /* cubic */
    {0.033843, 0.013365, 0.003141, 0.001653, 0.000549},       /* wendland */
    {0.009775, -0.004569, 0.002189, -0.000518, -0.000002},    /* poly6 */
    {0.235890, 0.096233, 0.047449, 0.025218, 0.014817},       /* spiky */
    {-0.549486, -0.389474, -0.287719, -0.220865, -0.174417}}; /* viscosity */

static void lattice_sums_have_their_stated_errors(void **state)
{
    (void)state;
    const double spacings[] = {0.001, 0.01, 1.0};
    for (int s = 0; s < 3; s++) {
        for (int k = 0; k < OOZE_KERNEL_MPS; k++) {
            for (int i = 0; i < RATIOS; i++) {
                double dx = spacings[s], volume = dx * dx * dx;
                double sum =
                    ooze_lattice_sum((OozeKernel)k, dx, ratios[i] * dx, k != OOZE_KERNEL_VISCOSITY);
                /* 1e-6 from the table's last digit, 2e-6 from rounding in float */
                CHECK_NEAR(volume * sum - 1.0, excess[k][i], 3e-6);
            }
        }
    }
}

/* What the errors mean for use at any h from 2 dx to 4 dx: the cubic spline is good to 0.5 %, poly6
   to 1.6 %, Wendland to 3.5 % (1.5 % from 2.5 dx on). */
static void density_kernels_are_near_one(void **state)
{
    (void)state;
    for (double ratio = 2.0; ratio <= 4.0; ratio += 0.05) {
        CHECK_NEAR(ooze_lattice_sum(OOZE_KERNEL_CUBIC, 1.0, ratio, 1), 1.0, 0.005);
        CHECK_NEAR(ooze_lattice_sum(OOZE_KERNEL_POLY6, 1.0, ratio, 1), 1.0, 0.016);
        CHECK_NEAR(ooze_lattice_sum(OOZE_KERNEL_WENDLAND, 1.0, ratio, 1), 1.0,
                   ratio < 2.5 ? 0.035 : 0.015);
    }
}

static void float_support_is_compact_and_centre_finite(void **state)
{
    (void)state;
    const float supports[] = {1e-4f, 0.02f, 0.1f, 3.0f};
    for (int s = 0; s < 4; s++) {
        float h = supports[s];
        for (int k = 0; k < OOZE_KERNEL_COUNT; k++) {
            OozeKernel kernel = (OozeKernel)k;
            const float outside[] = {h, nextafterf(h, 2 * h), 2 * h, INFINITY};
            for (int i = 0; i < 4; i++) {
                assert_true(ooze_kernel_value(kernel, outside[i], h) == 0.0f);
                assert_true(ooze_kernel_slope(kernel, outside[i], h) == 0.0f);
                assert_true(ooze_kernel_laplacian(kernel, outside[i], h) == 0.0f);
            }
            const float inside[] = {nextafterf(h, 0.0f), 0.5f * h, 1e-3f * h, 1e-6f * h, 1e-38f, 0};
            for (int i = 0; i < 6; i++) {
                float r = inside[i], slope = ooze_kernel_slope(kernel, r, h);
                assert_true(ooze_kernel_value(kernel, r, h) >= 0.0f);
                assert_true(isfinite(ooze_kernel_value(kernel, r, h)));
                assert_true(isfinite(ooze_kernel_laplacian(kernel, r, h)));
                assert_true(slope <= 0.0f);
                assert_true(isfinite(ooze_kernel_gradient_scale(slope, r, h)));
            }
            assert_true(ooze_kernel_gradient_scale(ooze_kernel_slope(kernel, 0, h), 0, h) == 0.0f);
        }
    }
}

static void nan_distance_stays_visible(void **state)
{
    (void)state;
    for (int k = 0; k < OOZE_KERNEL_MPS; k++) {
        assert_true(isnan(ooze_kernel_value((OozeKernel)k, NAN, 1.0f)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lattice_sums_have_their_stated_errors),
        cmocka_unit_test(density_kernels_are_near_one),
        cmocka_unit_test(float_support_is_compact_and_centre_finite),
        cmocka_unit_test(nan_distance_stays_visible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
