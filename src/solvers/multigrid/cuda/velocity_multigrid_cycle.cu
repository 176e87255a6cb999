/* One cycle of the grids: see cpu/velocity_multigrid_cycle.c. */
#include "solvers/multigrid/cuda/velocity_multigrid_parts.cuh"

#ifdef __CUDACC__
#include <cooperative_groups.h>
#endif

#define OOZE_TEAM __device__ __forceinline__

namespace ooze
{

/* ---- operations on the nodes of a level ---- */

/* A loop over the nodes of a level, or for DENSE over its unknowns, or for ISOLATED over those of
   isolated elements. */
struct CycleLoop {
    OozeCycleStep step;
    OozeVelocityChebyshev chebyshev;
};

OOZE_BOTH CycleLoop loop_of(const OozeCycleStep &step)
{
    return {step, ooze_velocity_chebyshev(step.direction)};
}

OOZE_DEVICE float4 times(OozeSym3 a, float4 v)
{
    return f32x4(a.xx * v.x + a.xy * v.y + a.xz * v.z, a.xy * v.x + a.yy * v.y + a.yz * v.z,
                 a.xz * v.x + a.yz * v.y + a.zz * v.z);
}

/* Threads that share an unknown: which of them this is, how many there are, and whether there is an
   unknown; all call `sum`, which returns the sum over them to the first. Here they are lanes of a
   warp. */
template <int LANES> struct LaneTeam {
    uint32_t lane;
    OOZE_TEAM uint32_t size() const { return LANES; }
    OOZE_TEAM bool has_unknown() const { return true; }
    OOZE_TEAM float4 sum(float4 a) const { return lanes_sum<LANES>(a); }
    OOZE_TEAM double sum(double a) const { return lanes_sum<LANES>(a); }
};

/* Row i of A x. */
template <class Team>
OOZE_DEVICE float4 row_product(const VelocityLevel &level, const float4 *x, uint32_t i,
                               const Team &team)
{
    float4 sum = f32x4(0, 0, 0);
    if (team.has_unknown()) {
        const uint64_t first = level.slice_first[i / ROW_SLICE];
        const uint32_t columns = level.slice_first[i / ROW_SLICE + 1] - (uint32_t)first;
        const uint32_t *column = level.column + ROW_SLICE * first + i % ROW_SLICE;
        const float *block = level.block + ROW_SLICE * OOZE_VELOCITY_BLOCK * first + i % ROW_SLICE;
        for (uint32_t k = team.lane; k < columns; k += team.size()) {
            const float4 v = x[column[ROW_SLICE * (uint64_t)k]];
            const float *m = block + ROW_SLICE * OOZE_VELOCITY_BLOCK * (uint64_t)k;
            sum.x += m[0] * v.x + m[3 * ROW_SLICE] * v.y + m[6 * ROW_SLICE] * v.z;
            sum.y += m[ROW_SLICE] * v.x + m[4 * ROW_SLICE] * v.y + m[7 * ROW_SLICE] * v.z;
            sum.z += m[2 * ROW_SLICE] * v.x + m[5 * ROW_SLICE] * v.y + m[8 * ROW_SLICE] * v.z;
        }
    }
    return team.sum(sum);
}

/* The sum of P^T r over the finer nodes. */
template <class Team>
OOZE_DEVICE float4 restricted(const VelocityLevel &level, const float4 *r, uint32_t i,
                              const Team &team)
{
    float4 sum = f32x4(0, 0, 0);
    if (team.has_unknown()) {
        for (uint32_t e = level.fine_first[i] + team.lane; e < level.fine_first[i + 1];
             e += team.size()) {
            sum = sum + level.fine_weight[e] * r[level.fine_node[e]];
        }
    }
    return team.sum(sum);
}

OOZE_DEVICE void set_b(const VelocityLevel &level, uint32_t i, float4 b, float step)
{
    level.b[i] = b;
    level.p[0][i] = step * times(level.inverse[i], b);
}

OOZE_DEVICE void prolong_at(const VelocityLevel &fine, const VelocityLevel &coarse, uint32_t i)
{
    if (fine.coarse_cell[i] != OOZE_MULTIGRID_NONE) {
        const uint32_t *node = coarse.corner_node + 8 * (uint64_t)fine.coarse_cell[i];
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
    const bool first = loop.step.direction == 1; /* x lacks the direction before */
    const bool zero = first && loop.step.from_zero;
    const int from = (loop.step.direction - 1) % 2;
    const float4 before = level.p[from][i];
    const float4 r = (zero ? level.b[i] : level.r[i]) - ap;
    const float4 p =
        loop.chebyshev.carry * before + loop.chebyshev.step * times(level.inverse[i], r);
    const float4 change = first ? before + p : p;
    level.r[i] = r;
    level.p[1 - from][i] = p;
    level.x[i] = zero ? change : level.x[i] + change;
}

OOZE_DEVICE float *component(float4 *v, uint32_t k)
{
    return &v[k / 3].x + k % 3;
}

/* Unknown k of the coarsest level. The inverse is symmetric: neighbouring threads read neighbouring
   numbers. */
template <class Team>
OOZE_DEVICE void solve_dense(const VelocityLevel &level, const double *dense, uint32_t k,
                             const Team &team)
{
    const uint32_t n = 3 * level.nodes;
    double sum = 0.0;
    for (uint32_t j = team.lane; j < n && team.has_unknown(); j += team.size()) {
        sum += dense[(uint64_t)j * n + k] * (double)*component(level.b, j);
    }
    sum = team.sum(sum);
    if (team.lane == 0 && team.has_unknown()) {
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
OOZE_BOTH uint32_t loop_count(const VelocityLevel &level, OozeCycleKind kind)
{
    return (uint32_t)(kind == OOZE_CYCLE_DENSE      ? 3 * level.nodes
                      : kind == OOZE_CYCLE_ISOLATED ? OOZE_VELOCITY_ROWS * level.isolated_count
                                                    : level.nodes);
}

template <class Team>
OOZE_DEVICE void loop_body(const VelocityLevel *levels, const double *dense, const CycleLoop &loop,
                           uint32_t i, const Team &team)
{
    const OozeCycleKind kind = loop.step.kind;
    const VelocityLevel &level = levels[loop.step.level];
    const bool leads = team.lane == 0 && team.has_unknown();
    if (kind == OOZE_CYCLE_RESTRICT) {
        const float4 b = restricted(level, levels[loop.step.level - 1].r, i, team);
        if (leads) {
            set_b(level, i, b, loop.chebyshev.step);
        }
    } else if (kind == OOZE_CYCLE_DENSE) {
        solve_dense(level, dense, i, team);
    } else if (kind == OOZE_CYCLE_PROLONG && leads) {
        prolong_at(level, levels[loop.step.level + 1], i);
    } else if (kind == OOZE_CYCLE_ISOLATED && leads) {
        solve_isolated(level, i);
    } else if (kind == OOZE_CYCLE_STEP || kind == OOZE_CYCLE_RESIDUAL || kind == OOZE_CYCLE_BEGIN) {
        const float4 *x =
            kind == OOZE_CYCLE_STEP ? level.p[(loop.step.direction - 1) % 2] : level.x;
        const float4 ap = row_product(level, x, i, team);
        if (leads && kind == OOZE_CYCLE_STEP) {
            step_at(level, loop, i, ap);
        } else if (leads) {
            float4 r = level.b[i] - ap;
            level.r[i] = r;
            if (kind == OOZE_CYCLE_BEGIN) {
                level.p[0][i] = loop.chebyshev.step * times(level.inverse[i], r);
            }
        }
    }
}

/* ---- small levels, by few blocks ---- */

/* Blocks of the small level wait for each other after every step, so that a step costs latency
   alone. A block has a slice of rows: a warp reads the same column of each, and warps share the
   columns. */
enum { SMALL = 4096, SMALL_WARPS = 16, SMALL_THREADS = SMALL_WARPS * ROW_SLICE };

#ifdef __CUDACC__
struct SliceSums {
    float4 vector[SMALL_WARPS][ROW_SLICE];
    double number[SMALL_WARPS][ROW_SLICE];
};

/* Threads of a block with the same place in their warps. */
struct SliceTeam {
    uint32_t lane; /* the warp */
    bool within;
    SliceSums *shared;

    __device__ uint32_t size() const { return SMALL_WARPS; }
    __device__ bool has_unknown() const { return within; }
    template <class T> __device__ T sum_of(T (*shares)[ROW_SLICE], T a) const
    {
        const uint32_t row = threadIdx.x % ROW_SLICE;
        __syncthreads(); /* the first warp may still read the sums before */
        shares[lane][row] = a;
        __syncthreads();
        for (uint32_t k = 1; k < SMALL_WARPS && lane == 0; k++) {
            a = a + shares[k][row];
        }
        return a;
    }
    __device__ float4 sum(float4 a) const { return sum_of(shared->vector, a); }
    __device__ double sum(double a) const { return sum_of(shared->number, a); }
};

/* Levels are copied to shared memory: their pointers would be read anew in every step. */
static __global__ void __launch_bounds__(SMALL_THREADS)
    small_kernel(const VelocityLevel *levels, int level_count, const OozeCycleStep *steps,
                 int count, const double *dense, const int32_t *off)
{
    enum { WORD = sizeof(uint64_t), WORDS = OOZE_MULTIGRID_LEVELS * sizeof(VelocityLevel) / WORD };
    static_assert(sizeof(VelocityLevel) % WORD == 0, "whole words");
    __shared__ uint64_t words[WORDS];
    __shared__ SliceSums sums;
    const uint64_t *from = reinterpret_cast<const uint64_t *>(levels);
    for (uint32_t k = threadIdx.x; k < level_count * sizeof(VelocityLevel) / WORD;
         k += SMALL_THREADS) {
        words[k] = from[k];
    }
    __syncthreads();
    const VelocityLevel *own = reinterpret_cast<const VelocityLevel *>(words);
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const int needed = *off ? 0 : count;
    OozeCycleStep step = steps[0];
    for (int k = 0; k < needed; k++) {
        const CycleLoop loop = loop_of(step);
        const uint32_t n = loop_count(own[loop.step.level], loop.step.kind);
        step = steps[k + 1 < needed ? k + 1 : k];
        for (uint32_t row = blockIdx.x * ROW_SLICE; row < n; row += gridDim.x * ROW_SLICE) {
            const uint32_t i = row + threadIdx.x % ROW_SLICE;
            const SliceTeam team = {threadIdx.x / ROW_SLICE, i < n, &sums};
            loop_body(own, dense, loop, i, team);
        }
        if (k + 1 < needed) {
            grid.sync();
        }
    }
}

static void launch_small(Gpu *gpu, const VelocityMultigrid *mg, const int32_t *off)
{
    const VelocityLevel *levels = mg->device_level;
    const double *dense = mg->dense;
    const OozeCycleStep *steps = mg->small_step;
    int level_count = mg->levels, count = mg->small_steps;
    void *arguments[] = {&levels, &level_count, &steps, &count, &dense, &off};
    if (count == 0) {
        return;
    }
    gpu->counts.launches++;
    if (gpu->failed == cudaSuccess) {
        const unsigned most = multiprocessors(gpu);
        const unsigned slices = (unsigned)mg->level[mg->small_level].nodes / ROW_SLICE + 1;
        const unsigned blocks = slices < most ? slices : most;
        record_error(gpu, cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(small_kernel),
                                                      dim3(blocks), dim3(SMALL_THREADS), arguments,
                                                      0, gpu->stream));
    }
}
#else
static void launch_small(Gpu *gpu, const VelocityMultigrid *mg, const int32_t *off)
{
    for (int k = 0; k < mg->small_steps && gpu->failed == cudaSuccess && !*off; k++) {
        const CycleLoop loop = loop_of(mg->small_step[k]);
        const uint32_t count = loop_count(mg->device_level[loop.step.level], loop.step.kind);
        for (uint32_t i = 0; i < count; i++) {
            loop_body(mg->device_level, mg->dense, loop, i, LaneTeam<1>{0});
        }
    }
}
#endif

void velocity_find_steps(VelocityMultigrid *mg)
{
    hierarchy_find_steps(mg, ooze_velocity_plan(), mg->dense != nullptr, SMALL);
}

/* ---- large levels ---- */

struct LaunchStep {
    Gpu *gpu;
    const VelocityMultigrid *mg;
    const int32_t *off;

    template <int LANES> void launch(const CycleLoop &loop, uint32_t count) const
    {
        const VelocityLevel *levels = mg->device_level;
        const double *dense = mg->dense;
        const int32_t *flag = off;
        const CycleLoop now = loop;
        for_lanes<LANES>(
            gpu, count, OOZE_BODY(uint32_t i, uint32_t lane) {
                if (!*flag) {
                    loop_body(levels, dense, now, i, LaneTeam<LANES>{lane});
                }
            });
    }
    void operator()(const OozeCycleStep &step) const
    {
        const CycleLoop loop = loop_of(step);
        const uint32_t count = loop_count(mg->host_level[step.level], step.kind);
#define VELOCITY_LAUNCH(lanes) launch<lanes>(loop, count)
        if (count > 0) {
            OOZE_LANES(mg->level[step.level].nodes, VELOCITY_LAUNCH);
        }
    }
};

/* ---- between particles and the first level ---- */

void velocity_multigrid_apply(Gpu *gpu, const VelocityMultigrid *mg, const float4 *r,
                              const int32_t *off)
{
    if (mg->levels == 0) {
        return;
    }
    const VelocityLevel level = mg->host_level[0];
    const OozeVelocityChebyshev start = ooze_velocity_chebyshev(0);
    restrict_particles(
        gpu, mg, r, mg->corner_sums, f32x4(0, 0, 0), off,
        OOZE_BODY(uint32_t i, float4 sum) { set_b(level, i, sum, start.step); });
    launch_cycle(mg, ooze_velocity_plan(), mg->dense != nullptr, LaunchStep{gpu, mg, off},
                 [=]() { launch_small(gpu, mg, off); });
}

VelocityProlongation velocity_prolongation(const VelocityMultigrid *mg)
{
    return {axes_of(mg), mg->level[0].shape, mg->element_of, mg->level[0].corner_node,
            mg->rows[0].x};
}

} // namespace ooze
