/* The time step and the iterations that a scene needs, and what they cost: for advice, and where a scene
   leaves them to the program. docs/advice.md says how the rules were measured. */
#ifndef OOZE_METHODS_CHOICE_H
#define OOZE_METHODS_CHOICE_H

#include "methods/flow.h"

/* Spacings that a particle should cross in a step at most where steps are not cut. */
#define OOZE_LONGEST_TRAVEL 0.4

struct OozeChoiceQuestion {
    /* spacing, support, gravity, materials, params; its dt is not asked, nor are particles */
    const OozeStepContext *context;
    const OozeFlow *flows; /* of each material */
    double frame;          /* s between frames: steps divide it */
    double error;          /* of the flow that is allowed: 0.05 */
    double max_travel;     /* spacings beyond which steps are cut; 0: never */
};

/* NAN is to be chosen, and stays where the method has no such setting. */
struct OozeChoice {
    double time_step;
    double velocity_iterations, passes, density_iterations;
    /* found for what is given too */
    double sub_steps; /* of the fastest step */
    double cost;      /* of a particle and simulated second, in velocity iterations; NAN: unknown */
    const char *bound; /* why the step is no longer: "a frame" */
    int material;      /* whose flow that is, or -1 */
};

/* A longest step, and why; kept where it is the shortest so far. */
void ooze_choice_bound(OozeChoice *choice, double *longest, double step, int material,
                       const char *why);
/* What bounds a step in every method: frames, stability, and how far particles go. */
double ooze_choice_longest(const OozeMethod *method, const OozeChoiceQuestion *question,
                           OozeChoice *choice);
double ooze_choice_fastest(const OozeChoiceQuestion *question, int *material); /* m/s */
/* The whole: bounds, then what the method has to say. */
void ooze_choose(const OozeMethod *method, const OozeChoiceQuestion *question, OozeChoice *choice);

/* The step that divides the frame and is not longer; the allowance forgives rounding. */
double ooze_choice_divide(double frame, double longest);

#endif
