/* The two gathers every formulation is made of, along the edges of the beginning of the step. */
#ifndef OOZE_METHODS_CONFORMATION_GRADIENT_H
#define OOZE_METHODS_CONFORMATION_GRADIENT_H

#include "methods/conformation/workspace.h"
#include "methods/rows.h"

/* sum V (u_j - u_i) g^T, before correction; the last lanes hold the same with |W'|/r for g. Walls count
   with their velocity when `moving_walls`, as if at rest otherwise (search directions). Edges join two
   sums in turn: one chain of additions would wait for itself. */
static inline OozeRows ooze_raw_rows(const OozeConformationStep *s, const OozeFour *u, uint64_t i,
                                     bool moving_walls)
{
    const OozeNeighbours *list = s->context->fluid, *walls = s->context->fluid_boundary;
    const OozeFour *edge = s->edge + list->first[i];
    const uint32_t *index = list->index + list->first[i];
    uint32_t count = list->count[i], k = 0;
    OozeRows rows = ooze_rows_outer(u[i], -s->edge_sum[i], ooze_rows_zero());
    OozeRows other = ooze_rows_zero();
    for (; k + 2 <= count; k += 2) {
        rows = ooze_rows_outer(u[index[k]], edge[k], rows);
        other = ooze_rows_outer(u[index[k + 1]], edge[k + 1], other);
    }
    if (k < count) {
        rows = ooze_rows_outer(u[index[k]], edge[k], rows);
    }
    if (moving_walls && s->context->boundary->count) {
        for (uint64_t e = walls->first[i], last = e + walls->count[i]; e < last; e++) {
            OozeFour v = ooze_four_load(&s->context->boundary->velocity[walls->index[e]].x);
            other = ooze_rows_outer(v, s->wall_edge[e], other);
        }
    }
    return ooze_rows_add(rows, other);
}

static inline OozeMat3 ooze_raw_gradient(const OozeConformationStep *s, const OozeFour *u,
                                         uint64_t i, OozeFour *weighted, bool moving_walls)
{
    OozeRows rows = ooze_raw_rows(s, u, i, moving_walls);
    *weighted = ooze_four_lasts(rows.row[0], rows.row[1], rows.row[2], ooze_four(0, 0, 0, 0));
    return ooze_rows_matrix(rows);
}

/* base + sum flux_j g: the divergence of a stress, once base holds flux_i sum g. The rows of a flux are
   what a particle hands to its neighbours along the edges: stress times correction, with a fourth
   lane for what rides on |W'|/r. */
static inline OozeFour ooze_divergence(const OozeNeighbours *list, const OozeFour *edge,
                                       const OozeRows *flux, OozeFour base, uint64_t i)
{
    const uint32_t *index = list->index + list->first[i];
    uint32_t count = list->count[i];
    OozeRows sum = ooze_rows_zero();
    edge += list->first[i];
    for (uint32_t k = 0; k < count; k++) {
        const OozeRows *f = &flux[index[k]];
        for (int axis = 0; axis < 3; axis++) {
            sum.row[axis] = ooze_four_fma(f->row[axis], edge[k], sum.row[axis]);
        }
    }
    return base + ooze_four_sums(sum.row[0], sum.row[1], sum.row[2], ooze_four(0, 0, 0, 0));
}

#endif
