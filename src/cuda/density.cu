#include "cuda/density_sweep.cuh"
#include "solvers/density_formula.h"

namespace ooze
{

static void wrap(Gpu *m, const OozePeriodic *periodic, float4 *x, uint64_t n)
{
    const OozePeriodic p = *periodic;
    for_each(
        m, n, OOZE_BODY(uint32_t i) {
            float4 a = x[i];
            a.x = ooze_periodic_wrap(a.x, p.min[0], p.length[0], p.inverse[0]);
            a.y = ooze_periodic_wrap(a.y, p.min[1], p.length[1], p.inverse[1]);
            a.z = ooze_periodic_wrap(a.z, p.min[2], p.length[2], p.inverse[2]);
            a.w = 0.0f;
            x[i] = a;
        });
}

/* Sorts the predicted positions and finds neighbours there, in the grid that the step began with.
   `sorted` is room for them, free afterwards. */
static OozeStatus find_pairs(Engine *engine, const DensityJob *job, const float4 *x, float4 *sorted,
                             OozeError *error)
{
    Gpu *m = &engine->gpu;
    const OozeStepContext *c = job->context;
    OozeStatus status = grid_sort(m, &engine->grid, x, job->n, c->support, &c->periodic, error);
    ooze_timer_lap(c->timer, "density_sort");
    if (!status) {
        reorder(m, engine->grid.order, job->n, x, sorted, sizeof *x);
        status = lists_build(m, &engine->near, &engine->grid,
                             {sorted, job->n, sorted, c->support, true}, error);
    }
    if (!status && engine->walls.count > 0) {
        status =
            lists_build(m, &engine->near_walls, &engine->walls.grid,
                        {sorted, job->n, engine->walls.view.position, c->support, false}, error);
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
    s.open = !ooze_periodic_any(&c->periodic);
    s.fixed_point = make_fixed_point(&c->periodic, (double)job->support, s.open);
    s.cubic = ooze_cubic(job->support, job->volume);
    s.periodic = c->periodic;
    s.support = job->support;
    s.own = job->volume * ooze_cubic_value(0, job->support);
    s.eps = ooze_density_epsilon(job->support);
    s.inverse = s.cubic.inverse * s.fixed_point.unit;
    s.smallest = square(s.cubic.smallest / s.fixed_point.unit);
    s.arrow_smallest = square(s.cubic.smallest);
    s.farthest = (float)(HALF_TURN - 1) * 0.5f * job->support;
    s.wall_scale = job->wall_scale / job->volume;
    s.tolerance = job->between || job->tolerance < 0.0f ? INFINITY : job->tolerance;
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
    s.position_only_shift = job->position_only_shift;
    s.drift = job->drift;
    return s;
}

static void allocate(Engine *engine, DensitySweep *s, float4 *sorted)
{
    Gpu *m = &engine->gpu;
    uint64_t n = s->n;
    bool solids = engine->solids.view.count > 0, walls = engine->walls.count > 0;
    s->arrow = reinterpret_cast<uint4 *>(sorted);
    s->place = scratch<uint2>(m, n);
    s->next = scratch<uint2>(m, n);
    s->multiplier = scratch<OozeProjectedMultiplier>(m, n);
    s->density_error = scratch<float>(m, n);
    s->flags = scratch<uint8_t>(m, n);
    s->wall_push = walls ? scratch<float4>(m, n) : nullptr;
    s->clearance = solids ? scratch<float>(m, n) : nullptr;
    s->touches = solids ? scratch<uint8_t>(m, n / SLICE + 1) : nullptr;
    s->state = scratch<DensityState>(m, 1);
    clear(m, s->state, sizeof *s->state);
}

/* Into the stage's own order. The particle n fills up lists. */
static void take(Gpu *m, const DensitySweep *sweep)
{
    const DensitySweep s = *sweep;
    for_each(
        m, (uint64_t)s.n + 1, OOZE_BODY(uint32_t i) {
            if (i == s.n) {
                s.place[i].x = s.place[i].y = s.next[i].x = s.next[i].y = 0;
                s.arrow[i] = make_uint4(0, 0, 0, 0);
                return;
            }
            uint32_t o = s.order[i];
            bool uneven = (s.effective_inverse_mass && s.effective_inverse_mass[o] != 1.0f) ||
                          (s.rigid && s.rigid[o]);
            float4 none = f32x4(0, 0, 0);
            s.place[i] = place_of(s, s.first[o], none, uneven ? 1 : 0);
            s.arrow[i] =
                s.start ? make_arrow(s.fixed_point, s.open, s.start[o]) : make_uint4(0, 0, 0, 0);
            s.shift[o] = none;
            s.multiplier[i].projected = s.multiplier[i].extrapolated = 0.0f;
            s.density_error[i] = 0.0f;
            if (s.clearance) {
                s.clearance[i] = 0.0f;
            }
            if (s.position_only_shift && isfinite(1.0f + s.load_excess[o])) {
                s.state->overlaps = 1;
            }
        });
}

/* The caller adds to the shifts. */
static void call_between(Gpu *m, const DensityJob *job, const DensitySweep *sweep)
{
    const DensitySweep s = *sweep;
    job->between(job->user, s.shift);
    for_each(
        m, s.n, OOZE_BODY(uint32_t i) {
            uint32_t o = s.order[i];
            move(s, i, o, s.shift[o], mark_of(s.next[i]));
        });
}

struct Excess {
    double sum;
    float worst;
    __device__ void operator+=(const Excess &o)
    {
        sum += o.sum;
        worst = o.worst > worst ? o.worst : worst;
    }
};

/* Errors of density at the last sweep, before its correction. Waits. */
static DensityState read_state(Gpu *m, const DensityJob *job, const DensitySweep *sweep)
{
    const float *density_error = sweep->density_error;
    DensityState *state = sweep->state, found = {};
    Excess none = {0.0, 0.0f};
    sum_each(
        m, job->n, none,
        OOZE_BODY(uint32_t i) {
            float above = fmaxf(density_error[i], 0.0f);
            Excess one = {(double)above, above};
            return one;
        },
        OOZE_BODY(Excess all) {
            state->worst = all.worst;
            state->sum = all.sum;
        });
    copy_out(m, &found, state, sizeof found);
    if (m->failed == cudaSuccess) {
        job->context->report->worst_density_error = (double)found.worst;
        job->context->report->mean_density_error = found.sum / (double)job->n;
    }
    return found;
}

/* Iterations that are launched before the host checks whether more are needed. */
enum { BATCH = 8 };

static void iterate(Gpu *m, const DensityJob *job, DensitySweep *s)
{
    OozeStepTimer *timer = job->context->timer;
    bool may_stop = s->tolerance < INFINITY, goes_on = true;
    int asked = 0;
    for (int k = 0; k < job->iterations && goes_on; k++) {
        DensityIteration now = {may_stop ? k : 0, ooze_projected_momentum(k, job->iterations),
                                k == 0};
        density_multipliers(m, s, now);
        ooze_timer_lap(timer, "density_multipliers");
        density_corrections(m, s, now);
        ooze_timer_lap(timer, "density_corrections");
        if (job->between) {
            call_between(m, job, s);
            ooze_timer_lap(timer, job->rigid ? "rest" : "conformation_sweep");
        }
        density_push_out(m, s, now);
        ooze_timer_lap(timer, "push_out");
        density_swap(s);
        asked = k + 1;
        goes_on =
            !may_stop || asked % BATCH != 0 || watch_goes_on(m, asked / BATCH - 1, &s->state->off);
    }
    if (asked == 0) {
        return;
    }
    DensityState state = read_state(m, job, s);
    int done = may_stop && state.last_needed + 1 < asked ? state.last_needed + 1 : asked;
    if ((asked - done) % 2 == 1) {
        density_swap(s); /* the iterations after the last needed one have moved nothing */
    }
    if (job->position_only_shift && (state.overlaps || (s->clearance && state.inside))) {
        density_relieve(m, s, state.overlaps != 0);
        ooze_timer_lap(timer, "settling");
    }
}

OozeStatus density_solve(Engine *engine, const DensityJob *job, float4 *x, float4 *shift,
                         OozeError *error)
{
    Gpu *m = &engine->gpu;
    if (job->n == 0) {
        return OOZE_OK;
    }
    Mark mark = scratch_mark(m);
    float4 *sorted = scratch<float4>(m, job->n);
    wrap(m, &job->context->periodic, x, job->n);
    OozeStatus found = find_pairs(engine, job, x, sorted, error);
    if (!found) {
        DensitySweep s = make_sweep(engine, job, x, shift);
        allocate(engine, &s, sorted);
        take(m, &s);
        iterate(m, job, &s);
        if (job->drift) {
            density_drift(m, &s, job->min_distance);
            ooze_timer_lap(job->context->timer, "drift");
        }
    }
    scratch_rewind(m, mark);
    return found ? found : status(m, job->n, error);
}

} // namespace ooze
