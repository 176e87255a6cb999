/* The table of springs and the order of sweeps: equal bits for any number of threads, with frames,
   nozzles, sinks and failures. */
#include "physics/springs_fixtures.h"

#include "base/memory.h"
#include "methods/springs/step.h"
#include "spoilt_frames.h"

/* ---- formulas -------------------------------------------------------------------------------- */

static void plastic_springs_change_their_rest_length(void **state)
{
    (void)state;
    const OozeSpringLaw law = {0.3f, 0.2f, 0.1f, 0.05f};
    assert_true(ooze_spring_rest(&law, 1, 1.09f) == 1 && ooze_spring_rest(&law, 1, 0.96f) == 1);
    CHECK_NEAR((double)ooze_spring_rest(&law, 1, 1.5f), 1 + 0.3 * 0.4, 1e-6);
    CHECK_NEAR((double)ooze_spring_rest(&law, 1, 0.5f), 1 - 0.2 * 0.45, 1e-6);
    /* a step of many units forgets all, not more */
    const OozeSpringLaw fast = {7, 7, 0.1f, 0.05f};
    CHECK_NEAR((double)ooze_spring_rest(&fast, 1, 1.5f), 1.4, 1e-6);
    CHECK_NEAR((double)ooze_spring_rest(&fast, 1, 0.5f), 0.55, 1e-6);
    CHECK_NEAR((double)ooze_spring_displacement(0.25f, 0.3f, 0.6f, 0.4f, 2), 0.25 * 0.3 * 0.7 * 0.2,
               1e-8);
}

/* Eqs 1 to 6 for one of three particles, with h = 1. */
static void relax(OozeVec3 x[3], int i, double dt, double k, double k_near, double rest)
{
    double density = 0, near_density = 0;
    OozeVec3 own = {0, 0, 0};
    for (int j = 0; j < 3; j++) {
        double t = j == i ? 0 : fmax(1 - vec3_length(vec3_sub(x[j], x[i])), 0);
        density += pow(t, 2);
        near_density += pow(t, 3);
    }
    for (int j = 0; j < 3; j++) {
        OozeVec3 d = vec3_sub(x[j], x[i]);
        double r = vec3_length(d), t = fmax(1 - r, 0);
        if (j != i) {
            double push = k * (density - rest) * t + k_near * near_density * t * t;
            d = vec3_scale(d, 0.5 * dt * dt * push / r);
            x[j] = vec3_add(x[j], d);
            own = vec3_sub(own, d);
        }
    }
    x[i] = vec3_add(x[i], own);
}

/* One step of three particles equals eqs 1 to 6 in one of the six orders. */
static void double_density_relaxation(void **state)
{
    (void)state;
    const double dt = 0.5, k = 0.4, k_near = 0.7, rest = 0.5;
    const OozeVec3 start[3] = {{0, 0, 0}, {0.4, 0.1, 0}, {-0.2, 0.5, 0.3}};
    const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    OozeWorld *world = springs_world((Bulk){.time_step = dt, .sequential = true});
    OozeMaterialId fluid = add_paper_fluid(world, 0, 0);
    set_number(world, fluid, "stiffness", k);
    set_number(world, fluid, "near_stiffness", k_near);
    set_number(world, fluid, "rest_density", rest);
    CHECK_OK(ooze_world_add_particles(world, fluid, 3, start, NULL, &error));
    step_world(world);
    const OozeFieldView *found = ooze_frame_field(ooze_world_frame(world), "position");
    double nearest = INFINITY;
    for (int p = 0; p < 6; p++) {
        OozeVec3 x[3] = {start[0], start[1], start[2]};
        double off = 0;
        for (int m = 0; m < 3; m++) {
            relax(x, order[p][m], dt, k, k_near, rest);
        }
        for (int i = 0; i < 3; i++) { /* frames are sorted in space */
            double distance = INFINITY;
            for (uint64_t j = 0; j < 3; j++) {
                distance = fmin(distance, vec3_length(vec3_sub(read_vector(found, j), x[i])));
            }
            off = fmax(off, distance);
        }
        assert_true(vec3_length(vec3_sub(x[0], start[0])) > 1e-3);
        nearest = fmin(nearest, off);
    }
    CHECK_NEAR(nearest, 0, 1e-6);
    ooze_world_destroy(world);
}

/* ---- worlds ---------------------------------------------------------------------------------- */

/* Clay, a ball and fluid that fall on a floor and a turning sticky bar, with a nozzle above and a
   drain beside. */
static OozeWorld *busy_world(int threads, bool sequential)
{
    OozeWorld *world = springs_world(
        (Bulk){.threads = threads, .gravity = vec3(0, -0.004, 0), .sequential = sequential});
    OozeMaterialId fluid = add_paper_fluid(world, 0.1, 0.3);
    OozeMaterialId clay = add_paper_fluid(world, 0.2, 0);
    set_number(world, clay, "spring_stiffness", 0.3);
    add_floor(world, 0.5);
    OozeSolidDef bar = ooze_solid_def_default();
    bar.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    bar.shape.size = vec3(6, 0.8, 0.8);
    bar.shape.position = vec3(0, 1.5, 0);
    bar.motion.spin = ooze_vec3_degrees(vec3(0, 0.03, 0));
    bar.stick_distance = 0.3;
    bar.stick_strength = 0.1;
    CHECK_OK(ooze_world_add_solid(world, &bar, NULL, &error));
    OozeSolidDef ball = ooze_solid_def_default(); /* one that yields */
    ball.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    ball.shape.radius = 0.6;
    ball.shape.position = vec3(-0.4, 6.2, 0.2);
    ball.density = 600;
    ball.stick_distance = 0.3;
    ball.stick_strength = 0.05;
    CHECK_OK(ooze_world_add_solid(world, &ball, NULL, &error));
    add_drop(world, clay, 1.5, vec3(-0.3, 3.7, 0));
    OozeEmitterDef nozzle = jet(8, 0.1);
    nozzle.material = fluid;
    nozzle.radius = 0.8;
    CHECK_OK(ooze_world_add_emitter(world, &nozzle, NULL, &error));
    OozeSinkDef drain = ooze_sink_def_default();
    drain.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    drain.shape.size = vec3(4, 3, 8);
    drain.shape.position = vec3(3, 0, 0);
    CHECK_OK(ooze_world_add_sink(world, &drain, &error));
    return world;
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    for (int sequential = 0; sequential < 2; sequential++) {
        uint64_t hash[3];
        for (int k = 0; k < 3; k++) {
            OozeWorld *world = busy_world(1 + 2 * k, sequential);
            step_many(world, 100);
            hash[k] = ooze_frame_hash(ooze_world_frame(world));
            ooze_world_destroy(world);
        }
        assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
    }
}

/* Boxes of 3, 4 and 5 cells: colours are unlike around their ends, too. */
static void periodic_boxes(void **state)
{
    (void)state;
    const double speed = 0.05;
    for (int cells = 3; cells < 6; cells++) {
        uint64_t hash[2];
        for (int k = 0; k < 2; k++) {
            OozeWorldDef def = ooze_world_def_default();
            OozeWorld *world = NULL;
            def.method = "springs";
            def.spacing = 0.372;
            def.time_step = 1;
            def.max_travel = 0;
            def.gravity = vec3(0, 0, 0);
            def.threads = 1 + 3 * k;
            def.periodic[0] = def.periodic[1] = def.periodic[2] = true;
            def.periodic_max = vec3(cells + 0.1, 4.2, 3.1);
            CHECK_OK(ooze_world_create(&def, &world, &error));
            set_param(world, "unit", 1);
            OozeMaterialId fluid = add_paper_fluid(world, 0.1, 0.3);
            set_number(world, fluid, "spring_stiffness", 0.1);
            add_lattice(world, (Lattice){.material = fluid,
                                         .n = {2 * cells, 9, 7},
                                         .spacing = 0.44,
                                         .jitter = 0.3,
                                         .velocity = noise,
                                         .user = &speed});
            Census before = take_census(world);
            step_many(world, 30);
            check_kept(before, take_census(world), 30);
            hash[k] = ooze_frame_hash(ooze_world_frame(world));
            ooze_world_destroy(world);
        }
        assert_true(hash[0] == hash[1]);
    }
}

/* Through a file, at a time when there are springs. */
static void resumed_runs_have_the_same_bits(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "%s/springs.h5", folder);
    OozeWorld *world = busy_world(2, false), *again = busy_world(2, false);
    step_many(world, 80);
    assert_true(ooze_frame_state(ooze_world_frame(world), "spring_rest")->count > 1000);
    CHECK_OK(ooze_frame_write(ooze_world_frame(world), path, &error));
    OozeFrame *saved = NULL;
    CHECK_OK(ooze_frame_open(path, &saved, &error));
    CHECK_OK(ooze_world_restore(again, saved, &error));
    ooze_frame_close(saved);
    for (int k = 0; k < 30; k++) {
        step_world(world);
        step_world(again);
        assert_true(ooze_frame_hash(ooze_world_frame(again)) ==
                    ooze_frame_hash(ooze_world_frame(world)));
    }
    ooze_world_destroy(world);
    ooze_world_destroy(again);
}

static void emission_and_sinks_leak_nothing(void **state)
{
    (void)state;
    OozeWorld *world = busy_world(2, false);
    OozeWorldStats stats;
    step_many(world, 300);
    ooze_world_stats(world, &stats);
    assert_true(stats.emitted > 100 && stats.removed > 20);
    OozeSinkDef drain = ooze_sink_def_default();
    drain.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    drain.shape.radius = 100;
    CHECK_OK(ooze_world_add_sink(world, &drain, &error));
    step_many(world, 2);
    assert_true(ooze_frame_state(ooze_world_frame(world), "spring_rest")->count < 100);
    ooze_world_destroy(world);
}

/* Numbers that change in time add springs, and delete them. */
static void springs_are_created_and_deleted(void **state)
{
    (void)state;
    OozeWorld *world = springs_world((Bulk){0});
    OozeMaterialId matter = add_paper_fluid(world, 0.5, 0);
    add_drop(world, matter, 1.2, vec3(0, 0, 0));
    const double times[] = {5, 10}, values[] = {0.3, 0};
    for (int k = 0; k < 2; k++) {
        OozeChangeDef change = ooze_change_def_default();
        change.index = matter.index;
        change.key = "spring_stiffness";
        change.value = values[k];
        change.time = times[k];
        CHECK_OK(ooze_world_add_change(world, &change, &error));
    }
    step_many(world, 4);
    assert_int_equal(ooze_frame_state(ooze_world_frame(world), "spring_rest")->count, 0);
    step_many(world, 4);
    assert_true(ooze_frame_state(ooze_world_frame(world), "spring_rest")->count > 500);
    step_many(world, 4);
    assert_int_equal(ooze_frame_state(ooze_world_frame(world), "spring_rest")->count, 0);
    ooze_world_destroy(world);
}

/* Whatever allocation fails, the step says so; springs may be lost then, but nothing leaks or
   dangles. */
static void out_of_memory(void **state)
{
    (void)state;
    int failed = 0;
    OozeStatus status = OOZE_ERROR_MEMORY;
    for (uint64_t after = 1; status == OOZE_ERROR_MEMORY; after++) {
        OozeError error = {0};
        OozeWorld *world = busy_world(1, false);
        ooze_memory_fail_after(after);
        status = ooze_world_step(world, &error);
        status = status ? status : ooze_world_step(world, &error);
        ooze_memory_fail_after(0);
        failed += status != OOZE_OK;
        if (status) {
            step_many(world, 2);
        }
        assert_true(ooze_frame_state(ooze_world_frame(world), "spring_rest")->count > 500);
        ooze_world_destroy(world);
    }
    assert_int_equal(status, OOZE_OK);
    assert_true(failed > 15);
}

/* ---- frames that are not sound --------------------------------------------------------------- */

static void damaged_springs_are_refused(void **state)
{
    (void)state;
    static const Spoilt cases[] = {
        {"spring_count", raise_first, "more of them than there are"},
        {"spring_other", raise_first, "leads nowhere"},
        {"spring_rest", no_length, "not a length"},
        {"spring_rest", shorter, "do not belong together"},
        {"spring_count", shorter, "not sound"},
    };
    OozeWorld *world = busy_world(2, false);
    step_many(world, 20);
    refuse_spoilt(world, cases, sizeof cases / sizeof cases[0]);
}

/* ---- the longest step ------------------------------------------------------------------------ */

/* At the step that the method calls stable a drop of fluid, and one of springs, stays where it
   is. */
static void drops_are_stable_at_the_stable_step(void **state)
{
    (void)state;
    for (int springs = 0; springs < 2; springs++) {
        OozeWorld *world = springs_world((Bulk){0});
        OozeMaterialId matter = add_paper_fluid(world, 0, 0);
        set_param(world, "spring_start", 1);
        set_number(world, matter, "spring_stiffness", springs ? 2 : 0);
        OozeStepContext context = ooze_world_step_context(world);
        double stable = world->method->stable_step(&context);
        world->def.time_step = stable;
        add_drop(world, matter, 1.5, vec3(0, 0, 0));
        step_many(world, 300);
        Blob b = measure_blob(world);
        printf("  step %.3g: radius %.3f, fastest %.3g\n", stable, b.radius,
               take_census(world).fastest);
        CHECK_NEAR(b.radius, 1.5, 0.25);
        ooze_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plastic_springs_change_their_rest_length),
        cmocka_unit_test(double_density_relaxation),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(periodic_boxes),
        cmocka_unit_test(resumed_runs_have_the_same_bits),
        cmocka_unit_test(emission_and_sinks_leak_nothing),
        cmocka_unit_test(springs_are_created_and_deleted),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(damaged_springs_are_refused),
        cmocka_unit_test(drops_are_stable_at_the_stable_step),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
