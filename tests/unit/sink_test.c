#include "check.h"

#include "base/hash.h"
#include "base/memory.h"
#include "world/emitter.h"

enum { COUNT = 20000 };

static OozeParticles *scatter(void)
{
    OozeParticles *particles;
    uint64_t first;
    CHECK_OK(ooze_particles_create(&particles, &error));
    CHECK_OK(ooze_particles_add(particles, COUNT, &first, &error));
    OozeFloat4 *x = ooze_particles_positions(particles);
    for (uint64_t i = 0; i < COUNT; i++) {
        x[i].x = (float)(4.0 * ooze_random01(1, i, 0) - 2.0);
        x[i].y = (float)(4.0 * ooze_random01(1, i, 1) - 2.0);
        x[i].z = (float)(4.0 * ooze_random01(1, i, 2) - 2.0);
    }
    return particles;
}

static OozeSinkDef ball(bool inverted)
{
    OozeSinkDef def = ooze_sink_def_default();
    def.name = "drain";
    def.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    def.shape.radius = 1.0;
    def.shape.position = vec3(0.5, 0, 0);
    def.shape.inverted = inverted;
    return def;
}

static void marks_inside_or_outside(void **state)
{
    (void)state;
    OozeParticles *particles = scatter();
    uint8_t *remove = calloc(COUNT, 1), *expected = calloc(COUNT, 1);
    const OozeFloat4 *x = ooze_particles_positions(particles);
    for (int inverted = 0; inverted < 2; inverted++) {
        OozeSinkDef def = ball(inverted);
        OozeSink sink;
        CHECK_OK(ooze_sink_create(&sink, &def, OOZE_AXIS_Y, 0.1, &error));
        for (int i = 0; i < COUNT; i++) {
            double dx = (double)x[i].x - 0.5, dy = x[i].y, dz = x[i].z;
            bool inside = sqrt(dx * dx + dy * dy + dz * dz) < 1.0;
            expected[i] = inside != (bool)inverted;
        }
        for (int threads = 1; threads <= 3; threads++) {
            OozeThreads *pool;
            CHECK_OK(ooze_threads_create(threads, &pool, &error));
            memset(remove, 0, COUNT);
            ooze_sink_mark(&sink, pool, particles, 0.0, remove);
            assert_memory_equal(remove, expected, COUNT);
            ooze_threads_destroy(pool);
        }
        ooze_sink_free(&sink);
    }
    free(remove);
    free(expected);
    ooze_particles_destroy(particles);
}

static void window_and_earlier_marks_are_kept(void **state)
{
    (void)state;
    OozeParticles *particles = scatter();
    uint8_t *remove = calloc(COUNT, 1);
    OozeSinkDef def = ball(false);
    def.start = 1.0;
    def.stop = 2.0;
    OozeSink sink;
    CHECK_OK(ooze_sink_create(&sink, &def, OOZE_AXIS_Y, 0.1, &error));
    double outside[] = {0.0, 0.999, 2.0, 5.0};
    remove[3] = 1;
    for (int i = 0; i < 4; i++) {
        ooze_sink_mark(&sink, NULL, particles, outside[i], remove);
    }
    int marked = 0;
    for (int i = 0; i < COUNT; i++) {
        marked += remove[i];
    }
    assert_int_equal(marked, 1);
    ooze_sink_mark(&sink, NULL, particles, 1.0, remove);
    assert_int_equal(remove[3], 1);
    marked = 0;
    for (int i = 0; i < COUNT; i++) {
        marked += remove[i];
    }
    /* 4/3 pi of 64 m3, give or take five standard deviations of the count */
    double expected = COUNT * 4.18879 / 64.0;
    CHECK_NEAR(marked, expected, 5.0 * sqrt(expected));
    ooze_sink_free(&sink);
    free(remove);
    ooze_particles_destroy(particles);
}

static void invalid_definitions_are_errors(void **state)
{
    (void)state;
    OozeSink sink;
    OozeSinkDef def = ball(false);
    def.stop = -1.0;
    CHECK_FAILS(ooze_sink_create(&sink, &def, OOZE_AXIS_Y, 0.1, &error), OOZE_ERROR_ARGUMENT,
                "sink 'drain' runs from 0 s to -1 s");
    def = ball(false);
    def.shape.radius = -1.0;
    assert_int_not_equal(ooze_sink_create(&sink, &def, OOZE_AXIS_Y, 0.1, NULL), OOZE_OK);
    def = ball(false);
    for (uint64_t n = 1; n < 3; n++) {
        ooze_memory_fail_after(n);
        CHECK_FAILS(ooze_sink_create(&sink, &def, OOZE_AXIS_Y, 0.1, &error), OOZE_ERROR_MEMORY, "");
        ooze_memory_fail_after(0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_inside_or_outside),
        cmocka_unit_test(window_and_earlier_marks_are_kept),
        cmocka_unit_test(invalid_definitions_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
