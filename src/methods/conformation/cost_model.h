/* Iterations of both stages that a flow needs, its longest step, and the cost of a step. */
#ifndef OOZE_METHODS_CONFORMATION_COST_MODEL_H
#define OOZE_METHODS_CONFORMATION_COST_MODEL_H

#include "methods/choice.h"
#include "methods/conformation/plan.h"

/* The error that the counts below were measured at. */
#define OOZE_COST_MODEL_ERROR 0.05

/* Of a step that spreads momentum over `spacings` spacings, in fluid of `layers` layers. */
typedef struct OozeSolveCost {
    bool multigrid;    /* the preconditioner that is expected */
    double iterations; /* of the velocity solve; lodge: to its tolerance; others: for `error` */
    double products;   /* its time, in products with the operator of diagonal iterations */
} OozeSolveCost;
OozeSolveCost ooze_cost_of_solve(const OozeConformationSettings *settings, double spacings,
                                 double layers, double error);
/* Beyond so many spacings floats do not resolve the masses of free bodies beside their stiffness,
   and multigrid fails. */
#define OOZE_COST_FARTHEST 3e3
/* Spacings over which a step spreads momentum. */
double ooze_cost_diffusion_length(const OozeStepContext *context, const OozeMaterial *material,
                                  double dt);
/* Cost of a step for one particle, in velocity iterations. `products` is that of a pass. */
double ooze_cost_of_step(const OozeConformationSettings *settings, double products, double passes,
                         double density_iterations);

void ooze_conformation_choose(const OozeChoiceQuestion *question, OozeChoice *choice);

#endif
