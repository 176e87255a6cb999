/* The V-cycle of grid_multigrid.h on the processor, and the transfer between particles and the
   first level. */
#include <string.h>

#include "solvers/linear/conjugate_gradients.h"
#include "solvers/multigrid/cycle_formula.h"
#include "solvers/multigrid/grid_multigrid_ranks.h"

/* Nodes of level k. */
static void each_node(const OozeGridMultigrid *mg, int k, OozeRangeBody body,
                      OozeMultigridSweep *sweep)
{
    const OozeMultigridLevel *level = &mg->grids.level[k];
    bool few = level->nodes < 4 * OOZE_MULTIGRID_NODE_GRAIN;
    sweep->mg = mg;
    sweep->level = level;
    sweep->rows = &mg->rows[k];
    ooze_parallel_for(few ? NULL : mg->grids.threads, level->nodes, OOZE_MULTIGRID_NODE_GRAIN, body,
                      sweep);
}

/* ---- between levels ---- */

/* b of the first level: sums over the corners at which the node is. */
static void add_corners(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeMultigridSweep *s = data;
    const OozeMultigridLevel *level = s->level;
    for (uint64_t i = begin; i < end; i++) {
        float sum = 0.0f;
        for (uint32_t e = level->node_first[i]; e < level->node_first[i + 1]; e++) {
            sum += s->from[level->node_corner[e]];
        }
        s->rows->b[i] = sum;
    }
}

/* b of a coarser level: P^T of the residual of the finer one. */
static void restrict_nodes(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeMultigridSweep *s = data;
    for (uint64_t i = begin; i < end; i++) {
        s->rows->b[i] = ooze_multigrid_restricted(s->rows, i, s->from);
    }
}

/* to += P x, to the nodes of the finer level. */
static void prolong_nodes(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeMultigridSweep *s = data;
    const OozeMultigridLevel *fine = s->level, *coarse = fine + 1;
    for (uint64_t i = begin; i < end; i++) {
        if (fine->coarse_cell[i] != OOZE_MULTIGRID_NONE) {
            const uint32_t *node = coarse->corner_node + 8 * (uint64_t)fine->coarse_cell[i];
            float sum = 0.0f;
            for (int c = 0; c < 8; c++) {
                sum += ooze_multigrid_half_weight(fine->coarse_place[i], c) * s->from[node[c]];
            }
            s->to[i] += sum;
        }
    }
}

/* ---- the cycle ---- */

/* A step of the smoother from x = 0. */
static void begin_smooth(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeMultigridSweep *s = data;
    const OozePressureRows *rows = s->rows;
    for (uint64_t i = begin; i < end; i++) {
        s->to[i] = OOZE_MULTIGRID_DAMPING * rows->inverse[i] * rows->b[i];
    }
}

static void solve_dense(const OozeGridMultigrid *mg, int k)
{
    const uint64_t nodes = mg->grids.level[k].nodes;
    const OozePressureRows *rows = &mg->rows[k];
    for (uint64_t i = 0; i < nodes; i++) {
        double sum = 0.0;
        for (uint64_t j = 0; j < nodes; j++) {
            sum += mg->dense[i * nodes + j] * (double)rows->b[j];
        }
        rows->x[1][i] = (float)sum;
    }
}

static void run_step(const OozeGridMultigrid *mg, const OozeCycleStep *step)
{
    const OozeMultigridLoops *loops = ooze_multigrid_loops();
    const int k = step->level;
    const OozePressureRows *rows = &mg->rows[k];
    OozeMultigridSweep sweep = {.from = rows->x[0], .to = rows->x[0]};
    if (step->kind == OOZE_CYCLE_ZERO) {
        each_node(mg, k, begin_smooth, &sweep);
    } else if (step->kind == OOZE_CYCLE_BEGIN) {
        sweep.to = rows->x[1];
        each_node(mg, k, loops->smooth, &sweep);
    } else if (step->kind == OOZE_CYCLE_DENSE) {
        solve_dense(mg, k);
    } else if (step->kind == OOZE_CYCLE_RESIDUAL) {
        sweep.to = rows->r;
        each_node(mg, k, loops->residual, &sweep);
    } else if (step->kind == OOZE_CYCLE_RESTRICT && k == 1 && mg->shared) {
        ooze_multigrid_shared_right_side(mg);
    } else if (step->kind == OOZE_CYCLE_RESTRICT) {
        sweep.from = mg->rows[k - 1].r;
        each_node(mg, k, restrict_nodes, &sweep);
    } else if (step->kind == OOZE_CYCLE_PROLONG) {
        sweep.from = mg->rows[k + 1].x[1];
        each_node(mg, k, prolong_nodes, &sweep);
    }
}

/* One cycle for A x = b on the first level. The solution of each level is in x[1]. */
static void cycle(const OozeGridMultigrid *mg)
{
    OozeCycle cycle;
    OozeCycleStep step;
    ooze_cycle_start(&cycle, ooze_pressure_plan(), 0, mg->grids.levels - 1, mg->dense != NULL);
    while (ooze_cycle_next(&cycle, &step)) {
        run_step(mg, &step);
    }
}

/* ---- between particles and the first level ---- */

void ooze_multigrid_restrict(const OozeGridMultigrid *mg, const float *r)
{
    const OozeMultigridLevel *first = &mg->grids.level[0];
    OozeMultigridSweep sweep = {.mg = mg, .level = first, .from = r, .to = mg->corner_sums};
    if (mg->shared) {
        ooze_multigrid_shared_restrict(mg, r);
    } else {
        ooze_parallel_for(mg->grids.threads, first->cells, OOZE_MULTIGRID_CELL_GRAIN,
                          ooze_multigrid_loops()->restricts, &sweep);
    }
    sweep.from = mg->corner_sums;
    each_node(mg, 0, add_corners, &sweep);
}

/* z += P x */
static void prolong(const OozeGridMultigrid *mg, const float *x, float *z)
{
    const OozeMultigridLevel *first = &mg->grids.level[0];
    OozeMultigridSweep sweep = {.mg = mg, .level = first, .from = x, .to = z};
    if (mg->shared) {
        ooze_multigrid_shared_prolong(mg, x, z);
    } else {
        ooze_parallel_for(mg->grids.threads, first->cells, OOZE_MULTIGRID_CELL_GRAIN,
                          ooze_multigrid_loops()->prolongs, &sweep);
    }
}

static void sum_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeMultigridSweep *s = data;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        sum += (double)s->from[i];
    }
    s->mg->partial[begin / OOZE_SPLIT_BLOCK] = sum;
}

/* Mean of a vector of the particles. */
static float mean_of(const OozeGridMultigrid *mg, const float *v)
{
    OozeMultigridSweep sweep = {.mg = mg, .from = v};
    OozeBlockSum sum = {mg->grids.threads, mg->grids.n, OOZE_SPLIT_BLOCK, mg->partial, mg->halo};
    return (float)(ooze_block_sum(&sum, sum_range, &sweep) / (double)mg->all);
}

/* Takes the mean of r out of b = P^T r. */
static void project_b(const OozeGridMultigrid *mg, const float *r)
{
    float mean = mean_of(mg, r);
    for (uint64_t i = 0; i < mg->grids.level[0].nodes; i++) {
        mg->rows[0].b[i] -= mean * mg->node_weight[i];
    }
}

/* z += P x without its mean. */
static void prolong_without_mean(const OozeGridMultigrid *mg, const float *x, float *z)
{
    for (uint64_t i = 0; i < mg->grids.n; i++) {
        mg->correction[i] = -0.0f;
    }
    prolong(mg, x, mg->correction);
    float mean = mean_of(mg, mg->correction);
    for (uint64_t i = 0; i < mg->grids.n; i++) {
        z[i] += mg->correction[i] - mean;
    }
}

void ooze_grid_multigrid_apply(OozeGridMultigrid *mg, const float *r, float *z)
{
    const float *x = mg->rows[0].x[1];
    if (mg->grids.levels == 0) {
        return;
    }
    ooze_multigrid_restrict(mg, r);
    if (mg->singular) {
        project_b(mg, r);
        cycle(mg);
        prolong_without_mean(mg, x, z);
    } else {
        cycle(mg);
        prolong(mg, x, z);
    }
}

void ooze_grid_multigrid_cycle(OozeGridMultigrid *mg, const float *b, float *x)
{
    const OozeMultigridLevel *first = &mg->grids.level[0];
    if (mg->grids.levels == 0) {
        return;
    }
    memcpy(mg->rows[0].b, b, first->nodes * sizeof *b);
    cycle(mg);
    memcpy(x, mg->rows[0].x[1], first->nodes * sizeof *x);
}
