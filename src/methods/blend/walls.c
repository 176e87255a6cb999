/* Walls and movement: sums over the solids near each particle, then velocities and positions at the
   end of the step, with collisions. */
#include <math.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "methods/blend/contact_formula.h"
#include "methods/blend/sph_formula.h"
#include "methods/blend/step.h"

enum { GROUP = OOZE_BROAD_PHASE_GROUP, GROUPS = OOZE_BLEND_GRAIN / GROUP };

static OozeVec3 widen(OozeF32x4 x)
{
    return vec3((double)x[0], (double)x[1], (double)x[2]);
}

static OozeF32x4 narrow(OozeVec3 x)
{
    return ooze_f32x4((float)x.x, (float)x.y, (float)x.z, 0);
}

static bool is_prescribed(const OozeStepContext *c, uint64_t i)
{
    return c->prescribed && c->prescribed[i];
}

static bool is_pinned(const OozeStepContext *c, uint64_t i)
{
    return c->pin && c->pin[i];
}

/* Finds the solids of each group of particles, and sums over the half spaces behind them. */
static void walls_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeBlendStep *s = data;
    const OozeStepContext *c = s->context;
    float h = s->k.support, reach = h + (float)c->spacing;
    uint64_t around = ooze_broad_phase_find(&s->nearby, s->x, begin, end, reach, true, UINT64_MAX);
    for (uint64_t i = begin; i < end; i++) {
        uint64_t last = i + GROUP < end ? i + GROUP : end;
        if (i % GROUP == 0) {
            s->near[i / GROUP] =
                around ? ooze_broad_phase_find(&s->nearby, s->x, i, last, reach, true, around) : 0;
        }
        OozeF32x4 sum = {0, 0, 0, 0};
        for (int k = 0; s->near[i / GROUP] && k < c->solid_count; k++) {
            OozeVec3 normal;
            if (!ooze_broad_phase_has(s->near[i / GROUP], k) || !s->nearby.items[k].collides) {
                continue;
            }
            double distance = ooze_solid_distance(&c->solids[k], widen(s->x[i]), &normal);
            OozeF32x4 term = ooze_blend_wall_gradient(distance, h) * narrow(normal);
            term[3] = ooze_blend_wall_density(distance, h);
            sum += term;
        }
        s->wall[i] = sum;
    }
}

OozeStatus ooze_blend_find_walls(OozeBlendStep *s, OozeError *error)
{
    OozeStepContext *c = s->context;
    uint64_t groups = (s->n / OOZE_BLEND_GRAIN + 1) * GROUPS;
    s->near = ooze_arena_alloc(c->arena, groups, sizeof *s->near);
    if (!s->near) {
        return ooze_fail_memory(error, "solids near particles", groups * sizeof *s->near);
    }
    OozeStatus status = ooze_broad_phase_begin(&s->nearby, c->solids, c->solid_count, c->spacing,
                                               c->dt, c->arena, error);
    if (!status) {
        ooze_parallel_for(c->threads, s->n, OOZE_BLEND_GRAIN, walls_range, s);
    }
    return status;
}

/* ---- movement ------------------------------------------------------------------------------- */

/* Velocity change by the pressure of one wall. */
static OozeVec3 wall_change(const OozeBlendStep *s, uint64_t i, const OozeSolid *solid)
{
    OozeVec3 normal;
    double distance = ooze_solid_distance(solid, widen(s->x[i]), &normal);
    float size = ooze_blend_wall_change(&s->k, &s->state[i],
                                        s->materials[s->material[i]].relative_mass, distance);
    return vec3_scale(normal, (double)size);
}

/* Collisions of a particle; returns the sum of their velocity changes. */
static OozeVec3 collide(OozeBlendStep *s, uint64_t i, OozeVec3 *x, OozeVec3 *v)
{
    const OozeStepContext *c = s->context;
    OozeVec3 all = vec3(0, 0, 0);
    for (int k = 0; s->near[i / GROUP] && k < c->solid_count; k++) {
        const OozeSolid *solid = &c->solids[k];
        if (!ooze_broad_phase_has(s->near[i / GROUP], k) || !s->nearby.items[k].collides) {
            continue;
        }
        OozeContact contact = ooze_solid_contact(solid, *x);
        OozeVec3 change = ooze_contact_collide(&contact, (double)s->k.contact,
                                               solid->params[OOZE_SOLID_RESTITUTION],
                                               ooze_solid_fluid_friction(solid), x, v);
        all = vec3_add(all, change);
        if (s->impulses && ooze_solid_is_dynamic(solid)) {
            change = vec3_add(change, wall_change(s, i, solid));
            if (vec3_dot(change, change) > 0.0) { /* others do not share the solid's mass */
                ooze_impulses_add(&s->impulses[i], k, *x, change);
            }
        }
    }
    return all;
}

/* Velocity that takes a particle along with the solid that it is fixed to. */
static OozeF32x4 carried(const OozeBlendStep *s, uint64_t i)
{
    const OozeSolid *solid = &s->context->solids[s->context->pin[i] - 1];
    return narrow(ooze_pose_carry(&solid->previous, &solid->pose, widen(s->x[i]), s->context->dt));
}

typedef struct MoveJob {
    OozeBlendStep *step;
    const OozeMatching *matching;
} MoveJob;

static OozeF32x4 accelerated(const MoveJob *job, uint64_t i)
{
    const OozeBlendStep *s = job->step;
    const OozeStepContext *c = s->context;
    const double *pull =
        s->slot[i] != OOZE_BLEND_SLOT_NONE ? job->matching->pull[s->slot[i]] : NULL;
    return narrow(ooze_blend_velocity(widen(s->u[i]), c->gravity, widen(s->acceleration[i]), pull,
                                      s->materials[s->material[i]].mass, c->dt));
}

static void move_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const MoveJob *job = data;
    OozeBlendStep *s = job->step;
    const OozeStepContext *c = s->context;
    float farthest2 = 0.0f;
    for (uint64_t i = begin; i < end; i++) {
        bool free = !is_prescribed(c, i) && !is_pinned(c, i);
        OozeF32x4 u = free ? accelerated(job, i) : is_pinned(c, i) ? carried(s, i) : s->u[i];
        OozeVec3 v = widen(u), x = vec3_madd(widen(s->x[i]), c->dt, v);
        if (s->impulses) {
            s->impulses[i].count = 0;
        }
        farthest2 = fmaxf(farthest2, ooze_f32x4_dot3(u, u));
        OozeVec3 change = free ? collide(s, i, &x, &v) : vec3(0, 0, 0);
        const OozeF32x4 now = narrow(vec3_scale(change, 1.0 / c->dt));
        const OozeFloat4 *before = &s->external[i];
        s->next_external[i] = ooze_f32x4(ooze_blend_average(s->smoothing, now[0], before->x),
                                         ooze_blend_average(s->smoothing, now[1], before->y),
                                         ooze_blend_average(s->smoothing, now[2], before->z), 0);
        s->next_x[i] = narrow(x);
        s->next_u[i] = narrow(v);
    }
    s->travel[begin / OOZE_BLEND_GRAIN] = s->k.dt * sqrtf(farthest2);
}

OozeStatus ooze_blend_move(OozeBlendStep *s, const OozeMatching *matching, OozeError *error)
{
    OozeStepContext *c = s->context;
    uint64_t chunks = s->n / OOZE_BLEND_GRAIN + 1;
    s->travel = ooze_arena_alloc(c->arena, chunks, sizeof *s->travel);
    s->impulses = c->dynamic ? ooze_arena_alloc(c->arena, s->n, sizeof *s->impulses) : NULL;
    if (ooze_arena_failed(c->arena)) {
        return ooze_fail_memory(error, "the blend step", s->n * sizeof *s->impulses);
    }
    MoveJob job = {s, matching};
    ooze_parallel_for(c->threads, s->n, OOZE_BLEND_GRAIN, move_range, &job);
    for (uint64_t k = 0; k * OOZE_BLEND_GRAIN < s->n; k++) {
        c->report->too_far = c->report->too_far || (double)s->travel[k] > c->longest_travel;
    }
    c->report->too_far = ooze_halo_any(c->halo, c->report->too_far);
    return c->dynamic && !c->report->too_far
               ? ooze_impulses_share(c, s->impulses, (OozeFloat4 *)s->next_u, error)
               : OOZE_OK;
}
