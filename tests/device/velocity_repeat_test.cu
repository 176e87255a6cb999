/* Iterations of the velocity solve that one launch repeats have the bits of those that are launched
   one by one: a block of thick fluid lands on a floor. */
#include "device_world.h"

extern "C" {
#include "world/world.h"
}

static const double SPACING = 0.02;
enum { STEPS = 3, PASSES = 2, ITERATIONS = 20 };

struct Case {
    const char *pack_from; /* particles from which on directions are rounded */
    bool periodic;
    double tolerance; /* 0: no solve ends early */
};
static const Case cases[] = {{"1000000", false, 0},
                             {"0", false, 0},
                             {"1000000", true, 0},
                             {"1000000", false, 1e-3},
                             {"0", false, 1e-3}};

static OozeWorld *create_world(const Case &c)
{
    setenv("OOZE_PACK_FROM", c.pack_from, 1);
    OozeWorldDef def = device_world_def("conformation", SPACING, c.periodic, OOZE_DEVICE_CUDA);
    OozeWorld *world = nullptr;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    const Setting settings[] = {{"velocity_preconditioner", 0},
                                {"passes", PASSES},
                                {"velocity_iterations", ITERATIONS},
                                {"tolerance", c.tolerance}};
    for (const Setting &set : settings) {
        CHECK_OK(ooze_world_set_param(world, set.key, set.value, &error));
    }
    OozeMaterialId thick = add_material(world, 1000, {{"viscosity", 500}});
    OozeSolidDef floor = ooze_solid_def_default();
    floor.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    floor.friction = INFINITY;
    CHECK_OK(ooze_world_add_solid(world, &floor, nullptr, &error));
    OozeFluidDef fluid = ooze_fluid_def_default();
    fluid.material = thick;
    fluid.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    fluid.shape.size = {0.2, 0.2, c.periodic ? 0.32 : 0.2};
    fluid.shape.position = {0, 0.105, 0};
    fluid.velocity = {0.3, -1, 0};
    CHECK_OK(ooze_world_add_fluid(world, &fluid, nullptr, &error));
    return world;
}

static uint64_t count_launches(const OozeWorld *world)
{
    OozeWorldStats stats;
    uint64_t sum = 0;
    ooze_world_stats(world, &stats);
    for (int p = 0; p < stats.part_count; p++) {
        sum += stats.parts[p].launches;
    }
    return sum;
}

/* After STEPS steps. */
struct Run {
    uint64_t hash, launches; /* launches of the last step */
    int iterations;
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
    for (int k = 0; k + 1 < STEPS; k++) {
        CHECK_OK(ooze_world_step(world, &error));
    }
    ooze_world_time_parts(world);
    const uint64_t before = count_launches(world);
    CHECK_OK(ooze_world_step(world, &error));
    OozeWorldStats stats;
    ooze_world_stats(world, &stats);
    const Run found = {ooze_frame_hash(ooze_world_frame(world)), count_launches(world) - before,
                       stats.iterations};
    ooze_world_destroy(world);
    return found;
}

static void repeated_iterations_have_the_bits_of_single_ones(void **)
{
    for (const Case &c : cases) {
        const Run single = run(c, "0"), repeated = run(c, nullptr);
        printf("  case %d: %llu launches alone, %llu repeated, bits %s\n", (int)(&c - cases),
               (unsigned long long)single.launches, (unsigned long long)repeated.launches,
               single.hash == repeated.hash ? "the same" : "others");
        assert_true(single.hash == repeated.hash);
        assert_int_equal(single.iterations, repeated.iterations);
        assert_int_equal(single.iterations<PASSES * ITERATIONS, c.tolerance> 0);
        /* three loops an iteration, but for one launch a pass */
        const uint64_t spared = 3 * (uint64_t)single.iterations - PASSES;
        assert_true(repeated.launches + spared <= single.launches);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeated_iterations_have_the_bits_of_single_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
