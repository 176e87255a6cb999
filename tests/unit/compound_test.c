/* Compounds: distances, mass, samples, contact points, errors, running out of memory. */
#include "check.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "solids/boundary.h"
#include "solids/mass.h"
#include "solids/point_shell.h"

#define PI 3.14159265358979323846

static const double s = 0.05; /* spacing */

static OozeShapeDef box(OozeVec3 size, OozeVec3 at)
{
    OozeShapeDef def = ooze_shape_def_default(OOZE_SHAPE_BOX);
    def.size = size;
    def.position = at;
    return def;
}

static OozeShapeDef ball(double radius, OozeVec3 at)
{
    OozeShapeDef def = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    def.radius = radius;
    def.position = at;
    return def;
}

static OozeShapeDef compound(const OozeShapeDef *parts, int count)
{
    OozeShapeDef def = ooze_shape_def_default(OOZE_SHAPE_COMPOUND);
    def.parts = parts;
    def.part_count = count;
    return def;
}

/* Two balls on a bar along x, which reaches into both. */
static void dumbbell(OozeShapeDef parts[3])
{
    parts[0] = ball(0.2, vec3(-0.5, 0, 0));
    parts[1] = ball(0.2, vec3(0.5, 0, 0));
    parts[2] = ooze_shape_def_default(OOZE_SHAPE_CYLINDER);
    parts[2].radius = 0.06;
    parts[2].height = 0.8;
    parts[2].rotation = quat_from_vector(vec3(0, 0.5 * PI, 0));
}

static OozeShape *make(const OozeShapeDef *def)
{
    OozeShape *shape = NULL;
    CHECK_OK(ooze_shape_create(def, OOZE_AXIS_Z, s, &shape, &error));
    return shape;
}

/* ---- distance -------------------------------------------------------------------------------- */

static void distances_are_of_the_nearest_part(void **state)
{
    (void)state;
    OozeShapeDef parts[3];
    dumbbell(parts);
    OozeShapeDef def = compound(parts, 3);
    OozeShape *shape = make(&def);
    OozeVec3 n;
    CHECK_NEAR(ooze_shape_distance(shape, vec3(0, 0, 0.3), &n), 0.24, 1e-15);
    CHECK_NEAR(n.z, 1.0, 1e-15);
    CHECK_NEAR(ooze_shape_distance(shape, vec3(0.5, 0.5, 0), &n), 0.3, 1e-15);
    CHECK_NEAR(ooze_shape_distance(shape, vec3(1.5, 0, 0), &n), 0.8, 1e-15);
    CHECK_NEAR(n.x, 1.0, 1e-15);
    CHECK_NEAR(ooze_shape_distance(shape, vec3(-0.5, 0, 0), NULL), -0.2, 1e-15);
    CHECK_NEAR(ooze_shape_distance(shape, vec3(0, 0, 0), NULL), -0.06, 1e-15);
    OozeBounds bounds = ooze_shape_bounds(shape);
    CHECK_NEAR(bounds.min.x, -0.7, 1e-15);
    CHECK_NEAR(bounds.max.x, 0.7, 1e-15);
    CHECK_NEAR(bounds.max.z, 0.2, 1e-15);
    /* twice as large, and as a room */
    def.scale = vec3(2, 2, 2);
    def.inverted = true;
    OozeShape *room = make(&def);
    for (uint64_t i = 0; i < 1000; i++) {
        OozeVec3 p = vec3(2 * ooze_random01(3, i, 0) - 1, ooze_random01(3, i, 1) - 0.5,
                          ooze_random01(3, i, 2) - 0.5);
        OozeVec3 m;
        double d = ooze_shape_distance(shape, p, &n);
        CHECK_NEAR(ooze_shape_distance(room, vec3_scale(p, 2.0), &m), -2.0 * d, 1e-14);
        CHECK_NEAR(vec3_dot(n, m), -1.0, 1e-12);
        /* outside it is exact: a step of that length along the normal ends on the surface */
        if (d > 0.0) {
            CHECK_NEAR(ooze_shape_distance(shape, vec3_madd(p, -d, n), NULL), 0.0, 1e-14);
        }
    }
    ooze_shape_destroy(room);
    ooze_shape_destroy(shape);
}

/* ---- mass ------------------------------------------------------------------------------------ */

static OozeSolidMass weigh(const OozeShapeDef *parts, int count)
{
    OozeShapeDef def = compound(parts, count);
    OozeShape *shape = make(&def);
    OozeSolidMass mass;
    CHECK_OK(ooze_shape_mass(shape, 1000.0, "thing", &mass, &error));
    ooze_shape_destroy(shape);
    return mass;
}

static double trace(const OozeSolidMass *m)
{
    return m->moments.x + m->moments.y + m->moments.z;
}

static double least(const OozeSolidMass *m)
{
    return fmin(m->moments.x, fmin(m->moments.y, m->moments.z));
}

/* Parallel axes: two balls that stand apart on a diagonal. */
static void masses_of_separate_parts_add_up(void **state)
{
    (void)state;
    const double r = 0.2, d = 0.5;
    OozeVec3 along = vec3_unit(vec3(1, 2, -1), vec3(1, 0, 0)), middle = vec3(3, 4, 5);
    OozeShapeDef parts[2] = {ball(r, vec3_madd(middle, d, along)),
                             ball(r, vec3_madd(middle, -d, along))};
    OozeSolidMass m = weigh(parts, 2);
    double one = 1000.0 * 4.0 / 3.0 * PI * r * r * r, own = 0.4 * one * r * r;
    CHECK_NEAR(m.mass / (2 * one), 1.0, 1e-13);
    CHECK_NEAR(vec3_length(vec3_sub(m.centre, middle)), 0.0, 1e-13);
    CHECK_NEAR(least(&m) / (2 * own), 1.0, 1e-11);
    CHECK_NEAR(trace(&m) / (2 * own + 4 * (own + one * d * d)), 1.0, 1e-12);
    /* the axis of the least moment is that of the two balls */
    OozeVec3 axis = m.moments.x == least(&m)   ? vec3(1, 0, 0)
                    : m.moments.y == least(&m) ? vec3(0, 1, 0)
                                               : vec3(0, 0, 1);
    CHECK_NEAR(fabs(vec3_dot(quat_rotate(m.axes, axis), along)), 1.0, 1e-12);
}

/* Boxes that touch, and the same body of boxes that cross: of a cross in one plane, all is
   known. */
static void touching_and_crossing_boxes(void **state)
{
    (void)state;
    OozeShapeDef touch[3] = {box(vec3(0.9, 0.3, 0.3), vec3(0, 0, 0)),
                             box(vec3(0.3, 0.3, 0.3), vec3(0, 0.3, 0)),
                             box(vec3(0.3, 0.3, 0.3), vec3(0, -0.3, 0))};
    OozeShapeDef cross[2] = {touch[0], box(vec3(0.3, 0.9, 0.3), vec3(0, 0, 0))};
    OozeSolidMass a = weigh(touch, 3), b = weigh(cross, 2);
    const double cube = 27.0, own = cube * 0.09 / 6.0, out = cube * 0.09;
    CHECK_NEAR(a.mass, 5 * cube, 1e-11);
    CHECK_NEAR(trace(&a), 15 * own + 4 * 2 * out, 1e-11);
    CHECK_NEAR(a.moments.x + a.moments.y + a.moments.z - 2 * least(&a) - least(&a),
               trace(&a) - 3 * (5 * own + 2 * out), 1e-11);
    /* cells of the grid fill what the two share exactly: nothing is lost but rounding */
    CHECK_NEAR(b.mass, a.mass, 1e-9);
    CHECK_NEAR(trace(&b), trace(&a), 1e-9);
    CHECK_NEAR(least(&b), least(&a), 1e-9);
    OozeShapeDef bent[2] = {box(vec3(0.6, 0.2, 0.2), vec3(0.3, 0.1, 0)),
                            box(vec3(0.2, 0.6, 0.2), vec3(0.1, 0.5, 0))};
    OozeSolidMass l = weigh(bent, 2);
    CHECK_NEAR(l.centre.x, 0.2, 1e-14);
    CHECK_NEAR(l.centre.y, 0.3, 1e-14);
}

/* Two balls in each other: the lens that they share is pi (4 r + d) (2 r - d)^2 / 12, and with
   parts all alike there is only one. */
static void overlaps_of_parts_count_once(void **state)
{
    (void)state;
    const double r = 0.3, d = 0.35, one = 4.0 / 3.0 * PI * r * r * r;
    OozeShapeDef parts[3] = {ball(r, vec3(0, 0, 0)), ball(r, vec3(d, 0, 0)),
                             ball(r, vec3(0, 0, 0))};
    OozeSolidMass m = weigh(parts, 2);
    double lens = PI * (4 * r + d) * (2 * r - d) * (2 * r - d) / 12.0;
    MEASURED("lens, relative error", fabs((2 * one - m.mass / 1000.0) / lens - 1.0), 0, 2e-3);
    CHECK_NEAR(m.centre.x, 0.5 * d, 1e-3 * d);
    parts[1].position.x = 0.0;
    m = weigh(parts, 3);
    MEASURED("three balls in one, relative error", fabs(m.mass / 1000.0 / one - 1.0), 0, 2e-3);
    OozeShapeDef bar[3];
    dumbbell(bar);
    m = weigh(bar, 3);
    /* of the bar's ends of 0.1, what is within a ball: up to the sphere's cap of radius 0.06 */
    double cap = 0.2 - sqrt(0.04 - 0.0036), all = PI * 0.0036 * (0.2 - 0.1 - cap);
    all += PI * cap * cap * (3 * 0.2 - cap) / 3.0;
    double volume = 2 * 4.0 / 3.0 * PI * 0.008 + PI * 0.0036 * 0.8 - 2 * all;
    MEASURED("dumbbell, relative error", fabs(m.mass / 1000.0 / volume - 1.0), 0, 1e-4);
    CHECK_NEAR(m.centre.x, 0.0, 1e-5);
}

/* ---- surface --------------------------------------------------------------------------------- */

static double nearest_to(OozeVec3 p, const OozeVec3 *x, uint64_t n, uint64_t except)
{
    double best = INFINITY;
    for (uint64_t i = 0; i < n; i++) {
        best = i == except ? best : fmin(best, vec3_length(vec3_sub(p, x[i])));
    }
    return best;
}

/* On the surface of all, leading out, not in each other's way, no hole; `area` 0: not known. */
static void check_samples(const OozeShapeDef *def, double area)
{
    OozeShape *shape = make(def);
    OozeVec3 *x = NULL, *normals = NULL;
    uint64_t n = 0;
    double nearest = INFINITY, hole = 0.0;
    OozeSurfaceSamples made = {0};
    CHECK_OK(ooze_sample_surface(shape, s, NULL, NULL, &made, &error));
    n = made.count;
    x = made.points;
    normals = made.normals;
    for (uint64_t i = 0; i < n; i++) {
        CHECK_NEAR(ooze_shape_distance(shape, x[i], NULL), 0.0, 0.011 * s);
        CHECK_NEAR(vec3_length(normals[i]), 1.0, 1e-9);
        nearest = fmin(nearest, nearest_to(x[i], x, n, i));
    }
    OozeMesh *mesh = NULL;
    CHECK_OK(ooze_shape_triangulate(shape, 0.5 * s, NULL, &mesh, &error));
    for (uint64_t i = 0; i < mesh->vertex_count; i++) {
        OozeVec3 normal, p = mesh->vertices[i];
        bool out = ooze_shape_distance(shape, p, &normal) > -1e-9 &&
                   ooze_shape_distance(shape, vec3_madd(p, 0.1 * s, normal), NULL) > 0.05 * s;
        hole = out ? fmax(hole, nearest_to(p, x, n, n)) : hole;
    }
    MEASURED("nearest pair, spacings", nearest / s, 0.699, 1.2);
    MEASURED("widest hole, spacings", hole / s, 0.3, 1.6);
    if (area > 0.0) {
        MEASURED("samples times s2 over area", (double)n * s * s / area, 0.85, 1.15);
    }
    ooze_mesh_free(mesh);
    ooze_free(x);
    ooze_free(normals);
    ooze_shape_destroy(shape);
}

static void samples_are_on_the_surface_of_the_union(void **state)
{
    (void)state;
    OozeShapeDef parts[3];
    dumbbell(parts);
    OozeShapeDef def = compound(parts, 3);
    check_samples(&def, 0.0);
    /* two cubes side by side are a bar: the faces between them are gone */
    OozeShapeDef cubes[2] = {box(vec3(0.5, 0.5, 0.5), vec3(-0.25, 0, 0)),
                             box(vec3(0.5, 0.5, 0.5), vec3(0.25, 0, 0))};
    OozeShapeDef bar = compound(cubes, 2);
    check_samples(&bar, 10 * 0.25);
    /* a small one on a large one */
    cubes[1] = box(vec3(0.2, 0.2, 0.2), vec3(-0.25, 0, 0.35));
    check_samples(&bar, 6 * 0.25 + 4 * 0.04);
}

static void shell_points_have_their_depth_in_the_union(void **state)
{
    (void)state;
    OozeShapeDef parts[3];
    dumbbell(parts);
    OozeShapeDef def = compound(parts, 3);
    OozeShape *shape = make(&def);
    OozePointShell shell;
    CHECK_OK(ooze_point_shell_create(shape, &shell, &error));
    assert_true(shell.count > 20);
    assert_int_equal(shell.circle_count, 2);
    CHECK_NEAR(fabs(shell.circles[0].axis.x), 1.0, 1e-12);
    CHECK_NEAR(shell.reach, 0.7, 1e-12);
    for (int i = 0; i < shell.count; i++) {
        double d = ooze_shape_distance(shape, shell.points[i], NULL);
        CHECK_NEAR(d, -shell.depths[i], 1e-6);
    }
    ooze_point_shell_free(&shell);
    ooze_shape_destroy(shape);
}

/* ---- refusals and memory --------------------------------------------------------------------- */

static OozeStatus refused(const OozeShapeDef *def, OozeError *error)
{
    OozeShape *shape = NULL;
    OozeStatus status = ooze_shape_create(def, OOZE_AXIS_Z, s, &shape, error);
    assert_null(shape);
    return status;
}

static void impossible_parts_are_refused(void **state)
{
    (void)state;
    OozeShapeDef parts[OOZE_SHAPE_PARTS_MAX + 1];
    for (int i = 0; i <= OOZE_SHAPE_PARTS_MAX; i++) {
        parts[i] = ball(0.2, vec3(i, 0, 0));
    }
    OozeShapeDef def = compound(parts, 2), inner = def;
    def.scale.x = 2.0;
    CHECK_FAILS(refused(&def, &error), OOZE_ERROR_ARGUMENT, "not even");
    def.scale.x = 1.0;
    parts[1] = inner;
    CHECK_FAILS(refused(&def, &error), OOZE_ERROR_ARGUMENT, "part 2 of the compound is a compound");
    parts[1] = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    CHECK_FAILS(refused(&def, &error), OOZE_ERROR_ARGUMENT, "part 2 of the compound is a plane");
    parts[1] = ooze_shape_def_default(OOZE_SHAPE_HEIGHTFIELD);
    CHECK_FAILS(refused(&def, &error), OOZE_ERROR_ARGUMENT, "is a height field");
    parts[1] = ball(0.2, vec3(1, 0, 0));
    parts[1].inverted = true;
    CHECK_FAILS(refused(&def, &error), OOZE_ERROR_ARGUMENT, "part 2 of the compound is inverted");
    parts[1] = ball(-0.2, vec3(1, 0, 0));
    CHECK_FAILS(refused(&def, &error), OOZE_ERROR_ARGUMENT,
                "part 2 of the compound: the sphere has radius = -0.2");
    def.part_count = OOZE_SHAPE_PARTS_MAX + 1;
    CHECK_FAILS(refused(&def, &error), OOZE_ERROR_LIMIT, "at most 64");
    def.part_count = 0;
    CHECK_FAILS(refused(&def, &error), OOZE_ERROR_ARGUMENT, "has no parts");
}

static OozeStatus make_all(const OozeShapeDef *def, OozeError *error)
{
    OozeShape *shape = NULL;
    OozePointShell shell = {0};
    OozeMesh *mesh = NULL;
    OozeSolidMass mass;
    OozeSurfaceSamples samples = {0};
    OozeStatus status = ooze_shape_create(def, OOZE_AXIS_Z, 0.2, &shape, error);
    status = status ? status : ooze_shape_mass(shape, 1000.0, "thing", &mass, error);
    status = status ? status : ooze_point_shell_create(shape, &shell, error);
    status = status ? status : ooze_shape_triangulate(shape, 0.5, NULL, &mesh, error);
    status = status ? status : ooze_sample_surface(shape, 0.2, NULL, NULL, &samples, error);
    ooze_free(samples.points);
    ooze_free(samples.normals);
    ooze_mesh_free(mesh);
    ooze_point_shell_free(&shell);
    ooze_shape_destroy(shape);
    return status;
}

static void running_out_of_memory_is_an_error(void **state)
{
    (void)state;
    OozeShapeDef parts[2] = {box(vec3(0.4, 0.4, 0.4), vec3(0, 0, 0)),
                             ooze_shape_def_default(OOZE_SHAPE_CYLINDER)};
    parts[1].position.x = 3.0; /* apart: the grid of what is shared takes time */
    OozeShapeDef def = compound(parts, 2);
    OozeStatus status = OOZE_ERROR_MEMORY;
    int n = 0;
    while (status) {
        OozeError error = {0};
        ooze_memory_fail_after(++n);
        status = make_all(&def, &error);
        ooze_memory_fail_after(0);
        assert_true(status == OOZE_OK || status == OOZE_ERROR_MEMORY);
    }
    assert_true(n > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_of_the_nearest_part),
        cmocka_unit_test(masses_of_separate_parts_add_up),
        cmocka_unit_test(touching_and_crossing_boxes),
        cmocka_unit_test(overlaps_of_parts_count_once),
        cmocka_unit_test(samples_are_on_the_surface_of_the_union),
        cmocka_unit_test(shell_points_have_their_depth_in_the_union),
        cmocka_unit_test(impossible_parts_are_refused),
        cmocka_unit_test(running_out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
