/* Attributes of vertices, smoothing, decimation, and invalid input. */
#include "base/memory.h"
#include "check.h"
#include "mesh_judge.h"
#include "scratch_folder.h"
#include "surface_frame.h"

static OozeSurface *build(const CloudFrame *cloud, const OozeSurfaceSettings *settings)
{
    OozeSurface *surface = NULL;
    CHECK_OK(ooze_surface_build(&cloud->frame, settings, 1, &surface, &error));
    return surface;
}

/* ---- what vertices carry --------------------------------------------------------------------- */

/* A rigid block of two materials that turns: the velocity is linear, so its blend is near the
   vertex's own; colours blend where the materials meet, and stay pure away from there. */
static void test_velocity_colour_material_and_fields(void **state)
{
    (void)state;
    CloudFrame *cloud = cloud_block(20, 8, 8, 0.0, 1, 1.0);
    for (uint64_t i = 0; i < cloud->frame.particle_count; i++) {
        const float *p = cloud->position + 4 * i;
        cloud->velocity[4 * i] = -p[1];
        cloud->velocity[4 * i + 1] = p[0];
        cloud->material[i] = p[0] > 10.0f;
        cloud->temperature[i] = 300.0f + p[0];
    }
    const char *fields[] = {"temperature", "velocity", "material"};
    OozeSurfaceSettings settings = ooze_surface_default();
    settings.fields = fields;
    settings.field_count = 3;
    OozeSurface *surface = build(cloud, &settings);
    assert_int_equal(surface->field_count, 3);
    assert_string_equal(surface->fields[0].name, "temperature");
    assert_string_equal(surface->fields[0].unit, "K");
    assert_int_equal(surface->fields[1].components, 3);
    for (uint64_t v = 0; v < surface->vertex_count; v++) {
        const float *p = surface->positions + 3 * v, *c = surface->colors + 3 * v;
        /* Kernels reach 2.4 spacings inwards and nothing outwards: the blend is at most that
           far. */
        CHECK_NEAR(surface->velocities[3 * v], -p[1], 1.5);
        CHECK_NEAR(surface->velocities[3 * v + 1], p[0], 1.5);
        CHECK_NEAR(surface->fields[0].values[v], 300.0 + p[0], 1.5);
        assert_true(surface->fields[1].values[3 * v] == surface->velocities[3 * v]);
        CHECK_NEAR(c[0] + c[2], 1.0, 1e-5);
        if (p[0] < 7.0f || p[0] > 13.0f) {
            assert_int_equal(surface->materials[v], p[0] > 10.0f);
            CHECK_NEAR(c[2], p[0] > 10.0f, 1e-5);
            CHECK_NEAR(surface->fields[2].values[v], p[0] > 10.0f, 1e-5);
        }
    }
    ooze_surface_free(surface);
    cloud_free(cloud);
}

/* ---- after the mesh is made ------------------------------------------------------------------ */

static void test_mesh_smoothing_keeps_volume(void **state)
{
    (void)state;
    CloudFrame *cloud = cloud_block(14, 14, 14, 0.3, 7, 0.02);
    OozeSurfaceSettings settings = ooze_surface_default();
    settings.method = OOZE_SURFACE_ISOTROPIC;
    settings.smoothing = 0.0;
    settings.mesh_smoothing = 0;
    OozeSurface *rough = build(cloud, &settings);
    settings.mesh_smoothing = 8;
    OozeSurface *smooth = build(cloud, &settings);
    CHECK_SOUND_MESH(smooth);
    assert_int_equal(smooth->triangle_count, rough->triangle_count);
    MEASURED("volume after 8 passes", smooth->volume / rough->volume, 0.995, 1.005);
    MEASURED("area after 8 passes", smooth->area / rough->area, 0.5, 0.97);
    ooze_surface_free(rough);
    ooze_surface_free(smooth);
    cloud_free(cloud);
}

static bool can_decimate(void)
{
    int count;
    const OozeFeature *features = ooze_features(&count);
    for (int i = 0; i < count; i++) {
        if (strcmp(features[i].name, "meshopt") == 0) {
            return features[i].present;
        }
    }
    return false;
}

/* A spray of drops, threads and a lump: all the cases in which collapsing edges could pinch. */
static CloudFrame *messy_cloud(void)
{
    CloudFrame *cloud = cloud_block(12, 12, 12, 0.35, 11, 1.0);
    cloud->frame.particle_count = 0;
    for (uint64_t i = 0; i < 500; i++) {
        double u = ooze_random01(2, i, 0), v = ooze_random01(2, i, 1), w = ooze_random01(2, i, 2);
        cloud_add(cloud, 30.0 * u * u, 12.0 * v, 12.0 * w);
    }
    for (int i = 0; i < 60; i++) {
        cloud_add(cloud, 20.0 + 6.0 * cos(0.2 * i), 0.15 * i, 6.0 * sin(0.2 * i));
    }
    return cloud;
}

static void test_decimation_keeps_the_mesh_sound(void **state)
{
    (void)state;
    CloudFrame *cloud = messy_cloud();
    OozeSurfaceSettings settings = ooze_surface_default();
    if (!can_decimate()) {
        settings.decimation = 0.5;
        OozeSurface *none = NULL;
        CHECK_FAILS(ooze_surface_build(&cloud->frame, &settings, 1, &none, &error),
                    OOZE_ERROR_UNSUPPORTED, "without meshoptimizer");
        cloud_free(cloud);
        return;
    }
    OozeSurface *whole = build(cloud, &settings);
    CHECK_SOUND_MESH(whole);
    for (double share = 0.9; share > 0.02; share *= 0.75) {
        settings.decimation = share;
        OozeSurface *less = build(cloud, &settings);
        CHECK_SOUND_MESH(less);
        printf("  asked for %.3f, left %.3f:", share,
               (double)less->triangle_count / (double)whole->triangle_count);
        /* A quarter of a spacing is the most the surface may move; drops are small against it. */
        MEASURED("volume", less->volume / whole->volume, 0.85, 1.05);
        assert_true(less->triangle_count < whole->triangle_count);
        ooze_surface_free(less);
    }
    ooze_surface_free(whole);
    cloud_free(cloud);
}

/* ---- bad input ------------------------------------------------------------------------------- */

static void test_empty_frame_has_an_empty_surface(void **state)
{
    (void)state;
    CloudFrame *cloud = cloud_create(0, 0.02);
    OozeSurfaceSettings settings = ooze_surface_default();
    settings.mesh_smoothing = 2;
    settings.decimation = can_decimate() ? 0.5 : 1.0;
    OozeSurface *surface = build(cloud, &settings);
    assert_int_equal(surface->vertex_count, 0);
    assert_int_equal(surface->triangle_count, 0);
    assert_true(surface->volume == 0.0 && surface->area == 0.0);
    ooze_surface_free(surface);
    cloud_free(cloud);
}

/* A frame file with a NaN in it: the message names particle and frame. */
static void test_nan_in_a_file_is_refused(void **state)
{
    (void)state;
    CloudFrame *cloud = cloud_block(4, 4, 4, 0.0, 1, 0.1);
    cloud->frame.index = 17;
    cloud->position[4 * 23 + 1] = NAN;
    char path[64];
    snprintf(path, sizeof path, "%s/nan.h5", folder);
    CHECK_OK(ooze_frame_write(&cloud->frame, path, &error));
    OozeFrame *frame = NULL;
    CHECK_OK(ooze_frame_open(path, &frame, &error));
    OozeSurfaceSettings settings = ooze_surface_default();
    OozeSurface *surface = NULL;
    CHECK_FAILS(ooze_surface_build(frame, &settings, 1, &surface, &error), OOZE_ERROR_NUMERIC,
                "particle 23 of frame 17");
    assert_null(surface);
    ooze_frame_close(frame);
    cloud_free(cloud);
}

static void test_absurd_resolution_is_refused(void **state)
{
    (void)state;
    CloudFrame *cloud = cloud_block(10, 10, 10, 0.0, 1, 0.1);
    OozeSurfaceSettings settings = ooze_surface_default();
    OozeSurface *surface = NULL;
    settings.cell = 1e-4; /* a million blocks a particle */
    CHECK_FAILS(ooze_surface_build(&cloud->frame, &settings, 1, &surface, &error), OOZE_ERROR_LIMIT,
                "MiB");
    settings.cell = 1e-9;
    CHECK_FAILS(ooze_surface_build(&cloud->frame, &settings, 1, &surface, &error), OOZE_ERROR_LIMIT,
                "cells of");
    settings.cell = 0.5;
    settings.memory = 10000;
    CHECK_FAILS(ooze_surface_build(&cloud->frame, &settings, 1, &surface, &error), OOZE_ERROR_LIMIT,
                "MiB are allowed");
    cloud->position[0] = 1e30f;
    settings = ooze_surface_default();
    CHECK_FAILS(ooze_surface_build(&cloud->frame, &settings, 1, &surface, &error), OOZE_ERROR_LIMIT,
                "particle 0 of frame 0");
    assert_null(surface);
    cloud_free(cloud);
}

static void test_meaningless_settings_are_refused(void **state)
{
    (void)state;
    CloudFrame *cloud = cloud_block(2, 2, 2, 0.0, 1, 0.1);
    OozeSurface *surface = NULL;
    const char *fields[] = {"temprature"};
    OozeSurfaceSettings settings = ooze_surface_default();
    settings.fields = fields;
    settings.field_count = 1;
    OozeError report = {0};
    assert_int_equal(ooze_surface_build(&cloud->frame, &settings, 1, &surface, &report),
                     OOZE_ERROR_ARGUMENT);
    assert_non_null(strstr(report.message, "temprature"));
    assert_string_equal(report.hint, "did you mean 'temperature'?");
    const OozeSurfaceSettings base = ooze_surface_default();
    for (int k = 0; k < 8; k++) {
        settings = base;
        settings.cell = k == 0 ? 0.0 : k == 1 ? NAN : k == 2 ? -1.0 : 0.5;
        settings.smoothing = k == 3 ? 1.5 : 0.9;
        settings.decimation = k == 4 ? 0.0 : 1.0;
        settings.mesh_smoothing = k == 5 ? -1 : 0;
        settings.field_count = k == 6 ? 3 : 0;
        settings.method = k == 7 ? OOZE_SURFACE_METHOD_COUNT : base.method;
        CHECK_FAILS(ooze_surface_build(&cloud->frame, &settings, 1, &surface, &error),
                    OOZE_ERROR_ARGUMENT, "");
    }
    CHECK_FAILS(ooze_surface_build(NULL, &base, 1, &surface, &error), OOZE_ERROR_ARGUMENT, "frame");
    CHECK_FAILS(ooze_surface_build(&cloud->frame, &base, 1, NULL, &error), OOZE_ERROR_ARGUMENT,
                "surface");
    cloud->frame.spacing = 0.0;
    CHECK_FAILS(ooze_surface_build(&cloud->frame, &base, 1, &surface, &error), OOZE_ERROR_ARGUMENT,
                "spacing");
    ooze_surface_free(NULL);
    cloud_free(cloud);
}

/* Every allocation in turn fails: told as such, nothing left behind (the sanitizer watches). */
static void fail_allocations(const CloudFrame *cloud, const OozeSurfaceSettings *settings)
{
    uint64_t failures = 0;
    for (uint64_t n = 1;; n++) {
        OozeSurface *surface = NULL;
        OozeError error = {0};
        ooze_memory_fail_after(n);
        OozeStatus status = ooze_surface_build(&cloud->frame, settings, 1, &surface, &error);
        ooze_memory_fail_after(0);
        if (!status) {
            ooze_surface_free(surface);
            break;
        }
        assert_int_equal(status, OOZE_ERROR_MEMORY);
        assert_null(surface);
        failures++;
    }
    assert_true(failures > 20);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    CloudFrame *cloud = cloud_block(5, 5, 5, 0.1, 1, 0.1);
    const char *fields[] = {"temperature"};
    OozeSurfaceSettings settings = ooze_surface_default();
    settings.mesh_smoothing = 1;
    settings.decimation = can_decimate() ? 0.8 : 1.0;
    settings.fields = fields;
    settings.field_count = 1;
    fail_allocations(cloud, &settings);
    settings.decimation = 1.0;
    for (uint64_t i = 0; i < cloud->frame.particle_count; i++) {
        cloud->material[i] = i % 5 > 2;
    }
    fail_allocations(cloud, &settings);
    cloud_free(cloud);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_velocity_colour_material_and_fields),
        cmocka_unit_test(test_mesh_smoothing_keeps_volume),
        cmocka_unit_test(test_decimation_keeps_the_mesh_sound),
        cmocka_unit_test(test_empty_frame_has_an_empty_surface),
        cmocka_unit_test_setup_teardown(test_nan_in_a_file_is_refused, make_folder, remove_folder),
        cmocka_unit_test(test_absurd_resolution_is_refused),
        cmocka_unit_test(test_meaningless_settings_are_refused),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
