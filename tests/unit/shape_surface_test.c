/* Triangulated surfaces of shapes: closed, outward, fine enough, of the right area and volume. */
#include "check.h"

#include "base/memory.h"
#include "base/vec3.h"
#include "mesh/build.h"
#include "mesh/refine.h"
#include "mesh_edges.h"
#include "solids/shape.h"

static const double pi = 3.14159265358979323846;

static OozeMesh *triangulate(const OozeShapeDef *def, OozeAxis up, double edge)
{
    OozeShape *shape = NULL;
    OozeMesh *mesh = NULL;
    CHECK_OK(ooze_shape_create(def, up, 0.02, &shape, &error));
    CHECK_OK(ooze_shape_triangulate(shape, edge, NULL, &mesh, &error));
    for (uint64_t i = 0; i < mesh->vertex_count; i++) {
        CHECK_NEAR(ooze_shape_distance(shape, mesh->vertices[i], NULL), 0.0, 1e-12);
    }
    ooze_shape_destroy(shape);
    return mesh;
}

typedef struct Expected {
    OozeShapeKind kind;
    double area, volume;
} Expected;

static void surfaces_are_closed_and_right(void **state)
{
    (void)state;
    const double r = 0.4, h = 0.7, t = 0.15;
    const Expected expected[] = {
        {OOZE_SHAPE_BOX, 2 * (0.6 * 0.8 + 0.8 * 1.2 + 1.2 * 0.6), 0.6 * 0.8 * 1.2},
        {OOZE_SHAPE_SPHERE, 4 * pi * r * r, 4.0 / 3.0 * pi * r * r * r},
        {OOZE_SHAPE_CAPSULE, 4 * pi * r * r + 2 * pi * r * h,
         4.0 / 3.0 * pi * r * r * r + pi * r * r * h},
        {OOZE_SHAPE_CYLINDER, 2 * pi * r * (r + h), pi * r * r * h},
        {OOZE_SHAPE_CONE, pi * r * (r + sqrt(r * r + h * h)), pi * r * r * h / 3.0},
        {OOZE_SHAPE_TORUS, 4 * pi * pi * r * t, 2 * pi * pi * r * t * t},
    };
    const double edge = 0.04;
    for (int k = 0; k < 6; k++) {
        OozeShapeDef def = ooze_shape_def_default(expected[k].kind);
        def.size = vec3(0.6, 0.8, 1.2);
        def.radius = r;
        def.height = h;
        def.tube_radius = t;
        for (int up = 0; up < 3; up++) {
            OozeMesh *mesh = triangulate(&def, (OozeAxis)up, edge);
            assert_true(mesh->watertight);
            assert_true(longest_edge(mesh) <= edge * (1.0 + 1e-9));
            /* Chords of half an edge about the smallest radius: (e/r)^2 / 24 each way round. */
            double flatness = 2.0 * (edge / t) * (edge / t) / 24.0;
            CHECK_NEAR(ooze_mesh_area(mesh) / expected[k].area, 1.0, flatness);
            CHECK_NEAR(ooze_mesh_volume(mesh) / expected[k].volume, 1.0, 2.0 * flatness);
            ooze_mesh_free(mesh);
        }
        def.inverted = true;
        OozeMesh *mesh = triangulate(&def, OOZE_AXIS_Y, edge);
        assert_true(mesh->watertight && ooze_mesh_volume(mesh) < 0.0);
        ooze_mesh_free(mesh);
    }
}

static void coarse_surfaces_still_enclose(void **state)
{
    (void)state;
    for (int kind = OOZE_SHAPE_BOX; kind <= OOZE_SHAPE_TORUS; kind++) {
        OozeShapeDef def = ooze_shape_def_default((OozeShapeKind)kind);
        OozeMesh *mesh = triangulate(&def, OOZE_AXIS_Y, 100.0);
        assert_true(mesh->watertight && ooze_mesh_volume(mesh) > 0.0);
        ooze_mesh_free(mesh);
    }
}

static void plane_is_cut_to_bounds(void **state)
{
    (void)state;
    OozeShapeDef def = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    OozeShape *shape = NULL;
    OozeMesh *mesh = NULL;
    OozeBounds clip = {{-1, -1, -1}, {3, 1, 2}};
    CHECK_OK(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error));
    CHECK_OK(ooze_shape_triangulate(shape, 0.2, &clip, &mesh, &error));
    CHECK_NEAR(ooze_mesh_area(mesh), 12.0, 1e-12);
    assert_true(longest_edge(mesh) <= 0.2);
    assert_false(mesh->watertight);
    for (uint64_t t = 0; t < mesh->triangle_count; t++) { /* all face up */
        OozeVec3 a = ooze_mesh_corner(mesh, t, 0);
        OozeVec3 n = vec3_cross(vec3_sub(ooze_mesh_corner(mesh, t, 1), a),
                                vec3_sub(ooze_mesh_corner(mesh, t, 2), a));
        assert_true(n.y > 0.0);
    }
    ooze_mesh_free(mesh);
    CHECK_FAILS(ooze_shape_triangulate(shape, 0.2, NULL, &mesh, &error), OOZE_ERROR_ARGUMENT,
                "plane");
    clip = (OozeBounds){{-1, 2, -1}, {1, 3, 1}}; /* passes it by */
    CHECK_OK(ooze_shape_triangulate(shape, 0.2, &clip, &mesh, &error));
    assert_int_equal(mesh->triangle_count, 0);
    ooze_mesh_free(mesh);
    ooze_shape_destroy(shape);

    def.normal = vec3(1, 1, 1); /* through the middle of a cube: a hexagon of side sqrt(2) */
    clip = (OozeBounds){{-1, -1, -1}, {1, 1, 1}};
    CHECK_OK(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error));
    CHECK_OK(ooze_shape_triangulate(shape, 0.3, &clip, &mesh, &error));
    CHECK_NEAR(ooze_mesh_area(mesh), 3.0 * sqrt(3.0), 1e-12);
    ooze_mesh_free(mesh);
    ooze_shape_destroy(shape);
}

static void impossible_edges_are_refused(void **state)
{
    (void)state;
    OozeShapeDef def = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    OozeShape *shape = NULL;
    OozeMesh *mesh = NULL;
    CHECK_OK(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error));
    CHECK_FAILS(ooze_shape_triangulate(shape, 0.0, NULL, &mesh, &error), OOZE_ERROR_ARGUMENT,
                "edges");
    CHECK_FAILS(ooze_shape_triangulate(shape, NAN, NULL, &mesh, &error), OOZE_ERROR_ARGUMENT,
                "edges");
    CHECK_FAILS(ooze_shape_triangulate(shape, 1e-9, NULL, &mesh, &error), OOZE_ERROR_LIMIT,
                "triangles");
    ooze_shape_destroy(shape);
}

static void refining_keeps_the_surface(void **state)
{
    (void)state;
    OozeShapeDef def = ooze_shape_def_default(OOZE_SHAPE_CONE);
    OozeMesh *mesh = triangulate(&def, OOZE_AXIS_Y, 0.5);
    double area = ooze_mesh_area(mesh), volume = ooze_mesh_volume(mesh);
    CHECK_OK(ooze_mesh_refine(&mesh, 0.03, &error));
    assert_true(mesh->watertight);
    assert_true(longest_edge(mesh) <= 0.03);
    CHECK_NEAR(ooze_mesh_area(mesh), area, 1e-12);
    CHECK_NEAR(ooze_mesh_volume(mesh), volume, 1e-12);
    ooze_mesh_free(mesh);
}

static void no_memory_leaks_nothing(void **state)
{
    (void)state;
    static const OozeShapeKind kinds[] = {OOZE_SHAPE_BOX, OOZE_SHAPE_CYLINDER, OOZE_SHAPE_PLANE};
    for (int k = 0; k < 3; k++) {
        OozeShapeDef def = ooze_shape_def_default(kinds[k]);
        OozeShape *shape = NULL;
        OozeBounds clip = {{-1, -1, -1}, {1, 1, 1}};
        CHECK_OK(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error));
        OozeStatus status = OOZE_ERROR_MEMORY;
        uint64_t n = 0;
        while (status == OOZE_ERROR_MEMORY) {
            OozeMesh *mesh = NULL;
            ooze_memory_fail_after(++n);
            status = ooze_shape_triangulate(shape, 0.3, &clip, &mesh, NULL);
            ooze_memory_fail_after(0);
            assert_true((status == OOZE_OK) == (mesh != NULL));
            ooze_mesh_free(mesh);
        }
        assert_int_equal(status, OOZE_OK);
        assert_true(n > 5);
        ooze_shape_destroy(shape);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_are_closed_and_right),
        cmocka_unit_test(coarse_surfaces_still_enclose),
        cmocka_unit_test(plane_is_cut_to_bounds),
        cmocka_unit_test(impossible_edges_are_refused),
        cmocka_unit_test(refining_keeps_the_surface),
        cmocka_unit_test(no_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
