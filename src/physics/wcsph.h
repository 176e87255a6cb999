/* Weakly compressible SPH: the equation of state, and how a wall drags what clings to it. Valid C17 and CUDA. */
#ifndef OOZE_PHYSICS_WCSPH_H
#define OOZE_PHYSICS_WCSPH_H

#include "physics/heat.h"

/* Tait's exponent for water (Cole 1948; Monaghan 1994). */
#define OOZE_TAIT_EXPONENT 7

/* Pressure over rest density, m2/s2, of a density relative to rest: c^2/7 (d^7 - 1), and none where the fluid is
   thinner than at rest, which free surfaces always seem to be. */
OOZE_FORMULA OOZE_REAL ooze_tait_pressure(OOZE_REAL density, OOZE_REAL sound_speed)
{
    OOZE_REAL d2 = density * density;
    OOZE_REAL d7 = d2 * d2 * d2 * density;
    OOZE_REAL p = sound_speed * sound_speed * ((OOZE_REAL)1 / OOZE_TAIT_EXPONENT) * (d7 - 1);
    return p > 0 ? p : 0;
}

/* Volume that lap W counts for, such that on the rest lattice the sum over u_ji is the Laplacian of every quadratic
   field exactly: that of a particle but for a few percent. Heat asks for the same per particle, not per volume. */
OOZE_FORMULA double ooze_wcsph_scale(double spacing, double h)
{
    return ooze_heat_scale(spacing, h) / (spacing * spacing * spacing);
}

/* What one layer of samples on a flat wall must count for, beside particles of the lattice: in a linear shear over a
   wall at rest all layers together feel what the fluid that is missing behind the wall would do to them. The first
   layer is half a spacing above. */
OOZE_FORMULA double ooze_wcsph_wall_scale(double spacing, double h)
{
    double missing = 0.0, seen = 0.0;
    for (double at = 0.5 * spacing; at < h; at += spacing) {
        missing += ooze_heat_missing(at, spacing, h);
        seen += at * ooze_heat_layer(at, spacing, h);
    }
    return missing / seen;
}

#endif
