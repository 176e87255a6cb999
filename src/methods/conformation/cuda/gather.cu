/* Kernel gradients, their correction and the density at the beginning of the step: see
   solvers/pairs/gather_loops.c. */
#include "methods/conformation/cuda/step.cuh"
#include "physics/gradient_correction.h"

namespace ooze
{

/* Sums over the neighbours of a particle. */
struct GatherSums {
    OozeSym3 moment;
    float x, y, z, weight, value;
};

template <int LANES, bool WRAPS, class VIEW>
OOZE_DEVICE GatherSums sum_fluid(const VIEW &s, uint32_t i, uint32_t lane)
{
    GatherSums t = {ooze_sym3_identity(0), 0, 0, 0, 0, 0};
    const float4 here = s.x0[i];
    each_neighbour<LANES>(s.fluid, i, lane, [&](uint32_t j) {
        Delta d = delta<WRAPS>(s, here, s.x0[j]);
        float value;
        (void)cubic(s, sqrtf(d.r2), &value);
        float f = edge_weight(s, d.r2), gx = f * d.x, gy = f * d.y, gz = f * d.z;
        t.value += value;
        t.weight += f;
        t.x += gx;
        t.y += gy;
        t.z += gz;
        t.moment.xx += gx * d.x;
        t.moment.yy += gy * d.y;
        t.moment.zz += gz * d.z;
        t.moment.xy += gx * d.y;
        t.moment.xz += gx * d.z;
        t.moment.yz += gy * d.z;
    });
    float *all = &t.moment.xx;
    for (int k = 0; k < 6; k++) {
        all[k] = lanes_sum<LANES>(all[k]);
    }
    t.x = lanes_sum<LANES>(t.x);
    t.y = lanes_sum<LANES>(t.y);
    t.z = lanes_sum<LANES>(t.z);
    t.weight = lanes_sum<LANES>(t.weight);
    t.value = lanes_sum<LANES>(t.value);
    return t;
}

/* Adds samples of walls; returns the sum of their edges, and whether some are no-slip. */
template <class VIEW>
OOZE_DEVICE float4 add_walls(const VIEW &s, uint32_t i, OozeSym3 *moment, float *density,
                             bool *no_slip)
{
    float4 sum = f32x4(0, 0, 0, 0);
    const float4 here = s.x0[i];
    float seen = 0.0f;
    bool any = false;
    each_wall(s, i, [&](uint32_t b) {
        Delta d = delta<true>(s, here, s.walls.position[b]);
        float4 v = s.walls.velocity[b];
        /* at the beginning of the step: compression by the motion of a wall during the step does
           not count */
        bool dynamic = s.dynamic_of && s.dynamic_of[b] >= 0; /* is there already */
        float since = dynamic ? 0.0f : s.dt;
        float bx = d.x - since * v.x, by = d.y - since * v.y, bz = d.z - since * v.z, value;
        (void)cubic(s, sqrtf(bx * bx + by * by + bz * bz), &value);
        seen += s.walls.volume[b] * value;
        float f = wall_weight(s, d.r2, b), gx = f * d.x, gy = f * d.y, gz = f * d.z;
        any = any || (f > 0.0f && !dynamic);
        sum.x += gx;
        sum.y += gy;
        sum.z += gz;
        sum.w += f;
        moment->xx += gx * d.x;
        moment->yy += gy * d.y;
        moment->zz += gz * d.z;
        moment->xy += gx * d.y;
        moment->xz += gx * d.z;
        moment->yz += gy * d.z;
    });
    *density += s.wall_scale / s.volume * s.value * seen;
    *no_slip = any;
    return sum;
}

template <class VIEW, int LANES, bool WRAPS> static void gather_loop(Step *step)
{
    const VIEW s = view_of<VIEW>(step);
    float own = s.volume * ooze_cubic_value(0, s.support);
    for_lanes<LANES>(
        step->gpu, needed_particles(step->gpu, s.n), OOZE_BODY(uint32_t i, uint32_t lane) {
            GatherSums t = sum_fluid<LANES, WRAPS>(s, i, lane);
            if (lane != 0) {
                return;
            }
            float density = own + s.value * t.value;
            bool no_slip = false;
            float4 wall = add_walls(s, i, &t.moment, &density, &no_slip);
            s.edge_sum[i] =
                make_float4(t.x + wall.x, t.y + wall.y, t.z + wall.z, t.weight + wall.w);
            /* a wall edge with the strain weight counts for both of its ends: half of it is this
               one's */
            float share = s.strain > 0.0f ? 0.5f : 1.0f;
            float4 sum = f32x4(t.x + share * wall.x, t.y + share * wall.y, t.z + share * wall.z);
            s.surface_indicator[i] = sqrtf(dot(sum, sum));
            s.density[i] = density;
            s.anchored[i] = no_slip || s.mobility[i] == 0.0f;
            uint32_t walls = s.near_walls.begin ? s.near_walls.count[i] : 0;
            s.correction[i] = ooze_gradient_correction(t.moment, s.fluid.count[i] + walls);
        });
}

static void allocate_edges(Step *step)
{
    step->view.edge_sum = scratch<float4>(step->gpu, step->view.n);
    step->view.correction = scratch<OozeSym3>(step->gpu, step->view.n);
}

OozeStatus gather(OozeConformationStep *s, OozeError *)
{
    Step *step = step_of(s);
    if (!s->edge_sum) {
        allocate_edges(step);
    }
#define GATHER(lanes, wraps)           gather_loop<StepView, lanes, wraps>(step)
#define GATHER_BY_KERNEL(lanes, wraps) gather_loop<KernelView, lanes, wraps>(step)
    if (step->view.plan->strain_scale > 0.0f) {
        OOZE_EACH_KIND(step, GATHER);
    } else {
        OOZE_EACH_KIND(step, GATHER_BY_KERNEL);
    }
    ooze_timer_lap(step->context->timer, "gather");
    return OOZE_OK;
}

/* ---- sums over edges ---- */

template <int LANES, bool WRAPS> static void sum_edges_loop(Step *step, const float *a, float *to)
{
    StepView s = step->view;
    for_lanes<LANES>(
        step->gpu, needed_particles(step->gpu, s.n), OOZE_BODY(uint32_t i, uint32_t lane) {
            const float4 here = s.x0[i];
            float sum = 0.0f;
            each_neighbour<LANES>(s.fluid, i, lane, [&](uint32_t j) {
                sum += edge_weight(s, delta<WRAPS>(s, here, s.x0[j]).r2) * a[j];
            });
            sum = lanes_sum<LANES>(sum);
            if (lane == 0) {
                to[i] = sum;
            }
        });
}

void sum_edges(Step *step, const float *a, float *to)
{
#define SUM_EDGES(lanes, wraps) sum_edges_loop<lanes, wraps>(step, a, to)
    OOZE_EACH_KIND(step, SUM_EDGES);
}

} // namespace ooze
