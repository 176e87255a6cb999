/* Vector loops of velocity_multigrid.h: element matrices of the first level and their coarsening,
   the rows of nodes, and transfer between particles and the first level. */
#include <string.h>

#include "solvers/multigrid/velocity_multigrid_levels.h"

/* ---- matrices of elements ------------------------------------------------------------------- */

static inline OozeVelocityParticle particle_of(const OozeVelocitySweep *s, uint32_t i)
{
    const OozeVelocityMultigridInput *in = s->input;
    return i < in->n ? (OozeVelocityParticle){in->mass[i], in->stiffness[i], in->bulk[i]}
                     : s->mg->sharing->migrant[i - in->n].particle;
}

/* NULL: it is not near a wall and free. */
static inline const OozeVelocityBoundaryParticle *find_boundary_particle(const OozeVelocitySweep *s,
                                                                         uint32_t i)
{
    const OozeVelocityMultigridInput *in = s->input;
    if (i >= in->n) {
        const OozeVelocityMigrant *migrant = &s->mg->sharing->migrant[i - in->n];
        return migrant->is_boundary_particle ? &migrant->boundary_particle : NULL;
    }
    return in->boundary_particle_of[i] != OOZE_MULTIGRID_NONE
               ? &in->boundary_particle[in->boundary_particle_of[i]]
               : NULL;
}

/* Ratio of bulk to shear of the particles of an element, where all are isotropic and have the same;
   negative: they differ. */
static float ratio_of(const OozeVelocitySweep *s, uint64_t e)
{
    const uint32_t *child = s->level->child;
    uint32_t first = s->level->child_first[e], last = s->level->child_first[e + 1];
    OozeVelocityParticle p = particle_of(s, child[first]);
    float shear = ooze_sym3_trace(p.stiffness) / 3.0f, ratio = shear > 0.0f ? p.bulk / shear : 0.0f;
    bool same = true;
    for (uint32_t k = first; k < last && same; k++) {
        p = particle_of(s, child[k]);
        same = ooze_velocity_has_ratio(p.stiffness, p.bulk, ratio);
    }
    return same ? ratio : -1.0f;
}

/* ooze_velocity_add_particle of the mean stiffness alone for the particles of an element, in
   registers: each product of functions is one of four numbers with a lane of another. */
static void add_isotropic(const OozeVelocitySweep *s, uint64_t e, OozeVelocityMoments *to)
{
    OozeF32x4 square[9] = {{0}}, mixed[9] = {{0}}, masses[9] = {{0}};
    for (uint32_t k = s->level->child_first[e]; k < s->level->child_first[e + 1]; k++) {
        const uint32_t i = s->level->child[k];
        const OozeF32x4 t = s->mg->grids.into[k];
        if (find_boundary_particle(s, i)) {
            continue;
        }
        const OozeVelocityParticle p = particle_of(s, i);
        OozeF32x4 q[3], weighted[3];
        float shear = ooze_sym3_trace(p.stiffness) / 3.0f;
        for (int m = 0; m < 3; m++) {
            float up = t[m], down = 1.0f - up;
            q[m] = ooze_f32x4(down * down, up * down, up * up, 0.0f);
            weighted[m] = shear * q[m];
        }
        for (int m = 0; m < 3; m++) {
            const int low = m == 0 ? 1 : 0, high = m == 2 ? 1 : 2;
            float h = t[low], j = t[high];
            OozeF32x4 corner = {(1.0f - j) * (1.0f - h), (1.0f - j) * h, j * (1.0f - h), j * h};
            OozeF32x4 across = (p.mass * q[2][m]) * q[1];
            square[3 * m] = OOZE_F32X4_FMA_LANE(weighted[high], 0, q[low], square[3 * m]);
            square[3 * m + 1] = OOZE_F32X4_FMA_LANE(weighted[high], 1, q[low], square[3 * m + 1]);
            square[3 * m + 2] = OOZE_F32X4_FMA_LANE(weighted[high], 2, q[low], square[3 * m + 2]);
            mixed[3 * m] = OOZE_F32X4_FMA_LANE(weighted[m], 0, corner, mixed[3 * m]);
            mixed[3 * m + 1] = OOZE_F32X4_FMA_LANE(weighted[m], 1, corner, mixed[3 * m + 1]);
            mixed[3 * m + 2] = OOZE_F32X4_FMA_LANE(weighted[m], 2, corner, mixed[3 * m + 2]);
            masses[3 * m] = OOZE_F32X4_FMA_LANE(across, 0, q[0], masses[3 * m]);
            masses[3 * m + 1] = OOZE_F32X4_FMA_LANE(across, 1, q[0], masses[3 * m + 1]);
            masses[3 * m + 2] = OOZE_F32X4_FMA_LANE(across, 2, q[0], masses[3 * m + 2]);
        }
    }
    memcpy(to->of[0].square, square, sizeof square);
    memcpy(to->of[0].mixed, mixed, sizeof mixed);
    memcpy(to->mass, masses, sizeof masses);
}

static void add_tensors(const OozeVelocitySweep *s, uint64_t e, OozeVelocityMoments *to)
{
    memset(to, 0, sizeof *to);
    for (uint32_t k = s->level->child_first[e]; k < s->level->child_first[e + 1]; k++) {
        const uint32_t i = s->level->child[k];
        const float into[3] = {s->mg->grids.into[k][0], s->mg->grids.into[k][1],
                               s->mg->grids.into[k][2]};
        if (!find_boundary_particle(s, i)) {
            const OozeVelocityParticle p = particle_of(s, i);
            ooze_velocity_add_particle(to, into, p.mass, p.stiffness, p.bulk);
        }
    }
}

/* Blocks of corner a; not a loop over a: indices become constants. */
static inline void add_corner(const OozeVelocityMoments *sum, int a, float ratio, float *half)
{
    for (int b = a; b < 8; b++) {
        ooze_velocity_add_pair(sum->of, sum->mass, a, b, ratio, half + ooze_velocity_pair(a, b));
    }
}

static void add_moments(const OozeVelocityMoments *sum, float ratio, float *half)
{
    add_corner(sum, 0, ratio, half);
    add_corner(sum, 1, ratio, half);
    add_corner(sum, 2, ratio, half);
    add_corner(sum, 3, ratio, half);
    add_corner(sum, 4, ratio, half);
    add_corner(sum, 5, ratio, half);
    add_corner(sum, 6, ratio, half);
    add_corner(sum, 7, ratio, half);
}

static void add_boundary_particles(const OozeVelocitySweep *s, uint64_t e, float *half)
{
    for (uint32_t k = s->level->child_first[e]; k < s->level->child_first[e + 1]; k++) {
        const uint32_t i = s->level->child[k];
        const float into[3] = {s->mg->grids.into[k][0], s->mg->grids.into[k][1],
                               s->mg->grids.into[k][2]};
        const OozeVelocityBoundaryParticle *boundary_particle = find_boundary_particle(s, i);
        if (boundary_particle) {
            const OozeVelocityParticle own = particle_of(s, i);
            OozeVelocityCorners corners;
            ooze_velocity_corners(boundary_particle, into, s->mg->grids.inverse, own.stiffness,
                                  &corners);
            ooze_velocity_add_boundary_particle(boundary_particle, &corners, &own, half);
        }
    }
}

static void elements(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeVelocitySweep *s = data;
    for (uint64_t e = begin; e < end; e++) {
        OozeVelocityMoments sum;
        float half[OOZE_VELOCITY_HALF] = {0}, ratio = ratio_of(s, e);
        if (ratio >= 0.0f) {
            add_isotropic(s, e, &sum);
            ooze_velocity_scale_basis(&sum.of[0], s->mg->grids.inverse);
            add_moments(&sum, ratio, half);
        } else {
            add_tensors(s, e, &sum);
            for (int c = 0; c < OOZE_VELOCITY_COEFFICIENTS; c++) {
                ooze_velocity_scale_basis(&sum.of[c], s->mg->grids.inverse);
            }
            add_moments(&sum, -1.0f, half);
        }
        add_boundary_particles(s, e, half);
        ooze_velocity_store(half, s->rows->element +
                                      OOZE_VELOCITY_ELEMENT * ooze_velocity_local(s->rows, e));
    }
}

enum { ROW = OOZE_VELOCITY_CORNER };

/* P^T for the two ends of an edge of a child: the end on the middle of the parent's edge gives half
   of its numbers to either end. */
static inline void share_four(float *end, float *middle)
{
    OozeF32x4 half = 0.5f * ooze_f32x4_load(middle);
    ooze_f32x4_store(half, middle);
    ooze_f32x4_store(ooze_f32x4_load(end) + half, end);
}

static inline void share_block(float *end, float *middle)
{
    share_four(end, middle);
    share_four(end + 4, middle + 4);
    middle[8] *= 0.5f;
    end[8] += middle[8];
}

/* P^T K P along one axis; `upper`: the child is the upper half of its parent. */
static inline void gather_axis(float rows[8][ROW], int axis, bool upper)
{
    for (int low = 0; low < 8; low++) {
        int high = low | 1 << axis, end = upper ? high : low, middle = upper ? low : high;
        if (low != high) {
            for (int k = 0; k < ROW; k += 4) {
                share_four(rows[end] + k, rows[middle] + k);
            }
        }
    }
    for (int a = 0; a < 8; a++) {
        for (int low = 0; low < 8; low++) {
            int high = low | 1 << axis, end = upper ? high : low, middle = upper ? low : high;
            if (low != high) {
                share_block(rows[a] + OOZE_VELOCITY_BLOCK * end,
                            rows[a] + OOZE_VELOCITY_BLOCK * middle);
            }
        }
    }
}

/* P^T K P for the place of a child in its parent. */
static void gather_child(float rows[8][ROW], int place)
{
    for (int axis = 0; axis < 3; axis++) {
        int bits = place >> (2 * axis) & 3;
        if (bits < 2) {
            gather_axis(rows, axis, bits == 1);
        }
    }
}

/* P^T K P, summed over the children. */
static void coarse_elements(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeVelocitySweep *s = data;
    const OozeMultigridLevel *level = s->level, *fine = level - 1;
    const OozeVelocityRows *rows = s->rows, *fine_rows = rows - 1;
    for (uint64_t e = begin; e < end; e++) {
        float full[8][ROW], sum[8 * ROW] = {0};
        for (uint32_t c = level->child_first[e]; c < level->child_first[e + 1]; c++) {
            const uint64_t child = level->child[c];
            memcpy(full,
                   fine_rows->element +
                       OOZE_VELOCITY_ELEMENT * ooze_velocity_local(fine_rows, child),
                   sizeof full);
            gather_child(full, fine->place[child]);
            const float *from = full[0];
            for (int k = 0; k < 8 * ROW; k++) {
                sum[k] += from[k];
            }
        }
        memcpy(rows->element + OOZE_VELOCITY_ELEMENT * e, sum, sizeof sum);
    }
}

/* ---- rows of nodes -------------------------------------------------------------------------- */

static inline void add_block(float *to, const float *block)
{
    ooze_f32x4_store(ooze_f32x4_load(to) + ooze_f32x4_load(block), to);
    ooze_f32x4_store(ooze_f32x4_load(to + 4) + ooze_f32x4_load(block + 4), to + 4);
    to[8] += block[8];
}

/* The row of a node all of whose neighbours exist: columns are the places of the stencil. */
static void add_regular_row(const OozeMultigridLevel *level, const OozeVelocityRows *rows,
                            uint64_t i, float *block)
{
    for (uint32_t c = level->node_first[i]; c < level->node_first[i + 1]; c++) {
        const uint64_t e = level->node_corner[c] / 8;
        const int a = (int)(level->node_corner[c] % 8);
        const float *element = rows->element +
                               OOZE_VELOCITY_ELEMENT * ooze_velocity_local(rows, e) +
                               OOZE_VELOCITY_CORNER * a;
        float *first = block + OOZE_VELOCITY_BLOCK * ooze_velocity_slot(a, 0);
        for (int b = 0; b < 8; b++) {
            add_block(first + OOZE_VELOCITY_BLOCK * ooze_multigrid_corner_slot(b),
                      element + OOZE_VELOCITY_BLOCK * b);
        }
    }
}

static void add_row(const OozeMultigridLevel *level, const OozeVelocityRows *rows, uint64_t i,
                    float *block)
{
    const uint32_t first = rows->row_first[i], count = rows->row_first[i + 1] - first;
    const uint32_t *column = rows->column + first;
    OozeVelocityRow row;
    ooze_velocity_find_row(level->corner_node, level->node_corner + level->node_first[i],
                           level->node_first[i + 1] - level->node_first[i], &row);
    ooze_velocity_number_row(&row);
    for (uint32_t c = level->node_first[i]; c < level->node_first[i + 1]; c++) {
        const uint64_t e = level->node_corner[c] / 8;
        const int a = (int)(level->node_corner[c] % 8);
        const float *element = rows->element +
                               OOZE_VELOCITY_ELEMENT * ooze_velocity_local(rows, e) +
                               OOZE_VELOCITY_CORNER * a;
        for (int b = 0; b < 8; b++) {
            uint32_t node = level->corner_node[8 * e + (uint64_t)b];
            uint32_t at = ooze_velocity_column(&row, column, count, a, b, node);
            add_block(block + OOZE_VELOCITY_BLOCK * at, element + OOZE_VELOCITY_BLOCK * b);
        }
    }
}

static void fill_rows(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeVelocitySweep *s = data;
    const OozeMultigridLevel *level = s->level;
    const OozeVelocityRows *rows = s->rows;
    for (uint64_t i = begin; i < end; i++) {
        const uint32_t first = rows->row_first[i], count = rows->row_first[i + 1] - first;
        float *block = rows->block + (uint64_t)OOZE_VELOCITY_BLOCK * first;
        OozeSym3 own = ooze_sym3_identity(0.0f);
        memset(block, 0, (uint64_t)OOZE_VELOCITY_BLOCK * count * sizeof *block);
        if (rows->regular[i]) {
            add_regular_row(level, rows, i, block);
        } else {
            add_row(level, rows, i, block);
        }
        for (uint32_t k = 0; k < count; k++) { /* several, across a short periodic axis */
            const float *d = block + OOZE_VELOCITY_BLOCK * k;
            OozeSym3 here = {d[0], d[4], d[8], d[1], d[2], d[5]};
            own = rows->column[first + k] == i ? ooze_sym3_add(own, here) : own;
        }
        rows->inverse[i] = ooze_velocity_inverse(own);
    }
}

/* ---- between particles and the first level -------------------------------------------------- */

static inline void weights_at(OozeF32x4 into, float w[8])
{
    const float at[3] = {into[0], into[1], into[2]};
    ooze_velocity_weights(at, w);
}

static void restricts(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeVelocitySweep *s = data;
    const OozeMultigridLevel *level = s->level;
    for (uint64_t e = begin; e < end; e++) {
        OozeF32x4 sum[8] = {{0}};
        for (uint32_t k = level->child_first[e]; k < level->child_first[e + 1]; k++) {
            uint64_t i = level->child[k], n = s->mg->grids.n;
            OozeF32x4 r = i < n ? s->from[i] : s->mg->sharing->migrant_residual[i - n];
            float w[8];
            weights_at(s->mg->grids.into[k], w);
            for (int c = 0; c < 8; c++) {
                sum[c] = ooze_f32x4_fma(ooze_f32x4_splat(w[c]), r, sum[c]);
            }
        }
        memcpy(s->mg->corner_sums + 8 * ooze_velocity_local(s->rows, e), sum, sizeof sum);
    }
}

static void prolongs(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeVelocitySweep *s = data;
    const OozeMultigridLevel *level = s->level;
    for (uint64_t e = begin; e < end; e++) {
        const uint32_t *node = level->corner_node + 8 * e;
        OozeF32x4 x[8];
        for (int c = 0; c < 8; c++) {
            x[c] = s->from[node[c]];
        }
        for (uint32_t k = level->child_first[e]; k < level->child_first[e + 1]; k++) {
            OozeF32x4 sum = {0};
            float w[8];
            if (level->child[k] >= s->mg->grids.n) {
                break; /* particles of other ranks come last */
            }
            weights_at(s->mg->grids.into[k], w);
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
static inline OozeF32x4 row_product(const OozeVelocityRows *rows, uint64_t i, const OozeF32x4 *x)
{
    const uint32_t first = rows->row_first[i], last = rows->row_first[i + 1];
    const float *block = rows->block + (uint64_t)OOZE_VELOCITY_BLOCK * first;
    OozeF32x4 sum[6] = {{0}};
    uint32_t k = first;
    for (; k + 2 <= last; k += 2, block += 2 * OOZE_VELOCITY_BLOCK) {
        OozeF32x4 a = x[rows->column[k]], b = x[rows->column[k + 1]];
        sum[0] = OOZE_F32X4_FMA_LANE(a, 0, ooze_f32x4_load(block), sum[0]);
        sum[1] = OOZE_F32X4_FMA_LANE(a, 1, ooze_f32x4_load(block + 3), sum[1]);
        sum[2] = OOZE_F32X4_FMA_LANE(a, 2, ooze_f32x4_load(block + 6), sum[2]);
        sum[3] = OOZE_F32X4_FMA_LANE(b, 0, ooze_f32x4_load(block + 9), sum[3]);
        sum[4] = OOZE_F32X4_FMA_LANE(b, 1, ooze_f32x4_load(block + 12), sum[4]);
        sum[5] = OOZE_F32X4_FMA_LANE(b, 2, ooze_f32x4_load(block + 15), sum[5]);
    }
    if (k < last) {
        OozeF32x4 a = x[rows->column[k]];
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
        s->to[i] = s->rows->b[i] - row_product(s->rows, i, s->from);
    }
}

static void begin_smooth(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeVelocitySweep *s = data;
    const OozeVelocityRows *rows = s->rows;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 r = rows->b[i] - row_product(rows, i, rows->x);
        rows->r[i] = r;
        rows->p[0][i] = s->chebyshev.step * ooze_velocity_times_f32x4(rows->inverse[i], r);
    }
}

static void step(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeVelocitySweep *s = data;
    const OozeVelocityRows *rows = s->rows;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 r = rows->r[i] - row_product(rows, i, s->from), before = s->from[i];
        OozeF32x4 p = s->chebyshev.carry * before +
                      s->chebyshev.step * ooze_velocity_times_f32x4(rows->inverse[i], r);
        rows->r[i] = r;
        s->to[i] = p;
        rows->x[i] += s->first ? before + p : p;
    }
}

const OozeVelocityLoops OOZE_LOOPS(ooze_velocity_loops) = {
    .elements = elements,
    .coarse_elements = coarse_elements,
    .rows = fill_rows,
    .restricts = restricts,
    .prolongs = prolongs,
    .residual = residual,
    .begin = begin_smooth,
    .step = step,
};
