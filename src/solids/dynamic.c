#include "solids/dynamic.h"

#include "base/vec3.h"

bool ooze_solid_is_dynamic(const OozeSolid *solid)
{
    return solid->mass.density > 0.0;
}

OozeVec3 ooze_dynamic_centre(const OozeSolid *solid, const OozePose *pose)
{
    return ooze_pose_to_world(pose, solid->mass.centre);
}

OozeVec3 ooze_dynamic_velocity(const OozeSolid *solid, const OozePose *pose)
{
    return ooze_pose_velocity_at(pose, ooze_dynamic_centre(solid, pose));
}

void ooze_dynamic_set_velocity(const OozeSolid *solid, OozePose *pose, OozeVec3 velocity,
                               OozeVec3 spin)
{
    OozeVec3 arm = quat_rotate(pose->rotation, solid->mass.centre);
    pose->velocity = vec3_sub(velocity, vec3_cross(spin, arm));
    pose->spin = spin;
}

static bool are_joined(const OozeJoint *joints, int count, int a, int b)
{
    bool joined = false;
    for (int k = 0; k < count && !joined; k++) {
        int p = joints[k].solid, q = joints[k].other;
        joined = (p == a && q == b) || (p == b && q == a);
    }
    return joined;
}

bool ooze_solids_collide(const OozeSolid *solids, int a, int b, const OozeJoint *joints,
                         int joint_count)
{
    const OozeSolid *p = &solids[a], *q = &solids[b];
    return p->params[OOZE_SOLID_COLLIDES] != 0.0 && q->params[OOZE_SOLID_COLLIDES] != 0.0 &&
           (ooze_solid_is_dynamic(p) || ooze_solid_is_dynamic(q)) &&
           !are_joined(joints, joint_count, a, b);
}

/* Rotation from the principal axes to the world. */
static OozeQuat principal(const OozeSolid *solid, const OozePose *pose)
{
    return quat_mul(pose->rotation, solid->mass.axes);
}

OozeVec3 ooze_dynamic_spin_change(const OozeSolid *solid, const OozePose *pose, OozeVec3 moment)
{
    OozeQuat q = principal(solid, pose);
    OozeVec3 l = quat_rotate_inverse(q, moment), i = solid->mass.moments;
    return quat_rotate(q, vec3(l.x / i.x, l.y / i.y, l.z / i.z));
}

OozeVec3 ooze_dynamic_momentum(const OozeSolid *solid, const OozePose *pose, OozeVec3 spin)
{
    OozeQuat q = principal(solid, pose);
    OozeVec3 w = quat_rotate_inverse(q, spin), i = solid->mass.moments;
    return quat_rotate(q, vec3(w.x * i.x, w.y * i.y, w.z * i.z));
}

void ooze_dynamic_apply_load(const OozeSolid *solid, OozePose *pose, const OozeLoad *load)
{
    OozeVec3 arm = vec3_sub(pose->position, ooze_dynamic_centre(solid, pose));
    OozeVec3 turn = ooze_dynamic_spin_change(solid, pose, load->moment);
    pose->velocity = vec3_madd(pose->velocity, 1.0 / solid->mass.mass, load->impulse);
    pose->velocity = vec3_add(pose->velocity, vec3_cross(turn, arm));
    pose->spin = vec3_add(pose->spin, turn);
}

void ooze_load_add(OozeLoad *load, OozeVec3 centre, OozeVec3 point, OozeVec3 impulse)
{
    load->impulse = vec3_add(load->impulse, impulse);
    load->moment = vec3_add(load->moment, vec3_cross(vec3_sub(point, centre), impulse));
}

/* Rotates by the spin at the midpoint (second order) and conserves the angular momentum. */
OozePose ooze_dynamic_fly(const OozeSolid *solid, const OozePose *from, OozeVec3 gravity, double dt)
{
    OozeVec3 centre = ooze_dynamic_centre(solid, from);
    OozeVec3 velocity = ooze_dynamic_velocity(solid, from);
    OozeVec3 kept = ooze_dynamic_momentum(solid, from, from->spin);
    OozePose half = *from, to = *from;
    half.rotation =
        quat_unit(quat_mul(quat_from_vector(vec3_scale(from->spin, 0.5 * dt)), from->rotation));
    OozeVec3 spin = ooze_dynamic_spin_change(solid, &half, kept);
    to.rotation = quat_unit(quat_mul(quat_from_vector(vec3_scale(spin, dt)), from->rotation));
    velocity = vec3_madd(velocity, dt, gravity);
    centre = vec3_madd(centre, dt, velocity);
    to.position = vec3_sub(centre, quat_rotate(to.rotation, solid->mass.centre));
    ooze_dynamic_set_velocity(solid, &to, velocity, ooze_dynamic_spin_change(solid, &to, kept));
    return to;
}

void ooze_dynamic_start(OozeSolid *solids, int count)
{
    for (int i = 0; i < count; i++) {
        if (ooze_solid_is_dynamic(&solids[i])) {
            solids[i].begin = solids[i].pose;
        }
    }
}

void ooze_dynamic_begin(OozeDynamicStage *stage)
{
    stage->moved = false;
    for (int i = 0; i < stage->count; i++) {
        OozeSolid *solid = &stage->solids[i];
        stage->loads[i] = (OozeLoad){{0, 0, 0}, {0, 0, 0}};
        if (ooze_solid_is_dynamic(solid)) {
            solid->previous = solid->begin;
            solid->pose = ooze_dynamic_fly(solid, &solid->begin, stage->gravity, stage->dt);
        }
    }
}

OozeStatus ooze_dynamic_move(OozeDynamicStage *stage, OozeError *error)
{
    stage->moved = true;
    if (stage->dynamics) {
        return stage->dynamics->move(stage->data, stage, error);
    }
    for (int i = 0; i < stage->count; i++) {
        OozeSolid *solid = &stage->solids[i];
        if (ooze_solid_is_dynamic(solid)) {
            OozePose from = solid->previous;
            ooze_dynamic_apply_load(solid, &from, &stage->loads[i]);
            solid->pose = ooze_dynamic_fly(solid, &from, stage->gravity, stage->dt);
        }
    }
    return OOZE_OK;
}
