/* Method springs takes the same steps on the device as on the processor. */
#include <vector>

#include "cuda/method.cuh"
#include "poured_world.h"

static const double SPACING = 0.02, SUPPORT = SPACING / 0.372;

/* Clay that stretches beyond the support, and water, on a sticky floor. */
static OozeWorld *create_world(Ground ground, double spring_stiffness, OozeDevice device)
{
    OozeWorld *world = create_device_world("springs", SPACING, true, device);
    CHECK_OK(ooze_world_set_param(world, "unit", 1.0 / 200, &error));
    CHECK_OK(ooze_world_set_param(world, "spring_start", 1, &error));
    OozeMaterialId clay = add_material(world, 1000,
                                       {{"spring_stiffness", spring_stiffness},
                                        {"plasticity", 0.05},
                                        {"yield_ratio", 0.1},
                                        {"linear_viscosity", 0.3}});
    OozeMaterialId water = add_material(world, 1000, {{"quadratic_viscosity", 0.2}});
    fill_poured_world(world, ground, SPACING, clay, water);
    CHECK_OK(ooze_world_set_solid(world, {0}, OOZE_SOLID_STICK_DISTANCE, 0.02, &error));
    CHECK_OK(ooze_world_set_solid(world, {0}, OOZE_SOLID_STICK_STRENGTH, 300, &error));
    return world;
}

/* Two halves of a block of clay that fly apart. */
static OozeWorld *create_torn_world(OozeDevice device)
{
    OozeWorldDef def = device_world_def("springs", SPACING, true, device);
    def.gravity = {0, 0, 0};
    OozeWorld *world = nullptr;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    CHECK_OK(ooze_world_set_param(world, "unit", 1.0 / 200, &error));
    CHECK_OK(ooze_world_set_param(world, "spring_start", 1, &error));
    OozeMaterialId clay = add_material(world, 1000, {{"spring_stiffness", 0.2}, {"plasticity", 0}});
    add_block(world, clay, {0.12, 0.12, 0.12}, {0, 0.06, 0}, {0, -3, 0});
    add_block(world, clay, {0.12, 0.12, 0.12}, {0, 0.18, 0}, {0, 3, 0});
    return world;
}

static const OozeFieldView *state_array(const OozeFrame *frame, const char *name)
{
    const OozeFieldView *found = nullptr;
    for (int k = 0; k < frame->state_count; k++) {
        found = strcmp(frame->state[k].name, name) == 0 ? &frame->state[k] : found;
    }
    assert_non_null(found);
    return found;
}

/* Every spring joins the same two rows and has the same rest length, to rounding. */
static void compare_springs(const OozeFrame *a, const OozeFrame *b, double tolerance)
{
    const OozeFieldView *other = state_array(a, "spring_other"),
                        *rest = state_array(a, "spring_rest");
    const OozeFieldView *other_b = state_array(b, "spring_other"),
                        *rest_b = state_array(b, "spring_rest");
    assert_true(other->count == other_b->count);
    for (uint64_t k = 0; k < other->count; k++) {
        assert_true(ooze_field_value(other, k, 0) == ooze_field_value(other_b, k, 0));
        assert_true(fabs(ooze_field_value(rest, k, 0) - ooze_field_value(rest_b, k, 0)) <
                    tolerance);
    }
}

/* Springs longer than the support. */
static uint64_t count_long_springs(const OozeFrame *frame)
{
    const OozeFieldView *counts = state_array(frame, "spring_count"),
                        *others = state_array(frame, "spring_other"),
                        *x = ooze_frame_field(frame, "position"),
                        *rows = ooze_frame_field(frame, "spring_row");
    uint64_t found = 0, at = 0;
    std::vector<uint64_t> particle(counts->count, UINT64_MAX);
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        const double row = ooze_field_value(rows, i, 0);
        if (row < (double)counts->count) {
            particle[(size_t)row] = i;
        }
    }
    for (uint64_t row = 0; row < counts->count; row++) {
        for (uint64_t k = 0; k < (uint64_t)ooze_field_value(counts, row, 0); k++, at++) {
            const uint64_t i = particle[row], j = particle[(size_t)ooze_field_value(others, at, 0)];
            const double d = ooze_field_value(x, i, 1) - ooze_field_value(x, j, 1);
            found += fabs(d) > SUPPORT;
        }
    }
    return found;
}

/* One step each from the same state. Pairs are updated in the same order, so that steps differ by
   rounding alone, except for particles that slide on a slope. */
static void steps_agree_with_the_processor(void **state)
{
    (void)state;
    for (Ground ground : {FLAT, SLOPED}) {
        for (double stiffness : {0.3, 0.0}) {
            OozeWorld *host = create_world(ground, stiffness, OOZE_DEVICE_CPU);
            OozeWorld *device = create_world(ground, stiffness, OOZE_DEVICE_CUDA);
            Apart most = compare_steps(host, device, 20, SPACING, [&](const BothSteps &both) {
                assert_true((state_array(both.a, "spring_rest")->count > 3000) == (stiffness > 0));
                compare_springs(both.a, both.b, 1e-5 * SPACING);
            });
            printf("  a step: %.1e spacings, %.1e m/s apart, %.1e of the particles by more than "
                   "1e-4\n",
                   most.x, most.v, most.share);
            if (ground == FLAT) {
                assert_true(most.x < 1e-4 && most.v < 1e-3 && most.share == 0.0);
            } else {
                assert_true(most.x < 0.5 && most.v < 0.02 && most.share < 0.1);
            }
            ooze_world_destroy(host);
            ooze_world_destroy(device);
        }
    }
}

static void runs_agree_with_the_processor(void **state)
{
    (void)state;
    OozeWorld *host = create_world(FLAT, 0.3, OOZE_DEVICE_CPU);
    OozeWorld *device = create_world(FLAT, 0.3, OOZE_DEVICE_CUDA);
    Apart first = compare_runs(host, device, 1, SPACING);
    Apart far = compare_runs(host, device, 49, SPACING);
    printf("  after 1 and 50 steps: %.1e and %.1e spacings apart\n", first.x, far.x);
    assert_true(first.x < 1e-5 && far.x < 0.02);
    ooze_world_destroy(host);
    ooze_world_destroy(device);
}

/* Springs longer than the support are applied one after the other on the processor. */
static void long_springs_agree_with_the_processor(void **state)
{
    (void)state;
    OozeWorld *host = create_torn_world(OOZE_DEVICE_CPU);
    OozeWorld *device = create_torn_world(OOZE_DEVICE_CUDA);
    uint64_t most_long = 0;
    Apart most = compare_steps(host, device, 12, SPACING, [&](const BothSteps &both) {
        const uint64_t found = count_long_springs(both.a);
        most_long = found > most_long ? found : most_long;
        compare_springs(both.a, both.b, 1e-5 * SPACING);
    });
    printf("  up to %llu long springs: %.1e spacings apart\n", (unsigned long long)most_long,
           most.x);
    assert_true(most_long > 200 && most.x < 1e-4);
    ooze_world_destroy(host);
    ooze_world_destroy(device);
}

/* Two runs, and one whose state passed through a frame, end with the same bits. */
static void runs_are_equal(void **state)
{
    (void)state;
    check_runs_are_equal([] { return create_world(SLOPED, 0.3, OOZE_DEVICE_CUDA); }, 20, 8);
    check_runs_are_equal([] { return create_torn_world(OOZE_DEVICE_CUDA); }, 12, 5);
}

/* Springs are moved to the device and back when the device changes between steps. */
static void springs_follow_the_particles(void **state)
{
    (void)state;
    OozeWorld *world = create_world(SLOPED, 0.3, OOZE_DEVICE_CUDA);
    for (int k = 0; k < 4; k++) {
        CHECK_OK(ooze_world_step(world, &error));
    }
    const uint64_t springs = state_array(ooze_world_frame(world), "spring_rest")->count;
    const uint64_t hash = ooze_frame_hash(ooze_world_frame(world));
    CHECK_OK(ooze_world_own_on_host(world, &error)); /* the next step uploads everything again */
    CHECK_OK(ooze_world_upload(world, &error));
    assert_true(ooze_frame_hash(ooze_world_frame(world)) == hash);
    assert_true(springs > 3000);
    assert_true(state_array(ooze_world_frame(world), "spring_rest")->count == springs);
    ooze_world_destroy(world);
}

static void what_the_device_lacks_is_refused(void **state)
{
    (void)state;
    OozeWorld *world = create_world(SLOPED, 0.3, OOZE_DEVICE_CUDA);
    OozeError why = {};
    CHECK_OK(ooze_world_set_param(world, "order", 1, &error));
    assert_int_equal(ooze_world_step(world, &why), OOZE_ERROR_UNSUPPORTED);
    assert_non_null(strstr(why.message, "'order: sequential'"));
    ooze_world_destroy(world);
}

/* Whichever piece of memory cannot be had: the step is refused, and nothing leaks. */
static void running_out_of_memory_is_survived(void **state)
{
    (void)state;
    int refused =
        count_refused_steps([] { return create_world(SLOPED, 0.3, OOZE_DEVICE_CUDA); }, 10);
    assert_true(refused > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_agree_with_the_processor),
        cmocka_unit_test(runs_agree_with_the_processor),
        cmocka_unit_test(long_springs_agree_with_the_processor),
        cmocka_unit_test(runs_are_equal),
        cmocka_unit_test(springs_follow_the_particles),
        cmocka_unit_test(what_the_device_lacks_is_refused),
        cmocka_unit_test(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
