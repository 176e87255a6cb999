/* Convergence of steps: tolerance and maximum of iterations of every solver, statistics of the
   world, and the probe `solver`. */
#include "physics/fixtures.h"
#include "step/report.h"

typedef struct Solver {
    const char *name;
    Formulation formulation;
    int solver; /* in the order of the setting's choices */
    int passes;
} Solver;

static const Solver solvers[] = {{"lodge", LODGE, 0, 2},
                                 {"jacobi", CONSISTENT, 0, 1},
                                 {"chebyshev", CONSISTENT, 1, 1},
                                 {"conjugate gradients", CONSISTENT, 2, 1},
                                 {"paper", PAPER, 0, 1}};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

static OozeWorldStats stats_of(const OozeWorld *world)
{
    OozeWorldStats stats;
    ooze_world_stats(world, &stats);
    return stats;
}

/* A jelly of 6^3 shaken at random, or standing on a floor as well. Soft enough that plain Jacobi
   sweeps come to an end too: a shear wave runs less than a spacing a step. */
static OozeWorld *jelly(const Solver *solver, bool floor, int cap, double tolerance)
{
    static const double speed = 0.5;
    OozeWorld *world = make_world((Setup){.method = method_of(solver->formulation),
                                          .spacing = 0.1,
                                          .time_step = 1.0 / 120,
                                          .gravity = floor ? down() : vec3(0, 0, 0)});
    /* as printed, the velocity stage is softer by the time step in seconds */
    add_matter(world, maxwell_matter(solver->formulation == PAPER ? 6e6 : 50000, 1));
    if (floor) {
        add_floor(world, 0.5);
    }
    set_formulation(world, solver->formulation);
    if (solver->formulation != LODGE) {
        set_param(world, "solver", solver->solver);
    }
    set_param(world, "velocity_iterations", cap);
    set_param(world, "tolerance", tolerance);
    add_lattice(world,
                (Lattice){.n = {6, 6, 6}, .spacing = 0.1, .velocity = noise, .user = &speed});
    return world;
}

/* Largest difference of velocities over the largest of them. */
static double difference(OozeWorld *a, OozeWorld *b)
{
    const OozeFieldView *u = ooze_frame_field(ooze_world_frame(a), "velocity");
    const OozeFieldView *v = ooze_frame_field(ooze_world_frame(b), "velocity");
    double most = 0, largest = 0;
    for (uint64_t i = 0; i < u->count; i++) {
        most = fmax(most, vec3_length(vec3_sub(read_vector(u, i), read_vector(v, i))));
        largest = fmax(largest, vec3_length(read_vector(v, i)));
    }
    return most / largest;
}

/* With a tolerance the solve ends when that is met, with the answer of the converged one. The
   bound: residuals stand for errors up to the condition of the system, which is some ten here. */
static void tolerances_end_the_solve(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * SOLVERS; k++) {
        const Solver *solver = &solvers[k / 2];
        bool floor = k % 2;
        const double tolerance = 1e-3;
        OozeWorld *stopped = jelly(solver, floor, 2000, tolerance);
        OozeWorld *converged = jelly(solver, floor, 2000, 1e-5);
        step_world(stopped);
        step_world(converged);
        OozeWorldStats early = stats_of(stopped), late = stats_of(converged);
        printf("  %s%s: %d iterations to %.2g, %d to %.2g\n", solver->name,
               floor ? " on a floor" : "", early.iterations, early.residual, late.iterations,
               late.residual);
        assert_true(early.iterations > 2 && early.iterations < late.iterations);
        assert_true(late.iterations < 2000);
        assert_true(early.residual <= tolerance && early.unconverged_steps == 0);
        MEASURED("difference of velocities over tolerance", difference(stopped, converged) / 1e-3,
                 0, 10);
        ooze_world_destroy(stopped);
        ooze_world_destroy(converged);
    }
}

/* A solve stops at its maximum of iterations and is reported as unconverged; with tolerance 0 it is
   never reported. How far the tolerance is makes no difference. */
static void solves_stop_at_their_maximum_of_iterations(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * SOLVERS; k++) {
        const Solver *solver = &solvers[k / 2];
        OozeWorld *capped = jelly(solver, k % 2, 3, 1e-5), *fixed = jelly(solver, k % 2, 3, 0),
                  *strict = jelly(solver, k % 2, 3, 1e-12);
        for (int i = 0; i < 3; i++) {
            step_world(capped);
            step_world(fixed);
            step_world(strict);
        }
        OozeWorldStats stats = stats_of(capped), same = stats_of(fixed);
        assert_int_equal(same.iterations, 3 * solver->passes);
        assert_int_equal(stats.iterations, same.iterations);
        assert_true(stats.residual > 1e-5 && stats.residual < 1);
        assert_true(stats.worst_residual >= stats.residual);
        assert_int_equal(stats.unconverged_steps, 3);
        assert_int_equal(same.unconverged_steps, 0);
        assert_true(difference(capped, strict) == 0);
        ooze_world_destroy(capped);
        ooze_world_destroy(fixed);
        ooze_world_destroy(strict);
    }
}

/* Columns of the probe. */
enum { RESIDUAL, ITERATIONS, DENSITY, DENSITY_MEAN, SUB_STEPS, MOST, UNMET = 2 * MOST };

static OozeProbeReading read_all(OozeWorld *world, OozeProbeId id)
{
    OozeProbeReading reading;
    CHECK_OK(ooze_world_measure(world, false, &error));
    CHECK_OK(ooze_world_probe(world, id, &reading, &error));
    assert_int_equal(reading.column_count, UNMET + 2);
    return reading;
}

/* The last step as the world tells it, and the worst since the reading before. */
static void the_probe_keeps_the_largest_values(void **state)
{
    (void)state;
    for (int k = 0; k < SOLVERS; k++) {
        OozeWorld *world = jelly(&solvers[k], true, 4, 1e-5);
        OozeProbeId probe = add_probe(world, OOZE_PROBE_SOLVER);
        assert_true(isnan(read_all(world, probe).values[RESIDUAL])); /* no step yet */
        double residual = 0, density = 0;
        for (int i = 0; i < 12; i++) {
            step_world(world);
            OozeWorldStats stats = stats_of(world);
            residual = fmax(residual, stats.residual);
            density = fmax(density, stats.worst_density_error);
            if (i % 4 != 3) {
                continue;
            }
            for (int twice = 0; twice < 2; twice++) { /* a second reading is the same */
                const double *v = read_all(world, probe).values;
                assert_true(v[RESIDUAL] == stats.residual && v[MOST + RESIDUAL] == residual);
                assert_true(v[ITERATIONS] == 4 * solvers[k].passes && v[SUB_STEPS] == 1);
                assert_true(v[DENSITY] == stats.worst_density_error &&
                            v[MOST + DENSITY] == density);
                assert_true(v[DENSITY_MEAN] == stats.mean_density_error);
                assert_true(v[DENSITY_MEAN] >= 0 && v[DENSITY_MEAN] <= v[DENSITY]);
                assert_true(v[UNMET] == 4);
            }
            residual = density = 0;
        }
        assert_int_equal(stats_of(world).unconverged_steps, 12);
        ooze_world_destroy(world);
    }
}

/* What it has noted goes with the frame: a world that goes on from there reads the same. */
static void state_of_the_probe_is_restored(void **state)
{
    (void)state;
    OozeWorld *whole = jelly(&solvers[0], true, 4, 1e-3),
              *parted = jelly(&solvers[0], true, 4, 1e-3);
    OozeProbeId a = add_probe(whole, OOZE_PROBE_SOLVER), b = add_probe(parted, OOZE_PROBE_SOLVER);
    step_world(whole); /* the fiercest step is the first */
    step_world(whole);
    CHECK_OK(ooze_world_restore(parted, ooze_world_frame(whole), &error));
    assert_true(isnan(stats_of(parted).residual));
    step_world(whole);
    step_world(parted);
    const double *v = read_all(whole, a).values, *w = read_all(parted, b).values;
    assert_memory_equal(v, w, (UNMET + 1) * sizeof *v);
    assert_true(v[UNMET] == 3);
    ooze_world_destroy(whole);
    ooze_world_destroy(parted);
}

/* Substeps of a cut step: iterations add up, the worst counts. */
static void substeps_add_up(void **state)
{
    (void)state;
    OozeStepReport step = ooze_step_report_none();
    assert_true(isnan(step.residual) && isnan(step.worst_density_error) && !step.unconverged);
    OozeStepReport first = {0.02, 0.01, 0.5, 7, true, false, false},
                   second = {0.04, NAN, 0.1, 5, false, false, true};
    ooze_step_report_add(&step, &first);
    ooze_step_report_add(&step, &second);
    assert_true(step.worst_density_error == 0.04 && step.mean_density_error == 0.01);
    assert_true(step.residual == 0.5 && step.iterations == 12 && step.unconverged);
    assert_true(step.multigrid);
}

/* A method without a solve has nothing to tell but its substeps. */
static void methods_without_a_solve_have_no_residual(void **state)
{
    (void)state;
    OozeWorld *world = make_world(
        (Setup){.method = "ballistic", .spacing = 0.1, .time_step = 0.01, .gravity = down()});
    add_matter(world, newtonian_matter(1));
    add_lattice(world, (Lattice){.n = {2, 2, 2}, .spacing = 0.1});
    OozeProbeId probe = add_probe(world, OOZE_PROBE_SOLVER);
    step_world(world);
    const double *v = read_all(world, probe).values;
    assert_true(isnan(v[RESIDUAL]) && isnan(v[MOST + RESIDUAL]) && isnan(v[DENSITY]));
    assert_true(v[ITERATIONS] == 0 && v[SUB_STEPS] == 1 && v[UNMET] == 0);
    ooze_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tolerances_end_the_solve),
        cmocka_unit_test(solves_stop_at_their_maximum_of_iterations),
        cmocka_unit_test(the_probe_keeps_the_largest_values),
        cmocka_unit_test(state_of_the_probe_is_restored),
        cmocka_unit_test(substeps_add_up),
        cmocka_unit_test(methods_without_a_solve_have_no_residual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
