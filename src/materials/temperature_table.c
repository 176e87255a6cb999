/* Materials whose numbers depend on temperature. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/fail.h"
#include "materials/material.h"
#include "materials/temperature_formula.h"

enum { ROWS_MAX = 256 };

enum { COLUMN_EXTENSION = 7, COLUMN_STRETCH_RATE };

/* Columns that replace a number of the material. */
static const struct {
    const char *key;
    size_t offset;
    int param;
    bool straight; /* a line between rows, not equal ratios */
} columns[] = {
    {"viscosity", offsetof(OozeTemperatureRow, viscosity), OOZE_MATERIAL_VISCOSITY, false},
    {"modulus", offsetof(OozeTemperatureRow, modulus), OOZE_MATERIAL_MODULUS, false},
    {"relaxation_time", offsetof(OozeTemperatureRow, relaxation_time), OOZE_MATERIAL_RELAXATION,
     false},
    {"compliance", offsetof(OozeTemperatureRow, compliance), OOZE_MATERIAL_COMPLIANCE, false},
    {"solvent_viscosity", offsetof(OozeTemperatureRow, solvent_viscosity), OOZE_MATERIAL_SOLVENT,
     false},
    {"yield_strain", offsetof(OozeTemperatureRow, yield_strain), OOZE_MATERIAL_YIELD, false},
    {"surface_tension", offsetof(OozeTemperatureRow, surface_tension),
     OOZE_MATERIAL_SURFACE_TENSION, false},
    [COLUMN_EXTENSION] = {"extension", offsetof(OozeTemperatureRow, extension),
                          OOZE_MATERIAL_EXTENSION, true},
    [COLUMN_STRETCH_RATE] = {"stretch_rate", offsetof(OozeTemperatureRow, stretch_rate),
                             OOZE_MATERIAL_STRETCH_RATE, true},
    {"fluid_share", offsetof(OozeTemperatureRow, fluid_share), OOZE_MATERIAL_FLUID_SHARE, true},
};

enum { COLUMN_COUNT = sizeof columns / sizeof columns[0] };

/* What the shift divides time by: viscosities and relaxation times go with it, rates against it. */
static const int slowed[] = {OOZE_MATERIAL_VISCOSITY,    OOZE_MATERIAL_RELAXATION,
                             OOZE_MATERIAL_SOLVENT,      OOZE_MATERIAL_RELAXATION_2,
                             OOZE_MATERIAL_RELAXATION_3, OOZE_MATERIAL_RELAXATION_4};

OozeTemperatureRow ooze_temperature_row_default(void)
{
    return (OozeTemperatureRow){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}

bool ooze_material_is_heat(int index)
{
    return index >= OOZE_MATERIAL_CONDUCTIVITY && index <= OOZE_MATERIAL_FREEZING;
}

static double column(const OozeTemperatureRow *row, size_t offset)
{
    return *(const double *)((const char *)row + offset);
}

bool ooze_temperature_table_gives(const OozeMaterialDef *def, const char *key)
{
    for (int k = 0; def->temperature_row_count > 0 && k < COLUMN_COUNT; k++) {
        if (strcmp(columns[k].key, key) == 0) {
            return !isnan(column(&def->temperature_table[0], columns[k].offset));
        }
    }
    return false;
}

static OozeStatus check_column(const OozeMaterialDef *def, const char *key, size_t offset,
                               double least, double most, OozeError *error)
{
    const OozeTemperatureRow *rows = def->temperature_table;
    const char *name = def->name ? def->name : "";
    for (int i = 0; i < def->temperature_row_count; i++) {
        double value = column(&rows[i], offset);
        if (isnan(value) != isnan(column(&rows[0], offset))) {
            return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give it in every row, or in none",
                             "the temperature table of '%s' has '%s' in some rows only", name, key);
        }
        if (!isnan(value) && !(value >= least && value <= most)) {
            return ooze_fail(error, OOZE_ERROR_ARGUMENT, "as for the material itself",
                             "%s of '%s' at %g degC is %g; it must be between %g and %g", key, name,
                             rows[i].temperature, value, least, most);
        }
    }
    return OOZE_OK;
}

OozeStatus ooze_temperature_table_check(const OozeMaterialDef *def, OozeError *error)
{
    const OozeTemperatureRow *rows = def->temperature_table;
    const OozeParamInfo *params = ooze_material_params(NULL);
    const char *name = def->name ? def->name : "";
    int count = def->temperature_row_count;
    if (count < 0 || count > ROWS_MAX || (count > 0 && !rows)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "leave rows out between which a line serves",
                         "the temperature table of '%s' has %d rows; 1 to %d are possible", name,
                         count, ROWS_MAX);
    }
    for (int i = 0; i < count; i++) {
        if (!isfinite(rows[i].temperature) ||
            (i > 0 && !(rows[i].temperature > rows[i - 1].temperature))) {
            return ooze_fail(error, OOZE_ERROR_ARGUMENT, "sort the rows by temperature",
                             "row %d of the temperature table of '%s' is at %g degC, not above the "
                             "one before it",
                             i, name, rows[i].temperature);
        }
    }
    OozeStatus status =
        check_column(def, "shift", offsetof(OozeTemperatureRow, shift), 1e-12, 1e12, error);
    for (int k = 0; k < COLUMN_COUNT && !status; k++) {
        const OozeParamInfo *info = &params[columns[k].param];
        status = check_column(def, columns[k].key, columns[k].offset, info->min, info->max, error);
    }
    return status;
}

static OozeTemperatureBetween rows_around(const OozeMaterial *material, double temperature)
{
    return ooze_temperature_between(material->table, material->table_count, temperature);
}

/* `value` where the table says nothing. */
static double column_at(const OozeTemperatureBetween *rows, int k, double value)
{
    double a = column(rows->low, columns[k].offset), b = column(rows->high, columns[k].offset);
    if (columns[k].straight) {
        return ooze_temperature_line(a, b, rows->share, value);
    }
    return isnan(a) ? value : ooze_heat_interpolate(a, b, rows->share);
}

OozeMaterial ooze_material_at(const OozeMaterial *material, double temperature)
{
    OozeMaterial at = *material;
    if (material->table_count == 0) {
        return at;
    }
    OozeTemperatureBetween rows = rows_around(material, temperature);
    for (int k = 0; k < COLUMN_COUNT; k++) {
        double *value = &at.values[columns[k].param];
        *value = column_at(&rows, k, *value);
    }
    if (!isnan(rows.low->shift)) {
        double shift = ooze_heat_interpolate(rows.low->shift, rows.high->shift, rows.share);
        for (size_t k = 0; k < sizeof slowed / sizeof slowed[0]; k++) {
            at.values[slowed[k]] *= shift;
        }
        at.values[OOZE_MATERIAL_THINNING_RATE] /= shift;
    }
    return at;
}

void ooze_material_extension_at(const OozeMaterial *material, double temperature, double *extension,
                                double *stretch_rate)
{
    *extension = material->values[OOZE_MATERIAL_EXTENSION];
    *stretch_rate = material->values[OOZE_MATERIAL_STRETCH_RATE];
    if (material->table_count > 0) {
        OozeTemperatureBetween rows = rows_around(material, temperature);
        *extension = column_at(&rows, COLUMN_EXTENSION, *extension);
        *stretch_rate = column_at(&rows, COLUMN_STRETCH_RATE, *stretch_rate);
    }
}
