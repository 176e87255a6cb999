/* Cells of regions and the weights of a particle in them, for the processor and the GPU. */
#ifndef OOZE_METHODS_BLEND_REGIONS_FORMULA_H
#define OOZE_METHODS_BLEND_REGIONS_FORMULA_H

#include <stdint.h>

#include "methods/blend/regions.h"
#include "physics/shape_matching.h"

/* Edge of the cells: lists of particles look at the 27 cells around a particle. */
OOZE_FORMULA double ooze_blend_edge(OozeRegionKind kind, double radius)
{
    return kind == OOZE_REGIONS_OF_CELLS ? ooze_match_cell_edge(radius) : radius;
}

OOZE_FORMULA int32_t ooze_blend_cell(double q, double edge)
{
    return (int32_t)floor(q / edge);
}

/* Weights of a particle at q in the regions of the cells around `cell` (z, y, x), x fastest. */
OOZE_FORMULA void ooze_blend_weights(const float *q, double edge, const int32_t *cell, double *w)
{
    double axis[3][3];
    for (int k = 0; k < 3; k++) {
        ooze_match_spline((double)q[k] / edge - (double)cell[2 - k] - 0.5, axis[k]);
    }
    for (int z = 0; z < 3; z++) {
        for (int y = 0; y < 3; y++) {
            double zy = axis[2][z] * axis[1][y];
            for (int x = 0; x < 3; x++) {
                w[9 * z + 3 * y + x] = zy * axis[0][x];
            }
        }
    }
}

#endif
