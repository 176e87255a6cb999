/* Timed parts of the stages: numbers of calls. Times are not tested, except that the parts of a
   stage take no longer than the stage. */
#include "step/timer.h"

#include <string.h>

#include "physics/fixtures.h"

enum { STEPS = 3, DENSITY = 4, VELOCITY = 5, POSITION = 2 };

static OozeWorld *jelly(Formulation formulation, double solver, bool floor)
{
    OozeWorld *world = make_world((Setup){.method = method_of(formulation),
                                          .spacing = 0.1,
                                          .time_step = 1.0 / 120,
                                          .gravity = floor ? down() : vec3(0, 0, 0)});
    add_matter(world, maxwell_matter(50000, 1));
    if (floor) {
        add_floor(world, 0.5);
    }
    set_formulation(world, formulation);
    set_param(world, "velocity_iterations", VELOCITY);
    set_param(world, "tolerance", 0);
    if (formulation == LODGE) {
        set_param(world, "density_iterations", DENSITY);
        set_param(world, "time_integration", 0); /* first order: as many passes as are asked for */
    } else {
        set_param(world, "solver", solver);
        set_param(world, "position_iterations", POSITION);
    }
    static const double speed = 0.5;
    add_lattice(world,
                (Lattice){.n = {6, 6, 6}, .spacing = 0.1, .velocity = noise, .user = &speed});
    for (int k = 0; k < STEPS; k++) {
        step_world(world);
    }
    return world;
}

/* Times a step. */
static double calls(const OozeWorld *world, const char *part)
{
    OozeWorldStats stats;
    ooze_world_stats(world, &stats);
    for (int k = 0; k < stats.part_count; k++) {
        if (strcmp(stats.parts[k].name, part) == 0) {
            return (double)stats.parts[k].calls / STEPS;
        }
    }
    return 0.0;
}

static void lodge_counts_operators_and_sweeps(void **state)
{
    (void)state;
    OozeWorld *world = jelly(LODGE, 1, false);
    /* two passes, each with one application for the residual; after the first step two more for the
       initial guess, as it is proposed and as it is accepted */
    const double guesses = 2.0 * (STEPS - 1) / STEPS;
    printf("  %g products and %g updates a step\n", calls(world, "velocity_operator"),
           calls(world, "velocity_vectors"));
    assert_true(fabs(calls(world, "velocity_operator") - 2 * (VELOCITY + 1) - guesses) < 1e-9);
    assert_true(fabs(calls(world, "velocity_vectors") - 2 * VELOCITY) < 1e-9);
    assert_true(calls(world, "prepare") == 2);
    assert_true(calls(world, "density_lines") == 1);
    assert_true(calls(world, "density_multipliers") == DENSITY);
    assert_true(calls(world, "density_corrections") == DENSITY);
    assert_true(calls(world, "push_out") == DENSITY);
    assert_true(calls(world, "lists") == 1 && calls(world, "density_lists") == 1);
    assert_true(calls(world, "boundary_lists") == 0);
    assert_true(calls(world, "velocity_iteration") == 0);
    assert_true(calls(world, "conformation_sweep") == 0);
    ooze_world_destroy(world);
}

static void constraints_count_iterations(void **state)
{
    (void)state;
    for (Formulation formulation = CONSISTENT; formulation <= PAPER; formulation++) {
        OozeWorld *world = jelly(formulation, 1, false);
        assert_true(calls(world, "velocity_iteration") == VELOCITY);
        assert_true(calls(world, "velocity_operator") == 0);
        assert_true(calls(world, "conformation_sweep") == POSITION);
        assert_true(calls(world, "density_multipliers") == POSITION);
        ooze_world_destroy(world);
    }
    OozeWorld *world = jelly(CONSISTENT, 2, false);
    assert_true(calls(world, "velocity_operator") == VELOCITY);
    ooze_world_destroy(world);
}

static void walls_have_lists(void **state)
{
    (void)state;
    OozeWorld *world = jelly(0, 1, true);
    OozeWorldStats stats;
    ooze_world_stats(world, &stats);
    assert_true(calls(world, "boundary_lists") == 1);
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

static double fake_time;
static double read_fake_time(void)
{
    return fake_time;
}

static void laps_add_up(void **state)
{
    (void)state;
    ooze_timer_begin(NULL, "method");
    ooze_timer_lap(NULL, "gather");
    ooze_timer_add(NULL, "gather");
    OozeStepTimer timer = ooze_step_timer();
    timer.read = read_fake_time;
    fake_time = 1;
    ooze_timer_begin(&timer, "method");
    fake_time = 3;
    ooze_timer_lap(&timer, "gather");
    fake_time = 7;
    ooze_timer_add(&timer, "gather");
    fake_time = 8;
    ooze_timer_lap(&timer, "store");
    assert_int_equal(timer.part_count, 2);
    assert_int_equal(timer.parts[0].calls, 1);
    assert_true(timer.parts[0].seconds == 6 && timer.parts[1].seconds == 1);
    ooze_timer_begin(&timer, "neighbours"); /* the same name in another stage is another part */
    ooze_timer_lap(&timer, "store");
    assert_int_equal(timer.part_count, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lodge_counts_operators_and_sweeps),
        cmocka_unit_test(constraints_count_iterations),
        cmocka_unit_test(walls_have_lists),
        cmocka_unit_test(parts_lie_inside_their_stage),
        cmocka_unit_test(laps_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
