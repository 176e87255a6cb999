/* How the time step changes a Maxwell fluid in steady shear. */
#include <math.h>

#include "methods/conformation/plan.h"
#include "methods/flow.h"

/* Measured over theoretical values at a shear rate of one over the relaxation time, in the last row
   at 0.4 of it: rheometer_T09_steps, docs/notes/step-dependence.md. */
static const OozeStepBias measured[] = {
    {0.0, 1.0, 1.0, false},     {0.01, 1.003, 0.998, false}, {0.1, 1.037, 0.995, false},
    {0.3, 1.075, 0.949, false}, {1.0, 1.085, 0.725, false},
};
enum { LAST = sizeof measured / sizeof measured[0] - 1 };

OozeStepBias ooze_conformation_step_bias(const OozeStepContext *c, const OozeFlow *flow,
                                         double share)
{
    double elastic = flow->remembered / (flow->remembered + flow->viscosity);
    if (ooze_conformation_settings(c).formulation != OOZE_FORMULATION_LODGE || !(share > 0.0) ||
        !isfinite(share) || !(elastic > 0.0) || !isnan(flow->yield)) {
        return (OozeStepBias){NAN, NAN, NAN, false};
    }
    int row = 1;
    while (row < LAST && measured[row].share < share) {
        row++;
    }
    const OozeStepBias *low = &measured[row - 1], *high = &measured[row];
    double at = fmin((share - low->share) / (high->share - low->share), 1.0);
    double viscosity = low->viscosity + at * (high->viscosity - low->viscosity);
    return (OozeStepBias){
        .share = share,
        .viscosity = 1.0 + elastic * (viscosity - 1.0), /* the solvent has no such error */
        .normal_stress = low->normal_stress + at * (high->normal_stress - low->normal_stress),
        .beyond = share > measured[LAST].share,
    };
}
