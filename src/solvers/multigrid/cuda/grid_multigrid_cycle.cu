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
    const uint32_t nodes = (uint32_t)level.nodes;
    double sum = 0.0;
    for (uint32_t j = 0; j < nodes; j++) {
        sum += dense[j * nodes + i] * (double)level.b[j];
    }
    level.x[1][i] = (float)sum;
}

/* ---- the cycle ---- */

/* A step at the nodes of a level; `other`: the finer one of RESTRICT, the coarser of PROLONG. Each
   kind is compiled by itself: one body for all of them would hold the registers of the largest. */
template <OozeCycleKind KIND> struct NodeStep {
    const double *dense;
    MultigridLevel level, other;
    __device__ void operator()(uint32_t i) const
    {
        if (KIND == OOZE_CYCLE_RESTRICT) {
            restrict_at(level, other.r, i);
        } else if (KIND == OOZE_CYCLE_PROLONG) {
            prolong_at(level, other, i);
        } else if (KIND == OOZE_CYCLE_DENSE) {
            solve_at(level, dense, i);
        } else if (KIND == OOZE_CYCLE_RESIDUAL) {
            level.r[i] = level.b[i] - row_product(level, i, level.x[0]);
        } else {
            const float rest = level.b[i] - row_product(level, i, level.x[0]);
            level.x[1][i] = level.x[0][i] + OOZE_MULTIGRID_DAMPING * level.inverse[i] * rest;
        }
    }
};

template <OozeCycleKind KIND>
OOZE_BOTH NodeStep<KIND> node_step(const MultigridLevel *levels, const double *dense, int k)
{
    const int other = KIND == OOZE_CYCLE_RESTRICT ? k - 1 : KIND == OOZE_CYCLE_PROLONG ? k + 1 : k;
    return {dense, levels[k], levels[other]};
}

/* Before a function for the host or the device, whichever its argument is for. */
#ifdef __CUDACC__
#define OOZE_EITHER _Pragma("nv_exec_check_disable")
#else
#define OOZE_EITHER
#endif

/* Runs the body of a step by run(body). */
OOZE_EITHER
template <class Run>
OOZE_BOTH void run_step(const MultigridLevel *levels, const double *dense,
                        const OozeCycleStep &step, const Run &run)
{
    const int k = step.level;
    if (step.kind == OOZE_CYCLE_RESTRICT) {
        run(node_step<OOZE_CYCLE_RESTRICT>(levels, dense, k));
    } else if (step.kind == OOZE_CYCLE_PROLONG) {
        run(node_step<OOZE_CYCLE_PROLONG>(levels, dense, k));
    } else if (step.kind == OOZE_CYCLE_DENSE) {
        run(node_step<OOZE_CYCLE_DENSE>(levels, dense, k));
    } else if (step.kind == OOZE_CYCLE_RESIDUAL) {
        run(node_step<OOZE_CYCLE_RESIDUAL>(levels, dense, k));
    } else {
        run(node_step<OOZE_CYCLE_BEGIN>(levels, dense, k));
    }
}

/* The small level is that of one block. */
enum { SMALL = 2048, SMALL_THREADS = 1024 };

#ifdef __CUDACC__
struct EachOfBlock {
    template <class Body> __device__ void operator()(const Body &body) const
    {
        const uint32_t n = (uint32_t)body.level.nodes;
        for (uint32_t i = threadIdx.x; i < n; i += SMALL_THREADS) {
            body(i);
        }
        __syncthreads();
    }
};

static __global__ void __launch_bounds__(SMALL_THREADS)
    small_kernel(const MultigridLevel *levels, const OozeCycleStep *steps, int count,
                 const double *dense, const int32_t *off)
{
    const int needed = is_off(off) ? 0 : count;
    for (int k = 0; k < needed; k++) {
        run_step(levels, dense, steps[k], EachOfBlock());
    }
}
#else
struct EachInTurn {
    template <class Body> void operator()(const Body &body) const
    {
        for (uint32_t i = 0; i < body.level.nodes; i++) {
            body(i);
        }
    }
};
#endif

static void launch_small(Gpu *gpu, const GridMultigrid *mg, const int32_t *off)
{
    if (gpu->failed != cudaSuccess) {
        return;
    }
    gpu->counts.launches++;
#ifdef __CUDACC__
    launch_shaped(gpu, {1, SMALL_THREADS, 0}, small_kernel, mg->device_level, mg->small_step,
                  mg->small_steps, mg->dense, off);
#else
    for (int k = 0; k < mg->small_steps && !is_off(off); k++) {
        run_step(mg->device_level, mg->dense, mg->small_step[k], EachInTurn());
    }
#endif
}

struct LaunchEach {
    Gpu *gpu;
    const int32_t *off;
    template <class Body> void operator()(const Body &body) const
    {
        const int32_t *flag = off;
        const Body each = body;
        for_each(
            gpu, body.level.nodes, OOZE_BODY(uint32_t i) {
                if (!is_off(flag)) {
                    each(i);
                }
            });
    }
};

void multigrid_find_steps(GridMultigrid *mg)
{
    hierarchy_find_steps(mg, ooze_pressure_plan(), mg->dense != nullptr, SMALL);
}

/* From b and the first step of the smoother on the first level to x there. */
static void cycle(Gpu *gpu, const GridMultigrid *mg, const int32_t *off)
{
    launch_cycle(
        mg, ooze_pressure_plan(), mg->dense != nullptr,
        [=](const OozeCycleStep &step) {
            run_step(mg->host_level, mg->dense, step, LaunchEach{gpu, off});
        },
        [=]() { launch_small(gpu, mg, off); });
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
