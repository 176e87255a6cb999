/* Sums without rounding: the double nearest to the exact sum, in any order and however the numbers
   are divided among ranks. */
#include <float.h>

#include "base/exact_sum.h"
#include "check.h"
#include "thread_ranks.h"

enum { MANY = 3000, PARTIALS_MAX = 2100 };

static double exact(const double *values, uint64_t count)
{
    OozeExactSum sum = {{0}, 0, 0};
    double rounded;
    ooze_exact_add(&sum, values, count, 1);
    ooze_exact_round(&sum, 1, NULL, &rounded);
    return rounded;
}

static void expect_bits(double a, double b)
{
    uint64_t bits[2];
    memcpy(&bits[0], &a, sizeof a);
    memcpy(&bits[1], &b, sizeof b);
    assert_int_equal(bits[0], bits[1]);
}

/* Reference after Shewchuk 1997, as math.fsum of Python: the sum as numbers that do not overlap,
   the largest last. */
static double add_partials(const double *values, int count)
{
    double partial[PARTIALS_MAX];
    int used = 0;
    for (int k = 0; k < count; k++) {
        double x = values[k];
        int kept = 0;
        for (int j = 0; j < used; j++) {
            double y = partial[j], large = fabs(x) < fabs(y) ? y : x, small = large == x ? y : x;
            double high = large + small, low = small - (high - large);
            if (low != 0.0) {
                partial[kept++] = low;
            }
            x = high;
        }
        assert_in_range(kept, 0, PARTIALS_MAX - 1);
        partial[kept++] = x;
        used = kept;
    }
    double high = 0.0, low = 0.0;
    while (used > 0 && low == 0.0) {
        double x = high, y = partial[--used];
        high = x + y;
        low = y - (high - x);
    }
    /* a tie, which the partials below decide */
    if (used > 0 &&
        ((low < 0.0 && partial[used - 1] < 0.0) || (low > 0.0 && partial[used - 1] > 0.0))) {
        double y = 2.0 * low, x = high + y;
        high = x - high == y ? x : high;
    }
    return high;
}

static uint64_t dice_state = 88172645463325252u;

static uint64_t dice(void)
{
    dice_state ^= dice_state << 13;
    dice_state ^= dice_state >> 7;
    return dice_state ^= dice_state << 17;
}

/* Of either sign, with exponents within `spread`. */
static double random_number(int spread)
{
    double mantissa = (double)(int64_t)dice() / 0x1p63;
    return ldexp(mantissa, (int)(dice() % (uint64_t)(2 * spread + 1)) - spread);
}

static void shuffle(double *values, int count)
{
    for (int k = count - 1; k > 0; k--) {
        int other = (int)(dice() % (uint64_t)(k + 1));
        double kept = values[k];
        values[k] = values[other];
        values[other] = kept;
    }
}

static void agrees_with_partial_sums_in_any_order(void **state)
{
    (void)state;
    static double values[MANY];
    for (int spread = 0; spread <= 1000; spread += 20) {
        int count = spread % 40 ? MANY : 2 + spread / 100;
        for (int k = 0; k < count; k++) {
            values[k] = random_number(spread);
        }
        double reference = add_partials(values, count);
        for (int order = 0; order < 3; order++) {
            expect_bits(exact(values, (uint64_t)count), reference);
            shuffle(values, count);
        }
        /* all but one cancel */
        for (int k = 0; k < count / 2; k++) {
            values[count / 2 + k] = -values[k];
        }
        values[2 * (count / 2) - 1] *= 1.0 + DBL_EPSILON;
        shuffle(values, 2 * (count / 2));
        expect_bits(exact(values, 2 * (uint64_t)(count / 2)),
                    add_partials(values, 2 * (count / 2)));
    }
}

static void cancels_without_loss(void **state)
{
    (void)state;
    const double large[] = {1e300, 1.0, -1e300}, tiny[] = {1e300, 5e-324, -1e300},
                 negative[] = {-1.0, -1e300, 1e300}, zero[] = {0x1p80, -1.5, 1.5, -0x1p80};
    expect_bits(exact(large, 3), 1.0);
    expect_bits(exact(tiny, 3), 5e-324);
    expect_bits(exact(negative, 3), -1.0);
    expect_bits(exact(zero, 4), 0.0);
    expect_bits(exact(zero, 0), 0.0);
}

static void rounds_ties_to_even(void **state)
{
    (void)state;
    const double down[] = {1.0, 0x1p-53}, up[] = {1.0 + 0x1p-52, 0x1p-53},
                 above[] = {1.0, 0x1p-53, 5e-324}, below[] = {-1.0, -0x1p-53, -5e-324},
                 next[] = {2.0 - 0x1p-52, 0x1p-53};
    expect_bits(exact(down, 2), 1.0);
    expect_bits(exact(up, 2), 1.0 + 0x1p-51);
    expect_bits(exact(above, 3), 1.0 + 0x1p-52);
    expect_bits(exact(below, 3), -1.0 - 0x1p-52);
    expect_bits(exact(next, 2), 2.0);
}

static void adds_numbers_below_the_least_normal_one(void **state)
{
    (void)state;
    const double least[] = {5e-324, 5e-324, 5e-324}, across[] = {DBL_MIN, -5e-324},
                 into[] = {DBL_MIN / 2, DBL_MIN / 2};
    expect_bits(exact(least, 3), 15e-324);
    expect_bits(exact(across, 2), DBL_MIN - 5e-324);
    expect_bits(exact(into, 2), DBL_MIN);
}

static void overflows_only_in_the_end(void **state)
{
    (void)state;
    const double back[] = {DBL_MAX, DBL_MAX, DBL_MAX, -DBL_MAX, -DBL_MAX},
                 out[] = {DBL_MAX, DBL_MAX}, under[] = {-DBL_MAX, -0x1p970},
                 edge[] = {DBL_MAX, 0x1p969};
    expect_bits(exact(back, 5), DBL_MAX);
    expect_bits(exact(out, 2), INFINITY);
    expect_bits(exact(under, 2), -INFINITY); /* half of the last place: a tie, to even */
    expect_bits(exact(edge, 2), DBL_MAX);
}

static void is_no_number_where_one_is_not_finite(void **state)
{
    (void)state;
    const double infinite[] = {1.0, INFINITY}, none[] = {NAN, 1.0}, both[] = {-INFINITY, INFINITY};
    assert_true(isnan(exact(infinite, 2)));
    assert_true(isnan(exact(none, 2)));
    assert_true(isnan(exact(both, 2)));
}

static void reads_every_so_many_numbers(void **state)
{
    (void)state;
    const double rows[] = {1, 10, 100, 2, 20, 200, 3, 30, 300};
    OozeExactSum sums[3] = {{{0}, 0, 0}};
    double rounded[3];
    for (int k = 0; k < 3; k++) {
        ooze_exact_add(&sums[k], rows + k, 3, 3);
    }
    ooze_exact_round(sums, 3, NULL, rounded);
    expect_bits(rounded[0], 6);
    expect_bits(rounded[1], 60);
    expect_bits(rounded[2], 600);
}

/* As many additions as a program cannot make in a test: the counter is set to just before. */
static void carries_before_digits_overflow(void **state)
{
    (void)state;
    const double values[] = {-0x1.fffffffffffffp40, 1.0, 0x1.fffffffffffffp40, 1.0, 1.0};
    OozeExactSum sum = {{0}, 0, (1 << 30) - 2};
    double rounded;
    ooze_exact_add(&sum, values, 5, 1);
    assert_in_range(sum.added, 1, 10);
    ooze_exact_round(&sum, 1, NULL, &rounded);
    expect_bits(rounded, 3.0);
}

typedef struct RankJob {
    ThreadRanks ranks;
    const double *values;
    double sums[2];
} RankJob;

static void *add_part(void *data)
{
    RankJob *job = data;
    uint64_t count = (uint64_t)job->ranks.ranks.count, rank = (uint64_t)job->ranks.ranks.rank;
    uint64_t begin = MANY * rank / count, end = MANY * (rank + 1) / count;
    OozeExactSum sums[2] = {{{0}, 0, 0}};
    ooze_exact_add(&sums[0], job->values + begin, end - begin, 1);
    ooze_exact_add(&sums[1], job->values + begin, rank == 1 ? end - begin : 0, 1);
    ooze_exact_round(sums, 2, &job->ranks.ranks, job->sums);
    return NULL;
}

static void has_the_same_bits_on_any_number_of_ranks(void **state)
{
    (void)state;
    static double values[MANY];
    for (int k = 0; k < MANY; k++) {
        values[k] = random_number(60);
    }
    double reference = exact(values, MANY);
    for (int count = 2; count <= 7; count++) {
        RankJob jobs[THREAD_RANKS_MAX] = {0};
        uint64_t begin = (uint64_t)(MANY / count), end = (uint64_t)(2 * MANY / count);
        for (int r = 0; r < count; r++) {
            jobs[r].values = values;
        }
        run_on_ranks(count, add_part, jobs, sizeof *jobs);
        for (int r = 0; r < count; r++) {
            expect_bits(jobs[r].sums[0], reference);
            expect_bits(jobs[r].sums[1], exact(values + begin, end - begin));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_partial_sums_in_any_order),
        cmocka_unit_test(cancels_without_loss),
        cmocka_unit_test(rounds_ties_to_even),
        cmocka_unit_test(adds_numbers_below_the_least_normal_one),
        cmocka_unit_test(overflows_only_in_the_end),
        cmocka_unit_test(is_no_number_where_one_is_not_finite),
        cmocka_unit_test(reads_every_so_many_numbers),
        cmocka_unit_test(carries_before_digits_overflow),
        cmocka_unit_test(has_the_same_bits_on_any_number_of_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
