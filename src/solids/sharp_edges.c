#include "solids/sharp_edges.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

/* cos 40 degrees: a sphere cut into edges of a spacing stays smooth down to a radius of two. */
#define SHARP_COSINE 0.766

/* Angle defect of a sharp tip: 2 pi minus the angles around it (radians). */
#define TIP_DEFECT 0.8

typedef struct Side {
    uint32_t low, high; /* vertices */
    uint32_t triangle;
} Side;

typedef struct SharpEdge {
    uint32_t ends[2];
    OozeVec3 normal; /* mean of the triangles that meet there */
    bool done;
} SharpEdge;

typedef struct Wire {
    double nearest; /* least distance of two samples */
    const OozeMesh *mesh;
    OozeVec3 *triangle_normals;
    SharpEdge *edges;
    uint64_t count, capacity;
    uint64_t *first; /* edges at a vertex: entries first[v] .. first[v + 1] - 1 of `at` */
    uint32_t *at;
    uint8_t *corner;         /* by vertex */
    OozeVec3 *corner_normal; /* by vertex */
} Wire;

static int by_vertices(const void *a, const void *b)
{
    const Side *p = a, *q = b;
    if (p->low != q->low) {
        return p->low < q->low ? -1 : 1;
    }
    if (p->high != q->high) {
        return p->high < q->high ? -1 : 1;
    }
    return p->triangle < q->triangle ? -1 : p->triangle > q->triangle;
}

static OozeVec3 corner_of(const OozeMesh *mesh, uint64_t triangle, int k)
{
    return mesh->vertices[mesh->triangles[3 * triangle + (uint64_t)k]];
}

static OozeStatus add_edge(Wire *wire, const Side *side, OozeVec3 normal, OozeError *error)
{
    if (wire->count == wire->capacity) {
        uint64_t capacity = wire->capacity + wire->capacity / 2 + 256;
        SharpEdge *edges = ooze_grow(wire->edges, wire->count, capacity, sizeof *edges);
        if (!edges) {
            return ooze_fail_memory(error, "sharp edges", capacity * sizeof *edges);
        }
        wire->edges = edges;
        wire->capacity = capacity;
    }
    wire->edges[wire->count++] = (SharpEdge){{side->low, side->high}, normal, false};
    return OOZE_OK;
}

/* Edges with one triangle, more than two, or two at a sharp angle. */
static OozeStatus find_edges(Wire *wire, Side *sides, OozeError *error)
{
    const OozeMesh *mesh = wire->mesh;
    uint64_t n = 3 * mesh->triangle_count;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t a = mesh->triangles[i], b = mesh->triangles[i % 3 == 2 ? i - 2 : i + 1];
        sides[i] = (Side){a < b ? a : b, a < b ? b : a, (uint32_t)(i / 3)};
    }
    qsort(sides, n, sizeof *sides, by_vertices);
    for (uint64_t i = 0, end; i < n; i = end) {
        OozeVec3 normal = vec3(0, 0, 0);
        double cosine = 1.0;
        for (end = i; end < n && sides[end].low == sides[i].low && sides[end].high == sides[i].high;
             end++) {
            OozeVec3 other = wire->triangle_normals[sides[end].triangle];
            cosine = fmin(cosine, vec3_dot(wire->triangle_normals[sides[i].triangle], other));
            normal = vec3_add(normal, other);
        }
        if (end - i != 2 || cosine < SHARP_COSINE) {
            OozeStatus status =
                add_edge(wire, &sides[i],
                         vec3_unit(normal, wire->triangle_normals[sides[i].triangle]), error);
            if (status) {
                return status;
            }
        }
    }
    return OOZE_OK;
}

static OozeStatus index_edges(Wire *wire, OozeError *error)
{
    uint64_t vertices = wire->mesh->vertex_count;
    wire->first = ooze_alloc_zero(vertices + 2, sizeof *wire->first);
    wire->at = ooze_alloc(2 * wire->count, sizeof *wire->at);
    wire->corner = ooze_alloc_zero(vertices, 1);
    wire->corner_normal = ooze_alloc_zero(vertices, sizeof *wire->corner_normal);
    if (!wire->first || !wire->at || !wire->corner || !wire->corner_normal) {
        return ooze_fail_memory(error, "sharp edges", vertices * sizeof(uint64_t));
    }
    for (uint64_t i = 0; i < 2 * wire->count; i++) {
        wire->first[wire->edges[i / 2].ends[i % 2] + 2]++;
    }
    for (uint64_t v = 2; v < vertices + 2; v++) {
        wire->first[v] += wire->first[v - 1];
    }
    for (uint64_t i = 0; i < 2 * wire->count; i++) {
        wire->at[wire->first[wire->edges[i / 2].ends[i % 2] + 1]++] = (uint32_t)(i / 2);
    }
    return OOZE_OK;
}

static uint32_t other_end(const SharpEdge *edge, uint32_t vertex)
{
    return edge->ends[0] == vertex ? edge->ends[1] : edge->ends[0];
}

/* A chain of edges continues at a vertex where exactly two meet without a kink. */
static bool continues(const Wire *wire, uint64_t v)
{
    if (wire->first[v + 1] - wire->first[v] != 2) {
        return false;
    }
    const uint32_t *at = &wire->at[wire->first[v]];
    const OozeVec3 *x = wire->mesh->vertices;
    OozeVec3 in = vec3_sub(x[v], x[other_end(&wire->edges[at[0]], (uint32_t)v)]);
    OozeVec3 out = vec3_sub(x[other_end(&wire->edges[at[1]], (uint32_t)v)], x[v]);
    return vec3_dot(in, out) >= SHARP_COSINE * vec3_length(in) * vec3_length(out);
}

/* Corners: where sharp edges end, meet or bend, and tips such as a cone's. */
static OozeStatus find_corners(Wire *wire, OozeError *error)
{
    const OozeMesh *mesh = wire->mesh;
    double *angles = ooze_alloc_zero(mesh->vertex_count, sizeof *angles);
    if (!angles) {
        return ooze_fail_memory(error, "corners", mesh->vertex_count * sizeof *angles);
    }
    for (uint64_t t = 0; t < mesh->triangle_count; t++) {
        for (int k = 0; k < 3; k++) {
            OozeVec3 a = vec3_sub(corner_of(mesh, t, (k + 1) % 3), corner_of(mesh, t, k));
            OozeVec3 b = vec3_sub(corner_of(mesh, t, (k + 2) % 3), corner_of(mesh, t, k));
            double angle = atan2(vec3_length(vec3_cross(a, b)), vec3_dot(a, b));
            uint32_t v = mesh->triangles[3 * t + (uint64_t)k];
            angles[v] += angle;
            wire->corner_normal[v] =
                vec3_madd(wire->corner_normal[v], angle, wire->triangle_normals[t]);
        }
    }
    for (uint64_t v = 0; v < mesh->vertex_count; v++) {
        uint64_t meeting = wire->first[v + 1] - wire->first[v];
        bool tip = meeting == 0 && angles[v] > 0.0 && angles[v] < 6.283185307179586 - TIP_DEFECT;
        wire->corner[v] = tip || (meeting > 0 && !continues(wire, v));
    }
    ooze_free(angles);
    return OOZE_OK;
}

static OozeStatus place(OozePointSet *samples, OozeVec3 point, OozeVec3 normal, double nearest,
                        OozeError *error)
{
    if (ooze_point_set_has_near(samples, point, nearest)) {
        return OOZE_OK;
    }
    return ooze_point_set_add(samples, point, normal, error);
}

/* Follows edges from vertex `start` to a corner or back to the start. Returns the length; with
   `samples`, adds samples `step` apart, the first at one step (or at 0 on a loop). */
static double walk(Wire *wire, uint32_t start, uint32_t edge, double step, OozePointSet *samples,
                   OozeStatus *status, OozeError *error)
{
    double length = 0.0, due = wire->corner[start] ? step : 0.0;
    uint32_t v = start;
    for (;;) {
        SharpEdge *e = &wire->edges[edge];
        uint32_t to = other_end(e, v);
        OozeVec3 a = wire->mesh->vertices[v], ab = vec3_sub(wire->mesh->vertices[to], a);
        double size = vec3_length(ab);
        /* the last sample of a chain is the corner at its end, or the first of the loop */
        while (samples && !*status && due < length + size - 1e-6 * step) {
            double s = size > 0.0 ? (due - length) / size : 0.0;
            *status = place(samples, vec3_madd(a, s, ab), e->normal, wire->nearest, error);
            due += step;
        }
        e->done = samples != NULL;
        length += size;
        v = to;
        if (wire->corner[v] || v == start) {
            return length;
        }
        const uint32_t *at = &wire->at[wire->first[v]];
        edge = at[0] == edge ? at[1] : at[0];
    }
}

static OozeStatus sample_chain(Wire *wire, uint32_t start, uint32_t edge, double spacing,
                               OozePointSet *samples, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    double length = walk(wire, start, edge, 1.0, NULL, &status, error);
    double steps = fmax(wire->corner[start] ? 1.0 : 3.0, rint(length / spacing));
    walk(wire, start, edge, length / steps, samples, &status, error);
    return status;
}

static OozeStatus sample_wire(Wire *wire, double spacing, OozePointSet *samples, OozeError *error)
{
    const OozeMesh *mesh = wire->mesh;
    OozeStatus status = OOZE_OK;
    for (uint64_t v = 0; v < mesh->vertex_count && !status; v++) {
        if (wire->corner[v]) {
            OozeVec3 normal = vec3_unit(wire->corner_normal[v], vec3(0, 0, 1));
            status = place(samples, mesh->vertices[v], normal, wire->nearest, error);
        }
    }
    /* chains that begin at a corner, then loops without corners */
    for (int loops = 0; loops < 2; loops++) {
        for (uint64_t i = 0; i < 2 * wire->count && !status; i++) {
            uint32_t edge = (uint32_t)(i / 2), start = wire->edges[edge].ends[i % 2];
            if (!wire->edges[edge].done && (loops || wire->corner[start])) {
                status = sample_chain(wire, start, edge, spacing, samples, error);
            }
        }
    }
    return status;
}

OozeStatus ooze_sample_sharp_edges(const OozeMesh *mesh, double spacing, double nearest,
                                   OozePointSet *samples, OozeError *error)
{
    Wire wire;
    memset(&wire, 0, sizeof wire);
    wire.mesh = mesh;
    wire.nearest = nearest;
    wire.triangle_normals = ooze_alloc(mesh->triangle_count, sizeof *wire.triangle_normals);
    Side *sides = ooze_alloc(mesh->triangle_count, 3 * sizeof *sides);
    OozeStatus status = OOZE_OK;
    if (!wire.triangle_normals || !sides) {
        status = ooze_fail_memory(error, "sharp edges", mesh->triangle_count * 3 * sizeof *sides);
    }
    for (uint64_t t = 0; t < mesh->triangle_count && !status; t++) {
        OozeVec3 a = corner_of(mesh, t, 0);
        wire.triangle_normals[t] = vec3_unit(
            vec3_cross(vec3_sub(corner_of(mesh, t, 1), a), vec3_sub(corner_of(mesh, t, 2), a)),
            vec3(0, 0, 1));
    }
    if (!status) {
        status = find_edges(&wire, sides, error);
    }
    if (!status) {
        status = index_edges(&wire, error);
    }
    if (!status) {
        status = find_corners(&wire, error);
    }
    if (!status) {
        status = sample_wire(&wire, spacing, samples, error);
    }
    ooze_free(sides);
    ooze_free(wire.triangle_normals);
    ooze_free(wire.edges);
    ooze_free(wire.first);
    ooze_free(wire.at);
    ooze_free(wire.corner);
    ooze_free(wire.corner_normal);
    return status;
}
