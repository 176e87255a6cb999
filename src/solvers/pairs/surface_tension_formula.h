/* Surface tension as a stress, and cohesion, per particle, for the processor and the GPU. See
   methods/cauchy/cpu/stages.c. */
#ifndef OOZE_SOLVERS_PAIRS_SURFACE_TENSION_FORMULA_H
#define OOZE_SOLVERS_PAIRS_SURFACE_TENSION_FORMULA_H

#include "physics/surface_stress.h"

typedef struct OozeSurfaceTension {
    float scale;       /* of the strain weight, with the particle's volume */
    float wall_scale;  /* likewise with a boundary sample's Akinci volume */
    float flat;        /* |N| at a flat surface */
    float calibration; /* from |N| to |grad c|, and to the share of the tension along the surface */
    float cohesion;    /* K over the surface tension, 1/m */
    float filled;      /* contribution of a neighbour to c, over its squared weight */
    float wall_filled; /* likewise of a boundary sample, per Akinci volume */
} OozeSurfaceTension;

/* Gathered around a particle. Walls count as fluid: no surface is free where fluid meets them. */
typedef struct OozeSurfaceSums {
    float inward[3]; /* N */
    float filled;    /* c */
} OozeSurfaceSums;

OOZE_FORMULA OozeSurfaceTension ooze_surface_tension(double spacing, double support, float volume,
                                                     float wall_scale, float flat)
{
    OozeSurfaceTension t;
    double sum = ooze_cohesion_sum(spacing, support);
    double scale = ooze_strain_weight_scale(spacing, support);
    t.scale = (float)(scale * (double)volume);
    t.wall_scale = (float)(scale * (double)wall_scale);
    t.flat = flat;
    t.calibration = (float)(OOZE_SURFACE_ALONG * ooze_surface_calibration(spacing, support));
    t.cohesion = (float)(OOZE_COHESION / spacing);
    t.filled = (float)(1.0 / sum);
    t.wall_filled = (float)((double)wall_scale / ((double)volume * sum));
    return t;
}

/* Flux along edges of a particle with this surface tension (kinematic). */
OOZE_FORMULA OozeMat3 ooze_surface_flux(OozeSurfaceTension t, OozeSurfaceSums sums, float tension,
                                        OozeSym3 correction)
{
    const float *n = sums.inward;
    float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    float pull = tension * t.calibration * ooze_surface_density(length, t.flat);
    OozeSym3 stress = ooze_surface_stress(n[0], n[1], n[2], pull);
    OozeMat3 flux = ooze_mat3_mul_sym3(ooze_mat3_from_sym3(stress), correction);
    float cohesion = tension * t.cohesion * ooze_max(0.0f, 1.0f - sums.filled);
    flux.m[0] += cohesion;
    flux.m[4] += cohesion;
    flux.m[8] += cohesion;
    return flux;
}

#endif
