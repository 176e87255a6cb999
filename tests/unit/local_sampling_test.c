/* Samples of surfaces in cells by a local rule: as even as those of whole surfaces, and the same
   bits whatever other cells are sampled. */
#include "check.h"

#include "base/memory.h"
#include "base/vec3.h"
#include "physics/kernels.h"
#include "solids/boundary.h"

static const double s = 0.05, PI = 3.14159265358979323846;

static OozeShape *make(const OozeShapeDef *def)
{
    OozeShape *shape = NULL;
    CHECK_OK(ooze_shape_create(def, OOZE_AXIS_Y, s, &shape, &error));
    return shape;
}

/* All cells of the bounds of a shape. */
static OozeCellSet all_cells(const OozeShape *shape)
{
    OozeCellSet cells = {0};
    OozeBounds b = ooze_bounds_grow(ooze_shape_bounds(shape), s);
    double side = OOZE_CELL_STEPS * s;
    for (double z = floor(b.min.z / side); z * side <= b.max.z; z += 1.0) {
        for (double y = floor(b.min.y / side); y * side <= b.max.y; y += 1.0) {
            for (double x = floor(b.min.x / side); x * side <= b.max.x; x += 1.0) {
                uint64_t key = ooze_cell_key((int64_t)x, (int64_t)y, (int64_t)z);
                CHECK_OK(ooze_cell_set_add(&cells, key, &error));
            }
        }
    }
    ooze_cell_set_sort(&cells);
    return cells;
}

static OozeCellSamples sample(const OozeShape *shape)
{
    OozeCellSamples samples = {0};
    OozeCellSet cells = all_cells(shape);
    CHECK_OK(ooze_cell_samples_update(&samples, shape, s, &cells, NULL, &error));
    ooze_cell_set_free(&cells);
    return samples;
}

static double nearest_to(OozeVec3 p, const OozeCellSamples *samples, uint64_t except)
{
    double min = INFINITY;
    for (uint64_t i = 0; i < ooze_cell_samples_count(samples); i++) {
        OozeVec3 d = vec3_sub(samples->points[i], p);
        min = i != except ? fmin(min, vec3_dot(d, d)) : min;
    }
    return sqrt(min);
}

/* ---- evenness ------------------------------------------------------------------------------- */

/* `area` 0: not checked. `on_surface`: largest distance from it, spacings. */
static void check_even(const char *name, const OozeShapeDef *def, double area, double on_surface)
{
    OozeShape *shape = make(def);
    OozeCellSamples samples = sample(shape);
    uint64_t n = ooze_cell_samples_count(&samples);
    double nearest = INFINITY, hole = 0.0;
    for (uint64_t i = 0; i < n; i++) {
        nearest = fmin(nearest, nearest_to(samples.points[i], &samples, i));
        CHECK_NEAR(ooze_shape_distance(shape, samples.points[i], NULL) / s, 0.0, on_surface);
    }
    OozeMesh *mesh;
    CHECK_OK(ooze_shape_triangulate(shape, 0.5 * s, NULL, &mesh, &error));
    for (uint64_t i = 0; i < mesh->vertex_count; i++) {
        OozeVec3 p = mesh->vertices[i], normal;
        (void)ooze_shape_distance(shape, p, &normal);
        OozeVec3 out = vec3_madd(p, 0.05 * s, normal);
        if (ooze_shape_distance(shape, out, NULL) > 0.0) { /* not hidden in a compound */
            hole = fmax(hole, nearest_to(p, &samples, n));
        }
    }
    double estimate;
    CHECK_OK(ooze_count_samples(shape, s, &estimate, &error));
    printf("  %s: ", name);
    MEASURED("estimate of samples over area", estimate * s * s / ooze_mesh_area(mesh), 0.85, 1.2);
    if (area > 0.0) {
        MEASURED("samples times s2 over area", (double)n * s * s / area, 0.9, 1.1);
    }
    MEASURED("nearest pair, spacings", nearest / s, 0.62, 1.2);
    MEASURED("widest hole, spacings", hole / s, 0.0, 1.0);
    ooze_mesh_free(mesh);
    ooze_cell_samples_free(&samples);
    ooze_shape_destroy(shape);
}

static OozeShapeDef shape_of(OozeShapeKind kind)
{
    OozeShapeDef def = ooze_shape_def_default(kind);
    def.size = vec3(0.93, 0.61, 0.77);
    def.radius = 0.4;
    def.tube_radius = 0.16;
    def.height = 0.5;
    def.thickness = 0.11;
    return def;
}

static void samples_are_even_on_every_shape(void **state)
{
    (void)state;
    OozeShapeDef def = shape_of(OOZE_SHAPE_SPHERE);
    check_even("sphere", &def, 4 * PI * 0.16, 1e-3);
    def.inverted = true;
    check_even("cavity", &def, 4 * PI * 0.16, 1e-3);
    def = shape_of(OOZE_SHAPE_BOX);
    check_even("box", &def, 2 * (0.93 * 0.61 + 0.61 * 0.77 + 0.77 * 0.93), 1e-3);
    def.inverted = true;
    check_even("room", &def, 2 * (0.93 * 0.61 + 0.61 * 0.77 + 0.77 * 0.93), 1e-3);
    def = shape_of(OOZE_SHAPE_CYLINDER);
    check_even("cylinder", &def, 2 * PI * 0.16 + 2 * PI * 0.4 * 0.5, 1e-3);
    def = shape_of(OOZE_SHAPE_CAPSULE);
    check_even("capsule", &def, 4 * PI * 0.16 + 2 * PI * 0.4 * 0.5, 1e-3);
    def = shape_of(OOZE_SHAPE_CONE);
    check_even("cone", &def, PI * 0.16 + PI * 0.4 * sqrt(0.16 + 0.25), 1e-3);
    def = shape_of(OOZE_SHAPE_TORUS);
    check_even("torus", &def, 4 * PI * PI * 0.4 * 0.16, 1e-3);
    def.scale = vec3(3, 0.5, 1.2);
    check_even("scaled torus", &def, 0, 1e-3);
    def = shape_of(OOZE_SHAPE_OPEN_BOX);
    check_even("open box", &def, 0, 1e-3);
    def = shape_of(OOZE_SHAPE_OPEN_CYLINDER);
    check_even("open cylinder", &def, 0, 1e-3);
    def.scale = vec3(1.5, 0.9, 0.8);
    check_even("scaled open cylinder", &def, 0, 2e-2);
    def = shape_of(OOZE_SHAPE_BOWL);
    def.height = 0.3;
    check_even("bowl", &def, 0, 1e-3);
}

/* Scales that differ much: the distance is iterated, and a lower bound beyond a small part of a
   spacing. */
static void flat_shapes_are_covered(void **state)
{
    (void)state;
    OozeShapeDef def = shape_of(OOZE_SHAPE_SPHERE);
    def.scale = vec3(2, 0.02, 1.5);
    check_even("pancake", &def, 0, 1e-3);
    def = shape_of(OOZE_SHAPE_TORUS);
    def.scale = vec3(2, 0.1, 1.5);
    check_even("flat torus", &def, 0, 1e-3);
    def = shape_of(OOZE_SHAPE_CONE);
    def.scale = vec3(2, 1, 0.1);
    check_even("flat cone", &def, 0, 1e-3);
    def = shape_of(OOZE_SHAPE_BOWL);
    def.height = 0.3;
    def.thickness = 0.02;
    def.scale = vec3(2, 0.4, 1);
    check_even("flat bowl", &def, 0, 1e-3);
}

/* Both faces share the samples of a box thinner than a spacing. */
static void thin_boxes_are_covered(void **state)
{
    (void)state;
    static const double thickness[] = {0.6, 0.237, 0.05, 1e-3}; /* spacings */
    for (int k = 0; k < 4; k++) {
        OozeShapeDef def = shape_of(OOZE_SHAPE_BOX);
        def.size.x = thickness[k] * s;
        check_even("thin box", &def, 0, 1e-3);
    }
}

/* A wedge, with edges at 90 and at 45 degrees; the distance is interpolated. */
static void meshes_are_covered(void **state)
{
    (void)state;
    double a = 0.87, b = 0.66;
    OozeVec3 x[6] = {{0, 0, 0}, {a, 0, 0}, {0, a, 0}, {0, 0, b}, {a, 0, b}, {0, a, b}};
    uint32_t t[24] = {0, 2, 1, 3, 4, 5, 0, 1, 4, 0, 4, 3, 0, 3, 5, 0, 5, 2, 1, 2, 5, 1, 5, 4};
    OozeShapeDef def = ooze_shape_def_default(OOZE_SHAPE_MESH);
    def.mesh = (OozeMeshView){x, 6, t, 8};
    check_even("wedge", &def, a * a + (2 + sqrt(2)) * a * b, 2e-2);
    for (int i = 0; i < 6; i++) {
        x[i].z = i < 3 ? 0 : 0.2 * s; /* thinner than a step of its grid */
    }
    check_even("plate", &def, 0, 0.3);
    def.mesh.triangle_count = 2; /* its two ends: sheets with a thickness */
    def.thickness = 0.12;
    check_even("sheets", &def, 0, 2e-2);
}

static void height_maps_are_covered(void **state)
{
    (void)state;
    enum { N = 9 };
    float heights[N * N];
    for (int i = 0; i < N * N; i++) {
        heights[i] = 0.2f + 0.15f * (float)(sin(i * 0.9) * cos(i / N * 1.1));
    }
    OozeShapeDef def = ooze_shape_def_default(OOZE_SHAPE_HEIGHTFIELD);
    def.size = vec3(1.1, 0, 0.9);
    def.field = (OozeHeightView){heights, N, N};
    check_even("height map", &def, 0, 1e-3);
}

/* The faces between parts that touch or overlap have no samples. */
static void compounds_have_samples_on_the_union_only(void **state)
{
    (void)state;
    OozeShapeDef parts[3] = {shape_of(OOZE_SHAPE_BOX), shape_of(OOZE_SHAPE_BOX),
                             shape_of(OOZE_SHAPE_SPHERE)};
    parts[1].position = vec3(0.93, 0, 0);
    parts[2].position = vec3(0, 0.3, 0);
    OozeShapeDef def = ooze_shape_def_default(OOZE_SHAPE_COMPOUND);
    def.parts = parts;
    def.part_count = 3;
    check_even("compound", &def, 0, 1e-3);
    OozeShape *shape = make(&def);
    OozeCellSamples samples = sample(shape);
    for (uint64_t i = 0; i < ooze_cell_samples_count(&samples); i++) {
        OozeVec3 p = samples.points[i];
        bool within = fabs(p.y) < 0.3 && fabs(p.z) < 0.38;
        assert_false(within && fabs(p.x - 0.465) < 0.3 * s);
        assert_false(vec3_length(vec3_sub(p, parts[2].position)) < 0.4 - 0.05 * s);
    }
    ooze_cell_samples_free(&samples);
    ooze_shape_destroy(shape);
}

/* The sum over boundary samples at half a spacing from the surface, sum V W, on a large sphere and
   over the square lattice of a plane. */
static void walls_weigh_as_much_as_a_lattice(void **state)
{
    (void)state;
    const float h = (float)(2 * s);
    OozeShapeDef def = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    def.radius = 20;
    OozeShape *shape = make(&def);
    OozeCellSamples samples = {0};
    OozeCellSet cells = {0};
    for (int64_t i = 0; i < 4 * 4 * 4; i++) { /* about a point in an oblique direction */
        uint64_t key = ooze_cell_key(27 + i % 4, 27 + i / 4 % 4, 27 + i / 16);
        CHECK_OK(ooze_cell_set_add(&cells, key, &error));
    }
    ooze_cell_set_sort(&cells);
    CHECK_OK(ooze_cell_samples_update(&samples, shape, s, &cells, NULL, &error));
    uint64_t n = ooze_cell_samples_count(&samples);
    double lattice = 0.0, above = 0.0, sum = 0.0, squares = 0.0, places = 0.0;
    for (int k = -3; k < 3; k++) {
        for (int i = -3; i < 3; i++) {
            lattice += (double)ooze_cubic_value((float)(s * hypot(i, k)), h);
            above += (double)ooze_cubic_value((float)(s * hypot(hypot(i, k), 0.5)), h);
        }
    }
    double *volume = ooze_alloc(n + 1, sizeof *volume);
    for (uint64_t i = 0; i < n; i++) {
        double weights = 0.0;
        for (uint64_t j = 0; j < n; j++) {
            double apart = vec3_length(vec3_sub(samples.points[i], samples.points[j]));
            weights += (double)ooze_cubic_value((float)apart, h);
        }
        volume[i] = 1.0 / weights;
    }
    OozeVec3 middle = vec3_scale(vec3(1, 1, 1), 20 / sqrt(3));
    for (int k = 0; k < 400; k++) {
        OozeVec3 p = vec3_add(middle, vec3(s * (k % 20 - 10) * 0.37, s * (k / 20 - 10) * 0.41, 0));
        p = vec3_scale(p, (20 + 0.5 * s) / vec3_length(p));
        double weight = 0.0;
        for (uint64_t i = 0; i < n; i++) {
            double apart = vec3_length(vec3_sub(p, samples.points[i]));
            weight += volume[i] * (double)ooze_cubic_value((float)apart, h);
        }
        sum += weight;
        squares += weight * weight;
        places += 1.0;
    }
    double mean = sum / places;
    MEASURED("over that of the lattice", mean * lattice / above, 0.97, 1.03);
    MEASURED("coefficient of variation", sqrt(squares / places - mean * mean) / mean, 0, 0.04);
    ooze_free(volume);
    ooze_cell_set_free(&cells);
    ooze_cell_samples_free(&samples);
    ooze_shape_destroy(shape);
}

/* ---- independence --------------------------------------------------------------------------- */

/* Samples of each cell alone, of every third, or added step by step: those of all together. */
static void check_independent(const OozeShapeDef *def)
{
    OozeShape *shape = make(def);
    OozeCellSet cells = all_cells(shape);
    OozeCellSamples whole = {0}, some = {0};
    OozeThreads *threads;
    CHECK_OK(ooze_threads_create(3, &threads, &error));
    CHECK_OK(ooze_cell_samples_update(&whole, shape, s, &cells, NULL, &error));
    for (uint64_t step = 1; step <= cells.count + 3; step++) {
        OozeCellSet chosen = {0};
        OozeCellSamples fresh = {0}, *made = step % 2 ? &some : &fresh;
        for (uint64_t i = 0; i < cells.count; i++) {
            bool wanted = step <= 3 ? i % 3 < step : i == step - 4 && i % 5 == 0;
            if (wanted) {
                CHECK_OK(ooze_cell_set_add(&chosen, cells.keys[i], &error));
            }
        }
        CHECK_OK(ooze_cell_samples_update(made, shape, s, &chosen, threads, &error));
        for (uint64_t i = 0; i < chosen.count; i++) {
            int64_t at = ooze_cell_set_find(&whole.cells, chosen.keys[i]);
            uint64_t n = whole.first[at + 1] - whole.first[at];
            assert_int_equal(made->first[i + 1] - made->first[i], n);
            if (n > 0) {
                assert_memory_equal(made->points + made->first[i], whole.points + whole.first[at],
                                    n * sizeof *whole.points);
            }
        }
        ooze_cell_samples_free(&fresh);
        ooze_cell_set_free(&chosen);
    }
    ooze_threads_destroy(threads);
    ooze_cell_samples_free(&whole);
    ooze_cell_samples_free(&some);
    ooze_cell_set_free(&cells);
    ooze_shape_destroy(shape);
}

static void cells_do_not_depend_on_others(void **state)
{
    (void)state;
    OozeShapeDef def = shape_of(OOZE_SHAPE_SPHERE);
    def.radius = 0.9;
    check_independent(&def);
    def = shape_of(OOZE_SHAPE_BOX);
    def.size = vec3(0.01185, 1.9, 1.6);
    check_independent(&def);
    def = shape_of(OOZE_SHAPE_CYLINDER);
    def.radius = 0.8;
    check_independent(&def);
}

static void failures_are_clean(void **state)
{
    (void)state;
    OozeShapeDef def = shape_of(OOZE_SHAPE_CYLINDER);
    OozeShape *shape = make(&def);
    OozeCellSet cells = all_cells(shape);
    OozeStatus status = OOZE_ERROR_MEMORY;
    for (uint64_t n = 1; status == OOZE_ERROR_MEMORY; n++) {
        OozeCellSamples samples = {0};
        ooze_memory_fail_after(n);
        status = ooze_cell_samples_update(&samples, shape, s, &cells, NULL, NULL);
        ooze_memory_fail_after(0);
        ooze_cell_samples_free(&samples);
    }
    assert_int_equal(status, OOZE_OK);
    ooze_cell_set_free(&cells);
    ooze_shape_destroy(shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_even_on_every_shape),
        cmocka_unit_test(flat_shapes_are_covered),
        cmocka_unit_test(thin_boxes_are_covered),
        cmocka_unit_test(meshes_are_covered),
        cmocka_unit_test(height_maps_are_covered),
        cmocka_unit_test(compounds_have_samples_on_the_union_only),
        cmocka_unit_test(walls_weigh_as_much_as_a_lattice),
        cmocka_unit_test(cells_do_not_depend_on_others),
        cmocka_unit_test(failures_are_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
