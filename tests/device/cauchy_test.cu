/* Method cauchy takes the same steps on the device as on the processor. */
#include "methods/cauchy/cuda/step.cuh"

#include "device_world.h"
#include "frames_apart.h"

static const double SPACING = 0.01;

enum Scene {
    BLOB,    /* a spinning block of fluid with surface tension, without gravity or walls */
    COLUMN,  /* two liquids in a box */
    THREAD,  /* fluid that is drawn out between two plates */
    BAR,     /* two fluids on a floor and a slope with a bar that turns, periodic along z */
    SOURCES, /* a jet, and a sink that removes particles */
    CLOSED   /* fluid that fills a periodic box */
};

struct Case {
    const char *name;
    Scene scene;
    Setting material[6]; /* key NULL: none */
    Setting setting[4];  /* likewise */
    int steps;           /* of runs that are compared: splashes amplify rounding */
};

static const Case cases[] = {
    {"blob", BLOB, {{"viscosity", 0.05}, {"surface_tension", 0.5}}, {}, 50},
    {"column", COLUMN, {{"viscosity", 0.001}}, {}, 50},
    {"thread",
     THREAD,
     {{"viscosity", 28}, {"modulus", 350}, {"surface_tension", 0.05}, {"contact_angle", 30}},
     {},
     50},
    {"bar",
     BAR,
     {{"viscosity", 2}, {"relaxation_time", 0.05}, {"thinning", 1}, {"solvent_viscosity", 0.2}},
     {},
     20},
    {"sources", SOURCES, {{"viscosity", 0.5}, {"surface_tension", 0.05}}, {}, 25},
    {"classic",
     THREAD,
     {{"viscosity", 2},
      {"modulus", 35},
      {"surface_tension", 0.05},
      {"stress_model", OOZE_STRESS_MIXED},
      {"mixing", 0.5}},
     {{"scheme", 1}, {"tension", 1}, {"viscous_step", 1}},
     50},
    {"closed", CLOSED, {{"viscosity", 0.1}}, {}, 20},
    {"potential",
     BAR,
     {{"modulus", 100},
      {"surface_tension", 0.05},
      {"stress_model", OOZE_STRESS_COMPLEX},
      {"frequency", 2}},
     {{"tension", 1}},
     20},
};

static void add_block(OozeWorld *world, OozeMaterialId material, OozeVec3 size, OozeVec3 position,
                      double speed)
{
    OozeFluidDef def = ooze_fluid_def_default();
    def.material = material;
    def.fill = OOZE_FILL_JITTERED;
    def.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    def.shape.size = size;
    def.shape.position = position;
    def.velocity = {0.2 * speed, -speed, 0.1 * speed};
    def.spin = {90 * speed, -60 * speed, 60 * speed};
    CHECK_OK(ooze_world_add_fluid(world, &def, nullptr, &error));
}

static void add_container(OozeWorld *world)
{
    OozeSolidDef box = ooze_solid_def_default();
    box.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    box.shape.size = {0.06, 0.3, 0.06};
    box.shape.position = {0, 0.15, 0};
    box.shape.inverted = true;
    box.friction = 0.3;
    CHECK_OK(ooze_world_add_solid(world, &box, nullptr, &error));
}

/* Both are no-slip; the upper one rises. */
static void add_plates(OozeWorld *world)
{
    OozeSolidDef lower = ooze_solid_def_default(), upper;
    lower.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    lower.shape.size = {0.1, 0.02, 0.1};
    lower.shape.position = {0, -0.01, 0};
    lower.friction = INFINITY;
    upper = lower;
    upper.shape.position = {0, 0.09, 0};
    upper.motion.velocity = {0, 0.4, 0};
    CHECK_OK(ooze_world_add_solid(world, &lower, nullptr, &error));
    CHECK_OK(ooze_world_add_solid(world, &upper, nullptr, &error));
}

static void add_sources(OozeWorld *world, OozeMaterialId material)
{
    OozeEmitterDef nozzle = ooze_emitter_def_default();
    nozzle.material = material;
    nozzle.radius = 2.5 * SPACING;
    nozzle.position = {0, 0.14, 0};
    nozzle.speed = 1.0;
    CHECK_OK(ooze_world_add_emitter(world, &nozzle, nullptr, &error));
    OozeSinkDef sink = ooze_sink_def_default();
    sink.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    sink.shape.size = {0.04, 0.03, 0.2};
    sink.shape.position = {0.03, 0.01, 0};
    CHECK_OK(ooze_world_add_sink(world, &sink, &error));
}

static void fill_world(OozeWorld *world, const Case *c)
{
    OozeMaterialId first = add_material(world, 1160, c->material);
    if (c->scene == BLOB) {
        add_block(world, first, {0.08, 0.06, 0.06}, {0, 0, 0}, 0.5);
    } else if (c->scene == COLUMN) {
        OozeMaterialId oil = add_material(world, 800, {{"viscosity", 0.5}});
        add_container(world);
        add_block(world, first, {0.06, 0.07, 0.06}, {0, 0.035, 0}, 0);
        add_block(world, oil, {0.06, 0.03, 0.06}, {0, 0.085, 0}, 0);
    } else if (c->scene == THREAD) {
        add_plates(world);
        add_block(world, first, {0.06, 0.08, 0.06}, {0, 0.04, 0}, 0);
    } else if (c->scene == BAR) {
        OozeMaterialId second = add_material(world, 900, {{"viscosity", 0.2}});
        add_floor_slope_and_bar(world, 0.5);
        add_block(world, first, {0.06, 0.04, 0.32}, {0.07, 0.03, 0}, 0.5);
        add_block(world, second, {0.05, 0.05, 0.08}, {0.08, 0.09, 0}, 0.5);
    } else if (c->scene == CLOSED) {
        add_block(world, first, {0.08, 0.08, 0.08}, {0, 0, 0}, 0.5);
    } else {
        OozeSolidDef floor = ooze_solid_def_default();
        floor.friction = 0.5;
        floor.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
        CHECK_OK(ooze_world_add_solid(world, &floor, nullptr, &error));
        add_block(world, first, {0.08, 0.05, 0.08}, {0, 0.03, 0}, 0.5);
        add_sources(world, first);
    }
}

/* Solves end at small residuals, so that the numbers of iterations, which depend on rounding,
   hardly matter. */
static OozeWorld *create_world(const Case *c, OozeDevice device)
{
    OozeWorldDef def = ooze_world_def_default();
    def.method = "cauchy";
    def.spacing = SPACING;
    def.time_step = 1e-3;
    def.max_travel = 0;
    def.device = device;
    if (c->scene == BLOB || c->scene == CLOSED) {
        def.gravity = {0, 0, 0};
    }
    if (c->scene == BAR) {
        def.periodic[2] = true;
        def.periodic_min = {0, 0, -0.16};
        def.periodic_max = {0, 0, 0.16};
    }
    if (c->scene == CLOSED) {
        def.periodic[0] = def.periodic[1] = def.periodic[2] = true;
        def.periodic_min = {-0.04, -0.04, -0.04};
        def.periodic_max = {0.04, 0.04, 0.04};
    }
    OozeWorld *world = nullptr;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    CHECK_OK(ooze_world_set_param(world, "velocity_tolerance", 1e-6, &error));
    CHECK_OK(ooze_world_set_param(world, "pressure_tolerance", 1e-6, &error));
    for (const Setting &set : c->setting) {
        if (set.key) {
            CHECK_OK(ooze_world_set_param(world, set.key, set.value, &error));
        }
    }
    fill_world(world, c);
    return world;
}

/* The largest differences of two frames. */
struct Apart {
    double x, v, pressure, strain, density; /* spacings, m/s, Pa */
};

static Apart measure(const OozeFrame *a, const OozeFrame *b, Apart most)
{
    return {
        fmax(most.x, apart(a, b, "position", 3) / SPACING),
        fmax(most.v, apart(a, b, "velocity", 3)), fmax(most.pressure, apart(a, b, "pressure", 1)),
        fmax(most.strain, apart(a, b, "strain", 6)), fmax(most.density, apart(a, b, "density", 1))};
}

static void compare_reports(const OozeWorldStats &here, const OozeWorldStats &there)
{
    assert_true(fabs(here.worst_density_error - there.worst_density_error) < 1e-5);
    assert_true(fabs(here.mean_density_error - there.mean_density_error) < 1e-6);
    assert_true(here.substeps == there.substeps);
}

/* One step each from the same state, 12 times. */
static void steps_agree_with_the_processor(void **state)
{
    (void)state;
    for (const Case &c : cases) {
        OozeWorld *host = create_world(&c, OOZE_DEVICE_CPU);
        OozeWorld *device = create_world(&c, OOZE_DEVICE_CUDA);
        Apart most = {};
        for (int k = 0; k < 12; k++) {
            const BothSteps both = step_both(host, device);
            compare_reports(both.here, both.there);
            most = measure(both.a, both.b, most);
        }
        const OozeFrame *end = ooze_world_frame(host);
        double pressure = apart(end, nullptr, "pressure", 1);
        printf("  %s: %llu particles, %.1e spacings apart, velocities %.1e m/s, pressures %.1e of "
               "%.1e Pa, strains %.1e, densities %.1e\n",
               c.name, (unsigned long long)end->particle_count, most.x, most.v, most.pressure,
               pressure, most.strain, most.density);
        assert_true(most.x < 1e-5 && most.v < 1e-4 && most.strain < 1e-5 && most.density < 1e-5);
        assert_true(most.pressure < 1e-2 * pressure);
        ooze_world_destroy(host);
        ooze_world_destroy(device);
    }
}

/* Many steps each. */
static void runs_agree_with_the_processor(void **state)
{
    (void)state;
    for (const Case &c : cases) {
        OozeWorld *worlds[] = {create_world(&c, OOZE_DEVICE_CPU),
                               create_world(&c, OOZE_DEVICE_CUDA)};
        for (OozeWorld *world : worlds) {
            for (int k = 0; k < c.steps; k++) {
                CHECK_OK(ooze_world_step(world, &error));
            }
        }
        const OozeFrame *a = ooze_world_frame(worlds[0]), *b = ooze_world_frame(worlds[1]);
        Apart far = measure(a, b, {});
        printf("  %s: after %d steps %llu particles, %.1e spacings apart, velocities %.1e m/s\n",
               c.name, c.steps, (unsigned long long)a->particle_count, far.x, far.v);
        assert_true(far.x < 2e-3);
        ooze_world_destroy(worlds[0]);
        ooze_world_destroy(worlds[1]);
    }
}

/* Two runs, and one whose state passed through a frame, end with the same bits. */
static void runs_are_equal(void **state)
{
    (void)state;
    for (const Case &c : cases) {
        check_runs_are_equal([&] { return create_world(&c, OOZE_DEVICE_CUDA); }, 12, 5);
    }
}

/* The jet adds particles and the sink removes some. */
static void sources_act(void **state)
{
    (void)state;
    OozeWorld *world = create_world(&cases[SOURCES], OOZE_DEVICE_CUDA);
    OozeWorldStats stats;
    CHECK_OK(ooze_world_step(world, &error));
    uint64_t before = ooze_world_frame(world)->particle_count;
    for (int k = 0; k < 50; k++) {
        CHECK_OK(ooze_world_step(world, &error));
    }
    ooze_world_stats(world, &stats);
    assert_true(stats.emitted > 50 && stats.removed > 10);
    assert_true(ooze_world_frame(world)->particle_count != before);
    ooze_world_destroy(world);
}

/* A step in which a particle would move too far is divided. */
static void long_steps_are_divided(void **state)
{
    (void)state;
    OozeWorld *worlds[2];
    const OozeDevice devices[] = {OOZE_DEVICE_CPU, OOZE_DEVICE_CUDA};
    for (int k = 0; k < 2; k++) {
        OozeWorldDef def = ooze_world_def_default();
        OozeWorldStats stats;
        def.method = "cauchy";
        def.spacing = SPACING;
        def.time_step = 1.0 / 60;
        def.max_travel = 0.2;
        def.device = devices[k];
        CHECK_OK(ooze_world_create(&def, &worlds[k], &error));
        CHECK_OK(ooze_world_set_param(worlds[k], "velocity_tolerance", 1e-6, &error));
        CHECK_OK(ooze_world_set_param(worlds[k], "pressure_tolerance", 1e-6, &error));
        fill_world(worlds[k], &cases[COLUMN]);
        CHECK_OK(ooze_world_step(worlds[k], &error));
        ooze_world_stats(worlds[k], &stats);
        assert_true(stats.substeps > 1);
    }
    assert_true(measure(ooze_world_frame(worlds[0]), ooze_world_frame(worlds[1]), {}).x < 1e-3);
    ooze_world_destroy(worlds[0]);
    ooze_world_destroy(worlds[1]);
}

/* Each allocation fails in turn: the step is refused, and nothing leaks. */
static void running_out_of_memory_is_survived(void **state)
{
    (void)state;
    int refused =
        count_refused_steps([&] { return create_world(&cases[THREAD], OOZE_DEVICE_CUDA); }, 10);
    printf("  %d steps refused\n", refused);
    assert_true(refused > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_agree_with_the_processor),
        cmocka_unit_test(runs_agree_with_the_processor),
        cmocka_unit_test(runs_are_equal),
        cmocka_unit_test(sources_act),
        cmocka_unit_test(long_steps_are_divided),
        cmocka_unit_test(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
