/* Building the lists. The search compares candidates in chunks of up to 32 adjacent ones and stores
   one bit per candidate; then the size of the slice is known, and the lists are written from the
   bits. */
#include "cuda/lists.cuh"

namespace ooze
{

void lists_free(Gpu *gpu, Lists *lists)
{
    buffer_free(gpu, &lists->begin_buffer);
    buffer_free(gpu, &lists->count_buffer);
    buffer_free(gpu, &lists->index_buffer);
    *lists = {};
}

static constexpr uint32_t COUNT_MAX = 65535;
/* Chunks stored per point: 44 KiB per block, within the default limit of shared memory. */
static constexpr uint32_t CHUNKS_MAX = 44;
/* Quadruples beyond those of the last build: short lists grow by large shares in a step. */
static constexpr uint64_t QUADS_SPARE = 1024;

/* Points whose neighbours are searched, and the candidates. */
struct Search {
    Cells cells;
    const float4 *points, *candidates;
    float square; /* of the radius, m2 */
    float reach;  /* see reach_square */
    bool skip_self;
};

/* Where lists go. */
struct Target {
    uint64_t *begin;
    uint16_t *count;
    uint4 *index;
    uint64_t capacity; /* in quadruples; lists beyond it are counted but not written */
    uint32_t dummy;
    uint32_t chunks; /* stored per point; slices with more are searched twice */
};

struct Found {
    unsigned long long quads, pairs;
    uint32_t overfull; /* index of the first point with too many neighbours, or UINT32_MAX */
    uint32_t longest, chunks;
};

#ifdef __CUDACC__
OOZE_DEVICE uint32_t bits_set(uint32_t bits)
{
    return (uint32_t)__popc(bits);
}
OOZE_DEVICE uint32_t bits_reversed(uint32_t bits)
{
    return __brev(bits);
}
#else
OOZE_DEVICE uint32_t bits_set(uint32_t bits)
{
    return (uint32_t)__builtin_popcount(bits);
}
OOZE_DEVICE uint32_t bits_reversed(uint32_t bits)
{
    uint32_t reversed = 0;
    for (int k = 0; k < 32; k++) {
        reversed |= (bits >> k & 1) << (31 - k);
    }
    return reversed;
}
#endif

/* Appends one bit to `bits`: whether a and b are within the radius. The squared distance is not
   contracted, so that its bits are those of brute force. On a GPU the bit is the sign of the
   difference, which a funnel shift appends. */
template <bool WRAPS>
OOZE_DEVICE uint32_t compare(const Search &search, float4 a, float4 b, uint32_t bits)
{
    float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    if (WRAPS) {
        const OozePeriodic &periodic = search.cells.periodic;
        x = ooze_periodic_delta(x, periodic.length[0], periodic.inverse[0]);
        y = ooze_periodic_delta(y, periodic.length[1], periodic.inverse[1]);
        z = ooze_periodic_delta(z, periodic.length[2], periodic.inverse[2]);
    }
#ifdef __CUDACC__
    float square = __fadd_rn(__fadd_rn(__fmul_rn(x, x), __fmul_rn(y, y)), __fmul_rn(z, z));
    return __funnelshift_l(__float_as_uint(__fsub_rn(square, search.square)), bits, 1);
#else
    return bits << 1 | (x * x + y * y + z * z < search.square ? 1u : 0u);
#endif
}

/* Bit k: candidate k of `here`, at most 32, is within the radius. Candidates are read in pairs, so
   one beyond the last may be read. */
template <bool WRAPS>
OOZE_DEVICE uint32_t compare_all(const Search &search, float4 p, const float4 *candidate,
                                 uint32_t here)
{
    uint32_t bits = 0, even = (here + 1) & ~1u;
    OOZE_UNROLL(1)
    for (uint32_t left = even; left > 0; left -= 2) {
        float4 a = candidate[0], b = candidate[1];
        bits = compare<WRAPS>(search, p, a, bits);
        bits = compare<WRAPS>(search, p, b, bits);
        candidate += 2;
    }
    return bits_reversed(bits) >> (32 - even) & ~0u >> (32 - here);
}

/* Calls f(first, bits) for chunks in which point i has neighbours, ascending: bit k is that of
   candidate first + k. */
template <bool SPARSE, bool WRAPS, class F>
OOZE_DEVICE void each_chunk(const Search &search, uint32_t i, F f)
{
    const float4 p = search.points[i];
    const uint32_t self = search.skip_self ? i : UINT32_MAX;
    each_run<SPARSE, WRAPS>(search.cells, p, search.reach, [&](uint2 run) {
        for (uint32_t first = run.x; first < run.y; first += 32) {
            uint32_t here = run.y - first < 32 ? run.y - first : 32;
            uint32_t bits = compare_all<WRAPS>(search, p, search.candidates + first, here);
            bits &= self - first < 32 ? ~(1u << (self - first)) : ~0u;
            if (bits) {
                f(first, bits);
            }
        }
    });
}

/* Writes the indices of one list, one after the other. */
struct Writer {
    uint4 *at;
    uint4 quad;
    uint32_t held;
    __device__ void add(uint32_t j)
    {
        quad.x = held == 0 ? j : quad.x;
        quad.y = held == 1 ? j : quad.y;
        quad.z = held == 2 ? j : quad.z;
        quad.w = held == 3 ? j : quad.w;
        if (++held == 4) {
            *at = quad;
            at += SLICE;
            held = 0;
        }
    }
};

/* The list of point i by a second search, for slices with more than the stored chunks. */
template <bool SPARSE, bool WRAPS>
OOZE_DEVICE void write_list(const Search &search, uint32_t i, uint4 *list, uint32_t quads,
                            uint32_t dummy)
{
    Writer writer = {list, {0, 0, 0, 0}, 0};
    each_chunk<SPARSE, WRAPS>(search, i, [&](uint32_t first, uint32_t bits) {
        for (; bits; bits &= bits - 1) {
            writer.add(first + lowest_bit(bits));
        }
    });
    while (writer.at < list + (uint64_t)quads * SLICE) {
        writer.add(dummy);
    }
}

/* Result of the search of one point. */
struct Hits {
    uint32_t chunks, count;
};

/* Searches, and stores the first to.chunks chunks, STRIDE apart. */
template <bool SPARSE, bool WRAPS, int STRIDE>
OOZE_DEVICE Hits search_for(const Search &search, uint32_t i, const Target &to, Found *found,
                            uint2 *kept)
{
    Hits hits = {0, 0};
    each_chunk<SPARSE, WRAPS>(search, i, [&](uint32_t first, uint32_t bits) {
        if (hits.chunks < to.chunks) {
            *kept = make_uint2(first, bits);
            kept += STRIDE;
        }
        hits.chunks++;
        hits.count += bits_set(bits);
    });
    to.count[i] = (uint16_t)(hits.count < COUNT_MAX ? hits.count : COUNT_MAX);
    if (hits.count > COUNT_MAX) {
        atomicMin(&found->overfull, i);
    }
    return hits;
}

/* The list from the stored chunks. Threads of a slice advance together and write whole lines. */
template <int STRIDE>
OOZE_DEVICE void write_kept(const uint2 *kept, uint32_t chunks, uint4 *list, uint32_t quads,
                            uint32_t dummy)
{
    uint32_t next = 0, first = 0, bits = 0;
    for (uint32_t q = 0; q < quads; q++) {
        uint32_t quad[4];
        OOZE_UNROLL(4)
        for (int k = 0; k < 4; k++) {
            if (bits == 0 && next < chunks) {
                uint2 chunk = kept[next * STRIDE];
                first = chunk.x;
                bits = chunk.y;
                next++;
            }
            quad[k] = bits ? first + lowest_bit(bits) : dummy;
            bits &= bits - 1;
        }
        list[(uint64_t)q * SLICE] = make_uint4(quad[0], quad[1], quad[2], quad[3]);
    }
}

OOZE_DEVICE uint64_t reserve_quads(Found *found, uint32_t quads)
{
    unsigned long long all = (unsigned long long)quads * SLICE;
    return all > 0 ? atomicAdd(&found->quads, all) : 0;
}

OOZE_DEVICE bool fits(const Target &to, uint64_t first, uint32_t quads)
{
    return quads > 0 && first + (uint64_t)quads * SLICE <= to.capacity;
}

#ifdef __CUDACC__

template <class Op> OOZE_DEVICE uint32_t over_slice(uint32_t value, Op op)
{
    for (int k = SLICE / 2; k > 0; k /= 2) {
        value = op(value, __shfl_xor_sync(0xffffffffu, value, k));
    }
    return value;
}

/* A warp builds a slice, independent of others. */
template <bool SPARSE, bool WRAPS>
__global__ void __launch_bounds__(BLOCK)
    slices_kernel(uint32_t n, const Search search, const Target to, Found *found)
{
    extern __shared__ uint2 memory[];
    uint2 *kept = memory + threadIdx.x;
    const uint32_t i = blockIdx.x * BLOCK + threadIdx.x, lane = threadIdx.x % SLICE;
    Hits hits = {0, 0};
    if (i < n) {
        hits = search_for<SPARSE, WRAPS, BLOCK>(search, i, to, found, kept);
    }
    __syncwarp();
    auto larger = [](uint32_t a, uint32_t b) { return a > b ? a : b; };
    const uint32_t longest = over_slice(hits.count, larger);
    const uint32_t max_chunks = over_slice(hits.chunks, larger);
    const uint32_t pairs = over_slice(hits.count, [](uint32_t a, uint32_t b) { return a + b; });
    const uint32_t quads = longest > COUNT_MAX ? 0 : (longest + 3) / 4;
    unsigned long long first = 0;
    if (lane == 0 && i < n) {
        first = reserve_quads(found, quads);
        to.begin[i / SLICE] = first | (uint64_t)quads << 48;
        if (pairs > 0) {
            atomicAdd(&found->pairs, (unsigned long long)pairs);
        }
        /* reading first avoids the atomic operation for most slices */
        if (longest > *(volatile uint32_t *)&found->longest) {
            atomicMax(&found->longest, longest);
        }
        if (max_chunks > *(volatile uint32_t *)&found->chunks) {
            atomicMax(&found->chunks, max_chunks);
        }
    }
    first = __shfl_sync(0xffffffffu, first, 0);
    if (i >= n || !fits(to, first, quads)) {
        return;
    }
    uint4 *list = to.index + first + lane;
    if (max_chunks <= to.chunks) {
        write_kept<BLOCK>(kept, hits.chunks, list, quads, to.dummy);
    } else {
        write_list<SPARSE, WRAPS>(search, i, list, quads, to.dummy);
    }
}

template <bool SPARSE, bool WRAPS>
static void make_slices(Gpu *gpu, const Search &search, uint64_t n, const Target &to, Found *found)
{
    if (n > 0 && gpu->failed == cudaSuccess) {
        const uint32_t blocks = (uint32_t)((n + BLOCK - 1) / BLOCK);
        const uint32_t shared = to.chunks * BLOCK * (uint32_t)sizeof(uint2);
        gpu->counts.launches++;
        launch_shaped(gpu, {blocks, BLOCK, shared}, slices_kernel<SPARSE, WRAPS>, (uint32_t)n,
                      search, to, found);
    }
}

#else

template <bool SPARSE, bool WRAPS>
static void make_slices(Gpu *gpu, const Search &search, uint64_t n, const Target &to, Found *found)
{
    for_each(gpu, (n + SLICE - 1) / SLICE, [=](uint32_t slice) {
        const uint64_t begin = (uint64_t)slice * SLICE, end = begin + SLICE < n ? begin + SLICE : n;
        uint2 kept[SLICE][CHUNKS_MAX];
        Hits hits[SLICE];
        uint32_t longest = 0, max_chunks = 0;
        for (uint64_t i = begin; i < end; i++) {
            Hits h = search_for<SPARSE, WRAPS, 1>(search, (uint32_t)i, to, found, kept[i - begin]);
            longest = h.count > longest ? h.count : longest;
            max_chunks = h.chunks > max_chunks ? h.chunks : max_chunks;
            hits[i - begin] = h;
            atomicAdd(&found->pairs, (unsigned long long)h.count);
        }
        atomicMax(&found->longest, longest);
        atomicMax(&found->chunks, max_chunks);
        uint32_t quads = longest > COUNT_MAX ? 0 : (longest + 3) / 4;
        uint64_t first = reserve_quads(found, quads);
        to.begin[slice] = first | (uint64_t)quads << 48;
        for (uint64_t i = begin; i < end && fits(to, first, quads); i++) {
            uint4 *list = to.index + first + i % SLICE;
            if (max_chunks <= to.chunks) {
                write_kept<1>(kept[i - begin], hits[i - begin].chunks, list, quads, to.dummy);
            } else {
                write_list<SPARSE, WRAPS>(search, (uint32_t)i, list, quads, to.dummy);
            }
        }
    });
}

#endif

/* ---- all slices ---- */

/* Chunks to store per point: those needed by the last build, and a margin. */
static uint32_t kept_chunks(const Lists *lists)
{
    const uint32_t min_chunks = 6, max_chunks = CHUNKS_MAX, margin = 2;
    uint32_t wanted = lists->chunks > 0 ? lists->chunks + margin : 14;
    return wanted < min_chunks ? min_chunks : wanted > max_chunks ? max_chunks : wanted;
}

static void launch_slices(Gpu *gpu, const Search &search, uint64_t n, const Target &to,
                          Found *found)
{
    bool any = search.cells.n > 0;
    if (any && search.cells.sparse) {
        search.cells.wraps ? make_slices<true, true>(gpu, search, n, to, found)
                           : make_slices<true, false>(gpu, search, n, to, found);
    } else {
        any &&search.cells.wraps ? make_slices<false, true>(gpu, search, n, to, found)
                                 : make_slices<false, false>(gpu, search, n, to, found);
    }
}

/* Memory for at least `quads`; discards the contents. */
static void reserve_index(Gpu *gpu, Lists *lists, uint64_t quads, Target *to)
{
    if (lists->temporary) {
        to->index = scratch<uint4>(gpu, quads);
        to->capacity = quads;
    } else {
        to->index = buffer<uint4>(gpu, &lists->index_buffer, quads);
        to->capacity = lists->index_buffer.size / sizeof(uint4);
    }
}

/* A build that is under way. */
struct Build {
    Search search;
    Target to;
    Found sum;
};

static OozeStatus begin_build(Gpu *gpu, const ListsJob &job, Build *build, OozeError *error)
{
    Lists *lists = job.lists;
    const Grid *grid = job.grid;
    const ListQuery &query = job.query;
    const double radius = query.radius;
    lists->n = lists->pairs = lists->stored = 0;
    if (!(radius > 0.0) || (grid->n > 0 && !(radius <= grid->cell))) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "sort with cells at least one radius wide",
                         "cannot look for neighbours within %g in cells of edge %g", radius,
                         grid->cell);
    }
    lists->dummy = (uint32_t)grid->n;
    build->search = {grid->cells, query.points, query.candidates, 0.0f, -1.0f, query.skip_self};
    build->search.square = (float)radius * (float)radius;
    if (grid->n > 0) { /* otherwise no row is within reach */
        build->search.reach = reach_square(grid->cells, radius, grid->cell);
    }
    Target *to = &build->to;
    *to = {};
    to->begin = buffer<uint64_t>(gpu, &lists->begin_buffer, (query.n + SLICE - 1) / SLICE);
    to->count = buffer<uint16_t>(gpu, &lists->count_buffer, query.n);
    reserve_index(gpu, lists, lists->quads + lists->quads / 64 + QUADS_SPARE, to);
    to->dummy = lists->dummy;
    to->chunks = kept_chunks(lists);
    return OOZE_OK;
}

/* Launches the searches and reads their totals. Waits once. */
static void run_builds(Gpu *gpu, const ListsJob *jobs, Build *builds, int count,
                       OozeStepTimer *timer)
{
    static_assert(LISTS_AT_ONCE * sizeof(Found) <= 256, "totals fit into gpu->scalars");
    Found *found = static_cast<Found *>(gpu->scalars), sum[LISTS_AT_ONCE];
    const Found none = {0, 0, UINT32_MAX, 0, 0};
    for_each(
        gpu, (uint64_t)count, OOZE_BODY(uint32_t k) { found[k] = none; });
    for (int k = 0; k < count; k++) {
        sum[k] = none;
        launch_slices(gpu, builds[k].search, jobs[k].query.n, builds[k].to, found + k);
        if (jobs[k].part) {
            ooze_timer_lap(timer, jobs[k].part);
        }
    }
    copy_out(gpu, sum, found, (size_t)count * sizeof *found);
    for (int k = 0; k < count; k++) {
        builds[k].sum = sum[k];
    }
}

static OozeStatus end_build(Gpu *gpu, const ListsJob &job, Build *build, OozeError *error)
{
    Lists *lists = job.lists;
    const uint64_t n = job.query.n;
    if (gpu->failed == cudaSuccess && build->sum.overfull != UINT32_MAX) {
        return ooze_fail(error, OOZE_ERROR_LIMIT,
                         "use a smaller support, or look for particles that lie on each other",
                         "particle %llu has more than %d neighbours",
                         (unsigned long long)build->sum.overfull, (int)COUNT_MAX);
    }
    lists->chunks = build->sum.chunks;
    if (gpu->failed == cudaSuccess && build->sum.quads > build->to.capacity) {
        const ListsJob again = {job.lists, job.grid, job.query, nullptr};
        reserve_index(gpu, lists, build->sum.quads + build->sum.quads / 64, &build->to);
        build->to.chunks = kept_chunks(lists);
        run_builds(gpu, &again, build, 1, nullptr);
    }
    OozeStatus result = status(gpu, n, error);
    if (!result) {
        lists->begin = build->to.begin;
        lists->count = build->to.count;
        lists->index = build->to.index;
        lists->pairs = build->sum.pairs;
        lists->stored = build->sum.quads * 4;
        lists->quads = build->sum.quads;
        lists->longest = build->sum.longest;
        lists->n = n;
    }
    return result;
}

OozeStatus lists_build_all(Gpu *gpu, const ListsJob *jobs, int count, OozeStepTimer *timer,
                           OozeError *error)
{
    Build builds[LISTS_AT_ONCE];
    OozeStatus result = OOZE_OK;
    for (int k = 0; k < count && !result; k++) {
        result = begin_build(gpu, jobs[k], &builds[k], error);
    }
    if (!result) {
        run_builds(gpu, jobs, builds, count, timer);
    }
    for (int k = 0; k < count && !result; k++) {
        result = end_build(gpu, jobs[k], &builds[k], error);
    }
    return result;
}

OozeStatus lists_build(Gpu *gpu, Lists *lists, const Grid *grid, const ListQuery &query,
                       OozeError *error)
{
    const ListsJob job = {lists, grid, query, nullptr};
    return lists_build_all(gpu, &job, 1, nullptr, error);
}

} // namespace ooze
