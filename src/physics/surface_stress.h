/* Surface tension as a stress (Lafaurie et al. 1994): sigma |grad c| (I - n n), c the volume
   fraction of the fluid and n the direction of its gradient. The tension acts along the surface
   only: a flat surface stays at rest, and curvature gives the Laplace pressure. Valid C17 and CUDA.

   |grad c| is computed from the sum N of the weights' gradients over the neighbours, which is 0
   inside and points inwards at a surface; values below a threshold, as disorder has them inside,
   count as 0. */
#ifndef OOZE_PHYSICS_SURFACE_STRESS_H
#define OOZE_PHYSICS_SURFACE_STRESS_H

#include "physics/strain_weight.h"
#include "physics/tensor.h"

/* Fraction of a flat surface's |N| up to which a particle counts as inside. */
#define OOZE_SURFACE_INSIDE 0.25

/* |grad c| up to a factor; `flat`: |N| at a flat surface. */
OOZE_FORMULA OOZE_REAL ooze_surface_density(OOZE_REAL n, OOZE_REAL flat)
{
    return ooze_max(0, n - (OOZE_REAL)OOZE_SURFACE_INSIDE * flat);
}

/* t (I - n n) for N = (x, y, z): the tension t acts along the surface. */
OOZE_FORMULA OozeSym3 ooze_surface_stress(OOZE_REAL x, OOZE_REAL y, OOZE_REAL z, OOZE_REAL t)
{
    OOZE_REAL n2 = x * x + y * y + z * z;
    OOZE_REAL s = n2 > 0 ? t / n2 : 0;
    return ooze_sym3(s * (n2 - x * x), s * (n2 - y * y), s * (n2 - z * z), -s * x * y, -s * x * z,
                     -s * y * z);
}

/* The factor that makes the tension of all layers below a flat lattice surface 1: the sum over
   layers of spacing times factor times density. */
OOZE_FORMULA double ooze_surface_calibration(double spacing, double h)
{
    const int reach = (int)(h / spacing) + 1;
    double scale = ooze_strain_weight_scale(spacing, h) * spacing * spacing * spacing;
    double flat = ooze_strain_weight_surface(spacing, h), total = 0.0;
    for (int layer = 0; layer < reach; layer++) {
        double n = 0.0; /* sum over the missing half space above the layer */
        for (int k = layer + 1; k <= reach; k++) {
            for (int j = -reach; j <= reach; j++) {
                for (int i = -reach; i <= reach; i++) {
                    double r2 = (double)(i * i + j * j + k * k) * spacing * spacing;
                    n += (r2 < h * h ? 1.0 - r2 / (h * h) : 0.0) * k * spacing;
                }
            }
        }
        double above = n * scale - OOZE_SURFACE_INSIDE * flat;
        total += spacing * (above > 0.0 ? above : 0.0);
    }
    return 1.0 / total;
}

/* ---- cohesion ------------------------------------------------------------------------------ */

/* A stress along the surface does not hold particles that leave it. A part of the tension is
   therefore cohesion: the energy K/2 (1 - c)^2 of a particle whose neighbourhood is filled to c <
   1, with K = OOZE_COHESION sigma / spacing. It is 0 inside and largest for a single particle. Its
   forces act along the line of a pair, K (1 - c_i + 1 - c_j) times the gradient of the kernel f^2
   of the strain weight f, whose slope is -4 f r / h^2. The two parts were calibrated on drops:
   these oscillate with Rayleigh's frequency to 7% down to radii of four spacings. */
#define OOZE_COHESION      2.0
#define OOZE_SURFACE_ALONG 0.75

/* Sum of f^2 over the neighbours of a particle of the rest lattice, where c = 1. */
OOZE_FORMULA double ooze_cohesion_sum(double spacing, double h)
{
    const int reach = (int)(h / spacing) + 1;
    double sum = -1.0; /* without the particle itself */
    for (int k = -reach; k <= reach; k++) {
        for (int j = -reach; j <= reach; j++) {
            for (int i = -reach; i <= reach; i++) {
                double r2 = (double)(i * i + j * j + k * k) * spacing * spacing;
                double f = r2 < h * h ? 1.0 - r2 / (h * h) : 0.0;
                sum += f * f;
            }
        }
    }
    return sum;
}

/* Share of that sum in the half space below a particle. */
OOZE_FORMULA double ooze_cohesion_flat_share(double spacing, double h)
{
    const int reach = (int)(h / spacing) + 1;
    double sum = 0.0;
    for (int k = -reach; k < 0; k++) {
        for (int j = -reach; j <= reach; j++) {
            for (int i = -reach; i <= reach; i++) {
                double r2 = (double)(i * i + j * j + k * k) * spacing * spacing;
                double f = r2 < h * h ? 1.0 - r2 / (h * h) : 0.0;
                sum += f * f;
            }
        }
    }
    return sum / ooze_cohesion_sum(spacing, h);
}

/* Longest explicit step: a capillary wave two spacings long, omega^2 = sigma k^3 / rho with k =
   pi/d, must have omega dt <= 2 (Brackbill, Kothe and Zemach 1992, up to a factor). */
OOZE_FORMULA double ooze_capillary_step(double tension, double density, double spacing)
{
    double k = OOZE_PI / spacing;
    return 2.0 * sqrt(density / (tension * k * k * k));
}

#endif
