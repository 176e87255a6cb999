/* Solves one system: creates an ODE world with its bodies, joints and contacts, takes one step of
   ODE and reads the velocities. The world is created anew each time, so that no state of earlier
   steps remains. Gyroscopic terms are computed by ooze_dynamic_fly, not by ODE. */
#include <math.h>

#include "base/hash.h"
#include "base/vec3.h"
#include "ode/substep.h"

/* Fraction of a joint's error that is corrected in a substep (ODE's error reduction parameter). */
static const double JOINT_CORRECTION_FRACTION = 0.3;
/* Compliance of rows (ODE's constraint force mixing), of the inverse mass. A little makes the loads
   of redundant contacts unique. The iterative solver needs more, since its error falls by about
   this part in an iteration; impacts stay hard. */
static const double COMPLIANCE = 1e-6, COMPLIANCE_ITERATIVE = 0.05;
enum { ITERATIONS = 150 };

typedef struct Solution {
    OozeOdeSystem *system;
    dWorldID world;
    dJointGroupID joints;
    dThreadingImplementationID
        threading; /* of this world: other worlds may step in other threads */
} Solution;

static void place(dBodyID body, const OozeSolid *solid, const OozePose *pose)
{
    bool dynamic = ooze_solid_is_dynamic(solid);
    OozeQuat q = dynamic ? quat_mul(pose->rotation, solid->mass.axes) : pose->rotation;
    OozeVec3 c = ooze_dynamic_centre(solid, pose);
    const dQuaternion rotation = {q.w, q.x, q.y, q.z};
    dBodySetPosition(body, c.x, c.y, c.z);
    dBodySetQuaternion(body, rotation);
}

static dBodyID make_body(const Solution *s, int i)
{
    const OozeSolid *solid = &s->system->substep->stage->solids[i];
    dBodyID body = dBodyCreate(s->world);
    if (ooze_solid_is_dynamic(solid)) {
        OozeVec3 m = solid->mass.moments;
        dMass mass;
        dMassSetParameters(&mass, solid->mass.mass, 0, 0, 0, m.x, m.y, m.z, 0, 0, 0);
        dBodySetMass(body, &mass);
    } else {
        dBodySetKinematic(body);
    }
    dBodySetGyroscopicMode(body, 0);
    return body;
}

static void set_velocity(dBodyID body, const OozeSolid *solid, const OozePose *pose)
{
    OozeVec3 v = ooze_dynamic_velocity(solid, pose);
    dBodySetLinearVel(body, v.x, v.y, v.z);
    dBodySetAngularVel(body, pose->spin.x, pose->spin.y, pose->spin.z);
}

/* The body of a solid. A prescribed solid gets a new body for each use, since ODE merges islands
   that share a body; at rest it needs none (`may_rest`). */
static dBodyID body_of(const Solution *s, int i, bool may_rest)
{
    const OozeOdeSubstep *substep = s->system->substep;
    const OozeSolid *solid = &substep->stage->solids[i];
    const OozePose *start = &substep->start[i];
    bool rests = vec3_length(start->velocity) == 0.0 && vec3_length(start->spin) == 0.0;
    if (ooze_solid_is_dynamic(solid) || (rests && may_rest)) {
        return substep->bodies[i];
    }
    dBodyID body = make_body(s, i);
    place(body, solid, start);
    set_velocity(body, solid, start);
    return body;
}

/* ---- joints ---------------------------------------------------------------------------------- */

typedef void SetParam(dJointID joint, int parameter, dReal value);

static void set_motor(const OozeJoint *joint, dJointID made, SetParam *set)
{
    const double *p = joint->params;
    double low = p[OOZE_JOINT_LOW], high = p[OOZE_JOINT_HIGH];
    set(made, dParamLoStop, isinf(low) ? -dInfinity : low);
    set(made, dParamHiStop, isinf(high) ? dInfinity : high);
    set(made, dParamVel, p[OOZE_JOINT_SPEED]);
    set(made, dParamFMax, isinf(p[OOZE_JOINT_FORCE]) ? dInfinity : p[OOZE_JOINT_FORCE]);
    set(made, dParamStopERP, JOINT_CORRECTION_FRACTION);
}

/* Attaches at the poses of the joint's creation, from which ODE measures errors. */
static void make_joint(const Solution *s, const OozeJoint *joint)
{
    const OozeOdeSubstep *substep = s->system->substep;
    const OozeSolid *solids = substep->stage->solids;
    dBodyID a = body_of(s, joint->solid, false);
    dBodyID b = joint->other < 0 ? 0 : body_of(s, joint->other, false);
    OozeVec3 at = joint->anchor, axis = joint->axis;
    dJointID made;
    place(a, &solids[joint->solid], &joint->at);
    if (b) {
        place(b, &solids[joint->other], &joint->other_at);
    }
    switch (joint->kind) {
    case OOZE_JOINT_HINGE:
        made = dJointCreateHinge(s->world, s->joints);
        dJointAttach(made, a, b);
        dJointSetHingeAnchor(made, at.x, at.y, at.z);
        dJointSetHingeAxis(made, axis.x, axis.y, axis.z);
        set_motor(joint, made, dJointSetHingeParam);
        break;
    case OOZE_JOINT_SLIDER:
        made = dJointCreateSlider(s->world, s->joints);
        dJointAttach(made, a, b);
        dJointSetSliderAxis(made, axis.x, axis.y, axis.z);
        set_motor(joint, made, dJointSetSliderParam);
        break;
    case OOZE_JOINT_FIXED:
        made = dJointCreateFixed(s->world, s->joints);
        dJointAttach(made, a, b);
        dJointSetFixed(made);
        break;
    default:
        made = dJointCreateBall(s->world, s->joints);
        dJointAttach(made, a, b);
        dJointSetBallAnchor(made, at.x, at.y, at.z);
        break;
    }
    place(a, &solids[joint->solid], &substep->start[joint->solid]);
    if (b) {
        place(b, &solids[joint->other], &substep->start[joint->other]);
    }
}

/* ---- contacts -------------------------------------------------------------------------------- */

/* Pivoting fails where two rows reach their bounds at once, as in regular stacks at rest. A small
   random velocity per row makes them distinct. */
static double dither(const OozeOdeSystem *system, int row)
{
    double share = ooze_random01((uint64_t)system->attempt, (uint64_t)row, 0) - 0.5;
    return share * system->dither;
}

static void make_contact(const Solution *s, int k)
{
    const OozeOdeContact *c = &s->system->substep->contacts[k];
    bool soft = s->system->iterative && isinf(c->bounce);
    double dt = s->system->substep->stage->dt;
    dContact contact = {0};
    contact.surface.mode = dContactFDir1 | dContactApprox1 | dContactMotionN | dContactSoftCFM |
                           dContactMotion1 | dContactMotion2;
    contact.surface.motion1 = dither(s->system, 3 * k + 1);
    contact.surface.motion2 = dither(s->system, 3 * k + 2);
    contact.surface.mu = isinf(c->friction) ? dInfinity : c->friction;
    contact.surface.motionN = ooze_ode_contact_velocity(s->system, c) + dither(s->system, 3 * k);
    contact.surface.soft_cfm = (soft ? COMPLIANCE_ITERATIVE : COMPLIANCE) * c->inverse_mass * dt;
    contact.geom.pos[0] = c->point.x;
    contact.geom.pos[1] = c->point.y;
    contact.geom.pos[2] = c->point.z;
    contact.geom.normal[0] = c->normal.x;
    contact.geom.normal[1] = c->normal.y;
    contact.geom.normal[2] = c->normal.z;
    contact.fdir1[0] = c->slide.x;
    contact.fdir1[1] = c->slide.y;
    contact.fdir1[2] = c->slide.z;
    dJointAttach(dJointCreateContact(s->world, s->joints, &contact), body_of(s, c->a, true),
                 body_of(s, c->b, true));
}

/* ---- the system ------------------------------------------------------------------------------ */

/* 1/kg, of the heaviest solid. */
static double inverse_mass_min(const OozeOdeSystem *system)
{
    const OozeOdeSubstep *substep = system->substep;
    double max = 0.0;
    for (int i = 0; i < substep->stage->count; i++) {
        const OozeSolid *solid = &substep->stage->solids[i];
        if (substep->solver[i] == system->islands && ooze_solid_is_dynamic(solid)) {
            max = fmax(max, solid->mass.mass);
        }
    }
    return max > 0.0 ? 1.0 / max : 0.0;
}

static void make_bodies(const Solution *s, dBodyID *bodies)
{
    const OozeOdeSubstep *substep = s->system->substep;
    for (int i = 0; i < substep->stage->count; i++) {
        const OozeSolid *solid = &substep->stage->solids[i];
        bool member = ooze_solid_is_dynamic(solid) && substep->solver[i] == s->system->islands;
        bodies[i] = member ? make_body(s, i) : NULL;
        if (member) {
            place(bodies[i], solid, &substep->start[i]);
            set_velocity(bodies[i], solid, &substep->start[i]);
        }
    }
}

static void read_velocities(const OozeOdeSystem *system, const dBodyID *bodies)
{
    const OozeOdeSubstep *substep = system->substep;
    for (int i = 0; i < substep->stage->count; i++) {
        const OozeSolid *solid = &substep->stage->solids[i];
        if (bodies[i]) {
            const dReal *v = dBodyGetLinearVel(bodies[i]), *w = dBodyGetAngularVel(bodies[i]);
            system->results[i] = substep->start[i];
            ooze_dynamic_set_velocity(solid, &system->results[i], vec3(v[0], v[1], v[2]),
                                      vec3(w[0], w[1], w[2]));
        }
    }
}

void ooze_ode_solve(void *data)
{
    OozeOdeSystem *system = data;
    const OozeOdeSubstep *substep = system->substep;
    const OozeDynamicStage *stage = substep->stage;
    dBodyID *bodies = substep->bodies;
    Solution s = {system, dWorldCreate(), dJointGroupCreate(0),
                  dThreadingAllocateSelfThreadedImplementation()};
    dWorldSetStepThreadingImplementation(s.world, dThreadingImplementationGetFunctions(s.threading),
                                         s.threading);
    dWorldSetCFM(s.world, COMPLIANCE * inverse_mass_min(system) * stage->dt);
    dWorldSetERP(s.world, system->corrects ? JOINT_CORRECTION_FRACTION : 0.0);
    dWorldSetQuickStepNumIterations(s.world, ITERATIONS);
    make_bodies(&s, bodies);
    for (int k = 0; k < stage->joint_count; k++) {
        if (ooze_ode_has_joint(system, &stage->joints[k])) {
            make_joint(&s, &stage->joints[k]);
        }
    }
    for (int k = 0; k < substep->contact_count; k++) {
        if (ooze_ode_has_contact(system, &substep->contacts[k])) {
            make_contact(&s, k);
        }
    }
    system->complete = (system->iterative ? dWorldQuickStep(s.world, stage->dt)
                                          : dWorldStep(s.world, stage->dt)) != 0;
    read_velocities(system, bodies);
    dJointGroupDestroy(s.joints);
    dWorldDestroy(s.world);
    dThreadingFreeImplementation(s.threading);
}
