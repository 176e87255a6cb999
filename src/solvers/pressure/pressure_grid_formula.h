/* Formulas of pressure_grid.h. Valid C17 and CUDA. */
#ifndef OOZE_SOLVERS_PRESSURE_PRESSURE_GRID_FORMULA_H
#define OOZE_SOLVERS_PRESSURE_PRESSURE_GRID_FORMULA_H

#include <stdbool.h>
#include <stdint.h>

#include "physics/rigid_motion.h"
#include "physics/tensor.h"

/* A node is an unknown where the fluid fills this share of its hat function: where a flat surface
   is a quarter of a cell away. Nearer unknowns would extrapolate to ghosts by large factors. */
#define OOZE_PRESSURE_CUT 0.72f
/* A node that is filled more than this does not see the surface. */
#define OOZE_PRESSURE_FULL 0.97f
/* Distance to the surface of a node that no surface is near, cells. */
#define OOZE_PRESSURE_DEEP 1.5f

/* Signed distance from a node to a flat surface that leaves this share of its hat function filled,
   in cells, positive inside the fluid. */
OOZE_FORMULA float ooze_pressure_distance(float fill)
{
    float f = fill < 0.0f ? 0.0f : fill > 1.0f ? 1.0f : fill;
    return f > 0.5f ? 1.0f - sqrtf(2.0f * (1.0f - f)) : sqrtf(2.0f * f) - 1.0f;
}

/* Half of tr(L)^2 - tr(L^2): det(I + dt L) = 1 + dt tr L + dt^2 times this, to second order. */
OOZE_FORMULA float ooze_pressure_minors(OozeMat3 l)
{
    const OOZE_REAL *m = l.m;
    return (float)(m[0] * m[4] - m[1] * m[3] + m[0] * m[8] - m[2] * m[6] + m[4] * m[8] -
                   m[5] * m[7]);
}

/* Sums over fluid of N, the hat function of a node, in units of a particle's volume, and of its
   gradient g; y is the position from the node. Sums over walls stay apart: fluid wets a share of
   them, and walls let go of fluid that they would pull. */
typedef struct OozePressureSums {
    float weight;              /* N */
    float first[3], second[6]; /* N y; N y y^T: xx, yy, zz, xy, xz, yz */
    float gradient[3];         /* g */
    float turn[3];             /* y x g */
    float wall;                /* share of the hat function inside walls */
    float wall_gradient[3], wall_turn[3];
    float flux;  /* g . velocity of the wall */
    float fixed; /* share of `wall` whose velocity is given */
} OozePressureSums;

/* Share of the walls in a hat function that fluid wets where it fills this share of the rest. Fluid
   that comes near a wall fills a third before it touches. */
OOZE_FORMULA float ooze_pressure_wetted(float fill)
{
    float wet = 4.0f * fill - 2.0f;
    return wet < 0.0f ? 0.0f : wet > 1.0f ? 1.0f : wet;
}

/* Row of the constraint: its change at a particle is w (shift + turn x (y - centre)), w the weight
   of the particle, y from the node. */
typedef struct OozePressureRow {
    float shift[3], turn[3], centre[3];
} OozePressureRow;

/* `sums`: of a row, over its nodes, about the node of the row; weights are magnitudes. The least
   change of the row, in the norm of the weights, with which translations and rotations of fluid and
   walls together change no volume. */
OOZE_FORMULA OozePressureRow ooze_pressure_row(const OozePressureSums *sums, float edge)
{
    OozePressureRow row = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    double mass = (double)sums->weight, c[3], g[3], l[3], moment[6], inverse[6], turn[3];
    if (!(mass > 1e-3)) {
        return row;
    }
    for (int k = 0; k < 3; k++) {
        c[k] = (double)sums->first[k] / mass;
        g[k] = -(double)sums->gradient[k];
    }
    for (int k = 0; k < 6; k++) {
        moment[k] = (double)sums->second[k];
    }
    ooze_rigid_add_moment(moment, -mass, c);
    ooze_rigid_inverse_inertia(moment, 1e-2 * mass * (double)(edge * edge), inverse);
    l[0] = -(double)sums->turn[0] - (c[1] * g[2] - c[2] * g[1]);
    l[1] = -(double)sums->turn[1] - (c[2] * g[0] - c[0] * g[2]);
    l[2] = -(double)sums->turn[2] - (c[0] * g[1] - c[1] * g[0]);
    ooze_sym6_apply(inverse, l, turn);
    for (int k = 0; k < 3; k++) {
        row.shift[k] = (float)(g[k] / mass);
        row.turn[k] = (float)turn[k];
        row.centre[k] = (float)c[k];
    }
    return row;
}

#endif
