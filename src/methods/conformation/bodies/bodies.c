/* Bodies at the beginning and at the end of a step: slots, poses, sums over a body. */
#include "methods/conformation/bodies/bodies.h"

#include "base/fail.h"
#include "base/vec3.h"
#include "solvers/vectors/periodic_f32x4.h"

enum { BLOCK = 1024 };

static OozeVec3 widen(OozeFloat4 a)
{
    return vec3((double)a.x, (double)a.y, (double)a.z);
}

static OozeFloat4 narrow(OozeVec3 a)
{
    return (OozeFloat4){(float)a.x, (float)a.y, (float)a.z, 0};
}

/* ---- sums over a body ----------------------------------------------------------------------- */

typedef struct SumJob {
    OozeBodies *bodies;
    const OozeFloat4 *field;
    bool by_mass;
} SumJob;

static void gather_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const SumJob *job = data;
    const OozeBodies *b = job->bodies;
    for (uint64_t k = begin; k < end; k++) {
        OozeTwist sum = {{0}};
        for (uint64_t slot = b->blocks[k].begin; slot < b->blocks[k].end; slot++) {
            if (b->index[slot] == OOZE_NO_PARTICLE) {
                continue;
            }
            double mass = (double)b->place[slot].w;
            OozeVec3 f = vec3_scale(widen(job->field[slot]), job->by_mass ? mass : 1.0);
            OozeTwist wrench = ooze_rigid_wrench(b->arm[slot], f);
            for (int c = 0; c < 6; c++) {
                sum.v[c] += wrench.v[c];
            }
        }
        b->partial[k] = sum;
    }
}

void ooze_rigid_gather(OozeBodies *b, const OozeFloat4 *field, bool by_mass)
{
    SumJob job = {.bodies = b, .field = field, .by_mass = by_mass};
    ooze_parallel_for(b->context->threads, b->block_count, 1, gather_range, &job);
    for (int k = 0; k < b->rigid_count; k++) {
        b->rigids[k].sum = (OozeTwist){{0}};
    }
    for (uint64_t k = 0; k < b->block_count; k++) {
        for (int c = 0; c < 6; c++) {
            b->rigids[b->blocks[k].rigid].sum.v[c] += b->partial[k].v[c];
        }
    }
}

typedef struct SpreadJob {
    const OozeBodies *bodies;
    OozeFloat4 *field;
    bool response; /* false: motion */
} SpreadJob;

static void spread_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const SpreadJob *job = data;
    const OozeBodies *b = job->bodies;
    for (uint64_t k = begin; k < end; k++) {
        const OozeRigid *rigid = &b->rigids[b->blocks[k].rigid];
        const OozeTwist *y = job->response ? &rigid->response : &rigid->motion;
        for (uint64_t slot = b->blocks[k].begin; slot < b->blocks[k].end; slot++) {
            if (b->index[slot] != OOZE_NO_PARTICLE) {
                job->field[slot] = narrow(ooze_rigid_velocity_at(y, b->arm[slot]));
            }
        }
    }
}

void ooze_rigid_spread_motion(const OozeBodies *b, OozeFloat4 *field)
{
    SpreadJob job = {.bodies = b, .field = field};
    ooze_parallel_for(b->context->threads, b->block_count, 1, spread_range, &job);
}

void ooze_rigid_spread_response(const OozeBodies *b, OozeFloat4 *field)
{
    SpreadJob job = {.bodies = b, .field = field, .response = true};
    ooze_parallel_for(b->context->threads, b->block_count, 1, spread_range, &job);
}

/* ---- the pose at the beginning of the step ---- */

/* Position of the particle of a slot: the periodic image nearest to that of `anchor`. */
static OozeVec3 place_near(const OozeBodies *b, uint64_t slot, uint64_t anchor)
{
    OozeFloat4 p = b->place[slot], q = b->place[anchor];
    OozeF32x4 d =
        ooze_f32x4_nearest(ooze_f32x4(p.x - q.x, p.y - q.y, p.z - q.z, 0), &b->context->periodic);
    return vec3_add(widen(q), vec3((double)d[0], (double)d[1], (double)d[2]));
}

/* Sets mass and centres; returns the slot that periodic images are relative to. */
static uint64_t find_centres(const OozeBodies *b, OozeRigid *rigid)
{
    OozeVec3 rest = vec3(0, 0, 0), now = vec3(0, 0, 0);
    uint64_t anchor = UINT64_MAX;
    for (uint64_t slot = rigid->first; slot < rigid->first + rigid->count; slot++) {
        if (b->index[slot] != OOZE_NO_PARTICLE) {
            anchor = anchor == UINT64_MAX ? slot : anchor;
            double mass = (double)b->place[slot].w;
            rigid->mass += mass;
            rigid->particles++;
            rest = vec3_madd(rest, mass, widen(b->rest[slot]));
            now = vec3_madd(now, mass, place_near(b, slot, anchor));
        }
    }
    ooze_rigid_set_centres(rigid, rest, now);
    return anchor;
}

/* Mueller, Heidelberger, Teschner and Gross 2005, shape matching: the rotation that carries rest
   positions nearest to the present ones. Errors of positions do not accumulate, because a body is
   always placed from its rest positions. */
static void match_shape(OozeBodies *b, OozeRigid *rigid)
{
    uint64_t anchor = find_centres(b, rigid);
    double m[9] = {0}, moment[6] = {0};
    for (uint64_t slot = rigid->first; slot < rigid->first + rigid->count; slot++) {
        if (b->index[slot] == OOZE_NO_PARTICLE) {
            continue;
        }
        ooze_rigid_add_match(m, (double)b->place[slot].w,
                             vec3_sub(widen(b->rest[slot]), rigid->rest_centre),
                             vec3_sub(place_near(b, slot, anchor), rigid->centre));
    }
    ooze_rigid_fit(m, rigid->rotation);
    for (uint64_t slot = rigid->first; slot < rigid->first + rigid->count; slot++) {
        if (b->index[slot] != OOZE_NO_PARTICLE) {
            b->arm[slot] = ooze_rigid_rotated(rigid->rotation,
                                              vec3_sub(widen(b->rest[slot]), rigid->rest_centre));
            ooze_rigid_add_arm(moment, (double)b->place[slot].w, b->arm[slot]);
        }
    }
    ooze_rigid_set_inertia(rigid, moment, b->context->spacing);
}

static void match_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeBodies *b = data;
    for (uint64_t k = begin; k < end; k++) {
        match_shape(b, &b->rigids[k]);
    }
}

/* ---- the beginning of the step ---- */

static void list_rigid(OozeBodies *b, uint64_t count)
{
    uint64_t first = b->rigid_slots, end = first + count;
    for (uint64_t at = first; at < end; at += BLOCK) {
        b->blocks[b->block_count++] = (OozeBodyBlock){
            .begin = at, .end = at + BLOCK < end ? at + BLOCK : end, .rigid = b->rigid_count};
    }
    b->rigids[b->rigid_count++] = (OozeRigid){.first = first, .count = count};
    b->rigid_slots = end;
}

static void list_slots(OozeBodies *b)
{
    const OozeStepContext *c = b->context;
    for (int k = 0; k < c->body_count; k++) {
        bool rigid = c->bodies[k].kind == OOZE_BODY_RIGID;
        b->first_slot[k] = b->rigid_slots;
        if (rigid) {
            list_rigid(b, c->bodies[k].count);
        }
        b->rigid_of[k] = rigid ? (uint16_t)b->rigid_count : 0;
    }
    b->slots = b->rigid_slots;
    for (int k = 0; k < c->body_count; k++) {
        if (!b->rigid_of[k]) {
            b->first_slot[k] = b->slots;
            b->slots += c->bodies[k].count;
        }
    }
}

OozeStatus ooze_bodies_allocate(OozeBodies *b, OozeError *error)
{
    OozeArena *arena = b->context->arena;
    b->index = ooze_arena_alloc(arena, b->slots, sizeof *b->index);
    b->rest = ooze_arena_alloc(arena, b->slots, sizeof *b->rest);
    b->place = ooze_arena_alloc(arena, b->rigid_slots, sizeof *b->place);
    b->field[0] = ooze_arena_alloc(arena, b->rigid_slots, sizeof *b->field[0]);
    b->field[1] = ooze_arena_alloc(arena, b->rigid_slots, sizeof *b->field[1]);
    b->arm = ooze_arena_alloc(arena, b->rigid_slots, sizeof *b->arm);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "the bodies", b->slots * sizeof *b->arm);
    }
    return OOZE_OK;
}

OozeStatus ooze_bodies_assign_slots(OozeBodies *b, const OozeStepContext *c, float contact,
                                    OozeError *error)
{
    uint64_t count = (uint64_t)c->body_count, blocks = 0;
    *b = (OozeBodies){.context = c, .contact = contact};
    for (int k = 0; k < c->body_count; k++) {
        blocks += c->bodies[k].count / BLOCK + 1;
    }
    b->first_slot = ooze_arena_alloc(c->arena, count, sizeof *b->first_slot);
    b->rigid_of = ooze_arena_alloc(c->arena, count, sizeof *b->rigid_of);
    b->rigids = ooze_arena_alloc(c->arena, count, sizeof *b->rigids);
    b->blocks = ooze_arena_alloc(c->arena, blocks, sizeof *b->blocks);
    b->partial = ooze_arena_alloc(c->arena, blocks, sizeof *b->partial);
    if (ooze_arena_failed(c->arena)) {
        return ooze_fail_memory(error, "the bodies", count * sizeof *b->rigids);
    }
    list_slots(b);
    return OOZE_OK;
}

OozeStatus ooze_bodies_begin(OozeBodies *b, OozeFloat4 *u, OozeError *error)
{
    ooze_parallel_for(b->context->threads, (uint64_t)b->rigid_count, 1, match_range, b);
    ooze_rigid_gather(b, u, true);
    for (int k = 0; k < b->rigid_count; k++) {
        OozeRigid *rigid = &b->rigids[k];
        rigid->motion = rigid->motion_star = rigid->pass_motion =
            ooze_rigid_respond(rigid, &rigid->sum);
    }
    ooze_rigid_spread_motion(b, u);
    return ooze_rigid_find_contacts(b, u, error);
}

/* ---- the end of the step ---- */

typedef struct PlaceJob {
    OozeBodies *bodies;
    OozeFloat4 *u, *x;
} PlaceJob;

static void place_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const PlaceJob *job = data;
    OozeBodies *b = job->bodies;
    double dt = (double)(float)b->context->dt; /* as the particles move */
    for (uint64_t k = begin; k < end; k++) {
        OozeRigid *rigid = &b->rigids[k];
        const OozeRigidEnd end_pose = ooze_rigid_end(rigid, dt);
        for (uint64_t slot = rigid->first; slot < rigid->first + rigid->count; slot++) {
            if (b->index[slot] != OOZE_NO_PARTICLE) {
                OozeVec3 arm = ooze_rigid_rotated(end_pose.rotation, b->arm[slot]);
                job->x[slot] = narrow(vec3_add(end_pose.centre, arm));
                job->u[slot] = narrow(ooze_rigid_velocity_at(&end_pose.motion, arm));
            }
        }
    }
}

void ooze_bodies_place(OozeBodies *b, OozeFloat4 *u, OozeFloat4 *x)
{
    ooze_rigid_gather(b, u, true);
    PlaceJob job = {.bodies = b, .u = u, .x = x};
    ooze_parallel_for(b->context->threads, (uint64_t)b->rigid_count, 1, place_range, &job);
}
