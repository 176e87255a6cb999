#include "solids/local_sampling.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "solids/near_points.h"
#include "solids/shape_data.h"

/* All lengths are in spacings. */

/* Side of a leaf, which has one candidate, and the largest distance of a candidate from the surface
   before it is projected. */
#define LEAF 0.5
#define BAND 0.5
/* Candidates move at most this far by projection, and end this close to the surface. Thin sheets of
   a mesh may be missing in the interpolated distance, whose minimum is accepted instead. */
#define PROJECTION_MAX 1.0
#define RESIDUAL       1e-3
#define RESIDUAL_GRID  0.3
/* A candidate is on a sharp edge where the normal this far behind it differs by 20 degrees or
   more. */
#define EDGE_DEPTH      0.1
#define EDGE_DEPTH_GRID 0.5
#define EDGE_COSINE     0.94
/* Smallest distance of two samples on edges, and of a sample on an edge from others. */
#define EDGE_DISTANCE 0.72
/* Smallest distance of two other samples before relaxation: one sample per square spacing. */
#define FACE_DISTANCE 0.76
/* Side of the blocks of the greedy choice. */
#define BLOCK 0.84
/* Relaxation: range of the repulsion, distance below which it is stronger, step along it, largest
   movement of a round. */
#define RANGE     1.6
#define CORE      1.0
#define CORE_PUSH 1.0
#define STEP      0.3
#define MOVE_MAX  0.15
enum { ROUNDS = 4, PROJECTIONS = 4 };
/* Step out of a compound that tells its surface from faces where parts touch. */
#define SEAM_STEP 0.04

/* Place of each colour in the order of choice; bits 0, 1 and 2 of a colour are the parities of the
   block along x, y and z. A block depends on adjacent blocks of earlier colours, these on theirs;
   such a chain moves along an axis only where its parity changes, which in this order happens 4, 2
   and 1 times. With the block itself: the blocks on which the choice depends, along each axis. */
static const uint8_t colour_rank[8] = {0, 1, 3, 2, 7, 6, 4, 5};
static const double block_reach[3] = {5.0, 3.0, 2.0};

typedef struct Candidate {
    uint64_t priority;
    uint32_t point;
    uint8_t rank; /* of its block */
    bool edge, removed, chosen;
} Candidate;

/* Points of a tile and its surroundings, in the order of their cells. */
typedef struct Tile {
    const OozeShape *shape;
    double spacing;
    bool interpolated; /* the distance of a part, at least, is that of a mesh */
    OozeBounds bounds; /* of all candidates before they are projected */
    Candidate *candidates;
    OozeVec3 *points, *normals, *moved;
    uint64_t count, capacity;
    OozeNearPoints near;
    OozeError *error;
} Tile;

static bool is_interpolated(const OozeShape *shape)
{
    bool any = shape->grid != NULL;
    for (int k = 0; k < shape->part_count && !any; k++) {
        any = shape->parts[k].shape.grid != NULL;
    }
    return any;
}

static double distance_at(const Tile *t, OozeVec3 p, OozeVec3 *normal)
{
    return ooze_shape_distance(t->shape, vec3_scale(p, t->spacing), normal) / t->spacing;
}

/* ---- candidates ----------------------------------------------------------------------------- */

static OozeStatus grow(Tile *t)
{
    uint64_t capacity = 2 * t->capacity + 1024, n = t->count;
    Candidate *candidates = ooze_grow(t->candidates, n, capacity, sizeof *candidates);
    t->candidates = candidates ? candidates : t->candidates;
    OozeVec3 *points = ooze_grow(t->points, n, capacity, sizeof *points);
    t->points = points ? points : t->points;
    OozeVec3 *normals = ooze_grow(t->normals, n, capacity, sizeof *normals);
    t->normals = normals ? normals : t->normals;
    if (!candidates || !points || !normals) {
        return ooze_fail_memory(t->error, "surface samples", capacity * 3 * sizeof *points);
    }
    t->capacity = capacity;
    return OOZE_OK;
}

/* Projects a point on the surface, given its distance and normal; false: these do not lead there.
   */
static bool project(const Tile *t, OozeVec3 *point, double d, OozeVec3 *normal)
{
    OozeVec3 p = *point;
    for (int i = 0; i < PROJECTIONS && fabs(d) > 1e-5; i++) {
        p = vec3_madd(p, -d, *normal);
        d = distance_at(t, p, normal);
    }
    bool on_surface = fabs(d) <= (t->interpolated ? RESIDUAL_GRID : RESIDUAL) &&
                      vec3_length(vec3_sub(p, *point)) <= PROJECTION_MAX;
    *point = p;
    return on_surface;
}

/* Faces where parts of a compound touch have a distance of zero too. */
static bool is_seam(const Tile *t, OozeVec3 p, OozeVec3 normal)
{
    OozeVec3 ignored;
    double side = t->shape->inverted ? -1.0 : 1.0;
    return t->shape->parts &&
           side * distance_at(t, vec3_madd(p, side * SEAM_STEP, normal), &ignored) <=
               1e-3 * SEAM_STEP;
}

static bool is_on_edge(const Tile *t, OozeVec3 from, OozeVec3 p, OozeVec3 normal)
{
    OozeVec3 behind = vec3_unit(vec3_sub(p, from), normal), other;
    double depth = t->interpolated ? EDGE_DEPTH_GRID : EDGE_DEPTH;
    (void)distance_at(t, vec3_madd(p, depth, behind), &other);
    return fabs(vec3_dot(other, behind)) < EDGE_COSINE;
}

static uint8_t rank_of(OozeVec3 p)
{
    int64_t x = (int64_t)floor(p.x / BLOCK), y = (int64_t)floor(p.y / BLOCK);
    int64_t z = (int64_t)floor(p.z / BLOCK);
    return colour_rank[(x & 1) | (y & 1) << 1 | (z & 1) << 2];
}

static OozeStatus add_leaf(Tile *t, OozeVec3 middle)
{
    uint64_t hash = ooze_mix((uint64_t)(int64_t)floor(middle.x / LEAF));
    hash = ooze_mix(hash ^ (uint64_t)(int64_t)floor(middle.y / LEAF));
    hash = ooze_mix(hash ^ (uint64_t)(int64_t)floor(middle.z / LEAF));
    OozeVec3 jitter = vec3(ooze_random01(0, hash, 0) - 0.5, ooze_random01(0, hash, 1) - 0.5,
                           ooze_random01(0, hash, 2) - 0.5);
    OozeVec3 from = vec3_madd(middle, LEAF, jitter), p = from, normal;
    double d = distance_at(t, p, &normal);
    if (fabs(d) > BAND || !project(t, &p, d, &normal) || is_seam(t, p, normal)) {
        return OOZE_OK;
    }
    OozeStatus status = t->count == t->capacity ? grow(t) : OOZE_OK;
    if (!status) {
        uint64_t i = t->count++;
        t->points[i] = p;
        t->normals[i] = normal;
        t->candidates[i] = (Candidate){.priority = hash,
                                       .point = (uint32_t)i,
                                       .rank = rank_of(p),
                                       .edge = is_on_edge(t, from, p, normal)};
    }
    return status;
}

/* Candidates of a cube, in a fixed order, where it is near the surface. */
static OozeStatus add_cube(Tile *t, OozeVec3 middle, double side)
{
    OozeVec3 normal;
    double half = 0.5 * side;
    bool apart = middle.x + half < t->bounds.min.x || middle.x - half > t->bounds.max.x ||
                 middle.y + half < t->bounds.min.y || middle.y - half > t->bounds.max.y ||
                 middle.z + half < t->bounds.min.z || middle.z - half > t->bounds.max.z;
    if (apart) {
        return OOZE_OK;
    }
    if (side <= LEAF) {
        return add_leaf(t, middle);
    }
    if (fabs(distance_at(t, middle, &normal)) > sqrt(3.0) * half + BAND) {
        return OOZE_OK;
    }
    OozeStatus status = OOZE_OK;
    for (int k = 0; k < 8 && !status; k++) {
        OozeVec3 out = vec3(k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 0.5 : -0.5);
        status = add_cube(t, vec3_madd(middle, half, out), half);
    }
    return status;
}

/* Those within `bounds`, in the order of the keys of their cells. */
static OozeStatus add_candidates(Tile *t)
{
    const double cell = OOZE_CELL_STEPS;
    OozeVec3 low = t->bounds.min, high = t->bounds.max;
    OozeStatus status = OOZE_OK;
    for (double z = floor(low.z / cell); z * cell <= high.z; z += 1.0) {
        for (double y = floor(low.y / cell); y * cell <= high.y; y += 1.0) {
            for (double x = floor(low.x / cell); x * cell <= high.x && !status; x += 1.0) {
                status = add_cube(t, vec3_scale(vec3(x + 0.5, y + 0.5, z + 0.5), cell), cell);
            }
        }
    }
    return status;
}

/* ---- choice --------------------------------------------------------------------------------- */

static OozeStatus sort_points(Tile *t, double side)
{
    OozeBounds bounds = ooze_bounds_grow(t->bounds, PROJECTION_MAX + ROUNDS * 2.0 * MOVE_MAX);
    return ooze_near_points_sort(&t->near, t->points, t->count, &bounds, side, t->error);
}

static bool is_near(const Tile *t, uint64_t a, uint64_t b, double distance)
{
    OozeVec3 apart = vec3_sub(t->points[a], t->points[b]);
    return vec3_dot(apart, apart) < distance * distance;
}

/* Removes candidates beside an edge, which has its own. */
static void clear_edges(Tile *t)
{
    for (uint64_t i = 0; i < t->count; i++) {
        OozeNearWalk walk = ooze_near_walk(&t->near, t->points[i]);
        int64_t j;
        while (!t->candidates[i].edge && !t->candidates[i].removed &&
               (j = ooze_near_next(&walk)) >= 0) {
            t->candidates[i].removed =
                t->candidates[j].edge && is_near(t, i, (uint64_t)j, EDGE_DISTANCE);
        }
    }
}

static int by_priority(const void *a, const void *b)
{
    const Candidate *p = a, *q = b;
    if (p->rank != q->rank) {
        return p->rank < q->rank ? -1 : 1;
    }
    if (p->priority != q->priority) {
        return p->priority < q->priority ? -1 : 1;
    }
    return p->point < q->point ? -1 : p->point > q->point;
}

static bool has_chosen_near(const Tile *t, const Candidate *c)
{
    OozeNearWalk walk = ooze_near_walk(&t->near, t->points[c->point]);
    for (int64_t j = ooze_near_next(&walk); j >= 0; j = ooze_near_next(&walk)) {
        const Candidate *other = &t->candidates[j];
        double distance = c->edge ? EDGE_DISTANCE : FACE_DISTANCE;
        if (other->chosen && other->edge == c->edge &&
            is_near(t, c->point, (uint64_t)j, distance)) {
            return true;
        }
    }
    return false;
}

/* Keeps a maximal set without near pairs. */
static OozeStatus choose(Tile *t)
{
    Candidate *order = ooze_alloc(t->count + 1, sizeof *order);
    uint64_t kept = 0;
    if (!order) {
        return ooze_fail_memory(t->error, "surface samples", t->count * sizeof *order);
    }
    for (uint64_t i = 0; i < t->count; i++) {
        if (!t->candidates[i].removed) {
            order[kept++] = t->candidates[i];
        }
    }
    qsort(order, kept, sizeof *order, by_priority);
    for (uint64_t i = 0; i < kept; i++) {
        t->candidates[order[i].point].chosen = !has_chosen_near(t, &order[i]);
    }
    ooze_free(order);
    kept = 0;
    for (uint64_t i = 0; i < t->count; i++) {
        if (t->candidates[i].chosen) {
            t->points[kept] = t->points[i];
            t->normals[kept] = t->normals[i];
            t->candidates[kept++] = t->candidates[i];
        }
    }
    t->count = kept;
    return OOZE_OK;
}

/* ---- relaxation ----------------------------------------------------------------------------- */

static OozeVec3 repulsion(const Tile *t, uint64_t i)
{
    OozeVec3 force = vec3(0, 0, 0);
    OozeNearWalk walk = ooze_near_walk(&t->near, t->points[i]);
    for (int64_t j = ooze_near_next(&walk); j >= 0; j = ooze_near_next(&walk)) {
        OozeVec3 away = vec3_sub(t->points[i], t->points[j]);
        double square = vec3_dot(away, away);
        if (square < RANGE * RANGE && square > 0.0) {
            double distance = sqrt(square), push = 1.0 - distance / RANGE;
            push += distance < CORE ? CORE_PUSH * (CORE - distance) : 0.0;
            force = vec3_madd(force, push / distance, away);
        }
    }
    return vec3_madd(force, -vec3_dot(force, t->normals[i]), t->normals[i]);
}

static void relax_point(Tile *t, uint64_t i)
{
    OozeVec3 move = vec3_scale(repulsion(t, i), STEP), normal;
    double length = vec3_length(move);
    move = length > MOVE_MAX ? vec3_scale(move, MOVE_MAX / length) : move;
    OozeVec3 p = vec3_add(t->points[i], move);
    double d = distance_at(t, p, &normal);
    bool valid = project(t, &p, d, &normal) && !is_seam(t, p, normal) &&
                 vec3_length(vec3_sub(p, t->points[i])) <= 2.0 * MOVE_MAX;
    t->moved[i] = valid ? p : t->points[i];
    t->normals[i] = valid ? normal : t->normals[i];
}

static OozeStatus relax(Tile *t)
{
    t->moved = ooze_alloc(t->count + 1, sizeof *t->moved);
    OozeStatus status =
        t->moved ? OOZE_OK
                 : ooze_fail_memory(t->error, "surface samples", t->count * sizeof *t->moved);
    for (int round = 0; round < ROUNDS && !status; round++) {
        status = sort_points(t, RANGE);
        for (uint64_t i = 0; i < t->count && !status; i++) {
            if (t->candidates[i].edge) {
                t->moved[i] = t->points[i];
            } else {
                relax_point(t, i);
            }
        }
        if (!status && t->count > 0) {
            memcpy(t->points, t->moved, t->count * sizeof *t->points);
        }
    }
    return status;
}

/* ---- tiles ---------------------------------------------------------------------------------- */

static OozeVec3 corner_of(uint64_t cell)
{
    return vec3_scale(vec3((double)ooze_cell_coordinate(cell, 0),
                           (double)ooze_cell_coordinate(cell, 1),
                           (double)ooze_cell_coordinate(cell, 2)),
                      OOZE_CELL_STEPS);
}

/* Of all candidates that determine samples in the cells. */
static OozeBounds candidate_bounds(const OozeCellSet *cells)
{
    const double cell = OOZE_CELL_STEPS;
    OozeBounds b = ooze_bounds_empty();
    for (uint64_t i = 0; i < cells->count; i++) {
        OozeVec3 low = corner_of(cells->keys[i]);
        b = ooze_bounds_include(ooze_bounds_include(b, low), vec3_add(low, vec3(cell, cell, cell)));
    }
    double fixed = ROUNDS * (RANGE + 4.0 * MOVE_MAX) + PROJECTION_MAX + EDGE_DISTANCE;
    OozeVec3 margin = vec3(fixed + block_reach[0] * BLOCK, fixed + block_reach[1] * BLOCK,
                           fixed + block_reach[2] * BLOCK);
    return (OozeBounds){vec3_sub(b.min, margin), vec3_add(b.max, margin)};
}

static uint64_t cell_of_point(OozeVec3 p)
{
    const double cell = OOZE_CELL_STEPS;
    return ooze_cell_key(ooze_cell_clamp(p.x / cell), ooze_cell_clamp(p.y / cell),
                         ooze_cell_clamp(p.z / cell));
}

/* Copies the points in the cells; those of a cell stay in order. */
static OozeStatus collect(const Tile *t, const OozeCellSet *cells, OozeTileSamples *out)
{
    uint64_t n = cells->count;
    out->points = ooze_alloc(t->count + 1, sizeof *out->points);
    out->first = ooze_alloc_zero(n + 2, sizeof *out->first);
    if (!out->points || !out->first) {
        return ooze_fail_memory(t->error, "surface samples", t->count * sizeof *out->points);
    }
    for (uint64_t i = 0; i < t->count; i++) {
        int64_t at = ooze_cell_set_find(cells, cell_of_point(t->points[i]));
        out->first[at < 0 ? n + 1 : (uint64_t)at + 2] += at >= 0;
    }
    for (uint64_t c = 2; c < n + 2; c++) {
        out->first[c] += out->first[c - 1];
    }
    for (uint64_t i = 0; i < t->count; i++) {
        int64_t at = ooze_cell_set_find(cells, cell_of_point(t->points[i]));
        if (at >= 0) {
            out->points[out->first[at + 1]++] = vec3_scale(t->points[i], t->spacing);
        }
    }
    return OOZE_OK;
}

OozeStatus ooze_sample_tile(const OozeShape *shape, double spacing, const OozeCellSet *cells,
                            OozeTileSamples *samples, OozeError *error)
{
    Tile t = {.shape = shape,
              .spacing = spacing,
              .interpolated = is_interpolated(shape),
              .bounds = candidate_bounds(cells),
              .error = error};
    OozeStatus status = add_candidates(&t);
    status = status ? status : sort_points(&t, BLOCK);
    if (!status) {
        clear_edges(&t);
        status = choose(&t);
    }
    status = status ? status : relax(&t);
    status = status ? status : collect(&t, cells, samples);
    ooze_near_points_free(&t.near);
    ooze_free(t.candidates);
    ooze_free(t.points);
    ooze_free(t.normals);
    ooze_free(t.moved);
    return status;
}
