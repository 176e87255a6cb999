/* Collisions between particles, new positions, contact with solids. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "methods/cauchy/move_formula.h"
#include "methods/cauchy/step.h"

enum { GROUP = OOZE_BROAD_PHASE_GROUP };

static OozeVec3 widen(OozeF32x4 x)
{
    return vec3((double)x[0], (double)x[1], (double)x[2]);
}

static OozeF32x4 narrow(OozeVec3 x)
{
    return ooze_f32x4((float)x.x, (float)x.y, (float)x.z, 0);
}

typedef struct MoveJob {
    OozeCauchyStep *step;
    OozeF32x4 *collided; /* velocities after collisions */
    OozeF32x4 *shift;    /* m: of positions alone */
    OozeF32x4 *next_x;   /* m */
    float *travel;       /* per chunk */
} MoveJob;

/* Velocity change by collisions, and shift, of one particle. */
static void pairs_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const MoveJob *job = data;
    const OozeCauchyStep *s = job->step;
    const OozeNeighbours *list = s->edges.list;
    for (uint64_t i = begin; i < end; i++) {
        const OozeF32x4 x = ooze_near_end(&s->edges, i);
        OozeF32x4 change = {0}, shift = {0}, parting = {0};
        for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
            uint32_t j = list->index[e];
            OozeF32x4 d = ooze_edge_delta(x, s->edges.x[j], s->edges.box, s->edges.periodic);
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
        OozeF32x4 inward = s->mps_sum[i] + 0.5f * ooze_cauchy_wall_edge(s, i);
        float side2 = ooze_f32x4_dot3(inward, inward), along = ooze_f32x4_dot3(shift, inward);
        if (along < 0.0f) {
            float share = ooze_cauchy_held_share(sqrtf(side2) / (0.5f * s->k.flat_edge));
            shift -= (share * along / side2) * inward;
        }
        shift *= ooze_cauchy_wall_freedom(&s->wall[i]);
        float most = ooze_cauchy_longest_shift(s->rate[i], s->k.dt) * s->k.spacing;
        shift *= ooze_cauchy_shortening(ooze_f32x4_dot3(shift, shift), most);
        most = OOZE_CAUCHY_LONGEST_SHIFT * s->k.spacing;
        shift += ooze_cauchy_shortening(ooze_f32x4_dot3(parting, parting), most) * parting;
        bool free = s->mobility[i] > 0.0f;
        job->collided[i] = free ? s->u[i] + change : s->u[i];
        job->shift[i] = free ? shift : ooze_f32x4_splat(0.0f);
        job->shift[i][3] = 0;
    }
}

/* Velocity of a particle at x after the contact with one solid. Returns the change. */
static OozeVec3 touch(const OozeCauchyStep *s, const OozeSolid *solid, OozeVec3 x, OozeVec3 *v)
{
    OozeCauchyTouch touch = {s->context->spacing, (double)s->k.contact_distance, s->context->dt,
                             ooze_solid_fluid_friction(solid)};
    OozeVec3 before = *v;
    *v = ooze_cauchy_touch(solid->shape, &solid->pose, &touch, x, before);
    return vec3_sub(*v, before);
}

/* Velocity change by the pressure of one solid in this step. */
static OozeVec3 pressed(const OozeCauchyStep *s, uint64_t i, const OozeSolid *solid, OozeVec3 x)
{
    const OozeStepContext *c = s->context;
    OozeCauchyPress press = {c->spacing, c->support, c->dt, s->pressure_correction[i],
                             s->mobility[i] * s->last_pressure[i]};
    return ooze_cauchy_pressed(&s->k, &press, solid->shape, &solid->pose, x);
}

/* Contact of a particle with the solids of `near`. */
static void collide(const OozeCauchyStep *s, uint64_t i, uint64_t near, OozeVec3 *v)
{
    const OozeStepContext *c = s->context;
    OozeVec3 x = widen(s->x[i]);
    for (int k = 0; k < c->solid_count; k++) {
        const OozeSolid *solid = &c->solids[k];
        if (!ooze_broad_phase_has(near, k) || !s->nearby.items[k].collides) {
            continue;
        }
        OozeVec3 change = touch(s, solid, x, v);
        if (s->impulses && ooze_solid_is_dynamic(solid)) {
            change = vec3_add(change, pressed(s, i, solid, x));
            if (vec3_dot(change, change) > 0.0) { /* others do not share the solid's mass */
                ooze_impulses_add(&s->impulses[i], k, x, change);
            }
        }
    }
}

/* Moves a position out of solids. */
static OozeVec3 push_out(const OozeCauchyStep *s, uint64_t near, OozeVec3 x)
{
    const OozeStepContext *c = s->context;
    double margin = OOZE_CAUCHY_PUSH_OUT * (double)s->k.contact_distance;
    for (int k = 0; k < c->solid_count; k++) {
        if (ooze_broad_phase_has(near, k) && s->nearby.items[k].collides) {
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
    const MoveJob *job = data;
    OozeCauchyStep *s = job->step;
    const OozeStepContext *c = s->context;
    float farthest2 = 0.0f, reach = (float)OOZE_CAUCHY_CLINGS * s->k.contact_distance;
    for (uint64_t i = begin; i < end; i++) {
        farthest2 = fmaxf(farthest2, ooze_f32x4_dot3(job->collided[i], job->collided[i]));
    }
    job->travel[begin / OOZE_CAUCHY_GRAIN] = s->k.dt * sqrtf(farthest2);
    reach += s->k.dt * sqrtf(farthest2) + 2.0f * OOZE_CAUCHY_LONGEST_SHIFT * s->k.spacing;
    if (s->impulses) { /* the pressure of particles within the support presses dynamic solids */
        reach = fmaxf(reach, s->k.support);
    }
    uint64_t around = ooze_broad_phase_find(&s->nearby, s->x, begin, end, reach, true, UINT64_MAX);
    uint64_t near = 0;
    for (uint64_t i = begin; i < end; i++) {
        OozeVec3 v = widen(job->collided[i]);
        uint64_t last = i + GROUP < end ? i + GROUP : end;
        if (i % GROUP == 0 || i == begin) {
            near =
                around ? ooze_broad_phase_find(&s->nearby, s->x, i, last, reach, true, around) : 0;
        }
        if (s->impulses) {
            s->impulses[i].count = 0;
        }
        bool touches = near && s->mobility[i] > 0.0f;
        if (touches) {
            collide(s, i, near, &v);
        }
        OozeVec3 x = vec3_add(vec3_madd(widen(s->x[i]), c->dt, v), widen(job->shift[i]));
        x = touches ? push_out(s, near, x) : x;
        job->next_x[i] = narrow(x);
        s->u[i] = narrow(v);
    }
}

OozeStatus ooze_cauchy_move(OozeCauchyStep *s, OozeError *error)
{
    OozeStepContext *c = s->context;
    uint64_t n = s->n, chunks = n / OOZE_CAUCHY_GRAIN + 1;
    MoveJob job = {.step = s,
                   .collided = ooze_arena_alloc(c->arena, n, sizeof *job.collided),
                   .shift = ooze_arena_alloc(c->arena, n, sizeof *job.shift),
                   .next_x = ooze_arena_alloc(c->arena, n, sizeof *job.next_x),
                   .travel = ooze_arena_alloc(c->arena, chunks, sizeof *job.travel)};
    s->impulses = c->dynamic ? ooze_arena_alloc(c->arena, n, sizeof *s->impulses) : NULL;
    if (ooze_arena_failed(c->arena)) {
        return ooze_fail_memory(error, "new positions", n * 48);
    }
    ooze_cauchy_refresh(s, s->u, sizeof *s->u);
    ooze_parallel_for(c->threads, n, OOZE_CAUCHY_GRAIN, pairs_range, &job);
    ooze_parallel_for(c->threads, n, OOZE_CAUCHY_GRAIN, move_range, &job);
    for (uint64_t k = 0; k * OOZE_CAUCHY_GRAIN < n; k++) {
        c->report->too_far = c->report->too_far || (double)job.travel[k] > c->longest_travel;
    }
    c->report->too_far = ooze_halo_any(c->halo, c->report->too_far);
    s->next_x = job.next_x;
    ooze_timer_lap(c->timer, "contact");
    return c->dynamic && !c->report->too_far
               ? ooze_impulses_share(c, s->impulses, (OozeFloat4 *)s->u, error)
               : OOZE_OK;
}
