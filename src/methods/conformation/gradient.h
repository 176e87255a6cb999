/* The gather every formulation begins with, along the edges of the beginning of the step. */
#ifndef OOZE_METHODS_CONFORMATION_GRADIENT_H
#define OOZE_METHODS_CONFORMATION_GRADIENT_H

#include "methods/conformation/workspace.h"

/* sum V (u_j - u_i) g^T, before correction; the last lanes hold the same with |W'|/r for g. Walls count
   with their velocity when `moving_walls`, as if at rest otherwise (search directions), but for those of dynamic
   solids. */
static inline OozeRows ooze_raw_rows(const OozeConformationStep *s, const OozeFour *u, uint64_t i,
                                     bool moving_walls)
{
    const OozeNeighbours *walls = s->context->fluid_boundary;
    OozeRows rows = ooze_rows_outer(u[i], -s->edge_sum[i], ooze_rows_zero());
    rows = ooze_edges_outer(&s->edges, u, i, rows);
    const OozeFloat4 *moving = moving_walls ? s->context->boundary->velocity
                               : s->coupled ? s->coupled->way
                                            : NULL;
    if (moving && s->context->boundary->count) {
        for (uint64_t e = walls->first[i], last = e + walls->count[i]; e < last; e++) {
            OozeFour v = ooze_four_load(&moving[walls->index[e]].x);
            rows = ooze_rows_outer(v, s->wall_edge[e], rows);
        }
    }
    return rows;
}

static inline OozeMat3 ooze_raw_gradient(const OozeConformationStep *s, const OozeFour *u,
                                         uint64_t i, OozeFour *weighted, bool moving_walls)
{
    OozeRows rows = ooze_raw_rows(s, u, i, moving_walls);
    *weighted = ooze_four_lasts(rows.row[0], rows.row[1], rows.row[2], ooze_four(0, 0, 0, 0));
    return ooze_rows_matrix(rows);
}

#endif
