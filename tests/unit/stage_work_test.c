/* What `ooze bench` counts: flops and bytes of the heavy loops, and which parts of a step they are. */
#include "methods/stage_work.h"

#include <string.h>

#include "check.h"

/* Loops over edges: what 20 more neighbours add does not depend on how many there were. */
static void work_is_linear_in_neighbours(void **state)
{
    (void)state;
    for (int kind = 0; kind < OOZE_WORK_KIND_COUNT; kind++) {
        OozeWork a = ooze_work((OozeWorkKind)kind, 10, 0), b = ooze_work((OozeWorkKind)kind, 30, 0);
        OozeWork c = ooze_work((OozeWorkKind)kind, 50, 0), d = ooze_work((OozeWorkKind)kind, 50, 9);
        assert_true(b.flops > a.flops && b.bytes > a.bytes);
        CHECK_NEAR(c.flops - b.flops, b.flops - a.flops, 1e-9);
        CHECK_NEAR(c.bytes - b.bytes, b.bytes - a.bytes, 1e-9);
        assert_true(d.flops >= c.flops && d.bytes >= c.bytes);
    }
}

/* The figures of the formulas, by hand for 30 neighbours and 2 samples. */
static void work_is_what_the_loops_do(void **state)
{
    (void)state;
    OozeWork velocity = ooze_work(OOZE_WORK_VELOCITY, 30, 2);
    CHECK_NEAR(velocity.flops, 2 * (8 + 3 * 4 * 2) * 30 + 292, 1e-9); /* two gathers of 3 fmas */
    CHECK_NEAR(velocity.bytes, 2 * (4 + 4) * 30 + 180 + 126, 1e-9);
    OozeWork density = ooze_work(OOZE_WORK_DENSITY, 30, 2);
    CHECK_NEAR(density.flops, (42 + 14) * 30 + 48 * 2 + 40, 1e-9);
    CHECK_NEAR(density.bytes, 20 * 30 + 40 * 2 + 76 + 105 + 20, 1e-9);
    OozeWork neighbours = ooze_work(OOZE_WORK_NEIGHBOURS, 30, 2);
    CHECK_NEAR(neighbours.flops / (9 * 0.5 * 32), 6.446, 1e-3); /* candidates for each */
    CHECK_NEAR(neighbours.bytes, 4 * 32 + 308, 1e-9);
    OozeWork position = ooze_work(OOZE_WORK_POSITION, 30, 2);
    assert_true(position.flops > density.flops + 64 * 30 && position.bytes > density.bytes + 480);
}

static void rows_stand_for_parts(void **state)
{
    (void)state;
    for (int kind = 0; kind < OOZE_WORK_KIND_COUNT; kind++) {
        int parts = 0, counted = 0;
        for (int part = 0; part < OOZE_PART_COUNT; part++) {
            bool has = ooze_work_has((OozeWorkKind)kind, (OozeStagePart)part);
            bool counts = ooze_work_counts((OozeWorkKind)kind, (OozeStagePart)part);
            assert_true(has || !counts); /* what is counted is timed */
            parts += has;
            counted += counts;
        }
        assert_true(parts > 0 && counted > 0);
        for (int other = 0; other < kind; other++) {
            assert_string_not_equal(ooze_work_name((OozeWorkKind)kind),
                                    ooze_work_name((OozeWorkKind)other));
        }
    }
    assert_true(ooze_work_has(OOZE_WORK_POSITION, OOZE_PART_DENSITY_CORRECTIONS));
    assert_false(ooze_work_has(OOZE_WORK_DENSITY, OOZE_PART_CONFORMATION_SWEEP));
    assert_false(ooze_work_has(OOZE_WORK_DENSITY, OOZE_PART_DENSITY_LINES));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_linear_in_neighbours),
        cmocka_unit_test(work_is_what_the_loops_do),
        cmocka_unit_test(rows_stand_for_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
