/* Stages of the wcsph method on the GPU. */
#include "cuda/machine.cuh"
#include "cuda/method.cuh"

extern "C" {
#include "methods/wcsph/particle_formula.h"
#include "methods/wcsph/stages.h"
}

namespace ooze
{

/* Captured by loop bodies. */
struct WcsphView : OozeWcsphStep {
    PairView<OozeWcsphConstants> pairs;
    float4 gravity;
};

static WcsphView view_of(const OozeWcsphStep *step)
{
    return {*step, pairs_of(step->machine, step->constants), gravity_of(step->machine)};
}

template <int LANES> static void densities(OozeWcsphStep *step)
{
    const WcsphView s = view_of(step);
    const float h = s.pairs.kernel.support, own = ooze_cubic_value(0.0f, h);
    for_lanes<LANES>(
        gpu_of(step->machine), s.pairs.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            float sum = lane == 0 ? own : 0.0f, walls = 0.0f;
            each_pair<LANES>(s.pairs, i, lane,
                             [&](uint32_t, float4 d) { sum += ooze_cubic_value(d.w, h); });
            each_wall_pair<LANES>(s.pairs, i, lane, [&](uint32_t b, float4 d) {
                walls += s.pairs.boundary.volume[b] * ooze_cubic_value(d.w, h);
            });
            sum = lanes_sum<LANES>(sum);
            walls = lanes_sum<LANES>(walls);
            if (lane == 0) {
                const OozeWcsphConstants &k = s.pairs.kernel;
                const float density = k.volume * sum + k.wall_volume * walls;
                s.density[i] = density;
                s.state[i] = ooze_wcsph_state(&k, &s.materials[s.material[i]], density);
            }
        });
}

static void find_densities(OozeWcsphStep *step)
{
#define DENSITIES(LANES) densities<LANES>(step)
    OOZE_LANES(step->machine->all, DENSITIES);
}

template <int LANES> static void forces(OozeWcsphStep *step)
{
    const WcsphView s = view_of(step);
    for_lanes<LANES>(
        gpu_of(step->machine), s.pairs.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const OozeWcsphConstants &k = s.pairs.kernel;
            const OozeWcsphState own = s.state[i];
            const float4 u = s.u[i];
            float4 fluid = f32x4(0, 0, 0), walls = fluid;
            if (s.prescribed && s.prescribed[i]) {
                if (lane == 0) {
                    s.next_u[i] = f32x4(u.x, u.y, u.z);
                }
                return; /* all lanes of the particle */
            }
            each_pair<LANES>(s.pairs, i, lane, [&](uint32_t j, float4 d) {
                const OozeWcsphState other = s.state[j];
                const float push = ooze_wcsph_push(&k, own.pressure_term, other.pressure_term, d.w);
                fluid = fluid + (ooze_wcsph_drag(&k, own, other, d.w) * (s.u[j] - u) - push * d);
            });
            each_wall_pair<LANES>(s.pairs, i, lane, [&](uint32_t b, float4 d) {
                const float volume = s.pairs.boundary.volume[b];
                const float push = ooze_wcsph_wall_push(&k, own.pressure_term, volume, d.w);
                const float drag =
                    s.pairs.boundary.no_slip[b] ? ooze_wcsph_wall_drag(&k, own, volume, d.w) : 0.0f;
                walls = walls + (drag * (s.pairs.boundary.velocity[b] - u) - push * d);
            });
            fluid = lanes_sum<LANES>(fluid);
            walls = lanes_sum<LANES>(walls);
            if (lane == 0) {
                const float mass = s.materials[s.material[i]].relative_mass;
                const float4 force = fluid + walls;
                const float4 a = f32x4(s.gravity.x + force.x / mass, s.gravity.y + force.y / mass,
                                       s.gravity.z + force.z / mass);
                const float4 next = u + k.dt * a;
                s.next_u[i] = f32x4(next.x, next.y, next.z);
            }
        });
}

static void apply_forces(OozeWcsphStep *step)
{
#define FORCES(LANES) forces<LANES>(step)
    OOZE_LANES(step->machine->all, FORCES);
}

static const OozeWcsphStages stages = {nullptr, find_densities, apply_forces};

static OozeStatus step(Engine *engine, void *, OozeStepContext *context, OozeError *error)
{
    OozeMachine machine = machine_of(engine, context);
    return ooze_wcsph_step(&machine, &stages, error);
}

const DeviceMethod wcsph_method = {
    "wcsph", nullptr, nullptr, nullptr, step,
};

} // namespace ooze
