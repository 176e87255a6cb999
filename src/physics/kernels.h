/* Smoothing kernels in three dimensions. Valid C17 and CUDA.

   r >= 0 is the distance, h the SUPPORT radius: every kernel is exactly 0 from r = h on, whatever a
   paper calls its h. `value` is W, 1/m3; `slope` is dW/dr, 1/m4; `laplacian` is d2W/dr2 + (2/r)
   dW/dr, 1/m5. The gradient is ooze_kernel_gradient_scale(slope, r, h) times the vector of length
   r. */
#ifndef OOZE_PHYSICS_KERNELS_H
#define OOZE_PHYSICS_KERNELS_H

#include "physics/formula.h"

/* 2^-20 of a support: particles closer than this count as coincident. */
#define OOZE_KERNEL_NEAREST 0.00000095367431640625

/* 1 - r / h, not negative where rounding would make it so just inside the support. */
OOZE_FORMULA OOZE_REAL ooze_kernel_complement(OOZE_REAL r, OOZE_REAL h)
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
    OOZE_REAL q = r * (1 / h), t = ooze_kernel_complement(r, h);
    OOZE_REAL inner = 6 * q * q * (q - 1) + 1;
    OOZE_REAL outer = 2 * t * t * t;
    return r >= h ? 0 : sigma * (q < (OOZE_REAL)0.5 ? inner : outer);
}

OOZE_FORMULA OOZE_REAL ooze_cubic_slope(OOZE_REAL r, OOZE_REAL h)
{
    const OOZE_REAL sigma = (OOZE_REAL)(8.0 / OOZE_PI) / (h * h * h * h);
    OOZE_REAL q = r * (1 / h), t = ooze_kernel_complement(r, h);
    OOZE_REAL inner = 6 * q * (3 * q - 2);
    OOZE_REAL outer = -6 * t * t;
    return r >= h ? 0 : sigma * (q < (OOZE_REAL)0.5 ? inner : outer);
}

/* ---- poly6: Mueller, Charypar and Gross 2003, eq 20 ----------------------------------------- */

OOZE_FORMULA OOZE_REAL ooze_poly6_value(OOZE_REAL r, OOZE_REAL h)
{
    const OOZE_REAL sigma = (OOZE_REAL)(315.0 / (64.0 * OOZE_PI)) / (h * h * h);
    OOZE_REAL q = r * (1 / h), s = ooze_kernel_complement(r, h) * (1 + q);
    return r >= h ? 0 : sigma * s * s * s;
}

/* Its integral over the half space that begins at distance d > 0, without a unit. */
OOZE_FORMULA OOZE_REAL ooze_poly6_half_space(OOZE_REAL d, OOZE_REAL h)
{
    OOZE_REAL q = d * (1 / h), q2 = q * q;
    q = q < 0 ? 0 : q;
    OOZE_REAL inner = 1 + q2 * ((OOZE_REAL)(-4.0 / 3.0) +
                                q2 * ((OOZE_REAL)(6.0 / 5.0) + q2 * ((OOZE_REAL)(-4.0 / 7.0) +
                                                                     q2 * (OOZE_REAL)(1.0 / 9.0))));
    OOZE_REAL value = (OOZE_REAL)0.5 - (OOZE_REAL)(315.0 / 256.0) * q * inner;
    return d >= h || value < 0 ? 0 : value;
}

OOZE_FORMULA OOZE_REAL ooze_poly6_slope(OOZE_REAL r, OOZE_REAL h)
{
    const OOZE_REAL sigma = (OOZE_REAL)(315.0 / (64.0 * OOZE_PI)) / (h * h * h * h);
    OOZE_REAL q = r * (1 / h), s = ooze_kernel_complement(r, h) * (1 + q);
    return r >= h ? 0 : sigma * -6 * q * s * s;
}

/* ---- spiky: Mueller, Charypar and Gross 2003, eq 21 ----------------------------------------- */

OOZE_FORMULA OOZE_REAL ooze_spiky_slope(OOZE_REAL r, OOZE_REAL h)
{
    const OOZE_REAL sigma = (OOZE_REAL)(-45.0 / OOZE_PI) / (h * h * h * h);
    OOZE_REAL t = ooze_kernel_complement(r, h);
    return r >= h ? 0 : sigma * t * t;
}

/* The integral of the kernel over a plane at distance d >= 0, 1/m: by Gauss' theorem that of the
   gradient over the half space behind the plane. */
OOZE_FORMULA OOZE_REAL ooze_spiky_plane(OOZE_REAL d, OOZE_REAL h)
{
    OOZE_REAL t = ooze_kernel_complement(d < 0 ? 0 : d, h), t2 = t * t;
    return d >= h ? 0 : 30 / h * t2 * t2 * ((OOZE_REAL)0.25 - (OOZE_REAL)0.2 * t);
}

/* ---- viscosity: Mueller, Charypar and Gross 2003, eq 22 -------------------------------------
   The kernel is designed for its Laplacian 45 / (pi h^6) (h - r), which is nowhere negative. */

OOZE_FORMULA OOZE_REAL ooze_viscosity_laplacian(OOZE_REAL r, OOZE_REAL h)
{
    const OOZE_REAL sigma = (OOZE_REAL)(45.0 / OOZE_PI) / (h * h * h * h * h);
    return r >= h ? 0 : sigma * ooze_kernel_complement(r, h);
}

#endif
