/* Mesh readers: every format there and back, damage, and what is refused. */
#include "check.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "mesh/build.h"
#include "mesh/read.h"
#include "mesh_files.h"
#include "solids/shape.h"

/* Volatile: gcc 12 at -O3 for x86-64 leaves the last vertices of the loop below unrounded. */
static double rounded(double value)
{
    volatile float single = (float)value;
    return (double)single;
}

/* A torus whose coordinates are exact floats, so that single-precision formats return them
   whole. */
static OozeMesh *make_torus(void)
{
    OozeShapeDef def = ooze_shape_def_default(OOZE_SHAPE_TORUS);
    OozeShape *shape = NULL;
    OozeMesh *mesh = NULL;
    CHECK_OK(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error));
    CHECK_OK(ooze_shape_triangulate(shape, 0.2, NULL, &mesh, &error));
    ooze_shape_destroy(shape);
    for (uint64_t i = 0; i < mesh->vertex_count; i++) {
        OozeVec3 *v = &mesh->vertices[i];
        *v = vec3(rounded(v->x), rounded(v->y), rounded(v->z));
    }
    return mesh;
}

static OozeStatus read_text(const char *text, OozeMesh **mesh, OozeError *error)
{
    return ooze_mesh_read_memory(text, strlen(text), "test", mesh, error);
}

static void every_format_there_and_back(void **state)
{
    (void)state;
    OozeMesh *mesh = make_torus();
    for (int e = 0; e < MESH_ENCODING_COUNT; e++) {
        OozeText text = write_mesh(mesh, (MeshEncoding)e);
        OozeMesh *back = NULL;
        CHECK_OK(ooze_mesh_read_memory(text.data, text.length, "file", &back, &error));
        assert_int_equal(back->vertex_count, mesh->vertex_count);
        assert_int_equal(back->triangle_count, mesh->triangle_count);
        assert_true(back->watertight);
        for (uint64_t t = 0; t < mesh->triangle_count; t++) {
            for (int k = 0; k < 3; k++) {
                OozeVec3 a = ooze_mesh_corner(mesh, t, k), b = ooze_mesh_corner(back, t, k);
                assert_true(a.x == b.x && a.y == b.y && a.z == b.z);
            }
        }
        ooze_mesh_free(back);
        ooze_text_clear(&text);
    }
    ooze_mesh_free(mesh);
}

static void truncations_never_crash(void **state)
{
    (void)state;
    OozeMesh *mesh = make_torus();
    for (int e = 0; e < MESH_ENCODING_COUNT; e++) {
        OozeText text = write_mesh(mesh, (MeshEncoding)e);
        int refused = 0;
        for (uint64_t i = 0; i < 1000; i++) {
            size_t length = (size_t)(ooze_random01(3, i, (uint64_t)e) * (double)text.length);
            char *cut = malloc(length + 1); /* its own block: overreads are seen */
            memcpy(cut, text.data, length);
            OozeMesh *back = NULL;
            OozeError error = {0};
            OozeStatus status = ooze_mesh_read_memory(cut, length, "cut.stl", &back, &error);
            assert_true((status == OOZE_OK) == (back != NULL));
            assert_true(status == OOZE_OK || (error.message[0] && error.hint[0]));
            refused += status != OOZE_OK;
            ooze_mesh_free(back);
            free(cut);
        }
        /* OBJ and text STL may end after any whole line or facet; the others say how much
           follows. */
        assert_true(refused > (e == MESH_OBJ || e == MESH_OBJ_FANCY ? 100 : 900));
        ooze_text_clear(&text);
    }
    ooze_mesh_free(mesh);
}

static void scrambled_bytes_never_crash(void **state)
{
    (void)state;
    OozeMesh *mesh = make_torus();
    for (int e = 0; e < MESH_ENCODING_COUNT; e++) {
        OozeText text = write_mesh(mesh, (MeshEncoding)e);
        for (uint64_t i = 0; i < 200; i++) {
            char *copy = malloc(text.length);
            memcpy(copy, text.data, text.length);
            for (uint64_t k = 0; k < 1 + i % 8; k++) {
                double place = ooze_random01(5, i, 2 * k), value = ooze_random01(5, i, 2 * k + 1);
                copy[(size_t)(place * place * (double)text.length)] = (char)(int)(256.0 * value);
            }
            OozeMesh *back = NULL;
            ooze_mesh_read_memory(copy, text.length, "scrambled", &back, NULL);
            ooze_mesh_free(back);
            free(copy);
        }
        ooze_text_clear(&text);
    }
    ooze_mesh_free(mesh);
}

static void no_memory_leaks_nothing(void **state)
{
    (void)state;
    OozeMesh *mesh = make_torus();
    for (int e = 0; e < MESH_ENCODING_COUNT; e++) {
        OozeText text = write_mesh(mesh, (MeshEncoding)e);
        OozeStatus status = OOZE_ERROR_MEMORY;
        uint64_t n = 0;
        while (status == OOZE_ERROR_MEMORY) {
            OozeMesh *back = NULL;
            ooze_memory_fail_after(++n);
            status = ooze_mesh_read_memory(text.data, text.length, "file", &back, NULL);
            ooze_memory_fail_after(0);
            ooze_mesh_free(back);
        }
        assert_int_equal(status, OOZE_OK);
        assert_true(n > 6);
        ooze_text_clear(&text);
    }
    ooze_mesh_free(mesh);
}

static void damage_is_named_with_its_place(void **state)
{
    (void)state;
    OozeMesh *mesh = NULL;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "line 4: a face uses vertex 4 of 3"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", "line 4"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf -1 -2 -4\n", "line 4: a face counts back"},
        {"v 0 0 nan\n", "line 1: a vertex needs three finite"},
        {"v 0 0 1e999\n", "line 1: a vertex needs three finite"},
        {"# x\nv 0 1\n", "line 2: a vertex needs three"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n", "line 4: a face needs three corners"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\n", "no triangles"},
        {"v 0 0 0\nv 1 0 0\nv 0 0 0\nf 1 2 3\n", "no triangles"},
        {"", "not a mesh"},
        {"hello world", "not a mesh"},
        {"ply\nformat ascii 1.0\nelement vertex 99999999999\nproperty float x\nproperty float y\n"
         "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n",
         "99999999999 rows"},
        {"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
         "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
         "0 0 0 1 0 0 0 1 0\n3 0 1 3\n",
         "line 11: a face uses a vertex"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float "
         "y\nend_header\n",
         "lack x, y or z"},
        {"ply\nformat ebcdic 1.0\n", "line 2: the format"},
        {"ply\nproperty float x\n", "without an element"},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty list float int x\n", "integer type"},
        {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 inf\n", "line 4: a vertex needs"},
        {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nendloop\n", "expected vertex"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK_FAILS(read_text(cases[i].text, &mesh, &error), OOZE_ERROR_FORMAT, cases[i].part);
        assert_null(mesh);
    }
    /* A binary STL cut in the middle says so with bytes, though it begins with "solid". */
    char stl[84 + 25] = "solid";
    stl[80] = 1;
    CHECK_FAILS(ooze_mesh_read_memory(stl, sizeof stl, "x.stl", &mesh, &error), OOZE_ERROR_FORMAT,
                "byte 109");
    CHECK_FAILS(ooze_mesh_read("/nonexistent/mesh.obj", &mesh, &error), OOZE_ERROR_FILE,
                "mesh.obj");
}

static void polygons_and_slivers(void **state)
{
    (void)state;
    OozeMesh *mesh = NULL;
    /* A pentagon fan, a repeated vertex that merges, a triangle that collapses, an unused
       vertex. */
    CHECK_OK(read_text("v 0 0 0\nv 2 0 0\nv 3 1 0\nv 1 2 0\nv -1 1 0\nv 0 0 -0.0\nv 9 9 9\n"
                       "f 1 2 3 4 5\nf 1 6 2\nf 6 5 2\n",
                       &mesh, &error));
    assert_int_equal(mesh->vertex_count, 5);
    assert_int_equal(mesh->triangle_count, 4);
    assert_false(mesh->watertight);
    ooze_mesh_free(mesh);
    /* Faces before their vertices. */
    CHECK_OK(read_text("f 1 2 3\nv 0 0 0\nv 2 0 0\nv 0 3 0", &mesh, &error));
    CHECK_NEAR(ooze_mesh_area(mesh), 3.0, 1e-15);
    ooze_mesh_free(mesh);
}

static void numbers_are_read_exactly(void **state)
{
    (void)state;
    static const char *const numbers[] = {
        "0.1", "123456789.123456789", "1e22", "4.9e-324", "-1.5E+3", "9007199254740993", ".5",
        "7.",  "0.30000000000000004"};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char text[128];
        OozeMesh *mesh = NULL;
        snprintf(text, sizeof text, "v %s 0 0\nv 1 0 1\nv 0 1 1\nf 1 2 3\n", numbers[i]);
        CHECK_OK(read_text(text, &mesh, &error));
        assert_true(mesh->vertices[0].x == strtod(numbers[i], NULL));
        ooze_mesh_free(mesh);
    }
}

static void views_are_checked(void **state)
{
    (void)state;
    OozeVec3 vertices[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    uint32_t triangles[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    OozeMeshView view = {vertices, 4, triangles, 4};
    OozeMesh *mesh = NULL;
    CHECK_OK(ooze_mesh_from_view(&view, &mesh, &error));
    assert_true(mesh->watertight);
    CHECK_NEAR(ooze_mesh_volume(mesh), 1.0 / 6.0, 1e-15);
    CHECK_NEAR(ooze_mesh_area(mesh), 1.5 + sqrt(3.0) / 2.0, 1e-15);
    ooze_mesh_free(mesh);
    triangles[11] = 4;
    CHECK_FAILS(ooze_mesh_from_view(&view, &mesh, &error), OOZE_ERROR_ARGUMENT, "vertex 4 of 4");
    triangles[11] = 2;
    vertices[2].y = NAN;
    CHECK_FAILS(ooze_mesh_from_view(&view, &mesh, &error), OOZE_ERROR_ARGUMENT, "vertex 2");
    view.triangles = NULL;
    CHECK_FAILS(ooze_mesh_from_view(&view, &mesh, &error), OOZE_ERROR_ARGUMENT, "no triangles");
}

static void watertight_means_every_edge_twice(void **state)
{
    (void)state;
    OozeMesh *mesh = make_torus();
    assert_true(mesh->watertight);
    uint64_t count = mesh->triangle_count;
    mesh->triangle_count = count - 1; /* one missing */
    CHECK_OK(ooze_mesh_check_watertight(mesh, &error));
    assert_false(mesh->watertight);
    mesh->triangle_count = count;
    uint32_t kept = mesh->triangles[4]; /* one turned over */
    mesh->triangles[4] = mesh->triangles[5];
    mesh->triangles[5] = kept;
    CHECK_OK(ooze_mesh_check_watertight(mesh, &error));
    assert_false(mesh->watertight);
    ooze_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_there_and_back),
        cmocka_unit_test(truncations_never_crash),
        cmocka_unit_test(scrambled_bytes_never_crash),
        cmocka_unit_test(no_memory_leaks_nothing),
        cmocka_unit_test(damage_is_named_with_its_place),
        cmocka_unit_test(polygons_and_slivers),
        cmocka_unit_test(numbers_are_read_exactly),
        cmocka_unit_test(views_are_checked),
        cmocka_unit_test(watertight_means_every_edge_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
