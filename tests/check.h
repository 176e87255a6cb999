/* Included by every test program: cmocka with its prerequisites, and checks that print a measured
   value with its bounds. */
#ifndef OOZE_TESTS_CHECK_H
#define OOZE_TESTS_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ooze/status.h"

/* A call must succeed; prints the report when it does not. Uses a local `error`. */
#define CHECK_OK(call)                                                                             \
    do {                                                                                           \
        OozeError error;                                                                           \
        memset(&error, 0, sizeof error);                                                           \
        OozeStatus check_status = (call);                                                          \
        if (check_status != OOZE_OK) {                                                             \
            fail_msg("%s: %s: %s (%s)", #call, ooze_status_name(check_status), error.message,      \
                     error.hint);                                                                  \
        }                                                                                          \
    } while (0)

/* A call must fail with this status and a message that contains `part`. */
#define CHECK_FAILS(call, expected, part)                                                          \
    do {                                                                                           \
        OozeError error;                                                                           \
        memset(&error, 0, sizeof error);                                                           \
        OozeStatus check_status = (call);                                                          \
        if (check_status != (expected) || !strstr(error.message, (part))) {                        \
            fail_msg("%s: got %s: '%s'; expected %s: '...%s...'", #call,                           \
                     ooze_status_name(check_status), error.message, ooze_status_name(expected),    \
                     (part));                                                                      \
        }                                                                                          \
    } while (0)

#define CHECK_NEAR(value, expected, tolerance)                                                     \
    do {                                                                                           \
        double check_value = (value), check_expected = (expected), check_bound = (tolerance);      \
        if (!(fabs(check_value - check_expected) <= check_bound)) {                                \
            fail_msg("%s = %.9g; expected %.9g within %.3g", #value, check_value, check_expected,  \
                     check_bound);                                                                 \
        }                                                                                          \
    } while (0)

/* Acceptance tests print their figure: MEASURED("range", x, low, high). */
#define MEASURED(what, value, low, high)                                                           \
    do {                                                                                           \
        double check_value = (value), check_low = (low), check_high = (high);                      \
        printf("  %s: %.6g (bound %.6g .. %.6g)\n", what, check_value, check_low, check_high);     \
        if (!(check_value >= check_low && check_value <= check_high)) {                            \
            fail_msg("%s = %.9g is outside %.9g .. %.9g", what, check_value, check_low,            \
                     check_high);                                                                  \
        }                                                                                          \
    } while (0)

/* A figure that is outside its bounds today: KNOWN_GAP("range", x, low, high, today). It is counted
   (tools/test.py) and listed (docs/known-gaps.md), and does not fail. It fails where the figure is
   farther from the bounds than `today` by more than a quarter of that distance. It stands in the
   test itself, with a literal text and numbers, or tools/known_gaps.py refuses it. */
#define KNOWN_GAP(what, value, low, high, today)                                                   \
    do {                                                                                           \
        double gap_value = (value), gap_low = (low), gap_high = (high), gap_today = (today);       \
        double gap_least = gap_today < gap_low ? gap_today - (gap_low - gap_today) / 4 : gap_low;  \
        double gap_most =                                                                          \
            gap_today > gap_high ? gap_today + (gap_today - gap_high) / 4 : gap_high;              \
        int gap_closed = gap_value >= gap_low && gap_value <= gap_high;                            \
        printf("  %s: %s: %.6g (bound %.6g .. %.6g, on record %.6g)\n",                            \
               gap_closed ? "closed gap" : "known gap", what, gap_value, gap_low, gap_high,        \
               gap_today);                                                                         \
        if (!(gap_value >= gap_least && gap_value <= gap_most)) {                                  \
            fail_msg("%s = %.9g is farther from %.9g .. %.9g than %.9g", what, gap_value, gap_low, \
                     gap_high, gap_today);                                                         \
        }                                                                                          \
    } while (0)

/* Leaves the rest of a test out and says why; tools/test.py names it. ACCEPTANCE_MAIN reports the
   test as skipped. */
#define SKIP_TEST(why)                                                                             \
    do {                                                                                           \
        printf("  skipped case: %s: %s\n", __func__, why);                                         \
        *skipped_tests() += 1;                                                                     \
        skip();                                                                                    \
    } while (0)

static inline int *skipped_tests(void)
{
    static int count;
    return &count;
}

/* True in `make test-all`, where sweeps run whole. */
static inline int full_sweep(void)
{
    const char *full = getenv("OOZE_FULL");
    return full && full[0] == '1';
}

/* True where every access to memory is watched, which takes ten to thirty times as long: what is
   looked for then shows in the first steps. */
static inline int sanitized(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return 1;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    return 1;
#endif
#endif
    return 0;
}

/* main() of an acceptance program: runs the test named on the command line, or all. Returns 77,
   which CTest reports as skipped, where the named test left itself out, or all of them. */
#define ACCEPTANCE_MAIN(...)                                                                       \
    int main(int argc, char **argv)                                                                \
    {                                                                                              \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                                           \
        if (argc > 1) {                                                                            \
            cmocka_set_test_filter(argv[1]);                                                       \
        }                                                                                          \
        int failed = cmocka_run_group_tests(tests, NULL, NULL);                                    \
        int count = argc > 1 ? 1 : (int)(sizeof tests / sizeof *tests);                            \
        return failed == 0 && *skipped_tests() >= count ? 77 : failed;                             \
    }

#endif
