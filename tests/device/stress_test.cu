/* Method stress takes the same steps on the device as on the processor. */
#include "cuda/method.cuh"
#include "poured_world.h"

static const double SPACING = 0.02;

/* `divides`: steps are longer than the bound of stability, and are divided. */
static OozeWorld *create_world(Ground ground, bool periodic, bool divides, OozeDevice device)
{
    OozeWorldDef def = device_world_def("stress", SPACING, periodic, device);
    def.time_step = divides ? 1.0 / 60 : 1e-3;
    def.max_travel = divides ? 0.5 : 0;
    OozeWorld *world = nullptr;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    OozeMaterialId gel = add_material(world, 1000, {{"modulus", 2000}, {"relaxation_time", 0.05}});
    OozeMaterialId syrup =
        add_material(world, 1300, {{"viscosity", 5}, {"modulus", 500}, {"solvent_viscosity", 1}});
    fill_poured_world(world, ground, SPACING, gel, syrup);
    return world;
}

/* The density stage rounds positions to fixed point; particles that slide on a slope differ by
   more. */
static void steps_agree_with_the_processor(void **state)
{
    (void)state;
    for (Ground ground : {FLAT, SLOPED}) {
        OozeWorld *host = create_world(ground, true, false, OOZE_DEVICE_CPU);
        OozeWorld *device = create_world(ground, true, false, OOZE_DEVICE_CUDA);
        double strain = 0;
        Apart most = compare_steps(host, device, 30, SPACING, [&](const BothSteps &both) {
            check_density_reports(both, 1e-4);
            strain = fmax(strain, apart(both.a, both.b, "conformation", 6));
        });
        double size = apart(ooze_world_frame(host), nullptr, "conformation", 6);
        printf("  a step: %.1e spacings, %.1e m/s, strains %.1e of %.2g apart, %.1e of the "
               "particles by more than 1e-4\n",
               most.x, most.v, strain, size, most.share);
        if (ground == FLAT) {
            assert_true(most.x < 1e-4 && most.v < 2e-3 && strain < 1e-3 * size);
        } else { /* the density stage passes differences on to neighbours */
            assert_true(most.x < 0.2 && most.share < 0.2 && strain < 0.05 * size);
        }
        assert_true(size > 0.05);
        ooze_world_destroy(host);
        ooze_world_destroy(device);
    }
}

static void runs_agree_with_the_processor(void **state)
{
    (void)state;
    OozeWorld *host = create_world(FLAT, true, false, OOZE_DEVICE_CPU);
    OozeWorld *device = create_world(FLAT, true, false, OOZE_DEVICE_CUDA);
    Apart first = compare_runs(host, device, 1, SPACING);
    Apart far = compare_runs(host, device, 49, SPACING);
    printf("  after 1 and 50 steps: %.1e and %.1e spacings apart\n", first.x, far.x);
    assert_true(first.x < 1e-4 && far.x < 2e-2);
    ooze_world_destroy(host);
    ooze_world_destroy(device);
}

/* Both devices find the same steps too long, and change nothing before they are divided. */
static void unstable_steps_are_divided_alike(void **state)
{
    (void)state;
    OozeWorld *host = create_world(FLAT, false, true, OOZE_DEVICE_CPU);
    OozeWorld *device = create_world(FLAT, false, true, OOZE_DEVICE_CUDA);
    int substeps = 0;
    Apart most = compare_steps(host, device, 3, SPACING, [&](const BothSteps &both) {
        substeps = both.here.substeps > substeps ? both.here.substeps : substeps;
    });
    printf("  up to %d substeps: %.1e spacings apart\n", substeps, most.x);
    assert_true(substeps > 1 && most.x < 1e-2);
    ooze_world_destroy(host);
    ooze_world_destroy(device);
}

/* Two runs, and one whose state passed through a frame, end with the same bits. */
static void runs_are_equal(void **state)
{
    (void)state;
    check_runs_are_equal([] { return create_world(SLOPED, true, false, OOZE_DEVICE_CUDA); }, 20, 8);
}

/* Whichever piece of memory cannot be had: the step is refused, and nothing leaks. */
static void running_out_of_memory_is_survived(void **state)
{
    (void)state;
    int refused = count_refused_steps(
        [] { return create_world(SLOPED, false, false, OOZE_DEVICE_CUDA); }, 10);
    assert_true(refused > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_agree_with_the_processor),
        cmocka_unit_test(runs_agree_with_the_processor),
        cmocka_unit_test(unstable_steps_are_divided_alike),
        cmocka_unit_test(runs_are_equal),
        cmocka_unit_test(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
