/* Innermost loops of shape matching. Sums of a cell lie in the cache of one core; each region and
   each particle gathers what it needs in a fixed order. */
#include "methods/blend/cpu/loops.h"

#include <string.h>

/* a b + c, rounded once where the instruction set has FMA. */
static inline double madd(double a, double b, double c)
{
#if defined(__FMA__) || defined(__aarch64__)
    return __builtin_fma(a, b, c);
#else
    return a * b + c;
#endif
}

/* sum of w[k] times row k, of `terms` numbers (a constant); even and odd rows apart, so that
   additions overlap. */
static inline void sum_weighted(const double w[OOZE_BLEND_NEAR], int terms, const double *rows,
                                double *sum)
{
    double even[16] = {0}, odd[16] = {0};
    for (int k = 0; k + 1 < OOZE_BLEND_NEAR; k += 2) {
        for (int t = 0; t < terms; t++) {
            even[t] = madd(w[k], rows[k * terms + t], even[t]);
            odd[t] = madd(w[k + 1], rows[(k + 1) * terms + t], odd[t]);
        }
    }
    for (int t = 0; t < terms; t++) {
        const double *last = rows + (OOZE_BLEND_NEAR - 1) * terms;
        sum[t] = madd(w[OOZE_BLEND_NEAR - 1], last[t], even[t]) + odd[t];
    }
}

/* Sums of the particles of a cell in the regions of the 27 around it. */
typedef double Sums[OOZE_BLEND_NEAR][OOZE_MATCH_SUMS];

static inline double (*sums_of(const OozeMatching *m, uint64_t c))[OOZE_MATCH_SUMS]
{
    return m->sums + OOZE_BLEND_NEAR * c;
}

/* ---- regions of cells ----------------------------------------------------------------------- */

/* Numbers in vectors of the compiler, which vectorises the plain loop across rows. */
typedef double Four __attribute__((vector_size(32)));

static inline void add_weighted(Sums sums, const double w[OOZE_BLEND_NEAR],
                                const double terms[OOZE_MATCH_SUMS])
{
    enum { PARTS = OOZE_MATCH_SUMS / 4 };
    Four part[PARTS];
    for (int p = 0; p < PARTS; p++) {
        memcpy(&part[p], terms + 4 * p, sizeof part[p]);
    }
    for (int k = 0; k < OOZE_BLEND_NEAR; k++) {
        for (int p = 0; p < PARTS; p++) {
            Four sum;
            memcpy(&sum, &sums[k][4 * p], sizeof sum);
            sum += w[k] * part[p];
            memcpy(&sums[k][4 * p], &sum, sizeof sum);
        }
    }
}

static void sum_cells(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeMatching *m = data;
    const OozeRegions *r = m->regions;
    for (uint64_t c = begin; c < end; c++) {
        if (ooze_match_skips(m, c, OOZE_MATCH_POINTS)) {
            continue;
        }
        double q0[3], q[3], dx[3], dq[3], w[OOZE_BLEND_NEAR], terms[OOZE_MATCH_SUMS];
        uint64_t first = r->cell[c].first;
        const double *x0 = m->position[first].at;
        ooze_match_widen(&r->reference[first], q0);
        memset(sums_of(m, c), 0, sizeof(Sums));
        for (uint64_t i = first; i < r->cell[c + 1].first; i++) {
            ooze_match_widen(&r->reference[i], q);
            ooze_match_subtract(m->position[i].at, x0, dx);
            ooze_match_subtract(q, q0, dq);
            ooze_match_terms(m->position[i].weight, dx, dq, terms);
            ooze_blend_weights(&r->reference[i].x, r->edge, r->cell[c].at, w);
            add_weighted(sums_of(m, c), w, terms);
        }
    }
}

static void sum_cell_velocities(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeMatching *m = data;
    const OozeRegions *r = m->regions;
    for (uint64_t c = begin; c < end; c++) {
        if (ooze_match_skips(m, c, OOZE_MATCH_POINTS)) {
            continue;
        }
        double dx[3], w[OOZE_BLEND_NEAR], terms[OOZE_MATCH_SUMS];
        uint64_t first = r->cell[c].first;
        const double *x0 = m->position[first].at;
        memset(sums_of(m, c), 0, sizeof(Sums));
        for (uint64_t i = first; i < r->cell[c + 1].first; i++) {
            ooze_match_subtract(m->position[i].at, x0, dx);
            ooze_match_velocity_terms(m->velocity[i].weight, dx, m->velocity[i].at, terms);
            ooze_blend_weights(&r->reference[i].x, r->edge, r->cell[c].at, w);
            add_weighted(sums_of(m, c), w, terms);
        }
    }
}

static void fit_cells(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeMatching *m = data;
    const OozeRegions *r = m->regions;
    for (uint64_t c = begin; c < end; c++) {
        if (ooze_match_skips(m, c, OOZE_MATCH_MAP)) {
            continue;
        }
        const uint32_t *near = r->near + OOZE_BLEND_NEAR * c;
        double sums[OOZE_MATCH_SUMS] = {0}, q0[3], other_q0[3];
        uint64_t first = r->cell[c].first;
        const double *x0 = m->position[first].at;
        ooze_match_widen(&r->reference[first], q0);
        for (int k = 0; k < OOZE_BLEND_NEAR; k++) {
            if (near[k] == OOZE_BLEND_CELL_NONE) {
                continue;
            }
            uint64_t base = r->cell[near[k]].first;
            ooze_match_widen(&r->reference[base], other_q0);
            ooze_match_add(sums, x0, q0, sums_of(m, near[k])[OOZE_BLEND_NEAR - 1 - k],
                           m->position[base].at, other_q0);
        }
        OozeMatchRegion region = ooze_match_centre(sums, x0, q0);
        ooze_match_set_map(&m->map[c], &region, (double)(r->cell[c + 1].first - first),
                           m->rotation[c]);
    }
}

static void fit_cell_velocities(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeMatching *m = data;
    const OozeRegions *r = m->regions;
    for (uint64_t c = begin; c < end; c++) {
        if (ooze_match_skips(m, c, OOZE_MATCH_MAP)) {
            continue;
        }
        const uint32_t *near = r->near + OOZE_BLEND_NEAR * c;
        double sums[OOZE_MATCH_SUMS] = {0};
        const double *x0 = m->position[r->cell[c].first].at;
        for (int k = 0; k < OOZE_BLEND_NEAR; k++) {
            if (near[k] != OOZE_BLEND_CELL_NONE) {
                const double *base = m->position[r->cell[near[k]].first].at;
                ooze_match_velocity_add(sums, x0, sums_of(m, near[k])[OOZE_BLEND_NEAR - 1 - k],
                                        base);
            }
        }
        m->motion[c] = ooze_match_velocity(sums, x0);
    }
}

/* Maps and motions of the regions around a cell, about its base and times their counts: r (9),
   offset (3); velocity (3), spin (3), 0 (2). */
enum { MAP_TERMS = 12, MOTION_TERMS = 8 };
typedef struct Around {
    double x0[3], q0[3];
    double map[OOZE_BLEND_NEAR][MAP_TERMS];
    double motion[OOZE_BLEND_NEAR][MOTION_TERMS];
} Around;

static void gather_map(const OozeMatchMap *map, const Around *around, double terms[MAP_TERMS])
{
    double d[3], turned[3];
    ooze_match_subtract(around->q0, map->q, d);
    ooze_match_rotate(map->r, d, turned);
    for (int k = 0; k < 9; k++) {
        terms[k] = map->count * map->r[k];
    }
    for (int k = 0; k < 3; k++) {
        terms[9 + k] = map->count * (turned[k] + (map->x[k] - around->x0[k]));
    }
}

static void gather_motion(const OozeMatchVelocity *motion, double count, const Around *around,
                          double terms[MOTION_TERMS])
{
    double d[3], v[3];
    ooze_match_subtract(around->x0, motion->x, d);
    ooze_match_add_spin(motion->v, motion->spin, d, v);
    for (int k = 0; k < 3; k++) {
        terms[k] = count * v[k];
        terms[3 + k] = count * motion->spin[k];
    }
    terms[6] = terms[7] = 0.0;
}

static void gather_around(const OozeMatching *m, uint64_t c, Around *around)
{
    const OozeRegions *r = m->regions;
    const uint32_t *near = r->near + OOZE_BLEND_NEAR * c;
    uint64_t first = r->cell[c].first;
    memcpy(around->x0, m->position[first].at, sizeof around->x0);
    ooze_match_widen(&r->reference[first], around->q0);
    for (int k = 0; k < OOZE_BLEND_NEAR; k++) {
        if (near[k] == OOZE_BLEND_CELL_NONE) {
            memset(around->map[k], 0, sizeof around->map[k]);
            memset(around->motion[k], 0, sizeof around->motion[k]);
            continue;
        }
        gather_map(&m->map[near[k]], around, around->map[k]);
        if (m->velocity) {
            gather_motion(&m->motion[near[k]], m->map[near[k]].count, around, around->motion[k]);
        }
    }
}

static void pull_cells(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeMatching *m = data;
    const OozeRegions *r = m->regions;
    Around around;
    for (uint64_t c = begin; c < end; c++) {
        if (ooze_match_skips(m, c, OOZE_MATCH_PULL)) {
            continue;
        }
        gather_around(m, c, &around);
        for (uint64_t i = r->cell[c].first; i < r->cell[c + 1].first; i++) {
            double w[OOZE_BLEND_NEAR], q[3], dq[3], dx[3], goal[3], all = 1.0 / r->share[i];
            double map[MAP_TERMS] = {0}, motion[MOTION_TERMS] = {0}, *pull = m->pull[i];
            ooze_blend_weights(&r->reference[i].x, r->edge, r->cell[c].at, w);
            sum_weighted(w, MAP_TERMS, around.map[0], map);
            ooze_match_widen(&r->reference[i], q);
            ooze_match_subtract(q, around.q0, dq);
            ooze_match_subtract(m->position[i].at, around.x0, dx);
            ooze_match_rotate(map, dq, goal);
            for (int a = 0; a < 3; a++) {
                pull[a] = m->position[i].weight * (goal[a] + map[9 + a] - all * dx[a]);
            }
            pull[3] = 0.0;
            if (m->velocity) {
                sum_weighted(w, MOTION_TERMS, around.motion[0], motion);
                ooze_match_add_spin(motion, motion + 3, dx, goal);
                for (int a = 0; a < 3; a++) {
                    pull[a] += m->velocity[i].weight * (goal[a] - all * m->velocity[i].at[a]);
                }
            }
        }
    }
}

/* ---- regions of particles ------------------------------------------------------------------- */

static void fit_particles(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeMatching *m = data;
    for (uint64_t i = begin; i < end; i++) {
        if (ooze_match_skips(m, i, OOZE_MATCH_MAP)) {
            continue;
        }
        ooze_match_fit_particle(m, m->regions, i);
        if (m->velocity) {
            ooze_match_fit_particle_velocity(m, m->regions, i);
        }
    }
}

static void pull_particles(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeMatching *m = data;
    for (uint64_t i = begin; i < end; i++) {
        if (ooze_match_skips(m, i, OOZE_MATCH_PULL)) {
            continue;
        }
        ooze_match_pull_particle(m, m->regions, i);
    }
}

const OozeMatchingLoops OOZE_LOOPS(ooze_matching_loops) = {
    .sum_cells = sum_cells,
    .sum_cell_velocities = sum_cell_velocities,
    .fit_cells = fit_cells,
    .fit_cell_velocities = fit_cell_velocities,
    .pull_cells = pull_cells,
    .fit_particles = fit_particles,
    .pull_particles = pull_particles,
};
