/* Gathers of push_stress.h. */
#include "methods/conformation/push_stress.h"

/* Twice the moment of the pushes of particle i. */
static inline OozeRows twice_moment(const OozePushStress *push, uint64_t i, bool periodic)
{
    const OozeConformationStep *s = push->step;
    const OozeEdges *edges = &s->edges;
    const OozeCubic cubic = push->cubic;
    const OozeBox box = edges->box;
    const uint64_t first = edges->list->first[i];
    const uint32_t *j = edges->list->index + first, *last = j + edges->list->first[i + 1] - first;
    const float *weight = edges->weight + first, *lambda = s->push_multiplier;
    const OozeF32x4 *x0 = s->x0, *u = s->u, smallest = ooze_f32x4_splat(cubic.smallest);
    OozeF32x4 none = {0}, value = {0};
    OozeRows rows = ooze_rows_zero(), other = ooze_rows_zero();
    for (; j < last; j += 4, weight += 4) {
        OozeF32x4 d[4], moved[4], others = {lambda[j[0]], lambda[j[1]], lambda[j[2]], lambda[j[3]]};
        ooze_f32x4_deltas(x0[i], x0, j, box, periodic, d);
        for (int k = 0; k < 4; k++) {
            moved[k] = d[k] + s->dt * (u[i] - u[j[k]]);
        }
        OozeF32x4 length = ooze_f32x4_sqrt(ooze_f32x4_dots(d, d));
        OozeF32x4 slope =
            ooze_cubic_f32x4_slope(&cubic, ooze_f32x4_sqrt(ooze_f32x4_dots(moved, moved)), &value);
        OozeF32x4 w = (lambda[i] + others) * slope / ooze_f32x4_max(length, smallest);
        w = ooze_f32x4_select(ooze_f32x4_load(weight) > 0.0f, w, none); /* not the padding */
        rows = ooze_rows_outer(w[0] * d[0], d[0], rows);
        other = ooze_rows_outer(w[1] * d[1], d[1], other);
        rows = ooze_rows_outer(w[2] * d[2], d[2], rows);
        other = ooze_rows_outer(w[3] * d[3], d[3], other);
    }
    return ooze_rows_add(rows, other);
}

/* Whether the particle takes its part back: its own moment is complete and it is free to move. */
static inline bool is_free(const OozeConformationStep *s, uint64_t i)
{
    bool wall = s->context->boundary->count > 0 && s->context->fluid_boundary->count[i] > 0;
    return s->mobility[i] > 0.0f && !wall;
}

static inline void moments(OozePushStress *push, uint64_t begin, uint64_t end, bool periodic)
{
    const OozeConformationStep *s = push->step;
    for (uint64_t i = begin; i < end; i++) {
        float share = (1.0f - s->still_share) * s->rheology[s->material[i]].push_stress_share;
        OozeRows rows = ooze_rows_zero();
        if (share > 0.0f && is_free(s, i)) {
            OozeMat3 t = ooze_rows_matrix(twice_moment(push, i, periodic));
            OozeSym3 moment =
                ooze_sym3_scale(ooze_sym3(t.m[0], t.m[4], t.m[8], t.m[1], t.m[2], t.m[5]), 0.5f);
            OozeSym3 stress = ooze_push_stress_deviator(moment, share);
            OozeMat3 f = ooze_mat3_mul_sym3(ooze_mat3_from_sym3(stress), s->correction[i]);
            for (int k = 0; k < 3; k++) {
                rows.row[k] = ooze_f32x4(f.m[3 * k], f.m[3 * k + 1], f.m[3 * k + 2], 0);
            }
        }
        push->flux[i] = rows;
    }
}

static void moments_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozePushStress *push = data;
    if (push->step->edges.periodic) {
        moments(push, begin, end, true);
    } else {
        moments(push, begin, end, false);
    }
}

static void changes_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozePushStress *push = data;
    const OozeConformationStep *s = push->step;
    const float entering = (1.0f - s->still_share) / s->dt;
    OozePushEnergy sum = {0, 0, 0};
    for (uint64_t i = begin; i < end; i++) {
        const OozeRows *own = &push->flux[i];
        OozeF32x4 g = s->edge_sum[i], none = {0}, pushed = entering * push->shift[i];
        OozeF32x4 force = ooze_edges_flux(&s->edges, push->flux, i);
        force += ooze_f32x4_row_sums(own->row[0] * g, own->row[1] * g, own->row[2] * g, none);
        force[3] = 0;
        push->change[i] = s->mobility[i] / s->dt * force;
        if (s->mobility[i] > 0.0f) {
            OozePushEnergy e =
                ooze_push_energy_of(1.0f / s->mobility[i], (const float *)&s->u[i],
                                    (const float *)&pushed, (const float *)&push->change[i]);
            sum.removed += e.removed;
            sum.along += e.along;
            sum.own += e.own;
        }
    }
    push->energy[begin / OOZE_CONFORMATION_GRAIN] = sum;
}

const OozePushStressLoops OOZE_LOOPS(ooze_push_stress_loops) = {
    .moments = moments_range,
    .changes = changes_range,
};
