/* Heat: conduction between particles, through walls and to the air, its time integration, and
   material properties that depend on temperature. Valid C17 and CUDA. Lengths in m, `h` is the
   support.

   Takahashi, Nishita and Fujishiro 2014, after Cleary and Monaghan 1999: the heat flow into
   particle i is, in W,
     sum_j V_i V_j 2 k_i k_j / (k_i + k_j) (T_j - T_i) lap W(r_ij)
   with the Laplacian of the viscosity kernel, 45 / (pi h^6) (h - r), which is nowhere negative:
   heat flows only from warm to cold. The sum is scaled so that on the rest lattice it is exactly
   the Laplacian of every quadratic field, and a conductivity k is in W/(m K). */
#ifndef OOZE_PHYSICS_HEAT_H
#define OOZE_PHYSICS_HEAT_H

#include "physics/kernels.h"

/* Conductivity of two materials in series: the harmonic mean. */
OOZE_FORMULA double ooze_harmonic_mean(double a, double b)
{
    double sum = a + b;
    return sum > 0.0 ? 2.0 * a * b / sum : 0.0;
}

/* ---- scale ---------------------------------------------------------------------------------- */

/* Factor of k_ij lap W in a conductance (W/K): V times 2 d over the sum of r^2 lap W over the
   lattice, with d = 3 dimensions. */
OOZE_FORMULA double ooze_heat_scale(double spacing, double h)
{
    const int reach = (int)(h / spacing) + 1;
    double sum = 0.0;
    for (int k = -reach; k <= reach; k++) {
        for (int j = -reach; j <= reach; j++) {
            for (int i = -reach; i <= reach; i++) {
                double r2 = (double)(i * i + j * j + k * k) * spacing * spacing;
                sum += r2 * (double)ooze_viscosity_laplacian((OOZE_REAL)OOZE_SQRT((OOZE_REAL)r2),
                                                             (OOZE_REAL)h);
            }
        }
    }
    return 6.0 * spacing * spacing * spacing / sum;
}

/* lap W summed over a plane of the lattice at a distance. */
OOZE_FORMULA double ooze_heat_layer(double distance, double spacing, double h)
{
    const int reach = (int)(h / spacing) + 1;
    double sum = 0.0;
    for (int j = -reach; j <= reach; j++) {
        for (int i = -reach; i <= reach; i++) {
            double r2 = (double)(i * i + j * j) * spacing * spacing + distance * distance;
            sum += (double)ooze_viscosity_laplacian(OOZE_SQRT((OOZE_REAL)r2), (OOZE_REAL)h);
        }
    }
    return sum;
}

/* The missing part of sum lap W x where the fluid ends at a plane: lap W times the distance, summed
   over the lattice layers beyond the plane, the first of them half a spacing behind it. At a flat
   surface it is |sum lap W x| of a particle; over the distance it is the conductance to a wall of a
   given surface temperature, which keeps a linear profile steady. */
OOZE_FORMULA double ooze_heat_half_space(double distance, double spacing, double h)
{
    double sum = 0.0;
    for (double at = distance + 0.5 * spacing; at < h; at += spacing) {
        sum += at * ooze_heat_layer(at, spacing, h);
    }
    return sum;
}

/* Sum of the conductances (W/K) of a particle of the lattice over its conductivity, m. */
OOZE_FORMULA double ooze_heat_outflow(double spacing, double h)
{
    double sum = ooze_heat_layer(0.0, spacing, h) -
                 (double)ooze_viscosity_laplacian((OOZE_REAL)0, (OOZE_REAL)h);
    for (double at = spacing; at < h; at += spacing) {
        sum += 2.0 * ooze_heat_layer(at, spacing, h);
    }
    return ooze_heat_scale(spacing, h) * sum;
}

/* Least distance from a wall, in spacings; smaller ones count as this. */
#define OOZE_HEAT_NEAREST 0.25

/* ---- free surface --------------------------------------------------------------------------- */

/* A particle is at the surface where |sum lap W x| exceeds this fraction of that of the top layer
   of a flat surface; inside disordered fluid it is about a tenth. */
#define OOZE_HEAT_SURFACE 0.25

/* Surface area of a particle over its |sum lap W x|: the surface particles of one column below a
   flat surface have the area spacing^2 together. */
OOZE_FORMULA double ooze_heat_area_scale(double spacing, double h)
{
    double top = ooze_heat_half_space(0.5 * spacing, spacing, h), sum = 0.0;
    for (double depth = 0.5 * spacing; depth < h; depth += spacing) {
        double layer = ooze_heat_half_space(depth, spacing, h);
        sum += layer > OOZE_HEAT_SURFACE * top ? layer : 0.0;
    }
    return spacing * spacing / sum;
}

/* ---- time integration ----------------------------------------------------------------------- */

/* One explicit step keeps every temperature between those of the neighbours while `load`, the
   largest dt sum G / C, is at most 1. s stages of the first-order Runge-Kutta-Legendre scheme
   (Meyer, Balsara and Aslam 2014) are stable up to s (s + 1) / 2. They are combinations of explicit
   steps whose weights add up to one, so that each conserves heat. An odd number of stages damps the
   fastest mode. */
OOZE_FORMULA int ooze_heat_stages(double load)
{
    int s = load <= 1.0 ? 1 : (int)ceil(0.5 * (sqrt(1.0 + 8.0 * load) - 1.0));
    return s % 2 ? s : s + 1;
}

/* Stage j = 1 .. s: Y_j = mu Y_{j-1} + nu Y_{j-2} + mu_tilde dt (dT/dt of Y_{j-1}), the paper's
   symbols. */
typedef struct OozeHeatStage {
    double mu, nu, mu_tilde;
} OozeHeatStage;

OOZE_FORMULA OozeHeatStage ooze_heat_stage(int j, int s)
{
    OozeHeatStage stage;
    stage.mu = (2.0 * j - 1.0) / j;
    stage.nu = (1.0 - j) / j;
    stage.mu_tilde = stage.mu * 2.0 / ((double)s * s + s);
    return stage;
}

/* ---- properties that depend on temperature -------------------------------------------------- */

/* `low` up to `from`, `high` from `to` on, a straight line between: the paper's beta(T). */
OOZE_FORMULA double ooze_heat_ramp(double temperature, double from, double low, double to,
                                   double high)
{
    if (temperature <= from) {
        return low;
    }
    return temperature >= to ? high : low + (high - low) * (temperature - from) / (to - from);
}

/* Interpolates between two rows of a table: geometrically, or linearly where a value is not
   positive. With an infinite row the first holds until the second is reached. */
OOZE_FORMULA double ooze_heat_interpolate(double a, double b, double share)
{
    if (a == b || share <= 0.0) {
        return a;
    }
    if (share >= 1.0) {
        return b;
    }
    if (a > 0.0 && b > 0.0 && !isinf(a) && !isinf(b)) {
        return a * exp(share * log(b / a));
    }
    return isinf(a) || isinf(b) ? a : a + share * (b - a);
}

enum { OOZE_PHASE_LIQUID, OOZE_PHASE_SOLID };

/* A solid melts above `melting`, a liquid freezes below `freezing` <= melting; between them the
   phase is kept. */
OOZE_FORMULA int ooze_heat_phase(int phase, double temperature, double melting, double freezing)
{
    if (phase == OOZE_PHASE_SOLID) {
        return temperature > melting ? OOZE_PHASE_LIQUID : OOZE_PHASE_SOLID;
    }
    return temperature < freezing ? OOZE_PHASE_SOLID : OOZE_PHASE_LIQUID;
}

#endif
