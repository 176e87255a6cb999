/* What a world tells about the inside of its stages: how many times each part was done. Times themselves are
   never tested, only that parts lie inside their stage. */
#include "methods/stage_clock.h"

#include <string.h>

#include "physics/fixtures.h"

enum { STEPS = 3, DENSITY = 4, VELOCITY = 5, POSITION = 2 };

static OozeWorld *jelly(double formulation, double solver, bool floor)
{
    OozeWorld *world = make_world(
        (Setup){.spacing = 0.1, .time_step = 1.0 / 120, .gravity = floor ? down() : vec3(0, 0, 0)});
    add_matter(world, maxwell_matter(50000, 1));
    if (floor) {
        add_floor(world, 0.5);
    }
    set_param(world, "formulation", formulation);
    set_param(world, "solver", solver);
    set_param(world, "velocity_iterations", VELOCITY);
    set_param(world, "density_iterations", DENSITY);
    set_param(world, "position_iterations", POSITION);
    set_param(world, "tolerance", 0);
    set_param(world, "density_tolerance", 0);
    static const double speed = 0.5;
    add_lattice(world,
                (Lattice){.n = {6, 6, 6}, .spacing = 0.1, .velocity = noise, .user = &speed});
    for (int k = 0; k < STEPS; k++) {
        step_world(world);
    }
    return world;
}

/* Times a step. */
static double calls(const OozeWorld *world, OozeStagePart part)
{
    OozeWorldStats stats;
    ooze_world_stats(world, &stats);
    assert_int_equal(stats.part_count, OOZE_PART_COUNT);
    return (double)stats.parts[part].calls / STEPS;
}

static void lodge_counts_operators_and_sweeps(void **state)
{
    (void)state;
    OozeWorld *world = jelly(0, 1, false);
    /* two passes, each with one application for the residual */
    assert_true(calls(world, OOZE_PART_VELOCITY_OPERATOR) == 2 * (VELOCITY + 1));
    assert_true(calls(world, OOZE_PART_VELOCITY_VECTORS) == 2 * VELOCITY);
    assert_true(calls(world, OOZE_PART_PREPARE) == 2);
    assert_true(calls(world, OOZE_PART_DENSITY_LINES) == 1);
    assert_true(calls(world, OOZE_PART_DENSITY_MULTIPLIERS) == DENSITY);
    assert_true(calls(world, OOZE_PART_DENSITY_CORRECTIONS) == DENSITY);
    assert_true(calls(world, OOZE_PART_PUSH_OUT) == DENSITY);
    assert_true(calls(world, OOZE_PART_LISTS) == 1 && calls(world, OOZE_PART_DENSITY_LISTS) == 1);
    assert_true(calls(world, OOZE_PART_WALL_LISTS) == 0);
    assert_true(calls(world, OOZE_PART_VELOCITY_ITERATION) == 0);
    assert_true(calls(world, OOZE_PART_CONFORMATION_SWEEP) == 0);
    ooze_world_destroy(world);
}

static void constraints_count_iterations(void **state)
{
    (void)state;
    for (int formulation = 1; formulation <= 2; formulation++) {
        OozeWorld *world = jelly(formulation, 1, false);
        assert_true(calls(world, OOZE_PART_VELOCITY_ITERATION) == VELOCITY);
        assert_true(calls(world, OOZE_PART_VELOCITY_OPERATOR) == 0);
        assert_true(calls(world, OOZE_PART_CONFORMATION_SWEEP) == POSITION);
        assert_true(calls(world, OOZE_PART_DENSITY_MULTIPLIERS) == POSITION);
        ooze_world_destroy(world);
    }
    OozeWorld *world = jelly(1, 2, false);
    assert_true(calls(world, OOZE_PART_VELOCITY_OPERATOR) == VELOCITY);
    ooze_world_destroy(world);
}

static void walls_have_lists(void **state)
{
    (void)state;
    OozeWorld *world = jelly(0, 1, true);
    OozeWorldStats stats;
    ooze_world_stats(world, &stats);
    assert_true(calls(world, OOZE_PART_WALL_LISTS) == 1);
    assert_true(stats.boundary_pairs > 0 && stats.boundary_pairs < stats.neighbour_pairs);
    ooze_world_destroy(world);
}

static void parts_lie_inside_their_stage(void **state)
{
    (void)state;
    OozeWorld *world = jelly(0, 1, true);
    OozeWorldStats stats;
    ooze_world_stats(world, &stats);
    for (int i = 0; i < stats.stage_count; i++) {
        double sum = 0;
        for (int k = 0; k < stats.part_count; k++) {
            assert_true(stats.parts[k].seconds >= 0);
            bool own = strcmp(stats.parts[k].stage, stats.stages[i].name) == 0;
            sum += own ? stats.parts[k].seconds : 0;
        }
        assert_true(sum <= stats.stages[i].seconds * (1 + 1e-9)); /* sums of the same readings */
    }
    ooze_world_destroy(world);
}

static void nobody_need_ask(void **state)
{
    (void)state;
    ooze_stage_mark(NULL);
    ooze_stage_lap(NULL, OOZE_PART_GATHER);
    ooze_stage_more(NULL, OOZE_PART_GATHER);
    OozeStageClock clock = ooze_stage_clock();
    for (int k = 0; k < OOZE_PART_COUNT; k++) {
        assert_non_null(clock.parts[k].name);
        assert_int_equal(clock.parts[k].calls, 0);
    }
    ooze_stage_mark(&clock);
    ooze_stage_lap(&clock, OOZE_PART_GATHER);
    ooze_stage_more(&clock, OOZE_PART_GATHER);
    assert_int_equal(clock.parts[OOZE_PART_GATHER].calls, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lodge_counts_operators_and_sweeps),
        cmocka_unit_test(constraints_count_iterations),
        cmocka_unit_test(walls_have_lists),
        cmocka_unit_test(parts_lie_inside_their_stage),
        cmocka_unit_test(nobody_need_ask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
