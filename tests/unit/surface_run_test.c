/* Surfaces of what the simulation makes: splashes, threads, touching blobs, fluid at rest. */
#include "check.h"
#include "mesh_judge.h"
#include "ooze/ooze.h"
#include "surface_measure.h"

static OozeWorld *load(const char *text)
{
    OozeScene *scene = NULL;
    OozeWorld *world = NULL;
    OozeBuildOptions options = {.threads = 1};
    CHECK_OK(ooze_scene_load_text(text, strlen(text), "test", &scene, &error));
    CHECK_OK(ooze_scene_build(scene, &options, &world, &error));
    ooze_scene_free(scene);
    return world;
}

static const OozeFrame *frame_after(OozeWorld *world, double seconds)
{
    CHECK_OK(ooze_world_advance(world, seconds, NULL, NULL, &error));
    const OozeFrame *frame = ooze_world_frame(world);
    assert_non_null(frame);
    return frame;
}

/* Sound with each method and with coarse and fine cells, whatever the fluid does. */
static uint64_t check_frame(const OozeFrame *frame)
{
    uint64_t triangles = 0;
    for (int m = 0; m < OOZE_SURFACE_METHOD_COUNT; m++) {
        for (int fine = 0; fine < 2; fine++) {
            OozeSurfaceSettings settings = ooze_surface_default();
            settings.method = (OozeSurfaceMethod)m;
            settings.cell = fine ? 0.5 : 1.1;
            OozeSurface *surface = NULL;
            CHECK_OK(ooze_surface_build(frame, &settings, 1, &surface, &error));
            CHECK_SOUND_MESH(surface);
            assert_true(surface->volume > 0.0);
            triangles += surface->triangle_count;
            ooze_surface_free(surface);
        }
    }
    return triangles;
}

static const char splash[] = "ooze: 2\n"
                             "method: {name: conformation}\n"
                             "spacing: 0.02\ntime_step: 1/240\nduration: 1\n"
                             "materials:\n"
                             "  water: {density: 1000, relaxation_time: 0.001, viscosity: 0.1}\n"
                             "fluids:\n"
                             "  - {material: water, shape: {type: box, size: [0.16, 0.16, 0.16],"
                             " position: [0, 0.1, 0]}, velocity: [0, -4, 0]}\n"
                             "solids:\n"
                             "  - {name: floor, shape: {type: plane}}\n";

static const char thread[] = "ooze: 2\n"
                             "method: {name: conformation}\n"
                             "spacing: 0.005\ntime_step: 1/480\nduration: 1\n"
                             "materials:\n"
                             "  honey: {density: 1400, relaxation_time: 0.02, viscosity: 280}\n"
                             "emitters:\n"
                             "  - {material: honey, radius: 0.008, position: [0, 0.06, 0],"
                             " speed: 0.4}\n"
                             "solids:\n"
                             "  - {name: plate, shape: {type: plane}, friction: inf}\n";

static const char blobs[] = "ooze: 2\n"
                            "method: {name: conformation}\n"
                            "spacing: 0.02\ntime_step: 1/240\nduration: 1\n"
                            "gravity: [0, 0, 0]\n"
                            "materials:\n"
                            "  gel: {density: 1000, relaxation_time: 0.1, viscosity: 10}\n"
                            "fluids:\n"
                            "  - {material: gel, shape: {type: sphere, radius: 0.07,"
                            " position: [-0.09, 0, 0]}, velocity: [0.5, 0, 0]}\n"
                            "  - {material: gel, shape: {type: sphere, radius: 0.07,"
                            " position: [0.09, 0.03, 0]}, velocity: [-0.5, 0, 0]}\n";

static void watch(const char *scene, int frames, double step)
{
    OozeWorld *world = load(scene);
    uint64_t triangles = 0;
    for (int i = 0; i < frames; i++) {
        triangles += check_frame(frame_after(world, step));
    }
    printf("  %llu triangles in %d frames\n", (unsigned long long)triangles, frames);
    assert_true(triangles > 1000);
    ooze_world_destroy(world);
}

static void test_splash(void **state)
{
    (void)state;
    watch(splash, 8, 0.03);
}

static void test_thread(void **state)
{
    (void)state;
    watch(thread, 6, 0.08);
}

static void test_touching_blobs(void **state)
{
    (void)state;
    watch(blobs, 8, 0.02);
}

static const char pool[] = "ooze: 2\n"
                           "method: {name: conformation}\n"
                           "spacing: 0.02\ntime_step: 1/240\nduration: 10\n"
                           "materials:\n"
                           "  syrup: {density: 1000, relaxation_time: 0.01, viscosity: 20}\n"
                           "fluids:\n"
                           "  - {material: syrup, shape: {type: box, size: [0.2, 0.2, 0.2],"
                           " position: [0, 0.1, 0]}}\n"
                           "solids:\n"
                           "  - {name: tray, shape: {type: box, size: [0.2, 0.8, 0.2],"
                           " position: [0, 0.4, 0], inverted: true}}\n";

/* Settled: the volume is right, and from frame to frame the surface moves by less than 2% of a
   spacing. After 3 s single particles in corners still creep by several percent. */
static void test_fluid_at_rest(void **state)
{
    (void)state;
    enum { SIDE = 16 };
    OozeWorld *world = load(pool);
    OozeSurfaceSettings settings = ooze_surface_default();
    double before[SIDE * SIDE];
    for (int i = 0; i < 4; i++) {
        const OozeFrame *frame = frame_after(world, i ? 1.0 / 24.0 : 3.0);
        OozeSurface *surface = NULL;
        CHECK_OK(ooze_surface_build(frame, &settings, 1, &surface, &error));
        double whole = (double)frame->particle_count * pow(frame->spacing, 3.0);
        double most = 0.0, sum = 0.0;
        for (int k = 0; k < SIDE * SIDE; k++) {
            double x = 0.012 * (k % SIDE - 7.5), z = 0.012 * (k / SIDE - 7.5);
            double height = mesh_height(surface, x, z);
            double moved = i ? fabs(height - before[k]) / frame->spacing : 0.0;
            before[k] = height;
            most = fmax(most, moved);
            sum += moved;
        }
        MEASURED("settled volume over N times particle volume", surface->volume / whole, 0.97,
                 1.03);
        printf("  mean move %.2g spacings;", sum / (SIDE * SIDE));
        MEASURED("largest move of the surface in spacings", most, 0.0, 0.02);
        ooze_surface_free(surface);
    }
    ooze_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_splash),
        cmocka_unit_test(test_thread),
        cmocka_unit_test(test_touching_blobs),
        cmocka_unit_test(test_fluid_at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
