/* Iterations of the density stage that one launch repeats have the bits of those that are launched
   one by one: a block of fluid is pressed into a floor by a box that falls. */
#include "device_world.h"

extern "C" {
#include "world/world.h"
}

static const double SPACING = 0.02;
enum { STEPS = 4, ITERATIONS = 33 };

struct Case {
    bool periodic;
    double mean_tolerance; /* 0: no stage ends early */
};
static const Case cases[] = {{false, 0}, {true, 0}, {false, 0.01}};

static void add_solid(OozeWorld *world, OozeShapeDef shape, double friction, OozeVec3 velocity)
{
    OozeSolidDef def = ooze_solid_def_default();
    def.shape = shape;
    def.friction = friction;
    def.motion.velocity = velocity;
    CHECK_OK(ooze_world_add_solid(world, &def, nullptr, &error));
}

static OozeWorld *create_world(const Case &c)
{
    OozeWorldDef def = device_world_def("conformation", SPACING, c.periodic, OOZE_DEVICE_CUDA);
    OozeWorld *world = nullptr;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    const Setting settings[] = {{"velocity_iterations", 2},
                                {"tolerance", 0},
                                {"density_iterations", ITERATIONS},
                                {"density_mean_tolerance", c.mean_tolerance}};
    for (const Setting &set : settings) {
        CHECK_OK(ooze_world_set_param(world, set.key, set.value, &error));
    }
    OozeMaterialId thick = add_material(world, 1000, {{"viscosity", 50}});
    add_solid(world, ooze_shape_def_default(OOZE_SHAPE_PLANE), INFINITY, {0, 0, 0});
    OozeShapeDef press = ooze_shape_def_default(OOZE_SHAPE_BOX);
    press.size = {0.1, 0.1, 0.1};
    press.position = {0.02, 0.26, 0};
    add_solid(world, press, 0.5, {0, -1, 0});
    OozeFluidDef fluid = ooze_fluid_def_default();
    fluid.material = thick;
    fluid.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    fluid.shape.size = {0.2, 0.2, c.periodic ? 0.32 : 0.2};
    fluid.shape.position = {0, 0.105, 0};
    fluid.velocity = {0.3, -1, 0};
    CHECK_OK(ooze_world_add_fluid(world, &fluid, nullptr, &error));
    return world;
}

/* Of the iterations alone. */
static uint64_t count_launches(const OozeWorld *world)
{
    const char *const parts[] = {"density_multipliers", "density_corrections", "push_out"};
    OozeWorldStats stats;
    uint64_t sum = 0;
    ooze_world_stats(world, &stats);
    for (int p = 0; p < stats.part_count; p++) {
        for (const char *name : parts) {
            sum += strcmp(stats.parts[p].name, name) == 0 ? stats.parts[p].launches : 0;
        }
    }
    return sum;
}

struct Run {
    uint64_t hash, launches;
};

/* `most`: OOZE_REPEAT_MOST; NULL: as it is without. */
static Run run(const Case &c, const char *most)
{
    if (most) {
        setenv("OOZE_REPEAT_MOST", most, 1);
    } else {
        unsetenv("OOZE_REPEAT_MOST");
    }
    OozeWorld *world = create_world(c);
    CHECK_OK(ooze_world_step(world, &error)); /* on the processor until then */
    ooze_world_time_parts(world);
    for (int k = 0; k < STEPS; k++) {
        CHECK_OK(ooze_world_step(world, &error));
    }
    const Run found = {ooze_frame_hash(ooze_world_frame(world)), count_launches(world)};
    ooze_world_destroy(world);
    return found;
}

static void repeated_sweeps_have_the_bits_of_single_ones(void **)
{
    for (const Case &c : cases) {
        const Run single = run(c, "0"), repeated = run(c, nullptr);
        printf("  case %d: %llu launches alone, %llu repeated, bits %s\n", (int)(&c - cases),
               (unsigned long long)single.launches, (unsigned long long)repeated.launches,
               single.hash == repeated.hash ? "the same" : "others");
        assert_true(single.hash == repeated.hash);
        /* three loops an iteration; the first one and a launch for all others */
        const uint64_t stages = repeated.launches / 4;
        assert_int_equal(repeated.launches, 4 * stages);
        assert_true(stages >= STEPS);
        if (c.mean_tolerance > 0.0) {
            assert_true(single.launches < 3 * ITERATIONS * stages);
        } else {
            assert_int_equal(single.launches, 3 * ITERATIONS * stages);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeated_sweeps_have_the_bits_of_single_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
