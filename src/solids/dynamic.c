#include "solids/dynamic.h"

#include "base/vec3.h"

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
    return ooze_solid_collides(p) && ooze_solid_collides(q) &&
           (ooze_solid_is_dynamic(p) || ooze_solid_is_dynamic(q)) &&
           !are_joined(joints, joint_count, a, b);
}

void ooze_dynamic_apply_load(const OozeSolid *solid, OozePose *pose, const OozeLoad *load)
{
    OozeVec3 arm = vec3_sub(pose->position, ooze_dynamic_centre(solid, pose));
    OozeVec3 turn = ooze_dynamic_spin_change(solid, pose, load->moment);
    pose->velocity = vec3_madd(pose->velocity, 1.0 / solid->mass.mass, load->impulse);
    pose->velocity = vec3_add(pose->velocity, vec3_cross(turn, arm));
    pose->spin = vec3_add(pose->spin, turn);
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
