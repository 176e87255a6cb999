/* Coupling of the particles of a step with dynamic solids: six unknowns a solid, velocity and
   angular velocity, and the momentum that it has received from the particles so far.

   Masses are in units of one particle of the method's reference density, so that sums run
   over particles and solids. Arms and centres are those of the beginning of the step, and so are
   moments: positions move by velocity times dt, so the change of x cross u is x0 cross the
   impulse, and angular momentum is conserved. */
#ifndef OOZE_SOLVERS_DYNAMIC_COUPLING_H
#define OOZE_SOLVERS_DYNAMIC_COUPLING_H

#include "solvers/periodic_f32x4.h"
#include "solvers/step_context.h"
#include "solvers/twist.h"

/* Particles of a chunk of parallel work. */
enum { OOZE_COUPLING_GRAIN = 256 };

typedef struct OozeDynamicSolid {
    int solid;                              /* index among the solids of the world */
    double mass;                            /* in particles */
    double inverse[6];                      /* inverse inertia tensor; in particles, m2 */
    OozeVec3 centre;                        /* of mass, at the beginning of the step */
    double reach;                           /* m: from the centre to the farthest sample */
    OozeTwist free_motion;                  /* without the particles */
    OozeTwist motion_star;                  /* with forces that act before the velocity solve */
    OozeTwist motion;                       /* with the momentum from the particles so far */
    OozeTwist remembered;                   /* see ooze_coupling_leave_out */
    OozeTwist collected;                    /* sum of the last ooze_coupling_collect */
    OozeTwist direction, residual, product; /* of conjugate gradients */
    double row_sum;                         /* see ooze_density_solid_diagonals */
    double touching;                        /* particles in contact with it */
} OozeDynamicSolid;

typedef struct OozeDynamicCoupling {
    OozeStepContext *context; /* as given by the world */
    OozeDynamicSolid *solids;
    int count;
    int *index_of;        /* per solid of the world: index in `solids`, or -1 */
    double particle_mass; /* kg of a particle of the reference density */
    /* Samples in the order of the lists; those of dynamic solids at the beginning of the step,
       with velocities by `motion`. */
    OozeBoundary view;
    OozeVec3 *arm; /* per sample of the view, of dynamic solids: position from the centre */
    /* per sample of the view: velocity of a search direction; 0 for other solids */
    OozeFloat4 *direction_velocity;
    uint64_t chunks;
    OozeTwist *partial; /* per chunk and solid */
    uint8_t *used;      /* per chunk: `partial` holds sums */
    uint8_t *near;      /* per chunk: lists of its particles hold samples of dynamic solids */
} OozeDynamicCoupling;

/* Starts with the motion of solids without particles. Memory is the arena's; the poses of
   dynamic solids change. */
OozeStatus ooze_coupling_begin(OozeDynamicCoupling *coupling, OozeStepContext *context,
                               double particle_mass, OozeError *error);

static inline bool ooze_coupling_is_dynamic(const OozeDynamicCoupling *coupling, int solid)
{
    return coupling->index_of[solid] >= 0;
}

/* Velocity change by an impulse: inverse mass times momentum. */
OozeTwist ooze_coupling_velocity_change(const OozeDynamicSolid *solid, const OozeTwist *momentum);
/* impulse . K impulse, K being the inverse effective mass at an arm: twice the energy of an impulse
   there. */
double ooze_coupling_compliance(const OozeDynamicSolid *solid, OozeVec3 arm, OozeVec3 impulse);
/* Mass times a motion. */
OozeTwist ooze_coupling_momentum(const OozeDynamicCoupling *coupling, const OozeDynamicSolid *solid,
                                 const OozeTwist *motion);

/* Takes a share of the change of `motion` since remember_motion back. */
void ooze_coupling_remember_motion(OozeDynamicCoupling *coupling);
void ooze_coupling_leave_out(OozeDynamicCoupling *coupling, double share);

/* Velocities of the samples of the view by `motion`; or direction_velocity by `direction`. */
void ooze_coupling_spread_motion(OozeDynamicCoupling *coupling);
void ooze_coupling_spread_direction(OozeDynamicCoupling *coupling);

/* ---- sums over particles in fixed chunks: equal for any number of threads ------------------- */

/* Sets `near` for these lists. */
void ooze_coupling_find_chunks(OozeDynamicCoupling *coupling, const OozeNeighbours *lists,
                               uint64_t n, const OozeBoundary *boundary);
/* Sums of one chunk, per solid of `solids`; 0 at the first use after a collection. */
OozeTwist *ooze_coupling_chunk(OozeDynamicCoupling *coupling, uint64_t begin);
/* Adds the sums of all chunks, in order, into `collected`. */
void ooze_coupling_collect(OozeDynamicCoupling *coupling);

/* Adds an impulse at an arm. */
static inline void ooze_coupling_add(OozeTwist *sum, OozeVec3 arm, OozeVec3 impulse)
{
    OozeVec3 moment = vec3_cross(arm, impulse);
    sum->v[0] += impulse.x;
    sum->v[1] += impulse.y;
    sum->v[2] += impulse.z;
    sum->v[3] += moment.x;
    sum->v[4] += moment.y;
    sum->v[5] += moment.z;
}

/* From the centre of a solid to x, both at the beginning of the step. */
static inline OozeVec3 ooze_coupling_arm(const OozeDynamicCoupling *coupling,
                                         const OozeDynamicSolid *solid, OozeF32x4 x)
{
    OozeF32x4 centre =
        ooze_f32x4((float)solid->centre.x, (float)solid->centre.y, (float)solid->centre.z, 0);
    OozeF32x4 d = ooze_f32x4_nearest(x - centre, &coupling->context->periodic);
    OozeVec3 rounding =
        vec3(solid->centre.x - (double)centre[0], solid->centre.y - (double)centre[1],
             solid->centre.z - (double)centre[2]);
    return vec3_sub(vec3((double)d[0], (double)d[1], (double)d[2]), rounding);
}

/* ---- new poses ---------------------------------------------------------------------------- */

/* Update the poses from `motion`, and the samples of the world's boundary: sort them again, or keep
   their order. */
OozeStatus ooze_coupling_place_samples(OozeDynamicCoupling *coupling, OozeError *error);
void ooze_coupling_move_samples(OozeDynamicCoupling *coupling);
/* Adds the momentum from the particles to the loads of the stage. */
void ooze_coupling_load(OozeDynamicCoupling *coupling);

#endif
