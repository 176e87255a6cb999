/* Inverses of the smallest matrices of velocity_multigrid.cuh. */
#include "solvers/multigrid/cuda/velocity_multigrid_parts.cuh"

#ifdef __CUDACC__
#include <cooperative_groups.h>
#endif

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

#ifdef __CUDACC__
enum { TILE = 16, TILE_THREADS = TILE * TILE };
typedef double Tile[TILE][TILE + 1];

/* The inverse of a tile in place, by all threads of a block. */
OOZE_DEVICE void invert_tile(Tile tile, uint32_t x, uint32_t y)
{
    for (uint32_t k = 0; k < TILE; k++) {
        const double pivot = tile[k][k], per = pivot > 0.0 ? 1.0 / pivot : 0.0;
        const double own = tile[y][x], row = tile[k][x], left = tile[y][k];
        __syncthreads();
        tile[y][x] = y == k   ? (x == k ? per : per * row)
                     : x == k ? -per * left
                              : own - per * left * row;
        __syncthreads();
    }
}

OOZE_DEVICE double tile_product(const Tile a, const Tile b, uint32_t x, uint32_t y)
{
    double sum = 0.0;
    for (uint32_t k = 0; k < TILE; k++) {
        sum += a[y][k] * b[k][x];
    }
    return sum;
}

/* `eliminate` for a tile of unknowns at a time: blocks share the tiles of the matrix, invert the
   pivot tile each for itself, and wait for each other once a tile of unknowns. n is a multiple of
   TILE. */
static __global__ void __launch_bounds__(TILE_THREADS)
    invert_kernel(double *from, double *to, uint32_t n)
{
    __shared__ Tile pivot, row, left;
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const uint32_t tiles = n / TILE, x = threadIdx.x % TILE, y = threadIdx.x / TILE;
    for (uint32_t k = 0; k < tiles; k++) {
        pivot[y][x] = from[(uint64_t)n * (TILE * k + y) + TILE * k + x];
        __syncthreads();
        invert_tile(pivot, x, y);
        for (uint32_t tile = blockIdx.x; tile < tiles * tiles; tile += gridDim.x) {
            const uint32_t i = tile / tiles, j = tile % tiles;
            const uint64_t at = (uint64_t)n * (TILE * i + y) + TILE * j + x;
            row[y][x] = from[(uint64_t)n * (TILE * k + y) + TILE * j + x];
            left[y][x] = from[(uint64_t)n * (TILE * i + y) + TILE * k + x];
            __syncthreads();
            const double scaled = tile_product(pivot, row, x, y);
            __syncthreads();
            row[y][x] = scaled;
            __syncthreads();
            to[at] = i != k   ? (j != k ? from[at] - tile_product(left, row, x, y)
                                        : -tile_product(left, pivot, x, y))
                     : j != k ? scaled
                              : pivot[y][x];
            __syncthreads();
        }
        grid.sync();
        double *swap = from;
        from = to;
        to = swap;
    }
}

static uint32_t padded(uint32_t n)
{
    return (n + TILE - 1) / TILE * TILE;
}

/* Inverts a matrix of n rows, a multiple of a tile. Returns where the result is: in `a` or in
   `other`. */
static const double *invert(Gpu *gpu, double *a, double *other, uint32_t n)
{
    const uint32_t tiles = n / TILE;
    int each = 0;
    gpu->counts.launches++;
    if (gpu->failed == cudaSuccess) {
        record_error(gpu, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, invert_kernel,
                                                                        TILE_THREADS, 0));
        const uint32_t most = (uint32_t)each * multiprocessors(gpu);
        const uint32_t blocks = tiles * tiles < most ? tiles * tiles : most;
        void *arguments[] = {&a, &other, &n};
        record_error(gpu, cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(invert_kernel),
                                                      dim3(blocks), dim3(TILE_THREADS), arguments,
                                                      0, gpu->stream));
    }
    return tiles % 2 ? other : a;
}
#else
/* The matrix after elimination of unknown k, which stands for its inverse in the rows that are
   eliminated: Gauss and Jordan's method, without pivots as the matrix is positive. A direction
   without weight becomes 0, as in ooze_velocity_factorise. */
static void eliminate(const double *a, double *to, uint32_t n, uint32_t k)
{
    const double pivot = a[k * n + k], per = pivot > 0.0 ? 1.0 / pivot : 0.0;
    for (uint32_t e = 0; e < n * n; e++) {
        const uint32_t i = e / n, j = e % n;
        if (i == k) {
            to[e] = j == k ? per : per * a[e];
        } else {
            to[e] = j == k ? -per * a[e] : a[e] - per * a[i * n + k] * a[k * n + j];
        }
    }
}

static uint32_t padded(uint32_t n)
{
    return n;
}

static const double *invert(Gpu *gpu, double *a, double *other, uint32_t n)
{
    gpu->counts.launches++;
    for (uint32_t k = 0; k < n && gpu->failed == cudaSuccess; k++) {
        eliminate(k % 2 ? other : a, k % 2 ? a : other, n, k);
    }
    return n % 2 ? other : a;
}
#endif

enum { FILL_THREADS = 8 }; /* that share the columns of a row */

void velocity_invert_coarsest(Gpu *gpu, const VelocityLevel *of, double *dense)
{
    const VelocityLevel level = *of;
    const uint32_t n = 3 * level.nodes, width = padded(n);
    const uint64_t square = (uint64_t)width * width;
    Mark mark = scratch_mark(gpu);
    double *first = scratch<double>(gpu, square), *second = scratch<double>(gpu, square);
    clear(gpu, first, square * sizeof *first);
    /* Columns of a row are different nodes, but for the padding, which has blocks of zeros. */
    for_each(
        gpu, level.nodes * (uint64_t)FILL_THREADS, OOZE_BODY(uint32_t thread) {
            const uint32_t i = thread / FILL_THREADS, lane = i % ROW_SLICE;
            for (uint64_t e = level.slice_first[i / ROW_SLICE] + thread % FILL_THREADS;
                 e < level.slice_first[i / ROW_SLICE + 1]; e += FILL_THREADS) {
                const uint32_t column = level.column[ROW_SLICE * e + lane];
                for (uint64_t k = 0; k < 9; k++) {
                    const double raised =
                        column == i && k % 4 == 0 ? 1.0 + OOZE_VELOCITY_SHIFT : 1.0;
                    const float own = level.block[ROW_SLICE * (9 * e + k) + lane];
                    if (own != 0.0f) {
                        first[(3 * i + k % 3) * (uint64_t)width + 3 * column + k / 3] =
                            raised * (double)own;
                    }
                }
            }
        });
    for_each(
        gpu, width - n, OOZE_BODY(uint32_t k) { first[(n + k) * (uint64_t)(width + 1)] = 1.0; });
    const double *inverse = invert(gpu, first, second, width);
    for_each(
        gpu, (uint64_t)n * n,
        OOZE_BODY(
            uint32_t e) { /* symmetric also in the last bit */
                          const uint32_t i = e / n, j = e % n;
                          dense[e] =
                              inverse[i < j ? (uint64_t)i * width + j : (uint64_t)j * width + i];
        });
    scratch_rewind(gpu, mark);
}

} // namespace ooze
