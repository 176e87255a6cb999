/* Solids in the density stage: what is inside of one is put on its surface. They stand still meanwhile, so one look
   tells how far a particle may go before it must ask again, and most need not ask twice. */
#include "cuda/density_sweep.cuh"
#include "cuda/shape_distance.cuh"

namespace ooze
{

/* How near a particle may be to a solid now: if it was nearer than the contact's distance when the step began, the
   solid taken back by its motion, it comes out by a fiftieth of a spacing a step, which is more than contact at
   rest ever lacks. */
OOZE_DEVICE double nearest_allowed(const DensitySweep &s, const SolidView &solid, float4 start)
{
    OozeContact begin = solid_contact(solid, widen(start));
    double gap = begin.distance + s.dt * vec3_dot(begin.velocity, begin.normal);
    return fmin((double)s.contact, gap + 0.02 * (double)s.spacing);
}

struct Touch {
    float4 x, shift;
    float room;
    bool pushed, inside;
};

/* Everybody farther than a spacing from contact is clear until moved by as much. */
OOZE_DEVICE void touch(const DensitySweep &s, const SolidView &solid, uint32_t o, float way,
                       Touch *t)
{
    if (!solid.collides) {
        return;
    }
    if (!solid_near(solid, t->x, s.contact + s.spacing, false)) {
        t->room = fminf(t->room, s.spacing - way);
        return;
    }
    OozeVec3 normal;
    double distance = solid_distance(solid, widen(t->x), &normal);
    t->room = fminf(t->room, (float)(distance - (double)(s.contact + solid.spare + way)));
    if (distance >= (double)s.contact) {
        return;
    }
    bool keeps = s.settled && !s.settles;
    double allowed = keeps ? nearest_allowed(s, solid, s.start[o]) : (double)s.contact;
    t->inside = t->inside || allowed < (double)s.contact;
    double push = allowed - distance;
    if (push > 0.0) {
        float4 off = narrow(vec3_scale(normal, push));
        t->x = t->x + off;
        t->shift = t->shift + off;
        t->pushed = true;
    }
}

void density_push_out(Machine *m, const DensitySweep *sweep, DensityIteration iteration)
{
    const DensitySweep s = *sweep;
    const int k = iteration.k;
    if (!s.room) {
        return;
    }
    for_each(
        m, s.n, OOZE_BODY(uint32_t i) {
            if (!s.touches[i / SLICE] || is_through(s, k)) {
                return;
            }
            uint32_t o = s.order[i];
            Touch t = {s.first[o], s.shift[o], INFINITY, false, false};
            float way = sqrtf(dot(t.shift, t.shift));
            if (way < s.room[i]) {
                return;
            }
            t.x = t.x + t.shift;
            bool moves = !(s.mobility && s.mobility[o] <= 0.0f) && !is_rigid(s, o);
            for (int solid = 0; moves && solid < s.solids.count; solid++) {
                touch(s, s.solids.items[solid], o, way, &t);
            }
            s.room[i] = t.pushed ? -1.0f : t.room;
            if (t.inside) {
                s.state->inside = 1;
            }
            if (t.pushed) {
                move(s, i, o, t.shift, mark_of(s.next[i]));
            }
        });
}

} // namespace ooze
