/* Method wcsph takes the same steps on the device as on the processor. */
#include "cuda/method.cuh"
#include "poured_world.h"

static const double SPACING = 0.02;

static OozeWorld *create_world(Ground ground, bool periodic, OozeDevice device)
{
    OozeWorldDef def = device_world_def("wcsph", SPACING, periodic, device);
    def.time_step = 1e-3;
    OozeWorld *world = nullptr;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    CHECK_OK(ooze_world_set_param(world, "sound_speed", 8, &error));
    OozeMaterialId oil = add_material(world, 900, {{"viscosity", 2}});
    OozeMaterialId syrup = add_material(world, 1300, {{"viscosity", 8}});
    fill_poured_world(world, ground, SPACING, oil, syrup);
    return world;
}

/* The step is explicit and smooth: differences are those of sums in another order, except for
   particles that slide on a slope. */
static void steps_agree_with_the_processor(void **state)
{
    (void)state;
    for (Ground ground : {FLAT, SLOPED}) {
        OozeWorld *host = create_world(ground, true, OOZE_DEVICE_CPU);
        OozeWorld *device = create_world(ground, true, OOZE_DEVICE_CUDA);
        double worst = 0;
        Apart most = compare_steps(host, device, 30, SPACING, [&](const BothSteps &both) {
            check_density_reports(both, 1e-5);
            worst = fmax(worst, both.here.worst_density_error);
        });
        printf("  a step: %.1e spacings, %.1e m/s apart, %.1e of the particles by more than 1e-4\n",
               most.x, most.v, most.share);
        assert_true(most.x < (ground == FLAT ? 2e-5 : 0.2) && most.v < 2e-3);
        assert_true(most.share < 0.02 && worst > 0.05);
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
        assert_true(first.x < 2e-5 && far.x < 5e-3);
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
