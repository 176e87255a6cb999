#include "cuda/lists.cuh"
#include "cuda/sort.cuh"

namespace ooze
{

void lists_free(Machine *m, Lists *lists)
{
    room_free(m, &lists->begin_room);
    room_free(m, &lists->count_room);
    room_free(m, &lists->index_room);
    *lists = {};
}

static constexpr uint32_t COUNT_MAX = 65535;

/* What is looked for, and among what. */
struct Search {
    Cells cells;
    const float4 *points, *candidates;
    float square; /* of the radius, m2 */
    float reach;  /* see reach_square */
    bool skip_self;
};

/* To the last bit what brute force computes: nothing is contracted. */
template <bool WRAPS>
OOZE_DEVICE bool is_near(const OozePeriodic &periodic, float4 a, float4 b, float square)
{
    float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    if (WRAPS) {
        x = ooze_periodic_delta(x, periodic.length[0], periodic.inverse[0]);
        y = ooze_periodic_delta(y, periodic.length[1], periodic.inverse[1]);
        z = ooze_periodic_delta(z, periodic.length[2], periodic.inverse[2]);
    }
#ifdef __CUDACC__
    return __fadd_rn(__fadd_rn(__fmul_rn(x, x), __fmul_rn(y, y)), __fmul_rn(z, z)) < square;
#else
    return x * x + y * y + z * z < square;
#endif
}

/* Calls f(j) for the neighbours of point i, ascending. */
template <bool SPARSE, bool WRAPS, class F>
OOZE_DEVICE void each_near(const Search &search, uint32_t i, F f)
{
    float4 p = search.points[i];
    uint32_t self = search.skip_self ? i : UINT32_MAX;
    each_run<SPARSE>(search.cells, p, search.reach, [&](uint32_t begin, uint32_t end) {
        for (uint32_t j = begin; j < end; j++) {
            if (is_near<WRAPS>(search.cells.periodic, p, search.candidates[j], search.square) &&
                j != self) {
                f(j);
            }
        }
    });
}

struct Counted {
    uint64_t pairs, stored;
    uint32_t crowded; /* the first with too many */
    __device__ void operator+=(const Counted &o)
    {
        pairs += o.pairs;
        stored += o.stored;
        crowded = o.crowded < crowded ? o.crowded : crowded;
    }
};

template <bool SPARSE, bool WRAPS>
static Counted count_near(Machine *m, const Search &search, uint64_t n, uint16_t *count,
                          uint64_t *begin)
{
    uint64_t slices = (n + SLICE - 1) / SLICE;
    Mark mark = scratch_mark(m);
    uint32_t *all = scratch<uint32_t>(m, n), *width = scratch<uint32_t>(m, slices);
    const Search s = search;
    for_each(
        m, n, OOZE_BODY(uint32_t i) {
            uint32_t found = 0;
            each_near<SPARSE, WRAPS>(s, i, [&](uint32_t) { found++; });
            all[i] = found;
            count[i] = (uint16_t)(found < COUNT_MAX ? found : COUNT_MAX);
        });
    Counted none = {0, 0, UINT32_MAX};
    Counted sum = sum_now(
        m, slices, none, OOZE_BODY(uint32_t k) {
            Counted slice = none;
            uint32_t most = 0;
            for (uint64_t i = (uint64_t)k * SLICE; i < n && i < ((uint64_t)k + 1) * SLICE; i++) {
                slice.pairs += all[i];
                if (all[i] > COUNT_MAX && slice.crowded == UINT32_MAX) {
                    slice.crowded = (uint32_t)i;
                }
                most = all[i] > most ? all[i] : most;
            }
            width[k] = (most + 3) / 4 * SLICE;
            slice.stored = (uint64_t)width[k] * 4;
            return slice;
        });
    running_sum(m, width, begin, slices);
    scratch_rewind(m, mark);
    return sum;
}

template <bool SPARSE, bool WRAPS>
static void fill_near(Machine *m, const Search &search, uint64_t n, const uint64_t *begin,
                      uint4 *index, uint32_t dummy)
{
    const Search s = search;
    uint32_t *entry = reinterpret_cast<uint32_t *>(index);
    for_each(
        m, n, OOZE_BODY(uint32_t i) {
            uint64_t first = (begin[i / SLICE] + i % SLICE) * 4, last = begin[i / SLICE + 1] * 4;
            uint64_t at = first;
            each_near<SPARSE, WRAPS>(s, i, [&](uint32_t j) {
                entry[at] = j;
                at += at % 4 == 3 ? 4 * SLICE - 3 : 1;
            });
            while (at < last) {
                entry[at] = dummy;
                at += at % 4 == 3 ? 4 * SLICE - 3 : 1;
            }
        });
}

template <bool SPARSE, bool WRAPS>
static OozeStatus build(Machine *m, Lists *lists, const Search &search, uint64_t n,
                        OozeError *error)
{
    uint64_t slices = (n + SLICE - 1) / SLICE;
    uint64_t *begin = room<uint64_t>(m, &lists->begin_room, slices);
    uint16_t *count = room<uint16_t>(m, &lists->count_room, n);
    Counted sum = count_near<SPARSE, WRAPS>(m, search, n, count, begin);
    if (m->failed == cudaSuccess && sum.crowded != UINT32_MAX) {
        return ooze_fail(error, OOZE_ERROR_LIMIT,
                         "use a smaller support, or look for particles that lie on each other",
                         "particle %llu has more than %d neighbours",
                         (unsigned long long)sum.crowded, (int)COUNT_MAX);
    }
    uint4 *index = room<uint4>(m, &lists->index_room, sum.stored / 4);
    fill_near<SPARSE, WRAPS>(m, search, n, begin, index, lists->dummy);
    OozeStatus answer = status(m, n, error);
    if (!answer) {
        lists->begin = begin;
        lists->count = count;
        lists->index = index;
        lists->pairs = sum.pairs;
        lists->stored = sum.stored;
        lists->n = n;
    }
    return answer;
}

OozeStatus lists_build(Machine *m, Lists *lists, const Grid *grid, const float4 *points, uint64_t n,
                       const float4 *candidates, double radius, bool skip_self, OozeError *error)
{
    lists->n = lists->pairs = lists->stored = 0;
    if (!(radius > 0.0) || (grid->n > 0 && !(radius <= grid->cell))) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "sort with cells at least one radius wide",
                         "cannot look for neighbours within %g in cells of edge %g", radius,
                         grid->cell);
    }
    lists->dummy = (uint32_t)grid->n;
    Search search = {grid->cells, points,   candidates, (float)radius * (float)radius,
                     0.0f,        skip_self};
    search.reach = grid->n > 0 ? reach_square(grid->cells, radius, grid->cell) : -1.0f;
    if (grid->n > 0 && grid->cells.sparse) {
        return grid->cells.wraps ? build<true, true>(m, lists, search, n, error)
                                 : build<true, false>(m, lists, search, n, error);
    }
    return grid->n > 0 && grid->cells.wraps ? build<false, true>(m, lists, search, n, error)
                                            : build<false, false>(m, lists, search, n, error);
}

} // namespace ooze
