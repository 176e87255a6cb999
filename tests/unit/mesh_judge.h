/* An independent judge of triangle meshes: closed, 2-manifold, consistently oriented. It does
   not depend on how they were made. */
#ifndef OOZE_TESTS_MESH_JUDGE_H
#define OOZE_TESTS_MESH_JUDGE_H

#include <stdlib.h>

#include "ooze/surface.h"

typedef struct MeshVerdict {
    uint64_t open_edges;     /* directed edges without their opposite */
    uint64_t repeated_edges; /* directed edges of more than one triangle: three or more meet, or two
                                triangles are turned against each other */
    uint64_t pinched;        /* vertices whose triangles form more than one ring */
    uint64_t unused;         /* vertices of no triangle */
    uint64_t flat;           /* triangles with a corner twice */
    uint64_t wrong;          /* indices out of range, numbers that are not */
    int64_t euler;           /* vertices - edges + triangles: 2 for each ball */
} MeshVerdict;

typedef struct JudgeEdge {
    uint32_t from, to, third;
} JudgeEdge;

static inline int judge_compare(const void *a, const void *b)
{
    const JudgeEdge *x = a, *y = b;
    if (x->from != y->from) {
        return x->from < y->from ? -1 : 1;
    }
    return (x->to > y->to) - (x->to < y->to);
}

/* The edges that leave a vertex, by turning from triangle to triangle: all of them in one ring? */
static inline bool judge_ring(const JudgeEdge *edges, uint64_t first, uint64_t end)
{
    uint32_t at = edges[first].third;
    uint64_t seen = 1;
    while (at != edges[first].to && seen <= end - first) {
        JudgeEdge wanted = {edges[first].from, at, 0};
        const JudgeEdge *next =
            bsearch(&wanted, edges + first, end - first, sizeof *edges, judge_compare);
        if (!next) {
            return false;
        }
        at = next->third;
        seen++;
    }
    return seen == end - first;
}

static inline MeshVerdict judge_mesh(const OozeSurface *mesh)
{
    MeshVerdict verdict = {0};
    uint64_t count = 3 * mesh->triangle_count;
    JudgeEdge *edges = malloc((count + 1) * sizeof *edges);
    for (uint64_t k = 0; k < 3 * mesh->vertex_count; k++) {
        float length = 0.0f;
        for (int a = 0; a < 3 && k % 3 == 0; a++) {
            length += mesh->normals[k + (uint64_t)a] * mesh->normals[k + (uint64_t)a];
        }
        verdict.wrong += !isfinite(mesh->positions[k]) || !isfinite(mesh->velocities[k]) ||
                         (k % 3 == 0 && !(fabsf(length - 1.0f) < 1e-4f));
    }
    for (uint64_t k = 0; k < count; k++) {
        const uint32_t *t = mesh->triangles + k / 3 * 3;
        edges[k] = (JudgeEdge){t[k % 3], t[(k + 1) % 3], t[(k + 2) % 3]};
        verdict.wrong += t[k % 3] >= mesh->vertex_count;
        verdict.flat += k % 3 == 0 && (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]);
    }
    qsort(edges, count, sizeof *edges, judge_compare);
    for (uint64_t k = 0; k < count; k++) {
        JudgeEdge back = {edges[k].to, edges[k].from, 0};
        verdict.open_edges += !bsearch(&back, edges, count, sizeof *edges, judge_compare);
        verdict.repeated_edges += k > 0 && judge_compare(&edges[k - 1], &edges[k]) == 0;
    }
    uint64_t vertices = 0;
    for (uint64_t k = 0, end; k < count; k = end) {
        for (end = k; end < count && edges[end].from == edges[k].from;) {
            end++;
        }
        vertices++;
        verdict.pinched += !judge_ring(edges, k, end);
    }
    verdict.unused = mesh->vertex_count - vertices;
    verdict.euler =
        (int64_t)mesh->vertex_count - (int64_t)(count / 2) + (int64_t)mesh->triangle_count;
    free(edges);
    return verdict;
}

/* Fails with what is wrong. */
#define CHECK_SOUND_MESH(mesh)                                                                     \
    do {                                                                                           \
        MeshVerdict judged = judge_mesh(mesh);                                                     \
        if (judged.open_edges || judged.repeated_edges || judged.pinched || judged.unused ||       \
            judged.flat || judged.wrong) {                                                         \
            fail_msg("%llu triangles: %llu open edges, %llu repeated, %llu pinched vertices, "     \
                     "%llu unused, %llu flat triangles, %llu wrong numbers",                       \
                     (unsigned long long)(mesh)->triangle_count,                                   \
                     (unsigned long long)judged.open_edges,                                        \
                     (unsigned long long)judged.repeated_edges,                                    \
                     (unsigned long long)judged.pinched, (unsigned long long)judged.unused,        \
                     (unsigned long long)judged.flat, (unsigned long long)judged.wrong);           \
        }                                                                                          \
    } while (0)

#endif
