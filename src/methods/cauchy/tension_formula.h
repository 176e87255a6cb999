/* Surface tension of a particle, for the processor and the GPU. */
#ifndef OOZE_METHODS_CAUCHY_TENSION_FORMULA_H
#define OOZE_METHODS_CAUCHY_TENSION_FORMULA_H

#include "methods/cauchy/walls_formula.h"
#include "solvers/pairs/surface_tension_formula.h"

/* The pressure that balances cohesion inside the fluid, which the pressure solve would find, with
   errors where it ends at a surface. Acting from pair to pair as cohesion does, it leaves nothing
   of it inside and at flat surfaces. A few particles alone have none, and keep the distance of the
   lowest potential. `number`: number density over n0. */
OOZE_FORMULA float ooze_cauchy_balance(const OozeCauchyMaterial *m, float number)
{
    float filled = fminf(fmaxf((number - 0.15f) / 0.25f, 0.0f), 1.0f);
    return filled * m->intrinsic_pressure;
}

/* Walls count as fluid that fills the half space behind them. */
OOZE_FORMULA void ooze_cauchy_add_walls(const OozeCauchyConstants *k, const OozeCauchyWall *wall,
                                        OozeSurfaceSums *sums)
{
    for (int m = 0; m < wall->planes; m++) {
        const OozeCauchyPlane *plane = &wall->plane[m];
        float share = fminf(plane->share, 1.0f);
        for (int a = 0; a < 3; a++) {
            sums->inward[a] -= share * k->flat_strain * plane->normal[a];
        }
        sums->filled += share * k->flat_filled;
    }
}

/* Wetting: the energy of the surface between fluid and wall is -sigma cos(theta) an area, of
   which a particle covers d^2 times its share of the wall. Its slope pulls particles to a wall
   that they wet, or pushes them off. Acceleration times relative mass along the normal of one
   wall. */
OOZE_FORMULA float ooze_cauchy_wetting(const OozeCauchyConstants *k, float tension, float cosine,
                                       const OozeCauchyPlane *plane)
{
    float h2 = k->support * k->support, t = 1.0f - plane->distance * plane->distance / h2;
    if (!(plane->share < 1.0f) || !(t > 0.0f)) {
        return 0.0f;
    }
    float slope = -12.0f * plane->distance / h2 * plane->share / t;
    return tension * cosine * slope / k->spacing;
}

/* The sum of that over the walls of a particle. */
OOZE_FORMULA void ooze_cauchy_add_wetting(const OozeCauchyConstants *k,
                                          const OozeCauchyMaterial *material,
                                          const OozeCauchyWall *wall, float force[3])
{
    for (int m = 0; m < wall->planes; m++) {
        const OozeCauchyPlane *plane = &wall->plane[m];
        float pull = ooze_cauchy_wetting(k, material->surface_tension, material->wetting, plane);
        for (int a = 0; a < 3; a++) {
            force[a] += pull * plane->normal[a];
        }
    }
}

#endif
