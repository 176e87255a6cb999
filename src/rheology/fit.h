/* Fits material parameters to measured points: selects the law and the number of modes, and gives
   confidence intervals. */
#ifndef OOZE_RHEOLOGY_FIT_H
#define OOZE_RHEOLOGY_FIT_H

#include "rheology/model.h"

typedef struct OozeRheoFit {
    OozeRheoModel model;
    int unknown_count;
    double unknowns[OOZE_UNKNOWNS_MAX]; /* modes in order of their times */
    /* of 95 % confidence intervals; infinite: not determined */
    double half_widths[OOZE_UNKNOWNS_MAX];
    double rms;         /* relative residual: exp(root mean square of ln(fit / measured)) - 1 */
    double information; /* AICc: lower is better */
    bool determined;    /* every unknown within a factor of two */
} OozeRheoFit;

typedef struct OozeRheoResult {
    OozeRheoFit best;
    OozeRheoFit single; /* the best of one mode; the same as `best` for a flow curve */
} OozeRheoResult;

/* An unknown without logarithm, and the ends of its confidence interval. */
typedef struct OozeRheoNumber {
    double value, low, high;
} OozeRheoNumber;

OozeStatus ooze_rheo_fit(const OozeRheoData *data, OozeRheoResult *result, OozeError *error);

/* Relative residual above which a fit is poor. */
#define OOZE_RHEO_POOR 0.25

/* Where G' is below a tenth of G'' everywhere and the fit is poor, G' is an error of the
   instrument, and G'' / omega is the viscosity at a shear rate equal to omega (Cox and Merz 1958):
   converts the data to that flow curve. False: the data are unchanged. */
bool ooze_rheo_convert_to_flow(OozeRheoData *data, const OozeRheoFit *fit);

OozeRheoNumber ooze_rheo_number(const OozeRheoFit *fit, int unknown);

/* The largest deviation: fit / measured - 1, and where. */
typedef struct OozeRheoDeviation {
    double x, share;
    int curve;
} OozeRheoDeviation;
OozeRheoDeviation ooze_rheo_worst(const OozeRheoFit *fit, const OozeRheoData *data);

#endif
