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
#include "base/fail.h"
#include "base/vec3.h"
#include "methods/springs/stages.h"

/* Iterations of the solids' poses: a solid that has moved touches other particles, which the next
   one includes. */
enum { MOVES = 3 };

/* The dynamic solids, on the host. */
typedef struct Bodies {
    OozeSpringsBody *bodies;
    OozePose *free_pose; /* after free flight */
    double (*change)[6]; /* of velocity and spin, by particles */
    OozeSpringsLost *lost;
    OozeVec3 *velocity_change; /* of particles that touch it */
} Bodies;

/* ---- one solid ------------------------------------------------------------------------------- */

/* solids[index] at its pose; `free_pose` is the one after free flight. */
static OozeSpringsBody body_at(const OozeSolid *solids, int index, const OozePose *free_pose,
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

/* The load that changes velocity and spin by x, the solution of its system. */
static OozeLoad load_of(const OozeSolid *solid, const double x[6])
{
    OozeVec3 turn = vec3(x[3], x[4], x[5]);
    return (OozeLoad){vec3_scale(vec3(x[0], x[1], x[2]), solid->mass.mass),
                      ooze_dynamic_momentum(solid, &solid->pose, turn)};
}

/* The momentum that particles lost differs slightly from what moved the solid, `given`. Solid and
   touching particles share the difference by mass: a solid much lighter than a particle could not
   take all of it. Changes `given`; returns the change of velocity of the particles that touch
   it. */
static OozeVec3 balance(const OozeSolid *solid, const OozeSpringsLost *lost, OozeLoad *given)
{
    OozeVec3 impulse = vec3_sub(lost->load.impulse, given->impulse);
    OozeVec3 moment = vec3_sub(lost->load.moment, given->moment), change = vec3(0, 0, 0);
    double own = 1.0;
    if (lost->touching > 0.0) {
        own = solid->mass.mass / (solid->mass.mass + lost->touching);
        change = vec3_scale(vec3_scale(impulse, 1.0 - own), 1.0 / lost->touching);
    }
    given->impulse = vec3_madd(given->impulse, own, impulse);
    given->moment = vec3_madd(given->moment, own, moment);
    return change;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Lists the dynamic solids, which are in free flight. */
static OozeStatus list_bodies(OozeSpringsStep *s, Bodies *all, OozeError *error)
{
    const OozeStepContext *c = s->machine->context;
    const size_t solids = (size_t)c->solid_count;
    all->bodies = ooze_arena_alloc(c->arena, solids, sizeof *all->bodies);
    all->free_pose = ooze_arena_alloc(c->arena, solids, sizeof *all->free_pose);
    all->change = ooze_arena_alloc(c->arena, solids, sizeof *all->change);
    all->lost = ooze_arena_alloc(c->arena, solids, sizeof *all->lost);
    all->velocity_change = ooze_arena_alloc(c->arena, solids, sizeof *all->velocity_change);
    if (ooze_arena_failed(c->arena)) {
        return ooze_fail_memory(error, "dynamic solids", solids * sizeof *all->bodies);
    }
    for (int b = 0; b < c->solid_count; b++) {
        if (ooze_solid_is_dynamic(&c->solids[b])) {
            all->free_pose[s->body_count] = c->solids[b].pose;
            all->bodies[s->body_count++].solid = b;
        }
    }
    return OOZE_OK;
}

/* Finds the collisions of particles with the solids at their present poses. */
static OozeStatus collide_near(OozeSpringsStep *s, const OozeSpringsStages *stages, Bodies *all,
                               OozeError *error)
{
    for (int k = 0; k < s->body_count; k++) {
        all->bodies[k] = body_at(s->machine->context->solids, all->bodies[k].solid,
                                 &all->free_pose[k], &s->rule);
    }
    s->bodies =
        ooze_machine_send(s->machine, all->bodies, (uint64_t)s->body_count, sizeof *s->bodies);
    return stages->collide_near(s, error);
}

/* Up to line 11: moves the solids under impulses of particles, gravity and contacts. */
static OozeStatus move_bodies(OozeSpringsStep *s, const OozeSpringsStages *stages, Bodies *all,
                              OozeError *error)
{
    OozeDynamicStage *stage = s->machine->context->dynamic;
    OozeStatus status = list_bodies(s, all, error);
    status = status ? status : stages->find_near(s, error);
    for (int move = 0; move < MOVES && !status; move++) {
        status = collide_near(s, stages, all, error);
        status = status ? status : stages->solve_bodies(s, all->change, error);
        for (int k = 0; k < s->body_count && !status; k++) {
            const int b = all->bodies[k].solid;
            stage->loads[b] = load_of(&stage->solids[b], all->change[k]);
        }
        status = status ? status : ooze_dynamic_move(stage, error);
    }
    /* particles collide with the solids there, which changes their positions */
    return status ? status : collide_near(s, stages, all, error);
}

/* After the particles have collided: gives the solids the momentum that the particles lost. */
static OozeStatus balance_bodies(OozeSpringsStep *s, const OozeSpringsStages *stages, Bodies *all,
                                 OozeError *error)
{
    OozeDynamicStage *stage = s->machine->context->dynamic;
    OozeStatus status = stages->sum_lost(s, all->lost, error);
    if (status) {
        return status;
    }
    for (int k = 0; k < s->body_count; k++) {
        const int b = all->bodies[k].solid;
        all->velocity_change[k] = balance(&stage->solids[b], &all->lost[k], &stage->loads[b]);
    }
    stages->change_velocities(s, ooze_machine_send(s->machine, all->velocity_change,
                                                   (uint64_t)s->body_count,
                                                   sizeof *all->velocity_change));
    return ooze_dynamic_move(stage, error);
}

OozeStatus ooze_springs_collide(OozeSpringsStep *s, const OozeSpringsStages *stages,
                                OozeError *error)
{
    const bool dynamic = s->machine->context->dynamic != NULL;
    Bodies all = {0};
    OozeStatus status = dynamic ? move_bodies(s, stages, &all, error) : OOZE_OK;
    if (status) {
        return status;
    }
    stages->collide(s);
    return dynamic ? balance_bodies(s, stages, &all, error) : OOZE_OK;
}
