/* The two sweeps of a density iteration. They load little per neighbour and recompute the rest,
   because memory bandwidth limits. Both particles of a pair compute the same numbers, to the last
   bit, so that rounding conserves momentum. */
#include "cuda/repeat.cuh"
#include "solvers/density/cuda/push_out.cuh"

namespace ooze
{

/* ---- neighbours ---- */

/* Reads without caching: indices are read once, and gathered data stays in the cache. */
OOZE_DEVICE uint4 read_once(const uint4 *at)
{
#ifdef __CUDA_ARCH__
    return __ldcs(at);
#else
    return *at;
#endif
}

/* Calls f(j, true) for the neighbours of i of this lane, in groups of 4; f(j, false) for padding of
   the last group, which must contribute nothing. */
template <int LANES, class F>
OOZE_DEVICE void each_pair(const ListView &list, uint32_t i, uint32_t lane, F f)
{
    const uint32_t count = list.count[i], whole = count / 4, rest = count % 4;
    const uint4 *at = list.index + slice_of(list.begin[i / SLICE]).first + lane * SLICE + i % SLICE;
    uint32_t k = lane;
    for (; k < whole; k += LANES, at += LANES * SLICE) {
        uint4 j = read_once(at);
        f(j.x, true);
        f(j.y, true);
        f(j.z, true);
        f(j.w, true);
    }
    if (k == whole && rest > 0) {
        uint4 j = read_once(at);
        f(j.x, true);
        f(j.y, rest > 1);
        f(j.z, rest > 2);
    }
}

/* The square of a distance plus a small constant: coincident particles have no direction, and the
   division stays finite. For padding it exceeds all supports. */
OOZE_DEVICE float softened_square(float smallest, float4 delta)
{
    float square = delta.x * delta.x + smallest;
    square = delta.y * delta.y + square;
    return delta.z * delta.z + square;
}

OOZE_DEVICE float square_of(const DensitySweep &s, float4 delta, bool counts)
{
    return counts ? softened_square(s.smallest, delta) : 0x1p66f;
}

/* ---- multipliers ---- */

/* Sums over the neighbours of a particle; slopes in units of cubic.slope. */
struct PairSums {
    float4 gradient; /* of its own density */
    OozeCubicSum value;
    float square;
    uint32_t marks; /* of the neighbours */
};

OOZE_DEVICE PairSums no_pairs(void)
{
    PairSums none = {f32x4(0, 0, 0), {0.0f, 0.0f}, 0.0f, 0};
    return none;
}

OOZE_DEVICE void add_pair(const DensitySweep &s, float4 delta, float square, float factor,
                          float inverse_mass, PairSums *sums)
{
    float over = inverse_root(square);
    float slope = factor * ooze_cubic_add(&sums->value, square * over, s.inverse, 1.0f);
    sums->square += inverse_mass * (slope * slope);
    sums->gradient = sums->gradient + slope * over * delta;
}

template <int LANES, bool OPEN>
OOZE_DEVICE PairSums sum_pairs(const DensitySweep &s, uint32_t i, uint32_t lane, uint2 own)
{
    PairSums sums = no_pairs();
    sums.marks = own.y;
    each_pair<LANES>(s.near_list, i, lane, [&](uint32_t j, bool counts) {
        uint2 other = s.place[j];
        float4 delta = delta_between<OPEN>(s.fixed_point, own, other);
        add_pair(s, delta, square_of(s, delta, counts), 1.0f, 1.0f, &sums);
        sums.marks |= other.y;
    });
    return sums;
}

/* Weight of a pair: 0 within a rigid body, whose distances are fixed; otherwise 1. */
OOZE_DEVICE float pair_factor(const DensitySweep &s, uint16_t own, uint32_t o)
{
    return own != 0 && s.given.rigid[o] == own ? 0.0f : 1.0f;
}

OOZE_DEVICE float inverse_mass_of(const DensitySweep &s, uint32_t o)
{
    return s.given.effective_inverse_mass ? s.given.effective_inverse_mass[o] : 1.0f;
}

/* The same with effective inverse masses other than 1. */
template <int LANES, bool OPEN>
OOZE_DEVICE PairSums sum_uneven_pairs(const DensitySweep &s, uint32_t i, uint32_t lane, uint2 own)
{
    const uint16_t body = s.given.rigid ? s.given.rigid[s.order[i]] : (uint16_t)0;
    PairSums sums = no_pairs();
    each_pair<LANES>(s.near_list, i, lane, [&](uint32_t j, bool counts) {
        if (counts) {
            uint2 other = s.place[j];
            uint32_t o = s.order[j];
            float inverse_mass = mark_of(other) ? inverse_mass_of(s, o) : 1.0f;
            float4 delta = delta_between<OPEN>(s.fixed_point, own, other);
            add_pair(s, delta, square_of(s, delta, true), pair_factor(s, body, o), inverse_mass,
                     &sums);
        }
    });
    return sums;
}

template <int LANES, bool OPEN>
OOZE_DEVICE PairSums sum_fluid(const DensitySweep &s, uint32_t i, uint32_t lane, uint2 own,
                               bool first)
{
    bool uneven = !first && s.pair_flags[i] & OOZE_DENSITY_UNEVEN;
    PairSums sums;
    if (!uneven) {
        sums = sum_pairs<LANES, OPEN>(s, i, lane, own);
        uneven = first && lanes_sum<LANES>(sums.marks & 1u ? 1.0f : 0.0f) > 0.0f;
    }
    if (uneven) {
        sums = sum_uneven_pairs<LANES, OPEN>(s, i, lane, own);
    }
    sums.gradient = lanes_sum<LANES>(sums.gradient);
    sums.value.outer = lanes_sum<LANES>(sums.value.outer);
    sums.value.inner = lanes_sum<LANES>(sums.value.inner);
    sums.square = lanes_sum<LANES>(sums.square);
    if (first && lane == 0) {
        s.pair_flags[i] = uneven ? OOZE_DENSITY_UNEVEN : 0;
    }
    return sums;
}

/* Adds the boundary samples near particle i, which push it along the sum of their gradients. */
template <int LANES>
OOZE_DEVICE void add_walls(const DensitySweep &s, uint32_t i, uint32_t lane, uint32_t o,
                           PairSums *sums)
{
    const float4 x = s.first[o] + s.shift[o];
    const OozePeriodic p = s.periodic;
    const float scale =
        s.given.ignores_boundary && s.given.ignores_boundary[o] ? 0.0f : s.wall_scale;
    const float smallest = s.cubic.smallest * s.cubic.smallest;
    PairSums wall = no_pairs();
    each_neighbour<LANES>(s.wall_list, i, lane, [&](uint32_t b) {
        float4 delta = x - s.samples.position[b];
        delta.x = ooze_periodic_delta(delta.x, p.length[0], p.inverse[0]);
        delta.y = ooze_periodic_delta(delta.y, p.length[1], p.inverse[1]);
        delta.z = ooze_periodic_delta(delta.z, p.length[2], p.inverse[2]);
        float square = dot(delta, delta) + smallest, over = inverse_root(square);
        float volume = scale * s.samples.volume[b];
        float slope = ooze_cubic_add(&wall.value, square * over, s.cubic.inverse, volume);
        wall.gradient = wall.gradient + volume * slope * over * delta;
    });
    wall.gradient = lanes_sum<LANES>(wall.gradient);
    sums->gradient = sums->gradient + wall.gradient;
    sums->value.outer += lanes_sum<LANES>(wall.value.outer);
    sums->value.inner += lanes_sum<LANES>(wall.value.inner);
    if (lane == 0) {
        s.wall_push[i] = s.cubic.slope * wall.gradient;
    }
}

/* Target density of the sweep. */
OOZE_DEVICE float target_of(const DensitySweep &s, uint32_t o)
{
    return s.relieving              ? ooze_relief_target(s.given.load_excess[o])
           : s.given.density_target ? s.given.density_target[o]
                                    : 1.0f;
}

/* sum |grad C|^2 + eps. `inverse_mass` is the effective inverse mass of the particle. */
OOZE_DEVICE float diagonal_of(const DensitySweep &s, uint32_t i, const PairSums &sums,
                              float inverse_mass)
{
    float square = sums.square + inverse_mass * dot(sums.gradient, sums.gradient);
    float diagonal = s.cubic.slope * s.cubic.slope * square + s.eps;
    if (s.solid_diagonal && !s.relieving) {
        diagonal += s.solid_diagonal[i];
    }
    return diagonal;
}

/* Change of a multiplier: ooze_projected_step or ooze_plain_step. */
OOZE_DEVICE float change(const DensitySweep &s, uint32_t i, float wanted, float momentum)
{
    if (s.given.plain) {
        return ooze_plain_step(wanted);
    }
    OozeProjectedMultiplier multiplier = s.multiplier[i];
    float by = ooze_projected_step(&multiplier, wanted, momentum);
    s.multiplier[i] = multiplier;
    return by;
}

/* Change of the multiplier of particle i, with C = density - density_target. Returns what is
   unfinished of its density, to lane 0. */
template <int LANES, bool OPEN>
OOZE_DEVICE float change_multiplier(const DensitySweep &s, const DensityIteration &now, uint32_t i,
                                    uint32_t lane)
{
    const uint32_t o = s.order[i];
    const uint2 own = s.place[i];
    if (is_converged(s, now.k)) {
        return 0.0f;
    }
    PairSums sums = sum_fluid<LANES, OPEN>(s, i, lane, own, now.first);
    if (s.wall_push && s.wall_list.count[i] > 0) {
        add_walls<LANES>(s, i, lane, o, &sums);
    }
    if (lane > 0) {
        return 0.0f;
    }
    float density = s.self_density + s.cubic.value * ooze_cubic_sum(sums.value);
    float over = density - 1.0f, c = density - target_of(s, o);
    float diagonal = diagonal_of(s, i, sums, mark_of(own) ? inverse_mass_of(s, o) : 1.0f);
    s.density_error[i] = over;
    if (over > s.tolerance && s.own.has(o) && s.state->last_needed <= now.k) {
        s.state->last_needed = now.k + 1;
    }
    float unfinished = ooze_density_unfinished(c, s.multiplier[i].extrapolated, diagonal);
    s.fixed_x0[i].w = float_to_bits(change(s, i, c / diagonal, now.momentum));
    if (s.clearance && i % SLICE == 0) {
        s.touches[i / SLICE] = 0;
    }
    if (i == 0) {
        s.state->inside = 0;
    }
    return unfinished;
}

struct Unfinished {
    long long sum; /* see density_units */
    __device__ void operator+=(const Unfinished &o) { sum += o.sum; }
};

/* With several ranks `agree` of stages.cu decides, after this sum. */
struct RecordUnfinished {
    DensityState *state;
    int k;
    double limit;
    bool decides;
    __device__ void operator()(Unfinished all) const
    {
        state->unfinished = all.sum;
        if (decides) {
            state->last_needed = needed_after(state->last_needed, k, all.sum, limit);
        }
    }
};

template <int LANES, bool OPEN> static void multipliers(Gpu *gpu, const DensitySweep *sweep)
{
    const DensitySweep s = *sweep;
    const DensityIteration now = iteration_of(sweep);
    if (!(s.unfinished_limit > 0.0) || s.relieving) {
        for_lanes<LANES>(
            gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
                (void)change_multiplier<LANES, OPEN>(s, now, i, lane);
            });
        return;
    }
    const Unfinished none = {0};
    const RecordUnfinished then = {s.state, now.k, s.unfinished_limit, gpu->share == nullptr};
    sum_lanes<LANES>(
        gpu, s.n, none,
        OOZE_BODY(uint32_t i, uint32_t lane) {
            const float unfinished = change_multiplier<LANES, OPEN>(s, now, i, lane);
            const Unfinished one = {s.own.has(s.order[i]) ? density_units(unfinished) : 0};
            return one;
        },
        then);
}

/* ---- corrections ---- */

/* The line along which a pair is pushed. PRESENT: between the present positions. AT_START: between
   the positions at the beginning of the step, its inverse length rounded to eight bits as on the
   processor. FIRST: the same, and finds the pairs whose line has rotated by more than 45 degrees
   since; these use the positions at the beginning of the stage. */
enum PairLine { PRESENT, AT_START, FIRST };

OOZE_DEVICE float rounded_inverse_root(float square)
{
    return bits_to_float((float_to_bits(inverse_root(square)) + 0x8000u) & 0xffff0000u);
}

OOZE_DEVICE float kernel_descent_at(const DensitySweep &s, float square)
{
    return ooze_cubic_descent(root(square), s.inverse);
}

/* Adds (lambda_i + lambda_j) |grad W| along the line; true: the line of the pair has rotated.
   `now`, in units of fixed_point, and `then`, m, are the separations at the beginning of the stage
   and of the step. */
OOZE_DEVICE bool push_first(const DensitySweep &s, float4 now, float4 then, float weight,
                            float4 *sum)
{
    float square = dot(now, now), square0 = dot(then, then), along = dot(now, then);
    bool same = along > 0.0f && along * along > 0.5f * square * square0;
    float4 d = same ? then : s.fixed_point.unit * now;
    *sum = *sum + weight * rounded_inverse_root(softened_square(s.x0_smallest, d)) * d;
    return !same;
}

/* The same with rotated lines and pairs of rigid bodies. */
template <int LANES, bool OPEN>
OOZE_DEVICE float4 push_uneven_pairs(const DensitySweep &s, uint32_t i, uint32_t lane, uint2 own,
                                     uint4 x0_lambda)
{
    const uint32_t own_o = s.order[i];
    const uint2 before = place_of(s, s.first[own_o], f32x4(0, 0, 0), mark_of(own));
    const uint16_t body = s.given.rigid ? s.given.rigid[own_o] : (uint16_t)0;
    float4 sum = f32x4(0, 0, 0);
    each_pair<LANES>(s.near_list, i, lane, [&](uint32_t j, bool counts) {
        if (!counts) {
            return;
        }
        uint2 other = s.place[j];
        uint4 to = s.fixed_x0[j];
        uint32_t o = s.order[j];
        float4 delta = delta_between<OPEN>(s.fixed_point, own, other);
        float square = square_of(s, delta, true),
              lambda = bits_to_float(x0_lambda.w) + bits_to_float(to.w);
        float weight = lambda * (pair_factor(s, body, o) * kernel_descent_at(s, square));
        if (s.given.start) {
            uint2 other_before = place_of(s, s.first[o], f32x4(0, 0, 0), mark_of(other));
            float4 then = x0_between<OPEN>(s.fixed_point, x0_lambda, to);
            push_first(s, delta_between<OPEN>(s.fixed_point, before, other_before), then, weight,
                       &sum);
        } else {
            sum = sum + weight * inverse_root(square) * delta;
        }
    });
    return sum;
}

template <int LANES, bool OPEN, PairLine LINE>
OOZE_DEVICE float4 push_pairs(const DensitySweep &s, uint32_t i, uint32_t lane, uint2 own,
                              uint4 x0_lambda, bool *rotated)
{
    float4 sum = f32x4(0, 0, 0);
    each_pair<LANES>(s.near_list, i, lane, [&](uint32_t j, bool counts) {
        uint2 other = s.place[j];
        uint4 to = s.fixed_x0[j];
        float4 delta = delta_between<OPEN>(s.fixed_point, own, other);
        float square = square_of(s, delta, counts);
        float weight =
            (bits_to_float(x0_lambda.w) + bits_to_float(to.w)) * kernel_descent_at(s, square);
        float4 then = x0_between<OPEN>(s.fixed_point, x0_lambda, to);
        if (LINE == PRESENT) {
            sum = sum + weight * inverse_root(square) * delta;
        } else if (LINE == AT_START) {
            sum = sum + weight * rounded_inverse_root(softened_square(s.x0_smallest, then)) * then;
        } else {
            bool rotates = push_first(s, delta, then, weight, &sum);
            *rotated = *rotated || (rotates && counts);
        }
    });
    return sum;
}

template <int LANES, bool OPEN, PairLine LINE>
OOZE_DEVICE void correct_particle(const DensitySweep &s, const DensityIteration &now, uint32_t i,
                                  uint32_t lane)
{
    const uint32_t o = s.order[i];
    const uint2 own = s.place[i];
    const uint4 x0_lambda = s.fixed_x0[i];
    if (is_converged(s, now.k)) {
        if (i == 0) {
            s.state->off = 1;
        }
        return;
    }
    uint8_t flags = s.pair_flags[i];
    bool rotated = false;
    float4 push = flags ? push_uneven_pairs<LANES, OPEN>(s, i, lane, own, x0_lambda)
                        : push_pairs<LANES, OPEN, LINE>(s, i, lane, own, x0_lambda, &rotated);
    push = lanes_sum<LANES>(push);
    if (LINE == FIRST && lanes_sum<LANES>(rotated ? 1.0f : 0.0f) > 0.0f && lane == 0) {
        s.pair_flags[i] = flags | OOZE_DENSITY_ROTATED;
    }
    if (lane > 0) {
        return;
    }
    float4 by = s.cubic.slope * push;
    if (s.wall_push && s.wall_list.count[i] > 0) {
        by = by + bits_to_float(x0_lambda.w) * s.wall_push[i];
    }
    float mobility = s.given.mobility ? s.given.mobility[o] : 1.0f;
    move(s, i, o, s.shift[o] + mobility * by, mark_of(own));
}

template <int LANES, bool OPEN, PairLine LINE>
static void corrections(Gpu *gpu, const DensitySweep *sweep)
{
    const DensitySweep s = *sweep;
    const DensityIteration now = iteration_of(sweep);
    for_lanes<LANES>(
        gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            correct_particle<LANES, OPEN, LINE>(s, now, i, lane);
        });
}

/* ---- repeated iterations ---- */

/* Iterations in one launch, of which the first has the positions `place`. */
struct RepeatedSweep {
    DensitySweep sweep;

    __device__ DensityIteration now(int repeated) const
    {
        const int k = sweep.k + repeated;
        return {sweep.may_stop ? k : 0, ooze_projected_momentum(k, sweep.given.iterations), false};
    }
    __device__ DensitySweep at(int repeated) const
    {
        DensitySweep s = sweep;
        if (repeated % 2 == 1) {
            s.place = sweep.next;
            s.next = sweep.place;
        }
        return s;
    }
};

template <int LANES, bool OPEN> struct RepeatedMultipliers : RepeatedSweep {
    __device__ void operator()(uint32_t i, uint32_t lane, int k) const
    {
        (void)change_multiplier<LANES, OPEN>(at(k), now(k), i, lane);
    }
};
template <int LANES, bool OPEN> struct RepeatedUnfinished : RepeatedSweep {
    __device__ Unfinished operator()(uint32_t i, uint32_t lane, int k) const
    {
        return {density_units(change_multiplier<LANES, OPEN>(at(k), now(k), i, lane))};
    }
};
struct RecordRepeated {
    RecordUnfinished record;
    __device__ void operator()(Unfinished all, int k) const
    {
        RecordUnfinished at = record;
        at.k += k;
        at(all);
    }
};
template <int LANES, bool OPEN> struct RepeatedCorrections : RepeatedSweep {
    __device__ void operator()(uint32_t i, uint32_t lane, int k) const
    {
        correct_particle<LANES, OPEN, AT_START>(at(k), now(k), i, lane);
    }
};
struct RepeatedPushOut : RepeatedSweep {
    __device__ void operator()(uint32_t i, uint32_t, int k) const { push_out(at(k), now(k).k, i); }
};

template <int LANES, bool OPEN>
static void repeat_sweeps(Gpu *gpu, const DensitySweep &s, int count)
{
    const RepeatedMultipliers<LANES, OPEN> multipliers = {{s}};
    const RepeatedCorrections<LANES, OPEN> corrections = {{s}};
    const RepeatedPushOut push_out = {{s}};
    const auto then_correct = each_loop<LANES>(s.n, corrections);
    const auto then_push_out = each_loop<1>(s.clearance ? s.n : 0, push_out);
    if (!(s.unfinished_limit > 0.0)) {
        repeat(gpu, count, &s.state->off, each_loop<LANES>(s.n, multipliers), then_correct,
               then_push_out);
        return;
    }
    const RepeatedUnfinished<LANES, OPEN> unfinished = {{s}};
    const RecordRepeated record = {{s.state, s.k, s.unfinished_limit, true}};
    const Unfinished none = {0};
    repeat(gpu, count, &s.state->off, sum_loop<LANES>(s.n, none, unfinished, record), then_correct,
           then_push_out);
}

/* ---- variants ---- */

void density_multipliers(Gpu *gpu, const DensitySweep *sweep)
{
#define WITH_OPEN_BOX(lanes)     multipliers<lanes, true>(gpu, sweep)
#define WITH_PERIODIC_BOX(lanes) multipliers<lanes, false>(gpu, sweep)
    if (sweep->open) {
        OOZE_LANES(sweep->all, WITH_OPEN_BOX);
    } else {
        OOZE_LANES(sweep->all, WITH_PERIODIC_BOX);
    }
}

template <bool OPEN> static void correct(Gpu *gpu, const DensitySweep *sweep)
{
#define CORRECT_PRESENT(lanes)  corrections<lanes, OPEN, PRESENT>(gpu, sweep)
#define CORRECT_FIRST(lanes)    corrections<lanes, OPEN, FIRST>(gpu, sweep)
#define CORRECT_AT_START(lanes) corrections<lanes, OPEN, AT_START>(gpu, sweep)
    if (!sweep->given.start) {
        OOZE_LANES(sweep->all, CORRECT_PRESENT);
    } else if (iteration_of(sweep).first) {
        OOZE_LANES(sweep->all, CORRECT_FIRST);
    } else {
        OOZE_LANES(sweep->all, CORRECT_AT_START);
    }
}

void density_corrections(Gpu *gpu, const DensitySweep *sweep)
{
    sweep->open ? correct<true>(gpu, sweep) : correct<false>(gpu, sweep);
}

void density_repeat(Gpu *gpu, DensitySweep *sweep, int count)
{
#define REPEAT_OPEN_BOX(lanes)     repeat_sweeps<lanes, true>(gpu, *sweep, count)
#define REPEAT_PERIODIC_BOX(lanes) repeat_sweeps<lanes, false>(gpu, *sweep, count)
    if (sweep->open) {
        OOZE_LANES(sweep->all, REPEAT_OPEN_BOX);
    } else {
        OOZE_LANES(sweep->all, REPEAT_PERIODIC_BOX);
    }
    if (count % 2 == 1) {
        std::swap(sweep->place, sweep->next);
    }
}

} // namespace ooze
