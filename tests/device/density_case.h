/* A density stage to be done on both machines, and what comes of it. Valid C and C++: the processor's stage is C. */
#ifndef OOZE_TESTS_DENSITY_CASE_H
#define OOZE_TESTS_DENSITY_CASE_H

#include "methods/method.h"

typedef struct DensityCase {
    OozeStepContext context; /* spacing, support, dt, periodic, solids and boundary */
    OozeStepReport report;   /* of the last run */
    uint64_t n;
    float support, volume, wall_scale, contact, tolerance, apart;
    int iterations;
    bool plain, drifts, settles;
    float
        between; /* m that is added to the first coordinate of every third shift in every iteration; 0: none */
    OozeFloat4 *x;
    /* NULL: none */
    OozeFloat4 *start;
    float *limit, *borne, *mobility, *ease;
    uint16_t *rigid;
    uint8_t *bare;
} DensityCase;

/* n each. */
typedef struct DensityResult {
    OozeFloat4 *x, *shift, *drift, *settled;
    double worst, mean;
} DensityResult;

OozeStatus density_reference(const DensityCase *c, DensityResult *result, OozeError *error);

#endif
