/* Smoothness, thin parts and steadiness of the surface of known bodies of fluid. Values beside the
   bounds are those without smoothing of the mesh, which exceeds them. */
#include "check.h"
#include "mesh_judge.h"
#include "surface_measure.h"

static OozeSurface *build(const CloudFrame *cloud)
{
    OozeSurface *surface = NULL;
    OozeSurfaceSettings settings = ooze_surface_default();
    CHECK_OK(ooze_surface_build(&cloud->frame, &settings, 1, &surface, &error));
    CHECK_SOUND_MESH(surface);
    return surface;
}

static void test_ball_is_round(void **state)
{
    (void)state;
    const double half[3] = {8.0, 8.0, 8.0};
    CloudFrame *cloud = cloud_amorphous(true, half, 3);
    OozeSurface *mesh = build(cloud);
    Roughness r = measure_roughness(mesh, truth_ball, half);
    MEASURED("volume over that of the particles",
             mesh->volume / (double)cloud->frame.particle_count, 0.97, 1.03);
    assert_int_equal(mesh_euler(mesh), 2);
    MEASURED("rms distance from the sphere", r.distance, 0.0, 0.045);
    MEASURED("rms angle of normals, degrees", r.angle, 0.0, 2.2); /* 2.6 */
    ooze_surface_free(mesh);
    cloud_free(cloud);
}

static void test_pool_is_level(void **state)
{
    (void)state;
    const double half[3] = {9.0, 3.0, 9.0};
    CloudFrame *cloud = cloud_amorphous(false, half, 5);
    OozeSurface *mesh = build(cloud);
    Roughness r = measure_roughness(mesh, truth_top, half);
    assert_true(r.vertices > 500);
    MEASURED("rms distance from the plane", r.distance, 0.0, 0.028);   /* 0.029 */
    MEASURED("rms angle of normals, degrees", r.angle, 0.0, 1.5);      /* 2.1 */
    MEASURED("rms curvature, over spacings", r.curvature, 0.0, 0.016); /* 0.039 */
    ooze_surface_free(mesh);
    cloud_free(cloud);
}

/* A ridge three spacings wide and two high on a block, as of cream from a star nozzle: its top
   keeps its height, and the valley beside it its depth. */
static void test_ridges_are_kept(void **state)
{
    (void)state;
    CloudFrame *block = cloud_block(24, 7, 16, 0.1, 9, 1.0);
    CloudFrame *cloud = cloud_create(block->frame.particle_count, 1.0);
    for (uint64_t i = 0; i < block->frame.particle_count; i++) {
        const float *p = block->position + 4 * i;
        if (i % 24 / 3 % 2 == 0 || i / 24 % 7 < 5) {
            cloud_add(cloud, p[0], p[1], p[2]);
        }
    }
    cloud_free(block);
    OozeSurface *mesh = build(cloud);
    double top = 0.0, valley = 0.0;
    for (int k = 0; k < 8; k++) {
        top += mesh_height(mesh, 13.13, 4.4 + k) / 8.0;
        valley += mesh_height(mesh, 10.13, 4.4 + k) / 8.0;
    }
    MEASURED("height of ridges above valleys, of 2", top - valley, 1.8, 2.4);
    ooze_surface_free(mesh);
    cloud_free(cloud);
}

/* Sheets and threads one to three particles thick stay in one piece without holes, also where flow
   has stretched them: by 1.6, a single line by 1.4. */
static void test_thin_fluid_stays_whole(void **state)
{
    (void)state;
    const struct {
        int size[3];
        bool sheet;
        double stretch; /* largest */
    } cases[] = {
        {{24, 24, 1}, true, 1.6}, {{24, 24, 2}, true, 1.6}, {{24, 24, 3}, true, 1.6},
        {{40, 1, 1}, false, 1.4}, {{40, 2, 2}, false, 1.6}, {{40, 3, 3}, false, 1.6},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        for (double stretch = 1.0; stretch < cases[k].stretch + 0.01; stretch += 0.2) {
            CloudFrame *cloud = cloud_stretched(cases[k].size, stretch, cases[k].sheet, 0.1);
            OozeSurface *mesh = build(cloud);
            assert_int_equal(mesh_components(mesh), 1);
            assert_int_equal(mesh_euler(mesh), 2);
            ooze_surface_free(mesh);
            cloud_free(cloud);
        }
    }
}

/* A body at rest that is carried through the grid keeps its shape: cells leave no trace. */
static void test_grid_leaves_no_trace(void **state)
{
    (void)state;
    enum { SIDE = 12 };
    const double half[3] = {7.0, 3.0, 7.0};
    CloudFrame *cloud = cloud_amorphous(false, half, 5);
    double height[2][SIDE * SIDE], squares = 0.0;
    for (int frame = 0; frame < 2; frame++) {
        const double shift[3] = {0.13 * frame, 0.21 * frame, 0.07 * frame};
        for (uint64_t i = 0; i < cloud->frame.particle_count; i++) {
            for (uint64_t a = 0; a < 3; a++) {
                cloud->position[4 * i + a] += (float)shift[a];
            }
        }
        OozeSurface *mesh = build(cloud);
        for (int k = 0; k < SIDE * SIDE; k++) {
            height[frame][k] = mesh_height(mesh, 0.6 * (k % SIDE) - 3.3 + shift[0] + 1e-4,
                                           0.6 * (k / SIDE) - 3.3 + shift[2] + 1e-4) -
                               shift[1];
        }
        ooze_surface_free(mesh);
    }
    for (int k = 0; k < SIDE * SIDE; k++) {
        squares += pow(height[1][k] - height[0][k], 2.0);
    }
    /* Linear interpolation between nodes would give 0.02. */
    MEASURED("rms change", sqrt(squares / (SIDE * SIDE)), 1e-7, 0.006);
    cloud_free(cloud);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ball_is_round),        cmocka_unit_test(test_pool_is_level),
        cmocka_unit_test(test_ridges_are_kept),      cmocka_unit_test(test_thin_fluid_stays_whole),
        cmocka_unit_test(test_grid_leaves_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
