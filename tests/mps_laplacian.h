/* The pressure equation of semi-implicit MPS on particles, and its solution by conjugate gradients
   with the preconditioner of solvers/multigrid/grid_multigrid.h. For tests and benchmarks. */
#ifndef OOZE_TESTS_MPS_LAPLACIAN_H
#define OOZE_TESTS_MPS_LAPLACIAN_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "solvers/linear/conjugate_gradients.h"
#include "solvers/multigrid/grid_multigrid.h"

#define MPS_REACH 2.1 /* r_e in spacings */
enum { MPS_GRAIN = 1024 };

typedef struct Mps {
    uint64_t n, capacity;
    double spacing, box[3]; /* box: length of periodic axes from 0, or 0 */
    OozeF32x4 *x;
    float *inverse_density, *stiffness, *mass, *diagonal;
    uint64_t *first; /* n + 1: neighbours */
    uint32_t *neighbour;
    float *weight; /* -A_ij */
    /* solve */
    OozeThreads *threads;
    OozeGridMultigrid *multigrid; /* NULL: preconditioned by the diagonal alone */
    float *b, *p, *ap, *r, *z, *solution;
    double *partial;
    double alpha, beta;
} Mps;

static inline double mps_weight(double r, double reach)
{
    return r < reach ? reach / r - 1.0 : 0.0;
}

/* A number from -1 to 1 that depends on k alone. */
static inline double mps_random(uint64_t k)
{
    k = (k + 1) * 0x9e3779b97f4a7c15u;
    k = (k ^ k >> 31) * 0xbf58476d1ce4e5b9u;
    return (double)(k >> 11) * 0x1p-52 - 1.0;
}

static inline void mps_add(Mps *s, double x, double y, double z, double inverse_density)
{
    if (s->n == s->capacity) {
        uint64_t room = s->capacity ? 2 * s->capacity : 1024;
        s->x = ooze_grow(s->x, s->n, room, sizeof *s->x);
        s->inverse_density = ooze_grow(s->inverse_density, s->n, room, sizeof(float));
        s->capacity = room;
    }
    s->x[s->n] = ooze_f32x4((float)x, (float)y, (float)z, 0.0f);
    s->inverse_density[s->n++] = (float)inverse_density;
}

/* A lattice of size[] particles from `low` on, displaced at random by `jitter` spacings. */
static inline void mps_add_block(Mps *s, const double low[3], const int size[3], double jitter)
{
    for (int k = 0; k < size[0] * size[1] * size[2]; k++) {
        int at[3] = {k % size[0], k / size[0] % size[1], k / size[0] / size[1]};
        double x[3];
        for (int a = 0; a < 3; a++) {
            double shift = jitter * mps_random(3 * s->n + (uint64_t)a);
            x[a] = low[a] + s->spacing * (at[a] + 0.5 + shift);
            x[a] -= s->box[a] > 0.0 ? s->box[a] * floor(x[a] / s->box[a]) : 0.0;
        }
        mps_add(s, x[0], x[1], x[2], 1.0);
    }
}

/* ---- neighbours, by a hash table of cells ---- */

typedef struct MpsCells {
    double low[3], edge[3];
    int count[3];
    uint64_t slots;         /* a power of two */
    uint32_t *first, *next; /* first particle of a slot, next of a particle; UINT32_MAX: none */
} MpsCells;

static inline void mps_cell(const MpsCells *cells, OozeF32x4 x, int at[3])
{
    for (int k = 0; k < 3; k++) {
        at[k] = (int)(((double)x[k] - cells->low[k]) / cells->edge[k]);
        at[k] = at[k] < cells->count[k] ? at[k] : cells->count[k] - 1;
    }
}

static inline uint64_t mps_slot(const MpsCells *cells, const int at[3])
{
    uint64_t row = (uint64_t)at[2] * (uint64_t)cells->count[1] + (uint64_t)at[1];
    uint64_t key = row * (uint64_t)cells->count[0] + (uint64_t)at[0];
    return (key * 0x9e3779b97f4a7c15u) >> 20 & (cells->slots - 1);
}

static inline void mps_cells(MpsCells *cells, const Mps *s)
{
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (uint64_t i = 0; i < s->n; i++) {
            double x = (double)s->x[i][k];
            low = x < low ? x : low; /* with fmin, gcc 12 fails on ARM */
            high = x > high ? x : high;
        }
        low = s->box[k] > 0.0 ? 0.0 : low;
        high = s->box[k] > 0.0 ? s->box[k] : high;
        cells->low[k] = low;
        cells->count[k] = (int)((high - low) / (MPS_REACH * s->spacing));
        cells->count[k] = cells->count[k] > 0 ? cells->count[k] : 1;
        cells->edge[k] = fmax((high - low) / cells->count[k], MPS_REACH * s->spacing);
    }
    cells->slots = 64;
    while (cells->slots < s->n) {
        cells->slots *= 2;
    }
    cells->first = ooze_alloc(cells->slots, sizeof *cells->first);
    cells->next = ooze_alloc(s->n, sizeof *cells->next);
    memset(cells->first, 255, cells->slots * sizeof *cells->first);
    for (uint64_t i = s->n; i-- > 0;) {
        int at[3];
        mps_cell(cells, s->x[i], at);
        uint32_t *slot = &cells->first[mps_slot(cells, at)];
        cells->next[i] = *slot;
        *slot = (uint32_t)i;
    }
}

static inline double mps_distance(const Mps *s, uint64_t i, uint64_t j)
{
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        double d = (double)s->x[j][k] - (double)s->x[i][k];
        d -= s->box[k] > 0.0 ? s->box[k] * rint(d / s->box[k]) : 0.0;
        square += d * d;
    }
    return sqrt(square);
}

/* Neighbours of particle i in the cell at[], written to `to` where that is not NULL. */
static inline uint64_t mps_visit(const Mps *s, const MpsCells *cells, uint64_t i, const int at[3],
                                 uint32_t *to)
{
    int c[3];
    uint64_t found = 0;
    for (int k = 0; k < 3; k++) {
        bool outside = at[k] < 0 || at[k] >= cells->count[k];
        if (outside && (!(s->box[k] > 0.0) || cells->count[k] < 3)) {
            return 0;
        }
        c[k] = (at[k] + cells->count[k]) % cells->count[k];
    }
    for (uint32_t j = cells->first[mps_slot(cells, c)]; j != UINT32_MAX; j = cells->next[j]) {
        int of[3]; /* a slot may hold several cells */
        mps_cell(cells, s->x[j], of);
        bool here = of[0] == c[0] && of[1] == c[1] && of[2] == c[2];
        if (here && j != i && mps_distance(s, i, j) < MPS_REACH * s->spacing) {
            if (to) {
                to[found] = j;
            }
            found++;
        }
    }
    return found;
}

static inline void mps_find_neighbours(Mps *s)
{
    MpsCells cells;
    mps_cells(&cells, s);
    s->first = ooze_alloc(s->n + 1, sizeof *s->first);
    for (int pass = 0; pass < 2; pass++) {
        uint64_t found = 0;
        for (uint64_t i = 0; i < s->n; i++) {
            int at[3], c[3];
            mps_cell(&cells, s->x[i], at);
            s->first[i] = found;
            for (int k = 0; k < 27; k++) {
                c[0] = at[0] + k % 3 - 1;
                c[1] = at[1] + k / 3 % 3 - 1;
                c[2] = at[2] + k / 9 - 1;
                found += mps_visit(s, &cells, i, c, pass ? s->neighbour + found : NULL);
            }
        }
        s->first[s->n] = found;
        if (pass == 0) {
            s->neighbour = ooze_alloc(found + 1, sizeof *s->neighbour);
            s->weight = ooze_alloc(found + 1, sizeof *s->weight);
        }
    }
    ooze_free(cells.first);
    ooze_free(cells.next);
}

/* ---- the matrix ---- */

/* Walls fill the neighbours that are missing below height `floor`, or, closed, all of them; the
   others are air at pressure 0. */
static inline void mps_assemble(Mps *s, double floor, bool closed)
{
    double n0 = 0.0, moment = 0.0, reach = MPS_REACH * s->spacing;
    for (int k = 0; k < 343; k++) {
        int a = k % 7 - 3, b = k / 7 % 7 - 3, c = k / 49 - 3;
        double r = s->spacing * sqrt((double)(a * a + b * b + c * c));
        n0 += k == 171 ? 0.0 : mps_weight(r, reach);
        moment += k == 171 ? 0.0 : mps_weight(r, reach) * r * r;
    }
    double scale = 6.0 / moment;
    mps_find_neighbours(s);
    s->stiffness = ooze_alloc_zero(s->n + 1, sizeof *s->stiffness);
    s->mass = ooze_alloc_zero(s->n + 1, sizeof *s->mass);
    s->diagonal = ooze_alloc_zero(s->n + 1, sizeof *s->diagonal);
    for (uint64_t i = 0; i < s->n; i++) {
        double sum = 0.0, density = 0.0, k = (double)s->inverse_density[i];
        for (uint64_t e = s->first[i]; e < s->first[i + 1]; e++) {
            uint64_t j = s->neighbour[e];
            double r = fmax(mps_distance(s, i, j), 0.1 * s->spacing), w = mps_weight(r, reach);
            density += w;
            s->weight[e] = (float)(scale * w * 0.5 * (k + (double)s->inverse_density[j]));
            sum += (double)s->weight[e];
        }
        s->stiffness[i] = (float)fmax(k, sum / (scale * density + 1e-30));
        bool wall = closed || (double)s->x[i][1] < floor + reach;
        double missing = n0 - density;
        missing = missing > 0.1 * n0 && !wall ? missing : 0.0;
        s->mass[i] = (float)(scale * missing * k);
        s->diagonal[i] = (float)(sum + (double)s->mass[i]);
    }
}

static inline void mps_free(Mps *s)
{
    void *blocks[] = {
        s->inverse_density, s->x, s->stiffness, s->mass, s->diagonal, s->first, s->neighbour,
        s->weight,          s->b, s->p,         s->ap,   s->r,        s->z,     s->solution,
        s->partial};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) {
        ooze_free(blocks[k]);
    }
    ooze_grid_multigrid_destroy(s->multigrid);
    memset(s, 0, sizeof *s);
}

/* ---- the solve ---- */

static inline void mps_multiply_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Mps *s = data;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        float ap = s->mass[i] * s->p[i];
        for (uint64_t e = s->first[i]; e < s->first[i + 1]; e++) {
            ap += s->weight[e] * (s->p[i] - s->p[s->neighbour[e]]); /* exact for constants */
        }
        s->ap[i] = ap;
        sum += (double)s->p[i] * (double)ap;
    }
    s->partial[begin / MPS_GRAIN] = sum;
}

static inline double mps_multiply(void *user)
{
    Mps *s = user;
    OozeBlockSum sum = {s->threads, s->n, MPS_GRAIN, s->partial, NULL};
    return ooze_block_sum(&sum, mps_multiply_range, s);
}

static inline void mps_advance_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Mps *s = data;
    double square = 0.0;
    float omega = s->multigrid ? OOZE_GRID_MULTIGRID_OMEGA : 1.0f;
    for (uint64_t i = begin; i < end; i++) {
        s->solution[i] += (float)s->alpha * s->p[i];
        s->r[i] -= (float)s->alpha * s->ap[i];
        s->z[i] = s->diagonal[i] > 0.0f ? omega * s->r[i] / s->diagonal[i] : 0.0f;
        square += (double)s->r[i] * (double)s->r[i];
    }
    s->partial[begin / MPS_GRAIN] = square;
}

static inline void mps_rz_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Mps *s = data;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        sum += (double)s->r[i] * (double)s->z[i];
    }
    s->partial[begin / MPS_GRAIN] = sum;
}

static inline double mps_advance(void *user, double alpha, double *square)
{
    Mps *s = user;
    OozeBlockSum sum = {s->threads, s->n, MPS_GRAIN, s->partial, NULL};
    s->alpha = alpha;
    *square = ooze_block_sum(&sum, mps_advance_range, s);
    if (s->multigrid) {
        ooze_grid_multigrid_apply(s->multigrid, s->r, s->z);
    }
    return ooze_block_sum(&sum, mps_rz_range, s);
}

static inline void mps_update_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Mps *s = data;
    for (uint64_t i = begin; i < end; i++) {
        s->p[i] = s->z[i] + (float)s->beta * s->p[i];
    }
}

static inline void mps_update(void *user, double beta)
{
    Mps *s = user;
    s->beta = beta;
    ooze_parallel_for(s->threads, s->n, MPS_GRAIN, mps_update_range, s);
}

static inline void mps_allocate(Mps *s)
{
    float **vectors[] = {&s->b, &s->p, &s->ap, &s->r, &s->z, &s->solution};
    for (size_t k = 0; k < 6; k++) {
        *vectors[k] = ooze_alloc_zero(s->n + 1, sizeof(float));
    }
    s->partial = ooze_alloc_zero(s->n / MPS_GRAIN + 1, sizeof(double));
}

/* A smooth field and noise; of mean 0 where the equation has no solution otherwise. */
static inline void mps_right_side(Mps *s, bool closed)
{
    double mean = 0.0, lengths = 40.0 * s->spacing;
    for (uint64_t i = 0; i < s->n; i++) {
        OozeF32x4 x = s->x[i];
        double wave = sin((double)x[0] / lengths) * cos((double)x[2] / lengths + 1.0);
        s->b[i] = (float)(1.0 + wave + 0.5 * mps_random(7 * i));
        mean += (double)s->b[i] / (double)s->n;
    }
    for (uint64_t i = 0; closed && i < s->n; i++) {
        s->b[i] -= (float)mean;
    }
}

static inline OozeStatus mps_build(Mps *s, OozeError *error)
{
    OozePeriodic periodic = {0};
    for (int k = 0; k < 3; k++) {
        periodic.length[k] = (float)s->box[k];
        periodic.inverse[k] = s->box[k] > 0.0 ? (float)(1.0 / s->box[k]) : 0.0f;
    }
    OozeGridMultigridInput input = {.n = s->n,
                                    .x = s->x,
                                    .spacing = s->spacing,
                                    .periodic = &periodic,
                                    .stiffness = s->stiffness,
                                    .mass = s->mass,
                                    .threads = s->threads};
    if (!s->multigrid) {
        s->multigrid = ooze_grid_multigrid_create();
    }
    return ooze_grid_multigrid_build(s->multigrid, &input, error);
}

/* Solves A solution = b from 0. */
static inline OozeConjugateGradients mps_solve(Mps *s, double tolerance, int iterations)
{
    static const OozeCgOperations operations = {mps_multiply, mps_advance, mps_update};
    OozeConjugateGradients cg = {.min_curvature = 0.0, .restarts = true};
    double square = 0.0;
    memset(s->solution, 0, s->n * sizeof *s->solution);
    memset(s->p, 0, s->n * sizeof *s->p);
    memset(s->ap, 0, s->n * sizeof *s->ap);
    memcpy(s->r, s->b, s->n * sizeof *s->r);
    double rz = mps_advance(s, 0.0, &square);
    mps_update(s, 0.0);
    ooze_cg_begin(&cg, rz, square, tolerance);
    ooze_conjugate_gradients(&cg, &operations, s, iterations);
    return cg;
}

#endif
