/* Open containers: distances against the triangulated surface, moments against numeric integration,
   samples, point shells, refusals. */
#include "check.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "mesh/build.h"
#include "mesh/tree.h"
#include "solids/boundary.h"
#include "solids/mass.h"
#include "solids/point_shell.h"
#include "solids/shape.h"

#define SPACING 0.02

enum { CASES = 5 };

/* An open box, also with uneven scale; an open cylinder; a shallow bowl, and one that narrows. */
static OozeShapeDef container(int k)
{
    static const OozeShapeKind kinds[CASES] = {OOZE_SHAPE_OPEN_BOX, OOZE_SHAPE_OPEN_BOX,
                                               OOZE_SHAPE_OPEN_CYLINDER, OOZE_SHAPE_BOWL,
                                               OOZE_SHAPE_BOWL};
    OozeShapeDef def = ooze_shape_def_default(kinds[k]);
    def.size = vec3(0.6, 0.5, 0.8);
    def.radius = 0.4;
    def.height = k == 3 ? 0.2 : 0.6;
    def.thickness = 0.08;
    def.scale = k == 1 ? vec3(0.8, 1.2, 1.0) : def.scale;
    return def;
}

static OozeShape *make(const OozeShapeDef *def, OozeAxis up)
{
    OozeShape *shape = NULL;
    CHECK_OK(ooze_shape_create(def, up, SPACING, &shape, &error));
    return shape;
}

static OozeVec3 random_point(uint64_t i)
{
    return vec3(2.0 * ooze_random01(7, i, 0) - 1.0, 2.0 * ooze_random01(7, i, 1) - 1.0,
                2.0 * ooze_random01(7, i, 2) - 1.0);
}

static void distances_match_the_triangles(void **state)
{
    (void)state;
    for (int k = 0; k < CASES * 3; k++) {
        OozeShapeDef def = container(k / 3);
        OozeShape *shape = make(&def, (OozeAxis)(k % 3));
        OozeMesh *mesh = NULL;
        OozeMeshTree *tree = NULL;
        CHECK_OK(ooze_shape_triangulate(shape, SPACING, NULL, &mesh, &error));
        CHECK_OK(ooze_mesh_tree_create(mesh, &tree, &error));
        assert_true(mesh->watertight);
        double worst = 0.0;
        for (uint64_t i = 0; i < 4000; i++) {
            OozeVec3 p = random_point(i), normal;
            if (i % 10 == 0) { /* on axes and diagonals */
                p = vec3(i % 20 ? p.x : 0.0, i % 30 ? 0.0 : p.y, i % 40 ? 0.0 : p.z);
            }
            double d = ooze_shape_distance(shape, p, &normal);
            CHECK_NEAR(vec3_length(normal), 1.0, 1e-12);
            CHECK_NEAR(ooze_shape_distance(shape, vec3_madd(p, -d, normal), NULL), 0.0, 1e-12);
            worst = fmax(worst, fabs(fabs(d) - ooze_mesh_tree_nearest(tree, p, INFINITY).distance));
            if (fabs(d) > 1e-3) {
                assert_true((fabs(ooze_mesh_tree_winding(tree, p)) > 0.5) == (d < 0.0));
            }
        }
        /* boxes are exact; an edge e about a radius r is e^2 / (8 r) inside */
        assert_true(worst < (k < 6 ? 1e-12 : 1.1 * SPACING * SPACING / (8.0 * 0.3)));
        ooze_mesh_tree_destroy(tree);
        ooze_mesh_free(mesh);
        ooze_shape_destroy(shape);
    }
}

static void normals_are_gradients(void **state)
{
    (void)state;
    const double step = 1e-6;
    for (int k = 0; k < CASES; k++) {
        OozeShapeDef def = container(k);
        OozeShape *shape = make(&def, OOZE_AXIS_Y);
        int off = 0;
        for (uint64_t i = 0; i < 2000; i++) {
            OozeVec3 p = random_point(i), normal;
            double slope[3];
            ooze_shape_distance(shape, p, &normal);
            for (int a = 0; a < 3; a++) {
                OozeVec3 along = vec3_axis((OozeAxis)a);
                slope[a] = 0.5 / step *
                           (ooze_shape_distance(shape, vec3_madd(p, step, along), NULL) -
                            ooze_shape_distance(shape, vec3_madd(p, -step, along), NULL));
            }
            off += vec3_length(vec3_sub(vec3(slope[0], slope[1], slope[2]), normal)) > 1e-4;
        }
        assert_in_range(off, 0, 2); /* differences across a medial sheet */
        ooze_shape_destroy(shape);
    }
}

static void known_distances(void **state)
{
    (void)state;
    OozeShapeDef def = container(0); /* 0.6 by 0.8, 0.5 high */
    OozeShape *box = make(&def, OOZE_AXIS_Y);
    CHECK_NEAR(ooze_shape_distance(box, vec3(0, 0.3, 0), NULL), 0.22, 1e-15);
    CHECK_NEAR(ooze_shape_distance(box, vec3(0, 0.04, 0), NULL), -0.04, 1e-15);
    CHECK_NEAR(ooze_shape_distance(box, vec3(0, -1, 0), NULL), 1.0, 1e-15);
    CHECK_NEAR(ooze_shape_distance(box, vec3(0.22 - 0.03, 0.54, 0), NULL), 0.05, 1e-15);
    OozeBounds b = ooze_shape_bounds(box);
    CHECK_NEAR(vec3_length(vec3_sub(b.min, vec3(-0.3, 0, -0.4))), 0.0, 1e-15);
    CHECK_NEAR(vec3_length(vec3_sub(b.max, vec3(0.3, 0.5, 0.4))), 0.0, 1e-15);
    ooze_shape_destroy(box);
    def = ooze_shape_def_default(OOZE_SHAPE_BOWL);
    def.radius = def.height = 0.5; /* half a sphere */
    OozeShape *bowl = make(&def, OOZE_AXIS_Z);
    CHECK_NEAR(ooze_shape_distance(bowl, vec3(0, 0, 0.5), NULL), 0.45, 1e-15);
    CHECK_NEAR(ooze_shape_distance(bowl, vec3(0.475, 0, 0.5), NULL), 0.0, 1e-15);
    CHECK_NEAR(ooze_shape_distance(bowl, vec3(0, 0.53, 0.54), NULL), 0.05, 1e-15);
    CHECK_NEAR(ooze_shape_distance(bowl, vec3(0, 0, 0.02), NULL), -0.02, 1e-15);
    ooze_shape_destroy(bowl);
}

/* Midpoint sums over the bounding box, weighted by the share of a cell within. */
static void integrate(const OozeShape *shape, OozeSolidMass *sum)
{
    enum { N = 120 };
    OozeBounds b = ooze_shape_bounds(shape);
    OozeVec3 size = vec3_scale(vec3_sub(b.max, b.min), 1.0 / N);
    double cell = size.x * size.y * size.z, width = cbrt(cell), second[3] = {0};
    *sum = (OozeSolidMass){0};
    for (int n = 0; n < N * N * N; n++) {
        OozeVec3 p = vec3(b.min.x + (n % N + 0.5) * size.x, b.min.y + (n / N % N + 0.5) * size.y,
                          b.min.z + (n / (N * N) + 0.5) * size.z);
        double within = 0.5 - ooze_shape_distance(shape, p, NULL) / width;
        double v = cell * fmin(fmax(within, 0.0), 1.0);
        sum->mass += v;
        sum->centre = vec3_madd(sum->centre, v, p);
        second[0] += v * p.x * p.x;
        second[1] += v * p.y * p.y;
        second[2] += v * p.z * p.z;
    }
    OozeVec3 c = sum->centre = vec3_scale(sum->centre, 1.0 / sum->mass);
    double xx = second[0] - sum->mass * c.x * c.x, yy = second[1] - sum->mass * c.y * c.y;
    double zz = second[2] - sum->mass * c.z * c.z;
    sum->moments = vec3(yy + zz, xx + zz, xx + yy);
}

static void moments_match_integration(void **state)
{
    (void)state;
    for (int k = 0; k < CASES; k++) {
        OozeShapeDef def = container(k);
        OozeShape *shape = make(&def, (OozeAxis)(k % 3));
        OozeSolidMass exact, sum;
        CHECK_OK(ooze_shape_mass(shape, 1.0, "cup", &exact, &error));
        integrate(shape, &sum);
        CHECK_NEAR(exact.mass / sum.mass, 1.0, 4e-3);
        CHECK_NEAR(vec3_length(vec3_sub(exact.centre, sum.centre)), 0.0, 1e-3);
        CHECK_NEAR(exact.moments.x / sum.moments.x, 1.0, 8e-3);
        CHECK_NEAR(exact.moments.y / sum.moments.y, 1.0, 8e-3);
        CHECK_NEAR(exact.moments.z / sum.moments.z, 1.0, 8e-3);
        OozeMesh *mesh = NULL;
        CHECK_OK(ooze_shape_triangulate(shape, 0.01, NULL, &mesh, &error));
        CHECK_NEAR(ooze_mesh_volume(mesh) / exact.mass, 1.0, 2e-3);
        ooze_mesh_free(mesh);
        ooze_shape_destroy(shape);
    }
}

/* Every point of the surface has a sample near; no two samples are nearer than 0.7 spacing. */
static void samples_cover_the_surface(void **state)
{
    (void)state;
    for (int k = 0; k < CASES; k++) {
        OozeShapeDef def = container(k);
        OozeShape *shape = make(&def, OOZE_AXIS_Y);
        OozeSurfaceSamples samples;
        OozeMesh *mesh = NULL;
        double s = 2.0 * SPACING, hole = 0.0, nearest = INFINITY;
        CHECK_OK(ooze_sample_surface(shape, s, NULL, NULL, &samples, &error));
        CHECK_OK(ooze_shape_triangulate(shape, s, NULL, &mesh, &error));
        for (uint64_t v = 0; v < mesh->vertex_count; v++) {
            double found = INFINITY;
            for (uint64_t i = 0; i < samples.count; i++) {
                found = fmin(found, vec3_length(vec3_sub(samples.points[i], mesh->vertices[v])));
            }
            hole = fmax(hole, found);
        }
        for (uint64_t i = 0; i < samples.count; i++) {
            CHECK_NEAR(ooze_shape_distance(shape, samples.points[i], NULL), 0.0, 0.02 * s);
            for (uint64_t j = 0; j < i; j++) {
                nearest =
                    fmin(nearest, vec3_length(vec3_sub(samples.points[i], samples.points[j])));
            }
        }
        MEASURED("largest hole in spacings", hole / s, 0.0, 1.05);
        MEASURED("least distance of samples in spacings", nearest / s, 0.7, 1.0);
        MEASURED("samples times s2 over area", (double)samples.count * s * s / samples.area, 0.85,
                 1.2);
        ooze_free(samples.points);
        ooze_free(samples.normals);
        ooze_mesh_free(mesh);
        ooze_shape_destroy(shape);
    }
}

/* A point at depth d stands for a ball that touches the surface from inside. */
static void shell_points_lie_at_their_depths(void **state)
{
    (void)state;
    for (int k = 0; k < CASES; k++) {
        OozeShapeDef def = container(k);
        OozeShape *shape = make(&def, (OozeAxis)(k % 3));
        OozePointShell shell;
        CHECK_OK(ooze_point_shell_create(shape, &shell, &error));
        assert_true(shell.edge_count > 20 && shell.count > shell.edge_count);
        for (int i = 0; i < shell.count; i++) {
            CHECK_NEAR(ooze_shape_distance(shape, shell.points[i], NULL), -shell.depths[i], 1e-12);
        }
        for (int i = 0; i < shell.circle_count; i++) {
            const OozeShellCircle *c = &shell.circles[i];
            OozeVec3 side = vec3_cross(c->axis, vec3(c->axis.y, c->axis.z, c->axis.x));
            OozeVec3 p = vec3_madd(c->centre, c->radius, side);
            CHECK_NEAR(ooze_shape_distance(shape, p, NULL), -c->depth, 1e-12);
        }
        ooze_point_shell_free(&shell);
        ooze_shape_destroy(shape);
    }
}

static void walls_without_a_cavity_are_refused(void **state)
{
    (void)state;
    static const double bad[] = {0.0, -1.0, NAN, INFINITY, 0.25, 0.6};
    for (int k = 0; k < CASES; k++) {
        OozeShapeDef def = container(k);
        OozeShape *shape = NULL;
        def.size = vec3(0.5, 0.5, 0.5);
        def.radius = 0.25;
        def.height = 0.25;
        for (int i = 0; i < 6; i++) {
            def.thickness = bad[i];
            CHECK_FAILS(ooze_shape_create(&def, OOZE_AXIS_Y, SPACING, &shape, &error),
                        OOZE_ERROR_ARGUMENT, "thickness");
            assert_null(shape);
        }
    }
}

/* A cup and a bowl with a different scale along each axis have no closed form. */
static void uneven_scale_keeps_the_cavity(void **state)
{
    (void)state;
    for (int k = 2; k < CASES; k++) {
        OozeShapeDef def = container(k), plain = def;
        def.scale = vec3(1.0, 0.9, 1.2);
        OozeShape *shape = make(&def, OOZE_AXIS_Y), *even = make(&plain, OOZE_AXIS_Y);
        for (uint64_t i = 0; i < 500; i++) {
            OozeVec3 p = random_point(i);
            double d = ooze_shape_distance(even, p, NULL);
            p = vec3(p.x * def.scale.x, p.y * def.scale.y, p.z * def.scale.z);
            if (fabs(d) > 0.1 * SPACING) {
                assert_true((ooze_shape_distance(shape, p, NULL) < 0.0) == (d < 0.0));
            }
        }
        ooze_shape_destroy(shape);
        ooze_shape_destroy(even);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_match_the_triangles),
        cmocka_unit_test(normals_are_gradients),
        cmocka_unit_test(known_distances),
        cmocka_unit_test(moments_match_integration),
        cmocka_unit_test(samples_cover_the_surface),
        cmocka_unit_test(shell_points_lie_at_their_depths),
        cmocka_unit_test(walls_without_a_cavity_are_refused),
        cmocka_unit_test(uneven_scale_keeps_the_cavity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
