/* The heat stage of one particle. Valid C17 and CUDA. */
#ifndef OOZE_HEAT_HEAT_FORMULA_H
#define OOZE_HEAT_HEAT_FORMULA_H

#include <math.h>

#include "base/vec3.h"
#include "heat/heat.h"
#include "physics/heat.h"

/* Conductance of two particles whose `kernel` is lap W of their distance, W/K; the same bits for
   both of them. */
OOZE_FORMULA float ooze_heat_conductance(const OozeHeatConstants *rule, double own, double other,
                                         float kernel)
{
    double mean = other == own ? own : ooze_harmonic_mean(own, other);
    return (float)(rule->scale * mean * (double)kernel);
}

/* ---- exchange with solids and the air ------------------------------------------------------- */

/* What a particle exchanges heat with, besides other particles. */
typedef struct OozeHeatExchange {
    double bath;      /* conductance to solids and air of given temperatures, W/K */
    double heat;      /* sum of these conductances times their temperatures, and of sources, W */
    double inward[3]; /* sum lap W x */
} OozeHeatExchange;

/* ooze_heat_half_space at a distance, from the table. */
OOZE_FORMULA double ooze_heat_half_space_at(const OozeHeatConstants *rule, double distance)
{
    double at = distance / rule->support * OOZE_HEAT_DISTANCES;
    int low = (int)at;
    if (low >= OOZE_HEAT_DISTANCES) {
        return 0.0;
    }
    const double *table = rule->half_space + low;
    return table[0] + (at - low) * (table[1] - table[0]);
}

/* Adds a solid at a distance from a particle of that conductivity. */
OOZE_FORMULA void ooze_heat_exchange_solid(const OozeHeatConstants *rule, const OozeHeatWall *wall,
                                           double conductivity, double distance, OozeVec3 normal,
                                           OozeHeatExchange *to)
{
    if (!(distance < rule->support)) {
        return;
    }
    distance = fmax(distance, OOZE_HEAT_NEAREST * rule->spacing);
    double gap = ooze_heat_half_space_at(rule, distance);
    if (!isnan(wall->temperature)) {
        double k = isnan(wall->conductivity) ? conductivity
                                             : ooze_harmonic_mean(conductivity, wall->conductivity);
        double conductance = rule->scale * k * gap / distance;
        to->bath += conductance;
        to->heat += conductance * wall->temperature;
    }
    if (wall->collides) {
        to->inward[0] -= gap * normal.x;
        to->inward[1] -= gap * normal.y;
        to->inward[2] -= gap * normal.z;
    }
}

/* Adds the air, whose heat transfer coefficient is in W/(m2 K). */
OOZE_FORMULA void ooze_heat_exchange_air(const OozeHeatConstants *rule, double transfer,
                                         double temperature, OozeHeatExchange *to)
{
    const double *s = to->inward;
    double size = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
    if (size > rule->border) {
        double conductance = transfer * rule->area * size;
        to->bath += conductance;
        to->heat += conductance * temperature;
    }
}

/* ---- time integration ----------------------------------------------------------------------- */

/* Temperatures of a particle at stages j - 1 and j - 2. */
typedef struct OozeHeatPast {
    double before, earlier;
} OozeHeatPast;

/* The temperature at stage j, with the heat flow (W) at stage j - 1. */
OOZE_FORMULA double ooze_heat_advance(OozeHeatStage stage, double dt, OozeHeatPast past,
                                      double heat, double capacity)
{
    double rise = stage.mu_tilde * dt * heat / capacity;
    return stage.mu * past.before + stage.nu * past.earlier + rise;
}

#endif
