/* The two gathers every formulation is made of, along the edges of the beginning of the step. */
#ifndef OOZE_METHODS_CONFORMATION_GRADIENT_H
#define OOZE_METHODS_CONFORMATION_GRADIENT_H

#include "methods/conformation/workspace.h"

/* sum V (u_j - u_i) g^T, before correction; `weighted` is the same with |W'|/r for g. Walls count with
   their velocity when `moving_walls`, as if at rest otherwise (search directions). */
static inline OozeMat3 ooze_raw_gradient(const OozeConformationStep *s, const OozeFour *u,
                                         uint64_t i, OozeFour *weighted, bool moving_walls)
{
    const OozeNeighbours *list = s->context->fluid, *walls = s->context->fluid_boundary;
    OozeFour rx = {0}, ry = {0}, rz = {0};
    for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
        OozeFour g = s->edge[e], v = u[list->index[e]];
        rx += v[0] * g;
        ry += v[1] * g;
        rz += v[2] * g;
    }
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

/* base + sum flux_j g: the divergence of a stress, once base holds flux_i sum g. */
static inline OozeFour ooze_divergence(const OozeNeighbours *list, const OozeFour *edge,
                                       const OozeFlux *flux, OozeFour base, uint64_t i)
{
    OozeFour ax = {0}, ay = {0}, az = {0};
    for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
        OozeFour g = edge[e];
        const OozeFlux *f = &flux[list->index[e]];
        ax += f->row[0] * g;
        ay += f->row[1] * g;
        az += f->row[2] * g;
    }
    base[0] += (ax[0] + ax[1]) + (ax[2] + ax[3]);
    base[1] += (ay[0] + ay[1]) + (ay[2] + ay[3]);
    base[2] += (az[0] + az[1]) + (az[2] + az[3]);
    return base;
}

#endif
