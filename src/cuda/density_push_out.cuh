/* Push-out of the density stage: a particle inside a solid is moved onto its surface. Solids are at
   rest during the stage, so a particle needs no further query until it has moved by its distance;
   most particles need one query. */
#ifndef OOZE_CUDA_DENSITY_PUSH_OUT_CUH
#define OOZE_CUDA_DENSITY_PUSH_OUT_CUH

#include "cuda/density_sweep.cuh"
#include "cuda/shape_distance.cuh"
#include "solvers/density_formula.h"

namespace ooze
{

/* Distance to a solid that a particle must keep, from its distance at the beginning of the step to
   the pose of the solid at that time. */
OOZE_DEVICE double nearest_allowed(const DensitySweep &s, const SolidView &solid, float4 start)
{
    OozeContact begin = solid_contact(solid, widen(start));
    double gap = begin.distance + s.dt * vec3_dot(begin.velocity, begin.normal);
    return ooze_push_out_distance((double)s.contact, gap, (double)s.spacing);
}

struct Touch {
    float4 x, shift;
    float clearance;
    bool pushed, inside;
};

/* A particle farther than a spacing from contact needs no query until it has moved by as much. */
OOZE_DEVICE void touch(const DensitySweep &s, const SolidView &solid, uint32_t o, float travel,
                       Touch *t)
{
    if (!solid.collides) {
        return;
    }
    if (!solid_near(solid, t->x, s.contact + s.spacing, false)) {
        t->clearance = fminf(t->clearance, s.spacing - travel);
        return;
    }
    OozeVec3 normal;
    double distance = solid_distance(solid, widen(t->x), &normal);
    t->clearance =
        fminf(t->clearance, (float)(distance - (double)(s.contact + solid.margin + travel)));
    if (distance >= (double)s.contact) {
        return;
    }
    bool gradual = s.position_only_shift && !s.relieving;
    double allowed = gradual ? nearest_allowed(s, solid, s.start[o]) : (double)s.contact;
    t->inside = t->inside || allowed < (double)s.contact;
    double push = allowed - distance;
    if (push > 0.0) {
        float4 delta = narrow(vec3_scale(normal, push));
        t->x = t->x + delta;
        t->shift = t->shift + delta;
        t->pushed = true;
    }
}

/* Pushes particle i out of solids, in `next`. */
OOZE_DEVICE void push_out(const DensitySweep &s, uint32_t i)
{
    uint32_t o = s.order[i];
    Touch t = {s.first[o], s.shift[o], INFINITY, false, false};
    float travel = sqrtf(dot(t.shift, t.shift));
    if (travel < s.clearance[i]) {
        return;
    }
    t.x = t.x + t.shift;
    bool moves = !(s.mobility && s.mobility[o] <= 0.0f) && !is_rigid(s, o);
    for (int solid = 0; moves && solid < s.solids.count; solid++) {
        touch(s, s.solids.items[solid], o, travel, &t);
    }
    s.clearance[i] = t.pushed ? -1.0f : t.clearance;
    if (t.inside) {
        s.state->inside = 1;
    }
    if (t.pushed) {
        move(s, i, o, t.shift, mark_of(s.next[i]));
    }
}

} // namespace ooze

#endif
