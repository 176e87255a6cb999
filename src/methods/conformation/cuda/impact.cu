/* Impacts in long steps: see methods/conformation/cpu/impact.c. */
#include "methods/conformation/cuda/impact.cuh"

#include "cuda/rank_sums.cuh"

namespace ooze
{

void impact_memory_free(Gpu *gpu, ImpactMemory *memory)
{
    grid_free(gpu, &memory->grid);
    buffer_free(gpu, &memory->contacts);
}

/* ---- whether a step is long ---- */

struct Extremes {
    OozeImpactExtremes of;
    __device__ void operator+=(const Extremes &o) { of = ooze_impact_widen(of, o.of); }
};

/* What the host waits for. */
struct LongStep {
    OozeImpactExtremes extremes;
    uint32_t number;
};

uint32_t find_long_step(Step *step, const uint32_t *number)
{
    const StepView s = step->view;
    if (s.plan->settings.impact_passes == 0) {
        uint32_t value = 0;
        copy_out(step->gpu, &value, number, number ? sizeof value : 0);
        return value;
    }
    const Extremes none = {{0.0f, 0.0f}};
    LongStep found = {none.of, 0};
    const MessageSender sender = message_sender(step->gpu);
    sum_particles(
        step->gpu, s.n, none,
        OOZE_BODY(uint32_t i) {
            Extremes own = {ooze_impact_extremes_of(&s, i)};
            return own;
        },
        OOZE_BODY(Extremes all) {
            const LongStep now = {all.of, number ? *number : 0};
            sender(now);
        });
    receive(step->gpu, &found);
    step->view.long_step = ooze_impact_is_long(found.extremes, s.spacing, s.dt);
    return found.number;
}

/* ---- contacts that a pass has missed ---- */

/* Whether u takes particle i deeper than OOZE_IMPACT_DEPTH into the solid. */
OOZE_DEVICE bool ends_in(const StepView &s, const OozeContactScale &scale, uint32_t i,
                         const SolidView &solid)
{
    float reach = s.contact_distance + s.dt * sqrtf(dot(s.u[i], s.u[i]));
    OozeVec3 normal, end = vec3_madd(widen(s.x0[i]), scale.dt, widen(s.u[i]));
    return !solid.dynamic && solid_near(solid, s.x0[i], reach, true) &&
           solid_distance(solid, end, &normal) < ooze_impact_least_distance(&scale);
}

/* Whether particle i has no contact with a solid, and needs one. */
OOZE_DEVICE bool lacks_contact(const StepView &s, const OozeContactScale &scale, uint32_t i)
{
    const bool may = ooze_impact_may_miss(&s, i);
    bool lacks = false;
    for (int k = 0; k < s.solids.count && may && !lacks; k++) {
        lacks = ends_in(s, scale, i, s.solids.items[k]);
    }
    return lacks;
}

OOZE_DEVICE OozeContactSet missed_set(const StepView &s, const OozeContactScale &scale, uint32_t i)
{
    OozeContactSearch search = {};
    ooze_contact_begin(&search);
    for (int k = 0; k < s.solids.count; k++) {
        const SolidView &solid = s.solids.items[k];
        OozeContact contact;
        double speed;
        if (ends_in(s, scale, i, solid) && impact_meets(s, scale, i, solid, &contact, &speed)) {
            ooze_contact_meet(&search, &contact, speed, widen(s.u[i]), solid.friction);
        }
    }
    ooze_contact_add_tangents(&search);
    return search.set;
}

/* Makes room for `more` contact sets. */
static void grow_contact_sets(Step *step, uint64_t more)
{
    StepView *view = &step->view;
    view->contact_sets =
        buffer<OozeContactSet>(step->gpu, &step->impact_memory->contacts,
                               step->view.contact_room + more, step->view.contact_room);
    step->view.contact_room += more;
}

/* Contacts of the particles that u takes into a solid nevertheless. Returns whether there are some;
   waits. */
static bool add_missed_contacts(Step *step)
{
    const OozeContactScale scale = {step->context->dt, step->context->spacing,
                                    (double)step->view.contact_distance};
    const Sum1 none = {0.0};
    StepView s = step->view;
    if (!s.contact_of) {
        return false;
    }
    const Sum1 lacking = sum_particles_to_host(
        step->gpu, s.n, none, OOZE_BODY(uint32_t i) {
            Sum1 one = {lacks_contact(s, scale, i) ? 1.0 : 0.0};
            return one;
        });
    if (lacking.a == 0.0) {
        return false;
    }
    grow_contact_sets(step, (uint64_t)lacking.a);
    s = step->view;
    const Sum1 added = sum_particles_to_host(
        step->gpu, s.n, none, OOZE_BODY(uint32_t i) {
            Sum1 one = {0.0};
            if (lacks_contact(s, scale, i)) {
                OozeContactSet set = missed_set(s, scale, i);
                if (set.count > 0) {
                    /* results do not depend on the order of the indices */
                    int32_t of = s.contact_of[i];
                    of = of >= 0 ? of : (int32_t)atomicAdd(s.contact_count, 1u);
                    s.contact_of[i] = of;
                    s.contact_sets[of] = set;
                    one.a = 1.0;
                }
            }
            return one;
        });
    step->view.any_contacts = step->view.any_contacts || added.a > 0.0;
    return added.a > 0.0;
}

OozeStatus impact_end_pass(OozeLodge *of, OozeError *error)
{
    Lodge *solve = lodge_of(of);
    Step *step = solve->step;
    uint64_t pairs = 0;
    bool contacts = add_missed_contacts(step);
    OozeStatus result = impact_find_pairs(solve, &pairs, error);
    solve->impact->new_pairs = pairs > 0;
    of->passes = ooze_impact_passes(of->pass, of->passes, step->view.plan->settings.passes,
                                    contacts || pairs > 0);
    ooze_timer_lap(step->context->timer, "contact");
    return result;
}

} // namespace ooze
