/* One substep of the ballistic method on the device, as in methods/ballistic/method.c. */
#include "cuda/contact_loads.cuh"
#include "cuda/contact_sweep.cuh"
#include "cuda/method.cuh"

extern "C" {
#include "methods/ballistic/method.h"
#include "methods/ballistic/stick_formula.h"
}

namespace ooze
{

/* Captured by loop bodies. */
struct BallisticView {
    ContactView contact;
    float4 gravity;
    const OozeFlight *flights; /* see ooze_ballistic_flights */
    uint32_t material_count;
    const uint16_t *material, *prescribed; /* prescribed NULL: no nozzle prescribes any velocity */
    float4 *x, *v;
    OozeSolidImpulses *impulses; /* NULL: no solid is dynamic */
};

/* Applies stickiness, then resolves collisions along the path. */
OOZE_DEVICE void collide(const BallisticView &s, OozeBallisticMotion *m, OozeTouches *touches)
{
    const OozeContactRule &rule = s.contact.rule;
    for (int k = 0; k < s.contact.solids.count; k++) {
        const SolidView &solid = s.contact.solids.items[k];
        if (solid.stick_distance > 0.0) {
            const OozeContact contact = solid_contact(solid, m->from);
            const OozeVec3 pull =
                ooze_contact_adhesion(solid.stick_strength, solid.stick_distance, &contact,
                                      contact.distance - rule.margin, rule.dt);
            ooze_ballistic_stick(m, k, pull, rule.dt, touches);
        }
    }
    contact_resolve(s.contact, m->from, &m->position, &m->velocity, touches);
}

OOZE_DEVICE OozeSolidImpulses sum_dynamic_impulses(const BallisticView &s,
                                                   const OozeTouches &touches)
{
    OozeSolidImpulses impulses = {};
    for (int t = 0; t < touches.count; t++) {
        const OozeTouch &touch = touches.item[t];
        if (s.contact.solids.items[touch.solid].dynamic) {
            ooze_impulses_add(&impulses, touch.solid, touch.point, touch.change);
        }
    }
    return impulses;
}

OOZE_DEVICE void fly(const BallisticView &s, uint32_t i)
{
    const bool prescribed = s.prescribed && s.prescribed[i];
    const OozeFlight *f = &s.flights[prescribed ? s.material_count : s.material[i]];
    const float4 x = s.x[i], v = s.v[i], g = s.gravity;
    float4 to =
        make_float4(ooze_flight_position(f, x.x, v.x, g.x), ooze_flight_position(f, x.y, v.y, g.y),
                    ooze_flight_position(f, x.z, v.z, g.z), x.w);
    float4 after = make_float4(ooze_flight_velocity(f, v.x, g.x), ooze_flight_velocity(f, v.y, g.y),
                               ooze_flight_velocity(f, v.z, g.z), v.w);
    OozeTouches touches;
    touches.count = 0;
    if (s.contact.solids.count > 0) {
        OozeBallisticMotion m = {widen(x), widen(to), widen(after)};
        collide(s, &m, &touches);
        to = narrow(m.position);
        after = narrow(m.velocity);
    }
    s.x[i] = to;
    s.v[i] = after;
    if (s.impulses) {
        s.impulses[i] = sum_dynamic_impulses(s, touches);
    }
}

static OozeStatus send_flights(Gpu *gpu, const OozeStepContext *c, BallisticView *s,
                               OozeError *error)
{
    const uint64_t count = (uint64_t)c->material_count + 1;
    OozeFlight *flights =
        static_cast<OozeFlight *>(ooze_arena_alloc(c->arena, count, sizeof(OozeFlight)));
    OozeFlight *sent = scratch<OozeFlight>(gpu, count);
    if (!flights) {
        return ooze_fail_memory(error, "the ballistic step", count * sizeof *flights);
    }
    ooze_ballistic_flights(c, flights);
    copy_in(gpu, sent, flights, count * sizeof *flights);
    s->flights = sent;
    s->material_count = (uint32_t)c->material_count;
    return OOZE_OK;
}

static OozeStatus step(Engine *engine, void *, OozeStepContext *context, OozeError *error)
{
    Gpu *gpu = &engine->gpu;
    const Store *store = &engine->store;
    BallisticView s = {};
    OozeStatus result = send_flights(gpu, context, &s, error);
    if (result || store->n == 0) {
        return result;
    }
    const OozeVec3 g = context->gravity;
    s.contact.solids = engine->solids.view;
    s.contact.rule = ooze_ballistic_contact_rule(context);
    s.gravity = f32x4((float)g.x, (float)g.y, (float)g.z);
    s.material = store_materials(store);
    s.prescribed = static_cast<const uint16_t *>(store_data(store, "nozzle"));
    s.x = store_positions(store);
    s.v = store_velocities(store);
    s.impulses = context->dynamic ? scratch<OozeSolidImpulses>(gpu, store->n) : nullptr;
    for_each(
        gpu, store->n, OOZE_BODY(uint32_t i) { fly(s, i); });
    return context->dynamic ? impulses_share(engine, context, s.impulses, s.v, error)
                            : status(gpu, store->n, error);
}

const DeviceMethod ballistic_method = {
    "ballistic", nullptr, nullptr, nullptr, step, nullptr, nullptr, shares_all_steps,
};

} // namespace ooze
