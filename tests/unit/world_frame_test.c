/* A world's frame is written and read with the same hash, and the run continues from it. */
#include "check.h"

#include <unistd.h>

#include "base/hash.h"
#include "ooze/world.h"
#include "output/frame_file.h"

enum { COUNT = 500, STEPS = 20 };

static OozeWorld *make_world(void)
{
    OozeWorldDef def = ooze_world_def_default();
    def.method = "ballistic";
    def.spacing = 0.01;
    def.threads = 2;
    OozeWorld *world = NULL;
    OozeMaterialDef material = ooze_material_def_default();
    OozeMaterialId id;
    material.name = "honey";
    CHECK_OK(ooze_world_create(&def, &world, &error));
    CHECK_OK(ooze_material_def_set(&material, "density", 1400.0, &error));
    CHECK_OK(ooze_world_add_material(world, &material, &id, &error));
    OozeVec3 positions[COUNT], velocities[COUNT];
    for (uint64_t i = 0; i < COUNT; i++) {
        positions[i] =
            (OozeVec3){ooze_random01(1, i, 0), ooze_random01(1, i, 1), ooze_random01(1, i, 2)};
        velocities[i] = (OozeVec3){ooze_random01(2, i, 0), ooze_random01(2, i, 1), 0.0};
    }
    CHECK_OK(ooze_world_add_particles(world, id, COUNT, positions, velocities, &error));
    return world;
}

static void step(OozeWorld *world)
{
    for (int i = 0; i < STEPS; i++) {
        CHECK_OK(ooze_world_step(world, &error));
    }
}

static void frame_of_a_world_is_read_back_and_continued(void **state)
{
    (void)state;
    char path[] = "/tmp/ooze_world_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    OozeWorld *world = make_world(), *other = make_world();
    step(world);
    const OozeFrame *frame = ooze_world_frame(world);
    OozeFrame *back = NULL;
    CHECK_OK(ooze_frame_write(frame, path, &error));
    CHECK_OK(ooze_frame_open(path, &back, &error));
    assert_int_equal(back->particle_count, COUNT);
    assert_true(ooze_frame_hash(back) == ooze_frame_hash(frame));
    CHECK_OK(ooze_world_restore(other, back, &error));
    assert_true(ooze_frame_hash(ooze_world_frame(other)) == ooze_frame_hash(back));
    step(world);
    step(other);
    uint64_t hash = ooze_frame_hash(ooze_world_frame(world));
    assert_true(ooze_frame_hash(ooze_world_frame(other)) == hash);
    assert_true(hash != ooze_frame_hash(back));
    ooze_frame_close(back);
    ooze_world_destroy(world);
    ooze_world_destroy(other);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frame_of_a_world_is_read_back_and_continued)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
