/* Signed distance to meshes: against closed forms, on damaged meshes, as shells. */
#include "check.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "mesh/build.h"
#include "mesh/nearest.h"
#include "mesh/repair.h"
#include "mesh/tree.h"
#include "solids/distance_data.h"
#include "solids/distance_grid.h"
#include "solids/shape.h"

static const double pi = 3.14159265358979323846;

static OozeShape *make_shape(OozeShapeKind kind, double radius, double height)
{
    OozeShapeDef def = ooze_shape_def_default(kind);
    def.radius = radius;
    def.height = height;
    OozeShape *shape = NULL;
    CHECK_OK(ooze_shape_create(&def, OOZE_AXIS_Y, 0.05, &shape, &error));
    return shape;
}

static OozeMesh *make_mesh(OozeShapeKind kind, double radius, double height, double edge)
{
    OozeShape *shape = make_shape(kind, radius, height);
    OozeMesh *mesh = NULL;
    CHECK_OK(ooze_shape_triangulate(shape, edge, NULL, &mesh, &error));
    ooze_shape_destroy(shape);
    return mesh;
}

static OozeDistanceGrid *make_grid(const OozeMesh *mesh, double spacing, double thickness)
{
    OozeDistanceGrid *grid = NULL;
    CHECK_OK(ooze_distance_grid_create(mesh, spacing, thickness, NULL, &grid, &error));
    return grid;
}

static double at(const OozeDistanceGrid *grid, double x, double y, double z)
{
    OozeVec3 normal;
    return ooze_distance_grid_at(grid, vec3(x, y, z), &normal);
}

static OozeVec3 random_point(uint64_t i, double reach)
{
    return vec3(reach * (2.0 * ooze_random01(9, i, 0) - 1.0),
                reach * (2.0 * ooze_random01(9, i, 1) - 1.0),
                reach * (2.0 * ooze_random01(9, i, 2) - 1.0));
}

/* ---- smooth solids --------------------------------------------------------------------------- */

static void sphere_matches_closed_form(void **state)
{
    (void)state;
    const double spacing = 0.05, radius = 0.5;
    OozeMesh *mesh = make_mesh(OOZE_SHAPE_SPHERE, radius, 1.0, 0.02);
    OozeDistanceGrid *grid = make_grid(mesh, spacing, 0.0);
    assert_false(ooze_distance_grid_is_shell(grid));
    double worst = 0.0, turned = 0.0;
    int far = 0;
    for (uint64_t i = 0; i < 200000; i++) {
        OozeVec3 p = random_point(i, 1.0), normal;
        double exact = vec3_length(p) - radius, d = ooze_distance_grid_at(grid, p, &normal);
        CHECK_NEAR(vec3_length(normal), 1.0, 1e-12);
        double cosine = vec3_dot(normal, vec3_unit(p, vec3(1, 0, 0)));
        if (fabs(exact) < 3.0 * spacing) {
            worst = fmax(worst, fabs(d - exact));
            turned = fmax(turned, 1.0 - cosine);
        } else { /* never more than the truth, on the right side, pointing away */
            assert_true((d > 0.0) == (exact > 0.0));
            assert_true(fabs(d) <= fabs(exact) + 0.1 * spacing);
            assert_true(fabs(d) >= 3.0 * spacing * 0.98);
            assert_true(cosine > 0.0 || vec3_length(p) < 0.2);
            far++;
        }
    }
    assert_true(far > 50000);
    /* h^2/(4 r) of interpolation at h = spacing/2 and r = 0.35, as deep as the band reaches, and
       e^2/(8 r) of flatness: 0.55 mm in all. */
    MEASURED("worst error over the spacing", worst / spacing, 0.0, 0.015);
    MEASURED("worst 1 - cos of the normal", turned, 0.0, 0.01);
    ooze_distance_grid_destroy(grid);
    ooze_mesh_free(mesh);
}

static void torus_matches_closed_form(void **state)
{
    (void)state;
    const double spacing = 0.04;
    OozeMesh *mesh = make_mesh(OOZE_SHAPE_TORUS, 0.5, 1.0, 0.015); /* tube 0.1: 2.5 spacings */
    OozeShape *shape = make_shape(OOZE_SHAPE_TORUS, 0.5, 1.0);
    OozeDistanceGrid *grid = make_grid(mesh, spacing, 0.0);
    double worst = 0.0;
    for (uint64_t i = 0; i < 100000; i++) {
        OozeVec3 p = random_point(i, 0.8);
        double exact = ooze_shape_distance(shape, p, NULL), d = at(grid, p.x, p.y, p.z);
        if (fabs(exact) < spacing) { /* the ring of the tube is 2.5 spacings inside */
            worst = fmax(worst, fabs(d - exact));
        }
        assert_true((d > 0.0) == (exact > 0.0) || fabs(exact) < 0.1 * spacing);
    }
    MEASURED("worst error over the spacing", worst / spacing, 0.0, 0.1);
    ooze_distance_grid_destroy(grid);
    ooze_shape_destroy(shape);
    ooze_mesh_free(mesh);
}

static void normal_is_the_gradient(void **state)
{
    (void)state;
    const double spacing = 0.05, step = 1e-5;
    OozeMesh *mesh = make_mesh(OOZE_SHAPE_CAPSULE, 0.3, 0.5, 0.03);
    OozeDistanceGrid *grid = make_grid(mesh, spacing, 0.0);
    int off = 0, tried = 0;
    for (uint64_t i = 0; i < 20000; i++) {
        OozeVec3 p = random_point(i, 0.7), normal;
        double d = ooze_distance_grid_at(grid, p, &normal);
        if (fabs(d) > 2.0 * spacing) {
            continue;
        }
        OozeVec3 slope = vec3(at(grid, p.x + step, p.y, p.z) - at(grid, p.x - step, p.y, p.z),
                              at(grid, p.x, p.y + step, p.z) - at(grid, p.x, p.y - step, p.z),
                              at(grid, p.x, p.y, p.z + step) - at(grid, p.x, p.y, p.z - step));
        slope = vec3_scale(slope, 0.5 / step);
        /* Neighbouring nodes see facets that differ by up to 0.03/0.3 rad: the interpolated slope
           may be that much too long or too short. */
        CHECK_NEAR(vec3_length(slope), 1.0, 0.1);
        off += vec3_length(vec3_sub(vec3_unit(slope, vec3(0, 0, 0)), normal)) > 1e-3;
        tried++;
    }
    assert_true(tried > 1000);
    /* Only differences across a cell border are off: a fraction 6 step / h of them. */
    assert_true(off <= 10 + (int)(tried * 12.0 * step / (0.5 * spacing)));
    ooze_distance_grid_destroy(grid);
    ooze_mesh_free(mesh);
}

static void memory_is_proportional_to_the_surface(void **state)
{
    (void)state;
    OozeMesh *mesh = make_mesh(OOZE_SHAPE_SPHERE, 0.5, 1.0, 0.05);
    OozeDistanceGrid *coarse = make_grid(mesh, 0.06, 0.0), *fine = make_grid(mesh, 0.015, 0.0);
    double growth =
        (double)ooze_distance_grid_nodes(fine) / (double)ooze_distance_grid_nodes(coarse);
    /* Four times finer: 16 times the surface, but 64 times the volume. */
    MEASURED("growth of nodes", growth, 10.0, 24.0);
    assert_true(ooze_distance_grid_bytes(fine) < 6 * ooze_distance_grid_nodes(fine));
    ooze_distance_grid_destroy(coarse);
    ooze_distance_grid_destroy(fine);
    ooze_mesh_free(mesh);
}

static void far_from_the_origin(void **state)
{
    (void)state;
    OozeMesh *mesh = make_mesh(OOZE_SHAPE_SPHERE, 0.5, 1.0, 0.05);
    for (uint64_t i = 0; i < mesh->vertex_count; i++) {
        mesh->vertices[i] = vec3_add(mesh->vertices[i], vec3(1e5, -1e5, 3e4));
    }
    OozeDistanceGrid *grid = make_grid(mesh, 0.05, 0.0);
    CHECK_NEAR(at(grid, 1e5 + 0.55, -1e5, 3e4), 0.05, 0.005);
    CHECK_NEAR(at(grid, 1e5, -1e5, 3e4 - 0.42), -0.08, 0.005);
    assert_true(at(grid, 0, 0, 0) > 1e5);
    assert_true(at(grid, 1e5, -1e5, 3e4) < 0.0);
    ooze_distance_grid_destroy(grid);
    ooze_mesh_free(mesh);
}

/* ---- damaged meshes -------------------------------------------------------------------------- */

/* Sphere mesh with one thing wrong must measure like the whole one everywhere. */
static void check_like_sphere(const OozeMesh *mesh, double radius, double tolerance)
{
    OozeDistanceGrid *grid = make_grid(mesh, 0.05, 0.0);
    assert_false(ooze_distance_grid_is_shell(grid));
    for (uint64_t i = 0; i < 20000; i++) {
        OozeVec3 p = random_point(i, 0.8);
        double exact = vec3_length(p) - radius, d = at(grid, p.x, p.y, p.z);
        if (fabs(exact) < 0.15) {
            CHECK_NEAR(d, exact, tolerance);
        } else {
            assert_true((d > 0.0) == (exact > 0.0));
        }
    }
    OozeMesh *surface = NULL;
    CHECK_OK(ooze_distance_grid_surface(grid, &surface, &error));
    assert_true(surface->watertight);
    CHECK_NEAR(ooze_mesh_volume(surface), 4.0 / 3.0 * pi * radius * radius * radius, 0.02);
    ooze_mesh_free(surface);
    ooze_distance_grid_destroy(grid);
}

static void one_flipped_triangle(void **state)
{
    (void)state;
    OozeMesh *mesh = make_mesh(OOZE_SHAPE_SPHERE, 0.5, 1.0, 0.15);
    uint32_t kept = mesh->triangles[3 * 40 + 1];
    mesh->triangles[3 * 40 + 1] = mesh->triangles[3 * 40 + 2];
    mesh->triangles[3 * 40 + 2] = kept;
    CHECK_OK(ooze_mesh_check_watertight(mesh, &error));
    assert_false(mesh->watertight);
    check_like_sphere(mesh, 0.5, 0.01);
    ooze_mesh_free(mesh);
}

static void one_missing_triangle(void **state)
{
    (void)state;
    OozeMesh *mesh = make_mesh(OOZE_SHAPE_SPHERE, 0.5, 1.0, 0.15);
    mesh->triangle_count--;
    memmove(mesh->triangles + 3 * 60, mesh->triangles + 3 * 61,
            3 * (mesh->triangle_count - 60) * sizeof *mesh->triangles);
    CHECK_OK(ooze_mesh_check_watertight(mesh, &error));
    assert_false(mesh->watertight);
    check_like_sphere(mesh, 0.5, 0.01);
    OozeDistanceGrid *shell = make_grid(mesh, 0.05, 0.1); /* a thickness asks for a shell */
    assert_true(ooze_distance_grid_is_shell(shell));
    CHECK_NEAR(at(shell, 0, 0, 0.5), -0.05, 0.01);
    assert_true(at(shell, 0, 0, 0) > 0.0);
    ooze_distance_grid_destroy(shell);
    ooze_mesh_free(mesh);
}

static void several_missing_triangles_and_inside_out(void **state)
{
    (void)state;
    OozeMesh *mesh = make_mesh(OOZE_SHAPE_SPHERE, 0.5, 1.0, 0.1);
    uint64_t kept = 0;
    for (uint64_t t = 0; t < mesh->triangle_count; t++) {
        if (t % 97 == 5 || (t > 300 && t < 306)) {
            continue;
        }
        memcpy(mesh->triangles + 3 * kept++, mesh->triangles + 3 * t, 3 * sizeof(uint32_t));
    }
    mesh->triangle_count = kept;
    ooze_mesh_flip(mesh);
    CHECK_OK(ooze_mesh_check_watertight(mesh, &error));
    check_like_sphere(mesh, 0.5, 0.02);
    ooze_mesh_free(mesh);
}

/* Two overlapping solids in one mesh, and a cavity: what winding numbers are for. */
static void pieces_add_up(void **state)
{
    (void)state;
    OozeMesh *ball = make_mesh(OOZE_SHAPE_SPHERE, 0.4, 1.0, 0.1);
    OozeMeshBuild build = {.name = "pieces"};
    const double shift[3] = {0.0, 0.3, 0.05}, size[3] = {1.0, 1.0, 0.3};
    for (uint32_t piece = 0; piece < 3; piece++) {
        uint32_t first = (uint32_t)build.vertex_count;
        for (uint64_t i = 0; i < ball->vertex_count; i++) {
            OozeVec3 v = vec3_scale(ball->vertices[i], size[piece]);
            v.x += piece == 2 ? -0.2 : shift[piece];
            assert_int_equal(ooze_mesh_build_vertex(&build, v, NULL), OOZE_OK);
        }
        for (uint64_t t = 0; t < ball->triangle_count; t++) {
            const uint32_t *c = ball->triangles + 3 * t;
            bool cavity = piece == 2;
            assert_int_equal(ooze_mesh_build_triangle(&build, first + c[0],
                                                      first + c[cavity ? 2 : 1],
                                                      first + c[cavity ? 1 : 2], NULL),
                             OOZE_OK);
        }
    }
    OozeMesh *mesh = NULL;
    CHECK_OK(ooze_mesh_build_finish(&build, &mesh, &error));
    OozeDistanceGrid *grid = make_grid(mesh, 0.04, 0.0);
    for (uint64_t i = 0; i < 20000; i++) {
        OozeVec3 p = random_point(i, 0.9);
        double one = vec3_length(p) - 0.4, two = vec3_length(vec3_sub(p, vec3(0.3, 0, 0))) - 0.4;
        double hole = vec3_length(vec3_sub(p, vec3(-0.2, 0, 0))) - 0.12;
        bool inside = (one < 0.0 || two < 0.0) && hole > 0.0;
        double nearest = fmin(fabs(one), fmin(fabs(two), fabs(hole)));
        if (nearest > 0.02) { /* the facets are 1.25 mm flat, inner walls measure as zero */
            assert_true((at(grid, p.x, p.y, p.z) < 0.0) == inside);
        }
    }
    ooze_distance_grid_destroy(grid);
    ooze_mesh_free(mesh);
    ooze_mesh_free(ball);
}

/* ---- shells ---------------------------------------------------------------------------------- */

static OozeMesh *make_open_box(void)
{
    static const OozeVec3 vertices[8] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1},
                                         {0, 1, 0}, {1, 1, 0}, {1, 1, 1}, {0, 1, 1}};
    static const uint32_t triangles[30] = {/* no bottom */ 4,
                                           7,
                                           6,
                                           4,
                                           6,
                                           5,
                                           0,
                                           4,
                                           5,
                                           0,
                                           5,
                                           1,
                                           1,
                                           5,
                                           6,
                                           1,
                                           6,
                                           2,
                                           2,
                                           6,
                                           7,
                                           2,
                                           7,
                                           3,
                                           3,
                                           7,
                                           4,
                                           3,
                                           4,
                                           0};
    OozeMeshView view = {vertices, 8, triangles, 10};
    OozeMesh *mesh = NULL;
    CHECK_OK(ooze_mesh_from_view(&view, &mesh, &error));
    return mesh;
}

static void open_box_is_a_shell(void **state)
{
    (void)state;
    OozeMesh *mesh = make_open_box();
    const double spacing = 0.05; /* thickness two spacings: half of it is 0.05 */
    OozeDistanceGrid *grid = make_grid(mesh, spacing, 0.0);
    assert_true(ooze_distance_grid_is_shell(grid));
    CHECK_NEAR(at(grid, 0.0, 0.5, 0.5), -0.05, 0.005);
    CHECK_NEAR(at(grid, 0.1, 0.5, 0.5), 0.05, 0.005);
    CHECK_NEAR(at(grid, -0.1, 0.5, 0.5), 0.05, 0.005);
    assert_true(at(grid, 0.5, 0.5, 0.5) > 0.0);
    assert_true(at(grid, 0.5, 0.0, 0.5) > 0.0); /* the open bottom */
    assert_true(at(grid, 0.5, 1.0, 0.5) < 0.0); /* the lid */
    OozeVec3 normal, min, max;
    ooze_distance_grid_at(grid, vec3(0.5, 0.9, 0.5), &normal);
    CHECK_NEAR(normal.y, -1.0, 0.01);
    ooze_distance_grid_bounds(grid, &min, &max);
    CHECK_NEAR(vec3_length(vec3_sub(max, vec3(1.05, 1.05, 1.05))), 0.0, 1e-12);
    OozeMesh *skin = NULL;
    CHECK_OK(ooze_distance_grid_surface(grid, &skin, &error));
    assert_true(skin->watertight);
    /* Volume by hand: the sheets, less their overlap along 8 inner edges, plus rounded rims; about
       area * thickness. */
    CHECK_NEAR(ooze_mesh_volume(skin), 5.0 * 0.1, 0.05);
    ooze_mesh_free(skin);
    ooze_distance_grid_destroy(grid);
    ooze_mesh_free(mesh);
}

/* The ends of a long pipe are small against its surface, but they are all there is to see from
   there. */
static void open_pipe_is_a_shell(void **state)
{
    (void)state;
    OozeMesh *mesh = make_mesh(OOZE_SHAPE_CYLINDER, 0.1, 4.0, 0.1);
    uint64_t kept = 0;
    for (uint64_t t = 0; t < mesh->triangle_count; t++) {
        double y = fabs(ooze_mesh_corner(mesh, t, 0).y + ooze_mesh_corner(mesh, t, 1).y +
                        ooze_mesh_corner(mesh, t, 2).y);
        if (y < 5.999) { /* not an end */
            memcpy(mesh->triangles + 3 * kept++, mesh->triangles + 3 * t, 3 * sizeof(uint32_t));
        }
    }
    mesh->triangle_count = kept;
    CHECK_OK(ooze_mesh_check_watertight(mesh, &error));
    OozeDistanceGrid *grid = make_grid(mesh, 0.04, 0.04);
    assert_true(ooze_distance_grid_is_shell(grid));
    ooze_distance_grid_destroy(grid);
    grid = make_grid(mesh, 0.04, 0.0);
    assert_true(ooze_distance_grid_is_shell(grid));
    assert_true(at(grid, 0, 0, 0) > 0.0 && at(grid, 0.1, 0, 0) < 0.0);
    ooze_distance_grid_destroy(grid);
    ooze_mesh_free(mesh);
}

static void thin_sheet_does_not_leak(void **state)
{
    (void)state;
    static const OozeVec3 vertices[4] = {{0, 0, 0}, {1, 0.1, 0}, {1, 0.2, 1}, {0, 0.1, 1}};
    static const uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    OozeMeshView view = {vertices, 4, triangles, 2};
    OozeMesh *mesh = NULL, *skin = NULL;
    CHECK_OK(ooze_mesh_from_view(&view, &mesh, &error));
    OozeDistanceGrid *grid = make_grid(mesh, 0.1, 0.03); /* a third of a spacing */
    for (uint64_t i = 0; i < 2000; i++) {
        double x = ooze_random01(2, i, 0), z = ooze_random01(2, i, 1);
        assert_true(at(grid, x, 0.1 * x + 0.1 * z, z) < 0.0);
    }
    CHECK_OK(ooze_distance_grid_surface(grid, &skin, &error));
    assert_true(skin->watertight);
    ooze_mesh_free(skin);
    ooze_distance_grid_destroy(grid);
    ooze_mesh_free(mesh);
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void too_fine_a_grid_is_refused_with_its_size(void **state)
{
    (void)state;
    OozeMesh *mesh = make_mesh(OOZE_SHAPE_SPHERE, 0.5, 1.0, 0.2);
    OozeDistanceGrid *grid = NULL;
    CHECK_FAILS(ooze_distance_grid_create(mesh, 1e-5, 0.0, NULL, &grid, &error), OOZE_ERROR_LIMIT,
                "GiB");
    CHECK_FAILS(ooze_distance_grid_create(mesh, 1e-300, 0.0, NULL, &grid, &error), OOZE_ERROR_LIMIT,
                "GiB");
    CHECK_FAILS(ooze_distance_grid_create(mesh, 0.0, 0.0, NULL, &grid, &error), OOZE_ERROR_ARGUMENT,
                "spacing");
    CHECK_FAILS(ooze_distance_grid_create(mesh, 0.1, NAN, NULL, &grid, &error), OOZE_ERROR_ARGUMENT,
                "thickness");
    ooze_mesh_free(mesh);
}

/* Triangles are searched for many nodes together: each node gets the distance of the nearest, where
   triangles are larger than the cells, as large, and smaller. */
static void nodes_have_the_distance_of_the_nearest_triangle(void **state)
{
    (void)state;
    const double edges[] = {0.3, 0.05, 0.008};
    for (int e = 0; e < 3; e++) {
        OozeMesh *mesh = make_mesh(OOZE_SHAPE_CONE, 0.3, 0.7, edges[e]);
        OozeDistanceGrid *grid = make_grid(mesh, 0.06, 0.0);
        for (int n = 0; n < 500; n++) {
            uint64_t block =
                (uint64_t)((double)grid->block_count * ooze_random01(9, (uint64_t)n, 3));
            int at[3];
            for (int k = 0; k < 3; k++) {
                at[k] = (int)(OOZE_BLOCK_SIDE * ooze_random01(9, (uint64_t)n, (uint64_t)k));
            }
            const OozeBlockCoord *c = &grid->coords[block];
            OozeVec3 p =
                vec3(grid->origin.x + grid->step * ((double)c->x * OOZE_BLOCK_CELLS + at[0]),
                     grid->origin.y + grid->step * ((double)c->y * OOZE_BLOCK_CELLS + at[1]),
                     grid->origin.z + grid->step * ((double)c->z * OOZE_BLOCK_CELLS + at[2]));
            double least2 = INFINITY;
            for (uint64_t t = 0; t < grid->mesh->triangle_count; t++) {
                OozeVec3 near = ooze_nearest_on_triangle(ooze_mesh_corner(grid->mesh, t, 0),
                                                         ooze_mesh_corner(grid->mesh, t, 1),
                                                         ooze_mesh_corner(grid->mesh, t, 2), p);
                least2 = fmin(least2, ooze_distance2(near, p));
            }
            float node =
                grid->nodes[block * OOZE_BLOCK_NODES + ooze_block_node(at[0], at[1], at[2])];
            assert_true(fabsf(node) == (float)sqrt(least2));
        }
        ooze_distance_grid_destroy(grid);
        ooze_mesh_free(mesh);
    }
}

static void threads_compute_the_same_bits(void **state)
{
    (void)state;
    OozeMesh *mesh = make_mesh(OOZE_SHAPE_TORUS, 0.5, 1.0, 0.05);
    OozeDistanceGrid *alone = make_grid(mesh, 0.05, 0.0), *shared = NULL;
    OozeThreads *threads = NULL;
    CHECK_OK(ooze_threads_create(3, &threads, &error));
    CHECK_OK(ooze_distance_grid_create(mesh, 0.05, 0.0, threads, &shared, &error));
    assert_int_equal(shared->block_count, alone->block_count);
    assert_true(alone->block_count > 100);
    assert_memory_equal(shared->nodes, alone->nodes,
                        alone->block_count * OOZE_BLOCK_NODES * sizeof *alone->nodes);
    ooze_threads_destroy(threads);
    ooze_distance_grid_destroy(alone);
    ooze_distance_grid_destroy(shared);
    ooze_mesh_free(mesh);
}

static void no_memory_leaks_nothing(void **state)
{
    (void)state;
    OozeMesh *ball = make_mesh(OOZE_SHAPE_SPHERE, 0.5, 1.0, 0.3), *box = make_open_box();
    ball->triangle_count -= 2;
    CHECK_OK(ooze_mesh_check_watertight(ball, &error));
    const OozeMesh *meshes[2] = {ball, box};
    for (int m = 0; m < 2; m++) {
        OozeStatus status = OOZE_ERROR_MEMORY;
        uint64_t n = 0;
        while (status == OOZE_ERROR_MEMORY) {
            OozeDistanceGrid *grid = NULL;
            OozeMesh *surface = NULL;
            ooze_memory_fail_after(++n);
            status = ooze_distance_grid_create(meshes[m], 0.4, 0.0, NULL, &grid, NULL);
            status = status ? status : ooze_distance_grid_surface(grid, &surface, NULL);
            ooze_memory_fail_after(0);
            ooze_mesh_free(surface);
            ooze_distance_grid_destroy(grid);
        }
        assert_int_equal(status, OOZE_OK);
        assert_true(n > 15);
    }
    ooze_mesh_free(ball);
    ooze_mesh_free(box);
}

static void winding_counts_turns(void **state)
{
    (void)state;
    OozeMesh *mesh = make_mesh(OOZE_SHAPE_TORUS, 0.5, 1.0, 0.03);
    OozeMeshTree *tree = NULL;
    CHECK_OK(ooze_mesh_tree_create(mesh, &tree, &error));
    OozeShape *shape = make_shape(OOZE_SHAPE_TORUS, 0.5, 1.0);
    double worst = 0.0;
    for (uint64_t i = 0; i < 5000; i++) {
        OozeVec3 p = random_point(i, 0.7);
        double d = ooze_shape_distance(shape, p, NULL);
        if (fabs(d) > 0.002) {
            worst = fmax(worst, fabs(ooze_mesh_tree_winding(tree, p) - (d < 0.0)));
        }
    }
    MEASURED("worst error of the winding number", worst, 0.0, 0.1);
    ooze_shape_destroy(shape);
    ooze_mesh_tree_destroy(tree);
    ooze_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere_matches_closed_form),
        cmocka_unit_test(torus_matches_closed_form),
        cmocka_unit_test(normal_is_the_gradient),
        cmocka_unit_test(memory_is_proportional_to_the_surface),
        cmocka_unit_test(far_from_the_origin),
        cmocka_unit_test(one_flipped_triangle),
        cmocka_unit_test(one_missing_triangle),
        cmocka_unit_test(several_missing_triangles_and_inside_out),
        cmocka_unit_test(pieces_add_up),
        cmocka_unit_test(open_box_is_a_shell),
        cmocka_unit_test(open_pipe_is_a_shell),
        cmocka_unit_test(thin_sheet_does_not_leak),
        cmocka_unit_test(too_fine_a_grid_is_refused_with_its_size),
        cmocka_unit_test(nodes_have_the_distance_of_the_nearest_triangle),
        cmocka_unit_test(threads_compute_the_same_bits),
        cmocka_unit_test(no_memory_leaks_nothing),
        cmocka_unit_test(winding_counts_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
