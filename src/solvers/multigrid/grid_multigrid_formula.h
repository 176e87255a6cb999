/* Cells, nodes and matrices of the grids of grid_multigrid.h. Valid C17 and CUDA.

   Corner k of a cell is at its upper end along x, y, z where bit 0, 1, 2 of k is set. A cell of a
   coarser grid has up to eight children. Its element matrix is 8 x 8, row by row: the energy of its
   particles as a quadratic form of the values at its corners. */
#ifndef OOZE_SOLVERS_MULTIGRID_GRID_MULTIGRID_FORMULA_H
#define OOZE_SOLVERS_MULTIGRID_GRID_MULTIGRID_FORMULA_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "physics/periodic.h"

enum {
    OOZE_MULTIGRID_LEVELS = 24,
    OOZE_MULTIGRID_DENSE = 64,   /* nodes of the coarsest grid, which is solved directly */
    OOZE_MULTIGRID_STENCIL = 27, /* a node and its neighbours, x fastest */
    OOZE_MULTIGRID_RUNS = 9      /* rows of three neighbours along x */
};
#define OOZE_MULTIGRID_NONE 0xffffffffu
/* omega of grid_multigrid.h. */
#define OOZE_GRID_MULTIGRID_OMEGA 1.2f

/* Extent of a grid. A periodic axis has as many nodes as cells, others have one more. */
typedef struct OozeMultigridShape {
    int32_t cells[3], nodes[3];
    bool wraps[3];
    bool halves[3]; /* cells of the next grid are twice as long along this axis */
} OozeMultigridShape;

/* Cells of the first grid along an axis: number = (x - origin) inverse, rounded down. */
typedef struct OozeMultigridAxis {
    double origin, inverse;
    int32_t cells;
    bool wraps;
} OozeMultigridAxis;

/* Largest number of cells along an axis. Particles beyond share the outermost cell. */
#define OOZE_MULTIGRID_CELLS_MAX 0x1p20
/* Edge of a cell of the first grid, in spacings. A mode of motion that the particles resolve and
   the grid does not is free of pressure (pressure_grid.h), so that cells must not be much smaller:
   with 1.6 a film on a slope of 0.2 % flows at 0.7 of theory. Larger ones resolve less. */
#define OOZE_MULTIGRID_EDGE 2.0
/* Cells begin this fraction of an edge below a multiple of the edge, so that particles of a lattice
   are not on their faces. */
#define OOZE_MULTIGRID_OFFSET 0.37

/* The axis for particles between low and high. */
OOZE_FORMULA OozeMultigridAxis ooze_multigrid_axis(double spacing, float low, float high,
                                                   double min, double length)
{
    OozeMultigridAxis axis;
    double edge = OOZE_MULTIGRID_EDGE * spacing, count = 1.0;
    axis.wraps = length > 0.0;
    axis.origin = min;
    if (axis.wraps) {
        count = floor(length / edge + 1e-3);
        count = count < OOZE_MULTIGRID_CELLS_MAX ? count : OOZE_MULTIGRID_CELLS_MAX;
        count = count >= 1.0 ? count : 1.0;
        axis.inverse = count / length;
    } else {
        double below = floor((double)low / edge + OOZE_MULTIGRID_OFFSET) - OOZE_MULTIGRID_OFFSET;
        axis.origin = below * edge;
        axis.inverse = 1.0 / edge;
        count = floor(((double)high - axis.origin) * axis.inverse) + 1.0;
        count = count < OOZE_MULTIGRID_CELLS_MAX ? count : OOZE_MULTIGRID_CELLS_MAX;
        count = count >= 1.0 ? count : 1.0; /* also where it is NaN */
    }
    axis.cells = (int32_t)count;
    return axis;
}

/* Cell of a coordinate and the fraction of the edge into it, 0 to 1. */
OOZE_FORMULA int32_t ooze_multigrid_cell(const OozeMultigridAxis *axis, float x, float *into)
{
    double q = ((double)x - axis->origin) * axis->inverse, last = (double)(axis->cells - 1);
    double q0 = q > 0.0 ? q : 0.0; /* also where q is NaN */
    int32_t cell = (int32_t)(q0 < last ? q0 : last);
    double t = q0 - (double)cell;
    *into = (float)(t < 1.0 ? t : 1.0);
    return cell;
}

OOZE_FORMULA OozeMultigridShape ooze_multigrid_shape(const int32_t cells[3], const bool wraps[3])
{
    OozeMultigridShape shape;
    for (int k = 0; k < 3; k++) {
        shape.cells[k] = cells[k];
        shape.wraps[k] = wraps[k];
        shape.nodes[k] = wraps[k] ? cells[k] : cells[k] + 1;
        shape.halves[k] = !wraps[k] || cells[k] > 1;
    }
    return shape;
}

OOZE_FORMULA OozeMultigridShape ooze_multigrid_coarser(const OozeMultigridShape *fine)
{
    int32_t cells[3];
    for (int k = 0; k < 3; k++) {
        cells[k] = fine->halves[k] ? (fine->cells[k] + 1) / 2 : fine->cells[k];
    }
    return ooze_multigrid_shape(cells, fine->wraps);
}

/* Number of a cell or node, x fastest, and its inverse. */
OOZE_FORMULA uint64_t ooze_multigrid_number(const int32_t count[3], const int32_t at[3])
{
    uint64_t row = (uint64_t)at[2] * (uint64_t)count[1] + (uint64_t)at[1];
    return row * (uint64_t)count[0] + (uint64_t)at[0];
}

OOZE_FORMULA void ooze_multigrid_place(const int32_t count[3], uint64_t number, int32_t at[3])
{
    uint64_t row = number / (uint64_t)count[0];
    at[0] = (int32_t)(number - row * (uint64_t)count[0]);
    at[2] = (int32_t)(row / (uint64_t)count[1]);
    at[1] = (int32_t)(row - (uint64_t)at[2] * (uint64_t)count[1]);
}

/* Bits of the largest number. */
OOZE_FORMULA int ooze_multigrid_bits(const int32_t count[3])
{
    uint64_t last = (uint64_t)count[0] * (uint64_t)count[1] * (uint64_t)count[2] - 1;
    int bits = 1;
    while (bits < 63 && last >> bits > 0) {
        bits++;
    }
    return bits;
}

/* Number of the node at a corner of the cell at[]. */
OOZE_FORMULA uint64_t ooze_multigrid_corner(const OozeMultigridShape *shape, const int32_t at[3],
                                            int corner)
{
    int32_t node[3];
    for (int k = 0; k < 3; k++) {
        node[k] = at[k] + (corner >> k & 1);
        node[k] = node[k] < shape->nodes[k] ? node[k] : 0;
    }
    return ooze_multigrid_number(shape->nodes, node);
}

/* Number of the parent of a cell, and the place of the cell in it: two bits an axis. Bit 0: the
   upper half; bit 1: the axis is not halved. The last cell of a periodic axis with an odd number of
   cells has a parent of its own, which is as long as it. */
OOZE_FORMULA uint64_t ooze_multigrid_parent(const OozeMultigridShape *fine,
                                            const OozeMultigridShape *coarse, uint64_t cell,
                                            uint8_t *place)
{
    int32_t at[3];
    int bits = 0;
    ooze_multigrid_place(fine->cells, cell, at);
    for (int k = 0; k < 3; k++) {
        bool alone = fine->wraps[k] && at[k] % 2 == 0 && at[k] + 1 == fine->cells[k];
        bits |= (fine->halves[k] && !alone ? at[k] & 1 : 2) << (2 * k);
        at[k] = fine->halves[k] ? at[k] / 2 : at[k];
    }
    *place = (uint8_t)bits;
    return ooze_multigrid_number(coarse->cells, at);
}

/* Coordinate of a corner of a child along axis k of its parent, in halves of the edge: 0 to 2. */
OOZE_FORMULA int ooze_multigrid_half(int child, int corner, int k)
{
    int bits = child >> (2 * k) & 3, upper = corner >> k & 1;
    return bits == 2 ? 2 * upper : bits + upper;
}

/* The same along all axes: two bits each. */
OOZE_FORMULA int ooze_multigrid_halves(int child, int corner)
{
    return ooze_multigrid_half(child, corner, 0) | ooze_multigrid_half(child, corner, 1) << 2 |
           ooze_multigrid_half(child, corner, 2) << 4;
}

/* Trilinear weight of a corner of a cell at such a place in it. */
OOZE_FORMULA float ooze_multigrid_half_weight(int halves, int corner)
{
    float weight = 1.0f;
    for (int k = 0; k < 3; k++) {
        float half = 0.5f * (float)(halves >> (2 * k) & 3);
        weight *= corner >> k & 1 ? half : 1.0f - half;
    }
    return weight;
}

/* Sums over the particles of a cell, of which the element matrix is a combination. With q(t) =
   ((1 - t)^2, t (1 - t), t^2, 0), the products of the linear functions of one axis:
   yz[4 k + j] = sum stiffness q_j(y) q_k(z), and so on; mass[12 k + 4 j + i] = sum mass q q q. The
   zeros make groups of four, for vector units. */
typedef struct OozeMultigridMoments {
    float yz[12], xz[12], xy[12], mass[36];
} OozeMultigridMoments;

OOZE_FORMULA void ooze_multigrid_squares(float t, float q[4])
{
    q[0] = (1.0f - t) * (1.0f - t);
    q[1] = t * (1.0f - t);
    q[2] = t * t;
    q[3] = 0.0f;
}

/* Adds a particle, `into` the cell. */
OOZE_FORMULA void ooze_multigrid_add_particle(OozeMultigridMoments *sum, const float into[3],
                                              float stiffness, float mass)
{
    float x[4], y[4], z[4];
    ooze_multigrid_squares(into[0], x);
    ooze_multigrid_squares(into[1], y);
    ooze_multigrid_squares(into[2], z);
    for (int k = 0; k < 3; k++) {
        float of_z = stiffness * z[k], of_y = stiffness * y[k];
        for (int j = 0; j < 4; j++) {
            sum->yz[4 * k + j] += of_z * y[j];
            sum->xz[4 * k + j] += of_z * x[j];
            sum->xy[4 * k + j] += of_y * x[j];
        }
    }
    if (mass > 0.0f) {
        for (int k = 0; k < 9; k++) {
            float yz = mass * z[k / 3] * y[k % 3];
            for (int j = 0; j < 4; j++) {
                sum->mass[4 * k + j] += yz * x[j];
            }
        }
    }
}

/* After the last particle, before the rows; inverse: 1 / edge along each axis. */
OOZE_FORMULA void ooze_multigrid_scale(OozeMultigridMoments *sum, const float inverse[3])
{
    for (int k = 0; k < 12; k++) {
        sum->yz[k] *= inverse[0] * inverse[0];
        sum->xz[k] *= inverse[1] * inverse[1];
        sum->xy[k] *= inverse[2] * inverse[2];
    }
}

/* Row `a` of the element matrix. */
OOZE_FORMULA void ooze_multigrid_element_row(const OozeMultigridMoments *sum, int a, float row[8])
{
    for (int b = 0; b < 8; b++) {
        int x = (a & 1) + (b & 1), y = (a >> 1 & 1) + (b >> 1 & 1), z = (a >> 2) + (b >> 2);
        float along_x = sum->yz[4 * z + y], along_y = sum->xz[4 * z + x];
        float along_z = sum->xy[4 * y + x];
        row[b] = (x == 1 ? -along_x : along_x) + (y == 1 ? -along_y : along_y) +
                 (z == 1 ? -along_z : along_z) + sum->mass[12 * z + 4 * y + x];
    }
}

/* Relations of the corners of a child to those of its parent, by the place of the child. */
enum { OOZE_MULTIGRID_PLACES = 64 };
typedef struct OozeMultigridChild {
    float weight[64];     /* 8 corner of the child + corner of the parent: trilinear weights */
    int8_t fine_slot[64]; /* likewise: see ooze_multigrid_fine_slot */
} OozeMultigridChild;

/* Adds a child to row `corner` of its parent's element matrix: P^T K P with P = weight. */
OOZE_FORMULA void ooze_multigrid_coarse_row(const float *element, const float *weight, int corner,
                                            float row[8])
{
    float v[8] = {0, 0, 0, 0, 0, 0, 0, 0}, sum[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (int a = 0; a < 8; a++) {
        float w = weight[8 * a + corner];
        for (int b = 0; b < 8; b++) {
            v[b] += w * element[8 * a + b];
        }
    }
    for (int a = 0; a < 8; a++) {
        float of = v[a];
        for (int b = 0; b < 8; b++) {
            sum[b] += of * weight[8 * a + b];
        }
    }
    for (int b = 0; b < 8; b++) {
        row[b] += sum[b];
    }
}

/* Place in a stencil of the node at a corner, for the node at corner 0. For the node at corner a
   the node at corner b is in place 13 + corner_slot(b) - corner_slot(a). */
OOZE_FORMULA int ooze_multigrid_corner_slot(int corner)
{
    return (corner & 1) + 3 * (corner >> 1 & 1) + 9 * (corner >> 2);
}

/* A row of the matrix of a grid: neighbours (OOZE_MULTIGRID_NONE: there is none) and coefficients.
   Sums over the cells around the node. */
typedef struct OozeMultigridRow {
    uint32_t node[OOZE_MULTIGRID_STENCIL];
    float coefficient[OOZE_MULTIGRID_STENCIL];
} OozeMultigridRow;

/* corner[0 .. count - 1]: the corners 8 cell + k at which the node is. */
OOZE_FORMULA void ooze_multigrid_row(const float *elements, const uint32_t *corner_node,
                                     const uint32_t *corner, uint32_t count, OozeMultigridRow *row)
{
    for (int s = 0; s < OOZE_MULTIGRID_STENCIL; s++) {
        row->node[s] = OOZE_MULTIGRID_NONE;
        row->coefficient[s] = 0.0f;
    }
    for (uint32_t e = 0; e < count; e++) {
        uint64_t cell = corner[e] / 8;
        int a = (int)(corner[e] % 8), first = 13 - ooze_multigrid_corner_slot(a);
        for (int b = 0; b < 8; b++) {
            int s = first + ooze_multigrid_corner_slot(b);
            row->node[s] = corner_node[8 * cell + (uint64_t)b];
            row->coefficient[s] += elements[64 * cell + (uint64_t)(8 * a + b)];
        }
    }
}

/* The row as runs of three consecutive nodes: nodes are numbered along x, so that the neighbours
   run[k] + 0, 1, 2 include those of row k along x that exist. A neighbour across a periodic x axis
   is outside of the run and stands in `across`. */
typedef struct OozeMultigridRuns {
    uint32_t run[OOZE_MULTIGRID_RUNS], across[OOZE_MULTIGRID_RUNS];
    float coefficient[3 * OOZE_MULTIGRID_RUNS], across_coefficient[OOZE_MULTIGRID_RUNS];
    bool crosses; /* some neighbour is in `across` */
} OozeMultigridRuns;

/* x: coordinate of the node; node[3 k + 1 + i], i = -1, 0, 1, is at x + i. */
OOZE_FORMULA void ooze_multigrid_runs(const OozeMultigridRow *row, const OozeMultigridShape *shape,
                                      int32_t x, OozeMultigridRuns *runs)
{
    bool low_wraps = shape->wraps[0] && x == 0;
    bool high_wraps = shape->wraps[0] && x == shape->nodes[0] - 1;
    runs->crosses = false;
    for (int k = 0; k < OOZE_MULTIGRID_RUNS; k++) {
        const uint32_t *node = row->node + 3 * k;
        uint32_t low = low_wraps ? OOZE_MULTIGRID_NONE : node[0];
        uint32_t high = high_wraps ? OOZE_MULTIGRID_NONE : node[2];
        uint32_t first = low < node[1] ? low : node[1];
        first = first < high ? first : high;
        runs->run[k] = first == OOZE_MULTIGRID_NONE ? 0 : first;
        runs->across[k] = 0;
        runs->across_coefficient[k] = 0.0f;
        runs->coefficient[3 * k] = runs->coefficient[3 * k + 1] = 0.0f;
        runs->coefficient[3 * k + 2] = 0.0f;
        for (int s = 0; s < 3; s++) {
            uint32_t place = node[s] - runs->run[k];
            if (node[s] != OOZE_MULTIGRID_NONE && place < 3) {
                runs->coefficient[3 * k + (int)place] += row->coefficient[3 * k + s];
            } else if (node[s] != OOZE_MULTIGRID_NONE) {
                runs->across[k] = node[s];
                runs->across_coefficient[k] = row->coefficient[3 * k + s];
                runs->crosses = true;
            }
        }
    }
}

/* 1 / sum of the magnitudes in a row: with this diagonal S the eigenvalues of S A are at most 1. */
OOZE_FORMULA float ooze_multigrid_inverse(const OozeMultigridRow *row)
{
    float sum = 0.0f;
    for (int s = 0; s < OOZE_MULTIGRID_STENCIL; s++) {
        sum += fabsf(row->coefficient[s]);
    }
    return sum > 1e-30f ? 1.0f / sum : 0.0f;
}

/* Place in the stencil of a coarse node, at corner `parent` of its cell, of the fine node at a
   corner of a child of that cell; -1: farther away than an edge of the fine grid. */
OOZE_FORMULA int ooze_multigrid_fine_slot(int child, int corner, int parent)
{
    int slot = 0, unit = 1;
    for (int k = 0; k < 3; k++, unit *= 3) {
        int offset = ooze_multigrid_half(child, corner, k) - 2 * (parent >> k & 1);
        if (offset < -1 || offset > 1) {
            return -1;
        }
        slot += unit * (offset + 1);
    }
    return slot;
}

OOZE_FORMULA void ooze_multigrid_child(int place, OozeMultigridChild *child)
{
    for (int k = 0; k < 64; k++) {
        child->weight[k] = ooze_multigrid_half_weight(ooze_multigrid_halves(place, k / 8), k % 8);
        child->fine_slot[k] = (int8_t)ooze_multigrid_fine_slot(place, k / 8, k % 8);
    }
}

/* Weight of the fine node in place `slot` of a coarse node's stencil: P^T. */
OOZE_FORMULA float ooze_multigrid_fine_weight(int slot)
{
    float x = slot % 3 == 1 ? 1.0f : 0.5f, y = slot / 3 % 3 == 1 ? 1.0f : 0.5f;
    return x * y * (slot / 9 == 1 ? 1.0f : 0.5f);
}

/* Damping of the smoother x' = x + OOZE_MULTIGRID_DAMPING S (b - A x), with one step before and one
   after the coarser grid: for eigenvalues of S A from 0.4 to 1. Chebyshev smoothers of degree 2 and
   3 need as many iterations: the error between particles and the first grid dominates. */
#define OOZE_MULTIGRID_DAMPING 1.43f

#endif
