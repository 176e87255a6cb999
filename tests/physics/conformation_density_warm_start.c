/* Acceptance tests of the density stage that begins with the pressure of the last step and ends at
   a mean density error. */
#include "physics/fixtures.h"

typedef struct Stage {
    bool warm;
    double mean_tolerance;   /* 0: the worst particle ends it */
    int iterations, threads; /* threads: 0: two */
} Stage;

static void set_stage(OozeWorld *world, Stage stage)
{
    set_param(world, "density_warm_start", stage.warm);
    set_param(world, "density_mean_tolerance", stage.mean_tolerance);
    set_param(world, "density_iterations", stage.iterations);
}

/* A block of thick fluid, nu dt/d^2 = 80, two spacings above a floor. */
static OozeWorld *make_block(Stage stage, double friction, OozeSolidId *floor)
{
    const double d = 0.05;
    OozeWorld *world = make_world(
        (Setup){.spacing = d, .time_step = 1.0 / 25, .gravity = down(), .threads = stage.threads});
    add_matter(world, newtonian_matter(5000));
    *floor = add_floor(world, friction);
    set_param(world, "tolerance", 1e-4);
    set_stage(world, stage);
    add_lattice(world,
                (Lattice){.n = {10, 16, 10}, .spacing = d, .corner = vec3(-5 * d, 2 * d, -5 * d)});
    return world;
}

typedef struct Landing {
    double centre, mean_error; /* m after the landing; largest of its last steps */
    int sweeps;                /* of the density stage, in the last ten steps */
    bool gpu;                  /* which launches sweeps in groups, some of them in vain */
} Landing;

static int count_sweeps(OozeWorld *world)
{
    OozeWorldStats stats;
    ooze_world_stats(world, &stats);
    int sweeps = 0;
    for (int k = 0; k < stats.part_count; k++) {
        bool found = strcmp(stats.parts[k].name, "density_multipliers") == 0;
        sweeps += found ? (int)stats.parts[k].calls : 0;
    }
    return sweeps;
}

static Landing land(Stage stage)
{
    OozeSolidId floor;
    OozeWorld *world = make_block(stage, INFINITY, &floor);
    OozeWorldStats stats;
    Landing landing = {0};
    for (int i = 0; i < 25; i++) {
        int before = count_sweeps(world);
        step_world(world);
        ooze_world_stats(world, &stats);
        landing.mean_error = fmax(landing.mean_error, stats.mean_density_error);
        landing.sweeps += i >= 15 ? count_sweeps(world) - before : 0;
    }
    landing.centre = take_census(world).centre.y;
    landing.gpu = strcmp(stats.device, "cuda") == 0;
    ooze_world_destroy(world);
    return landing;
}

/* ---- T121: a block that lands and slumps ----------------------------------------------------- */

/* The same slump as with many sweeps from no pressure, at the mean error that was asked for in
   every step, with fewer sweeps. The two differ in how far the fluid that is pushed has moved
   before: half of a percent is that of steps of this length. */
static void conformation_T121_density_warm_start(void **state)
{
    (void)state;
    Landing cold = land((Stage){false, 0, 120, 0}), ended = land((Stage){false, 1e-3, 120, 0}),
            warm = land((Stage){true, 1e-3, 120, 0});
    printf("  sweeps in ten steps: %d from no pressure to the mean, %d with the last one\n",
           ended.sweeps, warm.sweeps);
    MEASURED("mean density error, from no pressure", ended.mean_error, 0, 1e-3);
    MEASURED("mean density error, with the last pressure", warm.mean_error, 0, 1e-3);
    MEASURED("centre over that with many sweeps", ended.centre / cold.centre, 0.99, 1.01);
    MEASURED("centre with the last pressure over it", warm.centre / cold.centre, 0.99, 1.01);
    if (!warm.gpu) {
        MEASURED("sweeps with the last pressure over those without",
                 (double)warm.sweeps / ended.sweeps, 0, 0.7);
    }
}

/* The same bits with other numbers of threads, and through a frame after the landing. */
static void conformation_T121_density_warm_start_threads_and_resume(void **state)
{
    (void)state;
    const Stage stage = {true, 1e-3, 60, 1}, more_threads = {true, 1e-3, 60, 3};
    OozeSolidId floor;
    OozeWorld *one = make_block(stage, INFINITY, &floor),
              *two = make_block(more_threads, INFINITY, &floor),
              *resumed = make_block(stage, INFINITY, &floor);
    step_many(one, 12);
    CHECK_OK(ooze_world_restore(resumed, ooze_world_frame(one), &error));
    step_many(one, 6);
    step_many(two, 18);
    step_many(resumed, 6);
    uint64_t hash = ooze_frame_hash(ooze_world_frame(one));
    assert_true(hash == ooze_frame_hash(ooze_world_frame(two)));
    assert_true(hash == ooze_frame_hash(ooze_world_frame(resumed)));
    ooze_world_destroy(one);
    ooze_world_destroy(two);
    ooze_world_destroy(resumed);
}

/* ---- T122: momentum -------------------------------------------------------------------------- */

static OozeVec3 towards_each_other(OozeVec3 x, uint64_t i, const void *user)
{
    (void)i;
    (void)user;
    return vec3(x.x < 0 ? 1 : -1, 0, 0);
}

/* Two blocks of thick fluid meet in the air, off their centres. Pushes are along lines at the
   beginning of the step, so that both momenta stay. */
static void conformation_T122_density_warm_start_momentum(void **state)
{
    (void)state;
    const double d = 0.05;
    OozeWorld *world = make_world((Setup){.spacing = d, .time_step = 1.0 / 25});
    add_matter(world, newtonian_matter(5000));
    set_param(world, "velocity_preconditioner", 1);
    set_stage(world, (Stage){true, 1e-3, 60, 0});
    for (int k = 0; k < 2; k++) {
        add_lattice(world, (Lattice){.n = {8, 8, 8},
                                     .spacing = d,
                                     .corner = vec3(k ? d : -9 * d, k ? 4 * d : 0, 0),
                                     .velocity = towards_each_other});
    }
    Census before = take_census(world);
    step_many(world, 15);
    Census after = take_census(world);
    check_kept(before, after, 15);
    MEASURED("spin over the first", after.spin.z / before.spin.z, 0.999, 1.001);
    MEASURED("energy over the first", after.energy / before.energy, 0, 1);
    ooze_world_destroy(world);
}

/* ---- T123: pressure that goes ---------------------------------------------------------------- */

/* A block slides on a floor without friction, which is pulled away. The pressure of the last step
   must not throw it apart: it falls as it is. */
static void conformation_T123_density_warm_start_release(void **state)
{
    (void)state;
    OozeSolidId floor;
    OozeWorld *world = make_block((Stage){true, 1e-3, 60, 0}, 0, &floor);
    advance(world, 0.6);
    Census before = take_census(world);
    OozeSolidPose far_below = {.position = vec3(0, -100, 0), .rotation = {0, 0, 0, 1}};
    CHECK_OK(ooze_world_set_solid_pose(world, floor, &far_below, &error));
    const double time = 0.4, dt = 1.0 / 25, g = 9.81;
    advance(world, time);
    Census after = take_census(world);
    double fall = before.centre.y - after.centre.y + before.momentum.y / before.mass * time;
    double width = (after.high.x - after.low.x) / (before.high.x - before.low.x);
    double height = (after.high.y - after.low.y) / (before.high.y - before.low.y);
    MEASURED("fall over that of steps of this length", fall / (0.5 * g * time * (time + dt)), 0.99,
             1.01);
    MEASURED("width over the first", width, 0.98, 1.03);
    MEASURED("height over the first", height, 0.98, 1.03);
    ooze_world_destroy(world);
}

/* ---- T124: the setting changes --------------------------------------------------------------- */

/* A block at rest on a no-slip floor: multipliers are not taken for pushes, nor pushes
   for multipliers, when the setting changes. Either would move the block sideways. */
static void conformation_T124_density_warm_start_change(void **state)
{
    (void)state;
    OozeSolidId floor;
    OozeWorld *world = make_block((Stage){true, 1e-3, 60, 0}, INFINITY, &floor);
    advance(world, 0.6);
    const double step = 9.81 / 25;
    for (int k = 0; k < 4; k++) {
        set_param(world, "density_warm_start", k % 2);
        step_world(world);
        Census after = take_census(world);
        MEASURED("sideways speed after a change over g dt",
                 hypot(after.momentum.x, after.momentum.z) / after.mass / step, 0, 1e-4);
    }
    ooze_world_destroy(world);
}

ACCEPTANCE_MAIN(cmocka_unit_test(conformation_T121_density_warm_start),
                cmocka_unit_test(conformation_T121_density_warm_start_threads_and_resume),
                cmocka_unit_test(conformation_T122_density_warm_start_momentum),
                cmocka_unit_test(conformation_T123_density_warm_start_release),
                cmocka_unit_test(conformation_T124_density_warm_start_change))
