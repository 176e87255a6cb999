#include "surface/cube.h"

#include <stdbool.h>
#include <string.h>

void ooze_cube_face(int face, int corners[4])
{
    int axis = face / 2, side = face & 1, u = (axis + 1) % 3, v = (axis + 2) % 3;
    int base = side << axis;
    const int cycle[4] = {base, base | 1 << u, base | 1 << u | 1 << v, base | 1 << v};
    for (int k = 0; k < 4; k++) {
        corners[k] = cycle[side ? k : 3 - k];
    }
}

int ooze_cube_find_edge(int a, int b)
{
    for (int edge = 0; edge < OOZE_CUBE_EDGES; edge++) {
        int low = ooze_cube_edge_corner(edge), high = low | 1 << ooze_cube_edge_axis(edge);
        if ((a == low && b == high) || (a == high && b == low)) {
            return edge;
        }
    }
    return -1;
}

static bool share_face(int edge_a, int edge_b)
{
    for (int face = 0; face < 6; face++) {
        int axis = face / 2, side = face & 1;
        bool a = ooze_cube_edge_axis(edge_a) != axis &&
                 (ooze_cube_edge_corner(edge_a) >> axis & 1) == side;
        bool b = ooze_cube_edge_axis(edge_b) != axis &&
                 (ooze_cube_edge_corner(edge_b) >> axis & 1) == side;
        if (a && b) {
            return true;
        }
    }
    return false;
}

/* next[e]: the edge that the surface's boundary connects to the vertex on edge e. On a face it
   leads from an edge where the cycle of corners enters the inside to one where it leaves it; of two
   such pairs, an entry is joined with the exit before it, which keeps the inside corners connected.
   */
static void link_edges(int inside, int next[OOZE_CUBE_EDGES])
{
    for (int face = 0; face < 6; face++) {
        int c[4];
        ooze_cube_face(face, c);
        for (int k = 0; k < 4; k++) {
            int before = c[(k + 3) % 4];
            if (!(inside >> c[k] & 1) || (inside >> before & 1)) {
                continue;
            }
            int entry = ooze_cube_find_edge(before, c[k]);
            for (int back = 1; back <= 4; back++) { /* the last inside corner before this entry */
                int last = c[(k + 4 - back) % 4], after = c[(k + 5 - back) % 4];
                if (inside >> last & 1 && !(inside >> after & 1)) {
                    next[entry] = ooze_cube_find_edge(last, after);
                    break;
                }
            }
        }
    }
}

/* Splits the polygon loop[first..last] into triangles whose chords lie in no face; the chord from
   last to first is given. */
static bool split_loop(const int *loop, int first, int last, uint8_t *triangles, int *count)
{
    if (last - first < 2) {
        return true;
    }
    for (int apex = first + 1; apex < last; apex++) {
        if ((apex > first + 1 && share_face(loop[first], loop[apex])) ||
            (apex < last - 1 && share_face(loop[apex], loop[last]))) {
            continue;
        }
        int kept = *count;
        triangles[3 * kept] = (uint8_t)loop[first];
        triangles[3 * kept + 1] = (uint8_t)loop[apex];
        triangles[3 * kept + 2] = (uint8_t)loop[last];
        *count = kept + 1;
        if (split_loop(loop, first, apex, triangles, count) &&
            split_loop(loop, apex, last, triangles, count)) {
            return true;
        }
        *count = kept;
    }
    return false;
}

void ooze_cube_table(OozeCubeTable *table)
{
    memset(table, 0, sizeof *table);
    for (int inside = 0; inside < 256; inside++) {
        int next[OOZE_CUBE_EDGES], count = 0;
        for (int edge = 0; edge < OOZE_CUBE_EDGES; edge++) {
            next[edge] = -1;
        }
        link_edges(inside, next);
        for (int edge = 0; edge < OOZE_CUBE_EDGES; edge++) {
            int loop[OOZE_CUBE_EDGES], length = 0;
            for (int at = edge; at >= 0 && next[at] >= 0;) {
                int to = next[at];
                loop[length++] = at;
                next[at] = -1;
                at = to;
            }
            split_loop(loop, 0, length - 1, table->edges[inside], &count);
        }
        table->count[inside] = (uint8_t)count;
    }
}
