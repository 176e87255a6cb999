#include "solvers/velocity_multigrid_dense_formula.h"
#include "solvers/velocity_multigrid_levels.h"

static void each_node(const OozeVelocityMultigrid *mg, const OozeVelocityLevel *level,
                      OozeRangeBody body, OozeVelocitySweep *sweep)
{
    bool few = level->nodes < 4 * OOZE_VELOCITY_NODE_GRAIN;
    sweep->mg = mg;
    sweep->level = level;
    ooze_parallel_for(few ? NULL : mg->threads, level->nodes, OOZE_VELOCITY_NODE_GRAIN, body,
                      sweep);
}

/* ---- between levels ---- */

/* b of the first level: sums over the corners at which the node is. */
static void add_corners(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeVelocitySweep *s = data;
    const OozeVelocityLevel *level = s->level;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 sum = {0};
        for (uint32_t e = level->node_first[i]; e < level->node_first[i + 1]; e++) {
            sum += s->from[level->node_corner[e]];
        }
        level->b[i] = sum;
    }
}

/* b of a coarser level: P^T of the residual of the finer one. */
static void restrict_nodes(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeVelocitySweep *s = data;
    const OozeVelocityLevel *level = s->level;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 sum = {0};
        for (uint32_t e = level->fine_first[i]; e < level->fine_first[i + 1]; e++) {
            sum += level->fine_weight[e] * s->from[level->fine_node[e]];
        }
        level->b[i] = sum;
    }
}

/* x += P x of the next level. */
static void prolong_nodes(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeVelocitySweep *s = data;
    const OozeVelocityLevel *fine = s->level, *coarse = fine + 1;
    for (uint64_t i = begin; i < end; i++) {
        if (fine->coarse_element[i] != OOZE_MULTIGRID_NONE) {
            const uint32_t *node = coarse->corner_node + 8 * (uint64_t)fine->coarse_element[i];
            OozeF32x4 sum = {0};
            for (int c = 0; c < 8; c++) {
                float weight = ooze_multigrid_half_weight(fine->coarse_place[i], c);
                sum += weight > 0.0f ? weight * coarse->x[node[c]] : ooze_f32x4_splat(0.0f);
            }
            fine->x[i] += sum;
        }
    }
}

/* ---- the cycle ---- */

/* r and x of the smoother from x = 0. */
static void begin_from_zero(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeVelocitySweep *s = data;
    const OozeVelocityLevel *level = s->level;
    for (uint64_t i = begin; i < end; i++) {
        level->r[i] = level->b[i];
        level->x[i] = ooze_f32x4_splat(0.0f);
        level->p[0][i] =
            s->chebyshev.step * ooze_velocity_times_f32x4(level->inverse[i], level->b[i]);
    }
}

static void smooth(const OozeVelocityMultigrid *mg, const OozeVelocityLevel *level, int degree,
                   bool from_zero)
{
    const OozeVelocityLoops *loops = ooze_velocity_loops();
    OozeVelocitySweep sweep = {.chebyshev = ooze_velocity_chebyshev()};
    each_node(mg, level, from_zero ? begin_from_zero : loops->begin, &sweep);
    for (int k = 1; k < degree; k++) {
        ooze_velocity_chebyshev_next(&sweep.chebyshev);
        sweep.from = level->p[(k - 1) % 2];
        sweep.to = level->p[k % 2];
        sweep.first = k == 1;
        each_node(mg, level, loops->step, &sweep);
    }
    if (from_zero) {
        ooze_parallel_for(mg->threads, level->isolated_count, OOZE_VELOCITY_ELEMENT_GRAIN,
                          ooze_velocity_solve_isolated, (void *)level);
    }
}

static void solve_dense(const OozeVelocityMultigrid *mg, const OozeVelocityLevel *level)
{
    double *x = mg->dense_vector;
    for (uint64_t i = 0; i < 3 * level->nodes; i++) {
        x[i] = (double)level->b[i / 3][i % 3];
    }
    ooze_velocity_solve_factor(mg->dense, 3 * level->nodes, x);
    for (uint64_t i = 0; i < level->nodes; i++) {
        level->x[i] = ooze_f32x4((float)x[3 * i], (float)x[3 * i + 1], (float)x[3 * i + 2], 0.0f);
    }
}

/* x = a cycle for A x = b on level k. */
static void cycle(const OozeVelocityMultigrid *mg, int k)
{
    const OozeVelocityLevel *level = &mg->level[k];
    const int degree = k == 0 ? OOZE_VELOCITY_FIRST_DEGREE : OOZE_VELOCITY_DEGREE,
              visits = k == 0 ? OOZE_VELOCITY_FIRST_VISITS : OOZE_VELOCITY_VISITS;
    if (k + 1 == mg->levels && mg->dense) {
        solve_dense(mg, level);
        return;
    }
    smooth(mg, level, degree, true);
    for (int visit = 0; visit < visits && k + 1 < mg->levels; visit++) {
        OozeVelocitySweep sweep = {.from = level->x, .to = level->r};
        each_node(mg, level, ooze_velocity_loops()->residual, &sweep);
        sweep = (OozeVelocitySweep){.from = level->r};
        each_node(mg, level + 1, restrict_nodes, &sweep);
        cycle(mg, k + 1);
        each_node(mg, level, prolong_nodes, &sweep);
        smooth(mg, level, degree, false);
    }
}

uint64_t ooze_velocity_multigrid_block_products(const OozeVelocityMultigrid *mg)
{
    uint64_t sum = 0, times = 1;
    for (int k = 0; k < mg->levels; k++) {
        const OozeVelocityLevel *level = &mg->level[k];
        const uint64_t degree = k == 0 ? OOZE_VELOCITY_FIRST_DEGREE : OOZE_VELOCITY_DEGREE;
        const uint64_t visits = k + 1 == mg->levels ? 0
                                : k == 0            ? OOZE_VELOCITY_FIRST_VISITS
                                                    : OOZE_VELOCITY_VISITS;
        bool dense = k + 1 == mg->levels && mg->dense;
        uint64_t products = dense ? 0 : degree - 1 + visits * (1 + degree);
        sum += times * products * level->row_first[level->nodes];
        times *= visits;
    }
    return sum;
}

void ooze_velocity_multigrid_apply(OozeVelocityMultigrid *mg, const OozeF32x4 *r, OozeF32x4 *z)
{
    const OozeVelocityLevel *first = &mg->level[0];
    const OozeVelocityLoops *loops = ooze_velocity_loops();
    OozeVelocitySweep sweep = {.mg = mg, .level = first, .from = r, .to = z};
    ooze_parallel_for(mg->threads, first->elements, OOZE_VELOCITY_ELEMENT_GRAIN, loops->restricts,
                      &sweep);
    sweep.from = mg->corner_sums;
    each_node(mg, first, add_corners, &sweep);
    cycle(mg, 0);
    sweep.from = first->x;
    ooze_parallel_for(mg->threads, first->elements, OOZE_VELOCITY_ELEMENT_GRAIN, loops->prolongs,
                      &sweep);
}
