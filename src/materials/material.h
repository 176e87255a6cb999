/* Materials: one table of numbers shared by every method, so that a value means the same in
   each. */
#ifndef OOZE_MATERIALS_MATERIAL_H
#define OOZE_MATERIALS_MATERIAL_H

#include "ooze/world.h"

/* Index into a material's values: the order of the table in material.c. */
enum {
    OOZE_MATERIAL_DENSITY,
    OOZE_MATERIAL_VISCOSITY,
    OOZE_MATERIAL_MODULUS,
    OOZE_MATERIAL_RELAXATION,
    OOZE_MATERIAL_COMPLIANCE,
    OOZE_MATERIAL_SOLVENT,
    OOZE_MATERIAL_YIELD,
    OOZE_MATERIAL_THINNING,
    OOZE_MATERIAL_THINNING_RATE,
    OOZE_MATERIAL_THINNING_EXPONENT,
    OOZE_MATERIAL_THINNING_FLOOR,
    OOZE_MATERIAL_SURFACE_TENSION,
    OOZE_MATERIAL_DRAG,
    OOZE_MATERIAL_CONDUCTIVITY,
    OOZE_MATERIAL_HEAT_CAPACITY,
    OOZE_MATERIAL_DIFFUSIVITY,
    OOZE_MATERIAL_MELTING,
    OOZE_MATERIAL_FREEZING,
    OOZE_MATERIAL_MODULUS_2, /* further modes: modulus and relaxation time of each in turn */
    OOZE_MATERIAL_RELAXATION_2,
    OOZE_MATERIAL_MODULUS_3,
    OOZE_MATERIAL_RELAXATION_3,
    OOZE_MATERIAL_MODULUS_4,
    OOZE_MATERIAL_RELAXATION_4,
    OOZE_MATERIAL_EXTENSION,
    OOZE_MATERIAL_STRETCH_RATE,
    OOZE_MATERIAL_LABEL,
    OOZE_MATERIAL_STIFFNESS,
    OOZE_MATERIAL_NEAR_STIFFNESS,
    OOZE_MATERIAL_REST_DENSITY,
    OOZE_MATERIAL_LINEAR_VISCOSITY,
    OOZE_MATERIAL_QUADRATIC_VISCOSITY,
    OOZE_MATERIAL_SPRING_STIFFNESS,
    OOZE_MATERIAL_PLASTICITY,
    OOZE_MATERIAL_PLASTICITY_COMPRESS,
    OOZE_MATERIAL_YIELD_RATIO,
    OOZE_MATERIAL_YIELD_RATIO_COMPRESS,
    OOZE_MATERIAL_FLUID_SHARE,
    OOZE_MATERIAL_UPDATE_THRESHOLD,
    OOZE_MATERIAL_STRESS_MODEL,
    OOZE_MATERIAL_MIXING,
    OOZE_MATERIAL_FREQUENCY,
    OOZE_MATERIAL_CONTACT_ANGLE,
    OOZE_MATERIAL_INTERFACE_TENSION,
    OOZE_MATERIAL_PARAM_COUNT
};

/* Relaxation times that a material may have beside its first. */
enum { OOZE_MORE_MODES = 3 };

typedef struct OozeMaterial {
    char *name;
    float color[3];
    double values[OOZE_MATERIAL_PARAM_COUNT];
    OozeTemperatureRow *table; /* its own; NULL: temperature changes nothing */
    int table_count;
} OozeMaterial;

/* The material of a definition; it borrows name and table, and needs no free. */
OozeMaterial ooze_material_of(const OozeMaterialDef *def);

/* Whether the number at an index belongs to the heat stage, which works with every method. */
bool ooze_material_is_heat(int index);

/* OOZE_OK where a table rises and each of its columns is given in all rows or in none. */
/* Whether the temperature table gives the number `key`: the material's own has no effect then. */
bool ooze_temperature_table_gives(const OozeMaterialDef *def, const char *key);
OozeStatus ooze_temperature_table_check(const OozeMaterialDef *def, OozeError *error);
/* The material with the numbers that it has at a temperature. Shares name and table. */
OozeMaterial ooze_material_at(const OozeMaterial *material, double temperature);
/* The same for these two numbers alone. */
void ooze_material_extension_at(const OozeMaterial *material, double temperature, double *extension,
                                double *stretch_rate);

int ooze_param_find(const OozeParamInfo *params, int count, const char *key); /* -1: none */
/* OOZE_OK, or one clear error: unknown key with a suggestion, value out of range or not finite. */
OozeStatus ooze_param_check(const OozeParamInfo *params, int count, const char *owner,
                            const char *key, double value, int *index, OozeError *error);

/* Presets: NULL where there is none of that name, NAN where it does not give that number. */
const OozePresetInfo *ooze_preset_find(const char *name);
double ooze_preset_number(const OozePresetInfo *info, const char *key);
/* Whether a number that is stated replaces the preset's modulus: a compliance does, and so does a
   viscosity where the preset has a relaxation time, as the modulus follows from the two. */
bool ooze_preset_modulus_yields(const OozePresetInfo *info, const char *stated);

#endif
