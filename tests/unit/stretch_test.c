/* Round shapes with a different scale along each axis: distances against triangles, moments against
   integration, memory. */
#include "check.h"

#include "base/hash.h"
#include "base/vec3.h"
#include "mesh/build.h"
#include "mesh/tree.h"
#include "solids/mass.h"
#include "solids/shape.h"

enum { KINDS = 7, SCALES = 3 };

static const OozeShapeKind kinds[KINDS] = {
    OOZE_SHAPE_SPHERE, OOZE_SHAPE_CAPSULE,       OOZE_SHAPE_CYLINDER, OOZE_SHAPE_CONE,
    OOZE_SHAPE_TORUS,  OOZE_SHAPE_OPEN_CYLINDER, OOZE_SHAPE_BOWL};
static const OozeVec3 scales[SCALES] = {{1.5, 1.0, 0.6}, {0.5, 1.0, 1.1}, {1.0, 0.4, 1.3}};

static OozeShapeDef def_of(int kind, int scale)
{
    OozeShapeDef def = ooze_shape_def_default(kinds[kind]);
    def.radius = 0.4;
    def.tube_radius = 0.15;
    def.height = 0.5;
    def.thickness = 0.1;
    def.scale = scales[scale];
    return def;
}

static OozeShape *make(const OozeShapeDef *def)
{
    OozeShape *shape = NULL;
    CHECK_OK(ooze_shape_create(def, OOZE_AXIS_Y, 0.01, &shape, &error));
    return shape;
}

static OozeVec3 random_point(uint64_t i, double reach)
{
    return vec3(reach * (2.0 * ooze_random01(7, i, 0) - 1.0),
                reach * (2.0 * ooze_random01(7, i, 1) - 1.0),
                reach * (2.0 * ooze_random01(7, i, 2) - 1.0));
}

typedef struct Errors {
    double near, over; /* |error| within 0.015 of the surface; largest excess over the distance */
} Errors;

static Errors compare(const OozeShape *shape)
{
    const double edge = 0.015, flat = 1e-3; /* of chords, at the tightest curves */
    OozeMesh *mesh = NULL;
    OozeMeshTree *tree = NULL;
    CHECK_OK(ooze_shape_triangulate(shape, edge, NULL, &mesh, &error));
    CHECK_OK(ooze_mesh_tree_create(mesh, &tree, &error));
    assert_true(mesh->watertight);
    Errors errors = {0};
    for (uint64_t i = 0; i < 1500; i++) {
        /* half of the points near the surface */
        OozeVec3 p = random_point(i, 0.9), normal;
        if (i % 2) {
            p = vec3_add(mesh->vertices[i * 7919 % mesh->vertex_count], random_point(i, 0.03));
        }
        double truth = ooze_mesh_tree_nearest(tree, p, INFINITY).distance;
        double d = ooze_shape_distance(shape, p, &normal);
        CHECK_NEAR(vec3_length(normal), 1.0, 1e-9);
        if (truth > flat) {
            assert_true((d < 0.0) == (fabs(ooze_mesh_tree_winding(tree, p)) > 0.5));
        }
        errors.over = fmax(errors.over, fabs(d) - truth);
        /* inside the tip of a cone, curved more tightly than that, the distance is a bound */
        if (truth < 0.015 && (ooze_shape_kind(shape) != OOZE_SHAPE_CONE || d > 0.0)) {
            errors.near = fmax(errors.near, fabs(fabs(d) - truth));
        }
    }
    ooze_mesh_tree_destroy(tree);
    ooze_mesh_free(mesh);
    return errors;
}

static void distances_match_the_triangles(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        for (int s = 0; s < SCALES; s++) {
            OozeShapeDef def = def_of(k, s);
            OozeShape *shape = make(&def);
            Errors errors = compare(shape);
            printf("  kind %d, scale %d:\n", (int)kinds[k], s);
            MEASURED("error within 0.015 m of the surface, m", errors.near, 0.0, 6e-4);
            MEASURED("excess over the distance, m", errors.over, -1.0, 6e-4);
            ooze_shape_destroy(shape);
        }
    }
}

/* No grid: a shape takes as much memory at any spacing. */
static void memory_does_not_depend_on_the_spacing(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        OozeShapeDef def = def_of(k, 0);
        OozeShape *shape = NULL;
        CHECK_OK(ooze_shape_create(&def, OOZE_AXIS_Y, 1e-6, &shape, &error));
        assert_true(ooze_shape_bytes(shape) < 1024);
        assert_true(!ooze_shape_is_interpolated(shape));
        ooze_shape_destroy(shape);
    }
}

static void moments_match_the_triangles(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        OozeShapeDef def = def_of(k, 0);
        OozeShape *shape = make(&def), *same = NULL;
        OozeMesh *mesh = NULL;
        CHECK_OK(ooze_shape_triangulate(shape, 0.03, NULL, &mesh, &error));
        OozeShapeDef from = ooze_shape_def_default(OOZE_SHAPE_MESH);
        from.mesh = (OozeMeshView){mesh->vertices, mesh->vertex_count, mesh->triangles,
                                   mesh->triangle_count};
        CHECK_OK(ooze_shape_create(&from, OOZE_AXIS_Y, 0.2, &same, &error));
        OozeSolidMass a, b;
        CHECK_OK(ooze_shape_mass(shape, 1.0, "a", &a, &error));
        CHECK_OK(ooze_shape_mass(same, 1.0, "b", &b, &error));
        CHECK_NEAR(a.mass / b.mass, 1.0, 2e-2);
        CHECK_NEAR(vec3_length(vec3_sub(a.centre, b.centre)), 0.0, 1e-3);
        /* the moments of the triangles are in ascending order, or some order */
        double sum = b.moments.x + b.moments.y + b.moments.z;
        CHECK_NEAR((a.moments.x + a.moments.y + a.moments.z) / sum, 1.0, 3e-2);
        CHECK_NEAR(a.moments.x * a.moments.y * a.moments.z /
                       (b.moments.x * b.moments.y * b.moments.z),
                   1.0, 8e-2);
        ooze_mesh_free(mesh);
        ooze_shape_destroy(shape);
        ooze_shape_destroy(same);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_match_the_triangles),
        cmocka_unit_test(memory_does_not_depend_on_the_spacing),
        cmocka_unit_test(moments_match_the_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
