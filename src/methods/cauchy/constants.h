/* Constants of one step of the method cauchy: settings, and materials in kinematic units (over the
   density of the first material). Valid C and C++, for the processor and the GPU. */
#ifndef OOZE_METHODS_CAUCHY_CONSTANTS_H
#define OOZE_METHODS_CAUCHY_CONSTANTS_H

#include "methods/method.h"
#include "methods/temperature_scale.h"
#include "physics/cauchy.h"
#include "physics/lodge.h"
#include "physics/thinning.h"

enum {
    OOZE_CAUCHY_SCHEME,
    OOZE_CAUCHY_VISCOUS_STEP,
    OOZE_CAUCHY_TENSION,
    OOZE_CAUCHY_VELOCITY_ITERATIONS,
    OOZE_CAUCHY_VELOCITY_TOLERANCE,
    OOZE_CAUCHY_PRESSURE_ITERATIONS,
    OOZE_CAUCHY_PRESSURE_TOLERANCE,
    OOZE_CAUCHY_PRESSURE_PASSES,
    OOZE_CAUCHY_DENSITY_RELAXATION,
    OOZE_CAUCHY_SHIFT_DISTANCE,
    OOZE_CAUCHY_HOURGLASS,
    OOZE_CAUCHY_COLLISION_DISTANCE,
    OOZE_CAUCHY_CONTACT_DISTANCE,
    OOZE_CAUCHY_PARAM_COUNT
};

/* A row of material numbers for this step. */
typedef struct OozeCauchyMaterial {
    float relative_mass; /* density over that of the first material */
    OozeStressModel model;
    float viscosity;   /* m2/s: nu of the Newtonian part; of mixed and complex the zero-shear one */
    float solvent;     /* m2/s: part of it that does not thin */
    float modulus;     /* m2/s2: G of Maxwell's model; of the others mu */
    OozeMemory memory; /* of Maxwell's model */
    float damping;     /* m2/s: of elastic motion that gradients miss, see ooze_cauchy_stress */
    float mixing;      /* alpha; NAN: eq 9 */
    float frequency;   /* rad/s */
    OozeThinning thinning;
    float inverse_reference;  /* 1 / reference density, m3/kg */
    bool measured_viscosity;  /* complex: eq 21 gives the viscosity */
    float surface_tension;    /* over the reference density, m3/s2 */
    float wetting;            /* cosine of the contact angle, calibrated */
    float cohesion;           /* C over the mass of a particle of the first material, 1/s2/m */
    float intrinsic_pressure; /* kinematic, that balances cohesion inside the fluid, m2/s2 */
    float adhesion;           /* share of it between fluid and walls */
} OozeCauchyMaterial;

typedef struct OozeCauchyConstants {
    float dt, spacing, support;
    bool classic;            /* gradients and Laplacians of MPS without correction */
    bool explicit_viscosity; /* the stress of the beginning of the step */
    float strain_scale;      /* of ooze_strain_weight, with the volume of a particle */
    float wall_strain_scale; /* of the weight of wall samples, over their relative area */
    float number_density;    /* n0 */
    float inverse_density;   /* 1 / `density` of OozeMpsLattice */
    float laplacian;         /* 1/m2, see OozeMpsLattice */
    float flat_number, flat_density, flat_edge, normal, mirror, corner_number; /* likewise */
    float inverse_sample;     /* 1 / volume of a sample of a flat wall, 1/m3 */
    float density_relaxation; /* 1/s: rate at which errors of the number density decay */
    float shift_distance;     /* m: nearer particles are moved apart as fluid deforms */
    float overlap_distance;   /* m: nearer particles are moved apart always, also on walls */
    float hourglass;
    float collision_distance, contact_distance; /* m */
    int velocity_iterations, pressure_iterations, pressure_passes;
    double velocity_tolerance, pressure_tolerance;
    bool any_tension;
    bool potential;    /* surface tension by the potential between particles */
    float flat_strain; /* |sum g| of a flat surface, 1/m */
    float flat_filled; /* share of the missing half space in c of OozeSurfaceSums */
} OozeCauchyConstants;

OozeCauchyConstants ooze_cauchy_constants(const OozeStepContext *context);
OozeCauchyMaterial ooze_cauchy_material(const OozeStepContext *context,
                                        const OozeMaterial *material);

/* Rows of a material that depends on temperature. */
typedef struct OozeCauchyTable {
    int first; /* -1: it does not */
    OozeTemperatureScale scale;
} OozeCauchyTable;
/* Rows of material numbers, one a material, then those of temperature tables; in the arena. */
typedef struct OozeCauchyRows {
    OozeCauchyMaterial *materials;
    int count;
    OozeCauchyTable *tables; /* per material; NULL: none depends on temperature */
} OozeCauchyRows;
OozeStatus ooze_cauchy_rows(const OozeStepContext *context, OozeCauchyRows *rows, OozeError *error);

/* The row of a particle. */
OOZE_FORMULA int ooze_cauchy_row(const OozeCauchyTable *tables, int material, double temperature)
{
    const OozeCauchyTable *own = &tables[material];
    return own->first < 0 ? material
                          : own->first + ooze_temperature_scale_row(&own->scale, temperature);
}
double ooze_cauchy_stable_step(const OozeStepContext *context);

#endif
