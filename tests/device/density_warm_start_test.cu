/* Steps whose density stage begins with the pressure of the last step, or ends at a mean error, on
   the device and on the processor: a block of thick fluid, nu dt/d^2 = 80, that lands on a floor
   between two walls. */
#include "device_world.h"
#include "frames_apart.h"

static const double SPACING = 0.05;
/* Positions after a step, in spacings: see formulations_test.cu. */
static const double NEAR = 1e-4;
/* The step at which the block has landed, and pushes carry it. */
enum { LANDED = 12 };

struct Stage {
    bool warm, mean, periodic;
};
static const Stage stages[] = {
    {true, false, false}, {false, true, false}, {true, true, false}, {true, true, true}};

static void add_plane(OozeWorld *world, OozeVec3 normal, double friction)
{
    OozeSolidDef plane = ooze_solid_def_default();
    plane.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    plane.shape.normal = normal;
    plane.shape.position = {-0.25 * normal.x, 0, 0};
    plane.friction = friction;
    CHECK_OK(ooze_world_add_solid(world, &plane, nullptr, &error));
}

static OozeWorld *create_world(const Stage &stage, OozeDevice device)
{
    OozeWorldDef def = device_world_def("conformation", SPACING, false, device);
    def.time_step = 1.0 / 25;
    if (stage.periodic) {
        def.periodic[2] = true;
        def.periodic_min = {0, 0, -0.2};
        def.periodic_max = {0, 0, 0.2};
    }
    OozeWorld *world = nullptr;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    const Setting settings[] = {{"density_warm_start", stage.warm ? 1.0 : 0.0},
                                {"density_mean_tolerance", stage.mean ? 1e-3 : 0.0},
                                {"density_iterations", stage.mean ? 60.0 : 12.0},
                                {"tolerance", 1e-6}};
    for (const Setting &set : settings) {
        CHECK_OK(ooze_world_set_param(world, set.key, set.value, &error));
    }
    OozeMaterialId thick = add_material(world, 1000, {{"viscosity", 5000}});
    OozeMaterialId thin = add_material(world, 1200, {{"viscosity", 500}});
    add_plane(world, {0, 1, 0}, INFINITY);
    add_plane(world, {1, 0, 0}, 0);
    add_plane(world, {-1, 0, 0}, 0.5);
    for (int k = 0; k < 2; k++) {
        OozeFluidDef fluid = ooze_fluid_def_default();
        fluid.material = k ? thin : thick;
        fluid.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
        fluid.shape.size = {0.4, 0.3, 0.4};
        fluid.shape.position = {0, 0.2 + 0.3 * k, 0};
        CHECK_OK(ooze_world_add_fluid(world, &fluid, nullptr, &error));
    }
    return world;
}

static void step_many(OozeWorld *world, int count)
{
    for (int k = 0; k < count; k++) {
        CHECK_OK(ooze_world_step(world, &error));
    }
}

static double largest_push(const OozeFrame *frame)
{
    const bool warm = ooze_frame_field(frame, "multiplier") != nullptr;
    const int width = warm ? 1 : 3;
    double *start = by_id(frame, warm ? "multiplier" : "push", width), most = 0;
    for (uint64_t i = 0; i < FRAME_IDS; i++) {
        most = fmax(most, start[(uint64_t)width * i]);
    }
    free(start);
    return most;
}

static void takes_the_same_step(void **state)
{
    (void)state;
    for (const Stage &stage : stages) {
        OozeWorld *host = create_world(stage, OOZE_DEVICE_CPU);
        OozeWorld *device = create_world(stage, OOZE_DEVICE_CUDA);
        step_many(host, LANDED);
        for (int k = 0; k < 3; k++) {
            const BothSteps both = step_both(host, device);
            double x = apart(both.a, both.b, "position", 3) / SPACING;
            const char *begins = stage.warm ? "multiplier" : "push";
            const int width = stage.warm ? 1 : 3;
            double start =
                apart(both.a, both.b, begins, width) / apart(both.a, nullptr, begins, width);
            printf("  warm %d mean %d periodic %d: mean errors %.3e %.3e\n", stage.warm, stage.mean,
                   stage.periodic, both.here.mean_density_error, both.there.mean_density_error);
            MEASURED("positions differ by, spacings", x, 0, NEAR);
            MEASURED("what the next step begins with differs by", start, 0, 10 * NEAR);
            assert_true(largest_push(both.b) > 0);
            CHECK_NEAR(both.there.mean_density_error, both.here.mean_density_error, 1e-5);
            assert_true(!stage.mean || both.there.mean_density_error <= 1e-3);
        }
        ooze_world_destroy(host);
        ooze_world_destroy(device);
    }
}

static void two_runs_and_a_resumed_one_have_the_same_bits(void **state)
{
    (void)state;
    for (const Stage &stage : stages) {
        auto create = [&]() { return create_world(stage, OOZE_DEVICE_CUDA); };
        check_runs_are_equal(create, LANDED + 4, LANDED);
    }
}

/* A run that the processor begins, the device continues and the processor ends stays with one of
   the processor alone: multipliers pass through frames. */
static void resumes_on_the_other_device(void **state)
{
    (void)state;
    const Stage stage = {true, true, false};
    OozeWorld *whole = create_world(stage, OOZE_DEVICE_CPU);
    OozeWorld *first = create_world(stage, OOZE_DEVICE_CPU);
    OozeWorld *device = create_world(stage, OOZE_DEVICE_CUDA);
    OozeWorld *last = create_world(stage, OOZE_DEVICE_CPU);
    step_many(whole, LANDED + 8);
    step_many(first, LANDED);
    CHECK_OK(ooze_world_restore(device, ooze_world_frame(first), &error));
    step_many(device, 4);
    CHECK_OK(ooze_world_restore(last, ooze_world_frame(device), &error));
    step_many(last, 4);
    MEASURED("positions differ by, spacings",
             apart(ooze_world_frame(whole), ooze_world_frame(last), "position", 3) / SPACING, 0,
             1e-2);
    ooze_world_destroy(whole);
    ooze_world_destroy(first);
    ooze_world_destroy(device);
    ooze_world_destroy(last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_same_step),
        cmocka_unit_test(two_runs_and_a_resumed_one_have_the_same_bits),
        cmocka_unit_test(resumes_on_the_other_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
