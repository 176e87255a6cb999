/* Frames that are copied from the device while steps go on hold the state of their step. */
#include "cuda/engine.cuh"
#include "poured_world.h"

extern "C" {
#include "output/frame_copy.h"
}

static const double SPACING = 0.02;

/* A jet adds particles, and a sink removes some, so that their number changes. */
static OozeWorld *create_world(const char *method)
{
    OozeWorld *world = create_device_world(method, SPACING, true, OOZE_DEVICE_CUDA);
    OozeMaterialId oil = add_material(world, 900, {});
    fill_poured_world(world, FLAT, SPACING, oil, oil);
    return world;
}

static void step(OozeWorld *world, int steps)
{
    for (int k = 0; k < steps; k++) {
        CHECK_OK(ooze_world_step(world, &error));
    }
}

static void fetched_frames_have_the_same_bits(void **state)
{
    (void)state;
    OozeWorld *world = create_world("ballistic"), *other = create_world("ballistic");
    OozeFetch fetch[2] = {};
    OozeFrameCopy copy = {};
    assert_null(ooze_world_fetch_frame(world, &fetch[0])); /* particles are on the host */
    for (int k = 0; k < 8; k++) {
        OozeFetch *to = &fetch[k % 2];
        step(world, 5);
        step(other, 5);
        const OozeFrame *now = ooze_world_fetch_frame(world, to);
        assert_non_null(now);
        CHECK_OK(ooze_frame_copy_state(&copy, now, &error));
        step(world, 1);
        CHECK_OK(to->wait(to, &error));
        const OozeFrame *expected = ooze_world_frame(other);
        assert_true(ooze_frame_hash(&copy.frame) == ooze_frame_hash(expected));
        assert_int_equal(copy.frame.particle_count, expected->particle_count);
        step(other, 1);
    }
    fetch[0].free(&fetch[0]);
    ooze_world_destroy(world);
    CHECK_OK(fetch[1].wait(&fetch[1], &error)); /* it outlives the engine */
    assert_true(ooze_field_value(ooze_frame_field(&copy.frame, "position"), 0, 1) < 1);
    fetch[1].free(&fetch[1]);
    ooze_frame_copy_free(&copy);
    ooze_world_destroy(other);
}

/* Arrays of a method are read back by the method. */
static void methods_with_arrays_are_not_fetched(void **state)
{
    (void)state;
    OozeWorld *world = create_world("springs");
    OozeFetch fetch = {};
    step(world, 1);
    assert_null(ooze_world_fetch_frame(world, &fetch));
    assert_null(fetch.free);
    ooze_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fetched_frames_have_the_same_bits),
        cmocka_unit_test(methods_with_arrays_are_not_fetched),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
