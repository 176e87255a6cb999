/* Velocity gradients along the edges of the beginning of the step. */
#ifndef OOZE_METHODS_CONFORMATION_CPU_GRADIENT_H
#define OOZE_METHODS_CONFORMATION_CPU_GRADIENT_H

#include "methods/conformation/cpu/step.h"

/* sum (u_j - u_i) g^T, before correction; the last lanes hold sum f (u_j - u_i). With
   `moving_walls`, samples of walls have their velocity; otherwise (search directions) they are
   at rest, except for dynamic solids. */
static inline OozeRows ooze_raw_rows(const OozeConformationStep *s, const OozeF32x4 *u, uint64_t i,
                                     bool moving_walls)
{
    const OozeNeighbours *walls = s->context->fluid_boundary;
    OozeRows rows = ooze_rows_outer(u[i], -s->edge_sum[i], ooze_rows_zero());
    rows = ooze_edges_outer(s->own->edges, u, i, rows);
    const OozeFloat4 *moving = moving_walls       ? s->context->boundary->velocity
                               : s->own->coupling ? s->own->coupling->direction_velocity
                                                  : NULL;
    if (moving && s->context->boundary->count) {
        for (uint64_t e = walls->first[i], last = e + walls->count[i]; e < last; e++) {
            OozeF32x4 v = ooze_f32x4_load(&moving[walls->index[e]].x);
            rows = ooze_rows_outer(v, s->own->wall_edge[e], rows);
        }
    }
    return rows;
}

static inline OozeMat3 ooze_raw_gradient(const OozeConformationStep *s, const OozeF32x4 *u,
                                         uint64_t i, OozeF32x4 *weighted, bool moving_walls)
{
    OozeRows rows = ooze_raw_rows(s, u, i, moving_walls);
    *weighted =
        ooze_f32x4_last_lanes(rows.row[0], rows.row[1], rows.row[2], ooze_f32x4(0, 0, 0, 0));
    return ooze_rows_matrix(rows);
}

#endif
