/* Bounded least squares: Levenberg 1944, Marquardt 1963, steps clipped to the bounds. Residuals are
   ln(value / measured), relative deviations where they are small. */
#ifndef OOZE_RHEOLOGY_LEAST_SQUARES_H
#define OOZE_RHEOLOGY_LEAST_SQUARES_H

#include <stddef.h>

enum { OOZE_UNKNOWNS_MAX = 9 };

typedef struct OozeLeastSquares {
    /* Evaluates the model at all points. */
    void (*values)(const void *context, const double *unknowns, double *values);
    const void *context;
    const double *measured; /* positive, as the values must be */
    size_t count;
    int unknown_count;
    double low[OOZE_UNKNOWNS_MAX], high[OOZE_UNKNOWNS_MAX];
    double *work; /* (OOZE_UNKNOWNS_MAX + 2) * count numbers */
} OozeLeastSquares;

/* Sum of the squares of ln(value / measured). */
double ooze_residual_sum(const OozeLeastSquares *problem, const double *unknowns);

/* Minimises from `unknowns`; `half_widths` get those of the 95 % confidence intervals, infinite for
   unknowns at a bound or not determined. Returns the residual sum. */
double ooze_least_squares(const OozeLeastSquares *problem, double *unknowns, double *half_widths);

#endif
