#include "solids/relaxation.h"

#include <string.h>

#include "base/fail.h"
#include "particles/neighbours.h"

/* Points repel with the force (1 - r/h)^2, the slope of the potential h/3 (1 - r/h)^3: it is
   largest at r = 0, so that points do not form pairs. Lengths are in spacings. */
#define SUPPORT 2.0

/* Step along the force, and momentum of the last step. The stiffness of an even packing is about 3,
   so the step is well inside the stable range; momentum speeds up long wavelengths. */
#define STEP     0.1
#define MOMENTUM 0.7
#define MOVE_MAX 0.2

/* Pairs nearer than CORE repel more strongly: near corners the force of the wall is too small to
   keep them apart. */
#define CORE      0.9
#define CORE_PUSH 3.0

/* Least distance of an inner point from the surface, in spacings. It is smaller in outlines, whose
   narrow tips would stay empty otherwise. */
#define WALL_VOLUME 0.45
#define WALL_AREA   0.15

enum { TABLE_SIZE = 65, GRAIN = 256 };

typedef struct Relaxing {
    const OozeRelaxation *def;
    OozeVec3 *points;
    uint64_t count;
    OozeVec3 middle;     /* of the bounds: origin of the coordinates in float */
    OozeFloat4 *sparse;  /* points in spacings, in their own order */
    OozeFloat4 *sorted;  /* the same in grid order */
    OozeVec3 *last_move; /* in spacings */
    OozeVec3 *normals;   /* of points on the surface, from their projection; zero: not known */
    OozeGrid *grid;
    OozeNeighbours lists;
    double wall[TABLE_SIZE]; /* force of the filled outside on a point at depth i SUPPORT/64 */
} Relaxing;

/* The outside counts as evenly filled: its force on a point at depth d is the integral of the
   potential over the plane (or line) at that distance. */
static void tabulate_wall(Relaxing *r)
{
    const int slices = 256;
    bool flat = r->def->kind == OOZE_RELAX_AREA;
    for (int i = 0; i < TABLE_SIZE; i++) {
        double d = SUPPORT * i / (TABLE_SIZE - 1), sum = 0.0,
               reach = sqrt(SUPPORT * SUPPORT - d * d);
        for (int k = 0; k < slices; k++) {
            double x = (k + 0.5) / slices * reach, rest = 1.0 - sqrt(d * d + x * x) / SUPPORT;
            double potential = rest > 0.0 ? SUPPORT / 3.0 * rest * rest * rest : 0.0;
            sum += potential * (flat ? 2.0 : 6.283185307179586 * x) * reach / slices;
        }
        r->wall[i] = sum;
    }
}

static double wall_push(const Relaxing *r, double depth)
{
    double at = depth / SUPPORT * (TABLE_SIZE - 1);
    if (!(at < TABLE_SIZE - 1)) {
        return 0.0;
    }
    at = at < 0.0 ? 0.0 : at;
    int i = (int)at;
    return r->wall[i] + (at - i) * (r->wall[i + 1] - r->wall[i]);
}

static OozeStatus find_neighbours(Relaxing *r, OozeError *error)
{
    static const OozePeriodic open = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    double inverse = 1.0 / r->def->spacing;
    for (uint64_t i = 0; i < r->count; i++) {
        OozeVec3 p = vec3_scale(vec3_sub(r->points[i], r->middle), inverse);
        r->sparse[i] = (OozeFloat4){(float)p.x, (float)p.y, (float)p.z, 0.0f};
    }
    OozeStatus status =
        ooze_grid_sort(r->grid, r->def->threads, r->sparse, r->count, SUPPORT, &open, error);
    if (status) {
        return status;
    }
    const uint32_t *order = ooze_grid_order(r->grid);
    for (uint64_t i = 0; i < r->count; i++) {
        r->sorted[i] = r->sparse[order[i]];
    }
    return ooze_neighbours_build(
        &r->lists, r->grid, r->def->threads,
        &(OozeNeighbourQuery){r->sorted, r->count, r->sorted, SUPPORT, true}, error);
}

/* In spacings. */
static OozeVec3 repulsion(const Relaxing *r, uint64_t sorted)
{
    const uint32_t *index = r->lists.index + r->lists.first[sorted];
    OozeFloat4 a = r->sorted[sorted];
    OozeVec3 force = vec3(0, 0, 0);
    for (uint32_t k = 0; k < r->lists.count[sorted]; k++) {
        OozeFloat4 b = r->sorted[index[k]];
        OozeVec3 away = vec3((double)(a.x - b.x), (double)(a.y - b.y), (double)(a.z - b.z));
        double distance = vec3_length(away), rest = 1.0 - distance / SUPPORT;
        double push = rest * rest + (distance < CORE ? CORE_PUSH * (CORE - distance) : 0.0);
        if (distance < 1e-6) { /* coincident: separated along a fixed direction */
            double side = sorted < index[k] ? 1.0 : -1.0;
            away = vec3(side * 0.8, side * 0.6, 0.0);
            distance = 1.0;
        }
        force = vec3_madd(force, push / distance, away);
    }
    return force;
}

/* Sets the normal at the point too, where it is on the surface; else zero. */
static void project(const Relaxing *r, OozeVec3 *point, OozeVec3 *known)
{
    const OozeRelaxation *def = r->def;
    double s = def->spacing;
    double wall = def->kind == OOZE_RELAX_AREA ? WALL_AREA : WALL_VOLUME;
    int tries = def->kind == OOZE_RELAX_SURFACE ? 3 : 4;
    *known = vec3(0, 0, 0);
    for (int i = 0; i < tries; i++) {
        OozeVec3 normal;
        double d = def->distance(def->context, *point, &normal);
        double excess = def->kind == OOZE_RELAX_SURFACE ? d : d + wall * s;
        if (def->kind == OOZE_RELAX_SURFACE ? fabs(excess) < 1e-6 * s : excess <= 0.0) {
            *known = def->kind == OOZE_RELAX_SURFACE ? normal : *known;
            return;
        }
        *point = vec3_madd(*point, -excess, normal);
    }
}

static void move_point(Relaxing *r, uint64_t sorted, uint64_t i)
{
    const OozeRelaxation *def = r->def;
    OozeVec3 force = repulsion(r, sorted), normal = r->normals[i];
    double depth = 0.0;
    if (vec3_dot(normal, normal) == 0.0) {
        depth = -def->distance(def->context, r->points[i], &normal) / def->spacing;
    }
    if (def->kind == OOZE_RELAX_SURFACE) {
        force = vec3_madd(force, -vec3_dot(force, normal), normal);
    } else {
        force = vec3_madd(force, -wall_push(r, depth), normal);
    }
    OozeVec3 move = vec3_madd(vec3_scale(r->last_move[i], MOMENTUM), STEP, force);
    double length = vec3_length(move);
    if (length > MOVE_MAX) {
        move = vec3_scale(move, MOVE_MAX / length);
    }
    r->last_move[i] = move;
    OozeVec3 point = vec3_madd(r->points[i], def->spacing, move);
    project(r, &point, &r->normals[i]);
    r->points[i] = point;
}

/* Forces are those of the sorted copy, so that points may be moved immediately. */
static void move_points(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Relaxing *r = context;
    const uint32_t *order = ooze_grid_order(r->grid);
    for (uint64_t i = begin; i < end; i++) {
        if (order[i] >= r->def->fixed) {
            move_point(r, i, order[i]);
        }
    }
}

static OozeStatus relax_rounds(Relaxing *r, OozeError *error)
{
    for (int round = 0; round < r->def->rounds; round++) {
        OozeStatus status = find_neighbours(r, error);
        if (status) {
            return status;
        }
        ooze_parallel_for(r->def->threads, r->count, GRAIN, move_points, r);
    }
    return OOZE_OK;
}

OozeStatus ooze_relax(const OozeRelaxation *def, OozeVec3 *points, uint64_t count, OozeError *error)
{
    if (count == 0 || def->rounds <= 0) {
        return OOZE_OK;
    }
    Relaxing r;
    memset(&r, 0, sizeof r);
    r.def = def;
    r.points = points;
    r.count = count;
    OozeVec3 low = points[0], high = points[0];
    for (uint64_t i = 1; i < count; i++) {
        low = vec3(fmin(low.x, points[i].x), fmin(low.y, points[i].y), fmin(low.z, points[i].z));
        high =
            vec3(fmax(high.x, points[i].x), fmax(high.y, points[i].y), fmax(high.z, points[i].z));
    }
    r.middle = vec3_scale(vec3_add(low, high), 0.5);
    tabulate_wall(&r);
    r.sparse = ooze_alloc(count + 16, sizeof *r.sparse);
    r.sorted = ooze_alloc_zero(count + 16, sizeof *r.sorted);
    r.last_move = ooze_alloc_zero(count, sizeof *r.last_move);
    r.normals = ooze_alloc_zero(count, sizeof *r.normals);
    r.grid = ooze_grid_create();
    OozeStatus status = r.sparse && r.sorted && r.last_move && r.normals && r.grid
                            ? relax_rounds(&r, error)
                            : ooze_fail_memory(error, "spreading points evenly",
                                               count * (2 * sizeof *r.sorted + sizeof *points));
    ooze_neighbours_free(&r.lists);
    ooze_grid_destroy(r.grid);
    ooze_free(r.normals);
    ooze_free(r.last_move);
    ooze_free(r.sorted);
    ooze_free(r.sparse);
    return status;
}
