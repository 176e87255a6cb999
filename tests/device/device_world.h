/* Worlds whose steps the device takes. */
#ifndef OOZE_TESTS_DEVICE_DEVICE_WORLD_H
#define OOZE_TESTS_DEVICE_DEVICE_WORLD_H

extern "C" {
#include "base/memory.h"
#include "check.h"
#include "ooze/world.h"
}

/* A world with steps of 1/240 s that are never divided, periodic along z on request. */
static OozeWorld *create_device_world(const char *method, double spacing, bool periodic,
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
    OozeWorld *world = nullptr;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    return world;
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

#endif
