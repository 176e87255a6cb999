/* Motion of one dynamic solid. Valid C17 and CUDA. */
#ifndef OOZE_SOLIDS_DYNAMIC_FORMULA_H
#define OOZE_SOLIDS_DYNAMIC_FORMULA_H

#include "base/vec3.h"
#include "solids/motion.h"
#include "solids/solid.h"

/* Impulses on a solid in a substep. */
typedef struct OozeLoad {
    OozeVec3 impulse; /* N s */
    OozeVec3 moment;  /* N m s, about its centre of mass at `pose` */
} OozeLoad;

OOZE_FORMULA bool ooze_solid_is_dynamic(const OozeSolid *solid)
{
    return solid->mass.density > 0.0;
}

OOZE_FORMULA bool ooze_solid_collides(const OozeSolid *solid)
{
    return solid->params[OOZE_SOLID_COLLIDES] != 0.0;
}

/* Centre of mass in the world, at a pose. */
OOZE_FORMULA OozeVec3 ooze_dynamic_centre(const OozeSolid *solid, const OozePose *pose)
{
    return ooze_pose_to_world(pose, solid->mass.centre);
}

/* Adds an impulse at a point of the world to a load. */
OOZE_FORMULA void ooze_load_add(OozeLoad *load, OozeVec3 centre, OozeVec3 point, OozeVec3 impulse)
{
    load->impulse = vec3_add(load->impulse, impulse);
    load->moment = vec3_add(load->moment, vec3_cross(vec3_sub(point, centre), impulse));
}

/* Velocity of the centre of mass; the setter sets pose->velocity, which is that of the origin. */
OOZE_FORMULA OozeVec3 ooze_dynamic_velocity(const OozeSolid *solid, const OozePose *pose)
{
    return ooze_pose_velocity_at(pose, ooze_dynamic_centre(solid, pose));
}

OOZE_FORMULA void ooze_dynamic_set_velocity(const OozeSolid *solid, OozePose *pose,
                                            OozeVec3 velocity, OozeVec3 spin)
{
    OozeVec3 arm = quat_rotate(pose->rotation, solid->mass.centre);
    pose->velocity = vec3_sub(velocity, vec3_cross(spin, arm));
    pose->spin = spin;
}

/* Change of spin by an angular impulse about the centre: inverse inertia times moment. */
OOZE_FORMULA OozeVec3 ooze_dynamic_spin_change(const OozeSolid *solid, const OozePose *pose,
                                               OozeVec3 moment)
{
    OozeQuat q = quat_mul(pose->rotation, solid->mass.axes); /* from the principal axes */
    OozeVec3 l = quat_rotate_inverse(q, moment), i = solid->mass.moments;
    return quat_rotate(q, vec3(l.x / i.x, l.y / i.y, l.z / i.z));
}

/* Angular momentum about the centre: inertia times spin. */
OOZE_FORMULA OozeVec3 ooze_dynamic_momentum(const OozeSolid *solid, const OozePose *pose,
                                            OozeVec3 spin)
{
    OozeQuat q = quat_mul(pose->rotation, solid->mass.axes);
    OozeVec3 w = quat_rotate_inverse(q, spin), i = solid->mass.moments;
    return quat_rotate(q, vec3(w.x * i.x, w.y * i.y, w.z * i.z));
}

/* Free flight for dt; gyroscopic terms are of second order. Rotates by the spin at the midpoint
   (second order) and conserves the angular momentum. */
OOZE_FORMULA OozePose ooze_dynamic_fly(const OozeSolid *solid, const OozePose *from,
                                       OozeVec3 gravity, double dt)
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

#endif
