/* Algorithm 6: two-way coupling of particles and dynamic solids.

   In the paper a solid gets the impulses of all particles inside it after free flight. This is
   explicit and throws a light solid away. Here the velocity of the solid is solved implicitly: it
   changes by the momentum that particles lose when the solid moves with the new velocity. With K =
   n n^T + mu (1 - n n^T) of eqs 9 to 11,

     M dV = sum m K (v - V(x)),   I dw = sum r x m K (v - V(x)),   V(x) = V + w x r

   summed over particles that touch and approach the solid. For heavy solids this is the paper's
   rule. It is solved several times, because a solid that moves touches other particles. At the end
   each solid gets exactly the momentum that its particles lost, including effects of contacts and
   joints. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "methods/springs/step.h"

/* ---- particles that may collide -------------------------------------------------------------- */

typedef struct Search {
    const OozeSpringsStep *s;
    uint8_t *flag;
} Search;

static bool may_collide(const OozeSpringsStep *s, uint64_t k)
{
    const OozeStepContext *c = s->context;
    uint32_t i = s->order[k];
    OozeF32x4 delta = s->k.dt * s->u[i] + s->point[k].shift, to = s->x0[i] + delta;
    OozeVec3 at = vec3(to[0], to[1], to[2]);
    double travel = (double)sqrtf(ooze_f32x4_dot3(delta, delta));
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
    uint64_t below = search->s->below;
    for (uint64_t k = begin; k < end; k++) {
        search->flag[k] = !search->s->prescribed[k + below] && may_collide(search->s, k + below);
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
    s->near_motion = ooze_arena_alloc(arena, count, sizeof *s->near_motion);
    s->free_pose = ooze_arena_alloc(arena, (size_t)s->context->solid_count, sizeof *s->free_pose);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "particles near bodies", count * sizeof *s->near_motion);
    }
    s->own_near_count = s->near_first = 0;
    for (uint64_t k = 0; k < s->n; k++) {
        if (search.flag[k]) {
            s->near[s->own_near_count] = (uint32_t)(k + s->below);
            s->near_motion[s->own_near_count++] = ooze_springs_motion(s, k + s->below);
        }
    }
    s->near_count = count;
    OozeStatus status = s->context->halo ? ooze_springs_gather_near(s, error) : OOZE_OK;
    s->collisions = ooze_arena_alloc(arena, s->near_count, sizeof *s->collisions);
    return status || s->collisions ? status
                                   : ooze_fail_memory(error, "particles near bodies",
                                                      s->near_count * sizeof *s->collisions);
}

static void collide_near_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeSpringsStep *s = data;
    for (uint64_t e = begin; e < end; e++) {
        ooze_springs_collide_particle(s, &s->near_motion[e], &s->collisions[e]);
    }
}

static double particle_mass(const OozeSpringsStep *s, uint64_t e)
{
    return (double)s->coefficients[s->near_motion[e].material].mass;
}

/* ---- one solid ------------------------------------------------------------------------------- */

/* A symmetric 6x6 system: velocity of the centre, then angular velocity. */
typedef struct BodySystem {
    double a[6][6], b[6];
} BodySystem;

static OozeVec3 rows3(const double m[3][3], OozeVec3 v)
{
    return vec3(m[0][0] * v.x + m[0][1] * v.y + m[0][2] * v.z,
                m[1][0] * v.x + m[1][1] * v.y + m[1][2] * v.z,
                m[2][0] * v.x + m[2][1] * v.y + m[2][2] * v.z);
}

/* The mass matrix of the solid. */
static void begin_system(BodySystem *y, const OozeSolid *solid, const OozePose *pose)
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
static void add_contact(BodySystem *y, double m, double mu, OozeVec3 n, OozeVec3 r, OozeVec3 v)
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

/* Gaussian elimination. The matrix is positive definite, so no pivoting is needed. */
static void solve(BodySystem *y, double x[6])
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

/* The first contact of a particle with a solid, and the particle's velocity before it; NULL:
   none. */
static const OozeTouch *first_touch(const OozeSpringsCollision *m, int body,
                                    OozeVec3 *incoming_velocity)
{
    *incoming_velocity = m->incoming_velocity;
    for (int t = 0; t < m->touches.count; t++) {
        if (m->touches.item[t].solid == body) {
            return &m->touches.item[t];
        }
        *incoming_velocity = vec3_add(*incoming_velocity, m->touches.item[t].change);
    }
    return NULL;
}

/* Assembles the system over particles that approach the solid when it moves by x relative to free
   flight. Returns their number. */
static uint64_t assemble(const OozeSpringsStep *s, int body, const double x[6], BodySystem *y)
{
    const OozeSolid *solid = &s->context->solids[body];
    const OozePose *free = &s->free_pose[body];
    OozeVec3 centre = ooze_dynamic_centre(solid, &solid->pose);
    OozeVec3 flying = ooze_pose_velocity_at(free, ooze_dynamic_centre(solid, free));
    double mu = ooze_contact_wet_fraction(solid, &s->rule);
    uint64_t active = 0;
    begin_system(y, solid, &solid->pose);
    for (uint64_t e = 0; e < s->near_count; e++) {
        OozeVec3 incoming_velocity;
        const OozeTouch *touch = first_touch(&s->collisions[e], body, &incoming_velocity);
        if (!touch) {
            continue;
        }
        OozeVec3 n = ooze_solid_contact(solid, touch->point).normal;
        OozeVec3 r = vec3_sub(touch->point, centre);
        OozeVec3 v = vec3_sub(incoming_velocity, vec3_add(flying, vec3_cross(free->spin, r)));
        OozeVec3 yields = vec3_add(vec3(x[0], x[1], x[2]), vec3_cross(vec3(x[3], x[4], x[5]), r));
        if (vec3_dot(n, vec3_sub(v, yields)) < 0.0) {
            add_contact(y, particle_mass(s, e), mu, n, r, v);
            active++;
        }
    }
    return active;
}

/* The impulse and moment of stickiness. */
static OozeLoad adhesion_load(const OozeSpringsStep *s, int body)
{
    const OozeSolid *solid = &s->context->solids[body];
    OozeVec3 centre = ooze_dynamic_centre(solid, &solid->pose);
    OozeLoad load = {{0, 0, 0}, {0, 0, 0}};
    for (uint64_t e = 0; e < s->near_count; e++) {
        const OozeTouches *adhesion = &s->collisions[e].adhesion;
        for (int t = 0; t < adhesion->count; t++) {
            if (adhesion->item[t].solid == body) {
                ooze_load_add(&load, centre, adhesion->item[t].point,
                              vec3_scale(adhesion->item[t].change, -particle_mass(s, e)));
            }
        }
    }
    return load;
}

/* Largest number of active-set iterations: until the set of approaching particles is constant. */
enum { ACTIVE_ROUNDS = 12 };

static OozeLoad solve_body(const OozeSpringsStep *s, int body)
{
    const OozeSolid *solid = &s->context->solids[body];
    OozeLoad adhesion = adhesion_load(s, body);
    double x[6] = {0};
    uint64_t store_schedule = UINT64_MAX;
    for (int round = 0; round < ACTIVE_ROUNDS; round++) {
        BodySystem y;
        uint64_t active = assemble(s, body, x, &y);
        if (active == store_schedule) {
            break;
        }
        const double also[6] = {adhesion.impulse.x, adhesion.impulse.y, adhesion.impulse.z,
                                adhesion.moment.x,  adhesion.moment.y,  adhesion.moment.z};
        for (int k = 0; k < 6; k++) {
            y.b[k] += also[k];
        }
        solve(&y, x);
        store_schedule = active;
    }
    OozeVec3 turn = vec3(x[3], x[4], x[5]);
    return (OozeLoad){vec3_scale(vec3(x[0], x[1], x[2]), solid->mass.mass),
                      ooze_dynamic_momentum(solid, &solid->pose, turn)};
}

/* ---- stages -------------------------------------------------------------------------------- */

/* A solid that has moved touches other particles, which the next iteration includes. */
enum { MOVES = 3 };

OozeStatus ooze_springs_move_bodies(OozeSpringsStep *s, OozeError *error)
{
    OozeDynamicStage *stage = s->context->dynamic;
    OozeStatus status = find_near(s, error);
    if (status) {
        return status;
    }
    for (int b = 0; b < stage->count; b++) {
        s->free_pose[b] = stage->solids[b].pose;
    }
    for (int move = 0; move < MOVES && !status; move++) {
        ooze_parallel_for(s->context->threads, s->near_count, 16, collide_near_range, s);
        for (int b = 0; b < stage->count; b++) {
            if (ooze_solid_is_dynamic(&stage->solids[b])) {
                stage->loads[b] = solve_body(s, b);
            }
        }
        status = ooze_dynamic_move(stage, error);
    }
    return status;
}

/* The momentum that particles lost to a solid, and the mass of the particles that touch it. */
static OozeLoad momentum_lost_to(const OozeSpringsStep *s, int body, double *touching)
{
    const OozeSolid *solid = &s->context->solids[body];
    OozeVec3 centre = ooze_dynamic_centre(solid, &solid->pose);
    OozeLoad load = adhesion_load(s, body);
    *touching = 0.0;
    for (uint64_t e = 0; e < s->near_count; e++) {
        const OozeTouches *touches = &s->collisions[e].touches;
        bool touched = false;
        for (int t = 0; t < touches->count; t++) {
            if (touches->item[t].solid == body) {
                touched = true;
                ooze_load_add(&load, centre, touches->item[t].point,
                              vec3_scale(touches->item[t].change, -particle_mass(s, e)));
            }
        }
        *touching += touched ? particle_mass(s, e) : 0.0;
    }
    return load;
}

/* Changes the velocity of every particle that touches a solid. */
static void distribute_velocity_change(const OozeSpringsStep *s, int body, OozeVec3 change)
{
    for (uint64_t e = 0; e < s->near_count; e++) {
        OozeVec3 incoming_velocity;
        if (first_touch(&s->collisions[e], body, &incoming_velocity)) {
            OozeVec3 *velocity = &s->collisions[e].velocity;
            *velocity = vec3_add(*velocity, change);
            if (e - s->near_first < s->own_near_count) {
                s->end_v[s->order[s->near[e - s->near_first]]] =
                    (OozeFloat4){(float)velocity->x, (float)velocity->y, (float)velocity->z, 0};
            }
        }
    }
}

/* The momentum that particles lost differs slightly from what moved the solid. Solid and touching
   particles share the difference by mass: a solid much lighter than a particle could not take
   all of it. */
OozeStatus ooze_springs_balance_bodies(OozeSpringsStep *s, OozeError *error)
{
    OozeDynamicStage *stage = s->context->dynamic;
    for (int b = 0; b < stage->count; b++) {
        const OozeSolid *solid = &stage->solids[b];
        if (!ooze_solid_is_dynamic(solid)) {
            continue;
        }
        double touching, own = 1.0;
        OozeLoad lost = momentum_lost_to(s, b, &touching), *given = &stage->loads[b];
        if (touching > 0.0) {
            own = solid->mass.mass / (solid->mass.mass + touching);
            OozeVec3 back = vec3_scale(vec3_sub(lost.impulse, given->impulse), 1.0 - own);
            distribute_velocity_change(s, b, vec3_scale(back, 1.0 / touching));
        }
        given->impulse = vec3_madd(given->impulse, own, vec3_sub(lost.impulse, given->impulse));
        given->moment = vec3_madd(given->moment, own, vec3_sub(lost.moment, given->moment));
    }
    return ooze_dynamic_move(stage, error);
}
