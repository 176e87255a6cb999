/* Boundary particles: where one is, how it moves and what volume it stands for. Valid C17 and CUDA. */
#ifndef OOZE_SOLIDS_BOUNDARY_FORMULA_H
#define OOZE_SOLIDS_BOUNDARY_FORMULA_H

#include "particles/neighbours.h"
#include "physics/kernels.h"
#include "solids/motion.h"

OOZE_FORMULA OozeFloat4 ooze_sample_narrow(OozeVec3 a)
{
    OozeFloat4 narrow = {(float)a.x, (float)a.y, (float)a.z, 0.0f};
    return narrow;
}

OOZE_FORMULA OozeFloat4 ooze_sample_place(const OozePose *pose, OozeFloat4 local,
                                          const OozePeriodic *periodic)
{
    OozeVec3 at = vec3((double)local.x, (double)local.y, (double)local.z);
    return ooze_point_wrap(ooze_sample_narrow(ooze_pose_to_world(pose, at)), periodic);
}

OOZE_FORMULA OozeFloat4 ooze_sample_velocity(const OozePose *pose, OozeFloat4 local)
{
    if (pose->spin.x == 0.0 && pose->spin.y == 0.0 && pose->spin.z == 0.0) {
        return ooze_sample_narrow(pose->velocity);
    }
    /* the arm is taken from the solid's frame: a wrapped place has no arm of its own */
    OozeVec3 arm =
        quat_rotate(pose->rotation, vec3((double)local.x, (double)local.y, (double)local.z));
    return ooze_sample_narrow(vec3_add(pose->velocity, vec3_cross(pose->spin, arm)));
}

/* Akinci et al. 2012, eq 4: V = 1 / sum W. Kernel values are added up as integers in units of 2^-40 W(0): the sum
   then does not depend on the order, which changes when other samples move. `peak` is W(0). */
OOZE_FORMULA int64_t ooze_sample_share(OozeFloat4 x, OozeFloat4 y, const OozePeriodic *p, float h,
                                       float peak)
{
    float dx = ooze_periodic_delta(x.x - y.x, p->length[0], p->inverse[0]);
    float dy = ooze_periodic_delta(x.y - y.y, p->length[1], p->inverse[1]);
    float dz = ooze_periodic_delta(x.z - y.z, p->length[2], p->inverse[2]);
    float share = ooze_cubic_value(sqrtf(dx * dx + dy * dy + dz * dz), h) / peak;
    return (int64_t)(share * 1099511627776.0f);
}

OOZE_FORMULA float ooze_sample_volume(int64_t sum, float peak)
{
    double shares = (double)(sum > 0 ? sum : (int64_t)1 << 40) * (1.0 / 1099511627776.0);
    return (float)(1.0 / ((double)peak * shares));
}

#endif
