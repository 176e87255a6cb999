/* Iterations of both stages that a flow needs, its longest step, and the cost of a step. */
#ifndef OOZE_METHODS_CONFORMATION_COST_MODEL_H
#define OOZE_METHODS_CONFORMATION_COST_MODEL_H

#include "methods/choice.h"
#include "methods/conformation/plan.h"

/* The error that the counts below were measured at. */
#define OOZE_COST_MODEL_ERROR 0.05
/* Iterations of the velocity solve that multigrid needs at any size, for a residual of 1e-4. */
#define OOZE_COST_MULTIGRID_ITERATIONS 16.0
/* Iterations of masses in the time that the processor needs to build its grids. */
#define OOZE_COST_MULTIGRID_BUILD 10.0

/* Iterations of the velocity solve for a step that spreads momentum over `spacings` spacings, in
   fluid of `layers` layers. */
double ooze_cost_velocity_iterations(const OozeConformationSettings *settings, double spacings,
                                     double layers, double error);
/* Spacings over which a step spreads momentum. */
double ooze_cost_diffusion_length(const OozeStepContext *context, const OozeMaterial *material,
                                  double dt);
/* Whether the multigrid preconditioner of the velocity solve costs less than masses, for the same
   numbers. build: of the grids, in iterations of masses. */
bool ooze_cost_multigrid_pays(const OozeConformationSettings *settings, double spacings,
                              double layers, double build);
/* Cost of a step for one particle, in velocity iterations. */
double ooze_cost_of_step(const OozeConformationSettings *settings, double velocity_iterations,
                         double passes, double density_iterations);

void ooze_conformation_choose(const OozeChoiceQuestion *question, OozeChoice *choice);

#endif
