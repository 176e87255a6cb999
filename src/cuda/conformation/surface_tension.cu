/* Surface tension: see methods/conformation/surface_tension.c. */
#include "cuda/conformation/step.cuh"
#include "solvers/surface_tension_formula.h"

namespace ooze
{

template <int LANES, bool WRAPS>
static void surface_stress_loop(Step *step, OozeSurfaceTension t, float4 *flux, float4 *base)
{
    StepView s = step->view;
    for_lanes<LANES>(
        step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            float tension = s.rheology[s.material[i]].surface_tension, nx = 0, ny = 0, nz = 0,
                  filled = 0;
            const float4 here = s.x0[i];
            if (tension > 0.0f) {
                each_neighbour<LANES>(s.fluid, i, lane, [&](uint32_t j) {
                    Delta d = delta<WRAPS>(s, here, s.x0[j]);
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
                    Delta d = delta<true>(s, here, s.walls.position[b]);
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
            OozeSurfaceSums sums = {{nx, ny, nz}, filled};
            OozeMat3 m = ooze_surface_flux(t, sums, tension, s.correction[i]);
            float4 sum = s.edge_sum[i];
            float b[3];
            for (int k = 0; k < 3; k++) {
                float4 row = f32x4(m.m[3 * k], m.m[3 * k + 1], m.m[3 * k + 2], 0.0f);
                flux[3 * (uint64_t)i + k] = row;
                b[k] = dot(row, sum);
            }
            base[i] = f32x4(b[0], b[1], b[2]);
        });
}

template <int LANES, bool WRAPS>
static void surface_push_loop(Step *step, const float4 *flux, const float4 *base)
{
    StepView s = step->view;
    for_lanes<LANES>(
        step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            float4 force = edges_flux<LANES, WRAPS>(s, flux, i, lane);
            if (lane == 0) {
                float k = s.dt * s.mobility[i];
                s.u[i] = s.u[i] + k * (force + base[i]);
            }
        });
}

void surface_tension(Step *step)
{
    const OozeStepContext *c = step->context;
    const OozeConformationPlan *plan = &step->plan;
    if (!(plan->largest_surface_tension > 0.0f)) {
        return;
    }
    Mark mark = scratch_mark(step->gpu);
    OozeSurfaceTension t = ooze_surface_tension(c->spacing, c->support, plan->volume,
                                                plan->wall_scale, plan->flat_gradient);
    uint64_t n = step->view.n;
    float4 *flux = scratch<float4>(step->gpu, 3 * (n + 1)), *base = scratch<float4>(step->gpu, n);
    clear(step->gpu, flux + 3 * n, 3 * sizeof *flux);
#define SURFACE_STRESS(lanes, wraps) surface_stress_loop<lanes, wraps>(step, t, flux, base)
#define SURFACE_PUSH(lanes, wraps)   surface_push_loop<lanes, wraps>(step, flux, base)
    OOZE_EACH_KIND(step, SURFACE_STRESS);
    OOZE_EACH_KIND(step, SURFACE_PUSH);
    scratch_rewind(step->gpu, mark);
}

} // namespace ooze
