/* Bodies at the beginning and at the end of a step: slots, poses, sums over a body. */
#include "methods/conformation/bodies.h"

#include <math.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "physics/kernels.h"
#include "physics/rigid_fit.h"
#include "physics/rigid_motion.h"

enum { BLOCK = 1024 };

static void to_array(OozeVec3 a, double v[3])
{
    v[0] = a.x;
    v[1] = a.y;
    v[2] = a.z;
}

static OozeVec3 turned(const double r[9], OozeVec3 a)
{
    double v[3];
    to_array(a, v);
    ooze_rigid_turn(r, v, 0, v);
    return vec3(v[0], v[1], v[2]);
}

static OozeVec3 from_four(OozeFour a)
{
    return vec3((double)a[0], (double)a[1], (double)a[2]);
}

static OozeFour to_four(OozeVec3 a)
{
    return ooze_four((float)a.x, (float)a.y, (float)a.z, 0);
}

static OozeVec3 velocity_at(const OozeSix *y, OozeVec3 arm)
{
    OozeVec3 w = vec3(y->v[3], y->v[4], y->v[5]);
    return vec3_add(vec3(y->v[0], y->v[1], y->v[2]), vec3_cross(w, arm));
}

/* ---- sums over a body ----------------------------------------------------------------------- */

typedef struct SumJob {
    OozeBodies *bodies;
    const OozeFour *field;
    bool by_mass;
} SumJob;

static void gather_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const SumJob *job = data;
    const OozeBodies *b = job->bodies;
    for (uint64_t k = begin; k < end; k++) {
        OozeSix sum = {{0}};
        for (uint64_t slot = b->blocks[k].begin; slot < b->blocks[k].end; slot++) {
            uint32_t i = b->index[slot];
            if (i == OOZE_NO_PARTICLE) {
                continue;
            }
            double weight = (double)b->step->rheology[b->step->material[i]].weight;
            OozeVec3 f = vec3_scale(from_four(job->field[i]), job->by_mass ? weight : 1.0);
            OozeVec3 torque = vec3_cross(b->arm[slot], f);
            double six[6] = {f.x, f.y, f.z, torque.x, torque.y, torque.z};
            for (int c = 0; c < 6; c++) {
                sum.v[c] += six[c];
            }
        }
        b->partial[k] = sum;
    }
}

void ooze_rigid_gather(OozeBodies *b, const OozeFour *field, bool by_mass)
{
    SumJob job = {.bodies = b, .field = field, .by_mass = by_mass};
    ooze_parallel_for(b->step->context->threads, b->block_count, 1, gather_range, &job);
    for (int k = 0; k < b->rigid_count; k++) {
        b->rigids[k].sum = (OozeSix){{0}};
    }
    for (uint64_t k = 0; k < b->block_count; k++) {
        for (int c = 0; c < 6; c++) {
            b->rigids[b->blocks[k].rigid].sum.v[c] += b->partial[k].v[c];
        }
    }
}

typedef struct SpreadJob {
    OozeBodies *bodies;
    OozeFour *field;
    bool add;
} SpreadJob;

static void spread_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const SpreadJob *job = data;
    const OozeBodies *b = job->bodies;
    for (uint64_t k = begin; k < end; k++) {
        const OozeRigid *rigid = &b->rigids[b->blocks[k].rigid];
        const OozeSix *y = job->add ? &rigid->response : &rigid->motion;
        for (uint64_t slot = b->blocks[k].begin; slot < b->blocks[k].end; slot++) {
            uint32_t i = b->index[slot];
            if (i != OOZE_NO_PARTICLE) {
                OozeFour u = to_four(velocity_at(y, b->arm[slot]));
                job->field[i] = job->add ? job->field[i] + u : u;
            }
        }
    }
}

void ooze_rigid_spread(OozeBodies *b, OozeFour *field, bool add)
{
    SpreadJob job = {.bodies = b, .field = field, .add = add};
    ooze_parallel_for(b->step->context->threads, b->block_count, 1, spread_range, &job);
}

OozeSix ooze_rigid_respond(const OozeRigid *rigid, const OozeSix *sum)
{
    OozeSix y;
    for (int c = 0; c < 3; c++) {
        y.v[c] = rigid->mass > 0.0 ? sum->v[c] / rigid->mass : 0.0;
    }
    ooze_rigid_apply(rigid->inverse_inertia, sum->v + 3, y.v + 3);
    return y;
}

/* ---- the pose at the beginning of the step ---------------------------------------------------- */

/* Where particle i is, near `anchor` across periodic borders. */
static OozeVec3 place_near(const OozeConformationStep *s, uint32_t i, uint32_t anchor)
{
    OozeFour d = ooze_four_nearest(s->x0[i] - s->x0[anchor], &s->context->periodic);
    return vec3_add(from_four(s->x0[anchor]), from_four(d));
}

static OozeVec3 rest_of(const OozeConformationStep *s, uint32_t i)
{
    OozeFloat4 p = s->context->rest[i];
    return vec3((double)p.x, (double)p.y, (double)p.z);
}

/* Mass and centres; which particle the others are near to. */
static uint32_t weigh(const OozeBodies *b, OozeRigid *rigid)
{
    const OozeConformationStep *s = b->step;
    OozeVec3 rest = vec3(0, 0, 0), now = vec3(0, 0, 0);
    uint32_t anchor = OOZE_NO_PARTICLE;
    for (uint64_t slot = rigid->first; slot < rigid->first + rigid->count; slot++) {
        uint32_t i = b->index[slot];
        if (i != OOZE_NO_PARTICLE) {
            anchor = anchor == OOZE_NO_PARTICLE ? i : anchor;
            double mass = (double)s->rheology[s->material[i]].weight;
            rigid->mass += mass;
            rigid->particles++;
            rest = vec3_madd(rest, mass, rest_of(s, i));
            now = vec3_madd(now, mass, place_near(s, i, anchor));
        }
    }
    if (rigid->mass > 0.0) {
        rigid->rest_centre = vec3_scale(rest, 1.0 / rigid->mass);
        rigid->centre = vec3_scale(now, 1.0 / rigid->mass);
    }
    return anchor;
}

/* Mueller, Heidelberger, Teschner and Gross 2005, shape matching: the rotation that carries rest
   positions nearest to the present ones. Errors of positions do not add up from step to step, for a
   body is always placed as it was at rest. */
static void match_shape(OozeBodies *b, OozeRigid *rigid)
{
    const OozeConformationStep *s = b->step;
    uint32_t anchor = weigh(b, rigid);
    double m[9] = {0}, moment[6] = {0};
    for (uint64_t slot = rigid->first; slot < rigid->first + rigid->count; slot++) {
        uint32_t i = b->index[slot];
        if (i == OOZE_NO_PARTICLE) {
            continue;
        }
        double mass = (double)s->rheology[s->material[i]].weight, from[3], to[3];
        to_array(vec3_sub(rest_of(s, i), rigid->rest_centre), from);
        to_array(vec3_sub(place_near(s, i, anchor), rigid->centre), to);
        for (int k = 0; k < 9; k++) {
            m[k] += mass * from[k / 3] * to[k % 3];
        }
    }
    ooze_rigid_fit(m, rigid->rotation);
    for (uint64_t slot = rigid->first; slot < rigid->first + rigid->count; slot++) {
        uint32_t i = b->index[slot];
        if (i != OOZE_NO_PARTICLE) {
            double mass = (double)s->rheology[s->material[i]].weight, arm[3];
            b->arm[slot] = turned(rigid->rotation, vec3_sub(rest_of(s, i), rigid->rest_centre));
            to_array(b->arm[slot], arm);
            ooze_rigid_add_moment(moment, mass, arm);
        }
    }
    double least = 1e-6 * rigid->mass * s->context->spacing * s->context->spacing;
    ooze_rigid_inverse_inertia(moment, least, rigid->inverse_inertia);
}

static void match_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeBodies *b = data;
    for (uint64_t k = begin; k < end; k++) {
        match_shape(b, &b->rigids[k]);
    }
}

/* ---- the beginning of the step ---------------------------------------------------------------- */

/* A particle of a body of m by m by m gives way as the whole does when one of its faces is pushed, 1/m,
   or twice that when it can also turn. */
static float ease_of(const OozeRigid *rigid, float mobility)
{
    double layers = cbrt((double)rigid->particles);
    return mobility * (float)fmin(1.0, 2.0 / fmax(layers, 1.0));
}

static void number_particles(OozeBodies *b)
{
    const OozeConformationStep *s = b->step;
    const OozeStepContext *c = s->context;
    const uint64_t *ids = ooze_particles_ids(c->particles);
    for (uint64_t slot = 0; slot < b->slots; slot++) {
        b->index[slot] = OOZE_NO_PARTICLE;
    }
    for (uint64_t i = 0; i < s->n; i++) {
        b->slot[i] = UINT32_MAX;
        b->rigid_of[i] = 0;
        if (c->body[i]) {
            int body = c->body[i] - 1;
            b->slot[i] = (uint32_t)(b->first_slot[body] + (ids[i] - c->bodies[body].first_id));
            b->index[b->slot[i]] = (uint32_t)i;
        }
    }
}

static void list_rigids(OozeBodies *b)
{
    const OozeStepContext *c = b->step->context;
    for (int k = 0; k < c->body_count; k++) {
        if (c->bodies[k].kind != OOZE_BODY_RIGID) {
            continue;
        }
        uint64_t first = b->first_slot[k], end = first + c->bodies[k].count;
        for (uint64_t at = first; at < end; at += BLOCK) {
            b->blocks[b->block_count++] = (OozeBodyBlock){
                .begin = at, .end = at + BLOCK < end ? at + BLOCK : end, .rigid = b->rigid_count};
        }
        b->rigids[b->rigid_count++] = (OozeRigid){.first = first, .count = end - first};
        for (uint64_t slot = first; slot < end; slot++) {
            if (b->index[slot] != OOZE_NO_PARTICLE) {
                b->rigid_of[b->index[slot]] = (uint16_t)b->rigid_count;
            }
        }
    }
}

/* The fluid that wets a particle of a body is that of its nearest neighbour among fluids. */
static void film_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeBodies *b = data;
    const OozeConformationStep *s = b->step;
    const OozeNeighbours *list = s->context->fluid;
    for (uint64_t i = begin; i < end; i++) {
        float largest = 0.0f;
        b->film[i] = s->material[i];
        for (uint64_t e = list->first[i], last = e + list->count[i];
             e < last && b->slot[i] != UINT32_MAX; e++) {
            uint32_t j = list->index[e];
            if (b->slot[j] == UINT32_MAX && s->edges.weight[e] > largest) {
                largest = s->edges.weight[e];
                b->film[i] = s->material[j];
            }
        }
    }
}

/* How dense its own body makes a particle: of a rigid one all that is near, of a soft one what it is bonded
   to. Neither is for the density stage to change; parts of a soft body that have folded onto each other
   are. */
static void limit_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeBodies *b = data;
    const OozeConformationStep *s = b->step;
    const OozeNeighbours *list = s->context->fluid;
    for (uint64_t i = begin; i < end; i++) {
        uint32_t slot = b->slot[i];
        float sum = ooze_cubic_value(0, s->support);
        b->bare[i] = slot != UINT32_MAX;
        for (uint64_t e = list->first[i], last = e + list->count[i]; b->rigid_of[i] && e < last;
             e++) {
            uint32_t j = list->index[e];
            OozeFour d = ooze_four_nearest(s->x0[j] - s->x0[i], &s->context->periodic);
            float value = ooze_cubic_value(sqrtf(ooze_four_dot3(d, d)), s->support);
            sum += b->rigid_of[j] == b->rigid_of[i] ? value : 0.0f;
        }
        bool soft = b->bonds && slot != UINT32_MAX;
        for (uint64_t e = soft ? b->bonds->first[slot] : 0; soft && e < b->bonds->first[slot + 1];
             e++) {
            sum += ooze_cubic_value(b->bonds->length[e] + b->pull[e][3], s->support);
        }
        b->limit[i] = b->bare[i] ? ooze_max(1.0f, s->volume * sum) : 1.0f;
    }
}

static OozeStatus allocate(OozeBodies *b, OozeError *error)
{
    const OozeStepContext *c = b->step->context;
    uint64_t count = (uint64_t)c->body_count, blocks = 0;
    b->first_slot = ooze_arena_alloc(c->arena, count, sizeof *b->first_slot);
    for (int k = 0; b->first_slot && k < c->body_count; k++) {
        b->first_slot[k] = b->slots;
        b->slots += c->bodies[k].count;
        blocks += c->bodies[k].count / BLOCK + 1;
    }
    b->index = ooze_arena_alloc(c->arena, b->slots, sizeof *b->index);
    b->slot = ooze_arena_alloc(c->arena, b->step->n, sizeof *b->slot);
    b->rigid_of = ooze_arena_alloc(c->arena, b->step->n, sizeof *b->rigid_of);
    b->ease = ooze_arena_alloc(c->arena, b->step->n, sizeof *b->ease);
    b->limit = ooze_arena_alloc(c->arena, b->step->n, sizeof *b->limit);
    b->bare = ooze_arena_alloc(c->arena, b->step->n, sizeof *b->bare);
    b->film = ooze_arena_alloc(c->arena, b->step->n, sizeof *b->film);
    b->arm = ooze_arena_alloc(c->arena, b->slots, sizeof *b->arm);
    b->rigids = ooze_arena_alloc(c->arena, count, sizeof *b->rigids);
    b->blocks = ooze_arena_alloc(c->arena, blocks, sizeof *b->blocks);
    b->partial = ooze_arena_alloc(c->arena, blocks, sizeof *b->partial);
    if (!b->first_slot || !b->index || !b->slot || !b->rigid_of || !b->ease || !b->film ||
        !b->limit || !b->bare || !b->arm || !b->rigids || !b->blocks || !b->partial) {
        return ooze_fail_memory(error, "the bodies", b->slots * sizeof *b->arm);
    }
    return OOZE_OK;
}

OozeStatus ooze_bodies_begin(OozeConformationStep *s, OozeConformationMemory *own, OozeError *error)
{
    const OozeStepContext *c = s->context;
    s->bodies = NULL;
    if (c->body_count == 0) {
        return OOZE_OK;
    }
    OozeBodies *b = ooze_arena_alloc(c->arena, 1, sizeof *b);
    if (!b) {
        return ooze_fail_memory(error, "the bodies", sizeof *b);
    }
    *b = (OozeBodies){.step = s};
    OozeStatus status = allocate(b, error);
    if (status) {
        return status;
    }
    number_particles(b);
    list_rigids(b);
    ooze_parallel_for(c->threads, s->n, OOZE_CONFORMATION_GRAIN, film_range, b);
    ooze_parallel_for(c->threads, (uint64_t)b->rigid_count, 1, match_range, b);
    for (uint64_t i = 0; i < s->n; i++) {
        int rigid = b->rigid_of[i] - 1;
        b->ease[i] = rigid < 0 ? s->mobility[i] : ease_of(&b->rigids[rigid], s->mobility[i]);
    }
    ooze_rigid_gather(b, s->u, true);
    for (int k = 0; k < b->rigid_count; k++) {
        OozeRigid *rigid = &b->rigids[k];
        rigid->motion = rigid->given = rigid->found = ooze_rigid_respond(rigid, &rigid->sum);
    }
    ooze_rigid_spread(b, s->u, false);
    s->bodies = b;
    status = ooze_rigid_find_contacts(b, error);
    status = status ? status : ooze_bonds_begin(b, own, error);
    if (!status) {
        ooze_parallel_for(c->threads, s->n, OOZE_CONFORMATION_GRAIN, limit_range, b);
    }
    return status;
}

/* ---- the end of the step ---------------------------------------------------------------------- */

typedef struct PlaceJob {
    OozeConformationStep *step;
    OozeFour *x;
} PlaceJob;

/* Momenta stay; the spin follows the inertia of the new pose. */
static void place_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const PlaceJob *job = data;
    OozeConformationStep *s = job->step;
    OozeBodies *b = s->bodies;
    for (uint64_t k = begin; k < end; k++) {
        OozeRigid *rigid = &b->rigids[k];
        OozeVec3 centre =
            vec3_madd(rigid->centre, (double)s->dt,
                      vec3(rigid->motion.v[0], rigid->motion.v[1], rigid->motion.v[2]));
        double turn[9], *l = rigid->sum.v + 3;
        ooze_rigid_step(rigid->inverse_inertia, l, (double)s->dt, turn);
        OozeSix last = rigid->motion;
        ooze_rigid_spin(rigid->inverse_inertia, turn, l, last.v + 3);
        for (uint64_t slot = rigid->first; slot < rigid->first + rigid->count; slot++) {
            uint32_t i = b->index[slot];
            if (i != OOZE_NO_PARTICLE) {
                OozeVec3 arm = turned(turn, b->arm[slot]);
                job->x[i] = to_four(vec3_add(centre, arm));
                s->u[i] = to_four(velocity_at(&last, arm));
            }
        }
    }
}

void ooze_bodies_place(OozeConformationStep *s, OozeFour *x)
{
    if (s->bodies) {
        OozeBodies *b = s->bodies;
        ooze_rigid_gather(b, s->u, true);
        for (int k = 0; k < b->rigid_count; k++) {
            b->rigids[k].motion = ooze_rigid_respond(&b->rigids[k], &b->rigids[k].sum);
        }
        PlaceJob job = {.step = s, .x = x};
        ooze_parallel_for(s->context->threads, (uint64_t)b->rigid_count, 1, place_range, &job);
    }
}
