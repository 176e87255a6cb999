/* Shapes in closed form: distances, normals, bounds, refusals. */
#include "check.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "solids/shape.h"

static OozeShape *make(const OozeShapeDef *def, OozeAxis up)
{
    OozeShape *shape = NULL;
    CHECK_OK(ooze_shape_create(def, up, 0.02, &shape, &error));
    return shape;
}

static double distance(const OozeShape *shape, double x, double y, double z)
{
    return ooze_shape_distance(shape, vec3(x, y, z), NULL);
}

static OozeVec3 random_point(uint64_t i, double reach)
{
    return vec3(reach * (2.0 * ooze_random01(7, i, 0) - 1.0),
                reach * (2.0 * ooze_random01(7, i, 1) - 1.0),
                reach * (2.0 * ooze_random01(7, i, 2) - 1.0));
}

static OozeShapeDef def_of(OozeShapeKind kind)
{
    OozeShapeDef def = ooze_shape_def_default(kind);
    def.size = vec3(0.6, 0.8, 1.2);
    def.radius = 0.4;
    def.tube_radius = 0.15;
    def.height = 0.7;
    return def;
}

static const OozeShapeKind closed_forms[] = {
    OOZE_SHAPE_PLANE,    OOZE_SHAPE_BOX,  OOZE_SHAPE_SPHERE, OOZE_SHAPE_CAPSULE,
    OOZE_SHAPE_CYLINDER, OOZE_SHAPE_CONE, OOZE_SHAPE_TORUS};
enum { CLOSED_FORMS = sizeof closed_forms / sizeof closed_forms[0] };

/* ---- values known by hand -------------------------------------------------------------------- */

static void known_distances_of_box_and_plane(void **state)
{
    (void)state;
    OozeShapeDef def = def_of(OOZE_SHAPE_BOX);
    OozeShape *box = make(&def, OOZE_AXIS_Y);
    CHECK_NEAR(distance(box, 0, 0, 0), -0.3, 1e-15);
    CHECK_NEAR(distance(box, 0.5, 0, 0), 0.2, 1e-15);
    CHECK_NEAR(distance(box, 0.3, 0.4, 0.6), 0.0, 1e-15);
    CHECK_NEAR(distance(box, 0.3 + 0.3, 0.4 + 0.4, 0), 0.5, 1e-15);
    CHECK_NEAR(distance(box, -0.4, -0.6, -0.8), 0.3, 1e-15); /* 1, 2, 2 tenths from a corner */
    ooze_shape_destroy(box);

    def = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    for (int up = 0; up < 3; up++) {
        OozeShape *plane = make(&def, (OozeAxis)up);
        OozeVec3 normal;
        OozeVec3 p = vec3(0.1, 0.2, 0.3);
        CHECK_NEAR(ooze_shape_distance(plane, p, &normal), vec3_component(p, up), 1e-15);
        CHECK_NEAR(vec3_component(normal, up), 1.0, 1e-15);
        ooze_shape_destroy(plane);
    }
    def.normal = vec3(3, 4, 0);
    def.scale = vec3(3, 4, 1); /* the plane 3x + 4y = 0 becomes x + y = 0 */
    OozeShape *plane = make(&def, OOZE_AXIS_Y);
    CHECK_NEAR(distance(plane, 1, 1, 5), sqrt(2.0), 1e-15);
    CHECK_NEAR(distance(plane, 1, -1, 5), 0.0, 1e-15);
    ooze_shape_destroy(plane);
}

static void known_distances_of_round_shapes(void **state)
{
    (void)state;
    OozeShapeDef def = def_of(OOZE_SHAPE_SPHERE);
    OozeShape *shape = make(&def, OOZE_AXIS_Y);
    CHECK_NEAR(distance(shape, 0, 0, 0), -0.4, 1e-15);
    CHECK_NEAR(distance(shape, 2, 3, 6), 6.6, 1e-14);
    ooze_shape_destroy(shape);

    def = def_of(OOZE_SHAPE_CAPSULE);
    shape = make(&def, OOZE_AXIS_Z);
    CHECK_NEAR(distance(shape, 0, 0, 0.2), -0.4, 1e-15);
    CHECK_NEAR(distance(shape, 0, 0, 0.35 + 0.4), 0.0, 1e-15);
    CHECK_NEAR(distance(shape, 0.3, 0, 0.35 + 0.4), 0.1, 1e-15);
    CHECK_NEAR(distance(shape, 0.5, 0, -0.3), 0.1, 1e-15);
    ooze_shape_destroy(shape);

    def = def_of(OOZE_SHAPE_CYLINDER);
    shape = make(&def, OOZE_AXIS_X);
    CHECK_NEAR(distance(shape, 0, 0, 0), -0.35, 1e-15);
    CHECK_NEAR(distance(shape, 0.45, 0, 0), 0.1, 1e-15);
    CHECK_NEAR(distance(shape, 0.35 + 0.3, 0, 0.4 + 0.4), 0.5, 1e-15);
    CHECK_NEAR(distance(shape, 0.1, 0.35, 0), -0.05, 1e-15);
    ooze_shape_destroy(shape);

    def = def_of(OOZE_SHAPE_TORUS);
    shape = make(&def, OOZE_AXIS_Y);
    CHECK_NEAR(distance(shape, 0, 0, 0), 0.25, 1e-15);
    CHECK_NEAR(distance(shape, 0, 0, 0.4), -0.15, 1e-15);
    CHECK_NEAR(distance(shape, 0, 0.3, 0), 0.5 - 0.15, 1e-15);
    ooze_shape_destroy(shape);
}

static void known_distances_of_cone(void **state)
{
    (void)state;
    OozeShapeDef def = def_of(OOZE_SHAPE_CONE);
    def.radius = 0.3;
    def.height = 0.4; /* slant 0.5 */
    OozeShape *cone = make(&def, OOZE_AXIS_Y);
    OozeVec3 normal;
    CHECK_NEAR(distance(cone, 0, -0.1, 0), 0.1, 1e-15);
    CHECK_NEAR(distance(cone, 0, 0.5, 0), 0.1, 1e-15);
    CHECK_NEAR(distance(cone, 0, 0.4, 0), 0.0, 1e-15);
    CHECK_NEAR(distance(cone, 0.3, 0.4, 0), 0.24, 1e-15); /* 0.3 * 0.4 / 0.5 */
    CHECK_NEAR(distance(cone, 0, 0.05, 0), -0.05, 1e-15);
    CHECK_NEAR(distance(cone, 0, 0.39, 0), -0.01 * 0.3 / 0.5, 1e-15);
    CHECK_NEAR(distance(cone, 0.3 + 0.03, -0.04, 0), 0.05, 1e-15); /* nearest to the rim */
    ooze_shape_distance(cone, vec3(0.15, 0.2, 0), &normal);        /* on the slant */
    CHECK_NEAR(normal.x, 0.8, 1e-12);
    CHECK_NEAR(normal.y, 0.6, 1e-12);
    ooze_shape_destroy(cone);
}

/* ---- properties that hold for every distance ------------------------------------------------- */

/* The foot p - d n must lie on the surface, and no point of the surface may be nearer: together
   they are what a distance is. Checked against the triangulated surface from outside. */
static void foot_lies_on_surface(void **state)
{
    (void)state;
    for (int k = 0; k < CLOSED_FORMS; k++) {
        OozeShapeDef def = def_of(closed_forms[k]);
        def.normal = vec3(1, 2, 2);
        for (int up = 0; up < 3; up++) {
            OozeShape *shape = make(&def, (OozeAxis)up);
            for (uint64_t i = 0; i < 2000; i++) {
                OozeVec3 p = random_point(i, 1.0), normal;
                if (i % 10 == 0) { /* degenerate places: on axes and diagonals */
                    p = vec3(i % 20 ? p.x : 0.0, i % 30 ? 0.0 : p.y, i % 40 ? 0.0 : p.z);
                }
                double d = ooze_shape_distance(shape, p, &normal);
                CHECK_NEAR(vec3_length(normal), 1.0, 1e-12);
                OozeVec3 foot = vec3_madd(p, -d, normal);
                CHECK_NEAR(ooze_shape_distance(shape, foot, NULL), 0.0, 1e-12);
            }
            ooze_shape_destroy(shape);
        }
    }
}

static double nearest_vertex(const OozeMesh *mesh, OozeVec3 p)
{
    double best = INFINITY;
    for (uint64_t i = 0; i < mesh->vertex_count; i++) {
        best = fmin(best, vec3_length(vec3_sub(mesh->vertices[i], p)));
    }
    return best;
}

static void distance_matches_brute_force(void **state)
{
    (void)state;
    for (int k = 1; k < CLOSED_FORMS; k++) {
        OozeShapeDef def = def_of(closed_forms[k]);
        OozeShape *shape = make(&def, OOZE_AXIS_Y);
        OozeMesh *mesh = NULL;
        const double edge = 0.03;
        CHECK_OK(ooze_shape_triangulate(shape, edge, NULL, &mesh, &error));
        for (uint64_t i = 0; i < 300; i++) {
            OozeVec3 p = random_point(i, 0.9);
            double d = fabs(ooze_shape_distance(shape, p, NULL));
            double nearest = nearest_vertex(mesh, p);
            /* Vertices are on the surface, the true foot within edge/sqrt(3) of one of them. */
            assert_true(nearest >= d - 1e-12);
            assert_true(nearest <= sqrt(d * d + edge * edge / 3.0) + 0.1 * edge);
        }
        ooze_mesh_free(mesh);
        ooze_shape_destroy(shape);
    }
}

static void normal_is_the_gradient(void **state)
{
    (void)state;
    const double step = 1e-6;
    for (int k = 0; k < CLOSED_FORMS; k++) {
        OozeShapeDef def = def_of(closed_forms[k]);
        OozeShape *shape = make(&def, OOZE_AXIS_Y);
        int off = 0;
        for (uint64_t i = 0; i < 2000; i++) {
            OozeVec3 p = random_point(i, 1.0), normal, slope;
            ooze_shape_distance(shape, p, &normal);
            slope.x = distance(shape, p.x + step, p.y, p.z) - distance(shape, p.x - step, p.y, p.z);
            slope.y = distance(shape, p.x, p.y + step, p.z) - distance(shape, p.x, p.y - step, p.z);
            slope.z = distance(shape, p.x, p.y, p.z + step) - distance(shape, p.x, p.y, p.z - step);
            slope = vec3_scale(slope, 0.5 / step);
            off += vec3_length(vec3_sub(slope, normal)) > 1e-4;
        }
        /* Only a difference that straddles the medial sheets may be off: a 1e-6 sliver. */
        assert_in_range(off, 0, 1);
        ooze_shape_destroy(shape);
    }
}

static void inverted_is_the_other_side(void **state)
{
    (void)state;
    for (int k = 0; k < CLOSED_FORMS; k++) {
        OozeShapeDef def = def_of(closed_forms[k]);
        OozeShape *solid = make(&def, OOZE_AXIS_Y);
        def.inverted = true;
        OozeShape *container = make(&def, OOZE_AXIS_Y);
        assert_true(ooze_shape_inverted(container) && !ooze_shape_inverted(solid));
        assert_int_equal(ooze_shape_kind(container), closed_forms[k]);
        for (uint64_t i = 0; i < 100; i++) {
            OozeVec3 p = random_point(i, 1.0), n1, n2;
            double d1 = ooze_shape_distance(solid, p, &n1);
            double d2 = ooze_shape_distance(container, p, &n2);
            CHECK_NEAR(d1 + d2, 0.0, 0.0);
            CHECK_NEAR(vec3_length(vec3_add(n1, n2)), 0.0, 0.0);
        }
        OozeBounds a = ooze_shape_bounds(solid), b = ooze_shape_bounds(container);
        assert_memory_equal(&a, &b, sizeof a);
        ooze_shape_destroy(solid);
        ooze_shape_destroy(container);
    }
}

/* ---- bounds, scale, defaults, refusals ------------------------------------------------------- */

static void check_bounds(const OozeShapeDef *def, OozeAxis up, OozeVec3 min, OozeVec3 max)
{
    OozeShape *shape = make(def, up);
    OozeBounds b = ooze_shape_bounds(shape);
    CHECK_NEAR(vec3_length(vec3_sub(b.min, min)), 0.0, 1e-15);
    CHECK_NEAR(vec3_length(vec3_sub(b.max, max)), 0.0, 1e-15);
    ooze_shape_destroy(shape);
}

static void bounds_follow_the_axis(void **state)
{
    (void)state;
    OozeShapeDef def = def_of(OOZE_SHAPE_CONE);
    check_bounds(&def, OOZE_AXIS_Y, vec3(-0.4, 0, -0.4), vec3(0.4, 0.7, 0.4));
    check_bounds(&def, OOZE_AXIS_Z, vec3(-0.4, -0.4, 0), vec3(0.4, 0.4, 0.7));
    check_bounds(&def, OOZE_AXIS_X, vec3(0, -0.4, -0.4), vec3(0.7, 0.4, 0.4));
    def.kind = OOZE_SHAPE_TORUS;
    check_bounds(&def, OOZE_AXIS_Y, vec3(-0.55, -0.15, -0.55), vec3(0.55, 0.15, 0.55));
    def.kind = OOZE_SHAPE_CAPSULE;
    check_bounds(&def, OOZE_AXIS_X, vec3(-0.75, -0.4, -0.4), vec3(0.75, 0.4, 0.4));
    def.kind = OOZE_SHAPE_BOX;
    def.scale = vec3(1, 2, 3);
    check_bounds(&def, OOZE_AXIS_X, vec3(-0.3, -0.8, -1.8), vec3(0.3, 0.8, 1.8));
    def.kind = OOZE_SHAPE_PLANE;
    OozeShape *plane = make(&def, OOZE_AXIS_Y);
    assert_true(isinf(ooze_shape_bounds(plane).max.x) && isinf(ooze_shape_bounds(plane).min.y));
    ooze_shape_destroy(plane);
}

static void scale_keeps_exact_shapes_exact(void **state)
{
    (void)state;
    OozeShapeDef scaled = def_of(OOZE_SHAPE_CYLINDER), plain = scaled;
    scaled.scale = vec3(2, 3, 2); /* across x and z alike: still a cylinder about y */
    plain.radius *= 2;
    plain.height *= 3;
    OozeShape *a = make(&scaled, OOZE_AXIS_Y), *b = make(&plain, OOZE_AXIS_Y);
    for (uint64_t i = 0; i < 200; i++) {
        OozeVec3 p = random_point(i, 2.0);
        CHECK_NEAR(ooze_shape_distance(a, p, NULL), ooze_shape_distance(b, p, NULL), 1e-14);
    }
    ooze_shape_destroy(a);
    ooze_shape_destroy(b);
}

static void meaningless_sizes_are_refused(void **state)
{
    (void)state;
    static const double bad[] = {0.0, -1.0, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        OozeShape *shape = NULL;
        OozeShapeDef def = def_of(OOZE_SHAPE_BOX);
        def.size.y = bad[i];
        CHECK_FAILS(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error), OOZE_ERROR_ARGUMENT,
                    "size.y");
        assert_null(shape);
        for (int k = 2; k < CLOSED_FORMS; k++) {
            def = def_of(closed_forms[k]);
            def.radius = bad[i];
            CHECK_FAILS(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error),
                        OOZE_ERROR_ARGUMENT, "radius");
        }
        def = def_of(OOZE_SHAPE_CONE);
        def.height = bad[i];
        CHECK_FAILS(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error), OOZE_ERROR_ARGUMENT,
                    "height");
        def = def_of(OOZE_SHAPE_TORUS);
        def.tube_radius = bad[i];
        CHECK_FAILS(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error), OOZE_ERROR_ARGUMENT,
                    "tube_radius");
        def = def_of(OOZE_SHAPE_SPHERE);
        def.scale.z = bad[i];
        CHECK_FAILS(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error), OOZE_ERROR_ARGUMENT,
                    "scale");
    }
    OozeShape *shape = NULL;
    OozeShapeDef def = def_of(OOZE_SHAPE_TORUS);
    def.tube_radius = def.radius;
    CHECK_FAILS(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error), OOZE_ERROR_ARGUMENT,
                "tube_radius");
    def = def_of(OOZE_SHAPE_PLANE);
    def.normal.x = NAN;
    CHECK_FAILS(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error), OOZE_ERROR_ARGUMENT,
                "normal");
    def = def_of(OOZE_SHAPE_BOX);
    def.position.x = INFINITY;
    CHECK_FAILS(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error), OOZE_ERROR_ARGUMENT,
                "position");
    def = def_of(OOZE_SHAPE_BOX);
    def.rotation.w = 0.0;
    CHECK_FAILS(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error), OOZE_ERROR_ARGUMENT,
                "rotation");
    def.kind = OOZE_SHAPE_KIND_COUNT;
    CHECK_FAILS(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error), OOZE_ERROR_ARGUMENT,
                "kind");
}

static void defaults_make_shapes(void **state)
{
    (void)state;
    for (int k = 0; k < CLOSED_FORMS; k++) {
        OozeShapeDef def = ooze_shape_def_default(closed_forms[k]);
        assert_int_equal(def.kind, closed_forms[k]);
        OozeShape *shape = make(&def, OOZE_AXIS_Y);
        assert_true(ooze_shape_bytes(shape) > 0);
        ooze_memory_fail_after(1);
        OozeShape *none = NULL;
        CHECK_FAILS(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &none, &error), OOZE_ERROR_MEMORY,
                    "shape");
        ooze_memory_fail_after(0);
        assert_null(none);
        ooze_shape_destroy(shape);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_distances_of_box_and_plane),
        cmocka_unit_test(known_distances_of_round_shapes),
        cmocka_unit_test(known_distances_of_cone),
        cmocka_unit_test(foot_lies_on_surface),
        cmocka_unit_test(distance_matches_brute_force),
        cmocka_unit_test(normal_is_the_gradient),
        cmocka_unit_test(inverted_is_the_other_side),
        cmocka_unit_test(bounds_follow_the_axis),
        cmocka_unit_test(scale_keeps_exact_shapes_exact),
        cmocka_unit_test(meaningless_sizes_are_refused),
        cmocka_unit_test(defaults_make_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
