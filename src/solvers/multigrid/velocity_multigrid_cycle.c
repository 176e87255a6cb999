/* The V-cycle of velocity_multigrid.h on the processor, and the transfer between particles and the
   first level. */
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

/* The nodes of a level that this rank has. */
static void each_node(const OozeVelocityMultigrid *mg, const OozeVelocityLevel *level,
                      OozeRangeBody body, OozeVelocitySweep *sweep)
{
    bool few = level->nodes < 4 * OOZE_VELOCITY_NODE_GRAIN;
    sweep->mg = mg;
    sweep->level = level;
    ooze_velocity_each_between(few ? NULL : mg->threads, level->node_begin, level->node_end,
                               OOZE_VELOCITY_NODE_GRAIN, body, sweep);
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
            uint64_t corner = level->node_corner[e];
            sum += s->from[8 * ooze_velocity_local(level, corner / 8) + corner % 8];
        }
        level->b[i] = sum;
    }
}

/* The same for the nodes of isolated elements, some of which other ranks may have. */
static void add_isolated_corners(OozeVelocitySweep *sweep)
{
    const OozeVelocityLevel *level = sweep->level;
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
    const OozeVelocityLevel *level = s->level;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 sum = {0};
        for (uint32_t e = level->fine_first[i]; e < level->fine_first[i + 1]; e++) {
            sum += level->fine_weight[e] * s->from[level->fine_node[e]];
        }
        s->to[i] = sum;
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

/* b of a coarser level from r of the finer one. */
static void restrict_level(const OozeVelocityMultigrid *mg, const OozeVelocityLevel *fine)
{
    const OozeVelocityLevel *level = fine + 1;
    bool gathered = ooze_velocity_is_gathered(mg, level);
    bool few = level->nodes < 4 * OOZE_VELOCITY_NODE_GRAIN;
    OozeVelocitySweep sweep = {.mg = mg, .level = level, .from = fine->r};
    uint64_t begin, end;
    sweep.to = gathered ? level->r : level->b;
    ooze_velocity_coarse_range(mg, level, &begin, &end);
    ooze_velocity_fetch_nodes(mg, fine, fine->r);
    ooze_velocity_each_between(few ? NULL : mg->threads, begin, end, OOZE_VELOCITY_NODE_GRAIN,
                               restrict_nodes, &sweep);
    ooze_velocity_gather_right_side(mg, level);
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
    if (!from_zero) {
        ooze_velocity_fetch_nodes(mg, level, level->x);
    }
    each_node(mg, level, from_zero ? begin_from_zero : loops->begin, &sweep);
    for (int k = 1; k < degree; k++) {
        ooze_velocity_chebyshev_next(&sweep.chebyshev);
        sweep.from = level->p[(k - 1) % 2];
        sweep.to = level->p[k % 2];
        sweep.first = k == 1;
        ooze_velocity_fetch_nodes(mg, level, level->p[(k - 1) % 2]);
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
        ooze_velocity_fetch_nodes(mg, level, level->x);
        each_node(mg, level, ooze_velocity_loops()->residual, &sweep);
        restrict_level(mg, level);
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

/* A loop over the elements with particles of this rank, or those that it owns. */
static void each_element(const OozeVelocityMultigrid *mg, OozeRangeBody body, bool owned,
                         OozeVelocitySweep *sweep)
{
    const OozeVelocitySharing *s = mg->sharing;
    if (s) {
        ooze_velocity_each_listed(mg->threads, owned ? s->owned : s->touched,
                                  owned ? s->owned_count : s->touched_count, body, sweep);
    } else {
        ooze_parallel_for(mg->threads, mg->level[0].elements, OOZE_VELOCITY_ELEMENT_GRAIN, body,
                          sweep);
    }
}

void ooze_velocity_multigrid_apply(OozeVelocityMultigrid *mg, const OozeF32x4 *r, OozeF32x4 *z)
{
    const OozeVelocityLevel *first = &mg->level[0];
    const OozeVelocityLoops *loops = ooze_velocity_loops();
    OozeVelocitySweep sweep = {.mg = mg, .level = first, .from = r, .to = z};
    ooze_velocity_fetch_residuals(mg, r);
    each_element(mg, loops->restricts, true, &sweep);
    ooze_velocity_fetch_sums(mg);
    sweep.from = mg->corner_sums;
    each_node(mg, first, add_corners, &sweep);
    if (ooze_velocity_is_shared(mg, first)) {
        add_isolated_corners(&sweep);
    }
    cycle(mg, 0);
    ooze_velocity_fetch_nodes(mg, first, first->x);
    sweep.from = first->x;
    each_element(mg, loops->prolongs, false, &sweep);
}
