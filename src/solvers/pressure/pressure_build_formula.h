/* Unknowns of the pressure grid, and their extension to ghosts and into walls, for one node. Valid
   C17 and CUDA. */
#ifndef OOZE_SOLVERS_PRESSURE_PRESSURE_BUILD_FORMULA_H
#define OOZE_SOLVERS_PRESSURE_PRESSURE_BUILD_FORMULA_H

#include "base/vec3.h"
#include "solvers/pressure/pressure_rows_formula.h"

enum { OOZE_PRESSURE_CENTRE = 13, OOZE_PRESSURE_ENTRIES = 256 };

OOZE_FORMULA const uint32_t *ooze_pressure_near(const OozePressureView *v, uint32_t a)
{
    return v->near + OOZE_MULTIGRID_STENCIL * (uint64_t)a;
}

/* ---- nodes around nodes ---- */

OOZE_FORMULA void ooze_pressure_find_near(const OozePressureView *v, uint32_t a)
{
    uint32_t *near = v->near + OOZE_MULTIGRID_STENCIL * (uint64_t)a;
    for (int s = 0; s < OOZE_MULTIGRID_STENCIL; s++) {
        near[s] = OOZE_MULTIGRID_NONE;
    }
    for (uint32_t e = v->node_first[a]; e < v->node_first[a + 1]; e++) {
        uint64_t cell = v->node_corner[e] / 8;
        int first = OOZE_PRESSURE_CENTRE - ooze_multigrid_corner_slot((int)(v->node_corner[e] % 8));
        for (int c = 0; c < 8; c++) {
            near[first + ooze_multigrid_corner_slot(c)] = v->corner_node[8 * cell + (uint64_t)c];
        }
    }
}

/* ---- unknowns ---- */

OOZE_FORMULA void ooze_pressure_find_kind(const OozePressureView *v, uint32_t a)
{
    const OozePressureSums *sums = &v->sums[a];
    float cell = v->edge[0] * v->edge[1] * v->edge[2];
    v->wall[a] = sums->wall;
    v->fill[a] = sums->weight * v->particle / cell / fmaxf(1.0f - sums->wall, 1e-3f);
    if (v->kind[a] != OOZE_PRESSURE_WALL) {
        v->kind[a] = v->fill[a] > OOZE_PRESSURE_CUT ? OOZE_PRESSURE_UNKNOWN : OOZE_PRESSURE_GHOST;
    }
}

/* Fluid wets this share of the walls at a node. */
OOZE_FORMULA void ooze_pressure_wet_walls(OozePressureSums *sums, float wet)
{
    sums->flux *= wet;
    sums->fixed *= wet;
    for (int k = 0; k < 3; k++) {
        sums->wall_gradient[k] *= wet;
        sums->wall_turn[k] *= wet;
    }
}

/* Full nodes are one cell farther inside than the nearest partly filled node along an axis. */
OOZE_FORMULA void ooze_pressure_find_distance(const OozePressureView *v, uint32_t a)
{
    const int along[6] = {12, 14, 10, 16, 4, 22};
    const uint32_t *near = ooze_pressure_near(v, a);
    float least = 2.0f;
    for (int s = 0; s < 6 && v->fill[a] > OOZE_PRESSURE_FULL; s++) {
        uint32_t o = near[along[s]];
        if (o != OOZE_MULTIGRID_NONE && v->kind[o] != OOZE_PRESSURE_WALL &&
            v->fill[o] <= OOZE_PRESSURE_FULL) {
            least = fminf(least, fmaxf(0.0f, ooze_pressure_distance(v->fill[o])));
        }
    }
    v->distance[a] = v->fill[a] > OOZE_PRESSURE_FULL
                         ? (least < 2.0f ? 1.0f + least : OOZE_PRESSURE_DEEP)
                         : ooze_pressure_distance(v->fill[a]);
}

/* ring: 1 at a ghost beside an unknown, else 0. */
OOZE_FORMULA void ooze_pressure_find_ring(const OozePressureView *v, uint32_t a)
{
    const uint32_t *near = ooze_pressure_near(v, a);
    bool beside = false;
    for (int s = 0; s < OOZE_MULTIGRID_STENCIL; s++) {
        beside = beside || (near[s] != OOZE_MULTIGRID_NONE && near[s] != a &&
                            v->kind[near[s]] == OOZE_PRESSURE_UNKNOWN);
    }
    v->ring[a] = v->kind[a] == OOZE_PRESSURE_GHOST && beside;
}

/* ---- rows of E ---- */

typedef struct OozePressureEntries {
    uint32_t count;
    uint32_t node[OOZE_PRESSURE_ENTRIES];
    float weight[OOZE_PRESSURE_ENTRIES];
} OozePressureEntries;

OOZE_FORMULA void ooze_pressure_add_entry(OozePressureEntries *to, uint32_t node, float weight)
{
    uint32_t k = 0;
    while (k < to->count && to->node[k] != node) {
        k++;
    }
    if (k < to->count) {
        to->weight[k] += weight;
    } else if (k < OOZE_PRESSURE_ENTRIES) {
        to->node[k] = node;
        to->weight[k] = weight;
        to->count++;
    }
}

/* Pressure over distance to the surface, by the unknowns around a ghost of the first ring. */
OOZE_FORMULA_CALL void ooze_pressure_add_slope(const OozePressureView *v, uint32_t a, float scale,
                                               OozePressureEntries *to)
{
    const uint32_t *near = ooze_pressure_near(v, a);
    float square = 0.0f;
    for (int pass = 0; pass < 2; pass++) {
        for (int s = 0; s < OOZE_MULTIGRID_STENCIL; s++) {
            uint32_t o = near[s];
            if (o == OOZE_MULTIGRID_NONE || v->kind[o] != OOZE_PRESSURE_UNKNOWN) {
                continue;
            }
            float d = v->distance[o];
            if (pass == 0) {
                square += d * d;
            } else {
                ooze_pressure_add_entry(to, o, scale * d / square);
            }
        }
    }
}

/* Ghosts: the distance beyond the surface times the slope there. */
OOZE_FORMULA_CALL void ooze_pressure_add_ghost(const OozePressureView *v, uint32_t a, float scale,
                                               OozePressureEntries *to)
{
    const uint32_t *near = ooze_pressure_near(v, a);
    float d = scale * v->distance[a];
    if (v->ring[a] == 1) {
        ooze_pressure_add_slope(v, a, d, to);
        return;
    }
    float count = 0.0f;
    for (int s = 0; s < OOZE_MULTIGRID_STENCIL; s++) {
        count += near[s] != OOZE_MULTIGRID_NONE && v->ring[near[s]] == 1 ? 1.0f : 0.0f;
    }
    for (int s = 0; s < OOZE_MULTIGRID_STENCIL; s++) {
        if (near[s] != OOZE_MULTIGRID_NONE && v->ring[near[s]] == 1) {
            ooze_pressure_add_slope(v, near[s], d / count, to);
        }
    }
}

OOZE_FORMULA void ooze_pressure_add_fluid_node(const OozePressureView *v, uint32_t a, float scale,
                                               OozePressureEntries *to)
{
    if (v->kind[a] == OOZE_PRESSURE_UNKNOWN) {
        ooze_pressure_add_entry(to, a, scale);
    } else {
        ooze_pressure_add_ghost(v, a, scale, to);
    }
}

/* Nodes inside walls: linear along the direction to a neighbour that is nearest to the normal. */
OOZE_FORMULA_CALL void ooze_pressure_add_wall_node(const OozePressureView *v, uint32_t a,
                                                   OozeVec3 normal, OozePressureEntries *to)
{
    const uint32_t *near = ooze_pressure_near(v, a);
    int best = -1;
    double most = -INFINITY;
    for (int s = 0; s < OOZE_MULTIGRID_STENCIL; s++) {
        if (near[s] == OOZE_MULTIGRID_NONE || s == OOZE_PRESSURE_CENTRE ||
            v->kind[near[s]] == OOZE_PRESSURE_WALL) {
            continue;
        }
        OozeVec3 e = vec3((s % 3 - 1) * (double)v->edge[0], (s / 3 % 3 - 1) * (double)v->edge[1],
                          (s / 9 - 1) * (double)v->edge[2]);
        double along = vec3_dot(e, normal) / vec3_length(e);
        if (along > most) {
            most = along;
            best = s;
        }
    }
    if (best < 0) {
        return;
    }
    uint32_t first = near[best], second = ooze_pressure_near(v, first)[best];
    bool has = second != OOZE_MULTIGRID_NONE && v->kind[second] != OOZE_PRESSURE_WALL;
    ooze_pressure_add_fluid_node(v, first, has ? 2.0f : 1.0f, to);
    if (has) {
        ooze_pressure_add_fluid_node(v, second, -1.0f, to);
    }
}

/* normal: out of the nearest wall. */
OOZE_FORMULA void ooze_pressure_find_entries(const OozePressureView *v, uint32_t a, OozeVec3 normal,
                                             OozePressureEntries *to)
{
    to->count = 0;
    if (v->kind[a] == OOZE_PRESSURE_WALL) {
        ooze_pressure_add_wall_node(v, a, normal, to);
    } else {
        ooze_pressure_add_fluid_node(v, a, 1.0f, to);
    }
}

/* ---- volume errors ---- */

/* ring: 1 at an unknown that no surface is beside: it may be too empty as well as too full. */
OOZE_FORMULA void ooze_pressure_find_inner(const OozePressureView *v, uint32_t a)
{
    const uint32_t *near = ooze_pressure_near(v, a);
    bool inner = v->kind[a] == OOZE_PRESSURE_UNKNOWN;
    for (int s = 0; s < OOZE_MULTIGRID_STENCIL && inner; s++) {
        inner = near[s] == OOZE_MULTIGRID_NONE || v->kind[near[s]] != OOZE_PRESSURE_GHOST;
    }
    v->ring[a] = inner;
}

OOZE_FORMULA float ooze_pressure_excess(const OozePressureView *v, uint32_t a)
{
    float open = fmaxf(1.0f - v->wall[a], 1e-3f);
    return (v->fill[a] - 1.0f) * open;
}

/* `value`: the error of an unknown, with that of the nodes inside walls that follow it. */
OOZE_FORMULA void ooze_pressure_find_error(const OozePressureView *v, uint32_t g)
{
    float sum = 0.0f;
    for (uint32_t k = v->column_first[g]; k < v->column_first[g + 1]; k++) {
        uint32_t a = v->column_node[k];
        float e = ooze_pressure_excess(v, a);
        if (a == g) {
            sum += e > 0.0f || v->ring[a] ? e : 0.0f;
        } else if (v->kind[a] == OOZE_PRESSURE_WALL) {
            bool all = true;
            for (uint32_t q = v->row_first[a]; q < v->row_first[a + 1]; q++) {
                all = all && v->ring[v->row_node[q]];
            }
            sum += all ? v->column_weight[k] * e : 0.0f;
        }
    }
    v->value[g] = v->idle[g] ? 0.0f : sum;
}

/* Hat functions sample disordered particles, and lattices that do not match the cells, with errors
   of some per cent, which a mean over the neighbours takes out. */
OOZE_FORMULA void ooze_pressure_smooth_error(const OozePressureView *v, uint32_t g)
{
    const uint32_t *near = ooze_pressure_near(v, g);
    float sum = 0.0f, weights = 0.0f;
    for (int s = 0; s < OOZE_MULTIGRID_STENCIL && !v->idle[g]; s++) {
        int off = (s % 3 != 1) + (s / 3 % 3 != 1) + (s / 9 != 1);
        float weight = 1.0f / (float)(1 << off);
        if (near[s] != OOZE_MULTIGRID_NONE && !v->idle[near[s]]) {
            sum += weight * v->value[near[s]];
            weights += weight;
        }
    }
    v->error[g] = weights > 0.0f ? sum / weights : 0.0f;
}

#endif
