/* The two sweeps of a density iteration: each gathers what it needs of a particle's neighbours and recomputes the
   rest, for loads are what binds. Numbers of a pair are the same from both of its ends, to the last bit, so that no
   momentum comes from rounding of a pair. */
#include "cuda/density_sweep.cuh"

namespace ooze
{

/* ---- multipliers ------------------------------------------------------------------------------------ */

/* What the sums over a particle's neighbours come to; slopes in units of cubic.slope. */
struct PairSums {
    float4 gradient; /* of its own density */
    float value, square;
    uint32_t marks; /* of the neighbours */
};

OOZE_DEVICE void add_pair(const DensitySweep &s, float4 way, float square, float slope_scale,
                          float give, PairSums *sums)
{
    float inverse = inverse_root(fmaxf(square, s.nearest));
    float slope = slope_scale * ooze_cubic_fall_and_value(square * inverse, &sums->value);
    sums->square += give * (slope * slope);
    sums->gradient = sums->gradient + slope * inverse * way;
}

/* A square of a distance from 1 on weighs nothing, as that of particles that fill up lists. */
OOZE_DEVICE float square_of(const DensitySweep &s, float4 way, uint32_t j)
{
    return j == s.list.dummy ? 4.0f : dot(way, way);
}

template <int LANES>
OOZE_DEVICE PairSums sum_pairs(const DensitySweep &s, uint32_t i, uint32_t lane)
{
    const uint2 own = s.place[i];
    PairSums sums = {four(0, 0, 0), 0.0f, 0.0f, own.y};
    each_neighbour<LANES>(s.list, i, lane, [&](uint32_t j) {
        uint2 other = s.place[j];
        float4 way = way_between(s.dial, own, other);
        add_pair(s, way, square_of(s, way, j), 1.0f, 1.0f, &sums);
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
template <int LANES>
OOZE_DEVICE PairSums sum_uneven_pairs(const DensitySweep &s, uint32_t i, uint32_t lane)
{
    const uint2 own = s.place[i];
    const uint16_t body = s.rigid ? s.rigid[s.order[i]] : (uint16_t)0;
    PairSums sums = {four(0, 0, 0), 0.0f, 0.0f, 1};
    each_neighbour<LANES>(s.list, i, lane, [&](uint32_t j) {
        if (j != s.list.dummy) {
            uint2 other = s.place[j];
            uint32_t o = s.order[j];
            float give = mark_of(other) ? ease_of(s, o) : 1.0f;
            float4 way = way_between(s.dial, own, other);
            add_pair(s, way, dot(way, way), yielding(s, body, o), give, &sums);
        }
    });
    return sums;
}

template <int LANES> OOZE_DEVICE float4 lanes_sum3(float4 a)
{
    return four(lanes_sum<LANES>(a.x), lanes_sum<LANES>(a.y), lanes_sum<LANES>(a.z));
}

template <int LANES>
OOZE_DEVICE PairSums sum_fluid(const DensitySweep &s, uint32_t i, uint32_t lane, bool first)
{
    bool uneven = !first && s.flags[i] & UNEVEN;
    PairSums sums;
    if (!uneven) {
        sums = sum_pairs<LANES>(s, i, lane);
        uneven = first && lanes_sum<LANES>(sums.marks & 1u ? 1.0f : 0.0f) > 0.0f;
    }
    if (uneven) {
        sums = sum_uneven_pairs<LANES>(s, i, lane);
    }
    sums.gradient = lanes_sum3<LANES>(sums.gradient);
    sums.value = lanes_sum<LANES>(sums.value);
    sums.square = lanes_sum<LANES>(sums.square);
    if (first && lane == 0) {
        s.flags[i] = uneven ? UNEVEN : 0;
    }
    return sums;
}

/* Samples of solids near particle i. They push it along the sum of their gradients. */
template <int LANES>
OOZE_DEVICE void add_walls(const DensitySweep &s, uint32_t i, uint32_t lane, PairSums *sums)
{
    const uint32_t o = s.order[i];
    const float4 x = s.first[o] + s.shift[o];
    const OozePeriodic p = s.periodic;
    const float scale = s.bare && s.bare[o] ? 0.0f : s.wall_scale;
    PairSums wall = {four(0, 0, 0), 0.0f, 0.0f, 0};
    each_neighbour<LANES>(s.wall_list, i, lane, [&](uint32_t b) {
        float4 way = x - s.walls.position[b];
        way.x = s.cubic.inverse * ooze_periodic_delta(way.x, p.length[0], p.inverse[0]);
        way.y = s.cubic.inverse * ooze_periodic_delta(way.y, p.length[1], p.inverse[1]);
        way.z = s.cubic.inverse * ooze_periodic_delta(way.z, p.length[2], p.inverse[2]);
        float square = dot(way, way), inverse = inverse_root(fmaxf(square, s.nearest));
        float volume = scale * s.walls.volume[b], value = 0.0f;
        float slope = volume * ooze_cubic_fall_and_value(square * inverse, &value);
        wall.value += volume * value;
        wall.gradient = wall.gradient + slope * inverse * way;
    });
    wall.gradient = lanes_sum3<LANES>(wall.gradient);
    sums->gradient = sums->gradient + wall.gradient;
    sums->value += lanes_sum<LANES>(wall.value);
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
   it. */
OOZE_DEVICE float change(const DensitySweep &s, uint32_t i, const PairSums &sums, float density,
                         float momentum)
{
    const uint32_t o = s.order[i];
    float own = mark_of(s.place[i]) ? ease_of(s, o) : 1.0f;
    float square = sums.square + own * dot(sums.gradient, sums.gradient);
    float wanted = (density - limit_of(s, o)) / (s.cubic.slope * s.cubic.slope * square + s.eps);
    if (s.plain) {
        return wanted > 0.0f ? wanted : 0.0f;
    }
    OozePush push = s.pushed[i];
    float by = ooze_push_sweep(&push, wanted, momentum);
    s.pushed[i] = push;
    return by;
}

template <int LANES>
static void multipliers(Machine *m, const DensitySweep *sweep, DensityIteration iteration)
{
    const DensitySweep s = *sweep;
    const DensityIteration now = iteration;
    for_lanes<LANES>(
        m, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            if (is_through(s, now.k)) {
                if (i == 0) {
                    s.state->off = 1;
                }
                return;
            }
            PairSums sums = sum_fluid<LANES>(s, i, lane, now.first);
            if (s.wall_push && s.wall_list.count[i] > 0) {
                add_walls<LANES>(s, i, lane, &sums);
            }
            if (lane > 0) {
                return;
            }
            float density = s.own + s.cubic.value * sums.value, over = density - 1.0f;
            s.over[i] = over;
            if (over > s.tolerance && s.state->going <= now.k) {
                s.state->going = now.k + 1;
            }
            s.arrow[i].w = bits_of(change(s, i, sums, density, now.momentum));
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

OOZE_DEVICE float short_line(const DensitySweep &s, float square)
{
    return number_of((bits_of(inverse_root(fmaxf(square, s.smallest))) + 0x8000u) & 0xffff0000u);
}

OOZE_DEVICE float fall_at(float square)
{
    return ooze_cubic_fall(root(square));
}

/* Adds (lambda_i + lambda_j) |grad W| along the line; true: the pair has turned. `now`, in supports, and `then`, m,
   are where it was when the stage began and when the step did. */
OOZE_DEVICE bool push_first(const DensitySweep &s, float4 now, float4 then, float weight,
                            float4 *sum)
{
    float square = dot(now, now), square0 = dot(then, then), along = dot(now, then);
    bool same = along > 0.0f && along * along > 0.5f * square * square0;
    float4 d = same ? then : s.support * now;
    float line = short_line(s, same ? square0 : s.support * s.support * square);
    *sum = *sum + weight * line * d;
    return !same;
}

/* Pairs that turned and pairs of rigid bodies among them. */
template <int LANES>
OOZE_DEVICE float4 push_uneven_pairs(const DensitySweep &s, uint32_t i, uint32_t lane)
{
    const uint32_t own_o = s.order[i];
    const uint2 own = s.place[i];
    const uint4 arrow = s.arrow[i];
    const uint2 before = place_of(s, s.first[own_o], four(0, 0, 0), mark_of(own));
    const uint16_t body = s.rigid ? s.rigid[own_o] : (uint16_t)0;
    float4 sum = four(0, 0, 0);
    each_neighbour<LANES>(s.list, i, lane, [&](uint32_t j) {
        if (j == s.list.dummy) {
            return;
        }
        uint2 other = s.place[j];
        uint4 to = s.arrow[j];
        uint32_t o = s.order[j];
        float4 way = way_between(s.dial, own, other);
        float square = dot(way, way), lambda = number_of(arrow.w) + number_of(to.w);
        float weight = lambda * (yielding(s, body, o) * fall_at(square));
        if (s.start) {
            uint2 other_before = place_of(s, s.first[o], four(0, 0, 0), mark_of(other));
            float4 then = arrow_between(s.dial, arrow, to);
            push_first(s, way_between(s.dial, before, other_before), then, weight, &sum);
        } else {
            sum = sum + weight * inverse_root(fmaxf(square, s.nearest)) * way;
        }
    });
    return sum;
}

template <int LANES, Way WAY>
OOZE_DEVICE float4 push_pairs(const DensitySweep &s, uint32_t i, uint32_t lane, bool *turned)
{
    const uint2 own = s.place[i];
    const uint4 arrow = s.arrow[i];
    float4 sum = four(0, 0, 0);
    each_neighbour<LANES>(s.list, i, lane, [&](uint32_t j) {
        uint2 other = s.place[j];
        uint4 to = s.arrow[j];
        float4 way = way_between(s.dial, own, other);
        float square = square_of(s, way, j);
        float weight = (number_of(arrow.w) + number_of(to.w)) * fall_at(square);
        float4 then = arrow_between(s.dial, arrow, to);
        if (WAY == PRESENT) {
            sum = sum + weight * inverse_root(fmaxf(square, s.nearest)) * way;
        } else if (WAY == STARTED) {
            sum = sum + weight * short_line(s, dot(then, then)) * then;
        } else {
            bool around = push_first(s, way, then, weight, &sum);
            *turned = *turned || (around && j != s.list.dummy);
        }
    });
    return sum;
}

template <int LANES, Way WAY> static void corrections(Machine *m, const DensitySweep *sweep, int k)
{
    const DensitySweep s = *sweep;
    for_lanes<LANES>(
        m, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            if (is_through(s, k)) {
                return;
            }
            uint8_t flags = s.flags[i];
            bool turned = false;
            float4 push = flags ? push_uneven_pairs<LANES>(s, i, lane)
                                : push_pairs<LANES, WAY>(s, i, lane, &turned);
            push = lanes_sum3<LANES>(push);
            if (WAY == FIRST && lanes_sum<LANES>(turned ? 1.0f : 0.0f) > 0.0f && lane == 0) {
                s.flags[i] = flags | TURNED;
            }
            if (lane > 0) {
                return;
            }
            uint32_t o = s.order[i];
            float4 by = s.cubic.slope * push;
            if (s.wall_push && s.wall_list.count[i] > 0) {
                by = by + number_of(s.arrow[i].w) * s.wall_push[i];
            }
            float mobility = s.mobility ? s.mobility[o] : 1.0f;
            move(s, i, o, s.shift[o] + mobility * by, mark_of(s.place[i]));
            if (i == 0) {
                s.state->inside = 0;
            }
        });
}

/* ---- by number of lanes -------------------------------------------------------------------------------- */

void density_multipliers(Machine *m, const DensitySweep *sweep, DensityIteration iteration)
{
#define CALL(lanes) multipliers<lanes>(m, sweep, iteration)
    OOZE_LANES(sweep->n, CALL);
#undef CALL
}

void density_corrections(Machine *m, const DensitySweep *sweep, DensityIteration iteration)
{
#define PRESENT_WAY(lanes) corrections<lanes, PRESENT>(m, sweep, iteration.k)
#define FIRST_WAY(lanes)   corrections<lanes, FIRST>(m, sweep, iteration.k)
#define STARTED_WAY(lanes) corrections<lanes, STARTED>(m, sweep, iteration.k)
    if (!sweep->start) {
        OOZE_LANES(sweep->n, PRESENT_WAY);
    } else if (iteration.first) {
        OOZE_LANES(sweep->n, FIRST_WAY);
    } else {
        OOZE_LANES(sweep->n, STARTED_WAY);
    }
}

} // namespace ooze
