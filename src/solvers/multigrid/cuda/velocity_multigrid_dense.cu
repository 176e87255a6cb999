/* Inverses of the smallest matrices of velocity_multigrid.cuh. */
#include "solvers/multigrid/cuda/velocity_multigrid_parts.cuh"

extern "C" {
#include "solvers/multigrid/velocity_multigrid_dense_formula.h"
}

namespace ooze
{

void velocity_invert_isolated(Gpu *gpu, const VelocityLevel *of)
{
    const VelocityLevel level = *of;
    const uint64_t square = (uint64_t)OOZE_VELOCITY_ROWS * OOZE_VELOCITY_ROWS;
    if (level.isolated_count == 0) {
        return;
    }
    Mark mark = scratch_mark(gpu);
    double *work = scratch<double>(gpu, (square + OOZE_VELOCITY_ROWS) * level.isolated_count);
    for_each(
        gpu, level.isolated_count, OOZE_BODY(uint32_t k) {
            const uint64_t e = level.isolated[k];
            double *a = work + (square + OOZE_VELOCITY_ROWS) * k;
            ooze_velocity_invert_element(level.element + OOZE_VELOCITY_ELEMENT * e, a, a + square,
                                         level.isolated_inverse + square * k);
            for (uint64_t c = 0; c < 8; c++) { /* the smoother leaves them alone */
                level.inverse[level.corner_node[8 * e + c]] = ooze_sym3_identity(0.0f);
            }
        });
    scratch_rewind(gpu, mark);
}

/* Numbers `begin`, `begin` + stride, ... of the matrix after elimination of unknown k, which stands
   for its inverse in the rows that are eliminated: Gauss and Jordan's method, without pivots as the
   matrix is positive. A direction without weight becomes 0, as in ooze_velocity_factorise. */
OOZE_DEVICE void eliminate(const double *a, double *to, uint32_t n, uint32_t k, uint32_t begin,
                           uint32_t stride)
{
    const double pivot = a[k * n + k], per = pivot > 0.0 ? 1.0 / pivot : 0.0;
    for (uint32_t e = begin; e < n * n; e += stride) {
        const uint32_t i = e / n, j = e % n;
        if (i == k) {
            to[e] = j == k ? per : per * a[e];
        } else {
            to[e] = j == k ? -per * a[e] : a[e] - per * a[i * n + k] * a[k * n + j];
        }
    }
}

#ifdef __CUDACC__
enum { DENSE_THREADS = 1024 };
static __global__ void __launch_bounds__(DENSE_THREADS)
    invert_kernel(double *from, double *to, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        eliminate(from, to, n, k, threadIdx.x, DENSE_THREADS);
        __syncthreads();
        double *swap = from;
        from = to;
        to = swap;
    }
}
#endif

/* Inverts a matrix of n rows; the result is in `a` where n is even, else in `other`. One block
   does it: each elimination waits for the one before. */
static void invert(Gpu *gpu, double *a, double *other, uint32_t n)
{
    if (gpu->failed != cudaSuccess) {
        return;
    }
    gpu->counts.launches++;
#ifdef __CUDACC__
    launch_shaped(gpu, {1, DENSE_THREADS, 0}, invert_kernel, a, other, n);
#else
    for (uint32_t k = 0; k < n; k++) {
        eliminate(k % 2 ? other : a, k % 2 ? a : other, n, k, 0, 1);
    }
#endif
}

void velocity_invert_coarsest(Gpu *gpu, const VelocityLevel *of, double *dense)
{
    const VelocityLevel level = *of;
    const uint32_t n = 3 * level.nodes;
    const uint64_t square = (uint64_t)n * n;
    Mark mark = scratch_mark(gpu);
    double *first = scratch<double>(gpu, square), *second = scratch<double>(gpu, square);
    clear(gpu, first, square * sizeof *first);
    for_each(
        gpu, level.nodes, OOZE_BODY(uint32_t i) {
            const uint32_t lane = i % ROW_SLICE;
            for (uint64_t e = level.slice_first[i / ROW_SLICE];
                 e < level.slice_first[i / ROW_SLICE + 1]; e++) {
                const uint32_t column = level.column[ROW_SLICE * e + lane];
                for (uint64_t k = 0; k < 9; k++) {
                    double raised = column == i && k % 4 == 0 ? 1.0 + OOZE_VELOCITY_SHIFT : 1.0;
                    first[(3 * i + k % 3) * (uint64_t)n + 3 * column + k / 3] +=
                        raised * (double)level.block[ROW_SLICE * (9 * e + k) + lane];
                }
            }
        });
    invert(gpu, first, second, n);
    const double *inverse = n % 2 ? second : first;
    for_each(
        gpu, square, OOZE_BODY(uint32_t e) { /* symmetric also in the last bit */
                                             uint32_t i = e / n, j = e % n;
                                             dense[e] =
                                                 i < j ? inverse[e] : inverse[(uint64_t)j * n + i];
        });
    scratch_rewind(gpu, mark);
}

} // namespace ooze
