/* The time step and iterations that a scene needs, and their cost: for `ooze check` and
   `time_step: auto`. docs/advice.md describes how the rules were measured. */
#ifndef OOZE_METHODS_CHOICE_H
#define OOZE_METHODS_CHOICE_H

#include "methods/flow.h"

/* Largest travel of a particle per step in spacings, where steps are not divided into substeps. */
#define OOZE_LONGEST_TRAVEL 0.4

struct OozeChoiceQuestion {
    /* reads spacing, support, gravity, materials and params; not dt, not particles */
    const OozeStepContext *context;
    const OozeFlow *flows; /* of each material */
    double frame;          /* s between frames: steps divide it */
    double error;          /* allowed relative error of the flow, such as 0.05 */
    double max_travel;     /* spacings beyond which steps are divided; 0: never */
};

/* A value of NAN is to be chosen; it stays NAN where the method has no such setting. */
struct OozeChoice {
    double time_step;
    double velocity_iterations, passes, density_iterations;
    /* results */
    const char *density_key; /* the setting of density_iterations; NULL: of that name */
    double substeps;         /* of the fastest step */
    double cost; /* of a particle and simulated second, in velocity iterations; NAN: unknown */
    double grid_bytes; /* a particle, of the grids of the velocity solve; 0: it uses none */
    const char *bound; /* what limits the step, such as "a frame" */
    int material;      /* whose flow limits it, or -1 */
};

/* Lowers *longest to `step` and records the reason, if `step` is shorter. */
void ooze_choice_bound(OozeChoice *choice, double *longest, double step, int material,
                       const char *why);
/* The longest step by the bounds of every method: frame interval, stability, travel. */
double ooze_choice_max_step(const OozeMethod *method, const OozeChoiceQuestion *question,
                            OozeChoice *choice);
/* Applies the general bounds, then the rules of the method. */
void ooze_choose(const OozeMethod *method, const OozeChoiceQuestion *question, OozeChoice *choice);

/* The longest step not above `longest` that divides the frame interval, within rounding. */
double ooze_choice_divide(double frame, double longest);

#endif
