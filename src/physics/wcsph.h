/* Weakly compressible SPH: the equation of state, and the viscous drag of no-slip walls. Valid C17
   and CUDA. */
#ifndef OOZE_PHYSICS_WCSPH_H
#define OOZE_PHYSICS_WCSPH_H

#include "physics/heat.h"

/* Tait's exponent for water (Cole 1948; Monaghan 1994). */
#define OOZE_TAIT_EXPONENT 7

/* Pressure over rest density, m2/s2, of a density d relative to rest: c^2/7 (d^7 - 1), and 0 below
   rest density, where SPH densities are at every free surface. */
OOZE_FORMULA OOZE_REAL ooze_tait_pressure(OOZE_REAL density, OOZE_REAL sound_speed)
{
    OOZE_REAL d2 = density * density;
    OOZE_REAL d7 = d2 * d2 * d2 * density;
    OOZE_REAL p = sound_speed * sound_speed * ((OOZE_REAL)1 / OOZE_TAIT_EXPONENT) * (d7 - 1);
    return p > 0 ? p : 0;
}

/* Volume per particle with which sum V u_ji lap W on the rest lattice is exactly the Laplacian of
   every quadratic field: the particle's own to a few percent. */
OOZE_FORMULA double ooze_wcsph_scale(double spacing, double h)
{
    return ooze_heat_scale(spacing, h) / (spacing * spacing * spacing);
}

/* Factor on the volumes of the samples of a flat wall with which their one layer exerts the viscous
   drag of the half space behind it: in a linear shear over a wall at rest, summed over all layers
   of the fluid, the first of which is half a spacing above the wall. */
OOZE_FORMULA double ooze_wcsph_wall_scale(double spacing, double h)
{
    double missing = 0.0, samples = 0.0;
    for (double at = 0.5 * spacing; at < h; at += spacing) {
        missing += ooze_heat_half_space(at, spacing, h);
        samples += at * ooze_heat_layer(at, spacing, h);
    }
    return missing / samples;
}

#endif
