#include "check.h"

#include "base/memory.h"
#include "physics/kernels.h"
#include "solids/boundary.h"

#define PI 3.14159265358979323846

static const double s = 0.1; /* spacing */
static const OozePeriodic open_space;
static const OozeBounds clip = {{-1, -1, -1}, {1, 1, 1}};

static OozeSolid make(const OozeSolidDef *def)
{
    OozeSolid solid;
    CHECK_OK(ooze_solid_create(&solid, def, OOZE_AXIS_Y, s, NULL, &error));
    return solid;
}

static OozeSolidDef solid_of(OozeShapeKind kind)
{
    OozeSolidDef def = ooze_solid_def_default();
    def.shape = ooze_shape_def_default(kind);
    def.shape.radius = 0.5;
    def.shape.tube_radius = 0.2;
    def.shape.height = 0.9;
    def.shape.size = vec3(1.0, 0.73, 0.41);
    return def;
}

static void add(OozeBoundary *boundary, OozeSolid *solids, int count)
{
    for (int i = 0; i < count; i++) {
        solids[i].clip = ooze_bounds_transform(&clip, &solids[i].pose, true);
        CHECK_OK(ooze_boundary_add(boundary, &solids[i], i, s, NULL, &error));
    }
}

static void update(OozeBoundary *boundary, OozeThreads *threads, const OozeSolid *solids)
{
    CHECK_OK(ooze_boundary_update(boundary, threads, solids, 2 * s, &open_space, &error));
    CHECK_OK(ooze_boundary_measure(boundary, threads, NULL, &error));
}

/* Distance from a place to the nearest sample. */
static double nearest_to(OozeVec3 p, const OozeVec3 *x, uint64_t n, uint64_t except)
{
    double best = INFINITY;
    for (uint64_t i = 0; i < n; i++) {
        if (i != except) {
            best = fmin(best, vec3_length(vec3_sub(p, x[i])));
        }
    }
    return best;
}

/* The right number, none too near, no hole, all on the surface with its normal. */
static void check_evenness(const OozeShapeDef *def, double area)
{
    OozeShape *shape;
    OozeVec3 *x, *normals;
    uint64_t n;
    double measured;
    CHECK_OK(ooze_shape_create(def, OOZE_AXIS_Y, s, &shape, &error));
    OozeSurfaceSamples made = {0};
    CHECK_OK(ooze_sample_surface(shape, s, &clip, NULL, &made, &error));
    n = made.count;
    x = made.points;
    normals = made.normals;
    measured = made.area;
    CHECK_NEAR(measured / area, 1.0, 0.03); /* triangles cut the corners of round shapes */
    double nearest = INFINITY, hole = 0.0;
    for (uint64_t i = 0; i < n; i++) {
        OozeVec3 normal;
        nearest = fmin(nearest, nearest_to(x[i], x, n, i));
        CHECK_NEAR(ooze_shape_distance(shape, x[i], &normal), 0.0, 1e-3 * s);
        CHECK_NEAR(vec3_length(normals[i]), 1.0, 1e-9);
        /* a step along the normal leads out, whatever the corner */
        OozeVec3 outside = vec3_madd(x[i], 0.05 * s, normals[i]);
        assert_true(ooze_shape_distance(shape, outside, NULL) > 0.0);
    }
    OozeMesh *mesh;
    CHECK_OK(ooze_shape_triangulate(shape, 0.3 * s, &clip, &mesh, &error));
    for (uint64_t i = 0; i < mesh->vertex_count; i++) {
        hole = fmax(hole, nearest_to(mesh->vertices[i], x, n, n));
    }
    printf("  shape %d: ", def->kind);
    MEASURED("samples times s2 over area", (double)n * s * s / area, 0.85, 1.15);
    MEASURED("nearest pair, spacings", nearest / s, 0.7, 1.2);
    MEASURED("widest hole, spacings", hole / s, 0.0, 1.2);
    ooze_mesh_free(mesh);
    ooze_free(x);
    ooze_free(normals);
    ooze_shape_destroy(shape);
}

static void samples_are_even_on_every_shape(void **state)
{
    (void)state;
    OozeSolidDef def = solid_of(OOZE_SHAPE_SPHERE);
    check_evenness(&def.shape, PI);
    def.shape.inverted = true; /* a container: the same samples, facing in */
    check_evenness(&def.shape, PI);
    def = solid_of(OOZE_SHAPE_BOX);
    check_evenness(&def.shape, 2 * (0.73 + 0.41 + 0.73 * 0.41));
    def = solid_of(OOZE_SHAPE_CYLINDER);
    check_evenness(&def.shape, 2 * PI * 0.25 + 2 * PI * 0.5 * 0.9);
    def = solid_of(OOZE_SHAPE_CONE);
    check_evenness(&def.shape, PI * 0.25 + PI * 0.5 * sqrt(0.25 + 0.81));
    def = solid_of(OOZE_SHAPE_TORUS);
    check_evenness(&def.shape, 4 * PI * PI * 0.5 * 0.2);
    def = solid_of(OOZE_SHAPE_CAPSULE);
    check_evenness(&def.shape, PI + 2 * PI * 0.5 * 0.9);
}

/* A wedge as a mesh in memory, with edges at 90 and at 45 degrees and of odd lengths. */
static void samples_are_even_on_a_mesh(void **state)
{
    (void)state;
    double a = 0.87, b = 0.66;
    OozeVec3 x[6] = {{0, 0, 0}, {a, 0, 0}, {0, a, 0}, {0, 0, b}, {a, 0, b}, {0, a, b}};
    uint32_t t[24] = {0, 2, 1, 3, 4, 5, 0, 1, 4, 0, 4, 3, 0, 3, 5, 0, 5, 2, 1, 2, 5, 1, 5, 4};
    OozeShapeDef def = ooze_shape_def_default(OOZE_SHAPE_MESH);
    def.mesh = (OozeMeshView){x, 6, t, 8};
    OozeShape *shape;
    CHECK_OK(ooze_shape_create(&def, OOZE_AXIS_Y, s, &shape, &error));
    OozeVec3 *samples, *normals;
    uint64_t n;
    double area;
    OozeSurfaceSamples made = {0};
    CHECK_OK(ooze_sample_surface(shape, s, NULL, NULL, &made, &error));
    n = made.count;
    samples = made.points;
    normals = made.normals;
    area = made.area;
    CHECK_NEAR(area, a * a + 2 * a * b + sqrt(2.0) * a * b, 1e-9);
    MEASURED("samples times s2 over area", (double)n * s * s / area, 0.85, 1.15);
    for (int i = 0; i < 6; i++) { /* corners carry samples */
        CHECK_NEAR(nearest_to(x[i], samples, n, n), 0.0, 1e-12);
    }
    for (int i = 0; i <= 100; i++) { /* so do the edges */
        OozeVec3 p = vec3_madd(x[1], i / 100.0, vec3_sub(x[2], x[1]));
        assert_true(nearest_to(p, samples, n, n) < 0.6 * s);
    }
    for (uint64_t i = 0; i < n; i++) {
        assert_true(nearest_to(samples[i], samples, n, i) > 0.7 * s);
    }
    ooze_free(samples);
    ooze_free(normals);
    ooze_shape_destroy(shape);
}

static void edges_and_corners_are_covered(void **state)
{
    (void)state;
    OozeSolidDef def = solid_of(OOZE_SHAPE_CYLINDER);
    OozeShape *shape;
    OozeSurfaceSamples made;
    CHECK_OK(ooze_shape_create(&def.shape, OOZE_AXIS_Y, s, &shape, &error));
    CHECK_OK(ooze_sample_surface(shape, s, &clip, NULL, &made, &error));
    for (int i = 0; i < 360; i++) { /* along the rim, on a polygon inside the true circle */
        OozeVec3 p = vec3(0.5 * cos(i * PI / 180), 0.45, 0.5 * sin(i * PI / 180));
        assert_true(nearest_to(p, made.points, made.count, made.count) < 0.56 * s);
    }
    ooze_free(made.points);
    ooze_free(made.normals);
    ooze_shape_destroy(shape);
    def = solid_of(OOZE_SHAPE_CONE);
    CHECK_OK(ooze_shape_create(&def.shape, OOZE_AXIS_Y, s, &shape, &error));
    CHECK_OK(ooze_sample_surface(shape, s, &clip, NULL, &made, &error));
    CHECK_NEAR(nearest_to(vec3(0, 0.9, 0), made.points, made.count, made.count), 0.0,
               1e-9); /* the tip */
    ooze_free(made.points);
    ooze_free(made.normals);
    ooze_shape_destroy(shape);
}

/* 1 / sum of W over the square lattice, summed here. */
static double lattice_volume(double h)
{
    double sum = 0.0;
    for (int j = -9; j <= 9; j++) {
        for (int i = -9; i <= 9; i++) {
            sum += (double)ooze_cubic_value((float)(s * sqrt(i * i + j * j)), (float)h);
        }
    }
    return 1.0 / sum;
}

static void plane_volume_is_the_lattice_sum(void **state)
{
    (void)state;
    OozeSolidDef def = ooze_solid_def_default();
    OozeSolid plane = make(&def);
    OozeBoundary boundary = {0};
    add(&boundary, &plane, 1);
    for (double ratio = 1.5; ratio < 4.1; ratio += 0.5) {
        CHECK_OK(ooze_boundary_update(&boundary, NULL, &plane, ratio * s, &open_space, &error));
        CHECK_OK(ooze_boundary_measure(&boundary, NULL, NULL, &error));
        double expected = lattice_volume(ratio * s);
        int inner = 0;
        for (uint64_t i = 0; i < boundary.count; i++) {
            OozeFloat4 x = boundary.position[i];
            CHECK_NEAR(x.y, 0.0, 1e-7);
            if (fabs((double)x.x) < 0.55 && fabs((double)x.z) < 0.55) {
                /* places are floats: a relative 1e-6 */
                CHECK_NEAR((double)boundary.volume[i] / expected, 1.0, 3e-6);
                inner++;
            }
        }
        assert_int_equal(inner, 121);
    }
    CHECK_NEAR(boundary.volume[boundary.count], 0.0, 0.0); /* padding counts for nothing */
    ooze_boundary_free(&boundary);
    ooze_solid_free(&plane);
}

static void sphere_volumes_are_even(void **state)
{
    (void)state;
    OozeSolidDef def = solid_of(OOZE_SHAPE_SPHERE);
    OozeSolid ball = make(&def);
    OozeBoundary boundary = {0};
    add(&boundary, &ball, 1);
    update(&boundary, NULL, &ball);
    double sum = 0.0, squares = 0.0, n = (double)boundary.count;
    for (uint64_t i = 0; i < boundary.count; i++) {
        sum += (double)boundary.volume[i];
        squares += (double)boundary.volume[i] * (double)boundary.volume[i];
    }
    double mean = sum / n;
    MEASURED("coefficient of variation", sqrt(squares / n - mean * mean) / mean, 0.0, 0.1);
    /* the same area per sample as the plane: the same volume, but for curvature */
    MEASURED("mean over the plane's", mean / lattice_volume(2 * s), 0.9, 1.1);
    ooze_boundary_free(&boundary);
    ooze_solid_free(&ball);
}

/* Two planes in the same place: each sample counts half, so the wall weighs as much as one. */
static void overlapping_solids_do_not_count_double(void **state)
{
    (void)state;
    OozeSolidDef def = ooze_solid_def_default();
    OozeSolid planes[2] = {make(&def), make(&def)};
    OozeBoundary one = {0}, two = {0};
    add(&one, planes, 1);
    add(&two, planes, 2);
    update(&one, NULL, planes);
    update(&two, NULL, planes);
    assert_int_equal(two.count, 2 * one.count);
    double a = 0.0, b = 0.0;
    for (uint64_t i = 0; i < one.count; i++) {
        a += (double)one.volume[i];
        b += (double)two.volume[2 * i] + (double)two.volume[2 * i + 1];
    }
    CHECK_NEAR(b / a, 1.0, 1e-6);
    ooze_boundary_free(&one);
    ooze_boundary_free(&two);
    ooze_solid_free(&planes[0]);
    ooze_solid_free(&planes[1]);
}

typedef struct Scene {
    OozeSolid solids[4];
} Scene;

/* A floor, a still box on it, a ball that rolls into the box, a paddle that spins. */
static Scene make_scene(void)
{
    OozeSolidDef floor = ooze_solid_def_default(), still = solid_of(OOZE_SHAPE_BOX);
    still.shape.position = vec3(0.5, 0.3, 0);
    OozeSolidDef ball = solid_of(OOZE_SHAPE_SPHERE), paddle = solid_of(OOZE_SHAPE_BOX);
    ball.shape.radius = 0.3;
    ball.shape.position = vec3(-0.6, 0.31, 0);
    ball.motion.velocity = vec3(1.0, 0, 0.1);
    paddle.shape.position = vec3(0, 0.8, 0);
    paddle.motion.spin = ooze_vec3_degrees(vec3(0, 3, 1));
    Scene scene = {{make(&floor), make(&still), make(&ball), make(&paddle)}};
    return scene;
}

static void advance_scene(Scene *scene, int step)
{
    for (int i = 0; i < 4; i++) {
        ooze_solid_advance(&scene->solids[i], 0.05 * (step + 1), 0.05);
    }
}

static void free_scene(Scene *scene)
{
    for (int i = 0; i < 4; i++) {
        ooze_solid_free(&scene->solids[i]);
    }
}

static void check_same(const OozeBoundary *a, const OozeBoundary *b)
{
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->position, b->position, a->count * sizeof *a->position);
    assert_memory_equal(a->velocity, b->velocity, a->count * sizeof *a->velocity);
    assert_memory_equal(a->volume, b->volume, a->count * sizeof *a->volume);
    assert_memory_equal(a->solid, b->solid, a->count * sizeof *a->solid);
}

/* Carried along for many steps, by any number of threads, or made afresh at the last: equal
   bits. */
static void moving_samples_do_not_depend_on_history(void **state)
{
    (void)state;
    OozeBoundary ends[3] = {{0}};
    for (int threads = 1; threads <= 3; threads++) {
        OozeThreads *pool;
        CHECK_OK(ooze_threads_create(threads, &pool, &error));
        Scene scene = make_scene();
        OozeBoundary *boundary = &ends[threads - 1], current = {0};
        add(boundary, scene.solids, 4);
        for (int step = 0; step < 12; step++) {
            update(boundary, pool, scene.solids);
            advance_scene(&scene, step);
        }
        update(boundary, pool, scene.solids);
        assert_true(boundary->moving);
        /* planes are cut in world space, which does not move: adding now gives the same samples */
        add(&current, scene.solids, 4);
        update(&current, pool, scene.solids);
        check_same(boundary, &current);
        check_same(boundary, &ends[0]);
        ooze_boundary_free(&current);
        free_scene(&scene);
        ooze_threads_destroy(pool);
    }
    for (int i = 0; i < 3; i++) {
        ooze_boundary_free(&ends[i]);
    }
}

static void samples_move_with_their_solid(void **state)
{
    (void)state;
    Scene scene = make_scene();
    OozeBoundary boundary = {0};
    add(&boundary, scene.solids, 4);
    for (int step = 0; step < 5; step++) {
        update(&boundary, NULL, scene.solids);
        advance_scene(&scene, step);
    }
    update(&boundary, NULL, scene.solids);
    for (uint64_t i = 0; i < boundary.count; i++) {
        OozeFloat4 x = boundary.position[i], v = boundary.velocity[i];
        const OozeSolid *solid = &scene.solids[boundary.solid[i]];
        OozeVec3 p = vec3((double)x.x, (double)x.y, (double)x.z);
        CHECK_NEAR(ooze_shape_distance(solid->shape, ooze_pose_to_local(&solid->pose, p), NULL),
                   0.0, 1e-6);
        OozeVec3 expected = ooze_pose_velocity_at(&solid->pose, p);
        OozeVec3 off = vec3_sub(expected, vec3((double)v.x, (double)v.y, (double)v.z));
        CHECK_NEAR(vec3_length(off), 0.0, 1e-6);
    }
    /* nothing moved since: not even memory is asked for */
    ooze_memory_fail_after(1);
    update(&boundary, NULL, scene.solids);
    ooze_memory_fail_after(0);
    ooze_boundary_free(&boundary);
    free_scene(&scene);
}

/* Volumes of the samples about one point alone: the bits of measuring all, and most samples are let
   be. */
static void only_requested_samples_are_measured(void **state)
{
    (void)state;
    Scene scene = make_scene();
    OozeBoundary boundary = {0}, whole = {0};
    add(&boundary, scene.solids, 4);
    add(&whole, scene.solids, 4);
    update(&boundary, NULL, scene.solids);
    advance_scene(&scene, 0);
    CHECK_OK(ooze_boundary_update(&boundary, NULL, scene.solids, 2 * s, &open_space, &error));
    update(&whole, NULL, scene.solids);
    OozeFloat4 point = whole.position[0];
    OozeNeighbours near = {0};
    CHECK_OK(ooze_neighbours_build(
        &near, boundary.grid, NULL,
        &(OozeNeighbourQuery){&point, 1, boundary.position, 2 * s, false}, &error));
    uint64_t moved = 0, stale = 0;
    for (uint64_t i = 0; i < boundary.count; i++) {
        moved += boundary.stale[i];
    }
    CHECK_OK(ooze_boundary_measure(&boundary, NULL, &near, &error));
    for (uint64_t i = 0; i < boundary.count; i++) {
        stale += boundary.stale[i];
    }
    assert_true(near.count[0] > 3 && moved > 2 * near.count[0]);
    assert_in_range(stale, moved - near.count[0], moved);
    for (uint32_t m = 0; m < near.count[0]; m++) {
        uint32_t k = near.index[near.first[0] + m];
        assert_memory_equal(&boundary.volume[k], &whole.volume[k], sizeof(float));
        assert_int_equal(boundary.stale[ooze_grid_order(boundary.grid)[k]], 0);
    }
    CHECK_OK(ooze_boundary_measure(&boundary, NULL, NULL, &error));
    check_same(&boundary, &whole);
    ooze_neighbours_free(&near);
    ooze_boundary_free(&boundary);
    ooze_boundary_free(&whole);
    free_scene(&scene);
}

static void periodic_seam_is_seamless(void **state)
{
    (void)state;
    OozePeriodic periodic = {{-0.5f, 0, -0.5f}, {1.0f, 0, 1.0f}, {1.0f, 0, 1.0f}};
    OozeBounds tile = {{-0.5, -1, -0.5}, {0.45, 1, 0.45}};
    OozeSolidDef def = ooze_solid_def_default();
    OozeSolid plane = make(&def);
    OozeBoundary boundary = {0};
    plane.clip = tile;
    CHECK_OK(ooze_boundary_add(&boundary, &plane, 0, s, NULL, &error));
    assert_int_equal(boundary.count, 100);
    CHECK_OK(ooze_boundary_update(&boundary, NULL, &plane, 2 * s, &periodic, &error));
    CHECK_OK(ooze_boundary_measure(&boundary, NULL, NULL, &error));
    for (uint64_t i = 0; i < boundary.count; i++) {
        CHECK_NEAR((double)boundary.volume[i] / lattice_volume(2 * s), 1.0, 3e-6);
    }
    ooze_boundary_free(&boundary);
    ooze_solid_free(&plane);
}

static void failures_are_clean(void **state)
{
    (void)state;
    OozeSolidDef def = solid_of(OOZE_SHAPE_CYLINDER);
    OozeSolid solid = make(&def);
    OozeStatus status = OOZE_ERROR_MEMORY;
    for (uint64_t n = 1; status == OOZE_ERROR_MEMORY; n++) {
        OozeBoundary boundary = {0};
        ooze_memory_fail_after(n);
        status = ooze_boundary_add(&boundary, &solid, 0, 2 * s, NULL, NULL);
        if (!status) {
            status = ooze_boundary_update(&boundary, NULL, &solid, 2 * s, &open_space, NULL);
        }
        if (!status) {
            status = ooze_boundary_measure(&boundary, NULL, NULL, NULL);
        }
        ooze_memory_fail_after(0);
        ooze_boundary_free(&boundary);
    }
    assert_int_equal(status, OOZE_OK);
    OozeBoundary boundary = {0};
    CHECK_FAILS(ooze_boundary_add(&boundary, &solid, 0, 1e-9, NULL, &error), OOZE_ERROR_LIMIT, "");
    CHECK_FAILS(ooze_boundary_add(&boundary, &solid, 0, NAN, NULL, &error), OOZE_ERROR_ARGUMENT,
                "spacing");
    ooze_boundary_free(&boundary);
    ooze_solid_free(&solid);
    def = ooze_solid_def_default();
    solid = make(&def);
    solid.clip.max.x = NAN;
    CHECK_FAILS(ooze_boundary_add(&boundary, &solid, 0, s, NULL, &error), OOZE_ERROR_ARGUMENT,
                "plane");
    ooze_solid_free(&solid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_even_on_every_shape),
        cmocka_unit_test(samples_are_even_on_a_mesh),
        cmocka_unit_test(edges_and_corners_are_covered),
        cmocka_unit_test(plane_volume_is_the_lattice_sum),
        cmocka_unit_test(sphere_volumes_are_even),
        cmocka_unit_test(overlapping_solids_do_not_count_double),
        cmocka_unit_test(moving_samples_do_not_depend_on_history),
        cmocka_unit_test(samples_move_with_their_solid),
        cmocka_unit_test(only_requested_samples_are_measured),
        cmocka_unit_test(periodic_seam_is_seamless),
        cmocka_unit_test(failures_are_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
