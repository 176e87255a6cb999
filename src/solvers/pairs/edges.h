/* Edges of the neighbour lists: from each particle to each of its neighbours g = f (x_ji, 1) with a
   weight f that is the same from both ends. Only the weight is stored; the rest follows from
   positions, which costs no more time than reading 16 bytes an edge, and a third of it on many
   cores, where memory bandwidth limits.

   Lists are padded to a multiple of four with particle n, whose weight is 0: gathered arrays have
   an element n, which must be finite. */
#ifndef OOZE_SOLVERS_PAIRS_EDGES_H
#define OOZE_SOLVERS_PAIRS_EDGES_H

#include "base/memory.h"
#include "particles/neighbours.h"
#include "solvers/vectors/periodic_f32x4.h"
#include "solvers/vectors/rows.h"

typedef struct OozeEdges {
    const OozeNeighbours *list;
    const OozeF32x4 *x; /* n + 1; last lane 1 */
    float *weight;      /* per list entry, 0 where it is padding */
    OozeBox box;
    bool periodic;
} OozeEdges;

/* One float an edge, allocated once for many steps; starts as zero. */
typedef struct OozeEdgeMemory {
    float *values;
    uint64_t room;
} OozeEdgeMemory;

/* Room for so many, in the arena where `memory` is NULL; NULL: out of memory. Earlier values
   are lost. */
float *ooze_edge_values(OozeEdgeMemory *memory, OozeArena *arena, uint64_t edges);

/* A particle as the near end of its edges. */
static inline OozeF32x4 ooze_near_end(const OozeEdges *edges, uint64_t i)
{
    OozeF32x4 x = edges->x[i];
    x[3] = 0;
    return x;
}

/* The edge to one of the far ends x, without its weight: (x_ji, 1). */
static inline OozeF32x4 ooze_edge_delta(OozeF32x4 near_end, OozeF32x4 x, OozeBox box, bool periodic)
{
    OozeF32x4 d = x - near_end;
    return periodic ? ooze_f32x4_image(d, box) : d;
}

/* Entry e of the list of particle i. */
static inline OozeF32x4 ooze_edge_at(const OozeEdges *edges, uint64_t i, uint64_t e)
{
    OozeF32x4 far_end = edges->x[edges->list->index[e]];
    return edges->weight[e] *
           ooze_edge_delta(ooze_near_end(edges, i), far_end, edges->box, edges->periodic);
}

/* Adds u_j g^T over all neighbours. Edges join two sums in turn: one chain of additions would
   wait for itself. Compiled twice: `periodic` is a constant at each call. */
static inline OozeRows ooze_edges_outer_on(const OozeEdges *edges, const OozeF32x4 *u, uint64_t i,
                                           OozeRows rows, bool periodic)
{
    uint64_t first = edges->list->first[i];
    const uint32_t *j = edges->list->index + first, *last = j + edges->list->first[i + 1] - first;
    const float *weight = edges->weight + first;
    const OozeF32x4 *x = edges->x, near_end = ooze_near_end(edges, i);
    const OozeBox box = edges->box;
    OozeRows other = ooze_rows_zero();
    for (; j < last; j += 4, weight += 4) {
        OozeF32x4 f = ooze_f32x4_load(weight);
        OozeF32x4 a = ooze_edge_delta(near_end, x[j[0]], box, periodic) * f[0];
        OozeF32x4 b = ooze_edge_delta(near_end, x[j[1]], box, periodic) * f[1];
        OozeF32x4 c = ooze_edge_delta(near_end, x[j[2]], box, periodic) * f[2];
        OozeF32x4 d = ooze_edge_delta(near_end, x[j[3]], box, periodic) * f[3];
        rows = ooze_rows_outer(u[j[0]], a, rows);
        other = ooze_rows_outer(u[j[1]], b, other);
        rows = ooze_rows_outer(u[j[2]], c, rows);
        other = ooze_rows_outer(u[j[3]], d, other);
    }
    return ooze_rows_add(rows, other);
}

static inline OozeRows ooze_edges_outer(const OozeEdges *edges, const OozeF32x4 *u, uint64_t i,
                                        OozeRows rows)
{
    return edges->periodic ? ooze_edges_outer_on(edges, u, i, rows, true)
                           : ooze_edges_outer_on(edges, u, i, rows, false);
}

/* sum f a_j */
static inline float ooze_edges_sum(const OozeEdges *edges, const float *a, uint64_t i)
{
    uint64_t first = edges->list->first[i];
    const uint32_t *j = edges->list->index + first, *last = j + edges->list->first[i + 1] - first;
    const float *weight = edges->weight + first;
    OozeF32x4 sum = {0};
    for (; j < last; j += 4, weight += 4) {
        OozeF32x4 four = {a[j[0]], a[j[1]], a[j[2]], a[j[3]]};
        sum = ooze_f32x4_fma(ooze_f32x4_load(weight), four, sum);
    }
    return ooze_f32x4_sum(sum);
}

/* rows += the flux of a neighbour times g, lane by lane. */
static inline OozeRows ooze_rows_times(const OozeRows *flux, OozeF32x4 g, OozeRows rows)
{
    rows.row[0] = ooze_f32x4_fma(flux->row[0], g, rows.row[0]);
    rows.row[1] = ooze_f32x4_fma(flux->row[1], g, rows.row[1]);
    rows.row[2] = ooze_f32x4_fma(flux->row[2], g, rows.row[2]);
    return rows;
}

/* sum flux_j g over the edges of a particle. */
static inline OozeF32x4 ooze_edges_flux_on(const OozeEdges *edges, const OozeRows *flux, uint64_t i,
                                           bool periodic)
{
    uint64_t first = edges->list->first[i];
    const uint32_t *j = edges->list->index + first, *last = j + edges->list->first[i + 1] - first;
    const float *weight = edges->weight + first;
    const OozeF32x4 *x = edges->x, near_end = ooze_near_end(edges, i), none = {0};
    const OozeBox box = edges->box;
    OozeRows rows = ooze_rows_zero(), other = ooze_rows_zero();
    for (; j < last; j += 4, weight += 4) {
        OozeF32x4 f = ooze_f32x4_load(weight);
        OozeF32x4 a = ooze_edge_delta(near_end, x[j[0]], box, periodic) * f[0];
        OozeF32x4 b = ooze_edge_delta(near_end, x[j[1]], box, periodic) * f[1];
        OozeF32x4 c = ooze_edge_delta(near_end, x[j[2]], box, periodic) * f[2];
        OozeF32x4 d = ooze_edge_delta(near_end, x[j[3]], box, periodic) * f[3];
        rows = ooze_rows_times(&flux[j[0]], a, rows);
        other = ooze_rows_times(&flux[j[1]], b, other);
        rows = ooze_rows_times(&flux[j[2]], c, rows);
        other = ooze_rows_times(&flux[j[3]], d, other);
    }
    rows = ooze_rows_add(rows, other);
    return ooze_f32x4_row_sums(rows.row[0], rows.row[1], rows.row[2], none);
}

static inline OozeF32x4 ooze_edges_flux(const OozeEdges *edges, const OozeRows *flux, uint64_t i)
{
    return edges->periodic ? ooze_edges_flux_on(edges, flux, i, true)
                           : ooze_edges_flux_on(edges, flux, i, false);
}

#endif
