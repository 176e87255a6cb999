/* Method ballistic takes the same steps on the device as on the processor. */
#include "cuda/method.cuh"
#include "poured_world.h"

static const double SPACING = 0.02;

/* Two materials, one with drag, a jet, and a floor that pulls them. */
static OozeWorld *create_world(Ground ground, bool periodic, OozeDevice device)
{
    OozeWorld *world = create_device_world("ballistic", SPACING, periodic, device);
    OozeMaterialId stone = add_material(world, 2000, {});
    OozeMaterialId chaff = add_material(world, 100, {{"drag", 3}});
    fill_poured_world(world, ground, SPACING, stone, chaff);
    CHECK_OK(ooze_world_set_solid(world, {0}, OOZE_SOLID_STICK_DISTANCE, 0.02, &error));
    CHECK_OK(ooze_world_set_solid(world, {0}, OOZE_SOLID_STICK_STRENGTH, 100, &error));
    return world;
}

/* No particle reads another: differences are those of rounding, except for particles that slide on
   a slope. */
static void steps_agree_with_the_processor(void **state)
{
    (void)state;
    for (Ground ground : {FLAT, SLOPED}) {
        OozeWorld *host = create_world(ground, true, OOZE_DEVICE_CPU);
        OozeWorld *device = create_world(ground, true, OOZE_DEVICE_CUDA);
        Apart most = compare_steps(host, device, 40, SPACING, [](const BothSteps &) {});
        printf("  a step: %.1e spacings, %.1e m/s apart, %.1e of the particles by more than 1e-4\n",
               most.x, most.v, most.share);
        assert_true(most.x < (ground == FLAT ? 1e-5 : 0.5));
        /* velocities of those that slide: 0.014 on an H200 */
        assert_true(most.v < (ground == FLAT ? 1e-3 : 0.05));
        assert_true(most.share < (ground == FLAT ? 1e-9 : 0.05));
        ooze_world_destroy(host);
        ooze_world_destroy(device);
    }
}

static void runs_agree_with_the_processor(void **state)
{
    (void)state;
    for (bool periodic : {false, true}) {
        OozeWorld *host = create_world(FLAT, periodic, OOZE_DEVICE_CPU);
        OozeWorld *device = create_world(FLAT, periodic, OOZE_DEVICE_CUDA);
        Apart first = compare_runs(host, device, 1, SPACING);
        Apart far = compare_runs(host, device, 49, SPACING);
        printf("  after 1 and 50 steps: %.1e and %.1e spacings apart\n", first.x, far.x);
        assert_true(first.x < 1e-5 && far.x < 1e-3);
        ooze_world_destroy(host);
        ooze_world_destroy(device);
    }
}

/* Two runs, and one whose state passed through a frame, end with the same bits. */
static void runs_are_equal(void **state)
{
    (void)state;
    check_runs_are_equal([] { return create_world(SLOPED, true, OOZE_DEVICE_CUDA); }, 20, 8);
}

/* Whichever piece of memory cannot be had: the step is refused, and nothing leaks. */
static void running_out_of_memory_is_survived(void **state)
{
    (void)state;
    int refused =
        count_refused_steps([] { return create_world(SLOPED, false, OOZE_DEVICE_CUDA); }, 10);
    assert_true(refused > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_agree_with_the_processor),
        cmocka_unit_test(runs_agree_with_the_processor),
        cmocka_unit_test(runs_are_equal),
        cmocka_unit_test(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
