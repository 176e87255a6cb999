/* Settings of the springs method, and numbers of a step and of a material. */
#ifndef OOZE_METHODS_SPRINGS_CONSTANTS_H
#define OOZE_METHODS_SPRINGS_CONSTANTS_H

#include "physics/springs.h"
#include "solids/contact.h"
#include "step/context.h"

/* Settings, in the order of the table in method.c. */
enum {
    OOZE_SPRINGS_UNIT,
    OOZE_SPRINGS_ORDER,
    OOZE_SPRINGS_SEED,
    OOZE_SPRINGS_START,
    OOZE_SPRINGS_CONTACT_DISTANCE,
    OOZE_SPRINGS_PARAM_COUNT
};

/* The largest tolerable compression of a column: g times its height over the squared speed of
   sound. */
#define OOZE_SPRINGS_COMPRESSION 0.25
/* The largest stable spring stiffness at the longest step, of 1.5 units: three times the published
   one. */
#define OOZE_SPRINGS_STIFFEST 0.9

enum { OOZE_SPRINGS_PARALLEL, OOZE_SPRINGS_SEQUENTIAL };
enum { OOZE_SPRINGS_FROM_SUPPORT, OOZE_SPRINGS_FROM_DISTANCE };

typedef struct OozeSpringsConstants {
    float dt;                  /* s */
    float dt_units, dt_units2; /* dt over the time unit, and its square */
    float h, inverse_h;        /* m */
    float speed;               /* h over the time unit, m/s */
    uint64_t seed;             /* of keys, see ooze_springs_key */
    bool from_distance;        /* springs of new particles begin with their length */
} OozeSpringsConstants;

/* The coefficients of a material in this step. */
typedef struct OozeSpringsCoefficients {
    float stiffness, near_stiffness, rest_density;
    float linear, quadratic; /* viscosity */
    float spring;            /* stiffness of springs; 0: none */
    OozeSpringLaw law;
    float mass; /* kg, of a particle */
} OozeSpringsCoefficients;

/* What some material of the step has. */
typedef struct OozeSpringsFeatures {
    bool springs, viscosity;
} OozeSpringsFeatures;

OozeSpringsConstants ooze_springs_constants(const OozeStepContext *context);
/* Fills one element per material. */
OozeSpringsFeatures ooze_springs_coefficients(const OozeStepContext *context,
                                              OozeSpringsCoefficients *coefficients);
/* Contacts of particles with solids. */
OozeContactRule ooze_springs_contact_rule(const OozeStepContext *context);

#endif
