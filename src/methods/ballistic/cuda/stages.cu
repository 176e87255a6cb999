/* Stages of the ballistic method on the GPU. */
#include "cuda/contact_loads.cuh"
#include "cuda/machine.cuh"
#include "cuda/method.cuh"

extern "C" {
#include "methods/ballistic/particle_formula.h"
#include "methods/ballistic/stages.h"
}

namespace ooze
{

/* Captured by loop bodies. */
struct BallisticView {
    ContactView contact;
    float4 gravity;
    const OozeFlight *flights; /* see OozeBallisticStep */
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

OOZE_DEVICE void fly_one(const BallisticView &s, uint32_t i)
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

static void fly(OozeBallisticStep *step)
{
    OozeMachine *machine = step->machine;
    const Store *store = &engine_of(machine)->store;
    BallisticView s = {};
    s.contact = contacts_of(machine, step->contact);
    s.gravity = gravity_of(machine);
    s.flights = step->flights;
    s.material_count = (uint32_t)machine->context->material_count;
    s.material = step->material;
    s.prescribed = static_cast<const uint16_t *>(ooze_machine_field(machine, "nozzle"));
    s.x = store_positions(store);
    s.v = store_velocities(store);
    s.impulses = step->impulses;
    for_each(
        gpu_of(machine), machine->n, OOZE_BODY(uint32_t i) { fly_one(s, i); });
}

static OozeStatus load_solids(OozeBallisticStep *step, OozeError *error)
{
    Engine *engine = engine_of(step->machine);
    return impulses_share(engine, step->machine->context, step->impulses,
                          store_velocities(&engine->store), error);
}

static const OozeBallisticStages stages = {fly, load_solids};

static OozeStatus step(Engine *engine, void *, OozeStepContext *context, OozeError *error)
{
    OozeMachine machine = machine_of(engine, context);
    return ooze_ballistic_step(&machine, &stages, error);
}

const DeviceMethod ballistic_method = {
    "ballistic", nullptr, nullptr, nullptr, step,
};

} // namespace ooze
