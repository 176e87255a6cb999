/* Candidates for the neighbours of particles in the order of their grid. Lists of all neighbours
   would take more memory than everything else of a surface; here only those of one cell exist. */
#ifndef OOZE_SURFACE_WALK_H
#define OOZE_SURFACE_WALK_H

#include "base/f32x4.h"
#include "surface/cloud.h"

/* Candidates of a cell, at most OOZE_CANDIDATES_MAX at a time. The coordinates are copied once for
   all particles of the cell, so that loops read four of each in one load. */
enum { OOZE_CANDIDATES_MAX = 1024 };
typedef struct OozeCandidates {
    uint32_t count;
    bool first;    /* they begin with the first candidate of the cell */
    int next_run;  /* where the following ones begin; walk.count: there are none */
    uint32_t next; /* particle within that run */
    uint32_t index[OOZE_CANDIDATES_MAX + 4];
    /* padded to a multiple of four by points at infinity */
    float x[OOZE_CANDIDATES_MAX + 4], y[OOZE_CANDIDATES_MAX + 4], z[OOZE_CANDIDATES_MAX + 4];
    /* where walk.offsets is set: offsets of their neighbourhoods; of those deep inside 0 */
    float offset[OOZE_CANDIDATES_MAX][3];
} OozeCandidates;

typedef struct OozeCloudWalk {
    const OozeCloud *cloud;
    bool outer;                       /* only candidates below OOZE_SURFACE_OUTER_FILL */
    const OozeNeighbourhood *offsets; /* of the particles with kernels; NULL: not needed */
    OozeGridCursor cursor;
    int32_t cell[3];
    int count; /* runs of candidates; -1 before the first particle */
    OozeGridRun run[OOZE_GRID_RUNS_MAX];
    OozeCandidates candidates;
} OozeCloudWalk;

static inline void ooze_cloud_walk_init(OozeCloudWalk *walk, const OozeCloud *cloud)
{
    walk->cloud = cloud;
    walk->outer = false;
    walk->offsets = NULL;
    walk->cursor = (OozeGridCursor){0};
    walk->count = -1;
}

/* The runs that hold every particle within OOZE_SURFACE_NEIGHBOURHOOD spacings of particle i, and i
   itself. False where they are those of the particle before. */
static inline bool ooze_cloud_walk_to(OozeCloudWalk *walk, uint64_t i)
{
    const OozeGridAxis *axis = walk->cloud->grid->axis;
    OozeFloat4 x = walk->cloud->x[i];
    const int32_t cell[3] = {ooze_grid_number(&axis[0], x.x), ooze_grid_number(&axis[1], x.y),
                             ooze_grid_number(&axis[2], x.z)};
    if (walk->count >= 0 && cell[0] == walk->cell[0] && cell[1] == walk->cell[1] &&
        cell[2] == walk->cell[2]) {
        return false;
    }
    walk->cell[0] = cell[0];
    walk->cell[1] = cell[1];
    walk->cell[2] = cell[2];
    walk->count = ooze_grid_runs(walk->cloud->grid, &walk->cursor, cell, walk->run);
    return true;
}

/* ---- candidates --- */

static inline void ooze_candidates_load_offsets(OozeCloudWalk *walk)
{
    OozeCandidates *c = &walk->candidates;
    for (uint32_t k = 0; k < c->count; k++) {
        uint32_t slot = walk->cloud->slot[c->index[k]];
        for (int a = 0; a < 3; a++) {
            c->offset[k][a] = slot == OOZE_SURFACE_SHARED ? 0.0f : walk->offsets[slot].offset[a];
        }
    }
}

/* Runs of a cell amid others in the order of their distance: a sum over neighbours that ends early
   ends the sooner. */
static inline OozeGridRun ooze_candidates_run(const OozeCloudWalk *walk, int k)
{
    static const uint8_t order[9] = {4, 3, 5, 1, 7, 0, 2, 6, 8};
    return walk->run[walk->count == 9 ? order[k] : k];
}

/* Copies candidates from number `next` of run `k` on. */
static inline void ooze_candidates_load(OozeCloudWalk *walk, int k, uint32_t next)
{
    OozeCandidates *c = &walk->candidates;
    const OozeCloud *cloud = walk->cloud;
    uint32_t count = 0;
    for (; k < walk->count; k++, next = 0) {
        const OozeGridRun run = ooze_candidates_run(walk, k);
        uint32_t j = run.begin + next;
        for (; j < run.end && count < OOZE_CANDIDATES_MAX; j++) {
            if (walk->outer && !(cloud->fill[j] < (float)OOZE_SURFACE_OUTER_FILL)) {
                continue;
            }
            OozeFloat4 x = cloud->x[j];
            c->index[count] = j;
            c->x[count] = x.x;
            c->y[count] = x.y;
            c->z[count++] = x.z;
        }
        if (j < run.end) {
            next = j - run.begin;
            break;
        }
    }
    for (uint32_t n = count; n < count + 4; n++) {
        c->index[n] = 0;
        c->x[n] = c->y[n] = c->z[n] = INFINITY;
    }
    c->count = count;
    c->next_run = k;
    c->next = next;
    if (walk->offsets) {
        ooze_candidates_load_offsets(walk);
    }
}

/* The first candidates near particle i; always true. For (more = begin; more; more = next). */
static inline bool ooze_candidates_begin(OozeCloudWalk *walk, uint64_t i)
{
    bool moved = ooze_cloud_walk_to(walk, i);
    if (moved || !walk->candidates.first) {
        ooze_candidates_load(walk, 0, 0);
        walk->candidates.first = true;
    }
    return true;
}

static inline bool ooze_candidates_next(OozeCloudWalk *walk)
{
    if (walk->candidates.next_run >= walk->count) {
        return false;
    }
    ooze_candidates_load(walk, walk->candidates.next_run, walk->candidates.next);
    walk->candidates.first = false;
    return true;
}

/* Squares of the distances of four candidates from a point. */
static inline OozeF32x4 ooze_candidate_squares(const OozeCandidates *c, uint32_t k, OozeFloat4 at)
{
    OozeF32x4 dx = ooze_f32x4_load(c->x + k) - ooze_f32x4_splat(at.x);
    OozeF32x4 dy = ooze_f32x4_load(c->y + k) - ooze_f32x4_splat(at.y);
    OozeF32x4 dz = ooze_f32x4_load(c->z + k) - ooze_f32x4_splat(at.z);
    return ooze_f32x4_fma(dx, dx, ooze_f32x4_fma(dy, dy, dz * dz));
}

/* ---- those that are near --- */

enum { OOZE_NEAR_MAX = OOZE_CANDIDATES_MAX };
typedef struct OozeNear {
    uint32_t count, index[OOZE_NEAR_MAX + 4];
    float r2[OOZE_NEAR_MAX + 4]; /* squares of their distances, m2 */
} OozeNear;

/* Adds those of four points, with their indices and squares of distances, that are nearer than the
   root of reach2. Without branches: most are not near. */
static inline void ooze_near_add(OozeNear *near, const uint32_t index[4], OozeF32x4 squares,
                                 float reach2)
{
    float r2[4];
    uint32_t count = near->count;
    ooze_f32x4_store(squares, r2);
    for (uint32_t lane = 0; lane < 4; lane++) {
        near->index[count] = index[lane];
        near->r2[count] = r2[lane];
        count += r2[lane] < reach2;
    }
    near->count = count;
}

/* Replaces the squares of the distances r by the weights 1 - (inverse r)^3. */
static inline void ooze_near_weigh(OozeNear *near, float inverse)
{
    const OozeF32x4 scale = ooze_f32x4_splat(inverse * inverse), one = ooze_f32x4_splat(1.0f);
    for (uint32_t e = 0; e < near->count; e += 4) {
        OozeF32x4 q2 = ooze_f32x4_load(near->r2 + e) * scale;
        OozeF32x4 w = ooze_f32x4_max(one - q2 * ooze_f32x4_sqrt(q2), ooze_f32x4_splat(0.0f));
        ooze_f32x4_store(w, near->r2 + e);
    }
}

/* By their numbers among the candidates. */
static inline void ooze_near_candidates(const OozeCandidates *c, OozeFloat4 at, float reach2,
                                        OozeNear *near)
{
    near->count = 0;
    for (uint32_t k = 0; k < c->count; k += 4) {
        const uint32_t number[4] = {k, k + 1, k + 2, k + 3};
        ooze_near_add(near, number, ooze_candidate_squares(c, k, at), reach2);
    }
}

/* Squares of the distances of four particles from a point; x is padded for the last ones. */
static inline OozeF32x4 ooze_near_squares(const OozeFloat4 *x, uint32_t j, OozeFloat4 at)
{
    OozeF32x4 p[4];
    ooze_f32x4_transpose(ooze_f32x4_load(&x[j].x), ooze_f32x4_load(&x[j + 1].x),
                         ooze_f32x4_load(&x[j + 2].x), ooze_f32x4_load(&x[j + 3].x), p);
    OozeF32x4 dx = p[0] - ooze_f32x4_splat(at.x), dy = p[1] - ooze_f32x4_splat(at.y);
    OozeF32x4 dz = p[2] - ooze_f32x4_splat(at.z);
    return dx * dx + dy * dy + dz * dz;
}

/* Adds those of a run, from *begin on, that are nearer than the root of reach2; moves *begin to the
   end, or to where there is no more room. */
static inline void ooze_near_select(const OozeFloat4 *x, uint32_t *begin, uint32_t end,
                                    OozeFloat4 at, float reach2, OozeNear *near)
{
    uint32_t room = OOZE_NEAR_MAX - near->count;
    uint32_t stop = end - *begin > room ? *begin + room : end;
    for (uint32_t j = *begin; j < stop; j += 4) {
        const uint32_t index[4] = {j, j + 1, j + 2, j + 3};
        OozeF32x4 squares = ooze_near_squares(x, j, at);
        if (stop - j < 4) {
            const OozeF32x4 lane = {0.0f, 1.0f, 2.0f, 3.0f};
            squares = ooze_f32x4_select(lane < ooze_f32x4_splat((float)(stop - j)), squares,
                                        ooze_f32x4_splat(INFINITY));
        }
        ooze_near_add(near, index, squares, reach2);
    }
    *begin = stop;
}

#endif
