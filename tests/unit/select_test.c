/* Order statistics against sorting. */
#include "base/select.h"

#include "base/hash.h"
#include "check.h"

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void percentiles_are_sorted_values(void **state)
{
    (void)state;
    enum { N = 1025 };
    double values[N], sorted[N];
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < N; i++) {
            double u = ooze_random01(3, (uint64_t)i, (uint64_t)round);
            values[i] = round == 0   ? u - 0.5
                        : round == 1 ? floor(10.0 * u) - 5.0 /* many equal */
                        : round == 2 ? exp(400.0 * (u - 0.5)) * (i % 2 ? -1.0 : 1.0)
                                     : (double)i;
        }
        values[17] = INFINITY;
        values[18] = -INFINITY;
        memcpy(sorted, values, sizeof values);
        qsort(sorted, N, sizeof *sorted, compare);
        for (int k = 0; k < N; k += 7) { /* k / 1024 is exact, so no value is interpolated */
            assert_true(ooze_percentile(values, N, 100.0 * k / (N - 1)) == sorted[k]);
        }
        assert_true(ooze_percentile(values, N, 100.0) == INFINITY);
    }
}

/* On 0, 1, ..., 100 the p-th percentile is p. */
static void percentiles_of_a_hundred(void **state)
{
    (void)state;
    double values[101];
    for (int i = 0; i <= 100; i++) {
        values[i] = (double)((i * 37) % 101); /* shuffled: 37 and 101 have no common factor */
    }
    for (int p = 0; p <= 100; p++) {
        CHECK_NEAR(ooze_percentile(values, 101, p), p, 1e-12);
    }
    CHECK_NEAR(ooze_percentile(values, 101, 12.25), 12.25, 1e-12);
    CHECK_NEAR(ooze_percentile(values, 1, 99.0), 0.0, 0.0);
    const double two[] = {10.0, 20.0};
    CHECK_NEAR(ooze_percentile(two, 2, 75.0), 17.5, 1e-12);
    assert_true(isnan(ooze_percentile(values, 0, 50.0)));
    assert_true(isnan(ooze_percentile(values, 101, NAN)));
    assert_true(isnan(ooze_percentile(values, 101, 101.0)));
    values[50] = NAN;
    assert_true(isnan(ooze_percentile(values, 101, 0.0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percentiles_are_sorted_values),
        cmocka_unit_test(percentiles_of_a_hundred),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
