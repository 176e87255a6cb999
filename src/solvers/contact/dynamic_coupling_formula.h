/* One dynamic solid in the coupling with particles: see dynamic_coupling.h. Valid C17 and CUDA. */
#ifndef OOZE_SOLVERS_CONTACT_DYNAMIC_COUPLING_FORMULA_H
#define OOZE_SOLVERS_CONTACT_DYNAMIC_COUPLING_FORMULA_H

#include "physics/periodic.h"
#include "physics/rigid_motion.h"
#include "solids/dynamic_formula.h"
#include "solvers/contact/twist.h"

typedef struct OozeDynamicSolid {
    int solid;                              /* index among the solids of the world */
    double mass;                            /* in particles */
    double inverse[6];                      /* inverse inertia tensor; in particles, m2 */
    OozeVec3 centre;                        /* of mass, at the beginning of the step */
    double reach;                           /* m: from the centre to the farthest sample */
    OozeTwist free_motion;                  /* without the particles */
    OozeTwist motion_star;                  /* with forces that act before the velocity solve */
    OozeTwist motion;                       /* with the momentum from the particles so far */
    OozeTwist remembered;                   /* `motion` before the density stage */
    OozeTwist collected;                    /* sum of the last ooze_coupling_collect */
    OozeTwist direction, residual, product; /* of conjugate gradients */
    double row_sum;                         /* see ooze_density_solid_diagonals */
    double touching;                        /* particles in contact with it */
} OozeDynamicSolid;

OOZE_FORMULA OozeVec3 ooze_twist_linear(const OozeTwist *twist)
{
    return vec3(twist->v[0], twist->v[1], twist->v[2]);
}

OOZE_FORMULA OozeVec3 ooze_twist_angular(const OozeTwist *twist)
{
    return vec3(twist->v[3], twist->v[4], twist->v[5]);
}

/* Velocity of a point at an arm from the centre. */
OOZE_FORMULA OozeVec3 ooze_twist_velocity_at(const OozeTwist *motion, OozeVec3 arm)
{
    return vec3_add(ooze_twist_linear(motion), vec3_cross(ooze_twist_angular(motion), arm));
}

/* Velocity change by an impulse: inverse mass times momentum. */
OOZE_FORMULA OozeTwist ooze_coupling_velocity_change(const OozeDynamicSolid *solid,
                                                     const OozeTwist *momentum)
{
    OozeTwist y;
    for (int c = 0; c < 3; c++) {
        y.v[c] = momentum->v[c] / solid->mass;
    }
    ooze_sym6_apply(solid->inverse, momentum->v + 3, y.v + 3);
    return y;
}

/* impulse . K impulse, K being the inverse effective mass at an arm: twice the energy of an impulse
   there. */
OOZE_FORMULA double ooze_coupling_compliance(const OozeDynamicSolid *solid, OozeVec3 arm,
                                             OozeVec3 impulse)
{
    OozeVec3 moment = vec3_cross(arm, impulse);
    double t[3] = {moment.x, moment.y, moment.z}, spin[3];
    ooze_sym6_apply(solid->inverse, t, spin);
    return vec3_dot(impulse, impulse) / solid->mass + t[0] * spin[0] + t[1] * spin[1] +
           t[2] * spin[2];
}

/* Adds an impulse at an arm. */
OOZE_FORMULA void ooze_coupling_add(OozeTwist *sum, OozeVec3 arm, OozeVec3 impulse)
{
    OozeVec3 moment = vec3_cross(arm, impulse);
    sum->v[0] += impulse.x;
    sum->v[1] += impulse.y;
    sum->v[2] += impulse.z;
    sum->v[3] += moment.x;
    sum->v[4] += moment.y;
    sum->v[5] += moment.z;
}

/* From the centre of a solid to a particle, both at the beginning of the step. */
OOZE_FORMULA OozeVec3 ooze_coupling_arm(const OozeDynamicSolid *solid, const float x[3],
                                        const OozePeriodic *p)
{
    const double centre[3] = {solid->centre.x, solid->centre.y, solid->centre.z};
    double arm[3];
    for (int k = 0; k < 3; k++) {
        float near = (float)centre[k];
        float d = ooze_periodic_delta(x[k] - near, p->length[k], p->inverse[k]);
        arm[k] = (double)d - (centre[k] - (double)near); /* without the rounding of the centre */
    }
    return vec3(arm[0], arm[1], arm[2]);
}

/* Pose at the end of the step by `motion`. */
OOZE_FORMULA OozePose ooze_coupling_pose(const OozeDynamicSolid *solid, const OozeSolid *of,
                                         double dt)
{
    OozePose from = of->previous;
    OozeVec3 arm = vec3_sub(from.position, solid->centre);
    from.spin = ooze_twist_angular(&solid->motion);
    from.velocity = ooze_twist_velocity_at(&solid->motion, arm);
    return ooze_dynamic_fly(of, &from, vec3(0, 0, 0), dt);
}

/* The rigid motion nearest to velocities of points, by weighted least squares: about the mean arm,
   its linear and angular parts separate. The sums: of velocities and their moments; of weighted
   arms and weights; of squares of arms. */
OOZE_FORMULA OozeTwist ooze_coupling_fit(const OozeTwist *velocity, const OozeTwist *weight,
                                         const OozeTwist *square)
{
    double w = weight->v[3], moment[6], inverse[6], spin[3];
    OozeVec3 mean = vec3(weight->v[0] / w, weight->v[1] / w, weight->v[2] / w);
    OozeVec3 p = vec3(velocity->v[0], velocity->v[1], velocity->v[2]),
             moment_p = vec3_cross(mean, p);
    double m[3] = {mean.x, mean.y, mean.z};
    double l[3] = {velocity->v[3] - moment_p.x, velocity->v[4] - moment_p.y,
                   velocity->v[5] - moment_p.z};
    for (int k = 0; k < 6; k++) {
        moment[k] = square->v[k];
    }
    ooze_rigid_add_moment(moment, -w, m);
    ooze_rigid_inverse_inertia(moment, 1e-6 * (square->v[0] + square->v[1] + square->v[2]),
                               inverse);
    ooze_sym6_apply(inverse, l, spin);
    OozeVec3 v =
        vec3_sub(vec3_scale(p, 1.0 / w), vec3_cross(vec3(spin[0], spin[1], spin[2]), mean));
    OozeTwist y = {{v.x, v.y, v.z, spin[0], spin[1], spin[2]}};
    return y;
}

/* ---- density stage: see density_solids.c ---- */

/* Share of the sum of a row that is added to its diagonal. */
#define OOZE_COUPLING_SHARE_OF_ROW (1.0 / 3.0)

/* The share of a penetration that a particle moves; the solid, divided equally among the particles
   in contact with it, moves the rest. */
OOZE_FORMULA double ooze_coupling_push_share(const OozeDynamicSolid *solid, OozeVec3 arm,
                                             OozeVec3 normal, float mobility)
{
    double compliance = ooze_coupling_compliance(solid, arm, normal);
    return 1.0 / (1.0 + solid->touching * compliance / (double)mobility);
}

/* Bound of the distance by which a change of its motion moves a point within `reach` of its
   centre, over the time of the change. */
OOZE_FORMULA double ooze_coupling_travel(const OozeTwist *change, double reach)
{
    return vec3_length(ooze_twist_linear(change)) + vec3_length(ooze_twist_angular(change)) * reach;
}

#endif
