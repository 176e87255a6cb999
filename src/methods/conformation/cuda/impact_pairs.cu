/* Pairs of particles that meet within a long step: see methods/conformation/cpu/impact_pairs.c. */
#include "cuda/pairs.cuh"
#include "cuda/sort.cuh"
#include "methods/conformation/cuda/impact.cuh"
#include "particles/components_formula.h"

namespace ooze
{

/* ---- particles at free surfaces ---- */

/* value(i) of the particles i at surfaces, by number. Waits for the other ranks. */
template <class T, class Value>
static const T *by_number(Gpu *gpu, const ImpactSurface &surface, Value value)
{
    const uint32_t *own = surface.own;
    T *values = scratch<T>(gpu, surface.count);
    for_each(
        gpu, surface.count, OOZE_BODY(uint32_t k) { values[k] = value(own[k]); });
    return gpu->share ? gather_list(gpu, values, surface) : values;
}

/* Waits for their number. */
static void find_surface(Step *step, Impact *impact)
{
    Gpu *gpu = step->gpu;
    const StepView s = step->view;
    const OwnRange range = own_range(gpu, s.n);
    ImpactSurface *surface = &impact->surface;
    uint32_t *own = scratch<uint32_t>(gpu, s.n);
    Mark mark = scratch_mark(gpu);
    uint8_t *inner = scratch<uint8_t>(gpu, s.n);
    for_each(
        gpu, s.n, OOZE_BODY(uint32_t i) {
            inner[i] =
                !range.has(i) || !ooze_impact_is_at_surface(s.surface_indicator[i], s.flat_gradient,
                                                            s.correction[i].xx == 0.0f);
        });
    surface->count = select_unflagged(gpu, inner, own, s.n);
    scratch_rewind(gpu, mark);
    surface->own = own;
    rank_list_share(gpu, step->context->arena, surface);
    uint32_t *here = scratch<uint32_t>(gpu, surface->all);
    const uint32_t first = (uint32_t)rank_list_begin(gpu, *surface);
    const OwnRange numbers = {first, (uint32_t)surface->count};
    for_each(
        gpu, surface->all,
        OOZE_BODY(uint32_t k) { here[k] = numbers.has(k) ? own[k - first] : UINT32_MAX; });
    surface->here = here;
    const RankShare *share = gpu->share;
    const uint32_t offset = share ? (uint32_t)(share->first - share->begin) : 0;
    surface->index = by_number<uint32_t>(
        gpu, *surface, OOZE_BODY(uint32_t i)->uint32_t { return i + offset; });
    surface->x0 = by_number<float4>(
        gpu, *surface, OOZE_BODY(uint32_t i)->float4 { return s.x0[i]; });
    surface->inward = by_number<float4>(
        gpu, *surface, OOZE_BODY(uint32_t i)->float4 { return s.edge_sum[i]; });
    impact->ends.own = scratch<uint32_t>(gpu, surface->count);
    impact->ends.place = scratch<uint32_t>(gpu, surface->all);
}

/* What a pass has found, in memory that is free again after the search. */
static void read_surface(const Lodge *solve, ImpactSurface *surface)
{
    Gpu *gpu = solve->step->gpu;
    const float4 *u = solve->step->view.u;
    const OozeSym3 *stiffness = solve->view.stiffness;
    surface->u = by_number<float4>(
        gpu, *surface, OOZE_BODY(uint32_t i)->float4 { return u[i]; });
    surface->trace = by_number<float>(
        gpu, *surface, OOZE_BODY(uint32_t i)->float { return ooze_sym3_trace(stiffness[i]); });
}

/* Of the surfaces: velocities, and a box around the paths that they take in the step; along a
   periodic axis, where paths may leave the box of the scene, its lower end. */
struct Motion {
    PointBox u, path;
    __device__ void operator+=(const Motion &o)
    {
        u += o.u;
        path += o.path;
    }
};

/* Waits. */
static Motion find_motion(const Step *step, const Impact *impact)
{
    const StepView s = step->view;
    const float4 *start = impact->surface.x0, *velocity = impact->surface.u;
    const Motion none = {box_of_none(), box_of_none()};
    return sum_to_host(
        step->gpu, impact->surface.all, none, OOZE_BODY(uint32_t k) {
            const float4 x = start[k], u = velocity[k], end = x + s.dt * u;
            Motion own = {box_of_point(u.x, u.y, u.z), box_of_point(x.x, x.y, x.z)};
            own.path += box_of_point(end.x, end.y, end.z);
            for (int c = 0; c < 3; c++) {
                const bool wraps = s.periodic.length[c] > 0.0f;
                own.path.low[c] = wraps ? s.periodic.min[c] : own.path.low[c];
                own.path.high[c] = wraps ? s.periodic.min[c] : own.path.high[c];
            }
            return own;
        });
}

/* Largest travel of a surface relative to another in the step, m. */
static float travel_of(const Motion &motion, float dt)
{
    float range[3];
    for (int c = 0; c < 3; c++) {
        range[c] = motion.u.high[c] - motion.u.low[c];
    }
    return dt * sqrtf(ooze_contact_dot(range, range));
}

/* Largest reach of a search, m: cells of a periodic box are a third of it at most. */
static double widest_reach(const StepView &s)
{
    double widest = OOZE_IMPACT_WIDEST * (double)s.spacing;
    for (int c = 0; c < 3; c++) {
        widest = s.periodic.length[c] > 0.0f ? fmin(widest, 0.333 * (double)s.periodic.length[c])
                                             : widest;
    }
    return widest;
}

/* ---- the searches of a window ---- */

/* Search at which a number first meets another. */
enum { NOT_MET = UINT8_MAX };

/* Captured by loop bodies; `at` is an index in the order of the grid. */
struct SurfaceView {
    ImpactSurface all;
    OozeImpactWindow window;
    const uint32_t *number; /* [at] */
    const float4 *x, *u;    /* [at]: x in the middle of the window */
    uint8_t *met;           /* by number */
    Cells cells;
    float reach; /* see reach_square */
};

/* Sorts the surfaces, placed in the middle of the window. */
static OozeStatus sort_surface(Step *step, const PointBox &box, SurfaceView *surface,
                               OozeError *error)
{
    Gpu *gpu = step->gpu;
    const StepView s = step->view;
    const ImpactSurface all = surface->all;
    const uint64_t n = all.all;
    const float fraction = surface->window.middle;
    const double cell = surface->window.reach * (1.0 + 1e-5);
    Grid *grid = &step->impact_memory->grid;
    float4 *x = scratch<float4>(gpu, n), *sorted = scratch<float4>(gpu, n);
    float4 *u = scratch<float4>(gpu, n);
    for_each(
        gpu, n, OOZE_BODY(uint32_t k) {
            x[k] = wrap_point(s.periodic, all.x0[k] + (fraction * s.dt) * all.u[k]);
        });
    bool finite = true;
    for (int c = 0; c < 3; c++) {
        finite = finite && isfinite(box.low[c]) && isfinite(box.high[c]);
    }
    grid->known_box = finite ? &box : nullptr; /* otherwise the sort names the particle */
    OozeStatus result = grid_sort(gpu, grid, x, n, cell, &s.periodic, error);
    if (result) {
        return result;
    }
    reorder(gpu, grid->order, n, x, sorted, sizeof *sorted);
    reorder(gpu, grid->order, n, all.u, u, sizeof *u);
    surface->number = grid->order;
    surface->x = sorted;
    surface->u = u;
    surface->cells = grid->cells;
    surface->reach = reach_square(grid->cells, cell, grid->cell);
    return OOZE_OK;
}

/* Calls f(b, search, middle) for the b that a meets in the window. */
template <bool SPARSE, class F>
OOZE_DEVICE void each_met_of(const StepView &s, const SurfaceView &surface, uint32_t a, F f)
{
    const float4 x = surface.x[a], u = surface.u[a], start = surface.all.x0[surface.number[a]];
    const float far = (float)(surface.window.reach * surface.window.reach * (1.0 + 1e-5));
    each_run<SPARSE, true>(surface.cells, x, surface.reach, [&](uint2 run) {
        for (uint32_t b = run.x; b < run.y; b++) {
            const float4 middle = separation(s.periodic, x, surface.x[b]);
            if (b == a || !(dot(middle, middle) < far)) {
                continue;
            }
            const float4 velocity = u - surface.u[b];
            const int search = ooze_impact_first_search(&surface.window, &middle.x, &velocity.x);
            const float4 apart =
                search > 0 ? separation(s.periodic, start, surface.all.x0[surface.number[b]])
                           : middle;
            if (search > 0 && ooze_impact_was_apart(&apart.x, s.spacing)) {
                f(b, search, middle);
            }
        }
    });
}

template <class F>
OOZE_DEVICE void each_met(const StepView &s, const SurfaceView &surface, uint32_t a, F f)
{
    if (surface.cells.sparse) {
        each_met_of<true>(s, surface, a, f);
    } else {
        each_met_of<false>(s, surface, a, f);
    }
}

/* Finds the searches at which particles first meet another. */
static void find_met(Step *step, const SurfaceView &surface)
{
    const StepView s = step->view;
    for_each(
        step->gpu, surface.all.all, OOZE_BODY(uint32_t a) {
            uint8_t *met = &surface.met[surface.number[a]];
            if (*met != NOT_MET) {
                return; /* in an earlier window */
            }
            int first = NOT_MET;
            each_met(s, surface, a, [&](uint32_t, int search, const float4 &) {
                first = search < first ? search : first;
            });
            *met = (uint8_t)first;
        });
}

/* Index of the first end of number i, or of the next number that has one. */
OOZE_DEVICE uint32_t first_end(const ImpactPairs &pairs, uint32_t i)
{
    return first_not((uint32_t)(2 * pairs.count), [&](uint32_t e) { return pairs.number[e] < i; });
}

OOZE_DEVICE bool is_known(const ImpactPairs &pairs, uint32_t i, uint32_t j)
{
    const uint32_t ends = (uint32_t)(2 * pairs.count);
    bool known = false;
    for (uint32_t e = first_end(pairs, i); e < ends && pairs.number[e] == i && !known; e++) {
        const OozeImpactPair *pair = &pairs.pair[pairs.entry[e] / 2];
        known = pair->i == j || pair->j == j;
    }
    return known;
}

/* Calls f(b, search, middle) for the pairs that a window adds at a: those of two particles of which
   one meets no other at an earlier search. A surface hides what lies behind it. */
template <class F>
OOZE_DEVICE void each_added(const StepView &s, const SurfaceView &surface, const ImpactPairs &pairs,
                            uint32_t a, F f)
{
    const uint32_t i = surface.number[a];
    const int met = surface.met[i];
    if (met == NOT_MET) {
        return;
    }
    each_met(s, surface, a, [&](uint32_t b, int search, const float4 &middle) {
        const uint32_t j = surface.number[b];
        if (b < a && (search == met || search == surface.met[j]) && !is_known(pairs, i, j)) {
            f(b, search, middle);
        }
    });
}

OOZE_DEVICE OozeImpactPair make_pair(const StepView &s, const SurfaceView &surface, uint32_t a,
                                     uint32_t b, int search, const float4 &middle)
{
    const ImpactSurface &all = surface.all;
    const uint32_t i = surface.number[a], j = surface.number[b];
    const float4 inward_i = all.inward[i], inward_j = all.inward[j];
    const float4 start = separation(s.periodic, all.x0[i], all.x0[j]);
    const float4 now =
        middle + ooze_impact_search_time(&surface.window, search) * (surface.u[a] - surface.u[b]);
    float traces = all.trace[i] + all.trace[j];
    OozeImpactPair pair =
        ooze_impact_pair(&inward_i.x, &inward_j.x, &now.x, &start.x, s.spacing, s.dt);
    pair.i = i;
    pair.j = j;
    pair.stiffness = ooze_impact_pair_stiffness(traces, s.spacing, s.dt);
    return pair;
}

/* Sorts the ends of all pairs by number, of which there are n. */
static void list_ends(Gpu *gpu, const ImpactPairs &pairs, uint32_t n)
{
    Mark mark = scratch_mark(gpu);
    const uint64_t ends = 2 * pairs.count;
    uint32_t *key[2] = {scratch<uint32_t>(gpu, ends), pairs.number};
    uint32_t *index[2] = {scratch<uint32_t>(gpu, ends), pairs.entry};
    int bits = 1;
    while (bits < 32 && n >> bits) {
        bits++;
    }
    const int side = sort_input_side(bits);
    uint32_t *number = key[side], *entry = index[side];
    for_each(
        gpu, ends, OOZE_BODY(uint32_t e) {
            const OozeImpactPair *pair = &pairs.pair[e / 2];
            number[e] = e & 1 ? pair->j : pair->i;
            entry[e] = e;
        });
    sort_pairs(gpu, key, index, ends, bits);
    scratch_rewind(gpu, mark);
}

/* The pairs of a window, in the order of the grid. Waits for their number. */
static void add_pairs(Lodge *solve, const SurfaceView &surface)
{
    const uint64_t n = surface.all.all;
    Step *step = solve->step;
    Gpu *gpu = step->gpu;
    const StepView s = step->view;
    const ImpactPairs pairs = solve->impact->pairs;
    uint32_t *count = scratch<uint32_t>(gpu, n);
    uint64_t *first = scratch<uint64_t>(gpu, n), total = 0;
    for_each(
        gpu, n, OOZE_BODY(uint32_t a) {
            uint32_t own = 0;
            each_added(s, surface, pairs, a, [&](uint32_t, int, const float4 &) { own++; });
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
            each_added(s, surface, pairs, a, [&](uint32_t b, int search, const float4 &middle) {
                if (at < pairs.room) {
                    pairs.pair[at++] = make_pair(s, surface, a, b, search, middle);
                }
            });
        });
    ImpactPairs *all = &solve->impact->pairs;
    all->count = all->count + total < all->room ? all->count + total : all->room;
    list_ends(gpu, *all, (uint32_t)n);
}

/* ---- all windows of a pass ---- */

static void allocate_pairs(Gpu *gpu, uint64_t room, ImpactPairs *pairs)
{
    pairs->room = room;
    pairs->pair = scratch<OozeImpactPair>(gpu, room);
    pairs->number = scratch<uint32_t>(gpu, 2 * room);
    pairs->entry = scratch<uint32_t>(gpu, 2 * room);
}

/* Values at the ends of pairs. Captured by loop bodies. */
struct EndField {
    const float4 *values;
    const uint32_t *place; /* by number: its place in values; NULL: the same */
    __device__ float4 at(uint32_t number) const { return values[place ? place[number] : number]; }
};

OOZE_DEVICE float rate_of(const OozeImpactPair &pair, const EndField &field)
{
    return ooze_impact_pair_rate(&pair, field.at(pair.i), field.at(pair.j));
}

static void update_forces(const Lodge *solve, const ImpactSurface &surface)
{
    const ImpactPairs pairs = solve->impact->pairs;
    const EndField u = {surface.u, nullptr};
    for_each(
        solve->step->gpu, pairs.count, OOZE_BODY(uint32_t k) {
            ooze_impact_pair_update(&pairs.pair[k], rate_of(pairs.pair[k], u));
        });
}

/* Of several ranks: finds the own particles among the ends of pairs. */
static void list_paired(Step *step, Impact *impact)
{
    Gpu *gpu = step->gpu;
    const uint64_t n = impact->surface.all;
    const ImpactPairs pairs = impact->pairs;
    const uint32_t *own_surface = impact->surface.own;
    ImpactEnds *ends = &impact->ends;
    uint32_t *own = ends->own, *place = ends->place;
    Mark mark = scratch_mark(gpu);
    uint8_t *single = scratch<uint8_t>(gpu, n);
    uint32_t *paired = scratch<uint32_t>(gpu, n);
    uint64_t *before = scratch<uint64_t>(gpu, n);
    clear(gpu, paired, (n + 1) * sizeof *paired);
    for_each(
        gpu, 2 * pairs.count, OOZE_BODY(uint32_t e) { paired[pairs.number[e]] = 1; });
    for_each(
        gpu, n, OOZE_BODY(uint32_t k) { single[k] = paired[k] ? 0 : 1; });
    running_sum(gpu, paired, before, n);
    for_each(
        gpu, n, OOZE_BODY(uint32_t k) { place[k] = (uint32_t)before[k]; });
    ends->count = select_unflagged(gpu, single + rank_list_begin(gpu, impact->surface), own,
                                   impact->surface.count);
    rank_list_share(gpu, step->context->arena, ends);
    for_each(
        gpu, ends->count, OOZE_BODY(uint32_t k) { own[k] = own_surface[own[k]]; });
    scratch_rewind(gpu, mark);
}

/* A field at the ends of pairs. Waits for the other ranks. */
static EndField field_at_ends(const Lodge *solve, const float4 *field)
{
    Gpu *gpu = solve->step->gpu;
    const ImpactEnds ends = solve->impact->ends;
    if (!gpu->share) {
        return {field, solve->impact->surface.here};
    }
    float4 *sent = scratch<float4>(gpu, ends.count);
    for_each(
        gpu, ends.count, OOZE_BODY(uint32_t k) { sent[k] = field[ends.own[k]]; });
    return {gather_list(gpu, sent, ends), ends.place};
}

static OozeStatus search_window(Lodge *solve, const PointBox &box, SurfaceView *surface,
                                OozeError *error)
{
    Gpu *gpu = solve->step->gpu;
    Mark mark = scratch_mark(gpu);
    OozeStatus result = sort_surface(solve->step, box, surface, error);
    if (!result) {
        find_met(solve->step, *surface);
        add_pairs(solve, *surface);
    }
    scratch_rewind(gpu, mark);
    return result;
}

/* The pairs that come into contact in the step. Waits. */
static OozeStatus search_pairs(Lodge *solve, OozeError *error)
{
    const Step *step = solve->step;
    Gpu *gpu = step->gpu;
    const StepView s = step->view;
    const Impact *impact = solve->impact;
    const uint64_t n = impact->surface.all;
    const Motion motion = find_motion(step, impact);
    const float travel = travel_of(motion, s.dt);
    const int searches = n > 0 ? ooze_impact_searches(travel, s.spacing) : 0;
    OozeStatus result = OOZE_OK;
    SurfaceView surface = {};
    surface.all = impact->surface;
    surface.met = scratch<uint8_t>(gpu, n);
    uint8_t *met = surface.met;
    for_each(
        gpu, searches > 0 ? n : 0, OOZE_BODY(uint32_t k) { met[k] = NOT_MET; });
    while (surface.window.last < searches && !result) {
        surface.window = ooze_impact_window(surface.window.last + 1, searches, travel, s.dt,
                                            step->context->spacing, widest_reach(s));
        result = search_window(solve, motion.path, &surface, error);
    }
    return result;
}

OozeStatus impact_find_pairs(Lodge *solve, uint64_t *added, OozeError *error)
{
    Step *step = solve->step;
    Gpu *gpu = step->gpu;
    Impact *impact = solve->impact;
    OozeStatus result = OOZE_OK;
    if (!impact->surface.own) {
        find_surface(step, impact);
        allocate_pairs(gpu, OOZE_IMPACT_PAIRS_EACH * impact->surface.all, &impact->pairs);
    }
    const uint64_t before = impact->pairs.count;
    Mark mark = scratch_mark(gpu);
    read_surface(solve, &impact->surface);
    update_forces(solve, impact->surface);
    result = search_pairs(solve, error);
    scratch_rewind(gpu, mark);
    *added = impact->pairs.count - before;
    if (gpu->share && *added > 0 && !result) {
        list_paired(step, impact);
    }
    return result;
}

/* ---- in the velocity solve ---- */

/* Calls body(i, e, last) for each own particle with pairs: its ends are those from e to last. */
template <class Body> static void each_paired(Gpu *gpu, const Impact *impact, Body body)
{
    const uint32_t ends = (uint32_t)(2 * impact->pairs.count);
    const uint32_t *number = impact->pairs.number, *here = impact->surface.here;
    for_each(
        gpu, ends, OOZE_BODY(uint32_t e) {
            const uint32_t own = number[e];
            if (here[own] == UINT32_MAX || (e > 0 && number[e - 1] == own)) {
                return;
            }
            uint32_t last = e + 1;
            while (last < ends && number[last] == own) {
                last++;
            }
            body(here[own], e, last);
        });
}

void impact_pairs_add(const Lodge *solve, const float4 *input, float4 *force, bool explicit_terms,
                      const int32_t *off)
{
    Gpu *gpu = solve->step->gpu;
    if (!solve->impact || solve->impact->pairs.count == 0) {
        return;
    }
    const ImpactPairs pairs = solve->impact->pairs;
    const float per = 1.0f / solve->step->view.dt; /* the operator is the force times -dt */
    const Mark mark = scratch_mark(gpu);
    const EndField at_ends = field_at_ends(solve, input);
    each_paired(
        gpu, solve->impact, OOZE_BODY(uint32_t i, uint32_t e, uint32_t last) {
            float4 sum = f32x4(0, 0, 0);
            for (; e < last && !*off; e++) {
                const OozeImpactPair pair = pairs.pair[pairs.entry[e] / 2];
                sum = ooze_impact_pair_pull(&pair, pairs.entry[e] & 1, rate_of(pair, at_ends),
                                            explicit_terms, sum);
            }
            if (!*off) {
                force[i] = force[i] - per * sum;
            }
        });
    scratch_rewind(gpu, mark);
}

void impact_pairs_add_blocks(const Lodge *solve, OozeSym3 *diagonal)
{
    if (!solve->impact || solve->impact->pairs.count == 0) {
        return;
    }
    const ImpactPairs pairs = solve->impact->pairs;
    each_paired(
        solve->step->gpu, solve->impact, OOZE_BODY(uint32_t i, uint32_t e, uint32_t last) {
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
    const uint32_t *index = solve->impact->surface.index;
    for_each(
        solve->step->gpu, pairs.count, OOZE_BODY(uint32_t k) {
            ooze_component_join(root, index[pairs.pair[k].i], index[pairs.pair[k].j]);
        });
    for_each(
        solve->step->gpu, all_particles(solve->step->gpu, solve->step->view.n),
        OOZE_BODY(uint32_t i) { root[i] = ooze_component_root(root, i); });
}

} // namespace ooze
