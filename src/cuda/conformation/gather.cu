/* Kernel gradients, their correction and the density at the beginning of the step: see methods/gather_loops.c. */
#include "cuda/conformation/step.cuh"
#include "physics/gradient_correction.h"
#include "physics/surface_stress.h"

namespace ooze
{

/* What the sums over a particle's neighbours come to. */
struct GatherSums {
    OozeSym3 moment;
    float x, y, z, weight, value;
};

template <int LANES, bool WRAPS>
OOZE_DEVICE GatherSums sum_fluid(const StepView &s, uint32_t i, uint32_t lane)
{
    GatherSums t = {ooze_sym3_identity(0), 0, 0, 0, 0, 0};
    const float4 here = s.x0[i];
    each_neighbour<LANES>(s.fluid, i, lane, [&](uint32_t j) {
        Way d = way<WRAPS>(s, here, s.x0[j]);
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

/* Adds samples of walls; returns the sum of their edges, and whether the fluid clings to some. */
OOZE_DEVICE float4 add_walls(const StepView &s, uint32_t i, OozeSym3 *moment, float *density,
                             bool *clings)
{
    float4 sum = four(0, 0, 0, 0);
    const float4 here = s.x0[i];
    float seen = 0.0f;
    bool any = false;
    each_wall(s, i, [&](uint32_t b) {
        Way d = way<true>(s, here, s.walls.position[b]);
        float4 v = s.walls.velocity[b];
        /* where the wall was when the step began: what it presses together while it moves is no compression
           that was there before */
        float bx = d.x - s.dt * v.x, by = d.y - s.dt * v.y, bz = d.z - s.dt * v.z, value;
        (void)cubic(s, sqrtf(bx * bx + by * by + bz * bz), &value);
        seen += s.walls.volume[b] * value;
        float f = wall_weight(s, d.r2, b), gx = f * d.x, gy = f * d.y, gz = f * d.z;
        any = any || f > 0.0f;
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
    *clings = any;
    return sum;
}

template <int LANES, bool WRAPS> static void gather_loop(Step *step)
{
    StepView s = step->view;
    float own = s.volume * ooze_cubic_value(0, s.support);
    for_lanes<LANES>(
        step->m, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            GatherSums t = sum_fluid<LANES, WRAPS>(s, i, lane);
            if (lane != 0) {
                return;
            }
            float density = own + s.value * t.value;
            bool clings = false;
            float4 wall = add_walls(s, i, &t.moment, &density, &clings);
            s.edge_sum[i] =
                make_float4(t.x + wall.x, t.y + wall.y, t.z + wall.z, t.weight + wall.w);
            /* an edge to a wall that is weighed as fluid counts for both of its ends */
            float share = s.strain > 0.0f ? 0.5f : 1.0f;
            float4 open = four(t.x + share * wall.x, t.y + share * wall.y, t.z + share * wall.z);
            s.open[i] = sqrtf(dot(open, open));
            s.density[i] = density;
            s.anchored[i] = clings || s.mobility[i] == 0.0f;
            uint32_t walls = s.near_walls.begin ? s.near_walls.count[i] : 0;
            s.correction[i] = ooze_gradient_correction(t.moment, s.fluid.count[i] + walls);
        });
}

void gather(Step *step)
{
#define GATHER(lanes, wraps) gather_loop<lanes, wraps>(step)
    OOZE_EACH_KIND(step, GATHER);
    ooze_stage_lap(step->context->clock, OOZE_PART_GATHER);
}

/* ---- sums over edges ---- */

template <int LANES, bool WRAPS> static void sum_edges_loop(Step *step, const float *a, float *to)
{
    StepView s = step->view;
    for_lanes<LANES>(
        step->m, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const float4 here = s.x0[i];
            float sum = 0.0f;
            each_neighbour<LANES>(s.fluid, i, lane, [&](uint32_t j) {
                sum += edge_weight(s, way<WRAPS>(s, here, s.x0[j]).r2) * a[j];
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

/* ---- surface tension: see methods/conformation/tension.c ------------------------------------------------- */

struct Tension {
    float scale, wall_scale, flat, calibration, cohesion, filled, wall_filled;
};

template <int LANES, bool WRAPS>
static void tension_stress_loop(Step *step, Tension t, float4 *flux, float4 *base)
{
    StepView s = step->view;
    for_lanes<LANES>(
        step->m, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            float tension = s.rheology[s.material[i]].tension, nx = 0, ny = 0, nz = 0, filled = 0;
            const float4 here = s.x0[i];
            if (tension > 0.0f) {
                each_neighbour<LANES>(s.fluid, i, lane, [&](uint32_t j) {
                    Way d = way<WRAPS>(s, here, s.x0[j]);
                    float f = fmaxf(1.0f - d.r2 * s.inverse2, 0.0f), g = t.scale * f;
                    nx += g * d.x;
                    ny += g * d.y;
                    nz += g * d.z;
                    filled += t.filled * f * f;
                });
            }
            nx = lanes_sum<LANES>(nx);
            ny = lanes_sum<LANES>(ny);
            nz = lanes_sum<LANES>(nz);
            filled = lanes_sum<LANES>(filled);
            if (lane != 0) {
                return;
            }
            if (tension > 0.0f) {
                each_wall(s, i, [&](uint32_t b) {
                    Way d = way<true>(s, here, s.walls.position[b]);
                    float f = fmaxf(1.0f - d.r2 * s.inverse2, 0.0f), volume = s.walls.volume[b];
                    float g = t.wall_scale * volume * f;
                    nx += g * d.x;
                    ny += g * d.y;
                    nz += g * d.z;
                    filled += t.wall_filled * volume * f * f;
                });
            } else {
                filled = 1.0f;
            }
            float length = sqrtf(nx * nx + ny * ny + nz * nz);
            float pull = tension * t.calibration * ooze_surface_density(length, t.flat);
            OozeSym3 stress = ooze_surface_stress(nx, ny, nz, pull);
            OozeMat3 m = ooze_mat3_mul_sym3(ooze_mat3_from_sym3(stress), s.correction[i]);
            float together = tension * t.cohesion * fmaxf(0.0f, 1.0f - filled);
            m.m[0] += together;
            m.m[4] += together;
            m.m[8] += together;
            float4 sum = s.edge_sum[i];
            float b[3];
            for (int k = 0; k < 3; k++) {
                float4 row = four(m.m[3 * k], m.m[3 * k + 1], m.m[3 * k + 2], 0.0f);
                flux[3 * (uint64_t)i + k] = row;
                b[k] = dot(row, sum);
            }
            base[i] = four(b[0], b[1], b[2]);
        });
}

template <int LANES, bool WRAPS>
static void tension_push_loop(Step *step, const float4 *flux, const float4 *base)
{
    StepView s = step->view;
    for_lanes<LANES>(
        step->m, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            float4 force = edges_flux<LANES, WRAPS>(s, flux, i, lane);
            if (lane == 0) {
                float k = s.dt * s.mobility[i];
                s.u[i] = s.u[i] + k * (force + base[i]);
            }
        });
}

void tension(Step *step)
{
    const OozeStepContext *c = step->context;
    const OozeConformationPlan *plan = &step->plan;
    if (!plan->any_tension) {
        return;
    }
    Mark mark = scratch_mark(step->m);
    double sum = ooze_cohesion_sum(c->spacing, c->support);
    double scale = ooze_strain_weight_scale(c->spacing, c->support);
    Tension t;
    t.scale = (float)(scale * (double)plan->volume);
    t.wall_scale = (float)(scale * (double)plan->wall_scale);
    t.flat = plan->flat_gradient;
    t.calibration = (float)(OOZE_SURFACE_ALONG * ooze_surface_calibration(c->spacing, c->support));
    t.cohesion = (float)(OOZE_COHESION / c->spacing);
    t.filled = (float)(1.0 / sum);
    t.wall_filled = (float)((double)plan->wall_scale / ((double)plan->volume * sum));
    uint64_t n = step->view.n;
    float4 *flux = scratch<float4>(step->m, 3 * (n + 1)), *base = scratch<float4>(step->m, n);
    clear(step->m, flux + 3 * n, 3 * sizeof *flux);
#define TENSION_STRESS(lanes, wraps) tension_stress_loop<lanes, wraps>(step, t, flux, base)
#define TENSION_PUSH(lanes, wraps)   tension_push_loop<lanes, wraps>(step, flux, base)
    OOZE_EACH_KIND(step, TENSION_STRESS);
    OOZE_EACH_KIND(step, TENSION_PUSH);
    scratch_rewind(step->m, mark);
}

} // namespace ooze
