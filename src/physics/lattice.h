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

/* Akinci volume of the samples of a flat wall, one to a square of the spacing. */
OOZE_FORMULA double ooze_lattice_sample_volume(double spacing, double h)
{
    const int reach = (int)(h / spacing) + 1;
    double flat = 0.0;
    for (int j = -reach; j <= reach; j++) {
        for (int i = -reach; i <= reach; i++) {
            OOZE_REAL r2 = (OOZE_REAL)((double)(i * i + j * j) * spacing * spacing);
            flat += (double)ooze_cubic_value(OOZE_SQRT(r2), (OOZE_REAL)h);
        }
    }
    return 1.0 / flat;
}

/* What the samples of a flat wall must count for: a lattice whose first layer is half a spacing above
   the wall has density 1 when one layer of samples, each with its Akinci volume times this factor,
   stands for the half space behind. */
OOZE_FORMULA double ooze_lattice_wall_scale(double spacing, double h)
{
    const int reach = (int)(h / spacing) + 2;
    double missing = 0.0, seen = 0.0;
    for (int j = -reach; j <= reach; j++) {
        for (int i = -reach; i <= reach; i++) {
            double across = (double)(i * i + j * j) * spacing * spacing;
            for (int k = 1; k <= reach; k++) {
                OOZE_REAL r = (OOZE_REAL)OOZE_SQRT((OOZE_REAL)(across + k * k * spacing * spacing));
                missing += (double)ooze_cubic_value(r, (OOZE_REAL)h);
            }
            OOZE_REAL half = OOZE_SQRT((OOZE_REAL)(across + 0.25 * spacing * spacing));
            seen += (double)ooze_cubic_value(half, (OOZE_REAL)h);
        }
    }
    return missing / ooze_lattice_sum(OOZE_KERNEL_CUBIC, spacing, h, 1) /
           (seen * ooze_lattice_sample_volume(spacing, h));
}

#endif
