#include "check.h"

#include "base/hash.h"
#include "base/vec3.h"
#include "methods/conformation/impact_formula.h"

#define SPACING 0.02
#define DT      0.01f

/* Two particles on straight paths, from the beginning of the step. */
typedef struct Paths {
    OozeVec3 start, velocity; /* between them */
} Paths;

static double random_in(uint64_t k, int number, double low, double high)
{
    return low + (high - low) * ooze_random01(7, k, (uint32_t)number);
}

static OozeVec3 random_vector(uint64_t k, int number, double size)
{
    return vec3(random_in(k, number, -size, size), random_in(k, number + 1, -size, size),
                random_in(k, number + 2, -size, size));
}

/* The first of all searches at which the two are within `reach` and approach, one by one. */
static int search_each(const Paths *p, int searches, double reach)
{
    for (int k = 1; k <= searches; k++) {
        OozeVec3 now = vec3_madd(p->start, (double)DT * k / searches, p->velocity);
        if (vec3_length(now) < reach && vec3_dot(now, p->velocity) < 0.0) {
            return k;
        }
    }
    return 0;
}

/* The same, from windows that are searched one after the other. */
static int search_windows(const Paths *p, int searches, float travel, double widest)
{
    int found = 0, covered = 0;
    while (covered < searches) {
        const OozeImpactWindow w =
            ooze_impact_window(covered + 1, searches, travel, DT, SPACING, widest);
        assert_int_equal(w.first, covered + 1);
        assert_in_range(w.last, w.first, searches);
        assert_true(w.last == w.first || w.reach <= widest);
        covered = w.last;
        OozeVec3 middle = vec3_madd(p->start, (double)DT * (double)w.middle, p->velocity);
        const float m[3] = {(float)middle.x, (float)middle.y, (float)middle.z};
        const float u[3] = {(float)p->velocity.x, (float)p->velocity.y, (float)p->velocity.z};
        const int search = ooze_impact_first_search(&w, m, u);
        if (search > 0) {
            assert_in_range(search, w.first, w.last);
            assert_true(vec3_length(middle) <= w.reach * (1.0 + 1e-5));
            found = found > 0 ? found : search;
        }
    }
    return found;
}

/* Windows of any width find the search at which two particles meet, as searches one by one do, and
   those that meet are within the window's reach of each other. */
static void windows_find_the_first_meeting(void **state)
{
    (void)state;
    const double meeting = (double)OOZE_IMPACT_MEETING * SPACING;
    const double widest[4] = {8.0 * SPACING, 3.0 * SPACING, 1.2 * SPACING, 0.5 * SPACING};
    int met = 0, missed = 0, compared = 0;
    for (uint64_t k = 0; k < 20000; k++) {
        const double travel = random_in(k, 0, 0.5, 30.0) * SPACING;
        Paths p = {.velocity = vec3_scale(random_vector(k, 4, 1.0), 0.57 * travel / (double)DT)};
        p.start = vec3_madd(random_vector(k, 1, 1.5 * SPACING),
                            -random_in(k, 7, 0.0, 1.2) * (double)DT, p.velocity);
        const int searches = ooze_impact_searches((float)travel, (float)SPACING);
        const int expected = search_each(&p, searches, meeting);
        if (search_each(&p, searches, meeting * (1.0 - 1e-4)) != expected ||
            search_each(&p, searches, meeting * (1.0 + 1e-4)) != expected) {
            continue; /* within rounding errors of the border */
        }
        compared++;
        for (int w = 0; w < 4; w++) {
            assert_int_equal(search_windows(&p, searches, (float)travel, widest[w]), expected);
        }
        met += expected > 0;
        missed += expected == 0;
    }
    MEASURED("share of the paths that are compared", compared / 20000.0, 0.99, 1.0);
    assert_true(met > 500 && missed > 500);
}

/* One search for all where the surfaces travel little, and as many windows as searches where they
   cannot share one. */
static void windows_are_as_wide_as_is_allowed(void **state)
{
    (void)state;
    const float travel = 6.0f * (float)SPACING;
    const int searches = ooze_impact_searches(travel, (float)SPACING);
    assert_int_equal(searches, 8);
    OozeImpactWindow w = ooze_impact_window(1, searches, travel, DT, SPACING, 8.0 * SPACING);
    assert_int_equal(w.last, searches);
    CHECK_NEAR(w.reach, (1.1 + 0.5 * 6.0 * 7.0 / 8.0) * SPACING, 1e-6);
    w = ooze_impact_window(3, searches, travel, DT, SPACING, SPACING);
    assert_int_equal(w.last, 3);
    CHECK_NEAR(w.reach, 1.1 * SPACING, 1e-8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_find_the_first_meeting),
        cmocka_unit_test(windows_are_as_wide_as_is_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
