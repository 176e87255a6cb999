/* Vector loops of grid_multigrid.h: element matrices and their coarsening, transfer between levels,
   and the smoother. */
#include <string.h>

#include "solvers/multigrid/grid_multigrid_levels.h"

/* Takes held nodes out of an element matrix. */
static void hold(float *element, const uint32_t *node, const uint8_t *held)
{
    for (int k = 0; k < 64; k++) {
        element[k] = held[node[k / 8]] || held[node[k % 8]] ? 0.0f : element[k];
    }
}

static void elements(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeMultigridSweep *s = data;
    const OozeMultigridLevel *level = s->level;
    for (uint64_t c = begin; c < end; c++) {
        OozeMultigridMoments sum = {{0}, {0}, {0}, {0}};
        for (uint32_t i = level->child_first[c]; i < level->child_first[c + 1]; i++) {
            const OozeF32x4 t = s->mg->grids.into[i];
            const float into[3] = {t[0], t[1], t[2]};
            const uint32_t particle = level->child[i];
            ooze_multigrid_add_particle(&sum, into, s->stiffness[particle], s->mass[particle]);
        }
        float *to = s->rows->element + 64 * c;
        ooze_multigrid_scale(&sum, s->mg->grids.inverse);
        ooze_multigrid_element_row(&sum, 0, to); /* not a loop: indices become constants */
        ooze_multigrid_element_row(&sum, 1, to + 8);
        ooze_multigrid_element_row(&sum, 2, to + 16);
        ooze_multigrid_element_row(&sum, 3, to + 24);
        ooze_multigrid_element_row(&sum, 4, to + 32);
        ooze_multigrid_element_row(&sum, 5, to + 40);
        ooze_multigrid_element_row(&sum, 6, to + 48);
        ooze_multigrid_element_row(&sum, 7, to + 56);
        if (s->held) {
            hold(to, level->corner_node + 8 * c, s->held);
        }
    }
}

/* to[2 a], to[2 a + 1]: row a of P^T B, plus to, of 8 x 8 matrices; p: P. */
static inline void add_transposed(const float *p, const OozeF32x4 *b, OozeF32x4 to[16])
{
    for (int a = 0; a < 8; a++) {
        OozeF32x4 low = to[2 * a], high = to[2 * a + 1];
        for (int k = 0; k < 8; k++) {
            OozeF32x4 weight = ooze_f32x4_splat(p[8 * k + a]);
            low = ooze_f32x4_fma(weight, b[2 * k], low);
            high = ooze_f32x4_fma(weight, b[2 * k + 1], high);
        }
        to[2 * a] = low;
        to[2 * a + 1] = high;
    }
}

/* ooze_multigrid_coarse_row for all rows: K P, which is K^T P as K is symmetric, then P^T (K P). */
static void coarse_elements(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeMultigridSweep *s = data;
    const OozeMultigridLevel *level = s->level, *fine = s->fine;
    for (uint64_t c = begin; c < end; c++) {
        OozeF32x4 sum[16] = {{0}};
        for (uint32_t e = level->child_first[c]; e < level->child_first[c + 1]; e++) {
            const uint64_t cell = level->child[e];
            const float *weight = s->mg->grids.child[fine->place[cell]].weight;
            OozeF32x4 p[16], kp[16] = {{0}};
            memcpy(p, weight, sizeof p);
            add_transposed(s->fine_rows->element + 64 * cell, p, kp);
            add_transposed(weight, kp, sum);
        }
        memcpy(s->rows->element + 64 * c, sum, sizeof sum);
    }
}

/* Weights of the corners with z = 0 and z = 1. */
typedef struct Weights {
    OozeF32x4 low, high;
} Weights;

static inline Weights weights_at(OozeF32x4 into)
{
    const OozeF32x4 sign = {-1, 1, -1, 1}, sign_y = {-1, -1, 1, 1};
    const OozeF32x4 base = {1, 0, 1, 0}, base_y = {1, 1, 0, 0};
    OozeF32x4 flat = (base + sign * into[0]) * (base_y + sign_y * into[1]);
    OozeF32x4 high = flat * into[2];
    return (Weights){flat - high, high};
}

static void restricts(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeMultigridSweep *s = data;
    const OozeMultigridLevel *level = s->level;
    for (uint64_t c = begin; c < end; c++) {
        OozeF32x4 low = {0}, high = {0};
        for (uint32_t i = level->child_first[c]; i < level->child_first[c + 1]; i++) {
            Weights w = weights_at(s->mg->grids.into[i]);
            float r = s->from[level->child[i]];
            low += w.low * r;
            high += w.high * r;
        }
        ooze_f32x4_store(low, s->to + 8 * c);
        ooze_f32x4_store(high, s->to + 8 * c + 4);
    }
}

static void prolongs(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeMultigridSweep *s = data;
    const OozeMultigridLevel *level = s->level;
    const float *x = s->from;
    for (uint64_t c = begin; c < end; c++) {
        const uint32_t *node = level->corner_node + 8 * c;
        const OozeF32x4 low = {x[node[0]], x[node[1]], x[node[2]], x[node[3]]};
        const OozeF32x4 high = {x[node[4]], x[node[5]], x[node[6]], x[node[7]]};
        for (uint32_t i = level->child_first[c]; i < level->child_first[c + 1]; i++) {
            Weights w = weights_at(s->mg->grids.into[i]);
            s->to[level->child[i]] += ooze_f32x4_sum(w.low * low + w.high * high);
        }
    }
}

/* Row i of A x. */
static inline float row_product(const OozePressureRows *rows, uint64_t i, const float *x)
{
    const uint32_t *run = rows->run + OOZE_MULTIGRID_RUNS * i;
    const float *c = rows->coefficient + 4 * OOZE_MULTIGRID_RUNS * i;
    OozeF32x4 sum[3] = {{0}, {0}, {0}};
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < 3; j++) {
            sum[j] = ooze_f32x4_fma(ooze_f32x4_load(c + 12 * k + 4 * j),
                                    ooze_f32x4_load(x + run[3 * k + j]), sum[j]);
        }
    }
    float ax = ooze_f32x4_sum(sum[0] + sum[1] + sum[2]);
    if (rows->across && rows->across[OOZE_MULTIGRID_RUNS * i] != OOZE_MULTIGRID_NONE) {
        const uint32_t *across = rows->across + OOZE_MULTIGRID_RUNS * i;
        for (int k = 0; k < OOZE_MULTIGRID_RUNS; k++) {
            ax += rows->across_coefficient[OOZE_MULTIGRID_RUNS * i + (uint64_t)k] * x[across[k]];
        }
    }
    return ax;
}

static void smooth(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeMultigridSweep *s = data;
    const OozePressureRows *rows = s->rows;
    const float *x = s->from;
    for (uint64_t i = begin; i < end; i++) {
        float residual = rows->b[i] - row_product(rows, i, x);
        s->to[i] = x[i] + OOZE_MULTIGRID_DAMPING * rows->inverse[i] * residual;
    }
}

static void residual(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeMultigridSweep *s = data;
    for (uint64_t i = begin; i < end; i++) {
        s->to[i] = s->rows->b[i] - row_product(s->rows, i, s->from);
    }
}

const OozeMultigridLoops OOZE_LOOPS(ooze_multigrid_loops) = {
    .elements = elements,
    .coarse_elements = coarse_elements,
    .restricts = restricts,
    .prolongs = prolongs,
    .smooth = smooth,
    .residual = residual,
};
