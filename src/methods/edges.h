/* The pairs of a step as every gather sees them: from each particle to each of its neighbours an edge
   g = f (x_ji, 1) with a weight f, the same from both ends. Only the weight is kept, the rest follows from
   positions: reading them again costs no more time than reading 16 bytes an edge, and on many cores, which
   wait for memory, a third of it.

   Lists are padded to four with particle n, whose weight is 0: all that is gathered has an element n, which
   only must be finite. */
#ifndef OOZE_METHODS_EDGES_H
#define OOZE_METHODS_EDGES_H

#include "base/memory.h"
#include "methods/four.h"
#include "methods/rows.h"
#include "particles/neighbours.h"

typedef struct OozeEdges {
    const OozeNeighbours *list;
    const OozeFour *x; /* n + 1; last lane 1 */
    float *weight;     /* per list entry, 0 where it is padding */
    OozeBox box;
    bool periodic;
} OozeEdges;

/* Memory for what is gathered: n elements and four zero ones after them. */
void *ooze_gathered_alloc(OozeArena *arena, uint64_t n, size_t size);

/* A particle as the near end of its edges. */
static inline OozeFour ooze_near_end(const OozeEdges *edges, uint64_t i)
{
    OozeFour x = edges->x[i];
    x[3] = 0;
    return x;
}

/* The edge of list entry e, without its weight: (x_ji, 1). */
static inline OozeFour ooze_way(const OozeEdges *edges, OozeFour near_end, uint64_t e,
                                bool periodic)
{
    OozeFour d = edges->x[edges->list->index[e]] - near_end;
    return periodic ? ooze_four_image(d, edges->box) : d;
}

/* Entry e of the list of particle i. */
static inline OozeFour ooze_edge_at(const OozeEdges *edges, uint64_t i, uint64_t e)
{
    return edges->weight[e] * ooze_way(edges, ooze_near_end(edges, i), e, edges->periodic);
}

/* Adds u_j g^T over all neighbours. Edges join two sums in turn: one chain of additions would wait for
   itself. */
static inline OozeRows ooze_edges_outer_on(const OozeEdges *edges, const OozeFour *u, uint64_t i,
                                           OozeRows rows, bool periodic)
{
    const uint32_t *index = edges->list->index;
    OozeFour x = ooze_near_end(edges, i);
    OozeRows other = ooze_rows_zero();
    for (uint64_t e = edges->list->first[i], last = edges->list->first[i + 1]; e < last; e += 4) {
        OozeFour f = ooze_four_load(edges->weight + e);
        OozeFour a = ooze_way(edges, x, e, periodic) * f[0];
        OozeFour b = ooze_way(edges, x, e + 1, periodic) * f[1];
        OozeFour c = ooze_way(edges, x, e + 2, periodic) * f[2];
        OozeFour d = ooze_way(edges, x, e + 3, periodic) * f[3];
        rows = ooze_rows_outer(u[index[e]], a, rows);
        other = ooze_rows_outer(u[index[e + 1]], b, other);
        rows = ooze_rows_outer(u[index[e + 2]], c, rows);
        other = ooze_rows_outer(u[index[e + 3]], d, other);
    }
    return ooze_rows_add(rows, other);
}

static inline OozeRows ooze_edges_outer(const OozeEdges *edges, const OozeFour *u, uint64_t i,
                                        OozeRows rows)
{
    return edges->periodic ? ooze_edges_outer_on(edges, u, i, rows, true)
                           : ooze_edges_outer_on(edges, u, i, rows, false);
}

/* sum flux_j g: what the neighbours hand to a particle along its edges. */
static inline OozeFour ooze_edges_flux_on(const OozeEdges *edges, const OozeRows *flux, uint64_t i,
                                          bool periodic)
{
    const uint32_t *index = edges->list->index;
    OozeFour x = ooze_near_end(edges, i), none = {0};
    OozeRows sum[2] = {ooze_rows_zero(), ooze_rows_zero()};
    for (uint64_t e = edges->list->first[i], last = edges->list->first[i + 1]; e < last; e += 4) {
        OozeFour f = ooze_four_load(edges->weight + e);
        for (int k = 0; k < 4; k++) {
            OozeFour g = ooze_way(edges, x, e + (uint64_t)k, periodic) * f[k];
            const OozeRows *from = &flux[index[e + (uint64_t)k]];
            OozeRows *to = &sum[k % 2];
            for (int axis = 0; axis < 3; axis++) {
                to->row[axis] = ooze_four_fma(from->row[axis], g, to->row[axis]);
            }
        }
    }
    OozeRows all = ooze_rows_add(sum[0], sum[1]);
    return ooze_four_sums(all.row[0], all.row[1], all.row[2], none);
}

static inline OozeFour ooze_edges_flux(const OozeEdges *edges, const OozeRows *flux, uint64_t i)
{
    return edges->periodic ? ooze_edges_flux_on(edges, flux, i, true)
                           : ooze_edges_flux_on(edges, flux, i, false);
}

#endif
