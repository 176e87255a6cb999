/* The field whose level set is the fluid's surface, and how each particle's part of it is shaped.
   Lengths are in particle spacings unless a name says otherwise.

   Anisotropic kernels after Yu and Turk, "Reconstructing surfaces of particle-based fluids using
   anisotropic kernels", ACM Trans. Graph. 32(1), 2013. The cone field after Clavet, Beaudoin and
   Poulin, "Particle-based viscoelastic fluid simulation", SCA 2005, eq 13. */
#ifndef OOZE_PHYSICS_SURFACE_FIELD_H
#define OOZE_PHYSICS_SURFACE_FIELD_H

#include "physics/tensor.h"

/* Radius R of the neighbourhood that determines the shape of a particle's kernel. */
#define OOZE_SURFACE_NEIGHBOURHOOD 2.5
/* Yu and Turk's weight 1 - (r/R)^3 summed over a full neighbourhood: (2 pi / 3) R^3. */
#define OOZE_SURFACE_FULL                                                                          \
    (2.0 * OOZE_PI / 3.0 * OOZE_SURFACE_NEIGHBOURHOOD * OOZE_SURFACE_NEIGHBOURHOOD *               \
     OOZE_SURFACE_NEIGHBOURHOOD)
/* Variance of such a neighbourhood along any axis: 0.15 R^2. */
#define OOZE_SURFACE_VARIANCE (0.15 * OOZE_SURFACE_NEIGHBOURHOOD * OOZE_SURFACE_NEIGHBOURHOOD)

/* q = r / R, from 0 to 1. */
OOZE_FORMULA OOZE_REAL ooze_surface_weight(OOZE_REAL q)
{
    return q < 1 ? 1 - q * q * q : 0;
}

/* The kernel (1 - q^2)^3 with q the distance in a particle's own metric: needs no square root. */
OOZE_FORMULA OOZE_REAL ooze_surface_kernel(OOZE_REAL q2)
{
    OOZE_REAL t = ooze_max(1 - q2, 0);
    return t * t * t;
}

/* Slope of the above by q^2. */
OOZE_FORMULA OOZE_REAL ooze_surface_kernel_slope(OOZE_REAL q2)
{
    OOZE_REAL t = ooze_max(1 - q2, 0);
    return -3 * t * t;
}

/* The kernel's integral over space is (64 pi / 315) a b c for half axes a, b, c. */
#define OOZE_SURFACE_KERNEL_VOLUME (64.0 * OOZE_PI / 315.0)

/* Half axis of a kernel deep inside, of a round kernel, and of the cone. */
#define OOZE_SURFACE_INNER 2.4
#define OOZE_SURFACE_ROUND 1.3
#define OOZE_SURFACE_CONE  1.4
/* A particle alone: a sphere of the particle's volume, radius (3 / 4 pi)^(1/3). */
#define OOZE_SURFACE_ALONE_RADIUS 0.62035049089940001667
#define OOZE_SURFACE_ALONE        1.2
/* Half of the sum over a full lattice: a flat surface then lies half a spacing above the last
   layer, where it encloses the volume of the particles. */
#define OOZE_SURFACE_ISO 0.5
#define OOZE_SURFACE_ROUND_ISO                                                                     \
    (0.5 * 64.0 * OOZE_PI / 315.0 * OOZE_SURFACE_ROUND * OOZE_SURFACE_ROUND * OOZE_SURFACE_ROUND)
#define OOZE_SURFACE_CONE_ISO_SQUARED                                                              \
    (0.5 * 4.0 * OOZE_PI / 30.0 * OOZE_SURFACE_CONE * OOZE_SURFACE_CONE * OOZE_SURFACE_CONE)
/* Upper bound of the ratio of largest to smallest variance (Yu and Turk's k_r); half axes are
   proportional to the root of the variance. */
#define OOZE_SURFACE_STRETCH 4.0
/* Offsets to the neighbourhoods' means that differ by more than this belong to different depths. */
#define OOZE_SURFACE_OFFSET_LIKE 0.5
/* Upper bound of the shift of a kernel's centre. */
#define OOZE_SURFACE_SHIFT_MAX 0.5
/* From this filled fraction on, the surface does not pass through a particle's kernel. */
#define OOZE_SURFACE_OUTER_FILL 0.86

/* Particles within this distance of such a one have kernels of their own: the two outer layers. */
#define OOZE_SURFACE_NEAR 1.75
/* What vertices carry is averaged over the particles within this distance. */
#define OOZE_SURFACE_ATTRIBUTES 1.5
/* Two materials have an interface where their particles are nearer than this. */
#define OOZE_SURFACE_INTERFACE 1.6
/* Blocks of the grid are sought within this distance of particles below that fraction. */
#define OOZE_SURFACE_SEED 0.75

/* 0 below a, 1 above b, smooth between. */
OOZE_FORMULA OOZE_REAL ooze_surface_blend(OOZE_REAL a, OOZE_REAL b, OOZE_REAL x)
{
    OOZE_REAL t = ooze_min(ooze_max((x - a) / (b - a), 0), 1);
    return t * t * (3 - 2 * t);
}

/* 0 for a direction inside the fluid or along the surface, 1 for a direction across it, by the
   variance of the neighbourhood along the direction: full, or at most that of a flat surface's last
   layer. */
OOZE_FORMULA OOZE_REAL ooze_surface_across(OOZE_REAL variance)
{
    OOZE_REAL v = variance * (OOZE_REAL)(1.0 / OOZE_SURFACE_VARIANCE);
    return 1 - ooze_surface_blend((OOZE_REAL)0.6, (OOZE_REAL)0.9, v);
}

/* Largest factor by which the weight of a particle in thin fluid is raised. */
#define OOZE_SURFACE_BOOST_MAX 4.0

/* 1 where the neighbours lie along a line, 0 where they spread in two directions or three: by the
   middle one of the variances. */
OOZE_FORMULA OOZE_REAL ooze_surface_line_likeness(const OOZE_REAL variance[3])
{
    OOZE_REAL low = ooze_min(variance[0], variance[1]), high = ooze_max(variance[0], variance[1]);
    OOZE_REAL middle = ooze_max(low, ooze_min(high, variance[2]));
    return 1 - ooze_surface_blend((OOZE_REAL)0.15, (OOZE_REAL)0.4,
                                  middle * (OOZE_REAL)(1.0 / OOZE_SURFACE_VARIANCE));
}

/* The least value of the field at a particle of thin fluid, by the filled fraction of its
   neighbourhood; 0 elsewhere. A sheet of one layer has 1.03 with neighbours one spacing apart. 0.75
   leaves a stretched one 0.8 spacings thick, which cells of half a spacing resolve. On a line 1.35
   gives the volume of its particles, and less where they are farther apart than a spacing. */
OOZE_FORMULA OOZE_REAL ooze_surface_thin_target(OOZE_REAL fill, OOZE_REAL line)
{
    OOZE_REAL thin = 1 - ooze_surface_blend((OOZE_REAL)0.4, (OOZE_REAL)0.55, fill);
    OOZE_REAL dense = ooze_surface_blend((OOZE_REAL)0.07, (OOZE_REAL)0.12, fill);
    OOZE_REAL on_line = (OOZE_REAL)0.95 + (OOZE_REAL)0.4 * dense, in_sheet = (OOZE_REAL)0.75;
    return thin * (in_sheet + (on_line - in_sheet) * line);
}

/* Half axes and weight of a kernel from the variances along its axes and the filled fraction of its
   neighbourhood. */
OOZE_FORMULA void ooze_surface_axes(const OOZE_REAL variance[3], OOZE_REAL fill, OOZE_REAL axes[3],
                                    OOZE_REAL *weight)
{
    const OOZE_REAL inner = (OOZE_REAL)OOZE_SURFACE_INNER, alone = (OOZE_REAL)OOZE_SURFACE_ALONE;
    OOZE_REAL share = ooze_surface_blend((OOZE_REAL)0.045, (OOZE_REAL)0.085, fill), volume = 1;
    OOZE_REAL most = ooze_max(variance[0], ooze_max(variance[1], variance[2]));
    most = ooze_min(most, (OOZE_REAL)OOZE_SURFACE_VARIANCE);
    for (int k = 0; k < 3; k++) {
        OOZE_REAL v = ooze_max(variance[k], most * (OOZE_REAL)(1.0 / OOZE_SURFACE_STRETCH));
        v = ooze_max(v, 0) * (OOZE_REAL)(1.0 / OOZE_SURFACE_VARIANCE);
        axes[k] = alone + (inner * ooze_min(OOZE_SQRT(v), 1) - alone) * share;
        volume *= axes[k];
    }
    OOZE_REAL c = 1 - (OOZE_REAL)(OOZE_SURFACE_ALONE_RADIUS * OOZE_SURFACE_ALONE_RADIUS /
                                  (OOZE_SURFACE_ALONE * OOZE_SURFACE_ALONE));
    OOZE_REAL single = (OOZE_REAL)0.5 / (c * c * c);
    OOZE_REAL mass = (OOZE_REAL)(1.0 / OOZE_SURFACE_KERNEL_VOLUME) / volume;
    *weight = single + (mass - single) * share;
}

#endif
