/* Coupling of the particles of a step with dynamic solids: six unknowns a solid, velocity and
   angular velocity, and the momentum that it has received from the particles so far.

   Masses are in units of one particle of the method's reference density, so that sums run
   over particles and solids. Arms and centres are those of the beginning of the step, and so are
   moments: positions move by velocity times dt, so the change of x cross u is x0 cross the
   impulse, and angular momentum is conserved. */
#ifndef OOZE_SOLVERS_CONTACT_DYNAMIC_COUPLING_H
#define OOZE_SOLVERS_CONTACT_DYNAMIC_COUPLING_H

#include "solvers/contact/dynamic_coupling_formula.h"
#include "step/context.h"

/* Particles of a chunk of parallel work. */
enum { OOZE_COUPLING_GRAIN = 256 };

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
    OozeTwist *partial;     /* per chunk and solid */
    uint8_t *used;          /* per chunk: `partial` holds sums */
    OozeTwist *all_partial; /* of all processes; NULL: there is one */
    uint64_t *rank_bytes;   /* working memory: per process */
    uint8_t *near;          /* per chunk: lists of its particles hold samples of dynamic solids */
} OozeDynamicCoupling;

/* Starts with the motion of solids without particles. Memory is the arena's; the poses of
   dynamic solids change. The first sets context, solids, count, index_of and particle_mass alone,
   for a GPU, which has the samples and the particles. */
OozeStatus ooze_coupling_begin_solids(OozeDynamicCoupling *coupling, OozeStepContext *context,
                                      double particle_mass, OozeError *error);
OozeStatus ooze_coupling_begin(OozeDynamicCoupling *coupling, OozeStepContext *context,
                               double particle_mass, OozeError *error);

static inline bool ooze_coupling_is_dynamic(const OozeDynamicCoupling *coupling, int solid)
{
    return coupling->index_of[solid] >= 0;
}

/* Mass times a motion. */
OozeTwist ooze_coupling_momentum(const OozeDynamicCoupling *coupling, const OozeDynamicSolid *solid,
                                 const OozeTwist *motion);

/* Sets `remembered`. */
void ooze_coupling_remember_motion(OozeDynamicCoupling *coupling);

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

/* ---- new poses ---------------------------------------------------------------------------- */

/* Update the poses from `motion`, and with the other two the samples of the world's boundary: sort
   them again, or keep their order. */
void ooze_coupling_update_poses(OozeDynamicCoupling *coupling);
OozeStatus ooze_coupling_place_samples(OozeDynamicCoupling *coupling, OozeError *error);
void ooze_coupling_move_samples(OozeDynamicCoupling *coupling);
/* Adds the momentum from the particles to the loads of the stage. */
void ooze_coupling_load(OozeDynamicCoupling *coupling);

#endif
