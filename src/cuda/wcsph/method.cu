/* One substep of the wcsph method on the device, in the order of methods/wcsph/method.c. */
#include "cuda/contact_sweep.cuh"
#include "cuda/method.cuh"
#include "cuda/pairs.cuh"
#include "cuda/rank_sums.cuh"

extern "C" {
#include "methods/wcsph/force_formula.h"
}

namespace ooze
{

/* Captured by loop bodies. Arrays in the order of the store. */
struct WcsphView {
    PairView<OozeWcsphConstants> pairs; /* positions at the beginning of the substep */
    ContactView contact;
    float4 gravity;
    const OozeWcsphMaterial *materials;
    const uint16_t *material, *prescribed; /* prescribed NULL: no nozzle prescribes any velocity */
    const float4 *u;
    /* n + 1, scratch */
    float4 *state; /* see pack_state; last lane: density */
    float4 *next_x, *next_u;
};

struct WcsphStep {
    Gpu *gpu;
    OozeStepContext *context;
    WcsphView view;
};

OOZE_DEVICE float4 pack_state(OozeWcsphState s, float density)
{
    return f32x4(s.inverse_density, s.pressure_term, s.viscosity, density);
}

OOZE_DEVICE OozeWcsphState unpack_state(float4 s)
{
    return {s.x, s.y, s.z};
}

/* ---- density and pressure ---- */

template <int LANES> static void sum_densities(Gpu *gpu, const WcsphView &view)
{
    const WcsphView s = view;
    const float h = s.pairs.kernel.support, own = ooze_cubic_value(0.0f, h);
    for_lanes<LANES>(
        gpu, s.pairs.n, OOZE_BODY(uint32_t i, uint32_t lane) {
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
                s.state[i] =
                    pack_state(ooze_wcsph_state(&k, &s.materials[s.material[i]], density), density);
            }
        });
}

/* Sum and largest of the densities above rest. */
struct WcsphExcess {
    double sum, worst;
    __device__ void operator+=(const WcsphExcess &o)
    {
        sum += o.sum;
        worst = o.worst > worst ? o.worst : worst;
    }
};

static void report_density(WcsphStep *step)
{
    const WcsphView s = step->view;
    WcsphExcess none = {};
    WcsphExcess all = sum_particles_to_host(
        step->gpu, s.pairs.n, none, OOZE_BODY(uint32_t i)->WcsphExcess {
            double excess = fmax((double)s.state[i].w - 1.0, 0.0);
            return {excess, excess};
        });
    step->context->report->worst_density_error = all.worst;
    step->context->report->mean_density_error =
        all.sum / (double)all_particles(step->gpu, s.pairs.n);
}

/* ---- forces ---- */

template <int LANES> static void apply_forces(Gpu *gpu, const WcsphView &view)
{
    const WcsphView s = view;
    for_lanes<LANES>(
        gpu, s.pairs.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            const OozeWcsphConstants &k = s.pairs.kernel;
            const OozeWcsphState own = unpack_state(s.state[i]);
            const float4 u = s.u[i];
            float4 fluid = f32x4(0, 0, 0), walls = fluid;
            if (s.prescribed && s.prescribed[i]) {
                if (lane == 0) {
                    s.next_u[i] = f32x4(u.x, u.y, u.z);
                }
                return; /* all lanes of the particle */
            }
            each_pair<LANES>(s.pairs, i, lane, [&](uint32_t j, float4 d) {
                const OozeWcsphState other = unpack_state(s.state[j]);
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

/* ---- positions ---- */

static void advect(WcsphStep *step)
{
    const WcsphView s = step->view;
    for_each(
        step->gpu, s.pairs.n, OOZE_BODY(uint32_t i) {
            float4 u = s.next_u[i], x = s.pairs.x[i];
            float4 to = x + s.pairs.kernel.dt * u;
            if (s.contact.solids.count > 0) {
                contact_advance(s.contact, x, &to, &u);
                s.next_u[i] = u;
            }
            s.next_x[i] = f32x4(to.x, to.y, to.z);
        });
}

static void store_results(WcsphStep *step, Store *store)
{
    const WcsphView s = step->view;
    float4 *x = store_positions(store), *u = store_velocities(store);
    for_each(
        step->gpu, s.pairs.n, OOZE_BODY(uint32_t i) {
            x[i] = s.next_x[i];
            u[i] = s.next_u[i];
        });
}

/* ---- the step ---- */

static OozeStatus send_materials(WcsphStep *step, OozeError *error)
{
    const OozeStepContext *c = step->context;
    uint64_t count = (uint64_t)c->material_count;
    OozeWcsphMaterial *rows =
        static_cast<OozeWcsphMaterial *>(ooze_arena_alloc(c->arena, count, sizeof *rows));
    OozeWcsphMaterial *sent = scratch<OozeWcsphMaterial>(step->gpu, count);
    if (!rows) {
        return ooze_fail_memory(error, "materials", count * sizeof *rows);
    }
    for (uint64_t k = 0; k < count; k++) {
        rows[k] = ooze_wcsph_material(c, (int)k);
    }
    copy_in(step->gpu, sent, rows, count * sizeof *rows);
    step->view.materials = sent;
    return OOZE_OK;
}

static void describe(WcsphStep *step, const Engine *engine)
{
    const OozeStepContext *c = step->context;
    const Store *store = &engine->store;
    WcsphView *s = &step->view;
    s->pairs.n = (uint32_t)store->n;
    s->pairs.x = store_positions(store);
    s->pairs.fluid = view(&engine->fluid);
    s->pairs.boundary = engine->walls.view;
    s->pairs.periodic = c->periodic;
    s->pairs.kernel = ooze_wcsph_constants(c);
    if (engine->walls.count > 0) {
        s->pairs.walls = view(&engine->fluid_walls);
    }
    s->contact.solids = engine->solids.view;
    s->contact.rule = ooze_wcsph_contact_rule(c);
    s->gravity = f32x4((float)c->gravity.x, (float)c->gravity.y, (float)c->gravity.z);
    s->material = static_cast<const uint16_t *>(store_data(store, "material"));
    s->prescribed = static_cast<const uint16_t *>(store_data(store, "nozzle"));
    s->u = store_velocities(store);
    s->state = scratch<float4>(step->gpu, store->n);
    s->next_x = scratch<float4>(step->gpu, store->n);
    s->next_u = scratch<float4>(step->gpu, store->n);
}

static OozeStatus step(Engine *engine, void *, OozeStepContext *context, OozeError *error)
{
    WcsphStep step = {};
    step.gpu = &engine->gpu;
    step.context = context;
    if (all_particles(step.gpu, engine->store.n) == 0) {
        return OOZE_OK;
    }
    describe(&step, engine);
    OozeStatus result = send_materials(&step, error);
    if (result) {
        return result;
    }
    ooze_timer_lap(context->timer, "load");
#define SUM_DENSITIES(LANES) sum_densities<LANES>(step.gpu, step.view)
    OOZE_LANES(all_particles(step.gpu, step.view.pairs.n), SUM_DENSITIES);
    report_density(&step);
    refresh(step.gpu, step.view.state, sizeof *step.view.state);
    ooze_timer_lap(context->timer, "density");
#define APPLY_FORCES(LANES) apply_forces<LANES>(step.gpu, step.view)
    OOZE_LANES(all_particles(step.gpu, step.view.pairs.n), APPLY_FORCES);
    ooze_timer_lap(context->timer, "forces");
    advect(&step);
    ooze_timer_lap(context->timer, "contact");
    store_results(&step, &engine->store);
    ooze_timer_lap(context->timer, "store");
    return status(step.gpu, engine->store.n, error);
}

const DeviceMethod wcsph_method = {
    "wcsph", nullptr, nullptr, nullptr, step, nullptr, nullptr, shares_all_steps,
};

} // namespace ooze
