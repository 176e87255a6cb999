#include "solvers/density/cpu/push_out.h"

#include <math.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "solvers/density/cpu/density_solids.h"
#include "solvers/density/density_formula.h"

enum { GROUPS = OOZE_DENSITY_GRAIN / OOZE_BROAD_PHASE_GROUP };

OozeStatus ooze_push_out_begin(OozePushOut *out, OozeDensitySweep *s, OozeError *error)
{
    const OozeStepContext *c = s->job->context;
    uint64_t n = c->solid_count > 0 ? s->job->n : 0;
    uint64_t groups = (n / OOZE_DENSITY_GRAIN + 1) * GROUPS;
    *out = (OozePushOut){.sweep = s};
    out->group = ooze_arena_alloc(c->arena, groups, sizeof *out->group);
    out->clearance = ooze_arena_alloc(c->arena, n, sizeof *out->clearance);
    if (ooze_arena_failed(c->arena)) {
        return ooze_fail_memory(error, "contacts of the density stage", n * sizeof *out->clearance);
    }
    return ooze_broad_phase_begin(&out->nearby, c->solids, c->solid_count, c->spacing, c->dt,
                                  c->arena, error);
}

static OozeVec3 widen(OozeF32x4 x)
{
    return vec3((double)x[0], (double)x[1], (double)x[2]);
}

/* Bound on the approach of particle i and the solids since the stage began. */
static float moved(const OozeDensitySweep *s, uint64_t i)
{
    return sqrtf(ooze_f32x4_dot3(s->shift[i], s->shift[i])) + s->solids_moved;
}

/* Finds, per group of particles, the solids within a spacing of contact. */
static void find_near_solids(const OozePushOut *out, uint64_t begin, uint64_t end)
{
    const OozeDensitySweep *s = out->sweep;
    float beyond = (float)s->job->context->spacing, reach = s->job->contact + beyond;
    uint64_t around =
        ooze_broad_phase_find(&out->nearby, s->x, begin, end, reach, false, UINT64_MAX);
    for (uint64_t first = begin; first < end; first += OOZE_BROAD_PHASE_GROUP) {
        uint64_t last = first + OOZE_BROAD_PHASE_GROUP < end ? first + OOZE_BROAD_PHASE_GROUP : end;
        OozePushOutGroup group = {0};
        group.near = ooze_broad_phase_find(&out->nearby, s->x, first, last, reach, false, around);
        float farthest = 0.0f;
        for (uint64_t i = first; i < last; i++) {
            float travel = moved(s, i);
            farthest = travel > farthest ? travel : farthest;
        }
        group.clearance = beyond - farthest;
        for (uint64_t i = first; i < last; i++) {
            out->clearance[i] = group.near ? -1.0f : group.clearance;
        }
        out->group[first / OOZE_BROAD_PHASE_GROUP] = group;
    }
}

/* Distance to a solid that particle i must keep. It follows from the distance at the beginning of
   the step to the pose of the solid at that time. */
static double nearest_allowed(const OozeDensitySweep *s, uint64_t i, const OozeSolid *solid)
{
    const OozeDensityJob *job = s->job;
    if (s->relieving || !job->position_only_shift) {
        return job->contact;
    }
    OozeContact begin = ooze_solid_contact(solid, widen(s->x0_lambda[i]));
    double gap = begin.distance + job->context->dt * vec3_dot(begin.velocity, begin.normal);
    return ooze_push_out_distance(job->contact, gap, job->context->spacing);
}

/* The penetration to remove. `inside` is set where some of it remains. */
static double penetration(const OozeDensitySweep *s, uint64_t i, const OozeSolid *solid,
                          double distance, bool *inside)
{
    double contact = s->job->contact;
    if (!(distance < contact)) {
        return 0.0;
    }
    double allowed = nearest_allowed(s, i, solid);
    *inside = *inside || allowed < contact;
    return ooze_push_out_penetration(distance, allowed);
}

/* Whether pressure keeps particle i out of solid k. The density stage then does not push it as
   well. */
static bool pressure_acts(const OozeDensitySweep *s, uint64_t i, int k)
{
    const OozeDensityJob *job = s->job;
    return job->has_pressure && !s->relieving && job->has_pressure[s->order[i]] > 0.0f &&
           job->coupling && ooze_coupling_is_dynamic(job->coupling, k);
}

/* True: the particle stays inside a solid. */
static bool push_particle(const OozePushOut *out, uint64_t begin, uint64_t i)
{
    OozePushOutGroup group = out->group[i / OOZE_BROAD_PHASE_GROUP];
    OozeDensitySweep *s = out->sweep;
    const OozeDensityJob *job = s->job;
    const OozeStepContext *c = job->context;
    float travel = moved(s, i);
    bool in_group_range = travel < group.clearance, inside = false, pushed = false;
    double clearance = in_group_range ? (double)group.clearance : INFINITY;
    for (int k = 0; k < c->solid_count; k++) {
        const OozeBroadPhaseSolid *item = &out->nearby.items[k];
        if (!item->collides || (in_group_range && !ooze_broad_phase_has(group.near, k))) {
            continue;
        }
        OozeVec3 normal;
        double distance = ooze_solid_distance(&c->solids[k], widen(s->x[i]), &normal);
        clearance = fmin(clearance, distance - (double)(job->contact + item->margin + travel));
        double push = penetration(s, i, &c->solids[k], distance, &inside);
        bool later = push > 0 && pressure_acts(s, i, k);
        inside = inside || later;
        if (push > 0 && !later) {
            push *= ooze_density_push_share(s, i, k, normal);
            OozeF32x4 delta = ooze_f32x4((float)(push * normal.x), (float)(push * normal.y),
                                         (float)(push * normal.z), 0);
            s->x[i] += delta;
            s->shift[i] += delta;
            ooze_density_push_back(s, begin, i, k, delta);
            pushed = true;
        }
    }
    out->clearance[i] = pushed ? -1.0f : (float)clearance;
    return inside;
}

static bool may_be_pushed(const OozePushOut *out, uint64_t i)
{
    const OozeDensitySweep *s = out->sweep;
    return !(moved(s, i) < out->clearance[i]) && s->mobility[i] > 0.0f &&
           !ooze_density_is_rigid(s, i);
}

static void push_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozePushOut *out = data;
    OozeDensitySweep *s = out->sweep;
    uint8_t inside = 0;
    if (!out->searched) {
        find_near_solids(out, begin, end);
    }
    for (uint64_t i = begin; i < end; i++) {
        if (may_be_pushed(out, i)) {
            inside |= push_particle(out, begin, i);
        }
    }
    s->inside[begin / OOZE_DENSITY_GRAIN] = inside;
}

/* Counts the particles in contact with each dynamic solid. */
static void count_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozePushOut *out = data;
    OozeDensitySweep *s = out->sweep;
    const OozeStepContext *c = s->job->context;
    OozeDynamicCoupling *coupling = s->job->coupling;
    if (!out->searched) {
        find_near_solids(out, begin, end);
    }
    for (uint64_t i = begin; i < end; i++) {
        bool near = may_be_pushed(out, i);
        for (int k = 0; near && k < coupling->count; k++) {
            int solid = coupling->solids[k].solid;
            bool inside = false;
            OozeVec3 normal;
            double distance = out->nearby.items[solid].collides
                                  ? ooze_solid_distance(&c->solids[solid], widen(s->x[i]), &normal)
                                  : INFINITY;
            if (penetration(s, i, &c->solids[solid], distance, &inside) > 0.0 &&
                !pressure_acts(s, i, solid)) {
                ooze_coupling_chunk(coupling, begin)[k].v[0] += 1.0;
            }
        }
    }
}

static void count_touching(OozePushOut *out)
{
    OozeDynamicCoupling *coupling = out->sweep->job->coupling;
    const OozeStepContext *c = out->sweep->job->context;
    ooze_parallel_for(c->threads, out->sweep->job->n, OOZE_DENSITY_GRAIN, count_range, out);
    ooze_coupling_collect(coupling);
    for (int k = 0; k < coupling->count; k++) {
        coupling->solids[k].touching = coupling->solids[k].collected.v[0];
    }
    out->searched = true;
}

void ooze_push_out(OozePushOut *out)
{
    const OozeStepContext *c = out->sweep->job->context;
    if (c->solid_count > 0) {
        if (out->sweep->job->coupling && !out->sweep->relieving) {
            count_touching(out);
        }
        ooze_parallel_for(c->threads, out->sweep->job->n, OOZE_DENSITY_GRAIN, push_range, out);
        out->searched = true;
    }
}
