/* What the solver needs for a flow: iterations of both stages, the longest step, and what a step costs. */
#ifndef OOZE_METHODS_CONFORMATION_NEED_H
#define OOZE_METHODS_CONFORMATION_NEED_H

#include "methods/choice.h"
#include "methods/conformation/plan.h"

/* The error that the counts below were measured at. */
#define OOZE_NEED_ERROR 0.05

/* Iterations of the velocity solve, for a step that spreads momentum over so many spacings in fluid of so
   many layers. */
double ooze_need_velocity(const OozeConformationSettings *settings, double spacings, double layers,
                          double error);
/* Iterations of the density stage that hold up so many layers. */
double ooze_need_density(double layers, double dt, double gravity, double spacing, double error);
/* The longest step for which flow or swing of this fluid keeps within the error; why it is so. */
double ooze_need_step(const OozeFlow *flow, double gravity, double spacing, double error,
                      const char **why);
/* Spacings over which a step spreads momentum. */
double ooze_need_way(const OozeStepContext *context, const OozeMaterial *material, double dt);
/* Cost of a step for one particle, in velocity iterations. */
double ooze_need_cost(const OozeConformationSettings *settings, double velocity_iterations,
                      double passes, double density_iterations);

void ooze_conformation_choose(const OozeChoiceQuestion *question, OozeChoice *choice);

#endif
