/* Bodies at the beginning and at the end of a step: slots, poses, sums over a body. */
#include "methods/conformation/bodies/bodies.h"

#include <math.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "physics/rigid_fit.h"
#include "physics/rigid_motion.h"
#include "solvers/periodic_f32x4.h"

enum { BLOCK = 1024 };

static void to_array(OozeVec3 a, double v[3])
{
    v[0] = a.x;
    v[1] = a.y;
    v[2] = a.z;
}

static OozeVec3 rotated(const double r[9], OozeVec3 a)
{
    double v[3];
    to_array(a, v);
    ooze_rigid_rotate(r, v, 0, v);
    return vec3(v[0], v[1], v[2]);
}

static OozeVec3 widen(OozeFloat4 a)
{
    return vec3((double)a.x, (double)a.y, (double)a.z);
}

static OozeFloat4 narrow(OozeVec3 a)
{
    return (OozeFloat4){(float)a.x, (float)a.y, (float)a.z, 0};
}

static OozeVec3 velocity_at(const OozeTwist *y, OozeVec3 arm)
{
    OozeVec3 w = vec3(y->v[3], y->v[4], y->v[5]);
    return vec3_add(vec3(y->v[0], y->v[1], y->v[2]), vec3_cross(w, arm));
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
            OozeVec3 torque = vec3_cross(b->arm[slot], f);
            double wrench[6] = {f.x, f.y, f.z, torque.x, torque.y, torque.z};
            for (int c = 0; c < 6; c++) {
                sum.v[c] += wrench[c];
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
                job->field[slot] = narrow(velocity_at(y, b->arm[slot]));
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

OozeTwist ooze_rigid_respond(const OozeRigid *rigid, const OozeTwist *sum)
{
    OozeTwist y;
    for (int c = 0; c < 3; c++) {
        y.v[c] = rigid->mass > 0.0 ? sum->v[c] / rigid->mass : 0.0;
    }
    ooze_sym6_apply(rigid->inverse_inertia, sum->v + 3, y.v + 3);
    return y;
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
    if (rigid->mass > 0.0) {
        rigid->rest_centre = vec3_scale(rest, 1.0 / rigid->mass);
        rigid->centre = vec3_scale(now, 1.0 / rigid->mass);
    }
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
        double mass = (double)b->place[slot].w, from[3], to[3];
        to_array(vec3_sub(widen(b->rest[slot]), rigid->rest_centre), from);
        to_array(vec3_sub(place_near(b, slot, anchor), rigid->centre), to);
        for (int k = 0; k < 9; k++) {
            m[k] += mass * from[k / 3] * to[k % 3];
        }
    }
    ooze_rigid_fit(m, rigid->rotation);
    for (uint64_t slot = rigid->first; slot < rigid->first + rigid->count; slot++) {
        if (b->index[slot] != OOZE_NO_PARTICLE) {
            double arm[3];
            b->arm[slot] =
                rotated(rigid->rotation, vec3_sub(widen(b->rest[slot]), rigid->rest_centre));
            to_array(b->arm[slot], arm);
            ooze_rigid_add_moment(moment, (double)b->place[slot].w, arm);
        }
    }
    double spacing = b->context->spacing, smallest = 1e-6 * rigid->mass * spacing * spacing;
    ooze_rigid_inverse_inertia(moment, smallest, rigid->inverse_inertia);
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

/* A push on a face of a body of m by m by m particles moves all of it, 1/m for each particle of the
   face, or twice that when it can also rotate. */
float ooze_rigid_inverse_mass_ratio(const OozeRigid *rigid)
{
    double layers = cbrt((double)rigid->particles);
    return (float)fmin(1.0, 2.0 / fmax(layers, 1.0));
}

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

static OozeStatus allocate_slots(OozeBodies *b, OozeError *error)
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

OozeStatus ooze_bodies_create(OozeBodies *b, const OozeStepContext *c, float contact,
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
    return allocate_slots(b, error);
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

/* Conserves momenta; the spin follows from the inertia in the new pose. */
static void place_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const PlaceJob *job = data;
    OozeBodies *b = job->bodies;
    double dt = (double)(float)b->context->dt; /* as the particles move */
    for (uint64_t k = begin; k < end; k++) {
        OozeRigid *rigid = &b->rigids[k];
        OozeVec3 centre = vec3_madd(
            rigid->centre, dt, vec3(rigid->motion.v[0], rigid->motion.v[1], rigid->motion.v[2]));
        double rotation[9], *l = rigid->sum.v + 3;
        ooze_rigid_step(rigid->inverse_inertia, l, dt, rotation);
        OozeTwist last = rigid->motion;
        ooze_rigid_spin(rigid->inverse_inertia, rotation, l, last.v + 3);
        for (uint64_t slot = rigid->first; slot < rigid->first + rigid->count; slot++) {
            if (b->index[slot] != OOZE_NO_PARTICLE) {
                OozeVec3 arm = rotated(rotation, b->arm[slot]);
                job->x[slot] = narrow(vec3_add(centre, arm));
                job->u[slot] = narrow(velocity_at(&last, arm));
            }
        }
    }
}

void ooze_bodies_place(OozeBodies *b, OozeFloat4 *u, OozeFloat4 *x)
{
    ooze_rigid_gather(b, u, true);
    for (int k = 0; k < b->rigid_count; k++) {
        b->rigids[k].motion = ooze_rigid_respond(&b->rigids[k], &b->rigids[k].sum);
    }
    PlaceJob job = {.bodies = b, .u = u, .x = x};
    ooze_parallel_for(b->context->threads, (uint64_t)b->rigid_count, 1, place_range, &job);
}
