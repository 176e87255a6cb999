/* Finding contacts: see methods/conformation/cpu/contact.c. */
#include "cuda/ranks.cuh"
#include "methods/conformation/cuda/impact.cuh"

namespace ooze
{

/* The contact set of a particle: see find_contact_set of contact.c. */
template <bool LONG_STEP>
OOZE_DEVICE OozeContactSet find_contact_set(const StepView &s, const OozeContactScale &scale,
                                            uint32_t i, float reach)
{
    OozeContactSearch search = {};
    const OozeVec3 x = widen(s.x0[i]);
    const bool held = ooze_step_is_held(&s, i);
    OozeVec3 u;
    if (!ooze_step_begin_contacts(&s, i, &search, &u)) {
        return search.set;
    }
    for (int k = 0; k < s.solids.count; k++) {
        const SolidView &solid = s.solids.items[k];
        if (held && isinf(solid.friction) && solid.sampled) {
            continue; /* the pressure of the grid keeps fluid out of no-slip solids */
        }
        if (solid_near(solid, s.x0[i], reach, true)) {
            OozeContact contact = solid_contact(solid, x);
            bool deep;
            double speed = ooze_contact_speed(&scale, &contact, &deep);
            if (deep) {
                s.buried_in[i] = k;
            }
            if (solid.dynamic) { /* acts by its samples and in the density stage */
                continue;
            }
            if (LONG_STEP && ooze_impact_is_far(&scale, &contact)) {
                impact_meet(s, scale, i, solid, &search);
            } else {
                ooze_contact_meet(&search, &contact, speed, u, solid.friction);
            }
        }
    }
    ooze_contact_add_tangents(&search);
    return search.set;
}

/* Distance from solids within which a particle may come into contact in the step. */
OOZE_DEVICE float reach_of(const StepView &s, uint32_t i)
{
    return s.contact_distance + s.dt * sqrtf(dot(s.u[i], s.u[i]));
}

OOZE_DEVICE bool may_touch(const StepView &s, uint32_t i)
{
    float reach = reach_of(s, i);
    bool near = s.mobility[i] == 0.0f;
    const bool meets = !near && !ooze_step_flies_freely(&s, i);
    for (int k = 0; k < s.solids.count && meets && !near; k++) {
        const SolidView &solid = s.solids.items[k];
        OozeVec3 normal;
        near = solid_near(solid, s.x0[i], reach, true) &&
               solid_distance(solid, widen(s.x0[i]), &normal) <=
                   (double)(reach + solid.travel + solid.margin);
    }
    return near;
}

OOZE_DEVICE void find_contact_set_at(const StepView &s, const OozeContactScale &scale, uint32_t i,
                                     bool long_step)
{
    const float reach = reach_of(s, i);
    const int32_t at = s.contact_of[i];
    OozeContactSet set = long_step ? find_contact_set<true>(s, scale, i, reach)
                                   : find_contact_set<false>(s, scale, i, reach);
    s.contact_sets[at] = set;
    s.contact_of[i] = set.count > 0 ? at : -1;
}

static OozeContactScale scale_of(const Step *step)
{
    return {step->context->dt, step->context->spacing, (double)step->view.contact_distance};
}

template <bool LONG_STEP> static void find_contact_sets(const Step *step)
{
    const StepView s = step->view;
    const OozeContactScale scale = scale_of(step);
    for_each(
        step->gpu, s.n, OOZE_BODY(uint32_t i) {
            if (s.contact_of[i] >= 0) {
                find_contact_set_at(s, scale, i, LONG_STEP);
            }
        });
}

/* Room for the contact sets; in a long step the solve may need more. */
static void allocate_contact_sets(Step *step, uint64_t count)
{
    DeviceBuffer *growing = &step->impact_memory->contacts;
    step->view.contact_sets = step->view.long_step
                                  ? buffer<OozeContactSet>(step->gpu, growing, count)
                                  : scratch<OozeContactSet>(step->gpu, count);
    step->view.contact_room = count;
}

/* Every particle has room for a contact set. */
static void find_all_contact_sets(Step *step)
{
    allocate_contact_sets(step, step->view.n);
    const StepView s = step->view;
    const OozeContactScale scale = scale_of(step);
    for_each(
        step->gpu, s.n, OOZE_BODY(uint32_t i) {
            const bool near = may_touch(s, i);
            s.contact_of[i] = near ? (int32_t)i : -1;
            if (s.buried_in) {
                s.buried_in[i] = -1;
            }
            if (near) {
                find_contact_set_at(s, scale, i, false);
            }
        });
}

/* Particles that may touch a solid get an index and a contact set, which may stay empty. Waits for
   their number, and whether the step is long. */
static void find_few_contact_sets(Step *step)
{
    Gpu *gpu = step->gpu;
    StepView *view = &step->view;
    view->contact_count = scratch<uint32_t>(gpu, 1);
    clear(gpu, view->contact_count, sizeof *view->contact_count);
    const StepView s = *view;
    for_each(
        gpu, s.n, OOZE_BODY(uint32_t i) {
            /* results do not depend on the order of the indices */
            s.contact_of[i] = may_touch(s, i) ? (int32_t)atomicAdd(s.contact_count, 1u) : -1;
            if (s.buried_in) {
                s.buried_in[i] = -1;
            }
        });
    allocate_contact_sets(step, find_long_step(step, view->contact_count));
    if (view->long_step) {
        find_contact_sets<true>(step);
    } else {
        find_contact_sets<false>(step);
    }
}

/* Up to so many particles room for all of their contact sets, 10 MB, costs less than a wait. */
enum { ALL_FIT = 1 << 17 };

/* Where there are solids or nozzles, passes go on as if some particle were in contact: the host
   does not know. */
OozeStatus find_contacts(OozeConformationStep *of, OozeError *)
{
    Step *step = step_of(of);
    StepView *view = &step->view;
    view->any_contacts = view->solids.count > 0 || view->prescribed;
    if (!view->any_contacts) {
        (void)find_long_step(step, nullptr);
        return OOZE_OK;
    }
    view->contact_of = scratch<int32_t>(step->gpu, view->n);
    if (view->plan->settings.impact_passes == 0 && view->n <= ALL_FIT) {
        find_all_contact_sets(step);
    } else {
        find_few_contact_sets(step);
    }
    return OOZE_OK;
}

} // namespace ooze
