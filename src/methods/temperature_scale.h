/* Rows of material numbers at many temperatures, so that loops over particles need no
   interpolation: evenly spaced from the lowest temperature of a material's table to the highest. */
#ifndef OOZE_METHODS_TEMPERATURE_SCALE_H
#define OOZE_METHODS_TEMPERATURE_SCALE_H

#include "base/formula.h"
#include "materials/material.h"

/* Where the viscosity changes 1000 fold in between, neighbouring rows differ by 3 %. */
enum { OOZE_TEMPERATURE_ROWS = 256 };

typedef struct OozeTemperatureScale {
    double low; /* degC of the first row */
    double rows_per_degree;
} OozeTemperatureScale;

/* Of a material with a temperature table. */
static inline OozeTemperatureScale ooze_temperature_scale(const OozeMaterial *material)
{
    double low = material->table[0].temperature;
    double width = material->table[material->table_count - 1].temperature - low;
    OozeTemperatureScale scale = {low, width > 0.0 ? (OOZE_TEMPERATURE_ROWS - 1) / width : 0.0};
    return scale;
}

/* The material at the temperature of a row. */
static inline OozeMaterial ooze_temperature_scale_material(const OozeTemperatureScale *scale,
                                                           const OozeMaterial *material, int row)
{
    double above = scale->rows_per_degree > 0.0 ? row / scale->rows_per_degree : 0.0;
    return ooze_material_at(material, scale->low + above);
}

OOZE_FORMULA int ooze_temperature_scale_row(const OozeTemperatureScale *scale, double temperature)
{
    double row = (temperature - scale->low) * scale->rows_per_degree + 0.5;
    if (!(row > 0.0)) {
        return 0;
    }
    return row < OOZE_TEMPERATURE_ROWS ? (int)row : OOZE_TEMPERATURE_ROWS - 1;
}

#endif
