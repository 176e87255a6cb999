/* Push-out of the density stage: a particle inside a solid is moved onto its surface. Unless some
   solid is dynamic, solids are at rest during the stage, so a particle needs no further query until
   it has moved by its distance; most particles need one query. */
#ifndef OOZE_SOLVERS_DENSITY_CUDA_PUSH_OUT_CUH
#define OOZE_SOLVERS_DENSITY_CUDA_PUSH_OUT_CUH

#include "cuda/shape_distance.cuh"
#include "solvers/density/cuda/sweep.cuh"
#include "solvers/density/density_formula.h"

namespace ooze
{

struct Touch {
    float4 x, shift;
    float clearance;
    bool pushed, inside;
    DynamicPush record;
};

/* A particle farther than a spacing from contact needs no query until it has moved by as much. */
OOZE_DEVICE void touch(const DensitySweep &s, int k, uint32_t o, float travel, Touch *t)
{
    const SolidView &solid = s.solids.items[k];
    if (!solid.collides) {
        return;
    }
    if (!solid_near(solid, t->x, push_out_reach(s), false)) {
        t->clearance = fminf(t->clearance, s.spacing - travel);
        return;
    }
    OozeVec3 normal;
    double distance = solid_distance(solid, widen(t->x), &normal);
    t->clearance =
        fminf(t->clearance, (float)(distance - (double)(s.given.contact + solid.margin + travel)));
    double push = penetration(s, k, o, distance, &t->inside);
    if (push > 0.0) {
        bool divided = solid.dynamic && s.pushes && !s.relieving;
        const int32_t index = divided ? s.dynamic.index_of[k] : -1;
        push *= divided
                    ? push_share(s.dynamic, index, s.given.start ? s.given.start[o] : s.first[o],
                                 normal, s.given.mobility ? s.given.mobility[o] : 1.0f)
                    : 1.0;
        float4 delta = narrow(vec3_scale(normal, push));
        if (divided) {
            record_push(index, delta, &t->record);
        }
        t->x = t->x + delta;
        t->shift = t->shift + delta;
        t->pushed = true;
    }
}

/* Pushes particle i out of solids in iteration k, in `next`. */
OOZE_DEVICE void push_out(const DensitySweep &s, int k, uint32_t i)
{
    if (!(s.touches[i / SLICE] || s.pushes) || is_converged(s, k)) {
        return;
    }
    uint32_t o = s.order[i];
    Touch t = {s.first[o], s.shift[o], INFINITY, false, false, no_push()};
    float travel = sqrtf(dot(t.shift, t.shift));
    if (travel < s.clearance[i] && !s.pushes) {
        return;
    }
    t.x = t.x + t.shift;
    bool moves = !(s.given.mobility && s.given.mobility[o] <= 0.0f) && !is_rigid(s, o);
    for (int solid = 0; moves && solid < s.solids.count; solid++) {
        touch(s, solid, o, travel, &t);
    }
    s.clearance[i] = t.pushed ? -1.0f : t.clearance;
    if (t.inside && s.own.has(o)) {
        s.state->inside = 1;
    }
    if (s.pushes) {
        s.pushes[i] = t.record;
    }
    if (t.pushed) {
        move(s, i, o, t.shift, mark_of(s.next[i]));
    }
}

} // namespace ooze

#endif
