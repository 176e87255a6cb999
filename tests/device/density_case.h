/* Input and output of a density stage on the processor and on the device. Valid C and C++: the
   processor's stage is C. */
#ifndef OOZE_TESTS_DENSITY_CASE_H
#define OOZE_TESTS_DENSITY_CASE_H

#include "methods/method.h"

typedef struct DensityCase {
    OozeStepContext context; /* spacing, support, dt, periodic, solids and boundary */
    OozeStepReport report;   /* of the last run */
    uint64_t n;
    float support, volume, wall_scale, contact, tolerance, mean_tolerance, min_distance;
    int iterations;
    bool drifts, relieves;
    /* m that every iteration adds to the first coordinate of every third shift; 0: none */
    float between;
    OozeFloat4 *x;
    /* NULL: none */
    OozeFloat4 *start;
    float *density_target, *load_excess, *mobility, *effective_inverse_mass, *first_multiplier;
    uint16_t *rigid;
    uint8_t *ignores_boundary;
} DensityCase;

/* n each. */
typedef struct DensityResult {
    OozeFloat4 *x, *shift, *drift, *position_only_shift;
    float *multiplier;
    double worst, mean;
} DensityResult;

OozeStatus density_reference(const DensityCase *c, DensityResult *result, OozeError *error);

#endif
