#include "cuda/density_sweep.cuh"
#include "cuda/pairs.cuh"
#include "cuda/rank_sums.cuh"
#include "solvers/density/density_formula.h"

namespace ooze
{

static void wrap(Gpu *gpu, const OozePeriodic *periodic, float4 *x, uint64_t n)
{
    const OozePeriodic p = *periodic;
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) { x[i] = wrap_point(p, x[i]); });
}

/* Sorts the predicted positions and finds neighbours there; reuses the grid of the beginning of the
   step. `sorted`: memory for n positions, unused afterwards. */
static OozeStatus find_pairs(Engine *engine, const DensityJob *job, const float4 *x, float4 *sorted,
                             OozeError *error)
{
    Gpu *gpu = &engine->gpu;
    const OozeStepContext *c = job->context;
    PointBox box;
    OozeStatus status = gpu->share ? box_over_ranks(gpu, x, job->n, &box, error) : OOZE_OK;
    engine->grid.known_box = gpu->share && !status ? &box : nullptr;
    status =
        status ? status : grid_sort(gpu, &engine->grid, x, job->n, c->support, &c->periodic, error);
    ooze_timer_lap(c->timer, "density_sort");
    if (!status) {
        reorder(gpu, engine->grid.order, job->n, x, sorted, sizeof *x);
        const ListsJob jobs[] = {
            {&engine->near, &engine->grid, {sorted, job->n, sorted, c->support, true}, nullptr},
            {&engine->near_walls,
             &engine->walls.grid,
             {sorted, job->n, engine->walls.view.position, c->support, false},
             nullptr}};
        status = lists_build_all(gpu, jobs, engine->walls.count > 0 ? 2 : 1, nullptr, error);
    }
    ooze_timer_lap(c->timer, "density_lists");
    return status;
}

static float square(float a)
{
    return a * a;
}

static DensitySweep make_sweep(const Engine *engine, const DensityJob *job, const float4 *x,
                               float4 *shift)
{
    const OozeStepContext *c = job->context;
    DensitySweep s = {};
    s.n = (uint32_t)job->n;
    s.all = all_particles(&engine->gpu, job->n);
    s.own = own_range(&engine->gpu, job->n);
    s.open = !ooze_periodic_any(&c->periodic);
    s.fixed_point = make_fixed_point(&c->periodic, (double)job->support, s.open);
    s.cubic = ooze_cubic(job->support, job->volume);
    s.periodic = c->periodic;
    s.support = job->support;
    s.self_density = job->volume * ooze_cubic_value(0, job->support);
    s.eps = ooze_density_epsilon(job->support);
    s.inverse = s.cubic.inverse * s.fixed_point.unit;
    s.smallest = square(s.cubic.smallest / s.fixed_point.unit);
    s.x0_smallest = square(s.cubic.smallest);
    s.farthest = (float)(HALF_PERIOD - 1) * 0.5f * job->support;
    s.wall_scale = job->wall_scale / job->volume;
    s.unfinished_limit = job->between ? 0.0 : (double)job->mean_tolerance * (double)s.all;
    const float always = s.unfinished_limit > 0.0 ? -INFINITY : INFINITY;
    s.tolerance = job->between ? INFINITY : job->tolerance < 0.0f ? always : job->tolerance;
    s.plain = job->plain;
    s.list = view(&engine->near);
    s.wall_list = view(&engine->near_walls);
    s.walls = engine->walls.view;
    s.solids = engine->solids.view;
    s.contact = job->contact;
    s.spacing = (float)c->spacing;
    s.dt = (float)c->dt;
    s.order = engine->grid.order;
    s.first = x;
    s.shift = shift;
    s.start = job->start;
    s.density_target = job->density_target;
    s.load_excess = job->load_excess;
    s.mobility = job->mobility;
    s.effective_inverse_mass =
        job->effective_inverse_mass ? job->effective_inverse_mass : job->mobility;
    s.rigid = job->rigid;
    s.ignores_boundary = job->ignores_boundary;
    s.first_multiplier = job->first_multiplier;
    s.position_only_shift = job->position_only_shift;
    s.drift = job->drift;
    s.thread_regularisation = job->thread_regularisation;
    s.dynamic = job->dynamic;
    return s;
}

static void allocate(Engine *engine, DensitySweep *s, float4 *sorted)
{
    Gpu *gpu = &engine->gpu;
    uint64_t n = s->n;
    bool solids = engine->solids.view.count > 0, walls = engine->walls.count > 0;
    s->x0_lambda = reinterpret_cast<uint4 *>(sorted);
    s->place = scratch<uint2>(gpu, n);
    s->next = scratch<uint2>(gpu, n);
    s->multiplier = scratch<OozeProjectedMultiplier>(gpu, n);
    s->density_error = scratch<float>(gpu, n);
    s->flags = scratch<uint8_t>(gpu, n);
    s->wall_push = walls ? scratch<float4>(gpu, n) : nullptr;
    s->clearance = solids ? scratch<float>(gpu, n) : nullptr;
    s->touches = solids ? scratch<uint8_t>(gpu, n / SLICE + 1) : nullptr;
    s->place_of_particle = gpu->share ? scratch<uint32_t>(gpu, n) : nullptr;
    s->state = scratch<DensityState>(gpu, 1);
    clear(gpu, s->state, sizeof *s->state);
}

/* Loads particles in the order of the stage. Particle n is the padding of lists. */
static void load_particles(Gpu *gpu, const DensitySweep *sweep)
{
    const DensitySweep s = *sweep;
    for_each(
        gpu, (uint64_t)s.n + 1, OOZE_BODY(uint32_t i) {
            if (i == s.n) {
                s.place[i].x = s.place[i].y = s.next[i].x = s.next[i].y = 0;
                s.x0_lambda[i] = make_uint4(0, 0, 0, 0);
                return;
            }
            uint32_t o = s.order[i];
            if (s.place_of_particle) {
                s.place_of_particle[o] = i;
            }
            bool uneven = (s.effective_inverse_mass && s.effective_inverse_mass[o] != 1.0f) ||
                          (s.rigid && s.rigid[o]);
            float4 none = f32x4(0, 0, 0);
            s.place[i] = place_of(s, s.first[o], none, uneven ? 1 : 0);
            s.x0_lambda[i] =
                s.start ? pack_x0(s.fixed_point, s.open, s.start[o]) : make_uint4(0, 0, 0, 0);
            s.shift[o] = none;
            const float first = s.first_multiplier ? s.first_multiplier[o] : 0.0f;
            s.multiplier[i].projected = s.multiplier[i].extrapolated = first;
            s.density_error[i] = 0.0f;
            if (s.clearance) {
                s.clearance[i] = 0.0f;
            }
            if (s.position_only_shift && s.own.has(o) && isfinite(1.0f + s.load_excess[o])) {
                s.state->overlaps = 1;
            }
        });
}

/* The caller changes the shifts. */
static void call_between(Gpu *gpu, const DensityJob *job, const DensitySweep *sweep)
{
    const DensitySweep s = *sweep;
    job->between(job->user, s.shift);
    for_each(
        gpu, s.n, OOZE_BODY(uint32_t i) {
            uint32_t o = s.order[i];
            move(s, i, o, s.shift[o], mark_of(s.next[i]));
        });
}

void density_refresh_multipliers(Gpu *gpu, const DensitySweep *sweep)
{
    refresh_part(gpu, {sweep->x0_lambda, sizeof(float), sizeof *sweep->x0_lambda,
                       3 * sizeof(uint32_t), sweep->place_of_particle});
}

/* Multipliers of ghosts, and whether the ranks need another iteration after this one. */
static void agree(Gpu *gpu, const DensitySweep *sweep, DensityIteration iteration)
{
    RankShare *share = gpu->share;
    if (!share) {
        return;
    }
    DensityState *state = sweep->state;
    DensityState *found =
        reinterpret_cast<DensityState *>(pinned_bytes(gpu, &share->pinned[2], sizeof *found));
    copy_to_pinned(gpu, found, state, sizeof *found);
    density_refresh_multipliers(gpu, sweep); /* waits */
    if (gpu->failed != cudaSuccess) {
        return;
    }
    double most = found->last_needed;
    max_over_ranks(gpu, &most, 1);
    int32_t needed = (int32_t)most;
    if (sweep->unfinished_limit > 0.0) {
        uint64_t unfinished = (uint64_t)found->unfinished;
        sum_over_ranks(gpu, &unfinished, 1);
        needed = needed_after(needed, iteration.k, (long long)unfinished, sweep->unfinished_limit);
    }
    const int32_t agreed = needed;
    for_each(
        gpu, 1, OOZE_BODY(uint32_t) { state->last_needed = agreed; });
}

struct Excess {
    long long sum; /* see density_units */
    float worst;
    __device__ void operator+=(const Excess &o)
    {
        sum += o.sum;
        worst = o.worst > worst ? o.worst : worst;
    }
};

/* Errors of density at the last sweep, before its correction. Waits. */
static DensityState read_state(Gpu *gpu, const DensityJob *job, const DensitySweep *sweep)
{
    const float *density_error = sweep->density_error;
    DensityState *state = sweep->state, found = {};
    Excess none = {0, 0.0f};
    const DensitySweep s = *sweep;
    double flags[2] = {0.0, 0.0}; /* on some rank */
    if (gpu->share) {
        copy_out(gpu, &found, state, sizeof found);
        flags[0] = found.inside;
        flags[1] = found.overlaps;
        max_over_ranks(gpu, flags, 2);
    }
    const MessageSender sender = message_sender(gpu);
    sum_particles(
        gpu, job->n, none,
        OOZE_BODY(uint32_t k) {
            const uint32_t i = s.place_of_particle ? s.place_of_particle[k] : k;
            float above = fmaxf(density_error[i], 0.0f);
            Excess one = {density_units(above), above};
            return one;
        },
        OOZE_BODY(Excess all) {
            state->worst = all.worst;
            state->sum = (double)all.sum * 0x1p-32;
            sender(*state);
        });
    if (receive(gpu, &found)) {
        job->context->report->worst_density_error = (double)found.worst;
        job->context->report->mean_density_error = found.sum / (double)s.all;
        found.inside = found.inside || flags[0] > 0.0;
        found.overlaps = found.overlaps || flags[1] > 0.0;
    }
    return found;
}

static void store_multipliers(Gpu *gpu, const DensitySweep *sweep, float *to)
{
    const DensitySweep s = *sweep;
    for_each(
        gpu, s.n, OOZE_BODY(uint32_t i) { to[s.order[i]] = s.multiplier[i].extrapolated; });
}

/* Iterations between two checks by the host. */
enum { BATCH = 8 };

static void iterate(Engine *engine, const DensityJob *job, DensitySweep *s)
{
    Gpu *gpu = &engine->gpu;
    OozeStepTimer *timer = job->context->timer;
    bool may_stop = s->tolerance < INFINITY, continues = true;
    int launched = 0;
    for (int k = 0; k < job->iterations && continues; k++) {
        DensityIteration now = {may_stop ? k : 0, ooze_projected_momentum(k, job->iterations),
                                k == 0};
        density_solid_diagonals(gpu, s, now);
        density_multipliers(gpu, s, now);
        if (may_stop) {
            agree(gpu, s, now);
        } else {
            density_refresh_multipliers(gpu, s);
        }
        density_push_solids(engine, s, now);
        ooze_timer_lap(timer, "density_multipliers");
        const bool pushes = density_pushes_at_once(s) && !job->between;
        density_corrections(gpu, s, now, pushes);
        ooze_timer_lap(timer, "density_corrections");
        if (job->between) {
            call_between(gpu, job, s);
            ooze_timer_lap(timer, job->rigid ? "rest" : "conformation_sweep");
        }
        if (!pushes) {
            density_count_touching(gpu, s, now);
            density_push_out(gpu, s, now);
            density_push_back(engine, s, now);
            ooze_timer_lap(timer, "push_out");
        }
        density_refresh_places(gpu, s);
        density_swap(s);
        launched = k + 1;
        continues = !may_stop || launched % BATCH != 0 ||
                    poll_unfinished(gpu, launched / BATCH - 1, &s->state->off);
    }
    if (job->multiplier) {
        store_multipliers(gpu, s, job->multiplier);
    }
    if (launched == 0) {
        return;
    }
    DensityState state = read_state(gpu, job, s);
    int done = may_stop && state.last_needed + 1 < launched ? state.last_needed + 1 : launched;
    if ((launched - done) % 2 == 1) {
        density_swap(s); /* the iterations after the last needed one have moved nothing */
    }
    if (job->position_only_shift && (state.overlaps || (s->clearance && state.inside))) {
        density_relieve(gpu, s, state.overlaps != 0);
        ooze_timer_lap(timer, "settling");
    }
}

OozeStatus density_solve(Engine *engine, const DensityJob *job, float4 *x, float4 *shift,
                         OozeError *error)
{
    Gpu *gpu = &engine->gpu;
    if (all_particles(gpu, job->n) == 0) {
        return OOZE_OK;
    }
    Mark mark = scratch_mark(gpu);
    float4 *sorted = scratch<float4>(gpu, job->n);
    if (ooze_periodic_any(&job->context->periodic)) {
        wrap(gpu, &job->context->periodic, x, job->n);
    }
    OozeStatus found = find_pairs(engine, job, x, sorted, error);
    if (!found) {
        DensitySweep s = make_sweep(engine, job, x, shift);
        allocate(engine, &s, sorted);
        load_particles(gpu, &s);
        density_solids_begin(gpu, &s);
        iterate(engine, job, &s);
        if (job->drift) {
            density_drift(gpu, &s, job->min_distance, job->drift_share);
            ooze_timer_lap(job->context->timer, "drift");
        }
    }
    scratch_rewind(gpu, mark);
    return found ? found : status(gpu, job->n, error);
}

} // namespace ooze
