/* One cycle of the grids: see solvers/multigrid/velocity_multigrid_cycle.c. */
#include "cuda/velocity_multigrid_parts.cuh"

#ifdef __CUDACC__
#include <cooperative_groups.h>
#endif

namespace ooze
{

/* ---- operations on the nodes of a level ---- */

/* A loop over the nodes of a level, or for DENSE over its unknowns, or for ISOLATED over those of
   isolated elements. */
enum CycleKind {
    RESTRICT, /* b = P^T r of the finer level, and the first direction from x = 0 */
    STEP,     /* r -= A p, p' = carry p + step D^-1 r, x += p' */
    RESIDUAL, /* r = b - A x */
    PROLONG,  /* x += P x of the coarser level */
    BEGIN,    /* r = b - A x, and the first direction */
    DENSE,    /* x = A^-1 b */
    ISOLATED  /* the same of isolated elements */
};

struct CycleLoop {
    CycleKind kind;
    int level;
    OozeVelocityChebyshev chebyshev;
    int from;       /* STEP: which direction is read */
    bool first;     /* STEP: the second direction, x lacks the first */
    bool from_zero; /* STEP: with `first`, r is b and x is 0 */
};

OOZE_DEVICE float4 times(OozeSym3 a, float4 v)
{
    return f32x4(a.xx * v.x + a.xy * v.y + a.xz * v.z, a.xy * v.x + a.yy * v.y + a.yz * v.z,
                 a.xz * v.x + a.yz * v.y + a.zz * v.z);
}

/* Row i of A x, returned to all lanes. */
template <int LANES>
OOZE_DEVICE float4 row_product(const VelocityLevel &level, const float4 *x, uint32_t i,
                               uint32_t lane)
{
    const uint64_t first = level.slice_first[i / ROW_SLICE];
    const uint32_t columns = level.slice_first[i / ROW_SLICE + 1] - (uint32_t)first;
    const uint32_t *column = level.column + ROW_SLICE * first + i % ROW_SLICE;
    const float *block = level.block + ROW_SLICE * OOZE_VELOCITY_BLOCK * first + i % ROW_SLICE;
    float4 sum = f32x4(0, 0, 0);
    for (uint32_t k = lane; k < columns; k += LANES) {
        const float4 v = x[column[ROW_SLICE * (uint64_t)k]];
        const float *m = block + ROW_SLICE * OOZE_VELOCITY_BLOCK * (uint64_t)k;
        sum.x += m[0] * v.x + m[3 * ROW_SLICE] * v.y + m[6 * ROW_SLICE] * v.z;
        sum.y += m[ROW_SLICE] * v.x + m[4 * ROW_SLICE] * v.y + m[7 * ROW_SLICE] * v.z;
        sum.z += m[2 * ROW_SLICE] * v.x + m[5 * ROW_SLICE] * v.y + m[8 * ROW_SLICE] * v.z;
    }
    return lanes_sum<LANES>(sum);
}

/* The sum of P^T r over the finer nodes, returned to all lanes. */
template <int LANES>
OOZE_DEVICE float4 restricted(const VelocityLevel &level, const float4 *r, uint32_t i,
                              uint32_t lane)
{
    float4 sum = f32x4(0, 0, 0);
    for (uint32_t e = level.fine_first[i] + lane; e < level.fine_first[i + 1]; e += LANES) {
        sum = sum + level.fine_weight[e] * r[level.fine_node[e]];
    }
    return lanes_sum<LANES>(sum);
}

OOZE_DEVICE void set_b(const VelocityLevel &level, uint32_t i, float4 b, float step)
{
    level.b[i] = b;
    level.p[0][i] = step * times(level.inverse[i], b);
}

OOZE_DEVICE void prolong_at(const VelocityLevel &fine, const VelocityLevel &coarse, uint32_t i)
{
    if (fine.coarse_element[i] != OOZE_MULTIGRID_NONE) {
        const uint32_t *node = coarse.corner_node + 8 * (uint64_t)fine.coarse_element[i];
        float4 sum = f32x4(0, 0, 0);
        for (int c = 0; c < 8; c++) {
            float weight = ooze_multigrid_half_weight(fine.coarse_place[i], c);
            if (weight > 0.0f) {
                sum = sum + weight * coarse.x[node[c]];
            }
        }
        fine.x[i] = fine.x[i] + sum;
    }
}

OOZE_DEVICE void step_at(const VelocityLevel &level, const CycleLoop &loop, uint32_t i, float4 ap)
{
    const bool zero = loop.first && loop.from_zero;
    const float4 before = level.p[loop.from][i];
    const float4 r = (zero ? level.b[i] : level.r[i]) - ap;
    const float4 p =
        loop.chebyshev.carry * before + loop.chebyshev.step * times(level.inverse[i], r);
    const float4 change = loop.first ? before + p : p;
    level.r[i] = r;
    level.p[1 - loop.from][i] = p;
    level.x[i] = zero ? change : level.x[i] + change;
}

OOZE_DEVICE float *component(float4 *v, uint32_t k)
{
    return &v[k / 3].x + k % 3;
}

/* Unknown k of the coarsest level. */
template <int LANES>
OOZE_DEVICE void solve_dense(const VelocityLevel &level, const double *dense, uint32_t k,
                             uint32_t lane)
{
    const uint32_t n = 3 * level.nodes;
    double sum = 0.0;
    for (uint32_t j = lane; j < n; j += LANES) {
        sum += dense[(uint64_t)k * n + j] * (double)*component(level.b, j);
    }
    sum = lanes_sum<LANES>(sum);
    if (lane == 0) {
        *component(level.x, k) = (float)sum;
    }
}

/* Unknown `number` of the isolated elements, 24 each. */
OOZE_DEVICE void solve_isolated(const VelocityLevel &level, uint32_t number)
{
    const uint32_t n = OOZE_VELOCITY_ROWS, k = number / n, row = number % n;
    const uint32_t *node = level.corner_node + 8 * (uint64_t)level.isolated[k];
    const float *inverse = level.isolated_inverse + (uint64_t)(n * n) * k + row;
    float sum = 0.0f;
    for (uint32_t j = 0; j < n; j++) {
        sum += inverse[n * j] * (&level.b[node[j / 3]].x)[j % 3];
    }
    (&level.x[node[row / 3]].x)[row % 3] = sum;
}

/* Iterations of a loop. */
OOZE_BOTH uint32_t loop_count(const VelocityLevel &level, CycleKind kind)
{
    return kind == DENSE      ? 3 * level.nodes
           : kind == ISOLATED ? OOZE_VELOCITY_ROWS * level.isolated_count
                              : level.nodes;
}

template <int LANES>
OOZE_DEVICE void loop_body(const VelocityLevel *levels, const double *dense, const CycleLoop &loop,
                           uint32_t i, uint32_t lane)
{
    const VelocityLevel &level = levels[loop.level];
    if (loop.kind == RESTRICT) {
        float4 b = restricted<LANES>(level, levels[loop.level - 1].r, i, lane);
        if (lane == 0) {
            set_b(level, i, b, loop.chebyshev.step);
        }
    } else if (loop.kind == PROLONG && lane == 0) {
        prolong_at(level, levels[loop.level + 1], i);
    } else if (loop.kind == DENSE) {
        solve_dense<LANES>(level, dense, i, lane);
    } else if (loop.kind == ISOLATED && lane == 0) {
        solve_isolated(level, i);
    } else if (loop.kind == STEP || loop.kind == RESIDUAL || loop.kind == BEGIN) {
        const float4 *x = loop.kind == STEP ? level.p[loop.from] : level.x;
        float4 ap = row_product<LANES>(level, x, i, lane);
        if (lane == 0 && loop.kind == STEP) {
            step_at(level, loop, i, ap);
        } else if (lane == 0) {
            float4 r = level.b[i] - ap;
            level.r[i] = r;
            if (loop.kind == BEGIN) {
                level.p[0][i] = loop.chebyshev.step * times(level.inverse[i], r);
            }
        }
    }
}

/* ---- the cycle ---- */

/* Before a function for the host or the device, whichever its argument is for. */
#ifdef __CUDACC__
#define OOZE_EITHER _Pragma("nv_exec_check_disable")
#else
#define OOZE_EITHER
#endif

/* Directions of the smoother after the first. */
OOZE_EITHER
template <class Run> OOZE_BOTH void smooth(Run run, int k, bool from_zero)
{
    const int degree = k == 0 ? OOZE_VELOCITY_FIRST_DEGREE : OOZE_VELOCITY_DEGREE;
    CycleLoop loop = {BEGIN, k, ooze_velocity_chebyshev(), 0, false, from_zero};
    if (!from_zero) {
        run(loop);
    }
    loop.kind = STEP;
    for (int d = 1; d < degree; d++) {
        ooze_velocity_chebyshev_next(&loop.chebyshev);
        loop.from = (d - 1) % 2;
        loop.first = d == 1;
        run(loop);
    }
    loop.kind = ISOLATED;
    if (from_zero && run.isolated(k)) {
        run(loop);
    }
}

/* Residual of level k, and b of the next. */
OOZE_EITHER
template <class Run> OOZE_BOTH void descend(Run run, int k)
{
    CycleLoop loop = {RESIDUAL, k, ooze_velocity_chebyshev(), 0, false, false};
    run(loop);
    loop.kind = RESTRICT;
    loop.level = k + 1;
    run(loop);
}

/* x = a cycle for A x = b on level `first`; b and its first direction are known. run(loop) runs a
   loop and waits for it; run.whole(k) runs the cycle of level k at once, if it returns true.
   visited: room for a number per level. */
OOZE_EITHER
template <class Run>
OOZE_BOTH void run_cycle(Run run, int first, int last, bool dense, int *visited)
{
    int k = first;
    bool enters = true;
    while (k >= first) {
        bool complete = false;
        if (enters) {
            visited[k] = 0;
            complete = k > first && run.whole(k);
            if (!complete && k == last && dense) {
                CycleLoop loop = {DENSE, k, ooze_velocity_chebyshev(), 0, false, false};
                run(loop);
                complete = true;
            } else if (!complete) {
                smooth(run, k, true);
                complete = k == last;
            }
        } else {
            CycleLoop loop = {PROLONG, k, ooze_velocity_chebyshev(), 0, false, false};
            run(loop);
            smooth(run, k, false);
            visited[k]++;
            complete = visited[k] == (k == 0 ? OOZE_VELOCITY_FIRST_VISITS : OOZE_VELOCITY_VISITS);
        }
        enters = !complete;
        if (complete) {
            k--;
        } else {
            descend(run, k);
            k++;
        }
    }
}

/* ---- small levels, by few blocks ---- */

/* The cycle of a level with at most SMALL nodes is one launch, whose blocks wait for each other: a
   launch of each loop would take longer than the work. */
enum { SMALL = 4096, SMALL_BLOCKS = 64, SMALL_LANES = 8 };

#ifdef __CUDACC__
struct RunInGrid {
    const VelocityLevel *levels;
    const double *dense;
    cooperative_groups::grid_group grid;
    __device__ void operator()(const CycleLoop &loop) const
    {
        const uint32_t count = loop_count(levels[loop.level], loop.kind);
        const uint32_t threads = gridDim.x * BLOCK / SMALL_LANES;
        for (uint32_t i = (blockIdx.x * BLOCK + threadIdx.x) / SMALL_LANES; i < count;
             i += threads) {
            loop_body<SMALL_LANES>(levels, dense, loop, i, threadIdx.x % SMALL_LANES);
        }
        grid.sync();
    }
    __device__ bool isolated(int k) const { return levels[k].isolated_count > 0; }
    __device__ bool whole(int) const { return false; }
};

static __global__ void __launch_bounds__(BLOCK)
    small_kernel(const VelocityLevel *levels, int first, int last, const double *dense,
                 const int32_t *off)
{
    if (!*off) {
        int visited[OOZE_MULTIGRID_LEVELS];
        RunInGrid run = {levels, dense, cooperative_groups::this_grid()};
        run_cycle(run, first, last, dense != nullptr, visited);
    }
}

static void launch_small(Gpu *gpu, const VelocityMultigrid *mg, int first, const int32_t *off)
{
    const VelocityLevel *levels = mg->device_level;
    const double *dense = mg->dense;
    int last = mg->levels - 1, device = 0, most = 0;
    void *arguments[] = {&levels, &first, &last, &dense, &off};
    gpu->counts.launches++;
    record_error(gpu, cudaGetDevice(&device));
    record_error(gpu, cudaDeviceGetAttribute(&most, cudaDevAttrMultiProcessorCount, device));
    if (gpu->failed == cudaSuccess) {
        const unsigned blocks = most < SMALL_BLOCKS ? (unsigned)most : (unsigned)SMALL_BLOCKS;
        record_error(gpu, cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(small_kernel),
                                                      dim3(blocks), dim3(BLOCK), arguments, 0,
                                                      gpu->stream));
    }
}
#else
struct RunInTurn {
    const VelocityLevel *levels;
    const double *dense;
    void operator()(const CycleLoop &loop) const
    {
        const uint32_t count = loop_count(levels[loop.level], loop.kind);
        for (uint32_t i = 0; i < count; i++) {
            loop_body<1>(levels, dense, loop, i, 0);
        }
    }
    bool isolated(int k) const { return levels[k].isolated_count > 0; }
    bool whole(int) const { return false; }
};

static void launch_small(Gpu *gpu, const VelocityMultigrid *mg, int first, const int32_t *off)
{
    if (gpu->failed == cudaSuccess && !*off) {
        int visited[OOZE_MULTIGRID_LEVELS];
        RunInTurn run = {mg->device_level, mg->dense};
        run_cycle(run, first, mg->levels - 1, mg->dense != nullptr, visited);
    }
}
#endif

/* ---- large levels ---- */

struct RunByLaunch {
    Gpu *gpu;
    const VelocityMultigrid *mg;
    const int32_t *off;

    template <int LANES> void launch(const CycleLoop &loop) const
    {
        const VelocityLevel *levels = mg->device_level;
        const double *dense = mg->dense;
        const int32_t *flag = off;
        const CycleLoop now = loop;
        for_lanes<LANES>(
            gpu, loop_count(mg->level[loop.level], loop.kind),
            OOZE_BODY(uint32_t i, uint32_t lane) {
                if (!*flag) {
                    loop_body<LANES>(levels, dense, now, i, lane);
                }
            });
    }
    void operator()(const CycleLoop &loop) const
    {
#define VELOCITY_LAUNCH(lanes) launch<lanes>(loop)
        OOZE_LANES(mg->level[loop.level].nodes, VELOCITY_LAUNCH);
    }
    bool isolated(int k) const
    {
        return mg->level[k].isolated_count > 0;
    }
    bool whole(int k) const
    {
        bool small = mg->level[k].nodes <= SMALL;
        if (small) {
            launch_small(gpu, mg, k, off);
        }
        return small;
    }
};

/* ---- between particles and the first level ---- */

static void restrict_particles(Gpu *gpu, const VelocityMultigrid *mg, const float4 *r,
                               const int32_t *off)
{
    const VelocityLevel level = mg->level[0];
    const float4 *all = mg->into;
    float4 *corner_sums = mg->corner_sums;
    for_each(
        gpu, 8 * (uint64_t)level.elements, OOZE_BODY(uint32_t i) {
            if (*off) {
                return;
            }
            float4 sum = f32x4(0, 0, 0);
            for (uint32_t e = level.child_first[i / 8]; e < level.child_first[i / 8 + 1]; e++) {
                float4 t = all[e];
                float x = i & 1 ? t.x : 1.0f - t.x, y = i & 2 ? t.y : 1.0f - t.y;
                sum = sum + x * y * (i & 4 ? t.z : 1.0f - t.z) * r[level.child[e]];
            }
            corner_sums[i] = sum;
        });
    const OozeVelocityChebyshev start = ooze_velocity_chebyshev();
    for_each(
        gpu, level.nodes, OOZE_BODY(uint32_t i) {
            if (*off) {
                return;
            }
            float4 sum = f32x4(0, 0, 0);
            for (uint32_t e = level.node_first[i]; e < level.node_first[i + 1]; e++) {
                sum = sum + corner_sums[level.node_corner[e]];
            }
            set_b(level, i, sum, start.step);
        });
}

void velocity_multigrid_apply(Gpu *gpu, const VelocityMultigrid *mg, const float4 *r,
                              const int32_t *off)
{
    if (mg->levels == 0) {
        return;
    }
    restrict_particles(gpu, mg, r, off);
    if (mg->level[0].nodes <= SMALL) {
        launch_small(gpu, mg, 0, off);
    } else {
        int visited[OOZE_MULTIGRID_LEVELS];
        RunByLaunch run = {gpu, mg, off};
        run_cycle(run, 0, mg->levels - 1, mg->dense != nullptr, visited);
    }
}

VelocityProlongation velocity_prolongation(const VelocityMultigrid *mg)
{
    return {mg->axes, mg->level[0].shape, mg->element_of, mg->level[0].corner_node, mg->level[0].x};
}

} // namespace ooze
