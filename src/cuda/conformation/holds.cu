/* Contact as the solver sees it: see methods/conformation/hold.c. */
#include "cuda/conformation/step.cuh"
#include "cuda/shape_distance.cuh"

namespace ooze
{

/* Adds a direction, made orthogonal to those that are held already. */
OOZE_DEVICE void add_direction(Hold *hold, OozeVec3 normal, double speed)
{
    float4 n = four((float)normal.x, (float)normal.y, (float)normal.z);
    float rest = (float)speed;
    for (int k = 0; k < hold->count; k++) {
        float along = dot(n, hold->direction[k]);
        n = n - along * hold->direction[k];
        rest -= along * hold->direction[k].w;
    }
    float length = sqrtf(dot(n, n));
    if (hold->count < 3 && length > 0.1f) {
        hold->direction[hold->count] =
            make_float4(n.x / length, n.y / length, n.z / length, rest / length);
        hold->count++;
    }
}

/* Tangents of a contact, moving with the surface. */
OOZE_DEVICE void add_tangents(Hold *hold, OozeVec3 normal, OozeVec3 surface)
{
    OozeVec3 first = fabs(normal.x) < 0.6 ? vec3(1, 0, 0) : vec3(0, 1, 0);
    first = vec3_unit(vec3_cross(normal, first), vec3(0, 0, 1));
    OozeVec3 second = vec3_cross(normal, first);
    add_direction(hold, first, vec3_dot(surface, first));
    add_direction(hold, second, vec3_dot(surface, second));
}

/* A particle is held by a solid that its free flight would enter: see hold_of_particle of hold.c. */
OOZE_DEVICE Hold hold_of_particle(const StepView &s, double dt, uint32_t i, float reach)
{
    Hold hold;
    hold.count = hold.normals = hold.released = 0;
    hold.friction = 0.0f;
    OozeVec3 x = widen(s.x0[i]), u = widen(s.u[i]), first_normal = x, first_velocity = x;
    if (s.mobility[i] == 0.0f) { /* a nozzle leads it: all that it does is given */
        add_direction(&hold, vec3(1, 0, 0), u.x);
        add_direction(&hold, vec3(0, 1, 0), u.y);
        add_direction(&hold, vec3(0, 0, 1), u.z);
        return hold;
    }
    if (s.rigid_of && s.rigid_of[i]) { /* held as a whole */
        return hold;
    }
    for (int k = 0; k < s.solids.count; k++) {
        const SolidView &solid = s.solids.items[k];
        if (!solid_near(solid, s.x0[i], reach, true)) {
            continue;
        }
        OozeContact contact = solid_contact(solid, x);
        /* the contact is with the surface of the end of the step, seen from the start of the particle */
        double surface = vec3_dot(contact.velocity, contact.normal);
        double lack = ((double)s.contact - contact.distance) / dt - surface;
        double needed = surface + fmin(lack, 0.02 * (double)s.spacing / dt);
        if (lack * dt > 0.25 * (double)s.spacing) {
            s.intruder[i] = k;
        }
        if (vec3_dot(u, contact.normal) < needed) {
            if (hold.count == 0) {
                first_normal = contact.normal;
                first_velocity = contact.velocity;
                hold.friction = (float)solid.friction;
            }
            add_direction(&hold, contact.normal, needed);
        }
    }
    hold.normals = hold.count;
    if (hold.count > 0 && hold.friction > 0.0f && isfinite(hold.friction)) {
        add_tangents(&hold, first_normal, first_velocity);
    }
    return hold;
}

/* Nothing is held farther than its own way from where contact begins. */
OOZE_DEVICE float reach_of(const StepView &s, uint32_t i)
{
    return s.contact + s.dt * sqrtf(dot(s.u[i], s.u[i]));
}

OOZE_DEVICE bool may_touch(const StepView &s, uint32_t i)
{
    float reach = reach_of(s, i);
    bool near = s.mobility[i] == 0.0f;
    for (int k = 0; k < s.solids.count && !near; k++) {
        const SolidView &solid = s.solids.items[k];
        OozeVec3 normal;
        near = solid_near(solid, s.x0[i], reach, true) &&
               solid_distance(solid, widen(s.x0[i]), &normal) <=
                   (double)(reach + solid.extra + solid.spare);
    }
    return near;
}

/* Those who may come to touch something get a number and a hold, which may turn out to hold nothing. Waits for how
   many they are. */
void find_holds(Step *step)
{
    Machine *m = step->m;
    StepView *view = &step->view;
    step->any_holds = false;
    if (view->solids.count == 0 && !view->led) {
        return;
    }
    uint64_t n = view->n;
    view->hold_of = scratch<int32_t>(m, n);
    uint32_t *taken = scratch<uint32_t>(m, 1);
    clear(m, taken, sizeof *taken);
    StepView s = *view;
    for_each(
        m, n, OOZE_BODY(uint32_t i) {
            /* whatever the order in which numbers are drawn, nothing depends on them */
            s.hold_of[i] = may_touch(s, i) ? (int32_t)atomicAdd(taken, 1u) : -1;
            if (s.intruder) {
                s.intruder[i] = -1;
            }
        });
    uint32_t count = 0;
    copy_out(m, &count, taken, sizeof count);
    if (count == 0 || m->failed != cudaSuccess) {
        view->hold_of = nullptr;
        view->intruder = nullptr;
        return;
    }
    view->holds = scratch<Hold>(m, count);
    step->any_holds = true;
    s = *view;
    double dt = step->context->dt;
    for_each(
        m, n, OOZE_BODY(uint32_t i) {
            if (s.hold_of[i] >= 0) {
                Hold hold = hold_of_particle(s, dt, i, reach_of(s, i));
                s.holds[s.hold_of[i]] = hold;
                s.hold_of[i] = hold.count > 0 ? s.hold_of[i] : -1;
            }
        });
    ooze_stage_lap(step->context->clock, OOZE_PART_CONTACT);
}

} // namespace ooze
