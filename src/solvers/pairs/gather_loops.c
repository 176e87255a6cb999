/* Vector loops of gather.h: edge weights, moments and densities of particles, over fluid and
   samples of walls. */
#include "solvers/pairs/gather.h"

#include <math.h>

#include "physics/gradient_correction.h"
#include "solvers/vectors/cubic_f32x4.h"

/* Sums over the neighbours of a particle. */
typedef struct Sums {
    OozeRows moment;         /* sum x_ji g^T; the last lanes hold sum g */
    OozeF32x4 weight, value; /* by lanes: sum f, and sum W as ooze_cubic_f32x4_slope scales it */
} Sums;

/* 0 for entries of the list that are padding. */
static inline OozeF32x4 unless_padding(OozeF32x4 weight, const uint32_t *index, uint32_t dummy)
{
    OozeF32x4Mask padding = {index[0] == dummy ? -1 : 0, index[1] == dummy ? -1 : 0,
                             index[2] == dummy ? -1 : 0, index[3] == dummy ? -1 : 0};
    return ooze_f32x4_select(padding, ooze_f32x4(0, 0, 0, 0), weight);
}

/* f of four neighbours, see OozeGather. */
static inline OozeF32x4 weights(const OozeGather *s, const OozeCubic *cubic, OozeF32x4 r,
                                OozeF32x4 slope)
{
    OozeF32x4 q = cubic->inverse * r, none = {0};
    if (s->strain_scale > 0.0f) {
        return (s->strain_scale * s->volume) * ooze_f32x4_max(1.0f - q * q, none);
    }
    OozeF32x4Mask distinct = r > cubic->smallest;
    return ooze_f32x4_select(distinct, slope / r, none);
}

static inline Sums sum_fluid(const OozeGather *s, const OozeCubic *cubic, uint64_t i, bool periodic)
{
    const OozeNeighbours *list = s->edges.list;
    const uint64_t first = list->first[i];
    const uint32_t *j = list->index + first, *last = j + list->first[i + 1] - first;
    const OozeF32x4 *all = s->edges.x, x = ooze_near_end(&s->edges, i), none = {0};
    const OozeBox box = s->edges.box;
    float *to = s->edges.weight + first;
    Sums sums = {ooze_rows_zero(), none, none};
    OozeRows other = ooze_rows_zero();
    for (; j < last; j += 4, to += 4) {
        OozeF32x4 d[4], flat[4], value = {0};
        for (int k = 0; k < 4; k++) {
            d[k] = ooze_edge_delta(x, all[j[k]], box, periodic);
            flat[k] = d[k] * d[k] * ooze_f32x4(1, 1, 1, 0);
        }
        OozeF32x4 r = ooze_f32x4_sqrt(ooze_f32x4_row_sums(flat[0], flat[1], flat[2], flat[3]));
        OozeF32x4 slope = ooze_cubic_f32x4_slope(cubic, r, &value);
        OozeF32x4 f = weights(s, cubic, r, slope);
        if (j + 4 == last) {
            f = unless_padding(f, j, list->dummy);
            value = unless_padding(value, j, list->dummy);
        }
        ooze_f32x4_store(f, to);
        sums.weight += f;
        sums.value += value;
        sums.moment = ooze_rows_outer(d[0], d[0] * f[0], sums.moment);
        other = ooze_rows_outer(d[1], d[1] * f[1], other);
        sums.moment = ooze_rows_outer(d[2], d[2] * f[2], sums.moment);
        other = ooze_rows_outer(d[3], d[3] * f[3], other);
    }
    sums.moment = ooze_rows_add(sums.moment, other);
    return sums;
}

/* Four samples of solids near a particle. */
typedef struct Samples {
    OozeF32x4 delta[4]; /* from the particle; last lane 1 */
    /* distances at the beginning of the step: compression by the motion of a wall during the
       step does not count */
    OozeF32x4 begin_r;
    OozeF32x4 volume;  /* Akinci's; 0: padding */
    OozeF32x4 no_slip; /* 1: no slip, the wall strains the fluid; 0: slip */
} Samples;

static inline Samples find_samples(const OozeGather *s, OozeF32x4 x, const uint32_t *index,
                                   uint64_t count)
{
    const OozeBoundary *boundary = s->context->boundary;
    const OozeF32x4 flat = {1, 1, 1, 0};
    float dt = (float)s->context->dt;
    OozeF32x4 begin[4];
    Samples four = {.volume = {0}, .no_slip = {0}};
    for (uint64_t k = 0; k < 4; k++) {
        uint32_t b = index[k < count ? k : 0];
        OozeF32x4 at = ooze_f32x4_load(&boundary->position[b].x);
        at[3] = 1;
        four.delta[k] = ooze_edge_delta(x, at, s->edges.box, true);
        const OozeSolid *solid = &s->context->solids[boundary->solid[b]];
        bool dynamic = s->dynamic && ooze_solid_is_dynamic(solid);
        float since = dynamic ? 0.0f : dt;
        begin[k] = (four.delta[k] - since * ooze_f32x4_load(&boundary->velocity[b].x)) * flat;
        begin[k] *= begin[k];
        four.volume[k] = k < count ? boundary->volume[b] : 0.0f;
        double friction = ooze_solid_fluid_friction(solid);
        bool no_slip = isinf(friction) || (dynamic && friction > 0.0);
        four.no_slip[k] = k < count && no_slip ? 1.0f : 0.0f;
    }
    four.begin_r = ooze_f32x4_sqrt(ooze_f32x4_row_sums(begin[0], begin[1], begin[2], begin[3]));
    return four;
}

/* V f of edges to no-slip walls: by OOZE_STRAIN_WALL_POWER, or as fluid. */
static inline OozeF32x4 wall_weights(const OozeGather *s, const OozeCubic *cubic,
                                     const Samples *four)
{
    const OozeF32x4 flat = {1, 1, 1, 0}, *d = four->delta;
    OozeF32x4 square = ooze_f32x4_row_sums(d[0] * d[0] * flat, d[1] * d[1] * flat,
                                           d[2] * d[2] * flat, d[3] * d[3] * flat);
    if (s->strain_scale > 0.0f) {
        OozeF32x4 w = ooze_f32x4_max(1.0f - square * (cubic->inverse * cubic->inverse),
                                     ooze_f32x4(0, 0, 0, 0));
        OozeF32x4 volume = s->wall_strain_scale * four->no_slip * four->volume;
        return volume * OOZE_STRAIN_WALL_POWER(w);
    }
    OozeF32x4 unused = {0}, r = ooze_f32x4_sqrt(square);
    OozeF32x4 slope = ooze_cubic_f32x4_slope(cubic, r, &unused);
    OozeF32x4 share = (s->wall_scale / s->volume) * four->no_slip * four->volume;
    return share * weights(s, cubic, r, slope);
}

/* Adds the samples of solids near particle i to its moment and density; returns the sum of their
   edges. */
static OozeF32x4 add_walls(const OozeGather *s, const OozeCubic *cubic, uint64_t i,
                           OozeRows *moment, float *density)
{
    const OozeNeighbours *walls = s->context->fluid_boundary;
    OozeF32x4 sum = {0}, x = ooze_near_end(&s->edges, i);
    for (uint64_t e = walls->first[i], last = e + walls->count[i]; e < last; e += 4) {
        Samples four = find_samples(s, x, walls->index + e, last - e);
        OozeF32x4 value = {0}, f = wall_weights(s, cubic, &four);
        (void)ooze_cubic_f32x4_slope(cubic, four.begin_r, &value);
        *density += s->wall_scale / s->volume * cubic->value * ooze_f32x4_sum(four.volume * value);
        for (int k = 0; k < 4 && e + (uint64_t)k < last; k++) {
            OozeF32x4 g = four.delta[k] * f[k];
            s->wall_edge[e + (uint64_t)k] = g;
            sum += g;
            *moment = ooze_rows_outer(four.delta[k], g, *moment);
        }
    }
    return sum;
}

static inline void gather(const OozeGather *s, uint64_t begin, uint64_t end, bool periodic)
{
    const OozeNeighbours *list = s->edges.list, *walls = s->context->fluid_boundary;
    bool has_walls = s->context->boundary->count > 0;
    const OozeCubic cubic = ooze_cubic(s->support, s->volume);
    float own = s->volume * ooze_cubic_value(0, s->support);
    for (uint64_t i = begin; i < end; i++) {
        Sums sums = sum_fluid(s, &cubic, i, periodic);
        const OozeF32x4 *m = sums.moment.row;
        OozeF32x4 sum = ooze_f32x4(m[0][3], m[1][3], m[2][3], ooze_f32x4_sum(sums.weight));
        OozeF32x4 wall = {0};
        float density = own + cubic.value * ooze_f32x4_sum(sums.value);
        uint32_t wall_count = has_walls ? walls->count[i] : 0;
        if (wall_count > 0) {
            wall = add_walls(s, &cubic, i, &sums.moment, &density);
        }
        s->edge_sum[i] = sum + wall;
        /* an edge to a wall with the strain weight includes the stress of the wall: half of
           it belongs to the particle */
        sum += s->strain_scale > 0.0f ? 0.5f * wall : wall;
        s->surface_indicator[i] = sqrtf(ooze_f32x4_dot3(sum, sum));
        s->density[i] = density;
        OozeSym3 k = ooze_sym3(m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2]);
        s->correction[i] = ooze_gradient_correction(k, list->count[i] + wall_count);
    }
}

static void gather_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeGather *s = data;
    if (s->edges.periodic) {
        gather(s, begin, end, true);
    } else {
        gather(s, begin, end, false);
    }
}

const OozeGatherLoops OOZE_LOOPS(ooze_gather_loops) = {
    .gather = gather_range,
};
