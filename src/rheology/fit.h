/* From measured points to the numbers of a material: how many modes, which law, and how sure. */
#ifndef OOZE_RHEOLOGY_FIT_H
#define OOZE_RHEOLOGY_FIT_H

#include "rheology/model.h"

typedef struct OozeRheoFit {
    OozeRheoModel model;
    int unknown_count;
    double unknowns[OOZE_UNKNOWNS_MAX];    /* modes in order of their times */
    double half_widths[OOZE_UNKNOWNS_MAX]; /* of 95 % confidence; infinite: the data do not tell */
    double
        /* relative residual: 1 + rms is the factor that the root mean square of its logarithm
           stands for */
        rms;
    double information; /* AICc: the lower, the better is the model */
    bool determined;    /* every unknown within a factor of two */
} OozeRheoFit;

typedef struct OozeRheoResult {
    OozeRheoFit best;
    OozeRheoFit single; /* the best of one mode; the same as `best` for a flow curve */
} OozeRheoResult;

/* One unknown as a person reads it: its number and the ends of its interval. */
typedef struct OozeRheoNumber {
    double value, low, high;
} OozeRheoNumber;

OozeStatus ooze_rheo_fit(const OozeRheoData *data, OozeRheoResult *result, OozeError *error);

/* Relative residual beyond which a law does not follow the data. */
#define OOZE_RHEO_POOR 0.25

/* A liquid that hardly stores anything: where G' is everywhere below a tenth of G'' and no spectrum
   follows it, G' is the instrument's error, and G'' over omega is the viscosity at a rate of
   shear equal to omega (Cox and Merz 1958). Turns the data into that flow curve, to be fitted
   again; false: they are left alone. */
bool ooze_rheo_take_as_flow(OozeRheoData *data, const OozeRheoFit *fit);

OozeRheoNumber ooze_rheo_number(const OozeRheoFit *fit, int unknown);

/* Where the fit is furthest from the data: fit over measured, less 1. */
typedef struct OozeRheoMiss {
    double x, share;
    int curve;
} OozeRheoMiss;
OozeRheoMiss ooze_rheo_worst(const OozeRheoFit *fit, const OozeRheoData *data);

#endif
