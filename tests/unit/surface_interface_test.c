/* Where several materials meet: each is enclosed without gaps, none overlaps another, and the
   interface between them is smooth. */
#include "check.h"
#include "mesh_judge.h"
#include "surface_measure.h"

static OozeSurface *build(const CloudFrame *cloud, int threads)
{
    OozeSurface *surface = NULL;
    OozeSurfaceSettings settings = ooze_surface_default();
    CHECK_OK(ooze_surface_build(&cloud->frame, &settings, threads, &surface, &error));
    return surface;
}

/* The triangles that enclose a material, seen from outside it. Free with free. */
static JudgeEdge *enclosing_triangles(const OozeSurface *mesh, uint16_t material, uint64_t *count)
{
    JudgeEdge *triangles =
        malloc((mesh->triangle_count + mesh->interface_count + 1) * sizeof *triangles);
    *count = 0;
    for (uint64_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *c = mesh->triangles + 3 * t;
        if (mesh->triangle_materials[t] == material) {
            triangles[(*count)++] = (JudgeEdge){c[0], c[1], c[2]};
        }
    }
    for (uint64_t t = 0; t < mesh->interface_count; t++) {
        const uint32_t *c = mesh->interfaces + 3 * t;
        const uint16_t *sides = mesh->interface_materials + 2 * t;
        assert_int_not_equal(sides[0], sides[1]);
        if (sides[0] == material) {
            triangles[(*count)++] = (JudgeEdge){c[0], c[1], c[2]};
        } else if (sides[1] == material) {
            triangles[(*count)++] = (JudgeEdge){c[0], c[2], c[1]};
        }
    }
    return triangles;
}

/* Directed edges that occur more often than their opposites. */
static uint64_t open_edges(const JudgeEdge *triangles, uint64_t count)
{
    JudgeEdge *edges = malloc((6 * count + 1) * sizeof *edges);
    uint64_t open = 0;
    for (uint64_t k = 0; k < 3 * count; k++) {
        const uint32_t c[3] = {triangles[k / 3].from, triangles[k / 3].to, triangles[k / 3].third};
        uint32_t a = c[k % 3], b = c[(k + 1) % 3];
        edges[k] = (JudgeEdge){a < b ? a : b, a < b ? b : a, a < b};
    }
    qsort(edges, 3 * count, sizeof *edges, judge_compare);
    for (uint64_t k = 0, end; k < 3 * count; k = end) {
        int64_t balance = 0;
        for (end = k; end < 3 * count && judge_compare(&edges[k], &edges[end]) == 0; end++) {
            balance += edges[end].third ? 1 : -1;
        }
        open += balance != 0;
    }
    free(edges);
    return open;
}

static double enclosed_volume(const OozeSurface *mesh, const JudgeEdge *triangles, uint64_t count)
{
    double sum = 0.0;
    for (uint64_t t = 0; t < count; t++) {
        const float *a = mesh->positions + 3 * (uint64_t)triangles[t].from;
        const float *b = mesh->positions + 3 * (uint64_t)triangles[t].to;
        const float *c = mesh->positions + 3 * (uint64_t)triangles[t].third;
        for (int k = 0; k < 3; k++) {
            int u = (k + 1) % 3, v = (k + 2) % 3;
            sum += (double)a[k] * ((double)b[u] * c[v] - (double)b[v] * c[u]);
        }
    }
    return sum / 6.0;
}

/* Checks that every material is closed and that they fill the surface; volumes of materials. */
static void check_enclosed(const OozeSurface *mesh, int materials, double *volumes)
{
    double whole = 0.0;
    CHECK_SOUND_MESH(mesh);
    for (int m = 0; m < materials; m++) {
        uint64_t count;
        JudgeEdge *triangles = enclosing_triangles(mesh, (uint16_t)m, &count);
        assert_int_equal(open_edges(triangles, count), 0);
        volumes[m] = enclosed_volume(mesh, triangles, count);
        assert_true(volumes[m] >= 0.0);
        whole += volumes[m];
        free(triangles);
    }
    /* Rounding of coordinates to single precision. */
    CHECK_NEAR(whole / mesh->volume, 1.0, 1e-4);
}

/* Two fluids side by side: their interface is the plane between them, also with particles in
   disorder, and each has the volume of its particles. */
static void test_two_halves_meet_in_a_plane(void **state)
{
    (void)state;
    CloudFrame *cloud = cloud_block(20, 10, 10, 0.2, 4, 1.0);
    for (uint64_t i = 0; i < cloud->frame.particle_count; i++) {
        cloud->material[i] = i % 20 > 9;
    }
    OozeSurface *mesh = build(cloud, 1);
    double volumes[2], squares = 0.0, most = 0.0;
    check_enclosed(mesh, 2, volumes);
    MEASURED("volume of the first over its particles", volumes[0] / 1000.0, 0.96, 1.04);
    MEASURED("volume of the second over its particles", volumes[1] / 1000.0, 0.96, 1.04);
    assert_true(mesh->interface_count > 200);
    for (uint64_t k = 0; k < 3 * mesh->interface_count; k++) {
        double off = (double)mesh->positions[3 * (uint64_t)mesh->interfaces[k]] - (9.5 + 0.13);
        squares += off * off;
        most = fmax(most, fabs(off));
    }
    /* Particles are off their places by 0.12 in the mean square. */
    MEASURED("rms distance of the interface from the plane",
             sqrt(squares / (3.0 * (double)mesh->interface_count)), 0.0, 0.06);
    MEASURED("largest", most, 0.0, 0.25);
    ooze_surface_free(mesh);
    cloud_free(cloud);
}

/* A layer one particle thick of another material on a block does not vanish. */
static void test_coat_of_one_layer_is_kept(void **state)
{
    (void)state;
    CloudFrame *cloud = cloud_block(16, 8, 16, 0.1, 4, 1.0);
    for (uint64_t i = 0; i < cloud->frame.particle_count; i++) {
        cloud->material[i] = i / 16 % 8 == 7;
    }
    OozeSurface *mesh = build(cloud, 1);
    double volumes[2];
    check_enclosed(mesh, 2, volumes);
    MEASURED("volume of the coat over its particles", volumes[1] / 256.0, 0.8, 1.25);
    uint64_t wrong = 0, top = 0;
    for (uint64_t t = 0; t < mesh->triangle_count; t++) {
        const float *p = mesh->positions + 3 * (uint64_t)mesh->triangles[3 * t];
        if (p[1] > 7.4f && p[0] > 1.0f && p[0] < 14.0f && p[2] > 1.0f && p[2] < 14.0f) {
            top++;
            wrong += mesh->triangle_materials[t] != 1;
        }
    }
    assert_true(top > 500);
    assert_int_equal(wrong, 0);
    ooze_surface_free(mesh);
    cloud_free(cloud);
}

/* Any mixture of three materials, thin parts included: lines where three meet, cells with several
   loops. The same bits with any number of threads. */
static void test_any_mixture_is_enclosed(void **state)
{
    (void)state;
    for (uint64_t draw = 0; draw < 6; draw++) {
        uint64_t n = 900;
        CloudFrame *cloud = cloud_create(n, 1.0);
        for (uint64_t i = 0; i < n; i++) {
            double u = ooze_random01(draw, i, 0), v = ooze_random01(draw, i, 1);
            double w = ooze_random01(draw, i, 2);
            cloud_add(cloud, 16.0 * u * u, 10.0 * v, 10.0 * w);
            cloud->material[i] = (uint16_t)(3.0 * ooze_random01(draw, i / (1 + 4 * draw), 3));
        }
        OozeSurface *one = build(cloud, 1), *many = build(cloud, 5);
        double volumes[3];
        check_enclosed(one, 3, volumes);
        assert_true(one->interface_count > 100);
        assert_int_equal(one->vertex_count, many->vertex_count);
        assert_int_equal(one->interface_count, many->interface_count);
        uint64_t vertices = one->vertex_count + one->interface_vertex_count;
        assert_memory_equal(one->positions, many->positions, vertices * 12);
        assert_memory_equal(one->normals, many->normals, vertices * 12);
        assert_memory_equal(one->triangles, many->triangles, one->triangle_count * 12);
        assert_memory_equal(one->interfaces, many->interfaces, one->interface_count * 12);
        assert_memory_equal(one->triangle_materials, many->triangle_materials,
                            one->triangle_count * 2);
        assert_memory_equal(one->interface_materials, many->interface_materials,
                            one->interface_count * 4);
        ooze_surface_free(one);
        ooze_surface_free(many);
        cloud_free(cloud);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_halves_meet_in_a_plane),
        cmocka_unit_test(test_coat_of_one_layer_is_kept),
        cmocka_unit_test(test_any_mixture_is_enclosed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
