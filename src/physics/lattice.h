/* Sums of the cubic spline over the simple cubic rest lattice: the sum over particles at rest
   density. Relative to it rather than to 1, a density error is free of the quadrature error of the
   lattice. Valid C17 and CUDA. Lengths in m; `h` is the support. */
#ifndef OOZE_PHYSICS_LATTICE_H
#define OOZE_PHYSICS_LATTICE_H

#include "physics/kernels.h"

/* Sum of W over the lattice points within the support, 1/m3. The distance is computed in OOZE_REAL
   as in a particle loop; the sum is in double. */
OOZE_FORMULA double ooze_lattice_sum(double spacing, double h)
{
    const int reach = (int)(h / spacing) + 1;
    double sum = 0.0;
    for (int k = -reach; k <= reach; k++) {
        for (int j = -reach; j <= reach; j++) {
            for (int i = -reach; i <= reach; i++) {
                OOZE_REAL x = (OOZE_REAL)(i * spacing), y = (OOZE_REAL)(j * spacing);
                OOZE_REAL z = (OOZE_REAL)(k * spacing);
                sum += (double)ooze_cubic_value(OOZE_SQRT(x * x + y * y + z * z), (OOZE_REAL)h);
            }
        }
    }
    return sum;
}

/* Volume of a boundary sample (Akinci et al. 2012, eq 4) of a flat wall with one sample per square
   of the spacing, m3. */
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

/* Factor on the volumes of the samples of a flat wall with which their one layer replaces the half
   space behind the wall: a lattice whose first layer is half a spacing above the wall then has
   density 1. */
OOZE_FORMULA double ooze_lattice_wall_scale(double spacing, double h)
{
    const int reach = (int)(h / spacing) + 2;
    double missing = 0.0, samples = 0.0;
    for (int j = -reach; j <= reach; j++) {
        for (int i = -reach; i <= reach; i++) {
            double across = (double)(i * i + j * j) * spacing * spacing;
            for (int k = 1; k <= reach; k++) {
                OOZE_REAL r = (OOZE_REAL)OOZE_SQRT((OOZE_REAL)(across + k * k * spacing * spacing));
                missing += (double)ooze_cubic_value(r, (OOZE_REAL)h);
            }
            OOZE_REAL half = OOZE_SQRT((OOZE_REAL)(across + 0.25 * spacing * spacing));
            samples += (double)ooze_cubic_value(half, (OOZE_REAL)h);
        }
    }
    return missing / ooze_lattice_sum(spacing, h) /
           (samples * ooze_lattice_sample_volume(spacing, h));
}

#endif
