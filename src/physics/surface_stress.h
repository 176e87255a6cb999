/* Surface tension as a stress (Lafaurie et al. 1994): sigma |grad c| (I - n n), c the fluid's share of
   space and n its gradient's direction. A tension along the surface and none across it: a flat surface
   stays at rest, and only curvature presses on the fluid below. Valid C17 and CUDA.

   |grad c| is read from the sum N of the weights' gradients over the neighbours, which is 0 inside and
   points inwards at a surface; what disorder leaves inside is below a threshold and does not count. */
#ifndef OOZE_PHYSICS_SURFACE_STRESS_H
#define OOZE_PHYSICS_SURFACE_STRESS_H

#include "physics/strain_weight.h"
#include "physics/tensor.h"

/* Share of a flat surface's |N| up to which a particle counts as inside. */
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

/* The factor that makes the tension of all layers below a flat lattice surface 1: the sum over layers
   of spacing times factor times density. */
OOZE_FORMULA double ooze_surface_calibration(double spacing, double h)
{
    const int reach = (int)(h / spacing) + 1;
    double scale = ooze_strain_weight_scale(spacing, h) * spacing * spacing * spacing;
    double flat = ooze_strain_weight_surface(spacing, h), total = 0.0;
    for (int layer = 0; layer < reach; layer++) {
        double n = 0.0; /* what the missing half above the layer would balance */
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

/* A stress along the surface alone does not hold particles that leave it. So a part of the tension is
   cohesion: the energy K/2 (1 - c)^2 of a particle whose surroundings are filled to c < 1 only, with
   K = OOZE_COHESION sigma / spacing. Inside it is 0, a particle on its own has most of it. Its forces
   act along the line of a pair, K (1 - c_i + 1 - c_j) times the gradient of the weight. How the two
   share the tension was found from drops: with these numbers they oscillate with Rayleigh's frequency
   to 7% down to radii of four spacings. */
#define OOZE_COHESION      2.0
#define OOZE_SURFACE_ALONG 0.75

/* The kernel behind the strain weight: its slope is -4 f r / h^2. */
OOZE_FORMULA OOZE_REAL ooze_cohesion_weight(OOZE_REAL r, OOZE_REAL h)
{
    OOZE_REAL f = ooze_strain_weight(r, h);
    return f * f;
}

/* Its sum over the neighbours of a particle of the rest lattice: c = 1 there. */
OOZE_FORMULA double ooze_cohesion_sum(double spacing, double h)
{
    const int reach = (int)(h / spacing) + 1;
    double sum = -1.0; /* all but the particle itself */
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

/* Longest explicit step: a capillary wave two spacings long, omega^2 = sigma k^3 / rho with k = pi/d,
   must not turn by more than 2 in a step (Brackbill, Kothe and Zemach 1992, up to a factor). */
OOZE_FORMULA double ooze_capillary_step(double tension, double density, double spacing)
{
    double k = OOZE_PI / spacing;
    return 2.0 * sqrt(density / (tension * k * k * k));
}

#endif
