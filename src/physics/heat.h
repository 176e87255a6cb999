/* Heat: conduction between particles, through walls and to the air, its steps in time, and what temperature does
   to a material. Valid C17 and CUDA.

   Takahashi, Nishita and Fujishiro 2014, after Cleary and Monaghan 1999: the heat that flows into particle i is
     sum_j V_i V_j 2 k_i k_j / (k_i + k_j) (T_j - T_i) lap W(r_ij)
   with the Laplacian of the viscosity kernel, 45 / (pi h^6) (h - r), which is nowhere negative: heat flows from
   warm to cold alone. The paper's c = s_c rho0 h^2 holds no time; s_c is the Fourier number D dt / h^2 of one step.
   Here the sum is scaled so that on the rest lattice it is the Laplacian of every quadratic field exactly: a
   conductivity in W/(m K) means just that. */
#ifndef OOZE_PHYSICS_HEAT_H
#define OOZE_PHYSICS_HEAT_H

#include "physics/kernels.h"

/* The paper's s_c for a diffusivity in m2/s. */
OOZE_FORMULA double ooze_heat_number(double diffusivity, double dt, double h)
{
    return diffusivity * dt / (h * h);
}

/* What two conductivities in a row let through: the harmonic mean. */
OOZE_FORMULA double ooze_heat_mean(double a, double b)
{
    double sum = a + b;
    return sum > 0.0 ? 2.0 * a * b / sum : 0.0;
}

/* ---- scale ------------------------------------------------------------------------------------ */

/* What k_ij lap W is to be multiplied with to be a conductance, W/K: V times 2 d over the sum of r^2 lap W over
   the lattice, with d = 3 dimensions. */
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

/* Lap W summed over a plane of the lattice at a distance. */
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

/* What is missing of sum lap W x where fluid ends on a plane at a distance: lap W times the distance, summed over
   the layers that would follow beyond, the first of them half a spacing behind the plane. It is the whole of the sum
   of a particle near a flat surface; and a wall whose surface has a temperature lets through this much over the
   distance, for then a linear profile stays as it is. */
OOZE_FORMULA double ooze_heat_missing(double distance, double spacing, double h)
{
    double sum = 0.0;
    for (double at = distance + 0.5 * spacing; at < h; at += spacing) {
        sum += at * ooze_heat_layer(at, spacing, h);
    }
    return sum;
}

/* All conductances of a particle of the lattice, W/K, over its conductivity. */
OOZE_FORMULA double ooze_heat_outflow(double spacing, double h)
{
    double sum = ooze_heat_layer(0.0, spacing, h) -
                 (double)ooze_viscosity_laplacian((OOZE_REAL)0, (OOZE_REAL)h);
    for (double at = spacing; at < h; at += spacing) {
        sum += 2.0 * ooze_heat_layer(at, spacing, h);
    }
    return ooze_heat_scale(spacing, h) * sum;
}

/* A particle nearer to a wall than this share of a spacing counts as being that far away. */
#define OOZE_HEAT_NEAREST 0.25

/* ---- free surface ----------------------------------------------------------------------------- */

/* A surface is where |sum lap W x| is more than this share of what the top layer of a flat one has; in a disordered
   inside it is about a tenth. */
#define OOZE_HEAT_SURFACE 0.25

/* Area that a particle stands for, over its |sum lap W x|: such that the layers of a flat surface which count
   have one spacing^2 a column together. */
OOZE_FORMULA double ooze_heat_area_scale(double spacing, double h)
{
    double top = ooze_heat_missing(0.5 * spacing, spacing, h), sum = 0.0;
    for (double depth = 0.5 * spacing; depth < h; depth += spacing) {
        double layer = ooze_heat_missing(depth, spacing, h);
        sum += layer > OOZE_HEAT_SURFACE * top ? layer : 0.0;
    }
    return spacing * spacing / sum;
}

/* ---- steps in time ---------------------------------------------------------------------------- */

/* One explicit step keeps every temperature between those around it while `load`, the largest dt sum G / C, is at most 1.
   s stages of the first-order Runge-Kutta-Legendre scheme (Meyer, Balsara and Aslam 2014) reach s (s + 1) / 2
   times as far. They are sums of explicit steps whose weights add up to one: heat is conserved by each. An odd number of
   stages damps the fastest mode. */
OOZE_FORMULA int ooze_heat_stages(double load)
{
    int s = load <= 1.0 ? 1 : (int)ceil(0.5 * (sqrt(1.0 + 8.0 * load) - 1.0));
    return s % 2 ? s : s + 1;
}

/* Stage j = 1 .. s: Y_j = before Y_{j-1} + earlier Y_{j-2} + share dt (dT/dt of Y_{j-1}). */
typedef struct OozeHeatStage {
    double before, earlier, share;
} OozeHeatStage;

OOZE_FORMULA OozeHeatStage ooze_heat_stage(int j, int s)
{
    OozeHeatStage stage;
    stage.before = (2.0 * j - 1.0) / j;
    stage.earlier = (1.0 - j) / j;
    stage.share = stage.before * 2.0 / ((double)s * s + s);
    return stage;
}

/* ---- what temperature does -------------------------------------------------------------------- */

/* `low` up to `from`, `high` from `to` on, a straight line between: the paper's beta(T). */
OOZE_FORMULA double ooze_heat_ramp(double temperature, double from, double low, double to,
                                   double high)
{
    if (temperature <= from) {
        return low;
    }
    return temperature >= to ? high : low + (high - low) * (temperature - from) / (to - from);
}

/* Between two rows of a table: in equal ratios, or in equal parts where a logarithm has none. A row that is infinite
   holds until the other is reached. */
OOZE_FORMULA double ooze_heat_between(double a, double b, double share)
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

/* A solid melts above one temperature, a liquid freezes below another that is not above it; between them each
   stays what it is. */
OOZE_FORMULA int ooze_heat_phase(int phase, double temperature, double melting, double freezing)
{
    if (phase == OOZE_PHASE_SOLID) {
        return temperature > melting ? OOZE_PHASE_LIQUID : OOZE_PHASE_SOLID;
    }
    return temperature < freezing ? OOZE_PHASE_SOLID : OOZE_PHASE_LIQUID;
}

#endif
