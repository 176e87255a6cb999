#include "methods/push_out.h"

#include <math.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "methods/density_solids.h"

enum { GROUPS = OOZE_DENSITY_GRAIN / OOZE_NEARBY_GROUP };

OozeStatus ooze_push_out_begin(OozePushOut *out, OozeDensitySweep *s, OozeError *error)
{
    const OozeStepContext *c = s->job->context;
    uint64_t n = c->solid_count > 0 ? s->job->n : 0;
    uint64_t groups = (n / OOZE_DENSITY_GRAIN + 1) * GROUPS;
    *out = (OozePushOut){.sweep = s};
    out->group = ooze_arena_alloc(c->arena, groups, sizeof *out->group);
    out->room = ooze_arena_alloc(c->arena, n, sizeof *out->room);
    if (!out->group || !out->room) {
        return ooze_fail_memory(error, "contacts of the density stage", n * sizeof *out->room);
    }
    return ooze_nearby_begin(&out->nearby, c->solids, c->solid_count, c->spacing, c->dt, c->arena,
                             error);
}

static OozeVec3 widen(OozeFour x)
{
    return vec3((double)x[0], (double)x[1], (double)x[2]);
}

/* Dynamic solids come to meet it. */
static float moved(const OozeDensitySweep *s, uint64_t i)
{
    return sqrtf(ooze_four_dot3(s->shift[i], s->shift[i])) + s->solids_moved;
}

/* Everybody within a spacing of contact is looked at more closely from now on. */
static void look(const OozePushOut *out, uint64_t begin, uint64_t end)
{
    const OozeDensitySweep *s = out->sweep;
    float beyond = (float)s->job->context->spacing, reach = s->job->contact + beyond;
    uint64_t around = ooze_nearby_find(&out->nearby, s->x, begin, end, reach, false, UINT64_MAX);
    for (uint64_t first = begin; first < end; first += OOZE_NEARBY_GROUP) {
        uint64_t last = first + OOZE_NEARBY_GROUP < end ? first + OOZE_NEARBY_GROUP : end;
        OozePushOutGroup group = {0};
        group.near = ooze_nearby_find(&out->nearby, s->x, first, last, reach, false, around);
        float farthest = 0.0f;
        for (uint64_t i = first; i < last; i++) {
            float way = moved(s, i);
            farthest = way > farthest ? way : farthest;
        }
        group.room = beyond - farthest;
        for (uint64_t i = first; i < last; i++) {
            out->room[i] = group.near ? -1.0f : group.room;
        }
        out->group[first / OOZE_NEARBY_GROUP] = group;
    }
}

/* How near a particle may be to a solid now: if it was nearer than the contact's distance when the step began, the
   solid taken back by its motion, it comes out by a fiftieth of a spacing a step, which is more than contact at
   rest ever lacks. */
static double nearest_allowed(const OozeDensitySweep *s, uint64_t i, const OozeSolid *solid)
{
    const OozeDensityJob *job = s->job;
    if (s->settles || !job->settled) {
        return job->contact;
    }
    OozeContact begin = ooze_solid_contact(solid, widen(s->arrow[i]));
    double gap = begin.distance + job->context->dt * vec3_dot(begin.velocity, begin.normal);
    return fmin(job->contact, gap + 0.02 * job->context->spacing);
}

/* How far a particle is to be put out of a solid; 0: it is not. */
static double lack_of(const OozeDensitySweep *s, uint64_t i, const OozeSolid *solid,
                      double distance, bool *inside)
{
    double contact = s->job->contact;
    double allowed = distance < contact ? nearest_allowed(s, i, solid) : contact;
    *inside = *inside || allowed < contact;
    return distance < contact ? fmax(allowed - distance, 0.0) : 0.0;
}

/* True where a solid has let it be inside. */
static bool push_particle(const OozePushOut *out, uint64_t begin, uint64_t i)
{
    OozePushOutGroup group = out->group[i / OOZE_NEARBY_GROUP];
    OozeDensitySweep *s = out->sweep;
    const OozeDensityJob *job = s->job;
    const OozeStepContext *c = job->context;
    float way = moved(s, i);
    bool here = way < group.room, inside = false, pushed = false;
    double room = here ? (double)group.room : INFINITY;
    for (int k = 0; k < c->solid_count; k++) {
        const OozeNearbySolid *item = &out->nearby.items[k];
        if (!item->collides || (here && !ooze_nearby_has(group.near, k))) {
            continue;
        }
        OozeVec3 normal;
        double distance = ooze_solid_distance(&c->solids[k], widen(s->x[i]), &normal);
        room = fmin(room, distance - (double)(job->contact + item->spare + way));
        double push = lack_of(s, i, &c->solids[k], distance, &inside);
        if (push > 0) {
            push *= ooze_density_push_share(s, i, k, normal);
            OozeFour off = ooze_four((float)(push * normal.x), (float)(push * normal.y),
                                     (float)(push * normal.z), 0);
            s->x[i] += off;
            s->shift[i] += off;
            ooze_density_push_back(s, begin, i, k, off);
            pushed = true;
        }
    }
    out->room[i] = pushed ? -1.0f : (float)room;
    return inside;
}

static bool may_be_pushed(const OozePushOut *out, uint64_t i)
{
    const OozeDensitySweep *s = out->sweep;
    return !(moved(s, i) < out->room[i]) && s->mobility[i] > 0.0f && !ooze_density_is_rigid(s, i);
}

static void push_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozePushOut *out = data;
    OozeDensitySweep *s = out->sweep;
    uint8_t inside = 0;
    if (!out->looked) {
        look(out, begin, end);
    }
    for (uint64_t i = begin; i < end; i++) {
        if (may_be_pushed(out, i)) {
            inside |= push_particle(out, begin, i);
        }
    }
    s->inside[begin / OOZE_DENSITY_GRAIN] = inside;
}

/* Who touches what gives way. */
static void count_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozePushOut *out = data;
    OozeDensitySweep *s = out->sweep;
    const OozeStepContext *c = s->job->context;
    OozeCoupled *coupled = s->job->coupled;
    if (!out->looked) {
        look(out, begin, end);
    }
    for (uint64_t i = begin; i < end; i++) {
        bool near = may_be_pushed(out, i);
        for (int k = 0; near && k < coupled->count; k++) {
            int solid = coupled->solids[k].solid;
            bool inside = false;
            OozeVec3 normal;
            double distance = out->nearby.items[solid].collides
                                  ? ooze_solid_distance(&c->solids[solid], widen(s->x[i]), &normal)
                                  : INFINITY;
            if (lack_of(s, i, &c->solids[solid], distance, &inside) > 0.0) {
                ooze_coupled_chunk(coupled, begin)[k].v[0] += 1.0;
            }
        }
    }
}

static void count_touching(OozePushOut *out)
{
    OozeCoupled *coupled = out->sweep->job->coupled;
    const OozeStepContext *c = out->sweep->job->context;
    ooze_parallel_for(c->threads, out->sweep->job->n, OOZE_DENSITY_GRAIN, count_range, out);
    ooze_coupled_collect(coupled);
    for (int k = 0; k < coupled->count; k++) {
        coupled->solids[k].touching = coupled->solids[k].sum.v[0];
    }
    out->looked = true;
}

void ooze_push_out(OozePushOut *out)
{
    const OozeStepContext *c = out->sweep->job->context;
    if (c->solid_count > 0) {
        if (out->sweep->job->coupled && !out->sweep->settles) {
            count_touching(out);
        }
        ooze_parallel_for(c->threads, out->sweep->job->n, OOZE_DENSITY_GRAIN, push_range, out);
        out->looked = true;
    }
}
