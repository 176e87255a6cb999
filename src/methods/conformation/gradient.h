/* The two gathers every formulation is made of, along the edges of the beginning of the step. */
#ifndef OOZE_METHODS_CONFORMATION_GRADIENT_H
#define OOZE_METHODS_CONFORMATION_GRADIENT_H

#include "methods/conformation/workspace.h"

/* Three sums of products of four lanes. Edges are added to two of them in turn: one chain of additions
   would wait for itself. */
typedef struct OozeRows {
    OozeFour x, y, z;
} OozeRows;

static inline OozeRows ooze_rows_add(OozeRows a, OozeRows b)
{
    OozeRows sum = {a.x + b.x, a.y + b.y, a.z + b.z};
    return sum;
}

/* rows += v g^T */
static inline OozeRows ooze_rows_outer(OozeFour v, OozeFour g, OozeRows rows)
{
    rows.x = OOZE_FOUR_FMA_LANE(v, 0, g, rows.x);
    rows.y = OOZE_FOUR_FMA_LANE(v, 1, g, rows.y);
    rows.z = OOZE_FOUR_FMA_LANE(v, 2, g, rows.z);
    return rows;
}

/* sum V (u_j - u_i) g^T, before correction; `weighted` is the same with |W'|/r for g. Walls count with
   their velocity when `moving_walls`, as if at rest otherwise (search directions). */
static inline OozeMat3 ooze_raw_gradient(const OozeConformationStep *s, const OozeFour *u,
                                         uint64_t i, OozeFour *weighted, bool moving_walls)
{
    const OozeNeighbours *list = s->context->fluid, *walls = s->context->fluid_boundary;
    const OozeFour *edge = s->edge + list->first[i];
    const uint32_t *index = list->index + list->first[i];
    uint32_t count = list->count[i], k = 0;
    OozeRows rows = {{0}, {0}, {0}}, other = rows;
    for (; k + 2 <= count; k += 2) {
        rows = ooze_rows_outer(u[index[k]], edge[k], rows);
        other = ooze_rows_outer(u[index[k + 1]], edge[k + 1], other);
    }
    if (k < count) {
        rows = ooze_rows_outer(u[index[k]], edge[k], rows);
    }
    rows = ooze_rows_add(rows, other);
    OozeFour rx = rows.x, ry = rows.y, rz = rows.z;
    if (moving_walls && s->context->boundary->count) {
        for (uint64_t e = walls->first[i], last = e + walls->count[i]; e < last; e++) {
            OozeFour g = s->wall_edge[e];
            OozeFloat4 v = s->context->boundary->velocity[walls->index[e]];
            rx += v.x * g;
            ry += v.y * g;
            rz += v.z * g;
        }
    }
    OozeFour own = u[i], sum = s->edge_sum[i];
    rx -= own[0] * sum;
    ry -= own[1] * sum;
    rz -= own[2] * sum;
    *weighted = ooze_four(rx[3], ry[3], rz[3], 0);
    OozeMat3 m = {{rx[0], rx[1], rx[2], ry[0], ry[1], ry[2], rz[0], rz[1], rz[2]}};
    return m;
}

/* One row each of what a particle hands to its neighbours along the edges: stress times correction,
   with a fourth lane for what rides on |W'|/r. */
typedef struct OozeFlux {
    OozeFour row[3];
} OozeFlux;

/* rows += flux g, lane by lane */
static inline OozeRows ooze_flux_add(const OozeFlux *flux, OozeFour g, OozeRows rows)
{
    rows.x = ooze_four_fma(flux->row[0], g, rows.x);
    rows.y = ooze_four_fma(flux->row[1], g, rows.y);
    rows.z = ooze_four_fma(flux->row[2], g, rows.z);
    return rows;
}

/* base + sum flux_j g: the divergence of a stress, once base holds flux_i sum g. */
static inline OozeFour ooze_divergence(const OozeNeighbours *list, const OozeFour *edge,
                                       const OozeFlux *flux, OozeFour base, uint64_t i)
{
    const uint32_t *index = list->index + list->first[i];
    uint32_t count = list->count[i], k = 0;
    OozeRows rows = {{0}, {0}, {0}}, other = rows;
    edge += list->first[i];
    for (; k + 2 <= count; k += 2) {
        rows = ooze_flux_add(&flux[index[k]], edge[k], rows);
        other = ooze_flux_add(&flux[index[k + 1]], edge[k + 1], other);
    }
    if (k < count) {
        rows = ooze_flux_add(&flux[index[k]], edge[k], rows);
    }
    rows = ooze_rows_add(rows, other);
    return base + ooze_four_sums(rows.x, rows.y, rows.z, ooze_four(0, 0, 0, 0));
}

#endif
