#include <string.h>

#include "solvers/velocity_multigrid_levels.h"

/* ---- matrices of elements ------------------------------------------------------------------- */

/* Whether all particles of an element have the same stiffness in all directions. */
static bool is_isotropic(const OozeVelocitySweep *s, uint64_t e)
{
    bool isotropic = true;
    for (uint32_t k = s->level->child_first[e]; k < s->level->child_first[e + 1]; k++) {
        isotropic =
            isotropic && ooze_velocity_is_isotropic(s->input->stiffness[s->level->child[k]]);
    }
    return isotropic;
}

static void elements(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeVelocitySweep *s = data;
    const OozeVelocityMultigridInput *in = s->input;
    const OozeVelocityLevel *level = s->level;
    for (uint64_t e = begin; e < end; e++) {
        OozeVelocityMoments sum;
        float *to = level->element + OOZE_VELOCITY_ELEMENT * e;
        bool isotropic = is_isotropic(s, e), any = false;
        memset(&sum, 0, sizeof sum);
        memset(to, 0, OOZE_VELOCITY_ELEMENT * sizeof *to);
        for (uint32_t k = level->child_first[e]; k < level->child_first[e + 1]; k++) {
            const uint32_t i = level->child[k], special = in->special_of[i];
            const float into[3] = {s->mg->into[k][0], s->mg->into[k][1], s->mg->into[k][2]};
            if (special == OOZE_MULTIGRID_NONE) {
                ooze_velocity_add_particle(&sum, into, in->mass[i], in->stiffness[i], in->bulk[i],
                                           isotropic);
                any = true;
            } else {
                OozeVelocityCorners corners;
                ooze_velocity_corners(&in->special[special], into, s->mg->inverse, in->stiffness[i],
                                      &corners);
                ooze_velocity_add_special(&in->special[special], &corners, in->mass[i],
                                          in->stiffness[i], in->bulk[i], to);
            }
        }
        if (any) {
            ooze_velocity_add_moments(&sum, s->mg->inverse, isotropic, to);
        }
    }
}

enum { ROW = 8 * OOZE_VELOCITY_BLOCK }; /* blocks of one corner with all corners */

/* All blocks of a stored matrix. */
static void expand(const float *element, float full[8][ROW])
{
    for (int a = 0; a < 8; a++) {
        for (int b = a; b < 8; b++) {
            const float *block = element + ooze_velocity_pair(a, b);
            for (int k = 0; k < 9; k++) {
                full[a][9 * b + k] = block[k];
                full[b][9 * a + 3 * (k % 3) + k / 3] = block[k];
            }
        }
    }
}

/* rows = P^T rows along one axis; `half`: the child is the upper half of its parent. A corner on
   the middle of the parent's edge gives half of its row to either end. */
static inline void gather_axis(float rows[8][ROW], int axis, int half)
{
    for (int a = 0; a < 8; a++) {
        if (!(a >> axis & 1)) {
            float *low = rows[a], *high = rows[a | 1 << axis];
            for (int k = 0; k < ROW; k++) {
                float middle = 0.5f * (half ? low[k] : high[k]);
                low[k] = half ? middle : low[k] + middle;
                high[k] = half ? high[k] + middle : middle;
            }
        }
    }
}

static void gather_rows(float rows[8][ROW], int place)
{
    for (int axis = 0; axis < 3; axis++) {
        int bits = place >> (2 * axis) & 3;
        if (bits == 0) {
            gather_axis(rows, axis, 0);
        } else if (bits == 1) {
            gather_axis(rows, axis, 1);
        }
    }
}

/* K becomes its transpose: rows of corners and of velocities change place with columns. */
static void transpose(float from[8][ROW], float to[8][ROW])
{
    for (int a = 0; a < 8; a++) {
        for (int b = 0; b < 8; b++) {
            for (int k = 0; k < 9; k++) {
                to[b][9 * a + 3 * (k % 3) + k / 3] = from[a][9 * b + k];
            }
        }
    }
}

/* P^T K P, summed over the children: P^T K, then P^T of its transpose, as K is symmetric. */
static void coarse_elements(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeVelocitySweep *s = data;
    const OozeVelocityLevel *level = s->level, *fine = level - 1;
    for (uint64_t e = begin; e < end; e++) {
        float full[8][ROW], turned[8][ROW];
        float *to = level->element + OOZE_VELOCITY_ELEMENT * e;
        memset(to, 0, OOZE_VELOCITY_ELEMENT * sizeof *to);
        for (uint32_t c = level->child_first[e]; c < level->child_first[e + 1]; c++) {
            const uint64_t child = level->child[c];
            expand(fine->element + OOZE_VELOCITY_ELEMENT * child, full);
            gather_rows(full, fine->place[child]);
            transpose(full, turned);
            gather_rows(turned, fine->place[child]);
            for (int a = 0; a < 8; a++) {
                float *row = to + ooze_velocity_pair(a, a);
                for (int k = 0; k < 9 * (8 - a); k++) {
                    row[k] += turned[a][9 * a + k];
                }
            }
        }
    }
}

/* ---- rows of nodes -------------------------------------------------------------------------- */

static inline uint32_t place_of(const uint32_t *column, uint32_t count, uint32_t node)
{
    uint32_t at = 0;
    while (at + 1 < count && column[at] != node) {
        at++;
    }
    return at;
}

static void rows(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeVelocitySweep *s = data;
    const OozeVelocityLevel *level = s->level;
    for (uint64_t i = begin; i < end; i++) {
        const uint32_t first = level->row_first[i], count = level->row_first[i + 1] - first;
        const uint32_t *column = level->column + first;
        float *block = level->block + (uint64_t)OOZE_VELOCITY_BLOCK * first;
        memset(block, 0, (uint64_t)OOZE_VELOCITY_BLOCK * count * sizeof *block);
        for (uint32_t c = level->node_first[i]; c < level->node_first[i + 1]; c++) {
            const uint64_t e = level->node_corner[c] / 8;
            const int a = (int)(level->node_corner[c] % 8);
            const float *element = level->element + OOZE_VELOCITY_ELEMENT * e;
            for (int b = 0; b < 8; b++) {
                uint32_t node = level->corner_node[8 * e + (uint64_t)b];
                float *to = block + OOZE_VELOCITY_BLOCK * place_of(column, count, node);
                const float *from = element + ooze_velocity_pair(a < b ? a : b, a < b ? b : a);
                for (int k = 0; k < 9; k++) { /* column by column */
                    to[k] += a <= b ? from[3 * (k % 3) + k / 3] : from[k];
                }
            }
        }
        const float *own = block + OOZE_VELOCITY_BLOCK * place_of(column, count, (uint32_t)i);
        level->inverse[i] =
            ooze_velocity_inverse(ooze_sym3(own[0], own[4], own[8], own[1], own[2], own[5]));
    }
}

/* ---- between particles and the first level -------------------------------------------------- */

static inline void weights_at(OozeF32x4 into, float w[8])
{
    float x[2] = {1.0f - into[0], into[0]}, y[2] = {1.0f - into[1], into[1]};
    for (int c = 0; c < 4; c++) {
        float flat = x[c & 1] * y[c >> 1];
        w[c + 4] = flat * into[2];
        w[c] = flat - w[c + 4];
    }
}

static void restricts(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeVelocitySweep *s = data;
    const OozeVelocityLevel *level = s->level;
    for (uint64_t e = begin; e < end; e++) {
        OozeF32x4 sum[8] = {{0}};
        for (uint32_t k = level->child_first[e]; k < level->child_first[e + 1]; k++) {
            OozeF32x4 r = s->from[level->child[k]];
            float w[8];
            weights_at(s->mg->into[k], w);
            for (int c = 0; c < 8; c++) {
                sum[c] = ooze_f32x4_fma(ooze_f32x4_splat(w[c]), r, sum[c]);
            }
        }
        memcpy(s->mg->corner_sums + 8 * e, sum, sizeof sum);
    }
}

static void prolongs(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeVelocitySweep *s = data;
    const OozeVelocityLevel *level = s->level;
    for (uint64_t e = begin; e < end; e++) {
        const uint32_t *node = level->corner_node + 8 * e;
        OozeF32x4 x[8];
        for (int c = 0; c < 8; c++) {
            x[c] = s->from[node[c]];
        }
        for (uint32_t k = level->child_first[e]; k < level->child_first[e + 1]; k++) {
            OozeF32x4 sum = {0};
            float w[8];
            weights_at(s->mg->into[k], w);
            for (int c = 0; c < 8; c++) {
                sum = ooze_f32x4_fma(ooze_f32x4_splat(w[c]), x[c], sum);
            }
            sum[3] = 0.0f;
            s->to[level->child[k]] = sum;
        }
    }
}

/* ---- nodes ---------------------------------------------------------------------------------- */

/* Row i of A x; the last lane is undefined. */
static inline OozeF32x4 row_product(const OozeVelocityLevel *level, uint64_t i, const OozeF32x4 *x)
{
    const uint32_t first = level->row_first[i], last = level->row_first[i + 1];
    const float *block = level->block + (uint64_t)OOZE_VELOCITY_BLOCK * first;
    OozeF32x4 sum[6] = {{0}};
    uint32_t k = first;
    for (; k + 2 <= last; k += 2, block += 2 * OOZE_VELOCITY_BLOCK) {
        OozeF32x4 a = x[level->column[k]], b = x[level->column[k + 1]];
        sum[0] = OOZE_F32X4_FMA_LANE(a, 0, ooze_f32x4_load(block), sum[0]);
        sum[1] = OOZE_F32X4_FMA_LANE(a, 1, ooze_f32x4_load(block + 3), sum[1]);
        sum[2] = OOZE_F32X4_FMA_LANE(a, 2, ooze_f32x4_load(block + 6), sum[2]);
        sum[3] = OOZE_F32X4_FMA_LANE(b, 0, ooze_f32x4_load(block + 9), sum[3]);
        sum[4] = OOZE_F32X4_FMA_LANE(b, 1, ooze_f32x4_load(block + 12), sum[4]);
        sum[5] = OOZE_F32X4_FMA_LANE(b, 2, ooze_f32x4_load(block + 15), sum[5]);
    }
    if (k < last) {
        OozeF32x4 a = x[level->column[k]];
        sum[0] = OOZE_F32X4_FMA_LANE(a, 0, ooze_f32x4_load(block), sum[0]);
        sum[1] = OOZE_F32X4_FMA_LANE(a, 1, ooze_f32x4_load(block + 3), sum[1]);
        sum[2] = OOZE_F32X4_FMA_LANE(a, 2, ooze_f32x4_load(block + 6), sum[2]);
    }
    return ((sum[0] + sum[3]) + (sum[1] + sum[4])) + (sum[2] + sum[5]);
}

static void residual(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeVelocitySweep *s = data;
    for (uint64_t i = begin; i < end; i++) {
        s->to[i] = s->level->b[i] - row_product(s->level, i, s->from);
    }
}

static void begin_smooth(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeVelocitySweep *s = data;
    const OozeVelocityLevel *level = s->level;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 r = level->b[i] - row_product(level, i, level->x);
        level->r[i] = r;
        level->p[0][i] = s->chebyshev.step * ooze_velocity_times_f32x4(level->inverse[i], r);
    }
}

static void step(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeVelocitySweep *s = data;
    const OozeVelocityLevel *level = s->level;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 r = level->r[i] - row_product(level, i, s->from), before = s->from[i];
        OozeF32x4 p = s->chebyshev.carry * before +
                      s->chebyshev.step * ooze_velocity_times_f32x4(level->inverse[i], r);
        level->r[i] = r;
        s->to[i] = p;
        level->x[i] += s->first ? before + p : p;
    }
}

static void power(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeVelocitySweep *s = data;
    const OozeVelocityLevel *level = s->level;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 v = ooze_velocity_times_f32x4(level->inverse[i], row_product(level, i, s->from));
        s->to[i] = v;
        sum += (double)ooze_f32x4_dot3(v, v);
    }
    s->mg->partial[begin / OOZE_VELOCITY_NODE_GRAIN] = sum;
}

const OozeVelocityLoops OOZE_LOOPS(ooze_velocity_loops) = {
    .elements = elements,
    .coarse_elements = coarse_elements,
    .rows = rows,
    .restricts = restricts,
    .prolongs = prolongs,
    .residual = residual,
    .begin = begin_smooth,
    .step = step,
    .power = power,
};
