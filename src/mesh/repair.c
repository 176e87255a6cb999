#include "mesh/repair.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/vec3.h"

#define NONE UINT32_MAX

static OozeVec3 area_vector(OozeVec3 a, OozeVec3 b, OozeVec3 c)
{
    return vec3_scale(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)), 0.5);
}

static OozeVec3 triangle_area_vector(const OozeMesh *mesh, uint64_t t)
{
    return area_vector(ooze_mesh_corner(mesh, t, 0), ooze_mesh_corner(mesh, t, 1),
                       ooze_mesh_corner(mesh, t, 2));
}

/* Number of half-edges of the edge that begins at index i. */
static uint64_t group_size(const OozeHalfEdge *edges, uint64_t i, uint64_t count)
{
    uint64_t n = 1;
    while (i + n < count && edges[i + n].low == edges[i].low &&
           edges[i + n].high == edges[i].high) {
        n++;
    }
    return n;
}

/* ---- orientation ---------------------------------------------------------------------------- */

enum { UNSEEN, KEEP, FLIP };

typedef struct Orienting {
    OozeMesh *mesh;
    uint32_t *across; /* corner -> the corner of the opposite half-edge, or NONE */
    uint8_t *state;   /* of triangles */
    uint32_t *queue;  /* triangles of the current component */
} Orienting;

static void pair_half_edges(const OozeMesh *mesh, const OozeHalfEdge *edges, uint32_t *across)
{
    uint64_t count = 3 * mesh->triangle_count;
    memset(across, 0xff, count * sizeof *across);
    for (uint64_t i = 0, n; i < count; i += n) {
        n = group_size(edges, i, count);
        if (n == 2) {
            across[edges[i].corner] = edges[i + 1].corner;
            across[edges[i + 1].corner] = edges[i].corner;
        }
    }
}

/* Both half-edges begin at the same vertex: the triangles are oriented differently. */
static bool disagree(const OozeMesh *mesh, uint32_t corner, uint32_t other)
{
    return mesh->triangles[corner] == mesh->triangles[other];
}

/* Traverses the component of `seed`; false where it cannot be oriented. */
static bool walk_component(Orienting *work, uint32_t seed, uint64_t *size, double area[3])
{
    uint64_t head = 0, tail = 0;
    bool orientable = true;
    work->queue[tail++] = seed;
    work->state[seed] = KEEP;
    while (head < tail) {
        uint32_t t = work->queue[head++];
        area[work->state[t]] += vec3_length(triangle_area_vector(work->mesh, t));
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t corner = 3 * t + k, other = work->across[corner];
            if (other == NONE) {
                continue;
            }
            bool flip = disagree(work->mesh, corner, other);
            uint8_t wanted = flip ? (uint8_t)(KEEP + FLIP - work->state[t]) : work->state[t];
            uint8_t *state = &work->state[other / 3];
            if (*state == UNSEEN) {
                *state = wanted;
                work->queue[tail++] = other / 3;
            }
            orientable = orientable && *state == wanted;
        }
    }
    *size = tail;
    return orientable;
}

static void orient_components(Orienting *work)
{
    for (uint64_t seed = 0; seed < work->mesh->triangle_count; seed++) {
        if (work->state[seed] != UNSEEN) {
            continue;
        }
        uint64_t size = 0;
        double area[3] = {0};
        bool orientable = walk_component(work, (uint32_t)seed, &size, area);
        uint8_t flipped = area[FLIP] > area[KEEP] ? KEEP : FLIP;
        for (uint64_t i = 0; i < size; i++) {
            uint8_t *state = &work->state[work->queue[i]];
            *state = orientable && *state == flipped ? FLIP : KEEP;
        }
    }
    for (uint64_t t = 0; t < work->mesh->triangle_count; t++) {
        uint32_t *corners = work->mesh->triangles + 3 * t, second = corners[1];
        if (work->state[t] == FLIP) {
            corners[1] = corners[2];
            corners[2] = second;
        }
    }
}

OozeStatus ooze_mesh_orient(OozeMesh *mesh, OozeError *error)
{
    OozeHalfEdge *edges = NULL;
    OozeStatus status = ooze_mesh_edges(mesh, &edges, error);
    if (status) {
        return status;
    }
    Orienting work = {.mesh = mesh};
    work.across = ooze_alloc(3 * mesh->triangle_count, sizeof *work.across);
    work.state = ooze_alloc_zero(mesh->triangle_count, sizeof *work.state);
    work.queue = ooze_alloc(mesh->triangle_count, sizeof *work.queue);
    if (!work.across || !work.state || !work.queue) {
        status = ooze_fail_memory(error, "orienting a mesh", 17 * mesh->triangle_count);
    } else {
        pair_half_edges(mesh, edges, work.across);
        orient_components(&work);
        status = ooze_mesh_check_watertight(mesh, error);
    }
    ooze_free(edges);
    ooze_free(work.across);
    ooze_free(work.state);
    ooze_free(work.queue);
    return status;
}

/* ---- closing gaps --------------------------------------------------------------------------- */

typedef struct Closing {
    const OozeMesh *mesh;
    OozeMeshBuild build;
    uint64_t *first;   /* of each vertex's unpaired outgoing half-edges, then one past */
    uint32_t *to;      /* their end vertices */
    uint64_t *taken;   /* of each vertex: number traversed */
    uint32_t *path;    /* vertices of the current walk */
    uint32_t *on_path; /* index of a vertex on it, or NONE */
    double surface, area, largest;
    OozeError *error;
} Closing;

/* Visits each half-edge without an opposite: counts them per vertex, or fills `to`. */
static void collect_rims(Closing *work, const OozeHalfEdge *edges, bool fill)
{
    uint64_t count = 3 * work->mesh->triangle_count;
    for (uint64_t i = 0, n; i < count; i += n) {
        n = group_size(edges, i, count);
        int64_t surplus = 0;
        for (uint64_t k = 0; k < n; k++) {
            surplus += ooze_half_edge_forward(work->mesh, &edges[i + k]) ? 1 : -1;
        }
        uint32_t from = surplus > 0 ? edges[i].low : edges[i].high;
        uint32_t to = surplus > 0 ? edges[i].high : edges[i].low;
        for (int64_t k = surplus < 0 ? -surplus : surplus; k > 0; k--) {
            if (fill) {
                work->to[work->first[from] + work->taken[from]++] = to;
            } else {
                work->first[from + 1]++;
            }
        }
    }
}

/* Half of the area projected along n. */
static double projected_area(const OozeMesh *mesh, OozeVec3 n)
{
    double sum = 0.0;
    for (uint64_t t = 0; t < mesh->triangle_count; t++) {
        sum += fabs(vec3_dot(triangle_area_vector(mesh, t), n));
    }
    return 0.5 * sum;
}

/* Fills the hole that a loop of vertices bounds with a fan of triangles around its centre. */
static OozeStatus close_loop(Closing *work, const uint32_t *loop, uint64_t count)
{
    const OozeVec3 *v = work->mesh->vertices;
    OozeVec3 centre = {0}, total_area = {0};
    for (uint64_t i = 0; i < count; i++) {
        centre = vec3_madd(centre, 1.0 / (double)count, v[loop[i]]);
    }
    double area = 0.0;
    uint32_t middle = (uint32_t)work->build.vertex_count;
    OozeStatus status =
        count == 3 ? OOZE_OK : ooze_mesh_build_vertex(&work->build, centre, work->error);
    for (uint64_t i = 0; !status && i < count; i++) {
        uint32_t a = loop[i], b = loop[(i + 1) % count];
        OozeVec3 triangle = area_vector(v[b], v[a], centre);
        area += vec3_length(triangle);
        total_area = vec3_add(total_area, triangle);
        if (count > 3) {
            status = ooze_mesh_build_triangle(&work->build, b, a, middle, work->error);
        }
    }
    if (!status && count == 3) {
        status = ooze_mesh_build_triangle(&work->build, loop[1], loop[0], loop[2], work->error);
    }
    work->area += area;
    if (area > 1e-3 * work->surface && work->area < work->surface) {
        double projected = projected_area(work->mesh, vec3_unit(total_area, vec3(0, 0, 0)));
        work->largest = fmax(work->largest, projected > 0.0 ? area / projected : INFINITY);
    }
    return status;
}

/* Every vertex has as many incoming as outgoing rim edges, so that a walk can only end where it
   began; a loop is closed whenever the walk meets itself. */
static OozeStatus walk_rims(Closing *work)
{
    OozeStatus status = OOZE_OK;
    for (uint64_t start = 0; !status && start < work->mesh->vertex_count; start++) {
        uint64_t length = 1;
        work->path[0] = (uint32_t)start;
        work->on_path[start] = 0;
        while (!status) {
            uint32_t at = work->path[length - 1];
            uint64_t next_rim = work->first[at] + work->taken[at];
            if (next_rim >= work->first[at + 1]) {
                break;
            }
            work->taken[at]++;
            uint32_t next = work->to[next_rim];
            if (work->on_path[next] == NONE) {
                work->on_path[next] = (uint32_t)length;
                work->path[length++] = next;
                continue;
            }
            uint32_t begin = work->on_path[next];
            status = close_loop(work, work->path + begin, length - begin);
            while (length > (uint64_t)begin + 1) {
                work->on_path[work->path[--length]] = NONE;
            }
        }
        while (length > 0) {
            work->on_path[work->path[--length]] = NONE;
        }
    }
    return status;
}

static OozeStatus prepare_rims(Closing *work, const OozeHalfEdge *edges)
{
    uint64_t vertices = work->mesh->vertex_count;
    work->first = ooze_alloc_zero(vertices + 1, sizeof *work->first);
    work->taken = ooze_alloc_zero(vertices, sizeof *work->taken);
    work->path = ooze_alloc(vertices, sizeof *work->path);
    work->on_path = ooze_alloc(vertices, sizeof *work->on_path);
    if (!work->first || !work->taken || !work->path || !work->on_path) {
        return ooze_fail_memory(work->error, "the gaps of a mesh", 24 * vertices);
    }
    memset(work->on_path, 0xff, vertices * sizeof *work->on_path);
    collect_rims(work, edges, false);
    for (uint64_t v = 0; v < vertices; v++) {
        work->first[v + 1] += work->first[v];
    }
    work->to = ooze_alloc(work->first[vertices], sizeof *work->to);
    if (!work->to) {
        return ooze_fail_memory(work->error, "the gaps of a mesh", 4 * work->first[vertices]);
    }
    collect_rims(work, edges, true);
    memset(work->taken, 0, vertices * sizeof *work->taken);
    return OOZE_OK;
}

OozeStatus ooze_mesh_close(const OozeMesh *mesh, OozeMesh **closed, OozeMeshGaps *gaps,
                           OozeError *error)
{
    Closing work = {.mesh = mesh, .error = error, .surface = ooze_mesh_area(mesh)};
    OozeHalfEdge *edges = NULL;
    *closed = NULL;
    OozeStatus status = ooze_mesh_edges(mesh, &edges, error);
    status = status ? status : prepare_rims(&work, edges);
    ooze_free(edges);
    if (!status) {
        status =
            ooze_mesh_build_reserve(&work.build, mesh->vertex_count, mesh->triangle_count, error);
    }
    if (!status) {
        work.build.name = "the closed mesh";
        memcpy(work.build.vertices, mesh->vertices, mesh->vertex_count * sizeof *mesh->vertices);
        memcpy(work.build.triangles, mesh->triangles,
               3 * mesh->triangle_count * sizeof *mesh->triangles);
        work.build.vertex_count = mesh->vertex_count;
        work.build.triangle_count = mesh->triangle_count;
        status = walk_rims(&work);
    }
    ooze_free(work.first);
    ooze_free(work.to);
    ooze_free(work.taken);
    ooze_free(work.path);
    ooze_free(work.on_path);
    *gaps = (OozeMeshGaps){work.area, work.largest};
    if (status) {
        ooze_mesh_build_free(&work.build);
        return status;
    }
    return ooze_mesh_build_finish(&work.build, closed, error);
}
