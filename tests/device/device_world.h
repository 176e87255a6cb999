/* Worlds whose steps the device takes. */
#ifndef OOZE_TESTS_DEVICE_DEVICE_WORLD_H
#define OOZE_TESTS_DEVICE_DEVICE_WORLD_H

extern "C" {
#include "base/memory.h"
#include "check.h"
#include "ooze/world.h"
}

/* Of a world with steps of 1/240 s that are never divided, periodic along z on request. */
static inline OozeWorldDef device_world_def(const char *method, double spacing, bool periodic,
                                            OozeDevice device)
{
    OozeWorldDef def = ooze_world_def_default();
    def.method = method;
    def.spacing = spacing;
    def.time_step = 1.0 / 240;
    def.max_travel = 0;
    def.device = device;
    if (periodic) {
        def.periodic[2] = true;
        def.periodic_min = {0, 0, -0.16};
        def.periodic_max = {0, 0, 0.16};
    }
    return def;
}

static inline OozeWorld *create_device_world(const char *method, double spacing, bool periodic,
                                             OozeDevice device)
{
    OozeWorldDef def = device_world_def(method, spacing, periodic, device);
    OozeWorld *world = nullptr;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    return world;
}

/* A sticky floor, a slippery slope with a restitution, and a bar that moves and turns. */
static inline void add_floor_slope_and_bar(OozeWorld *world, double restitution)
{
    OozeSolidDef floor = ooze_solid_def_default(), slope = floor, bar = floor;
    floor.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    floor.friction = INFINITY;
    CHECK_OK(ooze_world_add_solid(world, &floor, nullptr, &error));
    slope.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    slope.shape.normal = {0.8, 0.6, 0};
    slope.shape.position = {-0.2, 0, 0};
    slope.friction = 0;
    slope.restitution = restitution;
    CHECK_OK(ooze_world_add_solid(world, &slope, nullptr, &error));
    bar.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    bar.shape.size = {0.05, 0.2, 0.2};
    bar.shape.position = {0.2, 0.15, 0};
    bar.motion.velocity = {-0.3, -0.2, 0.1};
    bar.motion.spin = {0, 0, 115};
    bar.motion.pivot = bar.shape.position;
    bar.friction = 0.5;
    CHECK_OK(ooze_world_add_solid(world, &bar, nullptr, &error));
}

/* Lets each allocation of the first step of a new world fail in turn, until so many steps in a row
   succeed, since some allocations are optional. Returns how many steps were refused; every other
   status than OOZE_OK and OOZE_ERROR_MEMORY fails the test. */
template <class Create> static int count_refused_steps(Create create, int successes)
{
    OozeError error;
    int refused = 0, taken = 0;
    for (uint64_t k = 1; taken < successes; k++) {
        OozeWorld *world = create();
        ooze_memory_fail_after(k);
        OozeStatus status = ooze_world_step(world, &error);
        ooze_memory_fail_after(0);
        taken = status == OOZE_OK ? taken + 1 : 0;
        refused += status == OOZE_ERROR_MEMORY;
        assert_true(status == OOZE_OK || status == OOZE_ERROR_MEMORY);
        ooze_world_destroy(world);
    }
    return refused;
}

/* What a step from the same state has led to. */
struct BothSteps {
    const OozeFrame *a, *b; /* of the processor and of the device */
    OozeWorldStats here, there;
};

/* One step of both worlds from the state of `host`; the device takes its own. */
static inline BothSteps step_both(OozeWorld *host, OozeWorld *device)
{
    BothSteps both;
    CHECK_OK(ooze_world_restore(device, ooze_world_frame(host), &error));
    CHECK_OK(ooze_world_step(host, &error));
    CHECK_OK(ooze_world_step(device, &error));
    ooze_world_stats(host, &both.here);
    ooze_world_stats(device, &both.there);
    assert_string_equal(both.there.device, "cuda");
    both.a = ooze_world_frame(host);
    both.b = ooze_world_frame(device);
    return both;
}

/* Two runs of `steps`, and one whose state passed through a frame after `kept`, end with the same
   bits. */
template <class Create> static void check_runs_are_equal(Create create, int steps, int kept)
{
    OozeWorld *first = create(), *second = create(), *resumed = create();
    for (int k = 0; k < steps; k++) {
        if (k == kept) {
            CHECK_OK(ooze_world_restore(resumed, ooze_world_frame(first), &error));
        }
        CHECK_OK(ooze_world_step(first, &error));
        CHECK_OK(ooze_world_step(second, &error));
        if (k >= kept) {
            CHECK_OK(ooze_world_step(resumed, &error));
        }
    }
    uint64_t hash = ooze_frame_hash(ooze_world_frame(first));
    assert_true(hash == ooze_frame_hash(ooze_world_frame(second)));
    assert_true(hash == ooze_frame_hash(ooze_world_frame(resumed)));
    ooze_world_destroy(first);
    ooze_world_destroy(second);
    ooze_world_destroy(resumed);
}

/* A number of a material or a setting; key NULL: none. */
struct Setting {
    const char *key;
    double value;
};

/* A material with these numbers. */
static inline OozeMaterialId add_material(OozeWorld *world, double density,
                                          const Setting (&numbers)[6])
{
    OozeMaterialDef def = ooze_material_def_default();
    OozeMaterialId id;
    CHECK_OK(ooze_material_def_set(&def, "density", density, &error));
    for (const Setting &set : numbers) {
        if (set.key) {
            CHECK_OK(ooze_material_def_set(&def, set.key, set.value, &error));
        }
    }
    CHECK_OK(ooze_world_add_material(world, &def, &id, &error));
    return id;
}

#endif
