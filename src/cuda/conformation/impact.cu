/* Impacts in long steps: see methods/conformation/impact.c. */
#include "cuda/conformation/impact.cuh"
#include "methods/conformation/position_stage_formula.h"

namespace ooze
{

/* ---- whether a step is long ---- */

struct Extremes {
    OozeImpactExtremes of;
    __device__ void operator+=(const Extremes &o) { of = ooze_impact_widen(of, o.of); }
};

void impact_begin(Step *step)
{
    StepView *view = &step->view;
    if (step->plan.settings.impact_passes == 0) {
        return;
    }
    const StepView s = *view;
    const Extremes none = {{0.0f, 0.0f}};
    const Extremes all = sum_to_host(
        step->gpu, s.n, none, OOZE_BODY(uint32_t i) {
            bool free = ooze_flies_freely(dot(s.velocity[i], s.velocity[i]), s.free_speed);
            Extremes own = {{free ? 0.0f : dot(s.u[i], s.u[i]), impact_density(s, i)}};
            return own;
        });
    view->long_step = ooze_impact_is_long(all.of, s.spacing, s.dt);
    view->long_reach = s.contact_distance + s.dt * sqrtf(all.of.square);
}

/* ---- contacts that a pass has missed ---- */

/* The contact set of a particle that has none, where it ends deeper than OOZE_IMPACT_DEPTH in a
   solid. */
OOZE_DEVICE OozeContactSet missed_set(const StepView &s, const OozeContactScale &scale, uint32_t i)
{
    OozeContactSearch search = {};
    OozeVec3 u = widen(s.u[i]), end = vec3_madd(widen(s.x0[i]), scale.dt, u);
    float reach = s.contact_distance + s.dt * sqrtf(dot(s.u[i], s.u[i]));
    ooze_contact_begin(&search);
    for (int k = 0; k < s.solids.count; k++) {
        const SolidView &solid = s.solids.items[k];
        OozeContact contact;
        OozeVec3 normal;
        double speed;
        if (solid_near(solid, s.x0[i], reach, true) &&
            solid_distance(solid, end, &normal) < ooze_impact_least_distance(&scale) &&
            impact_meets(s, scale, i, solid, &contact, &speed)) {
            ooze_contact_meet(&search, &contact, speed, u, solid.friction);
        }
    }
    ooze_contact_add_tangents(&search);
    return search.set;
}

OOZE_DEVICE bool may_miss(const StepView &s, uint32_t i)
{
    bool rigid = s.rigid_of && s.rigid_of[i];
    bool held = s.contact_of[i] >= 0 && s.contact_sets[s.contact_of[i]].normals > 0;
    return s.contact_room_of[i] >= 0 && s.mobility[i] > 0.0f && !rigid && !held;
}

/* Contacts of the particles that u takes into a solid nevertheless. Returns whether there are some;
   waits. */
static bool add_missed_contacts(Step *step)
{
    const StepView s = step->view;
    if (!s.contact_of) {
        return false;
    }
    const OozeContactScale scale = {step->context->dt, step->context->spacing,
                                    (double)s.contact_distance};
    const Max1 none = {0.0f};
    Max1 added = sum_to_host(
        step->gpu, s.n, none, OOZE_BODY(uint32_t i) {
            Max1 own = {0.0f};
            if (may_miss(s, i)) {
                OozeContactSet set = missed_set(s, scale, i);
                if (set.count > 0) {
                    s.contact_of[i] = s.contact_room_of[i];
                    s.contact_sets[s.contact_room_of[i]] = set;
                    own.a = 1.0f;
                }
            }
            return own;
        });
    return added.a > 0.0f;
}

OozeStatus impact_end_pass(Lodge *solve, int pass, OozeError *error)
{
    Step *step = solve->step;
    uint64_t pairs = 0;
    bool contacts = add_missed_contacts(step);
    OozeStatus result = impact_find_pairs(solve, &pairs, error);
    solve->impact->new_pairs = pairs > 0;
    solve->passes =
        ooze_impact_passes(pass, solve->passes, step->plan.settings.passes, contacts || pairs > 0);
    ooze_timer_lap(step->context->timer, "contact");
    return result;
}

} // namespace ooze
