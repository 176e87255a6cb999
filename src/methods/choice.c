#include "methods/choice.h"

#include <math.h>

void ooze_choice_bound(OozeChoice *choice, double *longest, double step, int material,
                       const char *why)
{
    if (step < *longest) {
        *longest = step;
        choice->bound = why;
        choice->material = material;
    }
}

static double max_speed(const OozeChoiceQuestion *q, int *material)
{
    double fastest = 0.0;
    *material = -1;
    for (int m = 0; m < q->context->material_count; m++) {
        if (q->flows[m].scale.flows && q->flows[m].speed > fastest) {
            fastest = q->flows[m].speed;
            *material = m;
        }
    }
    return fastest;
}

/* Largest travel of a particle in a step, in spacings. */
static double longest_travel(const OozeMethod *method, const OozeChoiceQuestion *q)
{
    return method->traces_paths  ? INFINITY
           : q->max_travel > 0.0 ? q->max_travel
                                 : OOZE_LONGEST_TRAVEL;
}

double ooze_choice_max_step(const OozeMethod *method, const OozeChoiceQuestion *q,
                            OozeChoice *choice)
{
    double longest = INFINITY, stable = INFINITY;
    ooze_choice_bound(choice, &longest, q->frame, -1, "a frame");
    if (method->stable_step) {
        OozeStepContext at = *q->context;
        at.dt = q->frame;
        stable = method->stable_step(&at);
    }
    ooze_choice_bound(choice, &longest, stable, -1, "stability");
    int material;
    double fastest = max_speed(q, &material);
    double travel = longest_travel(method, q) * q->context->spacing;
    ooze_choice_bound(choice, &longest, fastest > 0.0 ? travel / fastest : INFINITY, material,
                      "how far particles go");
    return longest;
}

double ooze_choice_divide(double frame, double longest)
{
    double steps = ceil(frame / longest - 1e-9);
    return frame / fmax(steps, 1.0);
}

void ooze_choose(const OozeMethod *method, const OozeChoiceQuestion *q, OozeChoice *choice)
{
    choice->bound = "the scene";
    choice->material = -1;
    choice->cost = NAN;
    if (method->choose) {
        method->choose(q, choice);
    } else if (isnan(choice->time_step)) {
        choice->time_step = ooze_choice_divide(q->frame, ooze_choice_max_step(method, q, choice));
    }
    int material;
    double travel = max_speed(q, &material) * choice->time_step / q->context->spacing;
    bool cut = q->max_travel > 0.0 && !method->traces_paths;
    /* the speed is an estimate: 25% beyond max_travel is not divided */
    choice->substeps = cut ? fmax(ceil(travel / q->max_travel - 0.25), 1.0) : 1.0;
    choice->cost *= choice->substeps;
}
