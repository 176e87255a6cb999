/* Operations on four lanes against the scalar formulas. */
#include "base/f32x4.h"
#include "base/hash.h"
#include "check.h"
#include "physics/kernels.h"
#include "solvers/vectors/cubic_f32x4.h"
#include "solvers/vectors/rows.h"

static float draw(uint64_t element, uint64_t number)
{
    return (float)(2.0 * ooze_random01(5, element, number) - 1.0);
}

static OozeF32x4 draw_four(uint64_t element, uint64_t number)
{
    return ooze_f32x4(draw(element, number), draw(element, number + 1), draw(element, number + 2),
                      draw(element, number + 3));
}

static void operations_equal_those_of_single_floats(void **state)
{
    (void)state;
    for (uint64_t n = 0; n < 100; n++) {
        OozeF32x4 v[4], sums, lasts;
        for (int k = 0; k < 4; k++) {
            v[k] = draw_four(n, (uint64_t)(4 * k));
        }
        sums = ooze_f32x4_row_sums(v[0], v[1], v[2], v[3]);
        lasts = ooze_f32x4_last_lanes(v[0], v[1], v[2], v[3]);
        for (int k = 0; k < 4; k++) {
            /* by neighbours, or on x86 by halves: the same order of additions in both functions */
            float near = (v[k][0] + v[k][1]) + (v[k][2] + v[k][3]);
            float half = (v[k][0] + v[k][2]) + (v[k][1] + v[k][3]);
            assert_true(ooze_f32x4_sum(v[k]) == near || ooze_f32x4_sum(v[k]) == half);
            assert_true(sums[k] == ooze_f32x4_sum(v[k]));
            assert_true(lasts[k] == v[k][3]);
            assert_true(ooze_f32x4_min(v[0], v[1])[k] == fminf(v[0][k], v[1][k]));
            assert_true(ooze_f32x4_max(v[0], v[1])[k] == fmaxf(v[0][k], v[1][k]));
            assert_true(ooze_f32x4_sqrt(v[0] * v[0])[k] == sqrtf(v[0][k] * v[0][k]));
            float product = OOZE_F32X4_FMA_LANE(v[0], 2, v[1], v[2])[k];
            assert_true(fabsf(product - (v[0][2] * v[1][k] + v[2][k])) < 1e-6f);
        }
        OozeF32x4 mixed = OOZE_F32X4_SHUFFLE(v[0], v[1], 3, 4, 0, 7);
        assert_true(mixed[0] == v[0][3] && mixed[1] == v[1][0] && mixed[2] == v[0][0] &&
                    mixed[3] == v[1][3]);
    }
}

/* Float rounding of numbers up to 1/h^3 and 1/h^4. */
static void cubic_spline_agrees_with_the_scalar_one(void **state)
{
    (void)state;
    const float h = 0.04f, volume = 8e-6f;
    OozeCubic cubic = ooze_cubic(h, volume);
    double worst_value = 0.0, worst_slope = 0.0;
    for (int k = 0; k <= 2000; k++) {
        float r = (float)k * h / 1600.0f;
        OozeF32x4 value = {0};
        OozeF32x4 slope = ooze_cubic_f32x4_slope(&cubic, ooze_f32x4_splat(r), &value);
        double plain = volume * (double)ooze_cubic_value(r, h);
        double plain_slope = volume * (double)ooze_cubic_slope(r, h);
        worst_value = fmax(worst_value, fabs((double)(cubic.value * value[1]) - plain));
        worst_slope = fmax(worst_slope, fabs((double)slope[2] + plain_slope));
    }
    MEASURED("value off, over the largest", worst_value / (double)cubic.value, 0.0, 1e-6);
    MEASURED("slope off, over the largest", worst_slope / (double)cubic.slope, 0.0, 1e-6);
    /* what fills up lists */
    OozeF32x4 far = {0};
    OozeF32x4 none = ooze_cubic_f32x4_slope(&cubic, ooze_f32x4_splat(1e18f), &far);
    assert_true(none[0] == 0.0f && far[0] == 0.0f);
}

static void rows_add_outer_products(void **state)
{
    (void)state;
    double worst = 0.0;
    for (uint64_t n = 0; n < 100; n++) {
        OozeF32x4 v = draw_four(n, 20), g = draw_four(n, 24);
        OozeRows outer = ooze_rows_outer(v, g, ooze_rows_zero());
        for (int k = 0; k < 3; k++) {
            for (int l = 0; l < 4; l++) {
                worst = fmax(worst, fabs((double)(outer.row[k][l] - v[k] * g[l])));
            }
        }
    }
    MEASURED("largest difference of numbers near 1", worst, 0.0, 2e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_equal_those_of_single_floats),
        cmocka_unit_test(cubic_spline_agrees_with_the_scalar_one),
        cmocka_unit_test(rows_add_outer_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
