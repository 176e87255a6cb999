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
        if (ooze_solid_is_dynamic(solid) && ooze_solid_collides(solid)) {
            OozeContact contact = ooze_solid_contact(solid, at);
            double reach = s->rule.margin + solid->params[OOZE_SOLID_STICK_DISTANCE];
            if (ooze_springs_may_collide(contact.distance, reach, travel,
                                         c->dt * vec3_length(contact.velocity), c->support)) {
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

OozeSpringsBody ooze_springs_body(const OozeSolid *solids, int index, const OozePose *free_pose,
                                  const OozeContactRule *rule)
{
    const OozeSolid *solid = &solids[index];
    OozeSpringsBody body = {
        .solid = index,
        .mass = solid->mass.mass,
        .centre = ooze_dynamic_centre(solid, &solid->pose),
        .free_velocity = ooze_dynamic_velocity(solid, free_pose),
        .free_spin = free_pose->spin,
        .wet_friction = ooze_contact_wet_fraction(solid, rule),
    };
    for (int k = 0; k < 3; k++) {
        OozeVec3 turn = vec3(k == 0, k == 1, k == 2);
        OozeVec3 column = ooze_dynamic_momentum(solid, &solid->pose, turn);
        body.inertia[0][k] = column.x;
        body.inertia[1][k] = column.y;
        body.inertia[2][k] = column.z;
    }
    return body;
}

OozeLoad ooze_springs_load_of(const OozeSolid *solid, const double x[6])
{
    OozeVec3 turn = vec3(x[3], x[4], x[5]);
    return (OozeLoad){vec3_scale(vec3(x[0], x[1], x[2]), solid->mass.mass),
                      ooze_dynamic_momentum(solid, &solid->pose, turn)};
}

OozeVec3 ooze_springs_balance(const OozeSolid *solid, const OozeLoad *lost, double touching,
                              OozeLoad *given)
{
    OozeVec3 impulse = vec3_sub(lost->impulse, given->impulse);
    OozeVec3 moment = vec3_sub(lost->moment, given->moment), change = vec3(0, 0, 0);
    double own = 1.0;
    if (touching > 0.0) {
        own = solid->mass.mass / (solid->mass.mass + touching);
        change = vec3_scale(vec3_scale(impulse, 1.0 - own), 1.0 / touching);
    }
    given->impulse = vec3_madd(given->impulse, own, impulse);
    given->moment = vec3_madd(given->moment, own, moment);
    return change;
}

/* The system over particles that approach the solid when it moves by x relative to free flight. */
static void assemble(const OozeSpringsStep *s, const OozeSpringsBody *body, const double x[6],
                     OozeSpringsSystem *y)
{
    const OozeSolid *solid = &s->context->solids[body->solid];
    ooze_springs_system_begin(y, body);
    for (uint64_t e = 0; e < s->near_count; e++) {
        OozeVec3 incoming_velocity;
        const OozeTouch *touch =
            ooze_springs_first_touch(&s->collisions[e], body->solid, &incoming_velocity);
        if (touch) {
            ooze_springs_add_particle(y, body, x, touch->point,
                                      ooze_solid_contact(solid, touch->point).normal,
                                      incoming_velocity, particle_mass(s, e));
        }
    }
}

/* The impulse and moment of stickiness. */
static OozeLoad adhesion_load(const OozeSpringsStep *s, int body)
{
    const OozeSolid *solid = &s->context->solids[body];
    OozeVec3 centre = ooze_dynamic_centre(solid, &solid->pose);
    OozeLoad load = {{0, 0, 0}, {0, 0, 0}};
    for (uint64_t e = 0; e < s->near_count; e++) {
        ooze_springs_add_reaction(&load, &s->collisions[e].adhesion, body, centre,
                                  particle_mass(s, e));
    }
    return load;
}

static OozeLoad solve_body(const OozeSpringsStep *s, int index)
{
    const OozeSolid *solids = s->context->solids;
    const OozeSpringsBody body = ooze_springs_body(solids, index, &s->free_pose[index], &s->rule);
    OozeLoad adhesion = adhesion_load(s, index);
    double x[6] = {0}, active = -1.0;
    bool changed = true;
    for (int round = 0; round < OOZE_SPRINGS_ACTIVE_ROUNDS && changed; round++) {
        OozeSpringsSystem y;
        assemble(s, &body, x, &y);
        ooze_springs_add_load(&y, &adhesion);
        changed = ooze_springs_system_update(&y, x, &active);
    }
    return ooze_springs_load_of(&solids[index], x);
}

/* ---- stages -------------------------------------------------------------------------------- */

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
    for (int move = 0; move < OOZE_SPRINGS_MOVES && !status; move++) {
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
        double mass = particle_mass(s, e);
        bool touched =
            ooze_springs_add_reaction(&load, &s->collisions[e].touches, body, centre, mass);
        *touching += touched ? mass : 0.0;
    }
    return load;
}

/* Changes the velocity of every particle that touches a solid. */
static void distribute_velocity_change(const OozeSpringsStep *s, int body, OozeVec3 change)
{
    for (uint64_t e = 0; e < s->near_count; e++) {
        OozeVec3 incoming_velocity;
        if (ooze_springs_first_touch(&s->collisions[e], body, &incoming_velocity)) {
            OozeVec3 *velocity = &s->collisions[e].velocity;
            *velocity = vec3_add(*velocity, change);
            if (e - s->near_first < s->own_near_count) {
                s->end_v[s->order[s->near[e - s->near_first]]] =
                    (OozeFloat4){(float)velocity->x, (float)velocity->y, (float)velocity->z, 0};
            }
        }
    }
}

OozeStatus ooze_springs_balance_bodies(OozeSpringsStep *s, OozeError *error)
{
    OozeDynamicStage *stage = s->context->dynamic;
    for (int b = 0; b < stage->count; b++) {
        const OozeSolid *solid = &stage->solids[b];
        if (ooze_solid_is_dynamic(solid)) {
            double touching;
            OozeLoad lost = momentum_lost_to(s, b, &touching);
            OozeVec3 change = ooze_springs_balance(solid, &lost, touching, &stage->loads[b]);
            distribute_velocity_change(s, b, change);
        }
    }
    return ooze_dynamic_move(stage, error);
}
