/* The two sweeps of a density iteration: each gathers what it needs of a particle's neighbours and recomputes the
   rest, for loads are what binds. Numbers of a pair are the same from both of its ends, to the last bit, so that no
   momentum comes from rounding of a pair. */
#include "cuda/density_sweep.cuh"

namespace ooze
{

/* ---- neighbours ---------------------------------------------------------------------------------------- */

/* Four indices that are read once: what is gathered may stay in the cache instead. */
OOZE_DEVICE uint4 read_once(const uint4 *at)
{
#ifdef __CUDA_ARCH__
    return __ldcs(at);
#else
    return *at;
#endif
}

/* Calls f(j, true) for the neighbours of i of this lane, four by four; of the last few, some may be called with false:
   these count for nothing. */
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

/* The square of a distance, and a little: two in one place have no direction, and nothing is divided by it. That of no
   neighbour is beyond all supports. */
OOZE_DEVICE float square_and(float little, float4 way)
{
    float square = way.x * way.x + little;
    square = way.y * way.y + square;
    return way.z * way.z + square;
}

OOZE_DEVICE float square_of(const DensitySweep &s, float4 way, bool counts)
{
    return counts ? square_and(s.smallest, way) : 0x1p66f;
}

template <int LANES> OOZE_DEVICE float4 lanes_sum3(float4 a)
{
    return four(lanes_sum<LANES>(a.x), lanes_sum<LANES>(a.y), lanes_sum<LANES>(a.z));
}

/* ---- multipliers ------------------------------------------------------------------------------------ */

/* What the sums over a particle's neighbours come to; slopes in units of cubic.slope. */
struct PairSums {
    float4 gradient; /* of its own density */
    OozeCubicSum value;
    float square;
    uint32_t marks; /* of the neighbours */
};

OOZE_DEVICE PairSums no_pairs(void)
{
    PairSums none = {four(0, 0, 0), {0.0f, 0.0f}, 0.0f, 0};
    return none;
}

OOZE_DEVICE void add_pair(const DensitySweep &s, float4 way, float square, float yields, float give,
                          PairSums *sums)
{
    float over = inverse_root(square);
    float slope = yields * ooze_cubic_add(&sums->value, square * over, s.inverse, 1.0f);
    sums->square += give * (slope * slope);
    sums->gradient = sums->gradient + slope * over * way;
}

template <int LANES, bool OPEN>
OOZE_DEVICE PairSums sum_pairs(const DensitySweep &s, uint32_t i, uint32_t lane, uint2 own)
{
    PairSums sums = no_pairs();
    sums.marks = own.y;
    each_pair<LANES>(s.list, i, lane, [&](uint32_t j, bool counts) {
        uint2 other = s.place[j];
        float4 way = way_between<OPEN>(s.dial, own, other);
        add_pair(s, way, square_of(s, way, counts), 1.0f, 1.0f, &sums);
        sums.marks |= other.y;
    });
    return sums;
}

/* Particles of one rigid body keep their distance whatever pushes them. */
OOZE_DEVICE float yielding(const DensitySweep &s, uint16_t own, uint32_t o)
{
    return own != 0 && s.rigid[o] == own ? 0.0f : 1.0f;
}

OOZE_DEVICE float ease_of(const DensitySweep &s, uint32_t o)
{
    return s.ease ? s.ease[o] : 1.0f;
}

/* The same where neighbours give way each in their own measure. */
template <int LANES, bool OPEN>
OOZE_DEVICE PairSums sum_uneven_pairs(const DensitySweep &s, uint32_t i, uint32_t lane, uint2 own)
{
    const uint16_t body = s.rigid ? s.rigid[s.order[i]] : (uint16_t)0;
    PairSums sums = no_pairs();
    each_pair<LANES>(s.list, i, lane, [&](uint32_t j, bool counts) {
        if (counts) {
            uint2 other = s.place[j];
            uint32_t o = s.order[j];
            float give = mark_of(other) ? ease_of(s, o) : 1.0f;
            float4 way = way_between<OPEN>(s.dial, own, other);
            add_pair(s, way, square_of(s, way, true), yielding(s, body, o), give, &sums);
        }
    });
    return sums;
}

template <int LANES, bool OPEN>
OOZE_DEVICE PairSums sum_fluid(const DensitySweep &s, uint32_t i, uint32_t lane, uint2 own,
                               bool first)
{
    bool uneven = !first && s.flags[i] & UNEVEN;
    PairSums sums;
    if (!uneven) {
        sums = sum_pairs<LANES, OPEN>(s, i, lane, own);
        uneven = first && lanes_sum<LANES>(sums.marks & 1u ? 1.0f : 0.0f) > 0.0f;
    }
    if (uneven) {
        sums = sum_uneven_pairs<LANES, OPEN>(s, i, lane, own);
    }
    sums.gradient = lanes_sum3<LANES>(sums.gradient);
    sums.value.outer = lanes_sum<LANES>(sums.value.outer);
    sums.value.inner = lanes_sum<LANES>(sums.value.inner);
    sums.square = lanes_sum<LANES>(sums.square);
    if (first && lane == 0) {
        s.flags[i] = uneven ? UNEVEN : 0;
    }
    return sums;
}

/* Samples of solids near particle i. They push it along the sum of their gradients. */
template <int LANES>
OOZE_DEVICE void add_walls(const DensitySweep &s, uint32_t i, uint32_t lane, uint32_t o,
                           PairSums *sums)
{
    const float4 x = s.first[o] + s.shift[o];
    const OozePeriodic p = s.periodic;
    const float scale = s.bare && s.bare[o] ? 0.0f : s.wall_scale;
    const float smallest = s.cubic.smallest * s.cubic.smallest;
    PairSums wall = no_pairs();
    each_neighbour<LANES>(s.wall_list, i, lane, [&](uint32_t b) {
        float4 way = x - s.walls.position[b];
        way.x = ooze_periodic_delta(way.x, p.length[0], p.inverse[0]);
        way.y = ooze_periodic_delta(way.y, p.length[1], p.inverse[1]);
        way.z = ooze_periodic_delta(way.z, p.length[2], p.inverse[2]);
        float square = dot(way, way) + smallest, over = inverse_root(square);
        float volume = scale * s.walls.volume[b];
        float slope = ooze_cubic_add(&wall.value, square * over, s.cubic.inverse, volume);
        wall.gradient = wall.gradient + volume * slope * over * way;
    });
    wall.gradient = lanes_sum3<LANES>(wall.gradient);
    sums->gradient = sums->gradient + wall.gradient;
    sums->value.outer += lanes_sum<LANES>(wall.value.outer);
    sums->value.inner += lanes_sum<LANES>(wall.value.inner);
    if (lane == 0) {
        s.wall_push[i] = s.cubic.slope * wall.gradient;
    }
}

/* Density that is let be. */
OOZE_DEVICE float limit_of(const DensitySweep &s, uint32_t o)
{
    return s.settles ? 1.0f + s.borne[o] : s.limit ? s.limit[o] : 1.0f;
}

/* By how much its multiplier changes: C / (sum |grad C|^2 + eps) with C = density - limit, as ooze_push_sweep takes
   it. `give`: how far it gives way itself. */
OOZE_DEVICE float change(const DensitySweep &s, uint32_t i, const PairSums &sums, float give,
                         float c, float momentum)
{
    float square = sums.square + give * dot(sums.gradient, sums.gradient);
    float wanted = c / (s.cubic.slope * s.cubic.slope * square + s.eps);
    if (s.plain) {
        return wanted > 0.0f ? wanted : 0.0f;
    }
    OozePush push = s.pushed[i];
    float by = ooze_push_sweep(&push, wanted, momentum);
    s.pushed[i] = push;
    return by;
}

template <int LANES, bool OPEN>
static void multipliers(Machine *m, const DensitySweep *sweep, DensityIteration iteration)
{
    const DensitySweep s = *sweep;
    const DensityIteration now = iteration;
    for_lanes<LANES>(
        m, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const uint32_t o = s.order[i];
            const uint2 own = s.place[i];
            if (is_through(s, now.k)) {
                if (i == 0) {
                    s.state->off = 1;
                }
                return;
            }
            PairSums sums = sum_fluid<LANES, OPEN>(s, i, lane, own, now.first);
            if (s.wall_push && s.wall_list.count[i] > 0) {
                add_walls<LANES>(s, i, lane, o, &sums);
            }
            if (lane > 0) {
                return;
            }
            float density = s.own + s.cubic.value * ooze_cubic_sum(sums.value);
            float over = density - 1.0f, give = mark_of(own) ? ease_of(s, o) : 1.0f;
            s.over[i] = over;
            if (over > s.tolerance && s.state->going <= now.k) {
                s.state->going = now.k + 1;
            }
            float by = change(s, i, sums, give, density - limit_of(s, o), now.momentum);
            s.arrow[i].w = float_to_bits(by);
            if (s.room && i % SLICE == 0) {
                s.touches[i / SLICE] = 0;
            }
        });
}

/* ---- corrections ------------------------------------------------------------------------------------- */

/* Pairs are pushed along the line between where they are, or between where they started: there their line is kept
   with eight binary digits, which is how the processor keeps it. `FIRST` looks which pairs have moved around themselves
   since; these have the line of where they were when the stage began. */
enum Way { PRESENT, STARTED, FIRST };

OOZE_DEVICE float short_line(float square)
{
    return bits_to_float((float_to_bits(inverse_root(square)) + 0x8000u) & 0xffff0000u);
}

OOZE_DEVICE float fall_at(const DensitySweep &s, float square)
{
    return ooze_cubic_fall(root(square), s.inverse);
}

/* Adds (lambda_i + lambda_j) |grad W| along the line; true: the pair has turned. `now`, in units of
   the dial, and `then`, m, are where it was when the stage began and when the step did. */
OOZE_DEVICE bool push_first(const DensitySweep &s, float4 now, float4 then, float weight,
                            float4 *sum)
{
    float square = dot(now, now), square0 = dot(then, then), along = dot(now, then);
    bool same = along > 0.0f && along * along > 0.5f * square * square0;
    float4 d = same ? then : s.dial.unit * now;
    *sum = *sum + weight * short_line(square_and(s.arrow_smallest, d)) * d;
    return !same;
}

/* Pairs that turned and pairs of rigid bodies among them. */
template <int LANES, bool OPEN>
OOZE_DEVICE float4 push_uneven_pairs(const DensitySweep &s, uint32_t i, uint32_t lane, uint2 own,
                                     uint4 arrow)
{
    const uint32_t own_o = s.order[i];
    const uint2 before = place_of(s, s.first[own_o], four(0, 0, 0), mark_of(own));
    const uint16_t body = s.rigid ? s.rigid[own_o] : (uint16_t)0;
    float4 sum = four(0, 0, 0);
    each_pair<LANES>(s.list, i, lane, [&](uint32_t j, bool counts) {
        if (!counts) {
            return;
        }
        uint2 other = s.place[j];
        uint4 to = s.arrow[j];
        uint32_t o = s.order[j];
        float4 way = way_between<OPEN>(s.dial, own, other);
        float square = square_of(s, way, true),
              lambda = bits_to_float(arrow.w) + bits_to_float(to.w);
        float weight = lambda * (yielding(s, body, o) * fall_at(s, square));
        if (s.start) {
            uint2 other_before = place_of(s, s.first[o], four(0, 0, 0), mark_of(other));
            float4 then = arrow_between<OPEN>(s.dial, arrow, to);
            push_first(s, way_between<OPEN>(s.dial, before, other_before), then, weight, &sum);
        } else {
            sum = sum + weight * inverse_root(square) * way;
        }
    });
    return sum;
}

template <int LANES, bool OPEN, Way WAY>
OOZE_DEVICE float4 push_pairs(const DensitySweep &s, uint32_t i, uint32_t lane, uint2 own,
                              uint4 arrow, bool *turned)
{
    float4 sum = four(0, 0, 0);
    each_pair<LANES>(s.list, i, lane, [&](uint32_t j, bool counts) {
        uint2 other = s.place[j];
        uint4 to = s.arrow[j];
        float4 way = way_between<OPEN>(s.dial, own, other);
        float square = square_of(s, way, counts);
        float weight = (bits_to_float(arrow.w) + bits_to_float(to.w)) * fall_at(s, square);
        float4 then = arrow_between<OPEN>(s.dial, arrow, to);
        if (WAY == PRESENT) {
            sum = sum + weight * inverse_root(square) * way;
        } else if (WAY == STARTED) {
            sum = sum + weight * short_line(square_and(s.arrow_smallest, then)) * then;
        } else {
            bool around = push_first(s, way, then, weight, &sum);
            *turned = *turned || (around && counts);
        }
    });
    return sum;
}

template <int LANES, bool OPEN, Way WAY>
static void corrections(Machine *m, const DensitySweep *sweep, int k)
{
    const DensitySweep s = *sweep;
    for_lanes<LANES>(
        m, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const uint32_t o = s.order[i];
            const uint2 own = s.place[i];
            const uint4 arrow = s.arrow[i];
            if (is_through(s, k)) {
                return;
            }
            uint8_t flags = s.flags[i];
            bool turned = false;
            float4 push = flags ? push_uneven_pairs<LANES, OPEN>(s, i, lane, own, arrow)
                                : push_pairs<LANES, OPEN, WAY>(s, i, lane, own, arrow, &turned);
            push = lanes_sum3<LANES>(push);
            if (WAY == FIRST && lanes_sum<LANES>(turned ? 1.0f : 0.0f) > 0.0f && lane == 0) {
                s.flags[i] = flags | TURNED;
            }
            if (lane > 0) {
                return;
            }
            float4 by = s.cubic.slope * push;
            if (s.wall_push && s.wall_list.count[i] > 0) {
                by = by + bits_to_float(arrow.w) * s.wall_push[i];
            }
            float mobility = s.mobility ? s.mobility[o] : 1.0f;
            move(s, i, o, s.shift[o] + mobility * by, mark_of(own));
            if (i == 0) {
                s.state->inside = 0;
            }
        });
}

/* ---- by what they work on ----------------------------------------------------------------------------- */

void density_multipliers(Machine *m, const DensitySweep *sweep, DensityIteration iteration)
{
#define IN_THE_OPEN(lanes) multipliers<lanes, true>(m, sweep, iteration)
#define IN_A_BOX(lanes)    multipliers<lanes, false>(m, sweep, iteration)
    if (sweep->open) {
        OOZE_LANES(sweep->n, IN_THE_OPEN);
    } else {
        OOZE_LANES(sweep->n, IN_A_BOX);
    }
}

template <bool OPEN>
static void correct(Machine *m, const DensitySweep *sweep, DensityIteration iteration)
{
#define PRESENT_WAY(lanes) corrections<lanes, OPEN, PRESENT>(m, sweep, iteration.k)
#define FIRST_WAY(lanes)   corrections<lanes, OPEN, FIRST>(m, sweep, iteration.k)
#define STARTED_WAY(lanes) corrections<lanes, OPEN, STARTED>(m, sweep, iteration.k)
    if (!sweep->start) {
        OOZE_LANES(sweep->n, PRESENT_WAY);
    } else if (iteration.first) {
        OOZE_LANES(sweep->n, FIRST_WAY);
    } else {
        OOZE_LANES(sweep->n, STARTED_WAY);
    }
}

void density_corrections(Machine *m, const DensitySweep *sweep, DensityIteration iteration)
{
    if (sweep->open) {
        correct<true>(m, sweep, iteration);
    } else {
        correct<false>(m, sweep, iteration);
    }
}

} // namespace ooze
