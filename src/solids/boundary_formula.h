/* Boundary particles: position, velocity and volume. Valid C17 and CUDA. */
#ifndef OOZE_SOLIDS_BOUNDARY_FORMULA_H
#define OOZE_SOLIDS_BOUNDARY_FORMULA_H

#include "particles/neighbours.h"
#include "physics/kernels.h"
#include "solids/motion.h"

OOZE_FORMULA OozeFloat4 ooze_to_float4(OozeVec3 a)
{
    OozeFloat4 narrow = {(float)a.x, (float)a.y, (float)a.z, 0.0f};
    return narrow;
}

OOZE_FORMULA OozeFloat4 ooze_sample_position(const OozePose *pose, OozeFloat4 local,
                                             const OozePeriodic *periodic)
{
    OozeVec3 at = vec3((double)local.x, (double)local.y, (double)local.z);
    return ooze_point_wrap(ooze_to_float4(ooze_pose_to_world(pose, at)), periodic);
}

OOZE_FORMULA OozeFloat4 ooze_sample_normal(const OozePose *pose, OozeFloat4 local_normal)
{
    OozeVec3 n = vec3((double)local_normal.x, (double)local_normal.y, (double)local_normal.z);
    return ooze_to_float4(quat_rotate(pose->rotation, n));
}

OOZE_FORMULA OozeFloat4 ooze_sample_velocity(const OozePose *pose, OozeFloat4 local)
{
    if (pose->spin.x == 0.0 && pose->spin.y == 0.0 && pose->spin.z == 0.0) {
        return ooze_to_float4(pose->velocity);
    }
    /* the arm is taken in the solid's frame, since the world position may be wrapped */
    OozeVec3 arm =
        quat_rotate(pose->rotation, vec3((double)local.x, (double)local.y, (double)local.z));
    return ooze_to_float4(vec3_add(pose->velocity, vec3_cross(pose->spin, arm)));
}

/* Akinci et al. 2012, eq 4: V = 1 / sum W, m3. Kernel values are summed in fixed point, in units of
   2^-40 W(0): the sum does not depend on the order, which changes when other samples move. `peak`
   is W(0). */
OOZE_FORMULA int64_t ooze_sample_fixed_weight(OozeFloat4 x, OozeFloat4 y, const OozePeriodic *p,
                                              float h, float peak)
{
    float dx = ooze_periodic_delta(x.x - y.x, p->length[0], p->inverse[0]);
    float dy = ooze_periodic_delta(x.y - y.y, p->length[1], p->inverse[1]);
    float dz = ooze_periodic_delta(x.z - y.z, p->length[2], p->inverse[2]);
    float weight = ooze_cubic_value(sqrtf(dx * dx + dy * dy + dz * dz), h) / peak;
    return (int64_t)(weight * 1099511627776.0f);
}

OOZE_FORMULA float ooze_sample_volume(int64_t sum, float peak)
{
    double weights = (double)(sum > 0 ? sum : (int64_t)1 << 40) * (1.0 / 1099511627776.0);
    return (float)(1.0 / ((double)peak * weights));
}

#endif
