/* The V-cycle of the multigrid preconditioner of pressure equations on the GPU, and the transfer
   between particles and the first level. */
#include "cuda/grid_multigrid.cuh"

namespace ooze
{

/* ---- between particles and the first level ---- */

void multigrid_restrict(Gpu *gpu, const GridMultigrid *mg, const float *r, const int32_t *off)
{
    const MultigridLevel level = mg->host_level[0];
    restrict_particles(
        gpu, mg, r, mg->corner_sums, 0.0f, off, OOZE_BODY(uint32_t i, float sum) {
            level.b[i] = sum;
            level.x[0][i] = OOZE_MULTIGRID_DAMPING * level.inverse[i] * sum;
        });
}

static void prolong_particles(Gpu *gpu, const GridMultigrid *mg, float *z, const int32_t *off)
{
    const MultigridLevel level = mg->host_level[0];
    const float4 *all = mg->into;
    const uint32_t *cell_of = mg->cell_of;
    const float *value = level.x[1];
    for_each(
        gpu, mg->n, OOZE_BODY(uint32_t i) {
            if (is_off(off)) {
                return;
            }
            const uint32_t *node = level.corner_node + 8 * (uint64_t)cell_of[i];
            float4 into = all[i];
            float sum = 0.0f;
            for (int c = 0; c < 8; c++) {
                sum += corner_weight(into, (uint32_t)c) * value[node[c]];
            }
            z[level.child[i]] += sum;
        });
}

/* Takes the mean over the particles out of b, and starts the smoother again. */
static void project_b(Gpu *gpu, const GridMultigrid *mg)
{
    const MultigridLevel level = mg->host_level[0];
    const float *weight = mg->node_weight;
    const StoreSum<Sum1> store = {mg->mean};
    const Sum1 none = {0.0}, *mean = mg->mean;
    const double n = mg->n;
    sum_each(
        gpu, level.nodes, none,
        OOZE_BODY(uint32_t i) {
            Sum1 sum = {(double)level.b[i]};
            return sum;
        },
        store);
    for_each(
        gpu, level.nodes, OOZE_BODY(uint32_t i) {
            level.b[i] -= (float)(mean->a / n) * weight[i];
            level.x[0][i] = OOZE_MULTIGRID_DAMPING * level.inverse[i] * level.b[i];
        });
}

/* Takes the mean over the particles out of P x. */
static void project_x(Gpu *gpu, const GridMultigrid *mg)
{
    const MultigridLevel level = mg->host_level[0];
    const float *weight = mg->node_weight;
    const StoreSum<Sum1> store = {mg->mean};
    const Sum1 none = {0.0}, *mean = mg->mean;
    const double n = mg->n;
    sum_each(
        gpu, level.nodes, none,
        OOZE_BODY(uint32_t i) {
            Sum1 sum = {(double)level.x[1][i] * (double)weight[i]};
            return sum;
        },
        store);
    for_each(
        gpu, level.nodes, OOZE_BODY(uint32_t i) { level.x[1][i] -= (float)(mean->a / n); });
}

/* ---- nodes ---- */

/* Row i of A x. */
OOZE_DEVICE float row_product(const MultigridLevel &level, uint32_t i, const float *x)
{
    const uint64_t nodes = level.nodes;
    float sum = 0.0f;
    for (uint64_t k = 0; k < OOZE_MULTIGRID_RUNS; k++) {
        const float *from = x + level.run[k * nodes + i];
        const float *c = level.coefficient + 3 * k * nodes + i;
        sum += c[0] * from[0] + c[nodes] * from[1] + c[2 * nodes] * from[2];
    }
    if (level.across && level.across[i] != OOZE_MULTIGRID_NONE) {
        for (uint64_t k = 0; k < OOZE_MULTIGRID_RUNS; k++) {
            sum += level.across_coefficient[k * nodes + i] * x[level.across[k * nodes + i]];
        }
    }
    return sum;
}

/* b of a node from the residual r of the finer level, and a step of the smoother from x = 0. */
OOZE_DEVICE void restrict_at(const MultigridLevel &level, const float *r, uint32_t i)
{
    const uint64_t nodes = level.nodes;
    float sum = 0.0f;
    for (int k = 0; k < OOZE_MULTIGRID_RUNS; k++) {
        const uint32_t *node = level.fine_node + 3 * (uint64_t)k * nodes + i;
        float row = r[node[nodes]] + 0.5f * (r[node[0]] + r[node[2 * nodes]]);
        sum += ooze_multigrid_fine_weight(3 * k + 1) * row;
    }
    level.b[i] = sum;
    level.x[0][i] = OOZE_MULTIGRID_DAMPING * level.inverse[i] * sum;
}

/* x += P x of the coarser level. */
OOZE_DEVICE void prolong_at(const MultigridLevel &level, const MultigridLevel &coarse, uint32_t i)
{
    if (level.coarse_cell[i] != OOZE_MULTIGRID_NONE) {
        const uint32_t *node = coarse.corner_node + 8 * (uint64_t)level.coarse_cell[i];
        float sum = 0.0f;
        for (int c = 0; c < 8; c++) {
            sum += ooze_multigrid_half_weight(level.coarse_place[i], c) * coarse.x[1][node[c]];
        }
        level.x[0][i] += sum;
    }
}

/* Row i of the inverse of the coarsest matrix, which is symmetric, times b. */
OOZE_DEVICE void solve_at(const MultigridLevel &level, const double *dense, uint32_t i)
{
    double sum = 0.0;
    for (uint64_t j = 0; j < level.nodes; j++) {
        sum += dense[j * level.nodes + i] * (double)level.b[j];
    }
    level.x[1][i] = (float)sum;
}

/* ---- the cycle ---- */

/* A step at the nodes of a level; `other`: the finer one of RESTRICT, the coarser of PROLONG. */
struct NodeStep {
    OozeCycleKind kind;
    const double *dense;
    MultigridLevel level, other;
    __device__ void operator()(uint32_t i) const
    {
        if (kind == OOZE_CYCLE_RESTRICT) {
            restrict_at(level, other.r, i);
        } else if (kind == OOZE_CYCLE_PROLONG) {
            prolong_at(level, other, i);
        } else if (kind == OOZE_CYCLE_DENSE) {
            solve_at(level, dense, i);
        } else {
            const float rest = level.b[i] - row_product(level, i, level.x[0]);
            if (kind == OOZE_CYCLE_RESIDUAL) {
                level.r[i] = rest;
            } else {
                level.x[1][i] = level.x[0][i] + OOZE_MULTIGRID_DAMPING * level.inverse[i] * rest;
            }
        }
    }
};

OOZE_BOTH NodeStep node_step(const MultigridLevel *levels, const double *dense,
                             const OozeCycleStep &step)
{
    const int k = step.level;
    const int other = step.kind == OOZE_CYCLE_RESTRICT  ? k - 1
                      : step.kind == OOZE_CYCLE_PROLONG ? k + 1
                                                        : k;
    return {step.kind, dense, levels[k], levels[other]};
}

/* Levels with at most SMALL nodes run in one launch, by one block. */
enum { SMALL = 2048, SMALL_THREADS = 1024 };

#ifdef __CUDACC__
struct RunInBlock {
    const MultigridLevel *levels;
    const double *dense;
    __device__ void operator()(const OozeCycleStep &step) const
    {
        const NodeStep body = node_step(levels, dense, step);
        for (uint32_t i = threadIdx.x; i < body.level.nodes; i += SMALL_THREADS) {
            body(i);
        }
        __syncthreads();
    }
};

static __global__ void __launch_bounds__(SMALL_THREADS)
    small_kernel(const MultigridLevel *levels, int first, int last, const double *dense,
                 const int32_t *off)
{
    if (!is_off(off)) {
        const RunInBlock run = {levels, dense};
        run_cycle(ooze_pressure_plan(), first, last, dense != nullptr, run);
    }
}
#else
struct RunInTurn {
    const MultigridLevel *levels;
    const double *dense;
    void operator()(const OozeCycleStep &step) const
    {
        const NodeStep body = node_step(levels, dense, step);
        for (uint32_t i = 0; i < body.level.nodes; i++) {
            body(i);
        }
    }
};
#endif

static void launch_small(Gpu *gpu, const GridMultigrid *mg, int first, const int32_t *off)
{
    if (gpu->failed != cudaSuccess) {
        return;
    }
    gpu->counts.launches++;
#ifdef __CUDACC__
    launch_shaped(gpu, {1, SMALL_THREADS, 0}, small_kernel, mg->device_level, first, mg->levels - 1,
                  mg->dense, off);
#else
    if (!is_off(off)) {
        const RunInTurn run = {mg->device_level, mg->dense};
        run_cycle(ooze_pressure_plan(), first, mg->levels - 1, mg->dense != nullptr, run);
    }
#endif
}

static void launch_step(Gpu *gpu, const GridMultigrid *mg, const OozeCycleStep &step,
                        const int32_t *off)
{
    const NodeStep body = node_step(mg->host_level, mg->dense, step);
    for_each(
        gpu, body.level.nodes, OOZE_BODY(uint32_t i) {
            if (!is_off(off)) {
                body(i);
            }
        });
}

/* From b and the first step of the smoother on the first level to x there. */
static void cycle(Gpu *gpu, const GridMultigrid *mg, const int32_t *off)
{
    launch_cycle(
        mg, ooze_pressure_plan(), mg->dense != nullptr, SMALL,
        [=](const OozeCycleStep &step) { launch_step(gpu, mg, step, off); },
        [=](int k) { launch_small(gpu, mg, k, off); });
}

void grid_multigrid_apply(Gpu *gpu, const GridMultigrid *mg, const float *r, float *z,
                          const int32_t *off)
{
    if (mg->levels == 0) {
        return;
    }
    multigrid_restrict(gpu, mg, r, off);
    if (mg->singular) {
        project_b(gpu, mg);
    }
    cycle(gpu, mg, off);
    if (mg->singular) {
        project_x(gpu, mg);
    }
    prolong_particles(gpu, mg, z, off);
}

void grid_multigrid_cycle(Gpu *gpu, const GridMultigrid *mg, const float *b, float *x)
{
    if (mg->levels == 0) {
        return;
    }
    const MultigridLevel level = mg->host_level[0];
    for_each(
        gpu, level.nodes, OOZE_BODY(uint32_t i) {
            level.b[i] = b[i];
            level.x[0][i] = OOZE_MULTIGRID_DAMPING * level.inverse[i] * b[i];
        });
    cycle(gpu, mg, nullptr);
    copy(gpu, x, level.x[1], level.nodes * sizeof *x);
}

} // namespace ooze
