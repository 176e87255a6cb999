#include "check.h"

#include "base/memory.h"
#include "physics/kernels.h"
#include "solids/fill.h"
#include "solids/fitted_fill.h"
#include "solids/lattice_rows.h"
#include "solids/motion.h"

#define PI 3.14159265358979323846

typedef struct Filled {
    OozeShape *shape;
    OozeFillRequest request;
    uint64_t count;
    OozeVec3 *x;
} Filled;

static OozeFillRequest request_for(const OozeShape *shape, OozeFill fill, double spacing)
{
    OozeFillRequest request = {.shape = shape,
                               .pose = {.rotation = {0, 0, 0, 1}},
                               .fill = fill,
                               .spacing = spacing,
                               .jitter = 0.1,
                               .seed = 42,
                               .limit = 10000000};
    return request;
}

static Filled fill(const OozeShapeDef *def, OozeFill kind, double spacing)
{
    Filled filled = {0};
    CHECK_OK(ooze_shape_create(def, OOZE_AXIS_Y, spacing, &filled.shape, &error));
    filled.request = request_for(filled.shape, kind, spacing);
    CHECK_OK(ooze_fill(&filled.request, &filled.count, &filled.x, &error));
    return filled;
}

static void drop(Filled *filled)
{
    ooze_free(filled->x);
    ooze_shape_destroy(filled->shape);
}

static OozeShapeDef box(double x, double y, double z)
{
    OozeShapeDef def = ooze_shape_def_default(OOZE_SHAPE_BOX);
    def.size = vec3(x, y, z);
    return def;
}

static OozeShapeDef ball(double radius)
{
    OozeShapeDef def = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    def.radius = radius;
    return def;
}

/* Edges that are whole spacings, written so that rounding falls on either side. */
static void box_of_whole_spacings_is_exact(void **state)
{
    (void)state;
    double spacings[] = {0.1, 0.01, 1.0 / 3.0, 0.007, 0.025};
    for (int i = 0; i < 5; i++) {
        double s = spacings[i];
        for (int n = 1; n <= 12; n++) {
            OozeShapeDef def = box(n * s, 3 * s, 7.0 * s);
            Filled filled = fill(&def, OOZE_FILL_LATTICE, s);
            assert_int_equal(filled.count, n * 3 * 7);
            OozeVec3 low = filled.x[0], high = filled.x[0], sum = vec3(0, 0, 0);
            for (uint64_t k = 0; k < filled.count; k++) {
                low = vec3(fmin(low.x, filled.x[k].x), fmin(low.y, filled.x[k].y), 0);
                high = vec3(fmax(high.x, filled.x[k].x), fmax(high.y, filled.x[k].y), 0);
                sum = vec3_add(sum, filled.x[k]);
            }
            CHECK_NEAR(high.x, 0.5 * (n - 1) * s, 1e-12);
            CHECK_NEAR(low.x, -0.5 * (n - 1) * s, 1e-12);
            CHECK_NEAR(vec3_length(sum), 0.0, 1e-9);
            drop(&filled);
        }
    }
}

static void box_with_a_remainder_is_centred(void **state)
{
    (void)state;
    OozeShapeDef def = box(1.27, 1.0, 1.0);
    Filled filled = fill(&def, OOZE_FILL_LATTICE, 0.1);
    assert_int_equal(filled.count, 12 * 10 * 10);
    CHECK_NEAR(filled.x[0].x, -0.55, 1e-12);
    drop(&filled);
    def = box(0.09, 1.0, 1.0); /* thinner than a spacing: nothing fits, and no error */
    filled = fill(&def, OOZE_FILL_LATTICE, 0.1);
    assert_int_equal(filled.count, 0);
    drop(&filled);
}

static void lattice_is_half_a_spacing_inside_and_complete(void **state)
{
    (void)state;
    double s = 0.1, radius = 1.234;
    OozeShapeDef def = ball(radius);
    Filled filled = fill(&def, OOZE_FILL_LATTICE, s);
    for (uint64_t i = 0; i < filled.count; i++) {
        assert_true(vec3_length(filled.x[i]) <= radius - (0.5 - 1.1e-3) * s);
    }
    /* counted again, one by one */
    int n = 24, expected = 0;
    for (int i = 0; i < n * n * n; i++) {
        OozeVec3 p = vec3((i % n - 11.5) * s, (i / n % n - 11.5) * s, (i / n / n - 11.5) * s);
        expected += vec3_length(p) <= radius - (0.5 - 1e-3) * s;
    }
    assert_int_equal(filled.count, expected);
    drop(&filled);
}

static void pose_turns_and_moves(void **state)
{
    (void)state;
    OozeShapeDef def = box(0.5, 0.3, 0.2);
    Filled plain = fill(&def, OOZE_FILL_LATTICE, 0.1);
    OozeFillRequest request = plain.request;
    request.pose.position = vec3(3, -1, 2);
    request.pose.rotation = quat_from_vector(vec3(0.3, 0.8, -0.2));
    uint64_t count;
    OozeVec3 *x;
    CHECK_OK(ooze_fill(&request, &count, &x, &error));
    assert_int_equal(count, plain.count);
    for (uint64_t i = 0; i < count; i++) {
        OozeVec3 expected =
            vec3_add(request.pose.position, quat_rotate(request.pose.rotation, plain.x[i]));
        CHECK_NEAR(vec3_length(vec3_sub(x[i], expected)), 0.0, 1e-14);
    }
    ooze_free(x);
    drop(&plain);
}

static void jitter_is_bounded_and_repeats(void **state)
{
    (void)state;
    OozeShapeDef def = box(1, 1, 1);
    Filled lattice = fill(&def, OOZE_FILL_LATTICE, 0.1), a = fill(&def, OOZE_FILL_JITTERED, 0.1);
    Filled b = fill(&def, OOZE_FILL_JITTERED, 0.1);
    assert_int_equal(a.count, 1000);
    assert_memory_equal(a.x, b.x, a.count * sizeof *a.x);
    double sum = 0.0, most = 0.0;
    for (uint64_t i = 0; i < a.count; i++) {
        OozeVec3 d = vec3_sub(a.x[i], lattice.x[i]);
        sum += vec3_dot(d, d);
        most = fmax(most, fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z))));
    }
    assert_true(most <= 0.01 && most > 0.0095);
    /* uniform within +-a along each axis: mean square a2, here 1e-4 m2, standard error 1.6% */
    CHECK_NEAR(sum / 1000.0, 1e-4, 1e-5);
    OozeFillRequest request = a.request;
    request.seed = 43;
    uint64_t count;
    OozeVec3 *x;
    CHECK_OK(ooze_fill(&request, &count, &x, &error));
    assert_memory_not_equal(a.x, x, a.count * sizeof *a.x);
    ooze_free(x);
    drop(&lattice);
    drop(&a);
    drop(&b);
}

/* The same cube as twelve triangles: the same lattice, through an interpolated distance. */
static void mesh_fills_like_the_box_it_is(void **state)
{
    (void)state;
    OozeVec3 x[8];
    for (int i = 0; i < 8; i++) {
        x[i] = vec3(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5);
    }
    uint32_t t[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                      2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    OozeShapeDef def = ooze_shape_def_default(OOZE_SHAPE_MESH);
    def.mesh = (OozeMeshView){x, 8, t, 12};
    Filled filled = fill(&def, OOZE_FILL_LATTICE, 0.1);
    assert_int_equal(filled.count, 1000);
    drop(&filled);
    filled = fill(&def, OOZE_FILL_FITTED, 0.1);
    CHECK_NEAR((double)filled.count, 1000.0, 3.0);
    drop(&filled);
}

static void volume_is_measured_well(void **state)
{
    (void)state;
    OozeShape *shape;
    OozeShapeDef def = ball(0.6);
    CHECK_OK(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error));
    CHECK_NEAR(ooze_shape_volume(shape, 0.0, 0.1, NULL) / (4.0 / 3.0 * PI * 0.216), 1.0, 1e-3);
    CHECK_NEAR(ooze_shape_volume(shape, 0.1, 0.1, NULL) / (4.0 / 3.0 * PI * 0.125), 1.0, 1e-3);
    ooze_shape_destroy(shape);
    def = ooze_shape_def_default(OOZE_SHAPE_TORUS);
    def.radius = 1.0;
    def.tube_radius = 0.25;
    CHECK_OK(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error));
    CHECK_NEAR(ooze_shape_volume(shape, 0.0, 0.1, NULL) / (2 * PI * PI * 0.0625), 1.0, 2e-3);
    ooze_shape_destroy(shape);
}

/* A sphere of six spacings: the right number, an outer layer half a spacing down, even inside. */
static void fitted_ball_is_even(void **state)
{
    (void)state;
    double s = 0.1, radius = 0.6, h = 2.5 * s;
    OozeShapeDef def = ball(radius);
    Filled filled = fill(&def, OOZE_FILL_FITTED, s);
    assert_int_equal(filled.count, rint(4.0 / 3.0 * PI * 216.0));
    double nearest = INFINITY, layer = 0.0, sum = 0.0, squares = 0.0;
    int outer = 0, inner = 0;
    for (uint64_t i = 0; i < filled.count; i++) {
        double density = 0.0, depth = radius - vec3_length(filled.x[i]);
        for (uint64_t j = 0; j < filled.count; j++) {
            double r = vec3_length(vec3_sub(filled.x[i], filled.x[j]));
            density += (double)ooze_cubic_value((float)r, (float)h);
            nearest = i != j && r < nearest ? r : nearest;
        }
        if (depth < 0.9 * s) {
            layer += (depth - 0.5 * s) * (depth - 0.5 * s);
            outer++;
        }
        if (depth > h) {
            sum += density;
            squares += density * density;
            inner++;
        }
    }
    double mean = sum / inner, spread = sqrt(fmax(squares / inner - mean * mean, 0.0)) / mean;
    MEASURED("nearest pair, spacings", nearest / s, 0.8, 1.2);
    MEASURED("outer layer, RMS from half a spacing, spacings", sqrt(layer / outer) / s, 0.0, 0.15);
    MEASURED("relative spread of density inside", spread, 0.0, 0.05);
    MEASURED("density inside over 1/s3", mean * s * s * s, 0.95, 1.05);
    /* about the area of the layer's sphere in particles: the layer is complete */
    MEASURED("outer layer, share of 4 pi (R - s/2)2 / s2", outer / (4 * PI * 0.55 * 0.55 / (s * s)),
             0.85, 1.2);
    drop(&filled);
}

/* A ball of 16 spacings, whose middle is left as a lattice: from there to below the surface the
   density stays even, since the relaxed points near it make up for the surface's layer. */
static void fitted_large_ball_is_even_at_every_depth(void **state)
{
    (void)state;
    double s = 0.1, radius = 1.6, h = 2.5 * s, lattice = s * pow(2.0, 1.0 / 6.0);
    OozeShapeDef def = ball(radius);
    Filled filled = fill(&def, OOZE_FILL_FITTED, s);
    double nearest = INFINITY, low = INFINITY, high = 0.0, off = 0.0;
    int deep = 0;
    for (uint64_t i = 0; i < filled.count; i += 7) {
        double density = 0.0, near = INFINITY, depth = radius - vec3_length(filled.x[i]);
        for (uint64_t j = 0; j < filled.count; j++) {
            double r = vec3_length(vec3_sub(filled.x[i], filled.x[j]));
            density += (double)ooze_cubic_value((float)r, (float)h) * s * s * s;
            near = i != j && r < near ? r : near;
        }
        nearest = fmin(nearest, near);
        if (depth > h) {
            low = fmin(low, density);
            high = fmax(high, density);
        }
        if (depth > 11.5 * s) {
            off = fmax(off, fabs(near / lattice - 1.0));
            deep++;
        }
    }
    MEASURED("nearest pair, spacings", nearest / s, 0.85, 1.2);
    MEASURED("least density below the surface, s3", low, 0.99, 1.0);
    MEASURED("largest density", high, 1.0, 1.025);
    assert_true(deep > 40);
    MEASURED("largest change of the middle's lattice", off, 0.0, 1e-6);
    drop(&filled);
}

static void threads_do_not_change_a_fitted_fill(void **state)
{
    (void)state;
    OozeShapeDef defs[2] = {ball(0.7), ooze_shape_def_default(OOZE_SHAPE_CYLINDER)};
    defs[1].radius = 0.03; /* thinner than a particle */
    defs[1].height = 8.0;
    for (int k = 0; k < 2; k++) {
        Filled alone = fill(&defs[k], OOZE_FILL_FITTED, 0.1);
        OozeFillRequest request = alone.request;
        CHECK_OK(ooze_threads_create(3, &request.threads, &error));
        uint64_t count;
        OozeVec3 *x;
        CHECK_OK(ooze_fill(&request, &count, &x, &error));
        assert_int_equal(count, alone.count);
        assert_memory_equal(x, alone.x, count * sizeof *x);
        ooze_free(x);
        ooze_threads_destroy(request.threads);
        drop(&alone);
    }
}

static void fitted_fills_keep_their_distance_in_corners(void **state)
{
    (void)state;
    OozeShapeDef defs[3] = {box(1, 0.8, 0.63), ooze_shape_def_default(OOZE_SHAPE_CYLINDER),
                            ooze_shape_def_default(OOZE_SHAPE_CONE)};
    defs[1].radius = defs[2].radius = 0.5;
    defs[1].height = defs[2].height = 1.0;
    double volumes[3] = {0.504, PI * 0.25, PI * 0.25 / 3.0};
    for (int k = 0; k < 3; k++) {
        Filled filled = fill(&defs[k], OOZE_FILL_FITTED, 0.1);
        double nearest = INFINITY;
        CHECK_NEAR((double)filled.count, volumes[k] * 1000.0, 2.0);
        for (uint64_t i = 0; i < filled.count; i++) {
            assert_true(ooze_shape_distance(filled.shape, filled.x[i], NULL) < -0.03);
            for (uint64_t j = 0; j < i; j++) {
                double r = vec3_length(vec3_sub(filled.x[i], filled.x[j]));
                nearest = fmin(nearest, r);
            }
        }
        /* rim and tip of a cone are too narrow for the share of particles that is theirs */
        MEASURED("nearest pair, spacings", nearest / 0.1, k == 2 ? 0.65 : 0.75, 1.2);
        drop(&filled);
    }
}

/* A wire thinner than a particle: the right number, one behind the other, none outside. */
static void fitted_wire_stays_inside(void **state)
{
    (void)state;
    OozeShapeDef def = ooze_shape_def_default(OOZE_SHAPE_CYLINDER);
    def.radius = 0.03;
    def.height = 8.0;
    Filled filled = fill(&def, OOZE_FILL_FITTED, 0.1);
    CHECK_NEAR((double)filled.count, PI * 0.0009 * 8.0 * 1000.0, 1.0);
    for (uint64_t i = 0; i < filled.count; i++) {
        assert_true(ooze_shape_distance(filled.shape, filled.x[i], NULL) < 0.0);
    }
    drop(&filled);
}

static void unbounded_and_too_many_are_refused(void **state)
{
    (void)state;
    uint64_t count;
    OozeVec3 *x;
    OozeShape *shape;
    OozeShapeDef def = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    CHECK_OK(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error));
    for (int kind = 0; kind < 3; kind++) {
        OozeFillRequest request = request_for(shape, (OozeFill)kind, 0.1);
        CHECK_FAILS(ooze_fill(&request, &count, &x, &error), OOZE_ERROR_ARGUMENT, "no end");
    }
    ooze_shape_destroy(shape);
    def = box(1, 1, 1);
    def.inverted = true;
    CHECK_OK(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error));
    OozeFillRequest request = request_for(shape, OOZE_FILL_LATTICE, 0.1);
    CHECK_FAILS(ooze_fill(&request, &count, &x, &error), OOZE_ERROR_ARGUMENT, "inverted");
    ooze_shape_destroy(shape);
    def = box(1, 1, 1);
    CHECK_OK(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error));
    request = request_for(shape, OOZE_FILL_LATTICE, 0.1);
    request.limit = 999;
    CHECK_FAILS(ooze_fill(&request, &count, &x, &error), OOZE_ERROR_LIMIT, "about 1000 particles");
    request.fill = OOZE_FILL_FITTED;
    CHECK_FAILS(ooze_fill(&request, &count, &x, &error), OOZE_ERROR_LIMIT, "about 1000 particles");
    request.limit = 1000000;
    request.spacing = 1e-6; /* told at once, not after hours */
    request.fill = OOZE_FILL_LATTICE;
    CHECK_FAILS(ooze_fill(&request, &count, &x, &error), OOZE_ERROR_LIMIT,
                "about 1000000000000000");
    request.spacing = NAN;
    CHECK_FAILS(ooze_fill(&request, &count, &x, &error), OOZE_ERROR_ARGUMENT, "spacing");
    request = request_for(shape, OOZE_FILL_JITTERED, 0.1);
    request.jitter = 0.7;
    CHECK_FAILS(ooze_fill(&request, &count, &x, &error), OOZE_ERROR_ARGUMENT, "jitter 0.7");
    ooze_shape_destroy(shape);
}

/* Two boxes 1e7 m apart in any direction: as many rows and particles as the boxes have. */
static void distant_parts_cost_what_the_parts_cost(void **state)
{
    (void)state;
    const OozeVec3 away[4] = {{1e7, 0, 0}, {0, 1e7, 0}, {0, 0, 1e7}, {-1e7, 1e7, 1e7}};
    for (int k = 0; k < 4; k++) {
        OozeShapeDef parts[2] = {box(0.5, 0.5, 0.5), box(0.5, 0.5, 0.5)};
        parts[1].position = away[k];
        OozeShapeDef def = ooze_shape_def_default(OOZE_SHAPE_COMPOUND);
        def.parts = parts;
        def.part_count = 2;
        OozeShape *shape;
        CHECK_OK(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error));
        OozeLatticeRows rows = ooze_lattice_rows(shape, 0.0);
        OozeBounds b = ooze_shape_bounds(shape);
        double across = 1e7 + 0.5;
        ooze_lattice_rows_begin(&rows, b.min, 0.1, (int64_t)(across / 0.1),
                                (int64_t)(across / 0.1));
        while (ooze_lattice_rows_next(&rows)) {
            assert_true(rows.visited <= 2 * 9 * 9);
        }
        assert_true(rows.visited >= 25);
        CHECK_NEAR(ooze_shape_volume(shape, 0.0, 0.1, NULL), 0.25, 2.5e-3);
        for (int fill = 0; fill < 3; fill++) {
            OozeFillRequest request = request_for(shape, (OozeFill)fill, 0.1);
            uint64_t count;
            OozeVec3 *x;
            CHECK_OK(ooze_fill(&request, &count, &x, &error));
            assert_in_range(count, fill == OOZE_FILL_FITTED ? 248 : 200, 252);
            for (uint64_t i = 0; i < count; i++) {
                assert_true(ooze_shape_distance(shape, x[i], NULL) < 1e-6);
            }
            ooze_free(x);
        }
        ooze_shape_destroy(shape);
    }
    /* one box as long as that: refused at once where it lies across the rows */
    OozeShapeDef def = box(0.5, 1e8, 1e3);
    OozeShape *shape;
    CHECK_OK(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error));
    OozeFillRequest request = request_for(shape, OOZE_FILL_LATTICE, 0.1);
    request.limit = UINT64_MAX;
    uint64_t count;
    OozeVec3 *x;
    CHECK_FAILS(ooze_fill(&request, &count, &x, &error), OOZE_ERROR_LIMIT, "too large to fill");
    ooze_shape_destroy(shape);
}

static void memory_failures_leak_nothing(void **state)
{
    (void)state;
    OozeShape *shape;
    OozeShapeDef def = ball(0.5);
    CHECK_OK(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error));
    for (int kind = 0; kind < 3; kind++) {
        OozeFillRequest request = request_for(shape, (OozeFill)kind, 0.1);
        OozeStatus status = OOZE_ERROR_MEMORY;
        uint64_t n = 0, count;
        while (status == OOZE_ERROR_MEMORY) {
            OozeVec3 *x;
            ooze_memory_fail_after(++n);
            status = ooze_fill(&request, &count, &x, NULL);
            ooze_memory_fail_after(0);
            ooze_free(x);
        }
        assert_int_equal(status, OOZE_OK);
        assert_true(n > 1);
    }
    ooze_shape_destroy(shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_of_whole_spacings_is_exact),
        cmocka_unit_test(box_with_a_remainder_is_centred),
        cmocka_unit_test(lattice_is_half_a_spacing_inside_and_complete),
        cmocka_unit_test(pose_turns_and_moves),
        cmocka_unit_test(jitter_is_bounded_and_repeats),
        cmocka_unit_test(mesh_fills_like_the_box_it_is),
        cmocka_unit_test(volume_is_measured_well),
        cmocka_unit_test(fitted_ball_is_even),
        cmocka_unit_test(fitted_large_ball_is_even_at_every_depth),
        cmocka_unit_test(threads_do_not_change_a_fitted_fill),
        cmocka_unit_test(fitted_fills_keep_their_distance_in_corners),
        cmocka_unit_test(fitted_wire_stays_inside),
        cmocka_unit_test(unbounded_and_too_many_are_refused),
        cmocka_unit_test(distant_parts_cost_what_the_parts_cost),
        cmocka_unit_test(memory_failures_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
