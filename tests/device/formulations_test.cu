/* The methods conformation and constraint take the same step on the device as on the processor:
   a sheared block of two materials between walls that move, under a free surface. */
#include "cuda/engine.cuh"

#include "device_world.h"
#include "frames_apart.h"

static const double SPACING = 0.02;
static const double WIDE =
    300; /* spacings that a wide scene measures, as one of 27 million particles does */
/* Positions after a step, in spacings. Where iterations gather rounded numbers, places are rounded
   to a step of 2^-21 of the scene, and what comes of a step is no more certain than that. */
static const double NEAR = 1e-4, ROUNDED = WIDE / 2097152.0;

/* A way of solving: settings that are not the default's. */
struct Travel {
    const char *name;
    Setting settings[6];
};

enum Packing { NEVER, ALWAYS }; /* iterations of large scenes gather rounded numbers */

struct Scene {
    bool periodic, wide; /* wide: one particle is far away, so that places are rounded coarsely */
    double dt;
    bool surface; /* surface tension, tension between the liquids, and contact angles */
};

static void add_block(OozeWorld *world, OozeMaterialId material, double x, OozeVec3 spin)
{
    OozeFluidDef def = ooze_fluid_def_default();
    def.material = material;
    def.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    def.shape.size = {0.10, 0.2, 0.16};
    def.shape.position = {x, 0.1, 0};
    def.fill = OOZE_FILL_JITTERED;
    def.jitter = 0.1;
    def.velocity = {0.1, -0.5, 0.2};
    def.spin = ooze_vec3_degrees(spin);
    CHECK_OK(ooze_world_add_fluid(world, &def, nullptr, &error));
}

/* A no-slip floor that slides, a side without friction, and a ball that comes
   down. */
static void add_solids(OozeWorld *world, const Scene *scene)
{
    OozeSolidDef floor = ooze_solid_def_default(), side = floor, ball = floor;
    floor.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    floor.shape.size = {0.6, 0.1, scene->periodic ? 0.158 : 0.6};
    floor.shape.position = {0, -0.05, 0};
    floor.friction = INFINITY;
    floor.motion.velocity = {0.3, 0, 0};
    CHECK_OK(ooze_world_add_solid(world, &floor, nullptr, &error));
    side.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    side.shape.normal = {1, 0, 0};
    side.shape.position = {-0.11, 0, 0};
    side.friction = 0.4;
    side.contact_angle = scene->surface ? 120 : NAN;
    CHECK_OK(ooze_world_add_solid(world, &side, nullptr, &error));
    ball.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    ball.shape.radius = 0.05;
    ball.shape.position = {0, 0.25, 0};
    ball.friction = 0.2;
    ball.motion.velocity = {0, -0.6, 0};
    CHECK_OK(ooze_world_add_solid(world, &ball, nullptr, &error));
}

static bool is_stiff(const Travel *travel)
{
    return strcmp(travel->settings[0].key, "stiff") == 0;
}

/* Settings of the method constraint begin with its formulation. */
static bool is_constraint(const Travel *travel)
{
    const Setting *s = travel->settings + is_stiff(travel);
    return strcmp(s->key, "formulation") == 0;
}

static OozeWorld *create_world(const Scene *scene, const Travel *travel, OozeDevice device)
{
    OozeWorldDef def = ooze_world_def_default();
    def.method = is_constraint(travel) ? "constraint" : "conformation";
    def.spacing = SPACING;
    def.time_step = scene->dt;
    def.max_travel = 0;
    def.device = device;
    if (scene->periodic) {
        def.periodic[2] = true;
        def.periodic_min = {0, 0, -0.08};
        def.periodic_max = {0, 0, 0.08};
    }
    OozeWorld *world = nullptr;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    for (const Setting *s = travel->settings; s->key; s++) {
        if (strcmp(s->key, "stiff") != 0) {
            CHECK_OK(ooze_world_set_param(world, s->key, s->value, &error));
        }
    }
    OozeMaterialId one =
        is_stiff(travel)
            ? add_material(world, 900, {{"compliance", 0}})
            : add_material(world, 1000,
                           {{"viscosity", 20}, {"modulus", 2000}, {"relaxation_time", 0.05}});
    OozeMaterialId other = scene->surface ? add_material(world, 1400,
                                                         {{"viscosity", 2},
                                                          {"surface_tension", 5},
                                                          {"interface_tension", 4},
                                                          {"contact_angle", 40}})
                                          : add_material(world, 1400, {{"viscosity", 2}});
    add_solids(world, scene);
    OozeVec3 spin = {1, 3, -2};
    add_block(world, one, -0.05, spin);
    add_block(world, other, 0.05, spin);
    if (scene->wide) {
        OozeVec3 far = {WIDE * SPACING, 0.1, 0};
        CHECK_OK(ooze_world_add_particles(world, other, 1, &far, nullptr, &error));
    }
    return world;
}

/* Steps of both from the same state, some time after the start. */
static void compare_steps(const Scene *scene, const Travel *travel, Packing packing)
{
    const int before = 6;
    OozeWorld *host = create_world(scene, travel, OOZE_DEVICE_CPU);
    OozeWorld *device = create_world(scene, travel, OOZE_DEVICE_CUDA);
    CHECK_OK(ooze_world_step(device, &error)); /* now there is an engine */
    ooze::Engine *engine = static_cast<ooze::Engine *>(device->engine_data);
    assert_non_null(engine);
    engine->pack_from = packing == ALWAYS ? 0 : UINT64_MAX;
    for (int k = 0; k < before; k++) {
        CHECK_OK(ooze_world_step(host, &error));
    }
    const BothSteps both = step_both(host, device);
    const OozeWorldStats &on_host = both.here, &there = both.there;
    const OozeFrame *a = both.a, *b = both.b;
    double x = apart(a, b, "position", 3) / SPACING;
    double u = apart(a, b, "velocity", 3) * scene->dt / SPACING;
    double q = apart(a, b, "conformation", 6);
    const char *memory = is_constraint(travel) ? "multipliers" : "velocity_change";
    const int width = is_constraint(travel) ? 6 : 3;
    double start = apart(a, b, memory, width) / (1e-9 + apart(a, nullptr, memory, width));
    printf("  %s: x %.1e u %.1e Q %.1e start %.1e, %d and %d iterations\n", travel->name, x, u, q,
           start, on_host.iterations, there.iterations);
    assert_in_range(there.iterations + 1, on_host.iterations, on_host.iterations + 2);
    ooze_world_destroy(host);
    ooze_world_destroy(device);
    double bound = packing == ALWAYS ? NEAR + ROUNDED : NEAR;
    if (!(x < bound && u < bound && q < bound && start < 10 * bound)) {
        fail_msg("%s: positions are %.3g spacings apart, velocities %.3g a step, Q %.3g, what the "
                 "next step starts from %.3g of the largest",
                 travel->name, x, u, q, start);
    }
}

enum { CONSISTENT, PAPER };

static const Travel consistent[] = {
    {"consistent", {{"formulation", CONSISTENT}}},
    {"consistent, cold", {{"formulation", CONSISTENT}, {"warm_start", 0}}},
    {"consistent, rigid", {{"stiff", 1}, {"formulation", CONSISTENT}}},
    {"consistent, fixed count",
     {{"formulation", CONSISTENT}, {"tolerance", 0}, {"velocity_iterations", 10}}},
    {"consistent, no iterations",
     {{"formulation", CONSISTENT}, {"velocity_iterations", 0}, {"position_iterations", 0}}},
    {"consistent, jacobi", {{"formulation", CONSISTENT}, {"solver", 0}}},
    {"consistent, conjugate gradients", {{"formulation", CONSISTENT}, {"solver", 2}}},
    {"consistent, positions only", {{"formulation", CONSISTENT}, {"projection", 1}}},
    {"consistent, velocities only", {{"formulation", CONSISTENT}, {"velocity_only", 1}}},
    {"consistent, without corotation", {{"formulation", CONSISTENT}, {"corotation", 0}}},
    {"consistent, shear alone", {{"formulation", CONSISTENT}, {"deviatoric_only", 1}}},
    {"consistent, shear alone, conjugate gradients",
     {{"formulation", CONSISTENT}, {"deviatoric_only", 1}, {"solver", 2}}},
};
static const Travel paper[] = {
    {"paper", {{"formulation", PAPER}}},
    {"paper, rigid", {{"stiff", 1}, {"formulation", PAPER}}},
    {"paper, fixed count", {{"formulation", PAPER}, {"tolerance", 0}, {"velocity_iterations", 10}}},
    {"paper, positions only", {{"formulation", PAPER}, {"projection", 1}}},
    {"paper, velocities only", {{"formulation", PAPER}, {"velocity_only", 1}}},
    {"paper, without corotation", {{"formulation", PAPER}, {"corotation", 0}}},
    {"paper, shear alone", {{"formulation", PAPER}, {"deviatoric_only", 1}}},
};
static const Travel lodge[] = {
    {"lodge", {{"passes", 2}}},
    {"lodge, second order", {{"time_integration", 1}}},
    {"lodge, mean tolerance", {{"density_mean_tolerance", 1e-3}, {"density_iterations", 60}}},
    {"lodge, last pressure", {{"density_warm_start", 1}, {"density_mean_tolerance", 1e-3}}},
    {"lodge, multigrid", {{"velocity_preconditioner", 2}, {"velocity_iterations", 200}}},
    {"lodge, second order, multigrid",
     {{"time_integration", 1}, {"velocity_preconditioner", 2}, {"velocity_iterations", 200}}},
};

template <int N> static void compare_all(const Travel (&travels)[N])
{
    Scene open = {false, false, 1.0 / 240, false}, periodic = open, wide = open;
    periodic.periodic = wide.wide = true;
    for (const Travel &travel : travels) {
        compare_steps(&open, &travel, NEVER);
        compare_steps(&wide, &travel, ALWAYS);
    }
    compare_steps(&periodic, &travels[0], NEVER);
    compare_steps(&periodic, &travels[N - 1], NEVER);
}

static void consistent_takes_the_same_step(void **state)
{
    (void)state;
    compare_all(consistent);
}

static void lodge_takes_the_same_step(void **state)
{
    (void)state;
    compare_all(lodge);
    Scene surface = {false, false, 1.0 / 240, true};
    compare_steps(&surface, &lodge[0], NEVER);
}

static void paper_takes_the_same_step(void **state)
{
    (void)state;
    Scene open = {false, false, 1.0 / 240, false}, periodic = open;
    periodic.periodic = true;
    for (const Travel &travel : paper) { /* whose iterations never gather rounded numbers */
        compare_steps(&open, &travel, NEVER);
        compare_steps(&periodic, &travel, NEVER);
    }
}

/* Some tens of steps, each device by itself. Positions of most particles differ by this many
   spacings at most; fluid that a solid pushes amplifies rounding, and where it is a tie whether a
   particle overlaps a solid, it may be shifted on one device alone. */
static const double STEPS_NEAR = 1e-2, STEPS_FAR = 0.5, FEW = 0.05;

static void compare_runs(const Travel *travel)
{
    enum { STEPS = 20 };
    Scene open = {false, false, 1.0 / 240, false};
    OozeWorld *host = create_world(&open, travel, OOZE_DEVICE_CPU);
    OozeWorld *device = create_world(&open, travel, OOZE_DEVICE_CUDA);
    for (int k = 0; k < STEPS; k++) {
        CHECK_OK(ooze_world_step(host, &error));
        CHECK_OK(ooze_world_step(device, &error));
    }
    const OozeFrame *a = ooze_world_frame(host), *b = ooze_world_frame(device);
    double x = apart(a, b, "position", 3) / SPACING, few = share_apart(a, b, STEPS_NEAR * SPACING);
    printf("  %s, %d steps: x %.1e, of %.4f of them above %g\n", travel->name, STEPS, x, few,
           STEPS_NEAR);
    assert_true(x < STEPS_FAR && few < FEW);
    ooze_world_destroy(host);
    ooze_world_destroy(device);
}

/* Without the stiff ones: by the printed equations they burst, and all amplify rounding. */
template <int N> static void compare_all_runs(const Travel (&travels)[N])
{
    for (const Travel &travel : travels) {
        if (!is_stiff(&travel)) {
            compare_runs(&travel);
        }
    }
}

static void runs_stay_together(void **state)
{
    (void)state;
    compare_all_runs(paper);
    compare_all_runs(consistent);
}

template <int N> static void check_bits(const Travel (&travels)[N])
{
    static const Scene open = {false, false, 1.0 / 240, false};
    for (const Travel &travel : travels) {
        auto create = [&]() { return create_world(&open, &travel, OOZE_DEVICE_CUDA); };
        check_runs_are_equal(create, 8, 3);
    }
}

static void two_runs_and_a_resumed_one_have_the_same_bits(void **state)
{
    (void)state;
    check_bits(paper);
    check_bits(consistent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(consistent_takes_the_same_step),
        cmocka_unit_test(paper_takes_the_same_step),
        cmocka_unit_test(lodge_takes_the_same_step),
        cmocka_unit_test(runs_stay_together),
        cmocka_unit_test(two_runs_and_a_resumed_one_have_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
