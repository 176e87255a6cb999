/* Collisions between particles, new positions, contact with solids, on the processor. */
#include <math.h>

#include "base/vec3.h"
#include "methods/cauchy/cpu/operators.h"

enum { GROUP = OOZE_BROAD_PHASE_GROUP };

static OozeVec3 widen(OozeF32x4 x)
{
    return vec3((double)x[0], (double)x[1], (double)x[2]);
}

static OozeF32x4 narrow(OozeVec3 x)
{
    return ooze_f32x4((float)x.x, (float)x.y, (float)x.z, 0);
}

/* Velocity change by collisions, and shift, of one particle. */
static void pairs_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeCauchyMotion *job = data;
    const OozeCauchyStep *s = job->step;
    const OozeNeighbours *list = s->own->edges.list;
    for (uint64_t i = begin; i < end; i++) {
        const OozeF32x4 x = ooze_near_end(&s->own->edges, i);
        OozeF32x4 change = {0}, shift = {0}, parting = {0};
        for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
            uint32_t j = list->index[e];
            OozeF32x4 d =
                ooze_edge_delta(x, s->own->edges.x[j], s->own->edges.box, s->own->edges.periodic);
            float r2 = ooze_f32x4_dot3(d, d);
            float nearest = ooze_cauchy_close_distance(&s->k);
            if (r2 >= nearest * nearest || r2 == 0.0f) {
                continue;
            }
            float r = sqrtf(r2), approach = -ooze_f32x4_dot3(s->u[j] - s->u[i], d) / r;
            float pull = ooze_cauchy_collision(r, approach, s->k.collision_distance, s->mobility[i],
                                               s->mobility[j]);
            change -= (pull / r) * d;
            shift -= (ooze_cauchy_shift(r, s->k.shift_distance) / r) * d;
            parting -= (ooze_cauchy_shift(r, s->k.overlap_distance) / r) * d;
        }
        ooze_cauchy_set_motion(s, job, i, change, shift, parting);
    }
}

/* Velocity after contact with the solids of `near`. */
static OozeVec3 meet_solids(const OozeCauchyStep *s, uint64_t i, uint64_t near, OozeVec3 v)
{
    const OozeStepContext *c = s->machine->context;
    for (int k = 0; k < c->solid_count; k++) {
        const OozeSolid *solid = &c->solids[k];
        if (ooze_broad_phase_has(near, k) && s->own->nearby.items[k].collides) {
            OozeCauchySolid one = {solid->shape,
                                   &solid->pose,
                                   ooze_solid_fluid_friction(solid),
                                   c->support,
                                   k,
                                   ooze_solid_is_dynamic(solid)};
            v = ooze_cauchy_meet(s, i, &one, widen(s->x[i]), v);
        }
    }
    return v;
}

/* Moves a position out of solids. */
static OozeVec3 push_out(const OozeCauchyStep *s, uint64_t near, OozeVec3 x)
{
    const OozeStepContext *c = s->machine->context;
    double margin = OOZE_CAUCHY_PUSH_OUT * (double)s->k.contact_distance;
    for (int k = 0; k < c->solid_count; k++) {
        if (ooze_broad_phase_has(near, k) && s->own->nearby.items[k].collides) {
            OozeVec3 normal;
            double distance = ooze_solid_distance(&c->solids[k], x, &normal);
            x = distance < margin ? vec3_madd(x, margin - distance, normal) : x;
        }
    }
    return x;
}

static void move_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeCauchyMotion *job = data;
    OozeCauchyStep *s = job->step;
    float farthest2 = 0.0f, reach = (float)OOZE_CAUCHY_CLINGS * s->k.contact_distance;
    for (uint64_t i = begin; i < end; i++) {
        farthest2 = fmaxf(farthest2, ooze_f32x4_dot3(job->collided[i], job->collided[i]));
    }
    s->own->partial[begin / OOZE_CAUCHY_GRAIN] = (double)(s->k.dt * sqrtf(farthest2));
    reach += s->k.dt * sqrtf(farthest2) + 2.0f * OOZE_CAUCHY_LONGEST_SHIFT * s->k.spacing;
    if (s->impulses) { /* the pressure of particles within the support presses dynamic solids */
        reach = fmaxf(reach, s->k.support);
    }
    uint64_t around =
        ooze_broad_phase_find(&s->own->nearby, s->x, begin, end, reach, true, UINT64_MAX);
    uint64_t near = 0;
    for (uint64_t i = begin; i < end; i++) {
        OozeVec3 v = widen(job->collided[i]);
        uint64_t last = i + GROUP < end ? i + GROUP : end;
        if (i % GROUP == 0 || i == begin) {
            near = around
                       ? ooze_broad_phase_find(&s->own->nearby, s->x, i, last, reach, true, around)
                       : 0;
        }
        if (s->impulses) {
            s->impulses[i].count = 0;
        }
        bool touches = near && s->mobility[i] > 0.0f;
        v = touches ? meet_solids(s, i, near, v) : v;
        OozeVec3 x = vec3_add(vec3_madd(widen(s->x[i]), s->dt, v), widen(job->shift[i]));
        x = touches ? push_out(s, near, x) : x;
        s->next_x[i] = narrow(x);
        s->u[i] = narrow(v);
    }
}

static void collide(OozeCauchyMotion *motion)
{
    ooze_cauchy_run(motion->step, pairs_range, motion);
}

static double move(OozeCauchyMotion *motion)
{
    const OozeCauchyStep *s = motion->step;
    double farthest = 0.0;
    ooze_cauchy_run(s, move_range, motion);
    for (uint64_t k = 0; k * OOZE_CAUCHY_GRAIN < s->machine->n; k++) {
        farthest = fmax(farthest, s->own->partial[k]);
    }
    ooze_halo_max(s->machine->context->halo, &farthest, 1);
    return farthest;
}

static void report_density(OozeCauchyStep *s)
{
    ooze_machine_report_density(s->machine, s->density);
}

static OozeStatus share_impulses(OozeCauchyStep *s, OozeError *error)
{
    return ooze_impulses_share(s->machine->context, s->impulses, (OozeFloat4 *)s->u, error);
}

const OozeCauchyMotionStages ooze_cauchy_motion_stages = {
    .collide = collide,
    .move = move,
    .report_density = report_density,
    .share_impulses = share_impulses,
};
