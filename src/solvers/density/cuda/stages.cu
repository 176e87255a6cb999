/* The stages of the density stage on the GPU: see solvers/density/stages.h. Loops write shifts in
   the order of the caller. Positions are stored twice, those that a sweep reads and those that it
   finds. */
#include "cuda/pairs.cuh"
#include "cuda/rank_sums.cuh"
#include "cuda/repeat.cuh"
#include "solvers/density/cuda/sweep.cuh"

namespace ooze
{

/* ---- order ---- */

static OozeStatus enter(OozeDensitySweep *step, OozeError *)
{
    const OozePeriodic p = step->job->context->periodic;
    float4 *x = step->first;
    if (ooze_periodic_any(&p)) {
        for_each(
            gpu_of(step->machine), step->machine->n,
            OOZE_BODY(uint32_t i) { x[i] = wrap_point(p, x[i]); });
    }
    return OOZE_OK;
}

/* Reuses the grid of the beginning of the step. */
static OozeStatus sort(OozeDensitySweep *s, OozeError *error)
{
    Engine *engine = engine_of(s->machine);
    Gpu *gpu = &engine->gpu;
    const OozeStepContext *c = s->job->context;
    const uint64_t n = s->job->n;
    PointBox box;
    s->x = scratch<float4>(gpu, n);
    OozeStatus found = gpu->share ? box_over_ranks(gpu, s->first, n, &box, error) : OOZE_OK;
    engine->grid.known_box = gpu->share && !found ? &box : nullptr;
    found =
        found ? found : grid_sort(gpu, &engine->grid, s->first, n, c->support, &c->periodic, error);
    s->order = engine->grid.order;
    return found;
}

static OozeStatus find_pairs(OozeDensitySweep *s, OozeError *error)
{
    Engine *engine = engine_of(s->machine);
    Gpu *gpu = &engine->gpu;
    const OozeStepContext *c = s->job->context;
    const uint64_t n = s->job->n;
    s->has_walls = engine->walls.count > 0;
    reorder(gpu, s->order, n, s->first, s->x, sizeof *s->x);
    const ListsJob jobs[] = {
        {&engine->near, &engine->grid, {s->x, n, s->x, c->support, true}, nullptr},
        {&engine->near_walls,
         &engine->walls.grid,
         {s->x, n, engine->walls.view.position, c->support, false},
         nullptr}};
    return lists_build_all(gpu, jobs, s->has_walls ? 2 : 1, nullptr, error);
}

/* ---- arrays ---- */

static float square(float a)
{
    return a * a;
}

static void set_numbers(DensitySweep *s)
{
    const Engine *engine = engine_of(s->machine);
    const OozeDensityJob *job = s->job;
    const OozeStepContext *c = job->context;
    s->n = (uint32_t)job->n;
    s->all = s->machine->all;
    s->own = own_range(&engine->gpu, job->n);
    s->open = !ooze_periodic_any(&c->periodic);
    s->fixed_point = make_fixed_point(&c->periodic, (double)job->support, s->open);
    s->periodic = c->periodic;
    s->self_density = job->volume * ooze_cubic_value(0, job->support);
    s->eps = ooze_density_epsilon(job->support);
    s->inverse = s->cubic.inverse * s->fixed_point.unit;
    s->smallest = square(s->cubic.smallest / s->fixed_point.unit);
    s->x0_smallest = square(s->cubic.smallest);
    s->farthest = (float)(HALF_PERIOD - 1) * 0.5f * job->support;
    s->wall_scale = job->wall_scale / job->volume;
    s->unfinished_limit = job->between ? 0.0 : (double)job->mean_tolerance * (double)s->all;
    const float always = s->unfinished_limit > 0.0 ? -INFINITY : INFINITY;
    s->tolerance = job->between ? INFINITY : job->tolerance < 0.0f ? always : job->tolerance;
    s->spacing = (float)c->spacing;
    s->dt = (float)c->dt;
}

static void allocate(DensitySweep *s)
{
    const Engine *engine = engine_of(s->machine);
    Gpu *gpu = gpu_of(s->machine);
    uint64_t n = s->n;
    bool solids = engine->solids.view.count > 0;
    s->near_list = view(&engine->near);
    s->wall_list = view(&engine->near_walls);
    s->samples = engine->walls.view;
    s->solids = engine->solids.view;
    s->shift = s->caller_shift;
    s->given = *s->job;
    if (!s->given.effective_inverse_mass) {
        s->given.effective_inverse_mass = s->given.mobility;
    }
    s->fixed_x0 = reinterpret_cast<uint4 *>(s->x);
    s->place = scratch<uint2>(gpu, n);
    s->next = scratch<uint2>(gpu, n);
    s->density_error = scratch<float>(gpu, n);
    s->clearance = solids ? scratch<float>(gpu, n) : nullptr;
    s->touches = solids ? scratch<uint8_t>(gpu, n / SLICE + 1) : nullptr;
    s->allowed = solids && s->job->position_only_shift ? scratch<AllowedDistance>(gpu, n) : nullptr;
    s->place_of_particle = gpu->share ? scratch<uint32_t>(gpu, n) : nullptr;
    s->state = scratch<DensityState>(gpu, 1);
    clear(gpu, s->state, sizeof *s->state);
}

/* Loads particles in the order of the stage. Particle n is the padding of lists. */
static OozeStatus load(OozeDensitySweep *step, OozeError *)
{
    set_numbers(sweep_of(step));
    allocate(sweep_of(step));
    const DensitySweep s = *sweep_of(step);
    for_each(
        gpu_of(s.machine), (uint64_t)s.n + 1, OOZE_BODY(uint32_t i) {
            if (i == s.n) {
                s.place[i].x = s.place[i].y = s.next[i].x = s.next[i].y = 0;
                s.fixed_x0[i] = make_uint4(0, 0, 0, 0);
                return;
            }
            uint32_t o = s.order[i];
            if (s.place_of_particle) {
                s.place_of_particle[o] = i;
            }
            bool uneven =
                (s.given.effective_inverse_mass && s.given.effective_inverse_mass[o] != 1.0f) ||
                (s.given.rigid && s.given.rigid[o]);
            float4 none = f32x4(0, 0, 0);
            s.place[i] = place_of(s, s.first[o], none, uneven ? 1 : 0);
            s.fixed_x0[i] = s.given.start ? pack_x0(s.fixed_point, s.open, s.given.start[o])
                                          : make_uint4(0, 0, 0, 0);
            s.shift[o] = none;
            const float first = s.given.first_multiplier ? s.given.first_multiplier[o] : 0.0f;
            s.multiplier[i].projected = s.multiplier[i].extrapolated = first;
            s.density_error[i] = 0.0f;
            if (s.clearance) {
                s.clearance[i] = 0.0f;
            }
            if (s.allowed) {
                s.allowed[o].solid = -1;
            }
            if (s.given.position_only_shift && s.own.has(o) &&
                isfinite(ooze_relief_target(s.given.load_excess[o]))) {
                s.state->overlaps = 1;
            }
        });
    return OOZE_OK;
}

/* ---- iterations ---- */

static void refresh_multipliers(Gpu *gpu, const DensitySweep *s)
{
    refresh_part(gpu, {s->fixed_x0, sizeof(float), sizeof *s->fixed_x0, 3 * sizeof(uint32_t),
                       s->place_of_particle});
}

/* The next positions, and those of ghosts, become the present ones. */
static void advance(Gpu *gpu, DensitySweep *s)
{
    refresh_part(gpu, {s->next, sizeof *s->next, sizeof *s->next, 0, s->place_of_particle});
    std::swap(s->place, s->next);
}

/* Multipliers of ghosts, and whether the ranks need another iteration after this one. */
static void agree(Gpu *gpu, const DensitySweep *sweep)
{
    RankShare *share = gpu->share;
    if (!share) {
        return;
    }
    DensityState *state = sweep->state;
    DensityState *found =
        reinterpret_cast<DensityState *>(pinned_bytes(gpu, &share->pinned[2], sizeof *found));
    copy_to_pinned(gpu, found, state, sizeof *found);
    refresh_multipliers(gpu, sweep); /* waits */
    if (gpu->failed != cudaSuccess) {
        return;
    }
    double most = found->last_needed;
    max_over_ranks(gpu, &most, 1);
    int32_t needed = (int32_t)most;
    if (sweep->unfinished_limit > 0.0) {
        uint64_t unfinished = (uint64_t)found->unfinished;
        sum_over_ranks(gpu, &unfinished, 1);
        needed = needed_after(needed, iteration_of(sweep).k, (long long)unfinished,
                              sweep->unfinished_limit);
    }
    const int32_t agreed = needed;
    for_each(
        gpu, 1, OOZE_BODY(uint32_t) { state->last_needed = agreed; });
}

static void find_multipliers(OozeDensitySweep *step)
{
    const DensitySweep *s = sweep_of(step);
    Gpu *gpu = gpu_of(s->machine);
    density_multipliers(gpu, s);
    if (s->may_stop && !s->relieving) {
        agree(gpu, s);
    } else {
        refresh_multipliers(gpu, s);
    }
}

static void correct(OozeDensitySweep *step)
{
    DensitySweep *s = sweep_of(step);
    Gpu *gpu = gpu_of(s->machine);
    density_corrections(gpu, s);
    if (s->relieving) { /* the next sweep follows at once */
        advance(gpu, s);
    }
}

static void call_between(OozeDensitySweep *step)
{
    const DensitySweep s = *sweep_of(step);
    s.given.between(s.given.user, s.shift);
    for_each(
        gpu_of(s.machine), s.n, OOZE_BODY(uint32_t i) {
            uint32_t o = s.order[i];
            move(s, i, o, s.shift[o], mark_of(s.next[i]));
        });
}

static void push_out(OozeDensitySweep *step)
{
    DensitySweep *s = sweep_of(step);
    Gpu *gpu = gpu_of(s->machine);
    const bool divided = s->has_dynamic && !s->relieving;
    if (s->relieving) { /* the push-out works on `next` */
        std::swap(s->place, s->next);
    }
    if (divided) {
        density_count_touching(s);
    }
    density_push_out(gpu, s);
    if (divided) {
        density_push_back(s);
    }
    advance(gpu, s);
}

static int repeat(OozeDensitySweep *step, int count)
{
    DensitySweep *s = sweep_of(step);
    Gpu *gpu = gpu_of(s->machine);
    if (count == 0 || s->pushes || s->given.between || !s->given.start || !repeats(gpu, s->all)) {
        return 0;
    }
    density_repeat(gpu, s, count);
    return count;
}

static bool continues(OozeDensitySweep *step)
{
    enum { BATCH = 8 }; /* iterations between two checks by the host */
    const DensitySweep *s = sweep_of(step);
    return s->k % BATCH != 0 ||
           poll_unfinished(gpu_of(s->machine), s->k / BATCH - 1, &s->state->off);
}

/* ---- results ---- */

static void store_multipliers(OozeDensitySweep *step)
{
    const DensitySweep s = *sweep_of(step);
    for_each(
        gpu_of(s.machine), s.n,
        OOZE_BODY(uint32_t i) { s.given.multiplier[s.order[i]] = s.multiplier[i].extrapolated; });
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

static OozeDensityFound measure(OozeDensitySweep *step)
{
    const DensitySweep s = *sweep_of(step);
    Gpu *gpu = gpu_of(s.machine);
    DensityState *state = s.state, found = {};
    Excess none = {0, 0.0f};
    double flags[2] = {0.0, 0.0}; /* on some rank */
    if (gpu->share) {
        copy_out(gpu, &found, state, sizeof found);
        flags[0] = found.inside;
        flags[1] = found.overlaps;
        max_over_ranks(gpu, flags, 2);
    }
    const MessageSender sender = message_sender(gpu);
    sum_particles(
        gpu, s.n, none,
        OOZE_BODY(uint32_t k) {
            const uint32_t i = s.place_of_particle ? s.place_of_particle[k] : k;
            float above = fmaxf(s.density_error[i], 0.0f);
            Excess one = {density_units(above), above};
            return one;
        },
        OOZE_BODY(Excess all) {
            state->worst = all.worst;
            state->sum = (double)all.sum * 0x1p-32;
            sender(*state);
        });
    if (!receive(gpu, &found)) {
        return {};
    }
    const int idle = s.may_stop ? s.k - (found.last_needed + 1) : 0;
    if (idle > 0 && idle % 2 == 1) { /* the iterations after the last needed one moved nothing */
        std::swap(sweep_of(step)->place, sweep_of(step)->next);
    }
    return {(double)found.worst, found.sum, found.overlaps || flags[1] > 0.0,
            s.clearance && (found.inside || flags[0] > 0.0)};
}

/* The results are in the order of the caller. */
static OozeStatus leave(OozeDensitySweep *, OozeError *)
{
    return OOZE_OK;
}

static const OozeDensityStages stages = {
    enter,
    sort,
    find_pairs,
    load,
    density_begin_solids,
    density_find_solid_diagonals,
    find_multipliers,
    density_push_solids,
    correct,
    call_between,
    push_out,
    repeat,
    continues,
    store_multipliers,
    measure,
    density_begin_relief,
    density_end_relief,
    density_drift,
    leave,
};

OozeStatus density_solve(Engine *engine, const DensityJob *job, float4 *x, float4 *shift,
                         OozeError *error)
{
    OozeMachine machine = machine_of(engine, const_cast<OozeStepContext *>(job->context));
    machine.n = machine.local = job->n;
    machine.all = all_particles(&engine->gpu, job->n);
    DensitySweep s = {};
    s.machine = &machine;
    s.stages = &stages;
    s.job = job;
    s.first = x;
    s.caller_shift = shift;
    s.has_dynamic = job->dynamic.count > 0;
    s.dynamic = job->dynamic;
    return ooze_density_step(&s, error);
}

} // namespace ooze
