/* Surfaces built on the GPU: the triangles of the processor, vertices within rounding. */
#include "device/device.h"
#include "device/surface_case.h"

/* Positions of vertices, in spacings: the search for a vertex ends where the field is near enough
   to its level, and rounding decides after which step. */
#define POSITION 5e-4

static SurfaceDifference check_case(SurfaceShape shape, OozeSurfaceSettings settings,
                                    double spacing = 1.0)
{
    SurfaceDifference found = compare_surfaces(shape, settings, spacing);
    if (found.status) {
        fail_msg("%s", found.error.message);
    }
    assert_true(found.vertices > 100);
    assert_true(found.same_triangles);
    assert_true(found.repeated);
    printf("%llu vertices: position %.1e normal %.1e velocity %.1e temperature %.1e volume %.1e\n",
           (unsigned long long)found.vertices, found.position, found.normal, found.velocity,
           found.temperature, found.volume);
    assert_true(found.position < POSITION);
    assert_true(found.normal < 2e-4);
    assert_true(found.velocity < 1e-4);
    assert_true(found.temperature < 1e-5);
    assert_true(found.volume < 1e-5);
    assert_true(found.area < 1e-5);
    return found;
}

static void test_disordered_block(void **state)
{
    (void)state;
    SurfaceDifference found = check_case(SURFACE_BLOCK, ooze_surface_default());
    assert_true(!found.same_bits); /* else the GPU was not used */
}

static void test_small_spacing(void **state)
{
    (void)state;
    check_case(SURFACE_BLOCK, ooze_surface_default(), 1e-4);
}

static void test_stretched_sheet(void **state)
{
    (void)state;
    check_case(SURFACE_SHEET, ooze_surface_default());
}

static void test_drops_far_apart(void **state)
{
    (void)state;
    check_case(SURFACE_DROPS, ooze_surface_default());
}

/* Attributes differ: they are averaged over the first 128 particles, and the order is another. */
static void test_many_in_one_place(void **state)
{
    (void)state;
    SurfaceDifference found = compare_surfaces(SURFACE_CLUMP, ooze_surface_default(), 1.0);
    assert_int_equal(found.status, OOZE_OK);
    assert_true(found.same_triangles);
    assert_true(found.repeated);
    assert_true(found.position < 5e-3); /* the field changes by its level within that */
    assert_true(found.volume < 1e-5);
}

static void test_settings(void **state)
{
    (void)state;
    OozeSurfaceSettings settings = ooze_surface_default();
    settings.mesh_smoothing = 0; /* normals of the field */
    check_case(SURFACE_BLOCK, settings);
    settings.method = OOZE_SURFACE_ISOTROPIC;
    check_case(SURFACE_BLOCK, settings);
    settings.mesh_smoothing = 5;
    settings.smoothing = 0.0;
    settings.cell = 0.3;
    check_case(SURFACE_BLOCK, settings);
    settings = ooze_surface_default();
    settings.method = OOZE_SURFACE_CLAVET;
    check_case(SURFACE_BLOCK, settings);
}

/* The processor takes what the GPU does not support. */
static void test_left_to_the_processor(void **state)
{
    (void)state;
    assert_true(check_case(SURFACE_LIQUIDS, ooze_surface_default()).same_bits);
    OozeSurfaceSettings settings = ooze_surface_default();
    settings.memory = 1;
    SurfaceDifference found = compare_surfaces(SURFACE_BLOCK, settings, 1.0);
    assert_int_equal(found.status, OOZE_ERROR_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_disordered_block),      cmocka_unit_test(test_small_spacing),
        cmocka_unit_test(test_stretched_sheet),       cmocka_unit_test(test_drops_far_apart),
        cmocka_unit_test(test_many_in_one_place),     cmocka_unit_test(test_settings),
        cmocka_unit_test(test_left_to_the_processor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
