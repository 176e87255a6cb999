/* Numbers of a material's temperature table that change along straight lines, at the temperature of
   one particle. Valid C17 and CUDA. */
#ifndef OOZE_MATERIALS_TEMPERATURE_FORMULA_H
#define OOZE_MATERIALS_TEMPERATURE_FORMULA_H

#include "ooze/world.h"
#include "physics/heat.h"

/* Two rows of a table, and how far a temperature is from the first to the second. */
typedef struct OozeTemperatureBetween {
    const OozeTemperatureRow *low, *high;
    double share;
} OozeTemperatureBetween;

/* Of a table with at least one row. */
OOZE_FORMULA OozeTemperatureBetween ooze_temperature_between(const OozeTemperatureRow *rows,
                                                             int count, double temperature)
{
    OozeTemperatureBetween between;
    int last = count - 1, low = 0;
    while (low < last && temperature >= rows[low + 1].temperature) {
        low++;
    }
    int high = low < last ? low + 1 : last;
    double width = rows[high].temperature - rows[low].temperature;
    between.low = &rows[low];
    between.high = &rows[high];
    between.share = width > 0.0 ? (temperature - rows[low].temperature) / width : 0.0;
    return between;
}

/* Between the values of two rows; `otherwise` where the table does not give the number. */
OOZE_FORMULA double ooze_temperature_line(double low, double high, double share, double otherwise)
{
    return isnan(low) ? otherwise : ooze_heat_ramp(share, 0.0, low, 1.0, high);
}

#endif
