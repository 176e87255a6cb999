/* Models of measured curves: a spectrum of Maxwell modes, and viscosity as a function of shear
   rate. */
#ifndef OOZE_RHEOLOGY_MODEL_H
#define OOZE_RHEOLOGY_MODEL_H

#include <stdbool.h>

#include "rheology/data.h"
#include "rheology/least_squares.h"

enum { OOZE_MODES_MAX = 4 };

typedef enum OozeRheoLaw {
    OOZE_RHEO_MAXWELL,   /* ln modulus and ln time of each mode, then ln solvent viscosity */
    OOZE_RHEO_NEWTON,    /* ln viscosity */
    OOZE_RHEO_POWER_LAW, /* ln viscosity at the reference rate, exponent */
    OOZE_RHEO_CARREAU,   /* ln viscosity at rest, exponent, ln rate, ln floor */
    OOZE_RHEO_PASTE,     /* Herschel and Bulkley: those of a power law, ln yield stress */
} OozeRheoLaw;

typedef struct OozeRheoModel {
    OozeRheoLaw law;
    int modes;
    bool solvent;     /* of Maxwell modes */
    bool floor;       /* of Carreau's law */
    double reference; /* rate of a power law, with or without yield stress, 1/s */
} OozeRheoModel;

int ooze_rheo_unknowns(const OozeRheoModel *model);

/* The first (0) or second curve of the experiment at x. */
double ooze_rheo_value(const OozeRheoModel *model, const double *unknowns, OozeRheoKind kind,
                       int curve, double x);

/* In the order of OozeRheoData.y; the context of a least-squares problem. */
typedef struct OozeRheoTrial {
    const OozeRheoModel *model;
    const OozeRheoData *data;
} OozeRheoTrial;
void ooze_rheo_values(const void *trial, const double *unknowns, double *values);

#endif
