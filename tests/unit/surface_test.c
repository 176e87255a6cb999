/* The surface of known clouds: radii, volumes, offsets, and that every mesh is sound. */
#include "check.h"
#include "mesh_judge.h"
#include "physics/surface_field.h"
#include "surface_frame.h"

static const char *const method_names[OOZE_SURFACE_METHOD_COUNT] = {"anisotropic", "isotropic",
                                                                    "clavet"};

static OozeSurface *build(const CloudFrame *cloud, const OozeSurfaceSettings *settings)
{
    OozeSurface *surface = NULL;
    CHECK_OK(ooze_surface_build(&cloud->frame, settings, 1, &surface, &error));
    return surface;
}

/* What one particle alone looks like: the kernel's inverse at the level. */
static double alone_radius(OozeSurfaceMethod method)
{
    switch (method) {
    case OOZE_SURFACE_ISOTROPIC:
        return OOZE_SURFACE_ROUND * sqrt(1.0 - cbrt(OOZE_SURFACE_ROUND_ISO));
    case OOZE_SURFACE_CLAVET:
        return OOZE_SURFACE_CONE * (1.0 - sqrt(OOZE_SURFACE_CONE_ISO_SQUARED));
    default:
        return cbrt(3.0 / (4.0 * OOZE_PI));
    }
}

static void test_one_particle_is_a_sphere(void **state)
{
    (void)state;
    for (int m = 0; m < OOZE_SURFACE_METHOD_COUNT; m++) {
        for (int draw = 0; draw < 24; draw++) {
            CloudFrame *cloud = cloud_create(1, 0.01);
            double at[3];
            for (int a = 0; a < 3; a++) {
                at[a] = 10.0 * ooze_random01(5, (uint64_t)draw, (uint64_t)a) - 5.0;
            }
            cloud_add(cloud, at[0], at[1], at[2]);
            OozeSurfaceSettings settings = ooze_surface_default();
            settings.method = (OozeSurfaceMethod)m;
            settings.cell = draw % 2 ? 0.5 : 0.25;
            OozeSurface *surface = build(cloud, &settings);
            assert_true(surface->vertex_count >= 6);
            CHECK_SOUND_MESH(surface);
            assert_int_equal(judge_mesh(surface).euler, 2);
            for (uint64_t v = 0; v < surface->vertex_count; v++) {
                double r = 0.0, outwards = 0.0;
                for (uint64_t a = 0; a < 3; a++) {
                    double d = (double)surface->positions[3 * v + a] / 0.01 - at[a];
                    r += d * d;
                    outwards += d * (double)surface->normals[3 * v + a];
                }
                /* A tenth of a cell. */
                CHECK_NEAR(sqrt(r), alone_radius((OozeSurfaceMethod)m), 0.1 * settings.cell);
                assert_true(outwards > 0.99 * sqrt(r));
            }
            ooze_surface_free(surface);
            cloud_free(cloud);
        }
    }
}

/* The field is calibrated so that volume is kept: 3% for a block, also one that is disordered. */
static void test_block_keeps_its_volume(void **state)
{
    (void)state;
    for (int m = 0; m < OOZE_SURFACE_METHOD_COUNT; m++) {
        for (int rough = 0; rough < 2; rough++) {
            CloudFrame *cloud = cloud_block(20, 16, 18, rough ? 0.15 : 0.0, 3, 0.02);
            OozeSurfaceSettings settings = ooze_surface_default();
            settings.method = (OozeSurfaceMethod)m;
            OozeSurface *surface = build(cloud, &settings);
            CHECK_SOUND_MESH(surface);
            double whole = 20 * 16 * 18 * 0.02 * 0.02 * 0.02;
            printf("  %s, %s:", method_names[m], rough ? "disordered" : "lattice");
            MEASURED("volume over N times particle volume", surface->volume / whole, 0.97, 1.03);
            ooze_surface_free(surface);
            cloud_free(cloud);
        }
    }
}

static void test_empty_frame_has_an_empty_surface(void **state)
{
    (void)state;
    CloudFrame *cloud = cloud_create(0, 0.02);
    OozeSurfaceSettings settings = ooze_surface_default();
    OozeSurface *surface = build(cloud, &settings);
    assert_int_equal(surface->vertex_count, 0);
    assert_int_equal(surface->triangle_count, 0);
    assert_true(surface->volume == 0.0 && surface->area == 0.0);
    ooze_surface_free(surface);
    cloud_free(cloud);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_particle_is_a_sphere),
        cmocka_unit_test(test_block_keeps_its_volume),
        cmocka_unit_test(test_empty_frame_has_an_empty_surface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
