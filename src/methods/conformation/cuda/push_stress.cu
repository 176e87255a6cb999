#include "methods/conformation/cuda/push_stress.cuh"

#include "cuda/rank_sums.cuh"

#include "methods/conformation/push_stress_formula.h"
#include "physics/gradient_correction.h"

namespace ooze
{

/* Captured by loop bodies, with the step's view. */
struct PushStress {
    float4 *x;      /* positions at the end of the step; of element n 0 */
    float4 *edge_x; /* positions of edges: these, or those at its beginning */
    float4 *flux;   /* three a particle: rows of dev T B */
    float4 *change; /* of shift/dt; after the first loop the own part of the force */
    float *factor;  /* of the change */
    bool of_shifts; /* see isotropic_shifts of the plan */
};

/* Sums over the neighbours of a particle. */
struct PushSums {
    OozeSym3 pushes; /* twice T */
    OozeSym3 moment; /* sum x g^T */
    float4 edge;     /* sum g */
};

OOZE_DEVICE void add_square(OozeSym3 *sum, float weight, const Delta &d)
{
    float x = weight * d.x, y = weight * d.y, z = weight * d.z;
    sum->xx += x * d.x;
    sum->yy += y * d.y;
    sum->zz += z * d.z;
    sum->xy += x * d.y;
    sum->xz += x * d.z;
    sum->yz += y * d.z;
}

template <int LANES, bool WRAPS>
OOZE_DEVICE PushSums sum_pairs(const StepView &s, const PushStress &push, uint32_t i, uint32_t lane)
{
    const float4 start = s.x0[i], here = push.x[i], edge_start = push.edge_x[i];
    const float lambda = s.density_multiplier[i];
    const OozeSym3 none = ooze_sym3(0, 0, 0, 0, 0, 0);
    PushSums sums = {none, none, f32x4(0, 0, 0)};
    each_neighbour<LANES>(s.fluid, i, lane, [&](uint32_t j) {
        Delta line = delta<WRAPS>(s, start, s.x0[j]), now = delta<WRAPS>(s, here, push.x[j]),
              d = delta<WRAPS>(s, edge_start, push.edge_x[j]);
        bool counts = edge_weight(s, line.r2) > 0.0f; /* not the padding */
        float value, slope = cubic(s, sqrtf(now.r2), &value), f = edge_weight(s, d.r2);
        float w = (lambda + s.density_multiplier[j]) * slope / fmaxf(sqrtf(line.r2), s.nearest);
        f = counts ? f : 0.0f;
        add_square(&sums.pushes, counts ? w : 0.0f, line);
        add_square(&sums.moment, f, d);
        sums.edge = sums.edge + f * f32x4(d.x, d.y, d.z);
    });
    sums.pushes = lanes_sum_sym3<LANES>(sums.pushes);
    sums.moment = lanes_sum_sym3<LANES>(sums.moment);
    sums.edge = lanes_sum<LANES>(sums.edge);
    return sums;
}

/* The part of the moment of particle i that is removed. */
OOZE_DEVICE OozeSym3 removed_stress(const StepView &s, uint32_t i, OozeSym3 moment, float share)
{
    const float4 here = s.x0[i];
    OozeNearWalls walls = {{0, 0, 0}, {0, 0, 0}, 0};
    each_wall(s, i, [&](uint32_t b) {
        Delta d = delta<true>(s, here, s.walls.position[b]);
        float weight = ooze_near_wall_weight(d.r2, s.support, s.walls.volume[b]);
        ooze_near_walls_add(&walls, &s.walls.normal[b].x, weight);
    });
    return walls.weight > 0.0f ? ooze_push_stress_along_walls(moment, &walls, share)
                               : ooze_push_stress_deviator(moment, share);
}

/* Whether that part is removed: the particle is free to move, and not near walls where shifts
   stay. */
OOZE_DEVICE bool is_free(const StepView &s, const PushStress &push, uint32_t i)
{
    bool wall = s.near_walls.begin && s.near_walls.count[i] > 0;
    return s.mobility[i] > 0.0f && (push.of_shifts || !wall);
}

template <int LANES, bool WRAPS> static void moments(Step *step, PushStress push)
{
    StepView s = step->view;
    for_lanes<LANES>(
        step->gpu, needed_particles(step->gpu, s.n), OOZE_BODY(uint32_t i, uint32_t lane) {
            float share = s.rheology[s.material[i]].push_stress_share;
            OozeSym3 stress = ooze_sym3(0, 0, 0, 0, 0, 0), correction = stress;
            float4 edge = f32x4(0, 0, 0);
            if (share > 0.0f && is_free(s, push, i)) {
                PushSums sums = sum_pairs<LANES, WRAPS>(s, push, i, lane);
                OozeSym3 moment = ooze_sym3_scale(sums.pushes, 0.5f);
                stress = lane == 0 ? removed_stress(s, i, moment, share) : stress;
                correction = ooze_gradient_correction(sums.moment, s.fluid.count[i]);
                edge = sums.edge;
            }
            if (lane == 0) {
                OozeMat3 none = {{0, 0, 0, 0, 0, 0, 0, 0, 0}};
                flux_set(push.flux, i, stress_flux(stress, correction, none, 0.0f, f32x4(0, 0, 0)));
                const float4 *row = push.flux + 3 * (uint64_t)i;
                push.change[i] = f32x4(dot(row[0], edge), dot(row[1], edge), dot(row[2], edge));
            }
        });
}

struct FindFactor {
    float *factor;
    __device__ void operator()(Sum3 sum) const
    {
        OozePushEnergy all = {sum.a, sum.b, sum.c};
        *factor = ooze_push_stress_factor(all);
    }
};

template <int LANES, bool WRAPS> static void changes(Step *step, PushStress push)
{
    StepView s = step->view, at_edges = s;
    at_edges.x0 = push.edge_x;
    Sum3 none = {0.0, 0.0, 0.0};
    FindFactor then = {push.factor};
    sum_particles_lanes<LANES>(
        step->gpu, s.n, none,
        OOZE_BODY(uint32_t i, uint32_t lane) {
            Sum3 sum = {0.0, 0.0, 0.0};
            float4 force = edges_flux<LANES, WRAPS>(at_edges, push.flux, i, lane);
            if (lane == 0) {
                force = ooze_vector_add(push.change[i], force);
                OozePushEnergy e = ooze_push_stress_change(&s, i, force, &push.change[i]);
                sum = {e.removed, e.along, e.own};
            }
            return sum;
        },
        then);
}

OozeStatus push_stress_remove(OozeConformationStep *of, OozeError *)
{
    Step *step = step_of(of);
    float4 *x = of->x;
    Gpu *gpu = step->gpu;
    StepView s = step->view;
    if (!step->view.plan->isotropic_pushes) {
        return OOZE_OK;
    }
    Mark mark = scratch_mark(gpu);
    uint64_t n = s.n;
    const bool of_shifts = step->view.plan->isotropic_shifts;
    PushStress push = {x,
                       of_shifts ? s.x0 : x,
                       scratch<float4>(gpu, 3 * (n + 1)),
                       scratch<float4>(gpu, n),
                       scratch<float>(gpu, 1),
                       of_shifts};
    /* padding of lists */
    clear(gpu, push.flux + 3 * n, 3 * sizeof *push.flux);
    clear(gpu, x + n, sizeof *x);
#define MOMENTS(lanes, wraps) moments<lanes, wraps>(step, push)
#define CHANGES(lanes, wraps) changes<lanes, wraps>(step, push)
    refresh(gpu, s.density_multiplier, sizeof *s.density_multiplier);
    OOZE_EACH_KIND(step, MOMENTS);
    refresh(gpu, push.flux, 3 * sizeof *push.flux);
    OOZE_EACH_KIND(step, CHANGES);
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            ooze_push_stress_add(&s, i, *push.factor * push.change[i], push.of_shifts);
        });
    scratch_rewind(gpu, mark);
    ooze_timer_lap(step->context->timer, "push_stress");
    return OOZE_OK;
}

} // namespace ooze
