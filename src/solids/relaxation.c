#include "solids/relaxation.h"

#include <string.h>

#include "base/f32x4.h"
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

/* Neighbour lists hold pairs up to this much farther apart than SUPPORT: they serve until a point
   has strayed by half of it. Wider lists serve longer, and cost more in every round: fills are
   fastest with this one, 0.15 and 0.5 take a sixth and a quarter longer. */
#define SKIN 0.25

enum { TABLE_SIZE = 65, GRAIN = 256, MARK_GRAIN = 4096 };

/* What is known of the surface at a point. */
typedef struct Known {
    OozeVec3 normal; /* of the surface near the point; zero: not known */
    double depth;    /* in spacings: exact where the normal is known, else no more than the depth */
} Known;

typedef struct Relaxing {
    const OozeRelaxation *def;
    OozeVec3 *points;
    uint64_t count;
    OozeVec3 middle;     /* of the bounds: origin of the coordinates in float */
    OozeFloat4 *sparse;  /* points in spacings, in their own order */
    OozeFloat4 *sorted;  /* the same in grid order, after each round */
    OozeVec3 *last_move; /* of points that are not fixed, in spacings */
    Known *known;        /* of the same */
    uint32_t *movers;    /* points that are not fixed: their places in grid order, ascending */
    uint64_t mover_count;
    OozeFloat4 *listed; /* movers where their lists were built */
    uint64_t *marks;    /* movers of every MARK_GRAIN places; then their sum up to there */
    float *strayed;     /* of every GRAIN movers, the largest distance^2 from there */
    OozeGrid *grid;
    OozeNeighbours lists;    /* of movers */
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

/* ---- neighbours ---------------------------------------------------------------------------- */

static OozeFloat4 in_spacings(const Relaxing *r, uint64_t i)
{
    OozeVec3 p = vec3_scale(vec3_sub(r->points[i], r->middle), 1.0 / r->def->spacing);
    return (OozeFloat4){(float)p.x, (float)p.y, (float)p.z, 0.0f};
}

static void fill_sparse(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Relaxing *r = context;
    for (uint64_t i = begin; i < end; i++) {
        r->sparse[i] = in_spacings(r, i);
    }
}

static void fill_sorted(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Relaxing *r = context;
    const uint32_t *order = ooze_grid_order(r->grid);
    uint64_t movers = 0;
    for (uint64_t i = begin; i < end; i++) {
        r->sorted[i] = r->sparse[order[i]];
        movers += order[i] >= r->def->fixed;
    }
    r->marks[begin / MARK_GRAIN] = movers;
}

static void list_movers(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Relaxing *r = context;
    const uint32_t *order = ooze_grid_order(r->grid);
    uint64_t at = r->marks[begin / MARK_GRAIN];
    for (uint64_t i = begin; i < end; i++) {
        if (order[i] >= r->def->fixed) {
            r->movers[at] = (uint32_t)i;
            r->listed[at++] = r->sorted[i];
        }
    }
}

static OozeStatus find_neighbours(Relaxing *r, OozeError *error)
{
    static const OozePeriodic open = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    OozeThreads *threads = r->def->threads;
    ooze_parallel_for(threads, r->count, MARK_GRAIN, fill_sparse, r);
    OozeStatus status =
        ooze_grid_sort(r->grid, threads, r->sparse, r->count, SUPPORT + SKIN, &open, error);
    if (status) {
        return status;
    }
    ooze_parallel_for(threads, r->count, MARK_GRAIN, fill_sorted, r);
    uint64_t before = 0;
    for (uint64_t i = 0; i * MARK_GRAIN < r->count; i++) {
        uint64_t here = r->marks[i];
        r->marks[i] = before;
        before += here;
    }
    ooze_parallel_for(threads, r->count, MARK_GRAIN, list_movers, r);
    return ooze_neighbours_build(
        &r->lists, r->grid, threads,
        &(OozeNeighbourQuery){r->listed, r->mover_count, r->sorted, SUPPORT + SKIN, false}, error);
}

/* ---- forces -------------------------------------------------------------------------------- */

/* Points at the same place separate along a fixed direction; a point does not repel itself. */
static void part_coincident(OozeF32x4Mask same, const uint32_t *index, uint32_t self,
                            OozeF32x4 away[3], OozeF32x4 *push, OozeF32x4 *distance)
{
    for (int lane = 0; lane < 4; lane++) {
        if (same[lane]) {
            float side = self < index[lane] ? 1.0f : -1.0f;
            away[0][lane] = side * 0.8f;
            away[1][lane] = side * 0.6f;
            away[2][lane] = 0.0f;
            (*distance)[lane] = 1.0f;
            (*push)[lane] = index[lane] == self ? 0.0f : (*push)[lane];
        }
    }
}

static double lane_sum(OozeF32x4 a)
{
    return (double)((a[0] + a[2]) + (a[1] + a[3])); /* the same on every instruction set */
}

/* Of the points of its list on a mover, in spacings. Padding of the list is far away. */
static OozeVec3 repulsion(const Relaxing *r, uint64_t mover)
{
    const uint32_t *index = r->lists.index + r->lists.first[mover];
    const uint32_t self = r->movers[mover];
    const OozeFloat4 *x = r->sorted;
    const OozeF32x4 zero = ooze_f32x4_splat(0.0f), one = ooze_f32x4_splat(1.0f);
    OozeF32x4 force[3] = {zero, zero, zero};
    for (uint32_t k = 0; k < r->lists.count[mover]; k += OOZE_LIST_PAD) {
        OozeF32x4 b[4], away[3];
        ooze_f32x4_transpose(ooze_f32x4_load(&x[index[k]].x), ooze_f32x4_load(&x[index[k + 1]].x),
                             ooze_f32x4_load(&x[index[k + 2]].x),
                             ooze_f32x4_load(&x[index[k + 3]].x), b);
        away[0] = ooze_f32x4_splat(x[self].x) - b[0];
        away[1] = ooze_f32x4_splat(x[self].y) - b[1];
        away[2] = ooze_f32x4_splat(x[self].z) - b[2];
        OozeF32x4 square = away[0] * away[0] + away[1] * away[1] + away[2] * away[2];
        OozeF32x4 distance = ooze_f32x4_sqrt(square);
        OozeF32x4 rest = ooze_f32x4_max(one - distance * (float)(1.0 / SUPPORT), zero);
        OozeF32x4 core = ooze_f32x4_max((float)CORE - distance, zero);
        OozeF32x4 push = rest * rest + (float)CORE_PUSH * core;
        OozeF32x4Mask same = square < 1e-12f;
        if (same[0] | same[1] | same[2] | same[3]) {
            part_coincident(same, index + k, self, away, &push, &distance);
        }
        OozeF32x4 scale = push / distance;
        for (int axis = 0; axis < 3; axis++) {
            force[axis] += scale * away[axis];
        }
    }
    return vec3(lane_sum(force[0]), lane_sum(force[1]), lane_sum(force[2]));
}

/* ---- moving -------------------------------------------------------------------------------- */

/* Sets what is known of the surface at the point too. */
static void project(const Relaxing *r, OozeVec3 *point, Known *known)
{
    const OozeRelaxation *def = r->def;
    double s = def->spacing;
    double wall = def->kind == OOZE_RELAX_AREA ? WALL_AREA : WALL_VOLUME;
    int tries = def->kind == OOZE_RELAX_SURFACE ? 3 : 4;
    *known = (Known){0};
    for (int i = 0; i < tries; i++) {
        OozeVec3 normal;
        double d = def->distance(def->context, *point, &normal);
        double excess = def->kind == OOZE_RELAX_SURFACE ? d : d + wall * s;
        if (def->kind == OOZE_RELAX_SURFACE ? fabs(excess) < 1e-6 * s : excess <= 0.0) {
            *known = (Known){normal, -d / s};
            return;
        }
        *point = vec3_madd(*point, -excess, normal);
    }
}

/* Whether the surface acts on a point. Beyond SUPPORT it does not, and since a point moves by
   MOVE_MAX at most, the distance need not be evaluated until it may be nearer. */
static bool meets_surface(const Relaxing *r, uint64_t i, Known *known)
{
    const OozeRelaxation *def = r->def;
    bool surface = def->kind == OOZE_RELAX_SURFACE;
    if (!surface && known->depth >= SUPPORT) {
        return false;
    }
    if (vec3_dot(known->normal, known->normal) == 0.0) {
        double d = def->distance(def->context, r->points[i], &known->normal);
        known->depth = -d / def->spacing;
    }
    return surface || known->depth < SUPPORT;
}

static void move_point(Relaxing *r, uint64_t mover, uint64_t i)
{
    const OozeRelaxation *def = r->def;
    OozeVec3 force = repulsion(r, mover), *last_move = &r->last_move[i - def->fixed];
    Known *known = &r->known[i - def->fixed];
    bool near = meets_surface(r, i, known);
    if (def->kind == OOZE_RELAX_SURFACE) {
        force = vec3_madd(force, -vec3_dot(force, known->normal), known->normal);
    } else if (near) {
        force = vec3_madd(force, -wall_push(r, known->depth), known->normal);
    }
    OozeVec3 move = vec3_madd(vec3_scale(*last_move, MOMENTUM), STEP, force);
    double length = vec3_length(move);
    if (length > MOVE_MAX) {
        move = vec3_scale(move, MOVE_MAX / length);
    }
    *last_move = move;
    OozeVec3 point = vec3_madd(r->points[i], def->spacing, move);
    if (near) {
        project(r, &point, known);
    } else {
        *known = (Known){.depth = known->depth - fmin(length, MOVE_MAX)};
    }
    r->points[i] = point;
}

/* Forces are those of the sorted copy, so that points may be moved immediately. */
static void move_points(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Relaxing *r = context;
    const uint32_t *order = ooze_grid_order(r->grid);
    for (uint64_t k = begin; k < end; k++) {
        move_point(r, k, order[r->movers[k]]);
    }
}

/* Copies moved points to the sorted ones. */
static void update_sorted(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Relaxing *r = context;
    const uint32_t *order = ooze_grid_order(r->grid);
    float most = 0.0f;
    for (uint64_t k = begin; k < end; k++) {
        OozeFloat4 p = in_spacings(r, order[r->movers[k]]), q = r->listed[k];
        float x = p.x - q.x, y = p.y - q.y, z = p.z - q.z, square = x * x + y * y + z * z;
        most = square > most ? square : most;
        r->sorted[r->movers[k]] = p;
    }
    r->strayed[begin / GRAIN] = most;
}

static bool lists_serve(const Relaxing *r)
{
    double most = 0.0;
    for (uint64_t i = 0; i * GRAIN < r->mover_count; i++) {
        most = fmax(most, (double)r->strayed[i]);
    }
    return most <= 0.25 * SKIN * SKIN;
}

static OozeStatus relax_rounds(Relaxing *r, OozeError *error)
{
    for (int round = 0; round < r->def->rounds; round++) {
        if (round == 0 || !lists_serve(r)) {
            OozeStatus status = find_neighbours(r, error);
            if (status) {
                return status;
            }
        }
        ooze_parallel_for(r->def->threads, r->mover_count, GRAIN, move_points, r);
        ooze_parallel_for(r->def->threads, r->mover_count, GRAIN, update_sorted, r);
    }
    return OOZE_OK;
}

/* ---- memory -------------------------------------------------------------------------------- */

static OozeStatus allocate(Relaxing *r, OozeError *error)
{
    const uint64_t n = r->count, movers = r->mover_count;
    r->sparse = ooze_alloc(n, sizeof *r->sparse);
    r->sorted = ooze_alloc(n + OOZE_LIST_PAD, sizeof *r->sorted);
    r->last_move = ooze_alloc_zero(movers, sizeof *r->last_move);
    r->known = ooze_alloc_zero(movers, sizeof *r->known);
    r->movers = ooze_alloc(movers, sizeof *r->movers);
    r->listed = ooze_alloc(movers, sizeof *r->listed);
    r->marks = ooze_alloc(n / MARK_GRAIN + 1, sizeof *r->marks);
    r->strayed = ooze_alloc(movers / GRAIN + 1, sizeof *r->strayed);
    r->grid = ooze_grid_create();
    if (!r->sparse || !r->sorted || !r->last_move || !r->known || !r->movers || !r->listed ||
        !r->marks || !r->strayed || !r->grid) {
        return ooze_fail_memory(error, "spreading points evenly",
                                n * 2 * sizeof *r->sorted +
                                    movers * (sizeof *r->points + sizeof *r->known));
    }
    for (int i = 0; i < OOZE_LIST_PAD; i++) {
        r->sorted[n + (uint64_t)i] = (OozeFloat4){1e15f, 0.0f, 0.0f, 0.0f};
    }
    return OOZE_OK;
}

static void release(Relaxing *r)
{
    ooze_neighbours_free(&r->lists);
    ooze_grid_destroy(r->grid);
    ooze_free(r->strayed);
    ooze_free(r->marks);
    ooze_free(r->listed);
    ooze_free(r->movers);
    ooze_free(r->known);
    ooze_free(r->last_move);
    ooze_free(r->sorted);
    ooze_free(r->sparse);
}

OozeStatus ooze_relax(const OozeRelaxation *def, OozeVec3 *points, uint64_t count, OozeError *error)
{
    if (count <= def->fixed || def->rounds <= 0) {
        return OOZE_OK;
    }
    Relaxing r;
    memset(&r, 0, sizeof r);
    r.def = def;
    r.points = points;
    r.count = count;
    r.mover_count = count - def->fixed;
    OozeVec3 low = points[0], high = points[0];
    for (uint64_t i = 1; i < count; i++) {
        low = vec3(fmin(low.x, points[i].x), fmin(low.y, points[i].y), fmin(low.z, points[i].z));
        high =
            vec3(fmax(high.x, points[i].x), fmax(high.y, points[i].y), fmax(high.z, points[i].z));
    }
    r.middle = vec3_scale(vec3_add(low, high), 0.5);
    tabulate_wall(&r);
    OozeStatus status = allocate(&r, error);
    status = status ? status : relax_rounds(&r, error);
    release(&r);
    return status;
}
