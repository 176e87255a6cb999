#include "methods/gather.h"

#include <math.h>

#include "methods/cubic_four.h"

/* K += x g^T; g is along x. */
static void add_outer(OozeSym3 *k, OozeFour x, OozeFour g)
{
    k->xx += x[0] * g[0];
    k->yy += x[1] * g[1];
    k->zz += x[2] * g[2];
    k->xy += x[0] * g[1];
    k->xz += x[0] * g[2];
    k->yz += x[1] * g[2];
}

/* Bonet and Lok's correction, kept away from neighbourhoods that cannot tell three directions: there
   the particle carries no stress rather than a wrong one. */
static OozeSym3 guarded_inverse(OozeSym3 k, uint32_t neighbours)
{
    float mean = ooze_sym3_trace(k) / 3.0f;
    float det = ooze_sym3_det(k);
    if (neighbours < 6 || !(mean > 0.25f) || !(det > 0.1f * mean * mean * mean)) {
        return ooze_sym3_identity(0);
    }
    return ooze_sym3_inverse(k);
}

/* Fluid that never slips on a solid is strained by it as by more fluid. */
static bool clings(const OozeSolid *solid)
{
    return isinf(solid->params[OOZE_SOLID_FRICTION]);
}

static OozeFour clinging_edge(const OozeGather *s, OozeFour x_ji, float volume)
{
    float r = sqrtf(ooze_four_dot3(x_ji, x_ji));
    float f = s->wall_strain_scale * volume * ooze_strain_wall_weight(r, s->support);
    return (OozeFour){f * x_ji[0], f * x_ji[1], f * x_ji[2], f};
}

/* W of a boundary sample where it was when the step began: what a wall presses together while it moves is
   no compression that was there before. */
static float begin_value(const OozeGather *s, uint32_t sample, OozeFour x_ji)
{
    const OozeFloat4 *v = &s->context->boundary->velocity[sample];
    float dt = (float)s->context->dt;
    OozeFour d = x_ji - dt * ooze_four(v->x, v->y, v->z, 0);
    return ooze_cubic_value(sqrtf(ooze_four_dot3(d, d)), s->support);
}

/* What the sums over a particle's neighbours come to. */
typedef struct Sums {
    OozeRows moment; /* sum x_ji g^T; the last lanes hold sum g */
    OozeFour weight,
        value; /* lanes to be added up: sum f, and W as ooze_cubic_four_slope counts it */
} Sums;

/* 0 where entries of the list only fill it up. */
static inline OozeFour unless_padding(OozeFour weight, const uint32_t *index, uint32_t dummy)
{
    OozeFourMask padding = {index[0] == dummy ? -1 : 0, index[1] == dummy ? -1 : 0,
                            index[2] == dummy ? -1 : 0, index[3] == dummy ? -1 : 0};
    return ooze_four_choose(padding, ooze_four(0, 0, 0, 0), weight);
}

/* f of four neighbours, see OozeGather. */
static inline OozeFour weights(const OozeGather *s, const OozeCubicFour *cubic, OozeFour r,
                               OozeFour slope)
{
    OozeFour q = cubic->inverse * r, none = {0};
    if (s->strain_scale > 0.0f) {
        return (s->strain_scale * s->volume) * ooze_four_max(1.0f - q * q, none);
    }
    OozeFourMask apart = r > cubic->smallest;
    return ooze_four_choose(apart, slope / r, none);
}

static inline Sums sum_fluid(const OozeGather *s, const OozeCubicFour *cubic, uint64_t i,
                             bool periodic)
{
    const OozeEdges *edges = &s->edges;
    const OozeNeighbours *list = edges->list;
    OozeFour x = ooze_near_end(edges, i), none = {0};
    Sums sums = {ooze_rows_zero(), none, none};
    OozeRows other = ooze_rows_zero();
    for (uint64_t e = list->first[i], last = list->first[i + 1]; e < last; e += 4) {
        OozeFour d[4], flat[4], value = {0};
        for (int k = 0; k < 4; k++) {
            d[k] = ooze_way(x, edges->x[list->index[e + (uint64_t)k]], edges->box, periodic);
            flat[k] = d[k] * d[k] * ooze_four(1, 1, 1, 0);
        }
        OozeFour r = ooze_four_sqrt(ooze_four_sums(flat[0], flat[1], flat[2], flat[3]));
        OozeFour slope = ooze_cubic_four_slope(cubic, r, &value);
        OozeFour f = weights(s, cubic, r, slope);
        if (e + 4 == last) {
            f = unless_padding(f, list->index + e, list->dummy);
            value = unless_padding(value, list->index + e, list->dummy);
        }
        ooze_four_store(f, edges->weight + e);
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

/* Adds the samples of solids near particle i to its moment and density; returns the sum of their edges. */
static OozeFour add_walls(const OozeGather *s, uint64_t i, OozeSym3 *k, float *density)
{
    const OozeNeighbours *walls = s->context->fluid_boundary;
    const OozeBoundary *boundary = s->context->boundary;
    OozeFour sum = {0};
    float value;
    for (uint64_t e = walls->first[i], last = e + walls->count[i]; e < last; e++) {
        uint32_t b = walls->index[e];
        const OozeFloat4 *p = &boundary->position[b];
        OozeFour d = ooze_four_nearest(ooze_four(p->x, p->y, p->z, 0) - ooze_near_end(&s->edges, i),
                                       &s->context->periodic);
        float volume = s->wall_scale * boundary->volume[b];
        OozeFour g = ooze_edge(d, s->support, volume, 0.0f, &value);
        *density += begin_value(s, b, d) * volume;
        if (!clings(&s->context->solids[boundary->solid[b]])) {
            g = ooze_four(0, 0, 0, 0);
        } else if (s->strain_scale > 0.0f) {
            g = clinging_edge(s, d, boundary->volume[b]);
        }
        s->wall_edge[e] = g;
        sum += g;
        add_outer(k, d, g);
    }
    return sum;
}

static inline void gather(const OozeGather *s, uint64_t begin, uint64_t end, bool periodic)
{
    const OozeNeighbours *list = s->edges.list, *walls = s->context->fluid_boundary;
    bool has_walls = s->context->boundary->count > 0;
    const OozeCubicFour cubic = ooze_cubic_four(s->support, s->volume);
    float own = s->volume * ooze_cubic_value(0, s->support);
    for (uint64_t i = begin; i < end; i++) {
        Sums sums = sum_fluid(s, &cubic, i, periodic);
        const OozeFour *m = sums.moment.row;
        OozeSym3 k = ooze_sym3(m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2]);
        OozeFour sum = ooze_four(m[0][3], m[1][3], m[2][3], ooze_four_sum(sums.weight));
        OozeFour wall = {0};
        float density = own + cubic.value * ooze_four_sum(sums.value);
        uint32_t wall_count = has_walls ? walls->count[i] : 0;
        if (wall_count > 0) {
            wall = add_walls(s, i, &k, &density);
        }
        s->edge_sum[i] = sum + wall;
        /* an edge to a wall that is weighed as fluid counts for both of its ends */
        sum += s->strain_scale > 0.0f ? 0.5f * wall : wall;
        s->open[i] = sqrtf(ooze_four_dot3(sum, sum));
        s->density[i] = density;
        s->correction[i] = guarded_inverse(k, list->count[i] + wall_count);
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

static void weigh_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeGather *s = data;
    const OozeCubicFour cubic = ooze_cubic_four(s->support, s->volume);
    for (uint64_t i = begin; i < end; i++) {
        (void)sum_fluid(s, &cubic, i, s->edges.periodic);
    }
}

const OozeGatherLoops OOZE_LOOPS(ooze_gather_loops) = {
    .gather = gather_range,
    .weigh = weigh_range,
};
