/* Rheometer data, read from a comma-separated table. */
#ifndef OOZE_RHEOLOGY_DATA_H
#define OOZE_RHEOLOGY_DATA_H

#include <stddef.h>

#include "ooze/status.h"

typedef enum OozeRheoKind {
    OOZE_RHEO_OSCILLATION, /* x: omega, rad/s; y: G', then G'', Pa */
    OOZE_RHEO_FLOW,        /* x: rate of shear, 1/s; y: viscosity, Pa s */
    OOZE_RHEO_RELAXATION,  /* x: time after a step strain, s; y: modulus, Pa */
    OOZE_RHEO_KIND_COUNT
} OozeRheoKind;

enum { OOZE_RHEO_ROWS_MIN = 4, OOZE_RHEO_ROWS_MAX = 5000 };

typedef struct OozeRheoData {
    OozeRheoKind kind;
    size_t rows;
    int curves; /* 2 for an oscillation, else 1 */
    double *x;
    double *y; /* rows of the first curve, then of the second; all above 0 */
} OozeRheoData;

typedef struct OozeRheoNames {
    const char *experiment; /* "oscillation" */
    const char *x, *x_unit;
    const char *y[2], *y_unit;
} OozeRheoNames;
const OozeRheoNames *ooze_rheo_names(OozeRheoKind kind);

/* The heading names the columns and their units, such as omega [rad/s],G' [Pa],G'' [Pa]; units
   default to those of OozeRheoNames. Fails on values that cannot be fitted; the error names the
   line. */
OozeStatus ooze_rheo_parse(const char *path, const char *text, size_t size, OozeRheoData *data,
                           OozeError *error);
OozeStatus ooze_rheo_read(const char *path, OozeRheoData *data, OozeError *error);
void ooze_rheo_free(OozeRheoData *data);

/* The smallest x above 0, and the largest. */
void ooze_rheo_range(const OozeRheoData *data, double *low, double *high);

#endif
