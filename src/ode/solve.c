/* One solution: bodies as they are now, joints, contacts, a step of ODE, and the speeds it finds. All is made anew
   each time, so that nothing of earlier steps can show. Turning under its own momentum is not ODE's business here:
   see ooze_dynamic_fly. */
#include <math.h>

#include "base/hash.h"
#include "base/vec3.h"
#include "ode/workspace.h"

/* Share of a joint's error that is taken out in a stroke. */
static const double JOINT_SHARE = 0.3;

typedef struct Solution {
    OozeOdeWork *work;
    dWorldID world;
    dJointGroupID joints;
    dThreadingImplementationID threading; /* its own: other worlds may be in a step too */
} Solution;

static OozeQuat principal(const OozeSolid *solid, const OozePose *pose)
{
    return ooze_solid_is_dynamic(solid) ? quat_mul(pose->rotation, solid->mass.axes)
                                        : pose->rotation;
}

static OozeVec3 centre_of(const OozeSolid *solid, const OozePose *pose)
{
    return ooze_solid_is_dynamic(solid) ? ooze_dynamic_centre(solid, pose) : pose->position;
}

static void place(dBodyID body, const OozeSolid *solid, const OozePose *pose)
{
    OozeQuat q = principal(solid, pose);
    OozeVec3 c = centre_of(solid, pose);
    const dQuaternion turned = {q.w, q.x, q.y, q.z};
    dBodySetPosition(body, c.x, c.y, c.z);
    dBodySetQuaternion(body, turned);
}

static dBodyID make_body(const Solution *s, int i)
{
    const OozeSolid *solid = &s->work->stage->solids[i];
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

static void set_speed(dBodyID body, const OozeSolid *solid, const OozePose *pose)
{
    OozeVec3 v = ooze_pose_velocity_at(pose, centre_of(solid, pose));
    dBodySetLinearVel(body, v.x, v.y, v.z);
    dBodySetAngularVel(body, pose->spin.x, pose->spin.y, pose->spin.z);
}

/* ---- joints ------------------------------------------------------------------------------------ */

typedef void SetParam(dJointID joint, int parameter, dReal value);

static void set_motor(const OozeJoint *joint, dJointID made, SetParam *set)
{
    const double *p = joint->params;
    double low = p[OOZE_JOINT_LOW], high = p[OOZE_JOINT_HIGH];
    set(made, dParamLoStop, isinf(low) ? -dInfinity : low);
    set(made, dParamHiStop, isinf(high) ? dInfinity : high);
    set(made, dParamVel, p[OOZE_JOINT_SPEED]);
    set(made, dParamFMax, isinf(p[OOZE_JOINT_FORCE]) ? dInfinity : p[OOZE_JOINT_FORCE]);
    set(made, dParamStopERP, JOINT_SHARE);
}

/* Set up where both were when it was made, so that ODE knows what has gone wrong since. */
static void make_joint(const Solution *s, const OozeJoint *joint, const dBodyID *bodies)
{
    const OozeSolid *solids = s->work->stage->solids;
    dBodyID a = bodies[joint->solid], b = joint->other < 0 ? 0 : bodies[joint->other];
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
}

/* ---- contacts ---------------------------------------------------------------------------------- */

/* ODE's solver stops where two rows are equally near their bounds, and solids at rest in even rows are just that. So
   each row asks for a little of its own, too little to see. */
static double unevenness(const OozeOdeWork *work, int row)
{
    double share = ooze_random01((uint64_t)work->attempt, (uint64_t)row, 0) - 0.5;
    return share * work->uneven;
}

static void make_contact(const Solution *s, int k, const dBodyID *bodies)
{
    const OozeOdeContact *c = &s->work->contacts[k];
    double dt = s->work->stage->dt;
    dContact contact = {0};
    contact.surface.mode = dContactFDir1 | dContactApprox1 | dContactMotionN | dContactSoftCFM |
                           dContactMotion1 | dContactMotion2;
    contact.surface.motion1 = unevenness(s->work, 3 * k + 1);
    contact.surface.motion2 = unevenness(s->work, 3 * k + 2);
    contact.surface.mu = isinf(c->friction) ? dInfinity : c->friction;
    contact.surface.motionN = (s->work->corrects ? c->push : c->keep) + unevenness(s->work, 3 * k);
    contact.surface.soft_cfm = s->work->softness * c->give * dt;
    contact.geom.pos[0] = c->point.x;
    contact.geom.pos[1] = c->point.y;
    contact.geom.pos[2] = c->point.z;
    contact.geom.normal[0] = c->normal.x;
    contact.geom.normal[1] = c->normal.y;
    contact.geom.normal[2] = c->normal.z;
    contact.fdir1[0] = c->slide.x;
    contact.fdir1[1] = c->slide.y;
    contact.fdir1[2] = c->slide.z;
    dJointAttach(dJointCreateContact(s->world, s->joints, &contact), bodies[c->a], bodies[c->b]);
}

/* ---- all of it --------------------------------------------------------------------------------- */

/* 1/kg of the heaviest that is held: what all give is small beside it. */
static double least_give(const OozeOdeWork *work)
{
    double most = 0.0;
    for (int i = 0; i < work->stage->count; i++) {
        const OozeSolid *solid = &work->stage->solids[i];
        if (work->held[i] && ooze_solid_is_dynamic(solid)) {
            most = fmax(most, solid->mass.mass);
        }
    }
    return most > 0.0 ? 1.0 / most : 0.0;
}

static void read_speeds(OozeOdeWork *work, const dBodyID *bodies)
{
    for (int i = 0; i < work->stage->count; i++) {
        const OozeSolid *solid = &work->stage->solids[i];
        if (!bodies[i] || !ooze_solid_is_dynamic(solid)) {
            continue;
        }
        const dReal *v = dBodyGetLinearVel(bodies[i]), *w = dBodyGetAngularVel(bodies[i]);
        OozePose *pose = &work->solved[i];
        OozeVec3 arm = vec3_sub(work->start[i].position, centre_of(solid, &work->start[i]));
        *pose = work->start[i];
        pose->spin = vec3(w[0], w[1], w[2]);
        pose->velocity = vec3_add(vec3(v[0], v[1], v[2]), vec3_cross(pose->spin, arm));
    }
}

void ooze_ode_solve(void *data)
{
    OozeOdeWork *work = data;
    const OozeDynamicStage *stage = work->stage;
    dBodyID *bodies = work->bodies;
    Solution s = {work, dWorldCreate(), dJointGroupCreate(0),
                  dThreadingAllocateSelfThreadedImplementation()};
    dWorldSetStepThreadingImplementation(s.world, dThreadingImplementationGetFunctions(s.threading),
                                         s.threading);
    dWorldSetCFM(s.world, work->softness * least_give(work) * stage->dt);
    dWorldSetERP(s.world, work->corrects ? JOINT_SHARE : 0.0);
    for (int i = 0; i < stage->count; i++) {
        bodies[i] = work->held[i] ? make_body(&s, i) : NULL;
    }
    for (int k = 0; k < stage->joint_count; k++) {
        make_joint(&s, &stage->joints[k], bodies);
    }
    for (int i = 0; i < stage->count; i++) {
        if (bodies[i]) {
            place(bodies[i], &stage->solids[i], &work->start[i]);
            set_speed(bodies[i], &stage->solids[i], &work->start[i]);
        }
    }
    for (int k = 0; k < work->contact_count; k++) {
        make_contact(&s, k, bodies);
    }
    work->complete = dWorldStep(s.world, stage->dt) != 0;
    read_speeds(work, bodies);
    dJointGroupDestroy(s.joints);
    dWorldDestroy(s.world);
    dThreadingFreeImplementation(s.threading);
}
