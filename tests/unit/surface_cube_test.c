/* The derived case table: closed and 2-manifold for any pattern of signs. */
#include "check.h"
#include "mesh_judge.h"
#include "surface/cube.h"
#include "surface_frame.h"

static bool crosses(int inside, int edge)
{
    int low = ooze_cube_edge_corner(edge), high = low | 1 << ooze_cube_edge_axis(edge);
    return (inside >> low & 1) != (inside >> high & 1);
}

/* Every crossed edge has a vertex and no other has. */
static void test_vertices_lie_on_crossed_edges(void **state)
{
    (void)state;
    OozeCubeTable table;
    ooze_cube_table(&table);
    for (int inside = 0; inside < 256; inside++) {
        bool used[OOZE_CUBE_EDGES] = {false};
        assert_true(table.count[inside] <= OOZE_CUBE_TRIANGLES_MAX);
        for (int k = 0; k < 3 * table.count[inside]; k++) {
            used[table.edges[inside][k]] = true;
        }
        for (int edge = 0; edge < OOZE_CUBE_EDGES; edge++) {
            assert_int_equal(used[edge], crosses(inside, edge));
        }
    }
}

/* One inside corner: a triangle seen counter-clockwise from outside, that is, away from the
   corner. */
static void test_triangles_face_outwards(void **state)
{
    (void)state;
    OozeCubeTable table;
    ooze_cube_table(&table);
    for (int corner = 0; corner < 8; corner++) {
        assert_int_equal(table.count[1 << corner], 1);
        double p[3][3], away = 0.0;
        for (int k = 0; k < 3; k++) {
            int edge = table.edges[1 << corner][k], from = ooze_cube_edge_corner(edge);
            for (int a = 0; a < 3; a++) {
                p[k][a] = (from >> a & 1) + (a == ooze_cube_edge_axis(edge) ? 0.5 : 0.0);
            }
        }
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            double n = (p[1][b] - p[0][b]) * (p[2][c] - p[0][c]) -
                       (p[1][c] - p[0][c]) * (p[2][b] - p[0][b]);
            away += n * (p[0][a] - (corner >> a & 1));
        }
        assert_true(away > 0.0);
    }
}

enum { SIDE = 9, NODES = SIDE * SIDE * SIDE };

static uint32_t node(int x, int y, int z)
{
    return (uint32_t)((z * SIDE + y) * SIDE + x);
}

/* Triangles of a grid of signs, vertices numbered by grid edge. */
static uint64_t mesh_signs(const OozeCubeTable *table, const uint8_t *inside, uint32_t *triangles)
{
    uint64_t count = 0;
    for (int z = 0; z + 1 < SIDE; z++) {
        for (int y = 0; y + 1 < SIDE; y++) {
            for (int x = 0; x + 1 < SIDE; x++) {
                int pattern = 0;
                for (int c = 0; c < 8; c++) {
                    pattern |= inside[node(x + (c & 1), y + (c >> 1 & 1), z + (c >> 2))] << c;
                }
                for (int k = 0; k < 3 * table->count[pattern]; k++) {
                    int edge = table->edges[pattern][k], c = ooze_cube_edge_corner(edge);
                    triangles[count++] = 3 * node(x + (c & 1), y + (c >> 1 & 1), z + (c >> 2)) +
                                         (uint32_t)ooze_cube_edge_axis(edge);
                }
            }
        }
    }
    return count / 3;
}

/* Noise meets every pair of patterns that can share a face, ambiguous ones above all. */
static void test_noise_gives_a_closed_manifold(void **state)
{
    (void)state;
    OozeCubeTable table;
    ooze_cube_table(&table);
    uint8_t *inside = calloc(NODES, 1);
    uint32_t *triangles = malloc(NODES * 15 * sizeof *triangles);
    float *zero = calloc(9 * NODES, sizeof *zero), *up = calloc(9 * NODES, sizeof *up);
    for (int k = 0; k < 3 * NODES; k++) {
        up[3 * k] = 1.0f;
    }
    for (int draw = 0; draw < 60; draw++) {
        double share = 0.1 + 0.8 * draw / 59.0;
        for (int z = 1; z + 1 < SIDE; z++) {
            for (int y = 1; y + 1 < SIDE; y++) {
                for (int x = 1; x + 1 < SIDE; x++) {
                    inside[node(x, y, z)] = ooze_random01(9, node(x, y, z), (uint64_t)draw) < share;
                }
            }
        }
        OozeSurface mesh = {.vertex_count = 3 * NODES,
                            .positions = zero,
                            .velocities = zero,
                            .normals = up,
                            .triangles = triangles};
        mesh.triangle_count = mesh_signs(&table, inside, triangles);
        MeshVerdict verdict = judge_mesh(&mesh);
        assert_true(mesh.triangle_count > 200);
        assert_int_equal(verdict.open_edges, 0);
        assert_int_equal(verdict.repeated_edges, 0);
        assert_int_equal(verdict.pinched, 0);
        assert_int_equal(verdict.flat + verdict.wrong, 0);
    }
    free(inside);
    free(triangles);
    free(zero);
    free(up);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vertices_lie_on_crossed_edges),
        cmocka_unit_test(test_triangles_face_outwards),
        cmocka_unit_test(test_noise_gives_a_closed_manifold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
