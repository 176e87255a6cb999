/* Height fields: distances against brute force over their own triangles, files, orientation. */
#include "check.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/vec3.h"
#include "mesh/build.h"
#include "mesh/nearest.h"
#include "solids/heightfield.h"
#include "solids/shape.h"

enum { COLUMNS = 9, ROWS = 7 };

static void make_hills(float *heights)
{
    for (int k = 0; k < COLUMNS * ROWS; k++) {
        heights[k] = (float)(0.3 * ooze_random01(4, (uint64_t)k, 0) + 0.02 * (k % COLUMNS));
    }
}

static OozeShapeDef hills_def(const float *heights)
{
    OozeShapeDef def = ooze_shape_def_default(OOZE_SHAPE_HEIGHTFIELD);
    def.field = (OozeHeightView){heights, COLUMNS, ROWS};
    def.size = vec3(1.6, 1.2, 1.2);
    return def;
}

static OozeShape *make(const OozeShapeDef *def, OozeAxis up)
{
    OozeShape *shape = NULL;
    CHECK_OK(ooze_shape_create(def, up, 0.1, &shape, &error));
    return shape;
}

static double distance(const OozeShape *shape, double x, double y, double z)
{
    return ooze_shape_distance(shape, vec3(x, y, z), NULL);
}

/* ---- distances ------------------------------------------------------------------------------- */

/* The nearest of all triangles, and the winding number for the side. */
static double brute_force(const OozeMesh *mesh, OozeVec3 p)
{
    double best = INFINITY, turns = 0.0;
    for (uint64_t t = 0; t < mesh->triangle_count; t++) {
        OozeVec3 a = ooze_mesh_corner(mesh, t, 0), b = ooze_mesh_corner(mesh, t, 1);
        OozeVec3 c = ooze_mesh_corner(mesh, t, 2);
        best = fmin(best, ooze_distance2(p, ooze_nearest_on_triangle(a, b, c, p)));
        a = vec3_sub(a, p);
        b = vec3_sub(b, p);
        c = vec3_sub(c, p);
        double la = vec3_length(a), lb = vec3_length(b), lc = vec3_length(c);
        turns +=
            atan2(vec3_dot(a, vec3_cross(b, c)),
                  la * lb * lc + vec3_dot(a, b) * lc + vec3_dot(b, c) * la + vec3_dot(c, a) * lb);
    }
    return (turns > 3.0 ? -1.0 : 1.0) * sqrt(best); /* 2 pi inside */
}

static void distance_matches_brute_force(void **state)
{
    (void)state;
    float heights[COLUMNS * ROWS];
    make_hills(heights);
    OozeShapeDef def = hills_def(heights);
    for (int up = 0; up < 3; up++) {
        OozeShape *shape = make(&def, (OozeAxis)up);
        OozeMesh *mesh = NULL;
        CHECK_OK(ooze_shape_triangulate(shape, 10.0, NULL, &mesh, &error));
        assert_true(mesh->watertight);
        assert_true(ooze_mesh_volume(mesh) > 0.0);
        for (uint64_t i = 0; i < 4000; i++) {
            double reach = i % 4 ? 1.1 : 20.0;
            OozeVec3 p = vec3(reach * (2.0 * ooze_random01(6, i, 0) - 1.0),
                              reach * (2.0 * ooze_random01(6, i, 1) - 1.0),
                              reach * (2.0 * ooze_random01(6, i, 2) - 1.0));
            OozeVec3 normal;
            double d = ooze_shape_distance(shape, p, &normal);
            CHECK_NEAR(d, brute_force(mesh, p), 1e-12 * reach);
            CHECK_NEAR(vec3_length(normal), 1.0, 1e-12);
            OozeVec3 foot = vec3_madd(p, -d, normal);
            CHECK_NEAR(ooze_shape_distance(shape, foot, NULL), 0.0, 1e-7);
        }
        ooze_mesh_free(mesh);
        ooze_shape_destroy(shape);
    }
}

static void ramp_is_known_by_hand(void **state)
{
    (void)state;
    /* z rises by 3 over 4: a slope whose normal is (-3, 4)/5. */
    const float heights[4] = {0, 3, 0, 3};
    OozeShapeDef def = ooze_shape_def_default(OOZE_SHAPE_HEIGHTFIELD);
    def.field = (OozeHeightView){heights, 2, 2};
    def.size = vec3(4, 0, 4);
    OozeShape *shape = make(&def, OOZE_AXIS_Y); /* base at 0 - 4 */
    OozeVec3 normal;
    CHECK_NEAR(ooze_shape_distance(shape, vec3(0, 1.5, 0), &normal), 0.0, 1e-12);
    CHECK_NEAR(normal.x, -0.6, 1e-12);
    CHECK_NEAR(normal.y, 0.8, 1e-12);
    CHECK_NEAR(distance(shape, 0, 2.5, 0), 0.8, 1e-12);
    CHECK_NEAR(distance(shape, 0, 0.5, 0), -0.8, 1e-12);
    CHECK_NEAR(distance(shape, 0, -5.0, 0), 1.0, 1e-12);
    CHECK_NEAR(distance(shape, 0, -3.5, 0), -0.5, 1e-12);
    CHECK_NEAR(distance(shape, 3, 1.0, 0), 1.0, 1e-12);
    CHECK_NEAR(distance(shape, 1.9, 0.0, 0), -0.1, 1e-12);
    CHECK_NEAR(distance(shape, 2.3, 3.4, 0), 0.5, 1e-12);    /* off the upper rim */
    CHECK_NEAR(distance(shape, 2.3, -1.0, 2.4), 0.5, 1e-12); /* off an upright edge */
    OozeBounds b = ooze_shape_bounds(shape);
    CHECK_NEAR(vec3_length(vec3_sub(b.min, vec3(-2, -4, -2))), 0.0, 1e-12);
    CHECK_NEAR(vec3_length(vec3_sub(b.max, vec3(2, 3, 2))), 0.0, 1e-12);
    ooze_shape_destroy(shape);
    def.scale = vec3(1, 2, 1);
    shape = make(&def, OOZE_AXIS_Y);
    CHECK_NEAR(distance(shape, 0, 3.0, 0), 0.0, 1e-12);
    ooze_shape_destroy(shape);
}

static void surface_is_fine_and_closed(void **state)
{
    (void)state;
    float heights[COLUMNS * ROWS];
    make_hills(heights);
    OozeShapeDef def = hills_def(heights);
    for (int up = 0; up < 3; up++) {
        OozeShape *shape = make(&def, (OozeAxis)up);
        OozeMesh *coarse = NULL, *fine = NULL;
        CHECK_OK(ooze_shape_triangulate(shape, 10.0, NULL, &coarse, &error));
        CHECK_OK(ooze_shape_triangulate(shape, 0.05, NULL, &fine, &error));
        assert_true(fine->watertight);
        CHECK_NEAR(ooze_mesh_volume(fine), ooze_mesh_volume(coarse), 1e-10);
        for (uint64_t t = 0; t < fine->triangle_count; t++) {
            for (int k = 0; k < 3; k++) {
                OozeVec3 a = ooze_mesh_corner(fine, t, k),
                         b = ooze_mesh_corner(fine, t, (k + 1) % 3);
                assert_true(vec3_length(vec3_sub(a, b)) <= 0.05);
            }
        }
        ooze_mesh_free(coarse);
        ooze_mesh_free(fine);
        ooze_shape_destroy(shape);
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

/* The same 3 x 2 map in every encoding: greys 0 .. 5 of 5 metres. */
static OozeText write_map(int encoding)
{
    OozeText text = {0};
    static const char *const heads[] = {"P2\n# hills\n3 2\n5\n0 1 2\n3 4 5\n", "P5\n3 2\n5\n",
                                        "P5 3 2 # wide\n1000\n",
                                        "ncols 3\r\nNROWS 2\r\nxllcorner 100.5\r\nyllcorner -3\r\n"
                                        "cellsize 2.5\r\nNODATA_value -9999\r\n"
                                        "-9999 1 2\r\n3 4 5e0\r\n"};
    ooze_text_append(&text, "%s", heads[encoding]);
    for (int i = 0; i < 6 && (encoding == 1 || encoding == 2); i++) {
        int grey = encoding == 1 ? i : 200 * i;
        unsigned char bytes[2] = {(unsigned char)(grey >> 8), (unsigned char)grey};
        ooze_text_append_bytes(&text, bytes + (encoding == 1), encoding == 1 ? 1 : 2);
    }
    return text;
}

static void files_in_every_encoding(void **state)
{
    (void)state;
    for (int encoding = 0; encoding < 4; encoding++) {
        OozeText text = write_map(encoding);
        OozeHeightMap map;
        CHECK_OK(ooze_height_map_read_memory(text.data, text.length, "map", &map, &error));
        assert_int_equal(map.columns, 3);
        assert_int_equal(map.rows, 2);
        bool grey = encoding < 3;
        assert_int_equal(map.in_grey, grey);
        CHECK_NEAR(map.cell, grey ? 0.0 : 2.5, 0.0);
        for (int i = 0; i < 6; i++) {
            double expected = grey ? i / 5.0 : i == 0 ? 1.0 : i; /* NODATA: the lowest, 1 */
            CHECK_NEAR(map.heights[i], expected, 1e-7);
        }
        ooze_free(map.heights);
        ooze_text_clear(&text);
    }
}

static void files_look_right_from_above(void **state)
{
    (void)state;
    const char *path = "heightfield_test.asc";
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs("ncols 3\nnrows 2\ncellsize 2\n0 1 2\n3 4 5\n", file); /* the second row is south */
    fclose(file);
    OozeShapeDef def = ooze_shape_def_default(OOZE_SHAPE_HEIGHTFIELD);
    def.path = path;
    OozeShape *shape = make(&def, OOZE_AXIS_Y); /* north is -z */
    CHECK_NEAR(distance(shape, 0, 4, 1), 0.0, 1e-6);
    CHECK_NEAR(distance(shape, -2, 0, -1), 0.0, 1e-6);
    assert_true(distance(shape, 1.9, 4.5, 0.9) < 0.0); /* nearly 5 m high there */
    assert_true(distance(shape, 1.9, 4.5, -0.9) > 0.0);
    ooze_shape_destroy(shape);
    shape = make(&def, OOZE_AXIS_Z); /* north is +y */
    CHECK_NEAR(distance(shape, 0, -1, 4), 0.0, 1e-6);
    CHECK_NEAR(distance(shape, -2, 1, 0), 0.0, 1e-6);
    OozeBounds bounds = ooze_shape_bounds(shape);
    CHECK_NEAR(bounds.max.x, 2.0, 1e-12);
    CHECK_NEAR(bounds.max.y, 1.0, 1e-12);
    ooze_shape_destroy(shape);
    remove(path);
}

static void truncations_never_crash(void **state)
{
    (void)state;
    for (int encoding = 0; encoding < 4; encoding++) {
        OozeText text = write_map(encoding);
        for (uint64_t i = 0; i < 1000; i++) {
            size_t length = (size_t)(ooze_random01(8, i, 0) * (double)text.length);
            char *cut = malloc(length + 1);
            memcpy(cut, text.data, length);
            if (i % 2 && length > 0) { /* and one byte changed */
                cut[(size_t)(ooze_random01(8, i, 1) * (double)length)] =
                    (char)(int)(256.0 * ooze_random01(8, i, 2));
            }
            OozeHeightMap map;
            OozeError error = {0};
            OozeStatus status = ooze_height_map_read_memory(cut, length, "cut", &map, &error);
            assert_true((status == OOZE_OK) == (map.heights != NULL));
            assert_true(status == OOZE_OK || error.message[0]);
            ooze_free(map.heights);
            free(cut);
        }
        ooze_text_clear(&text);
    }
}

static void damage_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"P2\n3 2\n70000\n", "line 3: the largest grey"},
        {"P2\n3 2\n5\n0 1 2 3 4 6\n", "line 4: expected a grey value"},
        {"P2\n99999999 99999999\n5\n0\n", "do not fit"},
        {"P5\n3 2\n5\n\1\2\3", "do not fit"},
        {"P5\n1 1\n5\n\7", "more than the 5"},
        {"P6\n", "not a height map"},
        {"ncols 2\nnrows 2\ncellsize 0\n0 0 0 0\n", "describe no grid"},
        {"ncols 2\nnrows 2\ncellsize 1\nzoom 3\n", "line 4: unknown key"},
        {"ncols 2\nnrows 2\ncellsize 1\n0 0 0\n", "the end of the file"},
        {"ncols 2\nnrows 1\ncellsize 1\n-9999 -9999\n", "NODATA"},
        {"ncols 2\nnrows 1\ncellsize 1\n0 inf\n", "expected a height"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        OozeHeightMap map;
        CHECK_FAILS(
            ooze_height_map_read_memory(cases[i].text, strlen(cases[i].text), "map", &map, &error),
            OOZE_ERROR_FORMAT, cases[i].part);
    }
}

static void refusals_name_the_key(void **state)
{
    (void)state;
    float heights[COLUMNS * ROWS];
    make_hills(heights);
    OozeShape *shape = NULL;
    OozeShapeDef def = hills_def(heights);
    def.size.z = 0.0;
    CHECK_FAILS(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error), OOZE_ERROR_ARGUMENT,
                "size.z");
    def.size.z = 1.0;
    def.size.x = NAN;
    CHECK_FAILS(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error), OOZE_ERROR_ARGUMENT,
                "size.x");
    def = hills_def(heights);
    def.field.rows = 1;
    CHECK_FAILS(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error), OOZE_ERROR_ARGUMENT,
                "1 rows");
    def = hills_def(heights);
    heights[COLUMNS + 2] = NAN;
    CHECK_FAILS(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error), OOZE_ERROR_ARGUMENT,
                "column 2 of row 1");
    def.field.heights = NULL;
    CHECK_FAILS(ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, &error), OOZE_ERROR_ARGUMENT,
                "no heights");
}

static void no_memory_leaks_nothing(void **state)
{
    (void)state;
    float heights[COLUMNS * ROWS];
    make_hills(heights);
    OozeShapeDef def = hills_def(heights);
    OozeStatus status = OOZE_ERROR_MEMORY;
    uint64_t n = 0;
    while (status == OOZE_ERROR_MEMORY) {
        OozeShape *shape = NULL;
        OozeMesh *mesh = NULL;
        ooze_memory_fail_after(++n);
        status = ooze_shape_create(&def, OOZE_AXIS_Y, 0.1, &shape, NULL);
        status = status ? status : ooze_shape_triangulate(shape, 0.2, NULL, &mesh, NULL);
        ooze_memory_fail_after(0);
        ooze_mesh_free(mesh);
        ooze_shape_destroy(shape);
    }
    assert_int_equal(status, OOZE_OK);
    assert_true(n > 10);
    OozeText text = write_map(0);
    OozeHeightMap map;
    ooze_memory_fail_after(1);
    CHECK_FAILS(ooze_height_map_read_memory(text.data, text.length, "map", &map, &error),
                OOZE_ERROR_MEMORY, "height map");
    ooze_memory_fail_after(0);
    ooze_text_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_matches_brute_force),
        cmocka_unit_test(ramp_is_known_by_hand),
        cmocka_unit_test(surface_is_fine_and_closed),
        cmocka_unit_test(files_in_every_encoding),
        cmocka_unit_test(files_look_right_from_above),
        cmocka_unit_test(truncations_never_crash),
        cmocka_unit_test(damage_is_named),
        cmocka_unit_test(refusals_name_the_key),
        cmocka_unit_test(no_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
