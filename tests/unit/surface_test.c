/* The surface of known clouds: radii, volumes, offsets, and that every mesh is sound. */
#include "check.h"
#include "mesh_judge.h"
#include "physics/surface_field.h"
#include "surface/march.h"
#include "surface_measure.h"

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
            settings.mesh_smoothing = 0; /* it may move a drop as a whole */
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

/* A long thread of w by w particles, a sheet of w layers: thin things neither vanish nor swell. The
   bounds leave room for the rounded ends and edges, and for single lines, whose particles are
   spheres in a row. */
static void test_threads_and_sheets_keep_their_volume(void **state)
{
    (void)state;
    const struct {
        int size[3];
        double low, high;
    } cases[] = {
        {{60, 1, 1}, 0.9, 1.25},   {{60, 2, 2}, 0.85, 1.1},   {{60, 3, 3}, 0.93, 1.05},
        {{60, 4, 4}, 0.95, 1.05},  {{60, 6, 6}, 0.97, 1.03},  {{40, 40, 1}, 0.9, 1.1},
        {{40, 40, 2}, 0.95, 1.05}, {{40, 40, 3}, 0.97, 1.03},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const int *n = cases[k].size;
        CloudFrame *cloud = cloud_block(n[0], n[1], n[2], 0.05, 3, 1.0);
        OozeSurfaceSettings settings = ooze_surface_default();
        OozeSurface *surface = build(cloud, &settings);
        CHECK_SOUND_MESH(surface);
        assert_int_equal(judge_mesh(surface).euler, 2); /* one piece without holes */
        printf("  %d x %d x %d:", n[0], n[1], n[2]);
        MEASURED("volume over N times particle volume",
                 surface->volume / (double)cloud->frame.particle_count, cases[k].low,
                 cases[k].high);
        ooze_surface_free(surface);
        cloud_free(cloud);
    }
}

/* The bottom of a block that stands on a floor: half a spacing below its last layer, level. */
static void test_flat_side_is_flat(void **state)
{
    (void)state;
    CloudFrame *cloud = cloud_block(20, 10, 20, 0.0, 3, 1.0);
    OozeSurfaceSettings settings = ooze_surface_default();
    OozeSurface *surface = build(cloud, &settings);
    double low = INFINITY, high = -INFINITY;
    for (uint64_t v = 0; v < surface->vertex_count; v++) {
        const float *p = surface->positions + 3 * v;
        if (p[1] < 1.5f && p[0] > 5.0f && p[0] < 15.0f && p[2] > 5.0f && p[2] < 15.0f) {
            low = fmin(low, (double)p[1] - 0.21);
            high = fmax(high, (double)p[1] - 0.21);
            assert_true(surface->normals[3 * v + 1] < -0.999f);
        }
    }
    MEASURED("lowest point below the last layer", -low, 0.45, 0.55);
    MEASURED("unevenness", high - low, 0.0, 0.01);
    ooze_surface_free(surface);
    cloud_free(cloud);
}

/* A drop of one particle keeps its size and place where the mesh is smoothed: to 5% and a tenth of
   a spacing. */
static void test_smoothing_keeps_drops(void **state)
{
    (void)state;
    for (int draw = 0; draw < 24; draw++) {
        CloudFrame *cloud = cloud_create(1, 0.01);
        double at[3], centre[3] = {0.0, 0.0, 0.0};
        for (int a = 0; a < 3; a++) {
            at[a] = 10.0 * ooze_random01(5, (uint64_t)draw, (uint64_t)a) - 5.0;
        }
        cloud_add(cloud, at[0], at[1], at[2]);
        OozeSurfaceSettings settings = ooze_surface_default();
        settings.cell = 0.25;
        OozeSurface *smooth = build(cloud, &settings);
        settings.mesh_smoothing = 0;
        OozeSurface *exact = build(cloud, &settings);
        assert_int_equal(judge_mesh(smooth).euler, 2);
        CHECK_NEAR(smooth->volume / exact->volume, 1.0, 0.05);
        for (uint64_t v = 0; v < smooth->vertex_count; v++) {
            for (uint64_t a = 0; a < 3; a++) {
                centre[a] += (double)smooth->positions[3 * v + a] / 0.01;
            }
        }
        for (int a = 0; a < 3; a++) {
            CHECK_NEAR(centre[a] / (double)smooth->vertex_count, at[a], 0.1);
        }
        ooze_surface_free(smooth);
        ooze_surface_free(exact);
        cloud_free(cloud);
    }
}

/* Particles that shiver: each coordinate is up to 1% of a spacing off its place, anew in each
   frame. The surface averages over many, so it must stay below the 2% that a single one may
   move. */
static void test_jitter_of_particles_is_damped(void **state)
{
    (void)state;
    double height[2][64], most = 0.0;
    for (int turn = 0; turn < 2; turn++) {
        CloudFrame *cloud = cloud_block(16, 8, 16, 0.0, 3, 1.0);
        for (uint64_t i = 0; i < cloud->frame.particle_count; i++) {
            for (uint64_t a = 0; a < 3; a++) {
                cloud->position[4 * i + a] +=
                    (float)(0.01 * (2.0 * ooze_random01((uint64_t)turn, i, a) - 1.0));
            }
        }
        OozeSurfaceSettings settings = ooze_surface_default();
        OozeSurface *surface = build(cloud, &settings);
        for (int k = 0; k < 64; k++) {
            height[turn][k] = mesh_height(surface, 4.03 + k % 8, 4.07 + k / 8);
        }
        ooze_surface_free(surface);
        cloud_free(cloud);
    }
    for (int k = 0; k < 64; k++) {
        most = fmax(most, fabs(height[1][k] - height[0][k]));
    }
    MEASURED("largest move of the surface in spacings", most, 1e-6, 0.015);
}

/* Skipping what lies deep inside changes nothing. */
static void test_skipping_the_inside_is_exact(void **state)
{
    (void)state;
    CloudFrame *frame = cloud_block(22, 20, 21, 0.2, 8, 1.0);
    OozeSurfaceSettings settings = ooze_surface_default();
    OozeSurfaceMesh mesh[2];
    uint64_t with_values[2];
    OozeCloud cloud;
    CHECK_OK(ooze_cloud_open(&frame->frame, NULL, &cloud, &error));
    CHECK_OK(ooze_cloud_shape(&cloud, &settings, NULL, &error));
    for (int all = 0; all < 2; all++) {
        OozeBlocks blocks;
        for (uint64_t i = 0; i < cloud.n && all; i++) {
            cloud.fill[i] = 0.0f;
        }
        CHECK_OK(ooze_blocks_build(&cloud, 0.5, settings.memory, NULL, &blocks, &error));
        CHECK_OK(ooze_march(&blocks, &cloud, NULL, &mesh[all], &error));
        with_values[all] = blocks.value_count;
        ooze_blocks_free(&blocks);
    }
    assert_true(with_values[0] < with_values[1]);
    assert_int_equal(mesh[0].vertex_count, mesh[1].vertex_count);
    assert_int_equal(mesh[0].triangle_count, mesh[1].triangle_count);
    assert_memory_equal(mesh[0].positions, mesh[1].positions, mesh[0].vertex_count * 12);
    assert_memory_equal(mesh[0].triangles, mesh[1].triangles, mesh[0].triangle_count * 12);
    ooze_surface_mesh_free(&mesh[0]);
    ooze_surface_mesh_free(&mesh[1]);
    ooze_cloud_close(&cloud);
    cloud_free(frame);
}

/* Nodes on the surface, to rounding: triangles get small there, but none without area. */
static void test_nodes_on_the_surface(void **state)
{
    (void)state;
    for (int parts = 1; parts <= 4; parts++) {
        CloudFrame *cloud = cloud_create(1, 1.0);
        cloud_add(cloud, 0.0, 0.0, 0.0);
        OozeSurfaceSettings settings = ooze_surface_default();
        settings.cell = alone_radius(settings.method) / parts;
        OozeSurface *surface = build(cloud, &settings);
        CHECK_SOUND_MESH(surface);
        for (uint64_t t = 0; t < surface->triangle_count; t++) {
            double u[3], v[3], area = 0.0;
            const uint32_t *c = surface->triangles + 3 * t;
            for (int a = 0; a < 3; a++) {
                double p = (double)surface->positions[3 * c[0] + (uint32_t)a];
                u[a] = (double)surface->positions[3 * c[1] + (uint32_t)a] - p;
                v[a] = (double)surface->positions[3 * c[2] + (uint32_t)a] - p;
            }
            for (int a = 0; a < 3; a++) {
                double n = u[a] * v[(a + 1) % 3] - u[(a + 1) % 3] * v[a];
                area += n * n;
            }
            assert_true(area > 0.0);
        }
        ooze_surface_free(surface);
        cloud_free(cloud);
    }
}

static void test_same_mesh_for_any_number_of_threads(void **state)
{
    (void)state;
    CloudFrame *cloud = cloud_block(14, 12, 10, 0.3, 5, 0.01);
    const char *fields[] = {"temperature", "velocity"};
    for (uint64_t i = 0; i < cloud->frame.particle_count; i++) {
        cloud->temperature[i] = (float)ooze_random01(1, i, 0);
        cloud->velocity[4 * i] = (float)ooze_random01(1, i, 1);
    }
    OozeSurfaceSettings settings = ooze_surface_default();
    settings.mesh_smoothing = 3;
    settings.decimation = 0.7;
    settings.fields = fields;
    settings.field_count = 2;
    OozeSurface *one = build(cloud, &settings);
    for (int threads = 2; threads <= 7; threads++) {
        OozeSurface *many = NULL;
        CHECK_OK(ooze_surface_build(&cloud->frame, &settings, threads, &many, &error));
        size_t v = one->vertex_count;
        assert_int_equal(many->vertex_count, v);
        assert_int_equal(many->triangle_count, one->triangle_count);
        assert_memory_equal(many->positions, one->positions, v * 12);
        assert_memory_equal(many->normals, one->normals, v * 12);
        assert_memory_equal(many->velocities, one->velocities, v * 12);
        assert_memory_equal(many->colors, one->colors, v * 12);
        assert_memory_equal(many->materials, one->materials, v * 2);
        assert_memory_equal(many->triangles, one->triangles, one->triangle_count * 12);
        assert_memory_equal(many->fields[0].values, one->fields[0].values, v * 4);
        assert_memory_equal(many->fields[1].values, one->fields[1].values, v * 12);
        assert_true(many->volume == one->volume && many->area == one->area);
        ooze_surface_free(many);
    }
    ooze_surface_free(one);
    cloud_free(cloud);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_particle_is_a_sphere),
        cmocka_unit_test(test_smoothing_keeps_drops),
        cmocka_unit_test(test_block_keeps_its_volume),
        cmocka_unit_test(test_threads_and_sheets_keep_their_volume),
        cmocka_unit_test(test_flat_side_is_flat),
        cmocka_unit_test(test_jitter_of_particles_is_damped),
        cmocka_unit_test(test_skipping_the_inside_is_exact),
        cmocka_unit_test(test_nodes_on_the_surface),
        cmocka_unit_test(test_same_mesh_for_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
