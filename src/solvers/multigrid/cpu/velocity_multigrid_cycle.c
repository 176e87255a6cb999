/* The V-cycle of velocity_multigrid.h on the processor, and the transfer between particles and the
   first level. */
#include "solvers/multigrid/cycle_formula.h"
#include "solvers/multigrid/velocity_multigrid_dense_formula.h"
#include "solvers/multigrid/velocity_multigrid_ranks.h"

/* ---- loops over parts ---- */

typedef struct Part {
    OozeRangeBody body;
    void *data;
    uint64_t begin;
    const uint32_t *list;
} Part;

static void between_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    const Part *part = data;
    part->body(part->data, part->begin + begin, part->begin + end, worker);
}

static void listed_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    const Part *part = data;
    for (uint64_t k = begin; k < end; k++) {
        part->body(part->data, part->list[k], (uint64_t)part->list[k] + 1, worker);
    }
}

void ooze_velocity_each_between(OozeThreads *threads, uint64_t begin, uint64_t end, uint64_t grain,
                                OozeRangeBody body, void *data)
{
    Part part = {.body = body, .data = data, .begin = begin};
    ooze_parallel_for(threads, end - begin, grain, between_range, &part);
}

void ooze_velocity_each_listed(OozeThreads *threads, const uint32_t *list, uint64_t count,
                               OozeRangeBody body, void *data)
{
    Part part = {.body = body, .data = data, .list = list};
    ooze_parallel_for(threads, count, OOZE_VELOCITY_ELEMENT_GRAIN, listed_range, &part);
}

/* Nodes of level k. */
static void each_node_between(const OozeVelocityMultigrid *mg, int k, uint64_t begin, uint64_t end,
                              OozeRangeBody body, OozeVelocitySweep *sweep)
{
    bool few = mg->grids.level[k].nodes < 4 * OOZE_VELOCITY_NODE_GRAIN;
    sweep->mg = mg;
    sweep->level = &mg->grids.level[k];
    sweep->rows = &mg->rows[k];
    ooze_velocity_each_between(few ? NULL : mg->grids.threads, begin, end, OOZE_VELOCITY_NODE_GRAIN,
                               body, sweep);
}

/* Those that this rank has. */
static void each_node(const OozeVelocityMultigrid *mg, int k, OozeRangeBody body,
                      OozeVelocitySweep *sweep)
{
    const OozeVelocityRows *rows = &mg->rows[k];
    each_node_between(mg, k, rows->node_begin, rows->node_end, body, sweep);
}

/* ---- between levels ---- */

/* b of the first level: sums over the corners at which the node is. */
static void add_corners(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeVelocitySweep *s = data;
    const OozeMultigridLevel *level = s->level;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 sum = {0};
        for (uint32_t e = level->node_first[i]; e < level->node_first[i + 1]; e++) {
            uint64_t corner = level->node_corner[e];
            sum += s->from[8 * ooze_velocity_local(s->rows, corner / 8) + corner % 8];
        }
        s->rows->b[i] = sum;
    }
}

/* The same for the nodes of isolated elements, some of which other ranks may have. */
static void add_isolated_corners(OozeVelocitySweep *sweep)
{
    const OozeMultigridLevel *level = sweep->level;
    for (uint64_t k = 0; k < 8 * level->isolated_count; k++) {
        uint32_t node = level->corner_node[8 * (uint64_t)level->isolated[k / 8] + k % 8];
        add_corners(sweep, node, (uint64_t)node + 1, 0);
    }
}

/* P^T of the residual of the finer level. */
static void restrict_nodes(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeVelocitySweep *s = data;
    const OozeVelocityRows *rows = s->rows;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 sum = {0};
        for (uint32_t e = rows->fine_first[i]; e < rows->fine_first[i + 1]; e++) {
            sum += rows->fine_weight[e] * s->from[rows->fine_node[e]];
        }
        s->to[i] = sum;
    }
}

/* x += P x of the next level. */
static void prolong_nodes(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeVelocitySweep *s = data;
    const OozeMultigridLevel *fine = s->level, *coarse = fine + 1;
    const OozeF32x4 *x = s->rows[1].x;
    for (uint64_t i = begin; i < end; i++) {
        if (fine->coarse_cell[i] != OOZE_MULTIGRID_NONE) {
            const uint32_t *node = coarse->corner_node + 8 * (uint64_t)fine->coarse_cell[i];
            OozeF32x4 sum = {0};
            for (int c = 0; c < 8; c++) {
                float weight = ooze_multigrid_half_weight(fine->coarse_place[i], c);
                sum += weight > 0.0f ? weight * x[node[c]] : ooze_f32x4_splat(0.0f);
            }
            s->rows->x[i] += sum;
        }
    }
}

/* b of level k from r of the finer one. */
static void restrict_level(const OozeVelocityMultigrid *mg, int k)
{
    const OozeVelocityRows *rows = &mg->rows[k], *fine_rows = rows - 1;
    OozeVelocitySweep sweep = {.from = fine_rows->r};
    uint64_t begin, end;
    sweep.to = ooze_velocity_is_gathered(mg, k) ? rows->r : rows->b;
    ooze_velocity_coarse_range(mg, k, &begin, &end);
    ooze_velocity_fetch_nodes(mg, k - 1, fine_rows->r);
    each_node_between(mg, k, begin, end, restrict_nodes, &sweep);
    ooze_velocity_gather_right_side(mg, k);
}

/* ---- the cycle ---- */

/* r and x of the smoother from x = 0. */
static void begin_from_zero(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeVelocitySweep *s = data;
    const OozeVelocityRows *rows = s->rows;
    for (uint64_t i = begin; i < end; i++) {
        rows->r[i] = rows->b[i];
        rows->x[i] = ooze_f32x4_splat(0.0f);
        rows->p[0][i] = s->chebyshev.step * ooze_velocity_times_f32x4(rows->inverse[i], rows->b[i]);
    }
}

static void solve_dense(const OozeVelocityMultigrid *mg, int k)
{
    const OozeVelocityRows *rows = &mg->rows[k];
    const uint64_t nodes = mg->grids.level[k].nodes;
    double *x = mg->dense_vector;
    for (uint64_t i = 0; i < 3 * nodes; i++) {
        x[i] = (double)rows->b[i / 3][i % 3];
    }
    ooze_velocity_solve_factor(mg->dense, 3 * nodes, x);
    for (uint64_t i = 0; i < nodes; i++) {
        rows->x[i] = ooze_f32x4((float)x[3 * i], (float)x[3 * i + 1], (float)x[3 * i + 2], 0.0f);
    }
}

/* A direction of the smoother, or the residual, from a vector that other ranks have parts of. */
static void multiply(const OozeVelocityMultigrid *mg, int k, OozeF32x4 *vector, OozeRangeBody body,
                     OozeVelocitySweep *sweep)
{
    ooze_velocity_fetch_nodes(mg, k, vector);
    sweep->from = vector;
    each_node(mg, k, body, sweep);
}

static void run_step(const OozeVelocityMultigrid *mg, const OozeCycleStep *step)
{
    const OozeVelocityLoops *loops = ooze_velocity_loops();
    const int k = step->level, d = step->direction;
    const OozeVelocityRows *rows = &mg->rows[k];
    OozeVelocitySweep sweep = {.mg = mg,
                               .level = &mg->grids.level[k],
                               .rows = rows,
                               .to = step->kind == OOZE_CYCLE_STEP ? rows->p[d % 2] : rows->r,
                               .chebyshev = ooze_velocity_chebyshev(d),
                               .first = d == 1};
    if (step->kind == OOZE_CYCLE_ZERO) {
        each_node(mg, k, begin_from_zero, &sweep);
    } else if (step->kind == OOZE_CYCLE_BEGIN) {
        multiply(mg, k, rows->x, loops->begin, &sweep);
    } else if (step->kind == OOZE_CYCLE_STEP) {
        multiply(mg, k, rows->p[(d - 1) % 2], loops->step, &sweep);
    } else if (step->kind == OOZE_CYCLE_ISOLATED) {
        ooze_parallel_for(mg->grids.threads, sweep.level->isolated_count,
                          OOZE_VELOCITY_ELEMENT_GRAIN, ooze_velocity_solve_isolated, &sweep);
    } else if (step->kind == OOZE_CYCLE_DENSE) {
        solve_dense(mg, k);
    } else if (step->kind == OOZE_CYCLE_RESIDUAL) {
        multiply(mg, k, rows->x, loops->residual, &sweep);
    } else if (step->kind == OOZE_CYCLE_RESTRICT) {
        restrict_level(mg, k);
    } else {
        each_node(mg, k, prolong_nodes, &sweep);
    }
}

uint64_t ooze_velocity_multigrid_block_products(const OozeVelocityMultigrid *mg)
{
    OozeCycle cycle;
    OozeCycleStep step;
    uint64_t sum = 0;
    ooze_cycle_start(&cycle, ooze_velocity_plan(), 0, mg->grids.levels - 1, mg->dense != NULL);
    while (ooze_cycle_next(&cycle, &step)) {
        bool multiplies = step.kind == OOZE_CYCLE_BEGIN || step.kind == OOZE_CYCLE_STEP ||
                          step.kind == OOZE_CYCLE_RESIDUAL;
        sum += multiplies ? mg->rows[step.level].row_first[mg->grids.level[step.level].nodes] : 0;
    }
    return sum;
}

/* A loop over the elements with particles of this rank, or those that it owns. */
static void each_element(const OozeVelocityMultigrid *mg, OozeRangeBody body, bool owned,
                         OozeVelocitySweep *sweep)
{
    const OozeVelocitySharing *s = mg->sharing;
    if (s) {
        ooze_velocity_each_listed(mg->grids.threads, owned ? s->owned : s->touched,
                                  owned ? s->owned_count : s->touched_count, body, sweep);
    } else {
        ooze_parallel_for(mg->grids.threads, mg->grids.level[0].cells, OOZE_VELOCITY_ELEMENT_GRAIN,
                          body, sweep);
    }
}

void ooze_velocity_multigrid_apply(OozeVelocityMultigrid *mg, const OozeF32x4 *r, OozeF32x4 *z)
{
    const OozeVelocityRows *rows = &mg->rows[0];
    const OozeVelocityLoops *loops = ooze_velocity_loops();
    OozeVelocitySweep sweep = {
        .mg = mg, .level = &mg->grids.level[0], .rows = rows, .from = r, .to = z};
    OozeCycle cycle;
    OozeCycleStep step;
    ooze_velocity_fetch_residuals(mg, r);
    each_element(mg, loops->restricts, true, &sweep);
    ooze_velocity_fetch_sums(mg);
    sweep.from = mg->corner_sums;
    each_node(mg, 0, add_corners, &sweep);
    if (ooze_velocity_is_shared(mg, 0)) {
        add_isolated_corners(&sweep);
    }
    ooze_cycle_start(&cycle, ooze_velocity_plan(), 0, mg->grids.levels - 1, mg->dense != NULL);
    while (ooze_cycle_next(&cycle, &step)) {
        run_step(mg, &step);
    }
    ooze_velocity_fetch_nodes(mg, 0, rows->x);
    sweep.from = rows->x;
    each_element(mg, loops->prolongs, false, &sweep);
}
