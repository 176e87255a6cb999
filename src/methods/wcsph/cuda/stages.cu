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
struct WcsphView {
    PairView<OozeWcsphConstants> pairs;
    const OozeWcsphMaterial *materials;
    const uint16_t *material, *prescribed; /* prescribed NULL: no nozzle prescribes any velocity */
    const float4 *u;
    float4 *next_x, *next_u, gravity;
    float *density;
    OozeWcsphState *state;
};

static WcsphView view_of(const OozeWcsphStep *step)
{
    OozeMachine *machine = step->machine;
    WcsphView s = {};
    s.pairs = pairs_of(machine, step->constants);
    s.materials = step->materials;
    s.material = step->material;
    s.prescribed = static_cast<const uint16_t *>(ooze_machine_field(machine, "nozzle"));
    s.u = step->u;
    s.next_x = step->next_x;
    s.next_u = step->next_u;
    s.gravity = gravity_of(machine);
    s.density = step->density;
    s.state = step->state;
    return s;
}

static void load(OozeWcsphStep *step)
{
    const Store *store = &engine_of(step->machine)->store;
    step->x = store_positions(store);
    step->u = store_velocities(store);
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
                    s.pairs.boundary.clings[b] ? ooze_wcsph_wall_drag(&k, own, volume, d.w) : 0.0f;
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

static void move(OozeWcsphStep *step)
{
    const WcsphView s = view_of(step);
    const ContactView contact = contacts_of(step->machine, step->contact);
    for_each(
        gpu_of(step->machine), s.pairs.n, OOZE_BODY(uint32_t i) {
            float4 u = s.next_u[i], x = s.pairs.x[i];
            float4 to = x + s.pairs.kernel.dt * u;
            if (contact.solids.count > 0) {
                contact_advance(contact, x, &to, &u);
                s.next_u[i] = u;
            }
            s.next_x[i] = f32x4(to.x, to.y, to.z);
        });
}

static void store(OozeWcsphStep *step)
{
    float4 *x = step->x, *u = step->u;
    const float4 *next_x = step->next_x, *next_u = step->next_u;
    for_each(
        gpu_of(step->machine), step->machine->n, OOZE_BODY(uint32_t i) {
            x[i] = next_x[i];
            u[i] = next_u[i];
        });
}

static const OozeWcsphStages stages = {load, find_densities, apply_forces, move, store};

static OozeStatus step(Engine *engine, void *, OozeStepContext *context, OozeError *error)
{
    OozeMachine machine = machine_of(engine, context);
    return ooze_wcsph_step(&machine, &stages, error);
}

const DeviceMethod wcsph_method = {
    "wcsph", nullptr, nullptr, nullptr, step, nullptr, nullptr, shares_all_steps,
};

} // namespace ooze
