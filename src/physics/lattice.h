/* Sums of a kernel over the simple cubic rest lattice: the value that a sum over particles has when
   nothing is compressed. Comparing with it rather than with 1 takes the quadrature error of the
   lattice out of a density error. Valid C17 and CUDA. */
#ifndef OOZE_PHYSICS_LATTICE_H
#define OOZE_PHYSICS_LATTICE_H

#include "physics/kernels.h"

/* Sum of W over the lattice points within the support, the own point included when `own`. The
   distance is computed in OOZE_REAL as a particle loop would; the sum is in double. */
OOZE_FORMULA double ooze_lattice_sum(OozeKernel kernel, double spacing, double h, int own)
{
    const int reach = (int)(h / spacing) + 1;
    double sum = 0.0;
    for (int k = -reach; k <= reach; k++) {
        for (int j = -reach; j <= reach; j++) {
            for (int i = -reach; i <= reach; i++) {
                OOZE_REAL x = (OOZE_REAL)(i * spacing), y = (OOZE_REAL)(j * spacing);
                OOZE_REAL z = (OOZE_REAL)(k * spacing);
                if (own || i != 0 || j != 0 || k != 0) {
                    sum += (double)ooze_kernel_value(kernel, OOZE_SQRT(x * x + y * y + z * z),
                                                     (OOZE_REAL)h);
                }
            }
        }
    }
    return sum;
}

/* Reference number density n0 of the MPS weight (Koshizuka and Oka 1996, eq 4). */
OOZE_FORMULA double ooze_lattice_number_density(double spacing, double h)
{
    return ooze_lattice_sum(OOZE_KERNEL_MPS, spacing, h, 0);
}

/* |sum of grad W| at a particle of the topmost layer of a half-filled lattice: what a flat free
   surface looks like to a gradient sum. */
OOZE_FORMULA double ooze_lattice_surface_gradient(double spacing, double h)
{
    const int reach = (int)(h / spacing) + 1;
    double sum = 0.0;
    for (int k = -reach; k < 0; k++) {
        for (int j = -reach; j <= reach; j++) {
            for (int i = -reach; i <= reach; i++) {
                OOZE_REAL x = (OOZE_REAL)(i * spacing), y = (OOZE_REAL)(j * spacing);
                OOZE_REAL z = (OOZE_REAL)(k * spacing);
                OOZE_REAL r = OOZE_SQRT(x * x + y * y + z * z);
                sum += (double)(ooze_cubic_slope(r, (OOZE_REAL)h) * z / r);
            }
        }
    }
    return sum < 0 ? -sum : sum;
}

#endif
