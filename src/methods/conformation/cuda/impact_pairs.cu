/* Pairs of particles that meet within a long step: see methods/conformation/cpu/impact_pairs.c. */
#include "cuda/pairs.cuh"
#include "cuda/sort.cuh"
#include "methods/conformation/cuda/impact.cuh"
#include "particles/components_formula.h"

namespace ooze
{

/* ---- particles at free surfaces ---- */

/* Waits for their number. */
static void find_surface(Step *step, Impact *impact)
{
    Gpu *gpu = step->gpu;
    const StepView s = step->view;
    impact->surface = scratch<uint32_t>(gpu, s.n);
    Mark mark = scratch_mark(gpu);
    uint8_t *inner = scratch<uint8_t>(gpu, s.n);
    for_each(
        gpu, s.n, OOZE_BODY(uint32_t i) {
            inner[i] = !ooze_impact_is_at_surface(s.surface_indicator[i], s.flat_gradient,
                                                  s.correction[i].xx == 0.0f);
        });
    impact->surface_count = select_unflagged(gpu, inner, impact->surface, s.n);
    scratch_rewind(gpu, mark);
}

struct VelocityRange {
    float low[3], high[3];
    __device__ void operator+=(const VelocityRange &o)
    {
        for (int c = 0; c < 3; c++) {
            low[c] = fminf(low[c], o.low[c]);
            high[c] = fmaxf(high[c], o.high[c]);
        }
    }
};

/* Waits. */
static int count_searches(const Step *step, const Impact *impact)
{
    const StepView s = step->view;
    const uint32_t *surface = impact->surface;
    const VelocityRange none = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    if (impact->surface_count == 0) {
        return 0;
    }
    VelocityRange all = sum_to_host(
        step->gpu, impact->surface_count, none, OOZE_BODY(uint32_t k) {
            const float4 u = s.u[surface[k]];
            VelocityRange own = {{u.x, u.y, u.z}, {u.x, u.y, u.z}};
            return own;
        });
    float range[3];
    for (int c = 0; c < 3; c++) {
        range[c] = all.high[c] - all.low[c];
    }
    return ooze_impact_searches(s.dt * sqrtf(ooze_contact_dot(range, range)), s.spacing);
}

/* ---- a search ---- */

/* Whether a particle has met others: at this search, or at an earlier one. */
enum { NOT_MET, MET_NOW, MET_BEFORE };

/* Captured by loop bodies; `at` is an index in the order of the grid. */
struct SurfaceView {
    const uint32_t *particle; /* [at] */
    const uint32_t *order;    /* [at]: index of its element of `met` */
    const float4 *x;          /* [at]: at the time of the search */
    uint8_t *met;
    ListView near;
};

/* Places the surfaces at a fraction of the step, and lists which are near each other. Waits. */
static OozeStatus search_near(Step *step, const Impact *impact, float fraction,
                              SurfaceView *surface, OozeError *error)
{
    Gpu *gpu = step->gpu;
    const StepView s = step->view;
    const uint64_t n = impact->surface_count;
    const uint32_t *index = impact->surface;
    ImpactMemory *memory = step->impact_memory;
    const double reach = (double)OOZE_IMPACT_MEETING * step->context->spacing;
    float4 *x = scratch<float4>(gpu, n), *sorted = scratch<float4>(gpu, n);
    uint32_t *particle = scratch<uint32_t>(gpu, n);
    for_each(
        gpu, n, OOZE_BODY(uint32_t k) {
            const uint32_t i = index[k];
            x[k] = wrap_point(s.periodic, s.x0[i] + (fraction * s.dt) * s.u[i]);
        });
    OozeStatus result = grid_sort(gpu, &memory->grid, x, n, reach, &s.periodic, error);
    if (result) {
        return result;
    }
    const uint32_t *order = memory->grid.order;
    reorder(gpu, order, n, x, sorted, sizeof *sorted);
    reorder(gpu, order, n, index, particle, sizeof *particle);
    clear(gpu, sorted + n, sizeof *sorted);
    result =
        lists_build(gpu, &memory->near, &memory->grid, {sorted, n, sorted, reach, true}, error);
    surface->particle = particle;
    surface->order = order;
    surface->x = sorted;
    surface->near = view(&memory->near);
    return result;
}

/* Vectors between the ends of a pair that comes into contact, from b to a. */
struct Meeting {
    float4 now, start;
};

OOZE_DEVICE bool is_new(const StepView &s, const SurfaceView &surface, uint32_t a, uint32_t b,
                        Meeting *meeting)
{
    const uint32_t i = surface.particle[a], j = surface.particle[b];
    const float4 velocity = s.u[i] - s.u[j];
    meeting->start = separation(s.periodic, s.x0[i], s.x0[j]);
    meeting->now = separation(s.periodic, surface.x[a], surface.x[b]);
    return ooze_impact_is_new(&meeting->start.x, &meeting->now.x, &velocity.x, s.spacing);
}

/* Marks the particles that meet another in this search. */
static void mark_met(Step *step, const SurfaceView &surface, uint64_t n)
{
    const StepView s = step->view;
    for_each(
        step->gpu, n, OOZE_BODY(uint32_t a) {
            bool meets = false;
            each_true_neighbour(surface.near, a, [&](uint32_t b) {
                Meeting meeting;
                meets = meets || is_new(s, surface, a, b, &meeting);
            });
            uint8_t *met = &surface.met[surface.order[a]];
            *met = *met == NOT_MET && meets ? (uint8_t)MET_NOW : *met;
        });
}

/* Index of the first end of particle i, or of the next particle that has one. */
OOZE_DEVICE uint32_t first_end(const ImpactPairs &pairs, uint32_t i)
{
    uint32_t low = 0, high = (uint32_t)(2 * pairs.count);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        bool below = pairs.particle[middle] < i;
        low = below ? middle + 1 : low;
        high = below ? high : middle;
    }
    return low;
}

OOZE_DEVICE bool is_known(const ImpactPairs &pairs, uint32_t i, uint32_t j)
{
    const uint32_t ends = (uint32_t)(2 * pairs.count);
    bool known = false;
    for (uint32_t e = first_end(pairs, i); e < ends && pairs.particle[e] == i && !known; e++) {
        const OozeImpactPair *pair = &pairs.pair[pairs.entry[e] / 2];
        known = pair->i == j || pair->j == j;
    }
    return known;
}

/* Calls f(b, meeting) for the pairs that a search adds at a: those of two particles of which one
   has met no other before this search. A surface hides what lies behind it. */
template <class F>
OOZE_DEVICE void each_added(const StepView &s, const SurfaceView &surface, const ImpactPairs &pairs,
                            uint32_t a, F f)
{
    each_true_neighbour(surface.near, a, [&](uint32_t b) {
        Meeting meeting;
        if (b < a &&
            (surface.met[surface.order[a]] == MET_NOW ||
             surface.met[surface.order[b]] == MET_NOW) &&
            is_new(s, surface, a, b, &meeting) &&
            !is_known(pairs, surface.particle[a], surface.particle[b])) {
            f(b, meeting);
        }
    });
}

OOZE_DEVICE OozeImpactPair make_pair(const StepView &s, const OozeSym3 *stiffness, uint32_t i,
                                     uint32_t j, const Meeting &meeting)
{
    const float4 inward_i = s.edge_sum[i], inward_j = s.edge_sum[j];
    float traces = ooze_sym3_trace(stiffness[i]) + ooze_sym3_trace(stiffness[j]);
    OozeImpactPair pair = ooze_impact_pair(&inward_i.x, &inward_j.x, &meeting.now.x,
                                           &meeting.start.x, s.spacing, s.dt);
    pair.i = i;
    pair.j = j;
    pair.stiffness = ooze_impact_pair_stiffness(traces, s.spacing, s.dt);
    return pair;
}

/* Sorts the ends of all pairs by particle. */
static void list_ends(Gpu *gpu, const ImpactPairs &pairs, uint32_t n)
{
    Mark mark = scratch_mark(gpu);
    const uint64_t ends = 2 * pairs.count;
    uint32_t *key[2] = {scratch<uint32_t>(gpu, ends), pairs.particle};
    uint32_t *index[2] = {scratch<uint32_t>(gpu, ends), pairs.entry};
    int bits = 1;
    while (bits < 32 && n >> bits) {
        bits++;
    }
    const int side = sort_input_side(bits);
    uint32_t *particle = key[side], *entry = index[side];
    for_each(
        gpu, ends, OOZE_BODY(uint32_t e) {
            const OozeImpactPair *pair = &pairs.pair[e / 2];
            particle[e] = e & 1 ? pair->j : pair->i;
            entry[e] = e;
        });
    sort_pairs(gpu, key, index, ends, bits);
    scratch_rewind(gpu, mark);
}

/* The pairs of this search, in the order of the grid. Waits for their number. */
static void add_pairs(Lodge *solve, const SurfaceView &surface, uint64_t n)
{
    Step *step = solve->step;
    Gpu *gpu = step->gpu;
    const StepView s = step->view;
    const OozeSym3 *stiffness = solve->view.stiffness;
    const ImpactPairs pairs = solve->impact->pairs;
    uint32_t *count = scratch<uint32_t>(gpu, n);
    uint64_t *first = scratch<uint64_t>(gpu, n), total = 0;
    for_each(
        gpu, n, OOZE_BODY(uint32_t a) {
            uint32_t own = 0;
            each_added(s, surface, pairs, a, [&](uint32_t, const Meeting &) { own++; });
            count[a] = own;
        });
    clear(gpu, count + n, sizeof *count);
    running_sum(gpu, count, first, n);
    copy_out(gpu, &total, first + n, sizeof total);
    if (gpu->failed != cudaSuccess || total == 0) {
        return;
    }
    for_each(
        gpu, n, OOZE_BODY(uint32_t a) {
            uint64_t at = pairs.count + first[a];
            each_added(s, surface, pairs, a, [&](uint32_t b, const Meeting &meeting) {
                if (at < pairs.room) {
                    pairs.pair[at++] =
                        make_pair(s, stiffness, surface.particle[a], surface.particle[b], meeting);
                }
            });
        });
    ImpactPairs *all = &solve->impact->pairs;
    all->count = all->count + total < all->room ? all->count + total : all->room;
    list_ends(gpu, *all, s.n);
}

/* ---- all searches of a pass ---- */

static void allocate_pairs(Gpu *gpu, uint64_t room, ImpactPairs *pairs)
{
    pairs->room = room;
    pairs->pair = scratch<OozeImpactPair>(gpu, room);
    pairs->particle = scratch<uint32_t>(gpu, 2 * room);
    pairs->entry = scratch<uint32_t>(gpu, 2 * room);
}

OOZE_DEVICE float rate_of(const OozeImpactPair &pair, const float4 *u)
{
    return ooze_impact_pair_rate(&pair, u[pair.i], u[pair.j]);
}

static void update_forces(const Lodge *solve)
{
    const ImpactPairs pairs = solve->impact->pairs;
    const float4 *u = solve->step->view.u;
    for_each(
        solve->step->gpu, pairs.count, OOZE_BODY(uint32_t k) {
            ooze_impact_pair_update(&pairs.pair[k], rate_of(pairs.pair[k], u));
        });
}

static OozeStatus run_search(Lodge *solve, float fraction, SurfaceView *surface, OozeError *error)
{
    Step *step = solve->step;
    Gpu *gpu = step->gpu;
    const uint64_t n = solve->impact->surface_count;
    uint8_t *met = surface->met;
    Mark mark = scratch_mark(gpu);
    OozeStatus result = search_near(step, solve->impact, fraction, surface, error);
    if (!result) {
        mark_met(step, *surface, n);
        add_pairs(solve, *surface, n);
        for_each(
            gpu, n, OOZE_BODY(uint32_t k) {
                met[k] = met[k] == NOT_MET ? (uint8_t)NOT_MET : (uint8_t)MET_BEFORE;
            });
    }
    scratch_rewind(gpu, mark);
    return result;
}

OozeStatus impact_find_pairs(Lodge *solve, uint64_t *added, OozeError *error)
{
    Step *step = solve->step;
    Gpu *gpu = step->gpu;
    Impact *impact = solve->impact;
    OozeStatus result = OOZE_OK;
    *added = 0;
    update_forces(solve);
    if (!impact->surface) {
        find_surface(step, impact);
    }
    const int searches = count_searches(step, impact);
    if (searches == 0) {
        return result;
    }
    if (!impact->pairs.pair) {
        allocate_pairs(gpu, OOZE_IMPACT_PAIRS_EACH * impact->surface_count, &impact->pairs);
    }
    const uint64_t before = impact->pairs.count;
    Mark mark = scratch_mark(gpu);
    SurfaceView surface = {};
    surface.met = scratch<uint8_t>(gpu, impact->surface_count);
    clear(gpu, surface.met, impact->surface_count);
    for (int k = 1; k <= searches && !result; k++) {
        result = run_search(solve, (float)k / (float)searches, &surface, error);
    }
    scratch_rewind(gpu, mark);
    *added = impact->pairs.count - before;
    return result;
}

/* ---- in the velocity solve ---- */

/* Calls body(i, e, last) for each particle with pairs: its ends are those from e to last. */
template <class Body> static void each_paired(Gpu *gpu, const ImpactPairs &pairs, Body body)
{
    const uint32_t ends = (uint32_t)(2 * pairs.count);
    const uint32_t *particle = pairs.particle;
    for_each(
        gpu, ends, OOZE_BODY(uint32_t e) {
            const uint32_t i = particle[e];
            if (e > 0 && particle[e - 1] == i) {
                return;
            }
            uint32_t last = e + 1;
            while (last < ends && particle[last] == i) {
                last++;
            }
            body(i, e, last);
        });
}

void impact_pairs_add(const Lodge *solve, const float4 *input, float4 *force, bool explicit_terms,
                      const int32_t *off)
{
    if (!solve->impact || solve->impact->pairs.count == 0) {
        return;
    }
    const ImpactPairs pairs = solve->impact->pairs;
    const float per = 1.0f / solve->step->view.dt; /* the operator is the force times -dt */
    each_paired(
        solve->step->gpu, pairs, OOZE_BODY(uint32_t i, uint32_t e, uint32_t last) {
            float4 sum = f32x4(0, 0, 0);
            for (; e < last && !*off; e++) {
                const OozeImpactPair pair = pairs.pair[pairs.entry[e] / 2];
                sum = ooze_impact_pair_pull(&pair, pairs.entry[e] & 1, rate_of(pair, input),
                                            explicit_terms, sum);
            }
            if (!*off) {
                force[i] = force[i] - per * sum;
            }
        });
}

void impact_pairs_add_blocks(const Lodge *solve, OozeSym3 *diagonal)
{
    if (!solve->impact || solve->impact->pairs.count == 0) {
        return;
    }
    const ImpactPairs pairs = solve->impact->pairs;
    each_paired(
        solve->step->gpu, pairs, OOZE_BODY(uint32_t i, uint32_t e, uint32_t last) {
            OozeSym3 sum = diagonal[i];
            for (; e < last; e++) {
                sum = ooze_sym3_add(sum, ooze_impact_pair_block(&pairs.pair[pairs.entry[e] / 2]));
            }
            diagonal[i] = sum;
        });
}

void impact_pairs_join(const Lodge *solve, uint32_t *root)
{
    if (!solve->impact || solve->impact->pairs.count == 0) {
        return;
    }
    const ImpactPairs pairs = solve->impact->pairs;
    for_each(
        solve->step->gpu, pairs.count,
        OOZE_BODY(uint32_t k) { ooze_component_join(root, pairs.pair[k].i, pairs.pair[k].j); });
    for_each(
        solve->step->gpu, solve->step->view.n,
        OOZE_BODY(uint32_t i) { root[i] = ooze_component_root(root, i); });
}

} // namespace ooze
