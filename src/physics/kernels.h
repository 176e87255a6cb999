/* Smoothing kernels in three dimensions.

   For every kernel NAME
     ooze_NAME_value(r, h)      W
     ooze_NAME_slope(r, h)      dW/dr
     ooze_NAME_laplacian(r, h)  d2W/dr2 + (2/r) dW/dr
   with r >= 0 the distance and h the SUPPORT radius: exactly 0 from r = h on, whatever a paper calls
   its h. All but the MPS weight integrate to 1 over space. The gradient is
   ooze_kernel_gradient_scale(slope, r, h) times the vector that r is the length of.

   Singular at the centre are the viscosity kernel (value and slope), the spiky kernel (Laplacian
   only) and the MPS weight. They take any distance below h * OOZE_KERNEL_NEAREST for that distance:
   coincident particles get a large finite number, never an infinity. A sum that uses one of them
   leaves a particle's own term out. */
#ifndef OOZE_PHYSICS_KERNELS_H
#define OOZE_PHYSICS_KERNELS_H

#include "physics/formula.h"

/* 2^-20 of a support: closer than this two particles are in the same place. */
#define OOZE_KERNEL_NEAREST 0.00000095367431640625

typedef enum OozeKernel {
    OOZE_KERNEL_CUBIC,
    OOZE_KERNEL_WENDLAND,
    OOZE_KERNEL_POLY6,
    OOZE_KERNEL_SPIKY,
    OOZE_KERNEL_VISCOSITY,
    OOZE_KERNEL_MPS,
    OOZE_KERNEL_COUNT
} OozeKernel;

/* r / h as seen by a singular kernel. */
OOZE_FORMULA OOZE_REAL ooze_kernel_nearest(OOZE_REAL r, OOZE_REAL h)
{
    const OOZE_REAL nearest = (OOZE_REAL)OOZE_KERNEL_NEAREST;
    OOZE_REAL q = r * (1 / h);
    return q < nearest ? nearest : q;
}

/* 1 - r / h, where rounding must not make it negative just inside the support. */
OOZE_FORMULA OOZE_REAL ooze_kernel_rest(OOZE_REAL r, OOZE_REAL h)
{
    OOZE_REAL t = 1 - r * (1 / h);
    return t < 0 ? 0 : t;
}

/* grad W = scale * x for a vector x of length r. Coincident particles have no direction between
   them, hence no gradient: 0 rather than 0/0. */
OOZE_FORMULA OOZE_REAL ooze_kernel_gradient_scale(OOZE_REAL slope, OOZE_REAL r, OOZE_REAL h)
{
    return r <= h * (OOZE_REAL)OOZE_KERNEL_NEAREST ? 0 : slope / r;
}

/* ---- cubic spline: Monaghan and Lattanzio 1985, with support h (theirs is 2h) --------------- */

OOZE_FORMULA OOZE_REAL ooze_cubic_value(OOZE_REAL r, OOZE_REAL h)
{
    const OOZE_REAL sigma = (OOZE_REAL)(8.0 / OOZE_PI) / (h * h * h);
    OOZE_REAL q = r * (1 / h), t = ooze_kernel_rest(r, h);
    OOZE_REAL inner = 6 * q * q * (q - 1) + 1;
    OOZE_REAL outer = 2 * t * t * t;
    return r >= h ? 0 : sigma * (q < (OOZE_REAL)0.5 ? inner : outer);
}

OOZE_FORMULA OOZE_REAL ooze_cubic_slope(OOZE_REAL r, OOZE_REAL h)
{
    const OOZE_REAL sigma = (OOZE_REAL)(8.0 / OOZE_PI) / (h * h * h * h);
    OOZE_REAL q = r * (1 / h), t = ooze_kernel_rest(r, h);
    OOZE_REAL inner = 6 * q * (3 * q - 2);
    OOZE_REAL outer = -6 * t * t;
    return r >= h ? 0 : sigma * (q < (OOZE_REAL)0.5 ? inner : outer);
}

OOZE_FORMULA OOZE_REAL ooze_cubic_laplacian(OOZE_REAL r, OOZE_REAL h)
{
    const OOZE_REAL sigma = (OOZE_REAL)(8.0 / OOZE_PI) / (h * h * h * h * h);
    OOZE_REAL q = r * (1 / h), t = ooze_kernel_rest(r, h);
    OOZE_REAL inner = 72 * q - 36;
    OOZE_REAL outer = 12 * t - 12 * t * t / (q < (OOZE_REAL)0.5 ? (OOZE_REAL)0.5 : q);
    return r >= h ? 0 : sigma * (q < (OOZE_REAL)0.5 ? inner : outer);
}

/* ---- Wendland C2 in three dimensions: Wendland 1995; Dehnen and Aly 2012, table 1 ----------- */

OOZE_FORMULA OOZE_REAL ooze_wendland_value(OOZE_REAL r, OOZE_REAL h)
{
    const OOZE_REAL sigma = (OOZE_REAL)(21.0 / (2.0 * OOZE_PI)) / (h * h * h);
    OOZE_REAL q = r * (1 / h), t = ooze_kernel_rest(r, h);
    return r >= h ? 0 : sigma * t * t * t * t * (1 + 4 * q);
}

OOZE_FORMULA OOZE_REAL ooze_wendland_slope(OOZE_REAL r, OOZE_REAL h)
{
    const OOZE_REAL sigma = (OOZE_REAL)(21.0 / (2.0 * OOZE_PI)) / (h * h * h * h);
    OOZE_REAL q = r * (1 / h), t = ooze_kernel_rest(r, h);
    return r >= h ? 0 : sigma * -20 * q * t * t * t;
}

OOZE_FORMULA OOZE_REAL ooze_wendland_laplacian(OOZE_REAL r, OOZE_REAL h)
{
    const OOZE_REAL sigma = (OOZE_REAL)(21.0 / (2.0 * OOZE_PI)) / (h * h * h * h * h);
    OOZE_REAL q = r * (1 / h), t = ooze_kernel_rest(r, h);
    return r >= h ? 0 : sigma * -60 * t * t * (1 - 2 * q);
}

/* ---- poly6: Mueller, Charypar and Gross 2003, eq 20 ----------------------------------------- */

OOZE_FORMULA OOZE_REAL ooze_poly6_value(OOZE_REAL r, OOZE_REAL h)
{
    const OOZE_REAL sigma = (OOZE_REAL)(315.0 / (64.0 * OOZE_PI)) / (h * h * h);
    OOZE_REAL q = r * (1 / h), s = ooze_kernel_rest(r, h) * (1 + q);
    return r >= h ? 0 : sigma * s * s * s;
}

OOZE_FORMULA OOZE_REAL ooze_poly6_slope(OOZE_REAL r, OOZE_REAL h)
{
    const OOZE_REAL sigma = (OOZE_REAL)(315.0 / (64.0 * OOZE_PI)) / (h * h * h * h);
    OOZE_REAL q = r * (1 / h), s = ooze_kernel_rest(r, h) * (1 + q);
    return r >= h ? 0 : sigma * -6 * q * s * s;
}

OOZE_FORMULA OOZE_REAL ooze_poly6_laplacian(OOZE_REAL r, OOZE_REAL h)
{
    const OOZE_REAL sigma = (OOZE_REAL)(315.0 / (64.0 * OOZE_PI)) / (h * h * h * h * h);
    OOZE_REAL q = r * (1 / h), s = ooze_kernel_rest(r, h) * (1 + q);
    return r >= h ? 0 : sigma * -6 * s * (3 - 7 * q * q);
}

/* ---- spiky: Mueller, Charypar and Gross 2003, eq 21 (after Desbrun and Gascuel 1996) --------
   Its slope does not vanish at the centre: r = 0 gives the limit from outside. */

OOZE_FORMULA OOZE_REAL ooze_spiky_value(OOZE_REAL r, OOZE_REAL h)
{
    const OOZE_REAL sigma = (OOZE_REAL)(15.0 / OOZE_PI) / (h * h * h);
    OOZE_REAL t = ooze_kernel_rest(r, h);
    return r >= h ? 0 : sigma * t * t * t;
}

OOZE_FORMULA OOZE_REAL ooze_spiky_slope(OOZE_REAL r, OOZE_REAL h)
{
    const OOZE_REAL sigma = (OOZE_REAL)(15.0 / OOZE_PI) / (h * h * h * h);
    OOZE_REAL t = ooze_kernel_rest(r, h);
    return r >= h ? 0 : sigma * -3 * t * t;
}

OOZE_FORMULA OOZE_REAL ooze_spiky_laplacian(OOZE_REAL r, OOZE_REAL h)
{
    const OOZE_REAL sigma = (OOZE_REAL)(15.0 / OOZE_PI) / (h * h * h * h * h);
    OOZE_REAL q = ooze_kernel_nearest(r, h), t = ooze_kernel_rest(r, h);
    return r >= h ? 0 : sigma * 6 * t * (2 * q - 1) / q;
}

/* ---- viscosity: Mueller, Charypar and Gross 2003, eq 22 -------------------------------------
   Made for its Laplacian 45 / (pi h^6) (h - r), which is nowhere negative; it is the true Laplacian
   of the value below everywhere but at the centre, where the 1/r pole hides a negative point mass
   that the paper leaves out. Value and slope are written with the factors (1 - q) taken out:
   -q^3/2 + q^2 + 1/(2q) - 1 = (1 - q)^3 (1 + q) / (2q). */

OOZE_FORMULA OOZE_REAL ooze_viscosity_value(OOZE_REAL r, OOZE_REAL h)
{
    const OOZE_REAL sigma = (OOZE_REAL)(15.0 / (4.0 * OOZE_PI)) / (h * h * h);
    OOZE_REAL q = ooze_kernel_nearest(r, h), t = ooze_kernel_rest(r, h);
    return r >= h ? 0 : sigma * t * t * t * (1 + q) / q;
}

OOZE_FORMULA OOZE_REAL ooze_viscosity_slope(OOZE_REAL r, OOZE_REAL h)
{
    const OOZE_REAL sigma = (OOZE_REAL)(15.0 / (4.0 * OOZE_PI)) / (h * h * h * h);
    OOZE_REAL q = ooze_kernel_nearest(r, h), t = ooze_kernel_rest(r, h);
    return r >= h ? 0 : -sigma * t * t * (3 * q * q + 2 * q + 1) / (q * q);
}

OOZE_FORMULA OOZE_REAL ooze_viscosity_laplacian(OOZE_REAL r, OOZE_REAL h)
{
    const OOZE_REAL sigma = (OOZE_REAL)(45.0 / OOZE_PI) / (h * h * h * h * h);
    return r >= h ? 0 : sigma * ooze_kernel_rest(r, h);
}

/* ---- MPS weight: Koshizuka and Oka 1996, eq 3 -----------------------------------------------
   w = h / r - 1: a pure number, NOT normalised. Sums of it mean something only beside the reference
   number density n0, the same sum over the rest lattice without the own term
   (ooze_lattice_number_density). Its true Laplacian is 0 away from the centre; MPS models the
   Laplacian of a field f as
     ooze_mps_laplacian_scale(n0, lambda) * sum (f_j - f_i) w,   lambda = sum r^2 w / sum w. */

OOZE_FORMULA OOZE_REAL ooze_mps_value(OOZE_REAL r, OOZE_REAL h)
{
    OOZE_REAL q = ooze_kernel_nearest(r, h);
    return r >= h ? 0 : ooze_kernel_rest(r, h) / q;
}

OOZE_FORMULA OOZE_REAL ooze_mps_slope(OOZE_REAL r, OOZE_REAL h)
{
    OOZE_REAL q = ooze_kernel_nearest(r, h);
    return r >= h ? 0 : -1 / (h * q * q);
}

OOZE_FORMULA OOZE_REAL ooze_mps_laplacian(OOZE_REAL r, OOZE_REAL h)
{
    (void)r;
    (void)h;
    return 0;
}

/* 2 d / (lambda n0) with d = 3 dimensions. */
OOZE_FORMULA OOZE_REAL ooze_mps_laplacian_scale(OOZE_REAL number_density, OOZE_REAL lambda)
{
    return 6 / (lambda * number_density);
}

/* ---- by number ------------------------------------------------------------------------------ */

OOZE_FORMULA OOZE_REAL ooze_kernel_value(OozeKernel kernel, OOZE_REAL r, OOZE_REAL h)
{
    switch (kernel) {
    case OOZE_KERNEL_CUBIC:
        return ooze_cubic_value(r, h);
    case OOZE_KERNEL_WENDLAND:
        return ooze_wendland_value(r, h);
    case OOZE_KERNEL_POLY6:
        return ooze_poly6_value(r, h);
    case OOZE_KERNEL_SPIKY:
        return ooze_spiky_value(r, h);
    case OOZE_KERNEL_VISCOSITY:
        return ooze_viscosity_value(r, h);
    case OOZE_KERNEL_MPS:
        return ooze_mps_value(r, h);
    default:
        return 0;
    }
}

OOZE_FORMULA OOZE_REAL ooze_kernel_slope(OozeKernel kernel, OOZE_REAL r, OOZE_REAL h)
{
    switch (kernel) {
    case OOZE_KERNEL_CUBIC:
        return ooze_cubic_slope(r, h);
    case OOZE_KERNEL_WENDLAND:
        return ooze_wendland_slope(r, h);
    case OOZE_KERNEL_POLY6:
        return ooze_poly6_slope(r, h);
    case OOZE_KERNEL_SPIKY:
        return ooze_spiky_slope(r, h);
    case OOZE_KERNEL_VISCOSITY:
        return ooze_viscosity_slope(r, h);
    case OOZE_KERNEL_MPS:
        return ooze_mps_slope(r, h);
    default:
        return 0;
    }
}

OOZE_FORMULA OOZE_REAL ooze_kernel_laplacian(OozeKernel kernel, OOZE_REAL r, OOZE_REAL h)
{
    switch (kernel) {
    case OOZE_KERNEL_CUBIC:
        return ooze_cubic_laplacian(r, h);
    case OOZE_KERNEL_WENDLAND:
        return ooze_wendland_laplacian(r, h);
    case OOZE_KERNEL_POLY6:
        return ooze_poly6_laplacian(r, h);
    case OOZE_KERNEL_SPIKY:
        return ooze_spiky_laplacian(r, h);
    case OOZE_KERNEL_VISCOSITY:
        return ooze_viscosity_laplacian(r, h);
    case OOZE_KERNEL_MPS:
        return ooze_mps_laplacian(r, h);
    default:
        return 0;
    }
}

#endif
