/* Algorithm 6: dynamic solids and particles, in three steps.

   In the paper a body gets the impulses of all particles that are inside it after it was advanced freely. A light one gets more than
   it can bear then, and flies off. Here its velocity is that at which it would have been given just what particles lose to it when
   it moves so: with K = n n^T + mu (1 - n n^T) of eqs 9 to 11,

     M dV = sum m K (v - V(x)),   I dw = sum r x m K (v - V(x)),   V(x) = V + w x r

   over particles that touch it and approach. For heavy bodies that is the paper's. It is solved a few times, as bodies that are moved
   touch others. At the end each body is given exactly what its particles lost, whatever contacts and joints did in between. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "methods/springs/workspace.h"

/* ---- who may touch a body ------------------------------------------------------------------------- */

typedef struct Search {
    const OozeSpringsStep *s;
    uint8_t *flag;
} Search;

static bool may_touch(const OozeSpringsStep *s, uint64_t k)
{
    const OozeStepContext *c = s->context;
    uint32_t i = s->order[k];
    OozeFour way = s->dt * s->u[i] + s->point[k].shift, to = s->x0[i] + way;
    OozeVec3 at = vec3(to[0], to[1], to[2]);
    double travel = (double)sqrtf(ooze_four_dot3(way, way));
    for (int b = 0; b < c->solid_count; b++) {
        const OozeSolid *solid = &c->solids[b];
        if (ooze_solid_is_dynamic(solid) && solid->params[OOZE_SOLID_COLLIDES] != 0.0) {
            OozeContact contact = ooze_solid_contact(solid, at);
            double moved = c->dt * vec3_length(contact.velocity);
            double reach = s->rule.margin + solid->params[OOZE_SOLID_STICK_DISTANCE];
            if (contact.distance < reach + travel + 2.0 * moved + c->support) {
                return true;
            }
        }
    }
    return false;
}

static void search_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Search *search = data;
    for (uint64_t k = begin; k < end; k++) {
        search->flag[k] = !search->s->led[k] && may_touch(search->s, k);
    }
}

static OozeStatus find_near(OozeSpringsStep *s, OozeError *error)
{
    OozeArena *arena = s->context->arena;
    Search search = {s, ooze_arena_alloc(arena, s->n, sizeof *search.flag)};
    uint64_t count = 0;
    if (!search.flag) {
        return ooze_fail_memory(error, "particles near bodies", s->n);
    }
    ooze_parallel_for(s->context->threads, s->n, OOZE_SPRINGS_GRAIN, search_range, &search);
    for (uint64_t k = 0; k < s->n; k++) {
        count += search.flag[k];
    }
    s->near = ooze_arena_alloc(arena, count, sizeof *s->near);
    s->meetings = ooze_arena_alloc(arena, count, sizeof *s->meetings);
    s->flight = ooze_arena_alloc(arena, (size_t)s->context->solid_count, sizeof *s->flight);
    if (!s->near || !s->meetings || !s->flight) {
        return ooze_fail_memory(error, "particles near bodies", count * sizeof *s->meetings);
    }
    s->near_count = 0;
    for (uint64_t k = 0; k < s->n; k++) {
        if (search.flag[k]) {
            s->near[s->near_count++] = (uint32_t)k;
        }
    }
    return OOZE_OK;
}

static void meet_near(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeSpringsStep *s = data;
    for (uint64_t e = begin; e < end; e++) {
        ooze_springs_meet(s, s->near[e], &s->meetings[e]);
    }
}

static double mass_of(const OozeSpringsStep *s, uint64_t e)
{
    return (double)s->matter[s->material[s->near[e]]].mass;
}

/* ---- one body --------------------------------------------------------------------------------------- */

/* A symmetric system of six: first the velocity of the centre, then the spin. */
typedef struct System {
    double a[6][6], b[6];
} System;

static OozeVec3 rows3(const double m[3][3], OozeVec3 v)
{
    return vec3(m[0][0] * v.x + m[0][1] * v.y + m[0][2] * v.z,
                m[1][0] * v.x + m[1][1] * v.y + m[1][2] * v.z,
                m[2][0] * v.x + m[2][1] * v.y + m[2][2] * v.z);
}

/* The body alone. */
static void begin_system(System *y, const OozeSolid *solid, const OozePose *pose)
{
    memset(y, 0, sizeof *y);
    for (int k = 0; k < 3; k++) {
        OozeVec3 turn = vec3(k == 0, k == 1, k == 2);
        OozeVec3 column = ooze_dynamic_momentum(solid, pose, turn);
        y->a[k][k] = solid->mass.mass;
        y->a[3][3 + k] = column.x;
        y->a[4][3 + k] = column.y;
        y->a[5][3 + k] = column.z;
    }
}

/* m J^T K J and m J^T K v, with J = (1, -r x). */
static void add_contact(System *y, double m, double mu, OozeVec3 n, OozeVec3 r, OozeVec3 v)
{
    double k[3][3], normal[3] = {n.x, n.y, n.z};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            k[i][j] = m * ((1.0 - mu) * normal[i] * normal[j] + (i == j ? mu : 0.0));
        }
    }
    for (int c = 0; c < 6; c++) {
        OozeVec3 axis = vec3(c % 3 == 0, c % 3 == 1, c % 3 == 2);
        OozeVec3 moved = c < 3 ? axis : vec3_cross(axis, r);
        OozeVec3 f = rows3((const double(*)[3])k, moved), t = vec3_cross(r, f);
        const double column[6] = {f.x, f.y, f.z, t.x, t.y, t.z};
        for (int i = 0; i < 6; i++) {
            y->a[i][c] += column[i];
        }
    }
    OozeVec3 f = rows3((const double(*)[3])k, v), t = vec3_cross(r, f);
    const double given[6] = {f.x, f.y, f.z, t.x, t.y, t.z};
    for (int i = 0; i < 6; i++) {
        y->b[i] += given[i];
    }
}

/* Positive definite: no pivots are needed. */
static void solve(System *y, double x[6])
{
    for (int p = 0; p < 6; p++) {
        for (int i = p + 1; i < 6; i++) {
            double share = y->a[i][p] / y->a[p][p];
            for (int j = p; j < 6; j++) {
                y->a[i][j] -= share * y->a[p][j];
            }
            y->b[i] -= share * y->b[p];
        }
    }
    for (int p = 5; p >= 0; p--) {
        x[p] = y->b[p];
        for (int j = p + 1; j < 6; j++) {
            x[p] -= y->a[p][j] * x[j];
        }
        x[p] /= y->a[p][p];
    }
}

/* A particle's contacts with one body are one: where it is first touched. */
static const OozeTouch *touch_of(const OozeSpringsMeeting *m, int body, OozeVec3 *arriving)
{
    *arriving = m->arriving;
    for (int t = 0; t < m->touches.count; t++) {
        if (m->touches.item[t].solid == body) {
            return &m->touches.item[t];
        }
        *arriving = vec3_add(*arriving, m->touches.item[t].change);
    }
    return NULL;
}

/* What all touching particles would give it, if it moved by x more than freely. Gives how many approach then. */
static uint64_t assemble(const OozeSpringsStep *s, int body, const double x[6], System *y)
{
    const OozeSolid *solid = &s->context->solids[body];
    const OozePose *free = &s->flight[body];
    OozeVec3 centre = ooze_dynamic_centre(solid, &solid->pose);
    OozeVec3 flying = ooze_pose_velocity_at(free, ooze_dynamic_centre(solid, free));
    double mu = ooze_contact_wet_share(solid, &s->rule);
    uint64_t active = 0;
    begin_system(y, solid, &solid->pose);
    for (uint64_t e = 0; e < s->near_count; e++) {
        OozeVec3 arriving;
        const OozeTouch *touch = touch_of(&s->meetings[e], body, &arriving);
        if (!touch) {
            continue;
        }
        OozeVec3 n = ooze_solid_contact(solid, touch->point).normal;
        OozeVec3 r = vec3_sub(touch->point, centre);
        OozeVec3 v = vec3_sub(arriving, vec3_add(flying, vec3_cross(free->spin, r)));
        OozeVec3 yields = vec3_add(vec3(x[0], x[1], x[2]), vec3_cross(vec3(x[3], x[4], x[5]), r));
        if (vec3_dot(n, vec3_sub(v, yields)) < 0.0) {
            add_contact(y, mass_of(s, e), mu, n, r, v);
            active++;
        }
    }
    return active;
}

/* What stickiness gives, as it stands. */
static OozeLoad held_load(const OozeSpringsStep *s, int body)
{
    const OozeSolid *solid = &s->context->solids[body];
    OozeVec3 centre = ooze_dynamic_centre(solid, &solid->pose);
    OozeLoad load = {{0, 0, 0}, {0, 0, 0}};
    for (uint64_t e = 0; e < s->near_count; e++) {
        const OozeTouches *held = &s->meetings[e].held;
        for (int t = 0; t < held->count; t++) {
            if (held->item[t].solid == body) {
                ooze_load_add(&load, centre, held->item[t].point,
                              vec3_scale(held->item[t].change, -mass_of(s, e)));
            }
        }
    }
    return load;
}

/* Rounds until the particles that approach are the same. */
enum { ACTIVE_ROUNDS = 12 };

static OozeLoad push_of(const OozeSpringsStep *s, int body)
{
    const OozeSolid *solid = &s->context->solids[body];
    OozeLoad held = held_load(s, body);
    double x[6] = {0};
    uint64_t before = UINT64_MAX;
    for (int round = 0; round < ACTIVE_ROUNDS; round++) {
        System y;
        uint64_t active = assemble(s, body, x, &y);
        if (active == before) {
            break;
        }
        const double also[6] = {held.impulse.x, held.impulse.y, held.impulse.z,
                                held.moment.x,  held.moment.y,  held.moment.z};
        for (int k = 0; k < 6; k++) {
            y.b[k] += also[k];
        }
        solve(&y, x);
        before = active;
    }
    OozeVec3 turn = vec3(x[3], x[4], x[5]);
    return (OozeLoad){vec3_scale(vec3(x[0], x[1], x[2]), solid->mass.mass),
                      ooze_dynamic_momentum(solid, &solid->pose, turn)};
}

/* ---- the three steps -------------------------------------------------------------------------------- */

/* A body that is pushed touches others then, and these are in the next round. */
enum { MOVES = 3 };

OozeStatus ooze_springs_move_bodies(OozeSpringsStep *s, OozeError *error)
{
    OozeDynamicStage *stage = s->context->dynamic;
    OozeStatus status = find_near(s, error);
    if (status) {
        return status;
    }
    for (int b = 0; b < stage->count; b++) {
        s->flight[b] = stage->solids[b].pose;
    }
    for (int move = 0; move < MOVES && !status; move++) {
        ooze_parallel_for(s->context->threads, s->near_count, 16, meet_near, s);
        for (int b = 0; b < stage->count; b++) {
            if (ooze_solid_is_dynamic(&stage->solids[b])) {
                stage->loads[b] = push_of(s, b);
            }
        }
        status = ooze_dynamic_move(stage, error);
    }
    return status;
}

/* What particles have really lost to a body, and how heavy those are that touch it. */
static OozeLoad lost_to(const OozeSpringsStep *s, int body, double *touching)
{
    const OozeSolid *solid = &s->context->solids[body];
    OozeVec3 centre = ooze_dynamic_centre(solid, &solid->pose);
    OozeLoad load = held_load(s, body);
    *touching = 0.0;
    for (uint64_t e = 0; e < s->near_count; e++) {
        const OozeTouches *touches = &s->meetings[e].touches;
        bool touched = false;
        for (int t = 0; t < touches->count; t++) {
            if (touches->item[t].solid == body) {
                touched = true;
                ooze_load_add(&load, centre, touches->item[t].point,
                              vec3_scale(touches->item[t].change, -mass_of(s, e)));
            }
        }
        *touching += touched ? mass_of(s, e) : 0.0;
    }
    return load;
}

/* Gives all that touch a body a change of velocity. */
static void share_out(const OozeSpringsStep *s, int body, OozeVec3 change)
{
    OozeFloat4 *v = ooze_particles_velocities(s->context->particles);
    for (uint64_t e = 0; e < s->near_count; e++) {
        OozeVec3 arriving;
        if (touch_of(&s->meetings[e], body, &arriving)) {
            OozeVec3 *velocity = &s->meetings[e].velocity;
            *velocity = vec3_add(*velocity, change);
            v[s->order[s->near[e]]] =
                (OozeFloat4){(float)velocity->x, (float)velocity->y, (float)velocity->z, 0};
        }
    }
}

/* What particles lost is not quite what the body was moved with. The difference is borne by both, each as heavy as it is: a body
   of a hundredth of a particle's mass would be thrown about by all of it. */
OozeStatus ooze_springs_settle_bodies(OozeSpringsStep *s, OozeError *error)
{
    OozeDynamicStage *stage = s->context->dynamic;
    for (int b = 0; b < stage->count; b++) {
        const OozeSolid *solid = &stage->solids[b];
        if (!ooze_solid_is_dynamic(solid)) {
            continue;
        }
        double touching, own = 1.0;
        OozeLoad lost = lost_to(s, b, &touching), *given = &stage->loads[b];
        if (touching > 0.0) {
            own = solid->mass.mass / (solid->mass.mass + touching);
            OozeVec3 back = vec3_scale(vec3_sub(lost.impulse, given->impulse), 1.0 - own);
            share_out(s, b, vec3_scale(back, 1.0 / touching));
        }
        given->impulse = vec3_madd(given->impulse, own, vec3_sub(lost.impulse, given->impulse));
        given->moment = vec3_madd(given->moment, own, vec3_sub(lost.moment, given->moment));
    }
    return ooze_dynamic_move(stage, error);
}
