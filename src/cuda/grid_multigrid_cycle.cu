/* The V-cycle of the multigrid preconditioner of pressure equations on the GPU, and the transfer
   between particles and the first level. */
#include "cuda/grid_multigrid.cuh"

namespace ooze
{

OOZE_DEVICE bool is_off(const int32_t *off)
{
    return off && *off;
}

/* ---- between particles and the first level ---- */

void multigrid_restrict(Gpu *gpu, const GridMultigrid *mg, const float *r, const int32_t *off)
{
    const MultigridLevel level = mg->level[0];
    const float4 *all = mg->into;
    float *corner_sums = mg->corner_sums;
    for_each(
        gpu, 8 * (uint64_t)level.cells, OOZE_BODY(uint32_t i) {
            if (is_off(off)) {
                return;
            }
            float sum = 0.0f;
            for (uint32_t e = level.child_first[i / 8]; e < level.child_first[i / 8 + 1]; e++) {
                float4 into = all[e];
                float x = i & 1 ? into.x : 1.0f - into.x, y = i & 2 ? into.y : 1.0f - into.y;
                sum += x * y * (i & 4 ? into.z : 1.0f - into.z) * r[level.child[e]];
            }
            corner_sums[i] = sum;
        });
    for_each(
        gpu, level.nodes, OOZE_BODY(uint32_t i) {
            if (is_off(off)) {
                return;
            }
            float sum = 0.0f;
            for (uint32_t e = level.node_first[i]; e < level.node_first[i + 1]; e++) {
                sum += corner_sums[level.node_corner[e]];
            }
            level.b[i] = sum;
            level.x[0][i] = OOZE_MULTIGRID_DAMPING * level.inverse[i] * sum;
        });
}

static void prolong_particles(Gpu *gpu, const GridMultigrid *mg, float *z, const int32_t *off)
{
    const MultigridLevel level = mg->level[0];
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
                float x = c & 1 ? into.x : 1.0f - into.x, y = c & 2 ? into.y : 1.0f - into.y;
                sum += x * y * (c & 4 ? into.z : 1.0f - into.z) * value[node[c]];
            }
            z[level.child[i]] += sum;
        });
}

/* Takes the mean over the particles out of b, and starts the smoother again. */
static void project_b(Gpu *gpu, const GridMultigrid *mg)
{
    const MultigridLevel level = mg->level[0];
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
    const MultigridLevel level = mg->level[0];
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

OOZE_DEVICE void residual_at(const MultigridLevel &level, uint32_t i)
{
    level.r[i] = level.b[i] - row_product(level, i, level.x[0]);
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

OOZE_DEVICE void smooth_at(const MultigridLevel &level, uint32_t i)
{
    float rest = level.b[i] - row_product(level, i, level.x[0]);
    level.x[1][i] = level.x[0][i] + OOZE_MULTIGRID_DAMPING * level.inverse[i] * rest;
}

/* Row i of the inverse of the coarsest matrix, which is symmetric, times b. */
OOZE_DEVICE void solve_at(const MultigridLevel &level, const double *dense, uint32_t i)
{
    double sum = 0.0;
    for (uint32_t j = 0; j < level.nodes; j++) {
        sum += dense[j * level.nodes + i] * (double)level.b[j];
    }
    level.x[1][i] = (float)sum;
}

/* ---- small levels, by one block ---- */

/* Levels with at most SMALL nodes run in one launch: a launch of their own takes longer than the
   work. */
enum { SMALL = 2048, SMALL_THREADS = 1024 };

/* The cycle from level `first` down to `last` and up again; b of `first` is known. each(n, body)
   calls body(i) for i < n and then waits for all calls. */
template <class Each>
OOZE_DEVICE void small_levels(Each each, const MultigridLevel *level, int first, int last,
                              const double *dense)
{
    for (int k = first; k < last; k++) {
        const MultigridLevel fine = level[k], coarse = level[k + 1];
        each(fine.nodes, [&](uint32_t i) { residual_at(fine, i); });
        each(coarse.nodes, [&](uint32_t i) { restrict_at(coarse, fine.r, i); });
    }
    for (int k = last; k >= first; k--) {
        const MultigridLevel fine = level[k];
        if (k == last && dense) {
            each(fine.nodes, [&](uint32_t i) { solve_at(fine, dense, i); });
            continue;
        }
        if (k < last) {
            const MultigridLevel coarse = level[k + 1];
            each(fine.nodes, [&](uint32_t i) { prolong_at(fine, coarse, i); });
        }
        each(fine.nodes, [&](uint32_t i) { smooth_at(fine, i); });
    }
}

#ifdef __CUDACC__
struct EachOfBlock {
    template <class Body> __device__ void operator()(uint32_t n, Body body) const
    {
        for (uint32_t i = threadIdx.x; i < n; i += SMALL_THREADS) {
            body(i);
        }
        __syncthreads();
    }
};

static __global__ void __launch_bounds__(SMALL_THREADS)
    small_kernel(const MultigridLevel *level, int first, int last, const double *dense,
                 const int32_t *off)
{
    if (!is_off(off)) {
        small_levels(EachOfBlock(), level, first, last, dense);
    }
}
#else
struct EachInTurn {
    template <class Body> void operator()(uint32_t n, Body body) const
    {
        for (uint32_t i = 0; i < n; i++) {
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
        small_levels(EachInTurn(), mg->device_level, first, mg->levels - 1, mg->dense);
    }
#endif
}

/* ---- large levels ---- */

/* Residual of a level, and b of the coarser one. */
static void descend(Gpu *gpu, const MultigridLevel *of, const int32_t *off)
{
    const MultigridLevel level = of[0], coarse = of[1];
    for_each(
        gpu, level.nodes, OOZE_BODY(uint32_t i) {
            if (!is_off(off)) {
                residual_at(level, i);
            }
        });
    for_each(
        gpu, coarse.nodes, OOZE_BODY(uint32_t i) {
            if (!is_off(off)) {
                restrict_at(coarse, level.r, i);
            }
        });
}

/* The correction of the coarser level, and a step of the smoother. */
static void ascend(Gpu *gpu, const MultigridLevel *of, bool coarsest, const int32_t *off)
{
    const MultigridLevel level = of[0];
    if (!coarsest) {
        const MultigridLevel coarse = of[1];
        for_each(
            gpu, level.nodes, OOZE_BODY(uint32_t i) {
                if (!is_off(off)) {
                    prolong_at(level, coarse, i);
                }
            });
    }
    for_each(
        gpu, level.nodes, OOZE_BODY(uint32_t i) {
            if (!is_off(off)) {
                smooth_at(level, i);
            }
        });
}

/* From b and the first step of the smoother on the first level to x there. */
static void cycle(Gpu *gpu, const GridMultigrid *mg, const int32_t *off)
{
    int first = 0; /* of the small levels */
    while (first < mg->levels && mg->level[first].nodes > SMALL) {
        first++;
    }
    for (int k = 0; k < first && k + 1 < mg->levels; k++) {
        descend(gpu, &mg->level[k], off);
    }
    if (first < mg->levels) {
        launch_small(gpu, mg, first, off);
    }
    for (int k = first - 1; k >= 0; k--) {
        ascend(gpu, &mg->level[k], k + 1 == mg->levels, off);
    }
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
    const MultigridLevel level = mg->level[0];
    for_each(
        gpu, level.nodes, OOZE_BODY(uint32_t i) {
            level.b[i] = b[i];
            level.x[0][i] = OOZE_MULTIGRID_DAMPING * level.inverse[i] * b[i];
        });
    cycle(gpu, mg, nullptr);
    copy(gpu, x, level.x[1], level.nodes * sizeof *x);
}

} // namespace ooze
