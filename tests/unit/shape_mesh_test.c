/* Shapes made of meshes: files, scale, non-uniform scale, containers, triangulation. */
#include "check.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "mesh/build.h"
#include "mesh_edges.h"
#include "mesh_files.h"
#include "solids/shape.h"

static const double pi = 3.14159265358979323846;

static OozeShape *make(const OozeShapeDef *def, double spacing)
{
    OozeShape *shape = NULL;
    CHECK_OK(ooze_shape_create(def, OOZE_AXIS_Y, spacing, &shape, &error));
    return shape;
}

static OozeMesh *triangulate(const OozeShape *shape, double edge)
{
    OozeMesh *mesh = NULL;
    CHECK_OK(ooze_shape_triangulate(shape, edge, NULL, &mesh, &error));
    return mesh;
}

static void mesh_from_file_with_scale(void **state)
{
    (void)state;
    OozeShapeDef def = ooze_shape_def_default(OOZE_SHAPE_BOX);
    OozeShape *box = make(&def, 0.1);
    OozeMesh *mesh = triangulate(box, 10.0);
    OozeText text = write_mesh(mesh, MESH_OBJ);
    FILE *file = fopen("shape_mesh_test.obj", "wb");
    assert_non_null(file);
    fwrite(text.data, 1, text.length, file);
    fclose(file);
    ooze_shape_destroy(box);

    OozeShapeDef scaled = ooze_shape_def_default(OOZE_SHAPE_MESH);
    scaled.path = "shape_mesh_test.obj";
    scaled.scale = vec3(1, 2, 3);
    def.scale = scaled.scale;
    const double spacing = 0.1;
    OozeShape *shape = make(&scaled, spacing), *exact = make(&def, spacing);
    for (uint64_t i = 0; i < 5000; i++) {
        OozeVec3 p = vec3(2 * ooze_random01(1, i, 0) - 1, 4 * ooze_random01(1, i, 1) - 2,
                          4 * ooze_random01(1, i, 2) - 2);
        double d = ooze_shape_distance(exact, p, NULL),
               measured = ooze_shape_distance(shape, p, NULL);
        if (fabs(d) < 3.0 * spacing) { /* 0.3 h at a sharp edge in the middle of a cell */
            CHECK_NEAR(measured, d, 0.16 * spacing);
        } else {
            assert_true((measured > 0.0) == (d > 0.0));
            /* h^2 / (4 d) of interpolation, where a block reaches that far */
            assert_true(fabs(measured) <= fabs(d) + 0.03 * spacing);
        }
    }
    OozeBounds a = ooze_shape_bounds(shape), b = ooze_shape_bounds(exact);
    CHECK_NEAR(vec3_length(vec3_sub(a.max, b.max)), 0.0, 1e-12);
    CHECK_NEAR(vec3_length(vec3_sub(a.min, b.min)), 0.0, 1e-12);
    assert_true(ooze_shape_bytes(shape) > ooze_shape_bytes(exact));
    OozeMesh *surface = triangulate(shape, 0.2);
    assert_true(surface->watertight);
    assert_true(longest_edge(surface) <= 0.2);
    CHECK_NEAR(ooze_mesh_volume(surface), 6.0, 1e-9);
    CHECK_NEAR(ooze_mesh_area(surface), 22.0, 1e-9);
    ooze_mesh_free(surface);
    ooze_shape_destroy(shape);
    ooze_shape_destroy(exact);
    ooze_mesh_free(mesh);
    ooze_text_clear(&text);
    remove("shape_mesh_test.obj");
}

/* On an ellipsoid the distance is not known in closed form, but its surface and its volume are. */
static void stretched_sphere_is_an_ellipsoid(void **state)
{
    (void)state;
    OozeShapeDef def = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    def.radius = 0.5;
    def.scale = vec3(2, 1, 1.5);
    const double spacing = 0.05;
    OozeShape *shape = make(&def, spacing);
    assert_int_equal(ooze_shape_kind(shape), OOZE_SHAPE_SPHERE);
    for (uint64_t i = 0; i < 5000; i++) {
        OozeVec3 u = vec3(2 * ooze_random01(2, i, 0) - 1, 2 * ooze_random01(2, i, 1) - 1,
                          2 * ooze_random01(2, i, 2) - 1);
        u = vec3_scale(vec3_unit(u, vec3(1, 0, 0)), 0.5);
        OozeVec3 p = vec3(2 * u.x, u.y, 1.5 * u.z), normal;
        /* On the surface: zero within 2 % of flatness and h^2 / (4 r) = 1.3 %; normal (x/a^2
           ...). */
        CHECK_NEAR(ooze_shape_distance(shape, p, &normal), 0.0, 0.04 * spacing);
        OozeVec3 exact = vec3_unit(vec3(u.x / 2, u.y, u.z / 1.5), vec3(1, 0, 0));
        assert_true(vec3_dot(normal, exact) > 0.98);
    }
    OozeMesh *mesh = triangulate(shape, 0.05);
    assert_true(mesh->watertight && longest_edge(mesh) <= 0.05);
    CHECK_NEAR(ooze_mesh_volume(mesh) / (4.0 / 3.0 * pi * 0.125 * 3.0), 1.0, 0.02);
    ooze_mesh_free(mesh);
    ooze_shape_destroy(shape);
}

static void every_round_shape_can_be_stretched(void **state)
{
    (void)state;
    for (int kind = OOZE_SHAPE_SPHERE; kind <= OOZE_SHAPE_TORUS; kind++) {
        OozeShapeDef def = ooze_shape_def_default((OozeShapeKind)kind);
        OozeShape *plain = make(&def, 0.1);
        def.scale = vec3(1.5, 1.0, 1.2);
        OozeShape *shape = make(&def, 0.08);
        OozeBounds small = ooze_shape_bounds(plain), large = ooze_shape_bounds(shape);
        /* An inscribed polygon of n corners reaches cos(pi/n) of the way at least. */
        CHECK_NEAR(large.max.x, 1.5 * small.max.x, 0.02);
        CHECK_NEAR(large.max.z, 1.2 * small.max.z, 0.02);
        CHECK_NEAR(large.max.y, small.max.y, 0.02);
        OozeMesh *one = triangulate(plain, 0.02), *other = triangulate(shape, 0.05);
        assert_true(other->watertight);
        CHECK_NEAR(ooze_mesh_volume(other) / (1.8 * ooze_mesh_volume(one)), 1.0, 0.03);
        ooze_mesh_free(one);
        ooze_mesh_free(other);
        ooze_shape_destroy(plain);
        ooze_shape_destroy(shape);
    }
}

static void mesh_container(void **state)
{
    (void)state;
    OozeShapeDef def = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    OozeShape *sphere = make(&def, 0.1);
    OozeMesh *mesh = triangulate(sphere, 0.1);
    def = ooze_shape_def_default(OOZE_SHAPE_MESH);
    def.mesh =
        (OozeMeshView){mesh->vertices, mesh->vertex_count, mesh->triangles, mesh->triangle_count};
    def.inverted = true;
    OozeShape *shape = make(&def, 0.05);
    OozeVec3 normal;
    assert_true(ooze_shape_distance(shape, vec3(0, 0, 0), NULL) > 0.0);
    assert_true(ooze_shape_distance(shape, vec3(5, 0, 0), NULL) < 0.0);
    CHECK_NEAR(ooze_shape_distance(shape, vec3(0.45, 0, 0), &normal), 0.05, 0.005);
    CHECK_NEAR(normal.x, -1.0, 0.01);
    OozeMesh *surface = triangulate(shape, 0.1);
    assert_true(surface->watertight && ooze_mesh_volume(surface) < 0.0);
    ooze_mesh_free(surface);
    ooze_shape_destroy(shape);
    ooze_shape_destroy(sphere);
    ooze_mesh_free(mesh);
}

static void refusals(void **state)
{
    (void)state;
    OozeShape *shape = NULL;
    OozeShapeDef def = ooze_shape_def_default(OOZE_SHAPE_MESH);
    CHECK_FAILS(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error), OOZE_ERROR_ARGUMENT,
                "no vertices");
    def.path = "/nonexistent/thing.ply";
    CHECK_FAILS(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error), OOZE_ERROR_FILE,
                "thing.ply");
    def.thickness = -1.0;
    CHECK_FAILS(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error), OOZE_ERROR_ARGUMENT,
                "thickness");
    CHECK_FAILS(ooze_shape_create(&def, OOZE_AXIS_Y, 0.0, &shape, &error), OOZE_ERROR_ARGUMENT,
                "spacing");
    /* Three corners in line: triangles without area. */
    static const OozeVec3 line[3] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}};
    static const uint32_t corners[3] = {0, 1, 2};
    def = ooze_shape_def_default(OOZE_SHAPE_MESH);
    def.mesh = (OozeMeshView){line, 3, corners, 1};
    CHECK_FAILS(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error), OOZE_ERROR_FORMAT,
                "no area");
}

static void no_memory_leaks_nothing(void **state)
{
    (void)state;
    OozeShapeDef def = ooze_shape_def_default(OOZE_SHAPE_CAPSULE);
    def.scale = vec3(1, 1, 2);
    OozeStatus status = OOZE_ERROR_MEMORY;
    uint64_t n = 0;
    while (status == OOZE_ERROR_MEMORY) {
        OozeShape *shape = NULL;
        OozeMesh *mesh = NULL;
        ooze_memory_fail_after(++n);
        status = ooze_shape_create(&def, OOZE_AXIS_Y, 0.5, &shape, NULL);
        status = status ? status : ooze_shape_triangulate(shape, 0.1, NULL, &mesh, NULL);
        ooze_memory_fail_after(0);
        assert_true((status == OOZE_OK) == (mesh != NULL));
        ooze_mesh_free(mesh);
        ooze_shape_destroy(shape);
    }
    assert_int_equal(status, OOZE_OK);
    assert_true(n > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mesh_from_file_with_scale),
        cmocka_unit_test(stretched_sphere_is_an_ellipsoid),
        cmocka_unit_test(every_round_shape_can_be_stretched),
        cmocka_unit_test(mesh_container),
        cmocka_unit_test(refusals),
        cmocka_unit_test(no_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
