/* Marching cubes of one block and one crossed edge. Shared by the processor and the GPU. */
#ifndef OOZE_SURFACE_MARCH_FORMULA_H
#define OOZE_SURFACE_MARCH_FORMULA_H

#include <math.h>

#include "surface/octant.h"

/* Least distance of a vertex from a node, in edges: a node on the surface gives small triangles
   rather than triangles without area. */
#define OOZE_MARCH_NEAREST 0.01f
/* Residual at which the search stops, over the difference along the edge. */
#define OOZE_MARCH_TOLERANCE 0.001f
enum { OOZE_MARCH_PASSES = 6 };
/* ---- triangles ---- */

/* Signs of 9 x 9 x 9 nodes: bit x of rows[z][y]. */
OOZE_FORMULA void ooze_march_signs(const OozeOctant *octant,
                                   uint32_t rows[OOZE_BLOCK_EDGE + 1][OOZE_BLOCK_EDGE + 1])
{
    for (int z = 0; z <= OOZE_BLOCK_EDGE; z++) {
        for (int y = 0; y <= OOZE_BLOCK_EDGE; y++) {
            int k = (y == OOZE_BLOCK_EDGE) << 1 | (z == OOZE_BLOCK_EDGE) << 2,
                shift = 8 * (y % OOZE_BLOCK_EDGE);
            uint64_t low = octant->block[k]->inside[z % OOZE_BLOCK_EDGE] >> shift & 0xff;
            uint64_t high = octant->block[k | 1]->inside[z % OOZE_BLOCK_EDGE] >> shift & 1;
            rows[z][y] = (uint32_t)(low | high << 8);
        }
    }
}

OOZE_FORMULA int ooze_march_case(uint32_t rows[OOZE_BLOCK_EDGE + 1][OOZE_BLOCK_EDGE + 1], int x,
                                 int y, int z)
{
    return (int)((rows[z][y] >> x & 3) | (rows[z][y + 1] >> x & 3) << 2 |
                 (rows[z + 1][y] >> x & 3) << 4 | (rows[z + 1][y + 1] >> x & 3) << 6);
}

/* True where a row of cells lies wholly on one side. */
OOZE_FORMULA bool ooze_march_one_sided(uint32_t rows[OOZE_BLOCK_EDGE + 1][OOZE_BLOCK_EDGE + 1],
                                       int y, int z)
{
    uint32_t any = rows[z][y] | rows[z][y + 1] | rows[z + 1][y] | rows[z + 1][y + 1];
    uint32_t all = rows[z][y] & rows[z][y + 1] & rows[z + 1][y] & rows[z + 1][y + 1];
    return any == 0 || all == 0x1ff;
}

/* Finds the crossed edges of a block and counts its triangles. */
OOZE_FORMULA void ooze_march_count(const OozeOctant *octant, const OozeCubeTable *table,
                                   OozeBlock *block)
{
    uint32_t rows[OOZE_BLOCK_EDGE + 1][OOZE_BLOCK_EDGE + 1];
    ooze_march_signs(octant, rows);
    for (int z = 0; z < OOZE_BLOCK_EDGE; z++) {
        for (int y = 0; y < OOZE_BLOCK_EDGE; y++) {
            const uint32_t here = rows[z][y];
            block->crossed[0][z] |= (uint64_t)((here ^ here >> 1) & 0xff) << 8 * y;
            block->crossed[1][z] |= (uint64_t)((here ^ rows[z][y + 1]) & 0xff) << 8 * y;
            block->crossed[2][z] |= (uint64_t)((here ^ rows[z + 1][y]) & 0xff) << 8 * y;
            for (int x = 0; x < OOZE_BLOCK_EDGE && !ooze_march_one_sided(rows, y, z); x++) {
                block->triangles += table->count[ooze_march_case(rows, x, y, z)];
            }
        }
    }
}

/* Numbers the vertices of the crossed edges of a block. */
OOZE_FORMULA void ooze_march_number(OozeBlock *block)
{
    for (int a = 0; a < 3; a++) {
        for (int z = 0; z < OOZE_BLOCK_EDGE; z++) {
            block->before[a][z] = (uint16_t)block->vertices;
            block->vertices += (uint32_t)ooze_count_bits(block->crossed[a][z]);
        }
    }
}

/* Writes the triangles of a block without extra vertices, three corners each. */
OOZE_FORMULA void ooze_march_connect(const OozeOctant *octant, const OozeCubeTable *table,
                                     uint32_t *corner)
{
    uint32_t rows[OOZE_BLOCK_EDGE + 1][OOZE_BLOCK_EDGE + 1];
    ooze_march_signs(octant, rows);
    for (int z = 0; z < OOZE_BLOCK_EDGE; z++) {
        for (int y = 0; y < OOZE_BLOCK_EDGE; y++) {
            for (int x = 0; x < OOZE_BLOCK_EDGE && !ooze_march_one_sided(rows, y, z); x++) {
                int pattern = ooze_march_case(rows, x, y, z);
                for (int k = 0; k < 3 * table->count[pattern]; k++) {
                    int edge = table->edges[pattern][k], low = ooze_cube_edge_corner(edge);
                    const int node[3] = {x + (low & 1), y + (low >> 1 & 1), z + (low >> 2)};
                    *corner++ = ooze_octant_vertex(octant, node, ooze_cube_edge_axis(edge));
                }
            }
        }
    }
}

/* ---- vertices ---- */

/* The cubic through the inner two of four values, with the slopes of their neighbours (Catmull and
   Rom 1974), less iso: coefficients from the constant up. */
OOZE_FORMULA void ooze_march_cubic(const float line[4], float iso, float c[4])
{
    const float m0 = 0.5f * (line[2] - line[0]), m1 = 0.5f * (line[3] - line[1]);
    const float step = line[2] - line[1];
    c[0] = line[1] - iso;
    c[1] = m0;
    c[2] = 3.0f * step - 2.0f * m0 - m1;
    c[3] = m0 + m1 - 2.0f * step;
}

OOZE_FORMULA float ooze_march_cubic_value(const float c[4], float t)
{
    return ((c[3] * t + c[2]) * t + c[1]) * t + c[0];
}

OOZE_FORMULA float ooze_march_keep_inside(float t)
{
    return t < OOZE_MARCH_NEAREST          ? OOZE_MARCH_NEAREST
           : t > 1.0f - OOZE_MARCH_NEAREST ? 1.0f - OOZE_MARCH_NEAREST
                                           : t;
}

/* Where a cubic with values of opposite signs at 0 and 1 is zero: false position, halving the
   weight of an end that stays (Dowell and Jarratt 1971, the Illinois rule). */
OOZE_FORMULA float ooze_march_root(const float c[4])
{
    float a = 0.0f, b = 1.0f, fa = c[0], fb = c[0] + c[1] + c[2] + c[3], t = 0.5f;
    int kept = 0;
    for (int pass = 0; pass < OOZE_MARCH_PASSES && a < b; pass++) {
        t = a + (b - a) * (fa / (fa - fb));
        float f = ooze_march_cubic_value(c, t);
        if (fabsf(f) <= OOZE_MARCH_TOLERANCE * fabsf(fa - fb)) {
            break;
        }
        if ((f > 0.0f) == (fa > 0.0f)) {
            a = t;
            fa = f;
            fb *= kept > 0 ? 0.5f : 1.0f;
            kept = 1;
        } else {
            b = t;
            fb = f;
            fa *= kept < 0 ? 0.5f : 1.0f;
            kept = -1;
        }
    }
    return ooze_march_keep_inside(t);
}

/* One secant step from t, where the field exceeds the level by f. The cubic c has the right sign at
   the ends: the correction of the value, zero there, is a parabola, whose slope is added to that of
   the cubic. `falls`: the field falls along the edge. */
OOZE_FORMULA float ooze_march_correct(const float c[4], float t, float f, bool falls)
{
    float bump = f / (t * (1.0f - t));
    float slope = c[1] + (2.0f * c[2] + 3.0f * c[3] * t) * t + bump * (1.0f - 2.0f * t);
    if ((slope < 0.0f) == falls && slope != 0.0f) {
        t = ooze_march_keep_inside(t - f / slope);
    }
    return t;
}

#endif
