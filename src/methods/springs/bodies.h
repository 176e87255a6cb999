/* Parts of the coupling with dynamic solids that the host computes for the processor and the
   GPU. */
#ifndef OOZE_METHODS_SPRINGS_BODIES_H
#define OOZE_METHODS_SPRINGS_BODIES_H

#include "methods/springs/bodies_formula.h"

/* Iterations of the solids' poses: a solid that has moved touches other particles, which the next
   one includes. */
enum { OOZE_SPRINGS_MOVES = 3 };
/* Largest number of active-set iterations of a solid: until the set of approaching particles is
   constant. */
enum { OOZE_SPRINGS_ACTIVE_ROUNDS = 12 };

/* solids[index] at its pose; `free_pose` is the one after free flight. */
OozeSpringsBody ooze_springs_body(const OozeSolid *solids, int index, const OozePose *free_pose,
                                  const OozeContactRule *rule);
/* The load that changes velocity and spin by x, the solution of its system. */
OozeLoad ooze_springs_load_of(const OozeSolid *solid, const double x[6]);
/* The momentum that particles lost, `lost`, differs slightly from what moved the solid, `given`.
   Solid and touching particles, of mass `touching`, share the difference by mass: a solid much
   lighter than a particle could not take all of it. Changes `given`; returns the change of velocity
   of the particles that touch it. */
OozeVec3 ooze_springs_balance(const OozeSolid *solid, const OozeLoad *lost, double touching,
                              OozeLoad *given);

#endif
