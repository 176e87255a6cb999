/* Gathers of push_stress.h. */
#include "methods/conformation/cpu/push_stress.h"

#include "physics/gradient_correction.h"

/* A symmetric tensor of four pairs: xx, yy, zz, xy, xz, yz. */
typedef struct PairTensor {
    OozeF32x4 m[6];
} PairTensor;

/* Sums over the neighbours of a particle. */
typedef struct Sums {
    PairTensor pushes; /* twice T */
    PairTensor moment; /* sum x g^T */
    OozeF32x4 edge[3]; /* sum g, by axis */
} Sums;

/* Adds weight d d^T of four pairs, by axis. */
static inline void add_squares(PairTensor *sum, OozeF32x4 weight, const OozeF32x4 *d)
{
    OozeF32x4 x = weight * d[0], y = weight * d[1], z = weight * d[2];
    sum->m[0] = ooze_f32x4_fma(x, d[0], sum->m[0]);
    sum->m[1] = ooze_f32x4_fma(y, d[1], sum->m[1]);
    sum->m[2] = ooze_f32x4_fma(z, d[2], sum->m[2]);
    sum->m[3] = ooze_f32x4_fma(x, d[1], sum->m[3]);
    sum->m[4] = ooze_f32x4_fma(x, d[2], sum->m[4]);
    sum->m[5] = ooze_f32x4_fma(y, d[2], sum->m[5]);
}

static inline OozeSym3 total(const PairTensor *sum)
{
    const OozeF32x4 *m = sum->m;
    return ooze_sym3(ooze_f32x4_sum(m[0]), ooze_f32x4_sum(m[1]), ooze_f32x4_sum(m[2]),
                     ooze_f32x4_sum(m[3]), ooze_f32x4_sum(m[4]), ooze_f32x4_sum(m[5]));
}

/* Differences of positions of four pairs by axis; returns their squared lengths. */
static inline OozeF32x4 deltas_by_axis(const OozeF32x4 *x, uint64_t i, const uint32_t *j,
                                       OozeBox box, bool periodic, OozeF32x4 by_axis[4])
{
    OozeF32x4 d[4];
    ooze_f32x4_deltas(x[i], x, j, box, periodic, d);
    ooze_f32x4_transpose(d[0], d[1], d[2], d[3], by_axis);
    OozeF32x4 square = by_axis[0] * by_axis[0];
    square = ooze_f32x4_fma(by_axis[1], by_axis[1], square);
    return ooze_f32x4_fma(by_axis[2], by_axis[2], square);
}

/* V f of four edges, from their squared lengths. */
static inline OozeF32x4 edge_weights(const OozePushStress *push, OozeF32x4 square)
{
    OozeF32x4 none = {0};
    return push->edge_scale * ooze_f32x4_max(1.0f - push->inverse2 * square, none);
}

static inline Sums sum_pairs(const OozePushStress *push, uint64_t i, bool periodic)
{
    const OozeConformationStep *s = push->step;
    const OozeEdges *edges = s->own->edges;
    const OozeCubic cubic = push->cubic;
    const OozeBox box = edges->box;
    const uint64_t first = edges->list->first[i];
    const uint32_t *j = edges->list->index + first, *last = j + edges->list->first[i + 1] - first;
    const float *weight = edges->weight + first, *lambda = s->density_multiplier;
    OozeF32x4 none = {0}, value = {0}, smallest = ooze_f32x4_splat(cubic.smallest);
    Sums sums = {.edge = {none, none, none}};
    for (; j < last; j += 4, weight += 4) {
        OozeF32x4 line[4], now[4], d[4],
            others = {lambda[j[0]], lambda[j[1]], lambda[j[2]], lambda[j[3]]};
        OozeF32x4 square0 = deltas_by_axis(s->x0, i, j, box, periodic, line);
        OozeF32x4 square = deltas_by_axis(push->x, i, j, box, periodic, now);
        OozeF32x4 f = edge_weights(push, deltas_by_axis(push->edge_x, i, j, box, periodic, d));
        OozeF32x4Mask true_pairs = ooze_f32x4_load(weight) > 0.0f; /* not the padding */
        OozeF32x4 slope = ooze_cubic_f32x4_slope(&cubic, ooze_f32x4_sqrt(square), &value);
        OozeF32x4 w =
            (lambda[i] + others) * slope / ooze_f32x4_max(ooze_f32x4_sqrt(square0), smallest);
        f = ooze_f32x4_select(true_pairs, f, none);
        add_squares(&sums.pushes, ooze_f32x4_select(true_pairs, w, none), line);
        add_squares(&sums.moment, f, d);
        for (int k = 0; k < 3; k++) {
            sums.edge[k] = ooze_f32x4_fma(-f, d[k], sums.edge[k]);
        }
    }
    return sums;
}

/* F_i sum g */
static inline OozeF32x4 own_force(const OozeRows *flux, const Sums *sums)
{
    OozeF32x4 none = {0}, g = {ooze_f32x4_sum(sums->edge[0]), ooze_f32x4_sum(sums->edge[1]),
                               ooze_f32x4_sum(sums->edge[2]), 0};
    return ooze_f32x4_row_sums(flux->row[0] * g, flux->row[1] * g, flux->row[2] * g, none);
}

/* sum F_j g over the neighbours of particle i. */
static inline OozeF32x4 neighbours_force(const OozePushStress *push, uint64_t i, bool periodic)
{
    const OozeEdges *edges = push->step->own->edges;
    const OozeBox box = edges->box;
    const uint64_t first = edges->list->first[i];
    const uint32_t *j = edges->list->index + first, *last = j + edges->list->first[i + 1] - first;
    OozeRows rows = ooze_rows_zero(), other = ooze_rows_zero();
    for (; j < last; j += 4) {
        OozeF32x4 d[4];
        ooze_f32x4_deltas(push->edge_x[i], push->edge_x, j, box, periodic, d);
        OozeF32x4 f = -edge_weights(push, ooze_f32x4_dots(d, d));
        rows = ooze_rows_times(&push->flux[j[0]], f[0] * d[0], rows);
        other = ooze_rows_times(&push->flux[j[1]], f[1] * d[1], other);
        rows = ooze_rows_times(&push->flux[j[2]], f[2] * d[2], rows);
        other = ooze_rows_times(&push->flux[j[3]], f[3] * d[3], other);
    }
    rows = ooze_rows_add(rows, other);
    return ooze_f32x4_row_sums(rows.row[0], rows.row[1], rows.row[2], ooze_f32x4(0, 0, 0, 0));
}

/* Those that the lists of particle i hold. */
static inline OozeNearWalls near_walls(const OozeConformationStep *s, uint64_t i)
{
    const OozeBoundary *b = s->context->boundary;
    const OozeNeighbours *list = s->context->fluid_boundary;
    OozeNearWalls walls = {{0, 0, 0}, {0, 0, 0}, 0};
    uint64_t count = b->count > 0 ? list->count[i] : 0;
    for (uint64_t e = 0; e < count; e++) {
        uint32_t k = list->index[list->first[i] + e];
        OozeF32x4 d = ooze_f32x4_nearest(s->x0[i] - ooze_f32x4_load(&b->position[k].x),
                                         &s->context->periodic);
        float weight = ooze_near_wall_weight(ooze_f32x4_dot3(d, d), s->support, b->volume[k]);
        ooze_near_walls_add(&walls, &b->normal[k].x, weight);
    }
    return walls;
}

/* The part of the moment of particle i that is removed. */
static inline OozeSym3 removed_stress(const OozeConformationStep *s, uint64_t i, OozeSym3 moment,
                                      float share)
{
    OozeNearWalls walls = near_walls(s, i);
    return walls.weight > 0.0f ? ooze_push_stress_along_walls(moment, &walls, share)
                               : ooze_push_stress_deviator(moment, share);
}

/* Whether that part is removed: the particle is free to move, and not near walls where shifts
   stay. */
static inline bool is_free(const OozeConformationStep *s, uint64_t i)
{
    bool wall = s->context->boundary->count > 0 && s->context->fluid_boundary->count[i] > 0;
    return s->mobility[i] > 0.0f && (s->plan->isotropic_shifts || !wall);
}

static inline void moments(OozePushStress *push, uint64_t begin, uint64_t end, bool periodic)
{
    const OozeConformationStep *s = push->step;
    for (uint64_t i = begin; i < end; i++) {
        float share = s->rheology[s->material[i]].push_stress_share;
        OozeRows rows = ooze_rows_zero();
        OozeF32x4 own = {0};
        if (share > 0.0f && is_free(s, i)) {
            Sums sums = sum_pairs(push, i, periodic);
            OozeSym3 pushes = ooze_sym3_scale(total(&sums.pushes), 0.5f);
            OozeSym3 b =
                ooze_gradient_correction(total(&sums.moment), s->own->edges->list->count[i]);
            OozeSym3 stress = removed_stress(s, i, pushes, share);
            OozeMat3 f = ooze_mat3_mul_sym3(ooze_mat3_from_sym3(stress), b);
            for (int k = 0; k < 3; k++) {
                rows.row[k] = ooze_f32x4(f.m[3 * k], f.m[3 * k + 1], f.m[3 * k + 2], 0);
            }
            own = own_force(&rows, &sums);
        }
        push->flux[i] = rows;
        push->change[i] = own;
    }
}

static void moments_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozePushStress *push = data;
    if (push->step->own->edges->periodic) {
        moments(push, begin, end, true);
    } else {
        moments(push, begin, end, false);
    }
}

static inline void changes(OozePushStress *push, uint64_t begin, uint64_t end, bool periodic)
{
    const OozeConformationStep *s = push->step;
    OozePushEnergy sum = {0, 0, 0};
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 force = push->change[i] + neighbours_force(push, i, periodic);
        OozePushEnergy e = ooze_push_stress_change(s, i, force, &push->change[i]);
        sum.removed += e.removed;
        sum.along += e.along;
        sum.own += e.own;
    }
    push->energy[begin / OOZE_CONFORMATION_GRAIN] = sum;
}

static void changes_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozePushStress *push = data;
    if (push->step->own->edges->periodic) {
        changes(push, begin, end, true);
    } else {
        changes(push, begin, end, false);
    }
}

const OozePushStressLoops OOZE_LOOPS(ooze_push_stress_loops) = {
    .moments = moments_range,
    .changes = changes_range,
};
