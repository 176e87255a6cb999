/* Dynamic solids in the solve of pressure_solve.h: their six velocities are unknowns beside
   those of the particles,

   M V + viscous terms + W^T q = M V*,   Dc u + W V + flux of walls = 0

   with the rows W of solvers/pressure/pressure_bodies.h. The known pressure changes V* as it
   changes u*. Vectors have one element a solid of the coupling. Without dynamic solids, or a
   step that is NULL, all of these do nothing. Masses are in particles, see dynamic_coupling.h. */
#ifndef OOZE_METHODS_CONFORMATION_CPU_GRID_PRESSURE_SOLIDS_H
#define OOZE_METHODS_CONFORMATION_CPU_GRID_PRESSURE_SOLIDS_H

#include "methods/conformation/pressure_solve.h"

/* For the build of the grid. */
OozeStatus ooze_grid_solids_begin(const OozeConformationStep *step, OozePressureGridInput *input,
                                  OozeGridSolids *solids, OozeError *error);

/* ---- the known pressure ---- */

/* `applied` from the known pressure. */
void ooze_grid_solids_find_applied(OozeConformationStep *step);
/* rate += W (kick + applied), or W kick. */
void ooze_grid_solids_add_kick(OozeConformationStep *step, bool with_applied, float *rate);
/* ap += W M^-1 W^T p */
void ooze_grid_solids_add_product(OozeConformationStep *step, const float *p, float *ap);
/* V* += sign applied; V = V* with it, as particles begin the solve. */
void ooze_grid_solids_apply(OozeConformationStep *step, double sign);
void ooze_grid_solids_join(OozeConformationStep *step);

/* ---- vectors of the solve ---- */

OozeTwist *ooze_grid_solids_vector(const OozeConformationStep *step);
/* Of momenta, over masses. */
double ooze_grid_solids_dot(const OozeConformationStep *step, const OozeTwist *a,
                            const OozeTwist *b);
void ooze_grid_solids_add(const OozeConformationStep *step, double factor, const OozeTwist *a,
                          OozeTwist *b);
void ooze_grid_solids_scale(const OozeConformationStep *step, double factor, OozeTwist *b);
void ooze_grid_solids_copy(const OozeConformationStep *step, const OozeTwist *from, OozeTwist *to);
/* Motions: those that were solved for so far, and those of the last step. */
void ooze_grid_solids_save(const OozeConformationStep *step, OozeTwist *to);
OozeTwist *ooze_grid_solids_saved(OozeConformationStep *step); /* in `work` */
void ooze_grid_solids_set(const OozeConformationStep *step, const OozeTwist *from);
void ooze_grid_solids_set_last(const OozeConformationStep *step);

/* ---- operator and preconditioner ---- */

/* Before the preconditioner of the particles: the residual v - W^T p. After it: the response. */
void ooze_grid_solids_push(OozeConformationStep *step, const OozeTwist *v, const float *p);
void ooze_grid_solids_respond(OozeConformationStep *step, OozeTwist *z);
/* Before a product, and after it: w += W^T p, rate += W z. */
void ooze_grid_solids_direct(OozeConformationStep *step, const OozeTwist *z);
void ooze_grid_solids_multiply(OozeConformationStep *step, const OozeTwist *z, const float *p,
                               OozeTwist *w, float *rate);
/* After the product of the motions: r = M V* - product - W^T q, rate += W V. */
void ooze_grid_solids_residual(OozeConformationStep *step, const float *q, OozeTwist *r,
                               float *rate);

#endif
