/* Surface tension as the gradient of an energy. Valid C17 and CUDA.

   A tension along the surface that is not the gradient of an energy of the particles does work on
   their disorder and heats the fluid; an energy of few neighbours has a minimum for every
   arrangement of these, and makes the surface a solid. Here the sums reach farther than those of
   the density. With w = 1 - r^2/h^2, over the neighbours j of particle i,

     N = k_n sum w^2 x_ji,   d = 1 - k_c sum w^2,

   both 0 inside; |N| is 1 at the topmost layer of a flat lattice surface, and d is 1 for a particle
   alone. The energy of the particle is

     e = sigma spacing^2 (a |N|^2 + b max(0, d)^2)/2.

   a and b make the sum over a flat surface sigma an area, but for a calibration. The first part (He
   et al. 2014) alone lets single particles go, which have no gradient; the second alone presses
   the topmost layer into the fluid. Their normal stresses are opposite, and so are the errors by
   which lattice directions and curvature change them. */
#ifndef OOZE_PHYSICS_SURFACE_ENERGY_H
#define OOZE_PHYSICS_SURFACE_ENERGY_H

#include "physics/tensor.h"

/* h over the support. Drops of disordered particles flow from 1.2 on; neighbours grow with its
   third power. */
#define OOZE_SURFACE_REACH 1.3
/* Share of the second part in the energy of a flat surface. */
#define OOZE_SURFACE_DEFICIT 0.4
/* The energy of a flat lattice surface is sigma over this an area: with it, drops have Rayleigh's
   period. */
#define OOZE_SURFACE_DISORDER 1.04

typedef struct OozeSurfaceEnergy {
    float inverse2;          /* 1/h^2 */
    float gradient, deficit; /* k_n, 1/m; k_c */
    /* the same for a boundary sample, per Akinci volume, with its own weight and the support */
    float wall_inverse2, wall_gradient, wall_deficit;
    float gradient_energy, deficit_energy; /* a, b over the spacing, 1/m */
} OozeSurfaceEnergy;

/* w */
OOZE_FORMULA float ooze_surface_weight(float r2, float inverse2)
{
    return ooze_max(0.0f, 1.0f - r2 * inverse2);
}

enum { OOZE_SURFACE_LAYERS = 32 };

/* Sums of w^2 over layers of the rest lattice: layer[k] over the one k spacings away. */
OOZE_FORMULA void ooze_surface_layers(double spacing, double h, double *layer)
{
    const int reach = (int)(h / spacing) + 1;
    for (int k = 0; k < OOZE_SURFACE_LAYERS; k++) {
        layer[k] = 0.0;
        for (int j = -reach; j <= reach; j++) {
            for (int i = -reach; i <= reach; i++) {
                double q = (double)(i * i + j * j + k * k) * spacing * spacing / (h * h);
                layer[k] += q < 1.0 ? (1.0 - q) * (1.0 - q) : 0.0;
            }
        }
    }
}

/* Sum of the weights w^3 of the samples of a flat wall, half a spacing below a particle. One layer
   of samples stands for the half space behind the wall: with this power and the support the
   second layer of particles sees 0.29 of the gradient that the first one does, and should see
   0.28. */
OOZE_FORMULA double ooze_surface_wall_sum(double spacing, double support)
{
    const int reach = (int)(support / spacing) + 1;
    double sum = 0.0;
    for (int j = -reach; j <= reach; j++) {
        for (int i = -reach; i <= reach; i++) {
            double q = ((double)(i * i + j * j) + 0.25) * spacing * spacing / (support * support);
            double w = q < 1.0 ? 1.0 - q : 0.0;
            sum += w * w * w;
        }
    }
    return sum;
}

/* `sample`: Akinci volume of a boundary sample of a flat wall. */
OOZE_FORMULA OozeSurfaceEnergy ooze_surface_energy(double spacing, double support, double sample)
{
    const double h = OOZE_SURFACE_REACH * support;
    double layer[OOZE_SURFACE_LAYERS], sum = -1.0, top = 0.0, half = 0.0;
    double gradient = 0.0, deficit = 0.0, wall = sample * ooze_surface_wall_sum(spacing, support);
    ooze_surface_layers(spacing, h, layer);
    for (int k = 0; k < OOZE_SURFACE_LAYERS; k++) {
        sum += (k == 0 ? 1.0 : 2.0) * layer[k];
        top += k * layer[k];
        half += k > 0 ? layer[k] : 0.0;
    }
    for (int l = 0; l < OOZE_SURFACE_LAYERS; l++) { /* layers below a flat surface */
        double n = 0.0, d = 0.0;
        for (int k = l + 1; k < OOZE_SURFACE_LAYERS; k++) { /* the missing half space */
            n += k * layer[k] / top;
            d += layer[k] / sum;
        }
        gradient += 0.5 * n * n;
        deficit += 0.5 * d * d;
    }
    const double scale = 1.0 / (OOZE_SURFACE_DISORDER * spacing);
    OozeSurfaceEnergy e;
    e.inverse2 = (float)(1.0 / (h * h));
    e.gradient = (float)(1.0 / (top * spacing));
    e.deficit = (float)(1.0 / sum);
    e.wall_inverse2 = (float)(1.0 / (support * support));
    e.wall_gradient = (float)(1.0 / (0.5 * spacing * wall));
    e.wall_deficit = (float)(half / sum / wall);
    e.gradient_energy = (float)((1.0 - OOZE_SURFACE_DEFICIT) * scale / gradient);
    e.deficit_energy = (float)(OOZE_SURFACE_DEFICIT * scale / deficit);
    return e;
}

/* Coefficient of the hourglass term, m2/s, that damps the motion of single particles in a fluid
   with surface tension: tension drives it with the speed sqrt(sigma/(rho spacing)), and neither
   viscosity nor pressure sees it. Fields that a linear one describes do not feel it. */
#define OOZE_SURFACE_HOURGLASS 0.5
OOZE_FORMULA double ooze_surface_hourglass(double kinematic_tension, double spacing)
{
    return OOZE_SURFACE_HOURGLASS * sqrt(kinematic_tension * spacing);
}

/* Factor of the drift that moves close particles apart (density_formula.h). Drift changes positions
   and no velocity: against the forces of a surface it makes energy, the more the shorter the step.
   With tension it therefore has a rate, that of the motion which tension gives to particles,
   unless the weight of a layer exceeds tension. */
OOZE_FORMULA float ooze_surface_drift(float kinematic_tension, float spacing, float dt,
                                      float gravity)
{
    if (!(kinematic_tension > 0.0f)) {
        return 1.0f;
    }
    float cube = spacing * spacing * spacing;
    return ooze_min(1.0f, 0.2f * dt * sqrtf(kinematic_tension / cube) +
                              gravity * spacing * spacing / kinematic_tension);
}

#endif
