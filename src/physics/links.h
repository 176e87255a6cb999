/* Links between particles in a position-based fluid: Takahashi, Nishita and Fujishiro 2014. Valid
   C17 and CUDA. Rates are 1/s, lengths m; inverse masses are in units of the reference mass. */
#ifndef OOZE_PHYSICS_LINKS_H
#define OOZE_PHYSICS_LINKS_H

#include "physics/kernels.h"

/* ---- links: eqs 9 to 13 --------------------------------------------------------------------- */

/* Eq 12 with the opposite sign: a link longer than (1 - slack) of its rest length is extended. With
   slack 0 a link at its rest length would never creep. */
OOZE_FORMULA int ooze_link_is_tight(float length, float rest, float slack)
{
    return rest - length - slack * rest < 0.0f;
}

/* Eq 13 with the coefficient as a factor, as the published values of 1.001 to 1.005 imply: adding
   the product, as printed, would double the rest length every step. */
OOZE_FORMULA float ooze_link_extended(float rest, float extension_i, float extension_j)
{
    return rest * (0.5f * (extension_i + extension_j));
}

/* The coefficient of a step of length dt, from that of a step of length `whole`; and from a strain
   rate. Both are exponential creep, so that the result does not depend on the number of substeps.
   */
OOZE_FORMULA double ooze_link_extension_of_part(double extension, double dt, double whole)
{
    return dt == whole ? extension : pow(extension, dt / whole);
}

OOZE_FORMULA double ooze_link_extension_of_rate(double rate, double dt)
{
    return exp(rate * dt);
}

/* Eqs 10 and 11: distance that each end moves along the link over its inverse mass w. `share` is 1
   over the larger number of taut links of both ends, so one Jacobi step never overshoots: with e
   the direction of a link, (e.(a - b))^2 <= (w_i + w_j) (a^2 / w_i + b^2 / w_j), and the largest
   eigenvalue of the step is at most the strength. */
OOZE_FORMULA float ooze_link_correction(float length, float rest, float strength, float share,
                                        float w_i, float w_j)
{
    float sum = w_i + w_j;
    return sum > 0.0f ? strength * share * (length - rest) / sum : 0.0f;
}

/* Share of each taut link of a particle that has so many. */
OOZE_FORMULA float ooze_link_share(float taut)
{
    return 1.0f / fmaxf(taut, 1.0f);
}

/* Whether neighbours without a link get one (algorithm 1, lines 9 and 10): elastic ends only when
   one of them is new, which links an elastic object when it is made. */
OOZE_FORMULA int ooze_link_is_made(int both_elastic, int one_is_new, int same_material)
{
    return !both_elastic || (one_is_new && same_material);
}

/* ---- density: eqs 4 to 8 --------------------------------------------------------------------- */

/* Kernels for densities and their slopes. Macklin and Mueller 2013 take poly6 for the one and the
   spiky kernel for the other; then corrections along some short waves have the wrong sign
   (ooze_links_wave is as low as -0.03 of 3.2 at 2.2 spacings), and a fluid at rest never comes
   to rest. The cubic spline for both has no such waves. */
typedef struct OozeLinksKernel {
    int mixed; /* poly6 and spiky */
    float h, inverse_h;
    float value_scale, slope_scale; /* of the polynomials in r/h */
} OozeLinksKernel;

OOZE_FORMULA OozeLinksKernel ooze_links_kernel(int mixed, double h)
{
    OozeLinksKernel k;
    k.mixed = mixed;
    k.h = (float)h;
    k.inverse_h = (float)(1.0 / h);
    k.value_scale = (float)((mixed ? 315.0 / 64.0 : 8.0) / (OOZE_PI * h * h * h));
    k.slope_scale = (float)((mixed ? -45.0 : 8.0) / (OOZE_PI * h * h * h * h));
    return k;
}

OOZE_FORMULA float ooze_links_value(const OozeLinksKernel *k, float r)
{
    float q = r * k->inverse_h, t = 1.0f - q, s = t * (1.0f + q);
    float cubic = q < 0.5f ? 6.0f * q * q * (q - 1.0f) + 1.0f : 2.0f * t * t * t;
    return t > 0.0f ? k->value_scale * (k->mixed ? s * s * s : cubic) : 0.0f;
}

OOZE_FORMULA float ooze_links_slope(const OozeLinksKernel *k, float r)
{
    float q = r * k->inverse_h, t = 1.0f - q;
    float cubic = q < 0.5f ? 6.0f * q * (3.0f * q - 2.0f) : -6.0f * t * t;
    return t > 0.0f ? k->slope_scale * (k->mixed ? t * t : cubic) : 0.0f;
}

/* Eqs 6 and 7: the multiplier of a density error. `cohesion` scales a lack of density. */
OOZE_FORMULA float ooze_links_multiplier(float error, float cohesion, float relaxation,
                                         float stiffness, float softness)
{
    float felt = error < 0.0f ? cohesion * error : error;
    return -relaxation * felt / (stiffness + softness);
}

/* Eq 8, of a pair: `scale` is k_s h^2, `reference` 1 / W(q). */
OOZE_FORMULA float ooze_artificial_pressure(float scale, float value, float reference)
{
    float q = value * reference, q2 = q * q;
    return -scale * q2 * q2;
}

/* ---- calibration on the rest lattice -------------------------------------------------------- */

typedef struct OozeLinksLattice {
    double volume;    /* of a particle: the lattice has density 1 */
    double stiffness; /* sum over the neighbours of |grad C|^2, 1/m2: the denominator of eq 7 */
    /* largest eigenvalue of a Jacobi step on density waves: above 2 it diverges */
    double overshoot;
} OozeLinksLattice;

/* Eigenvalue of a Jacobi step for the density wave of wave vector k: the product of the sums of
   sin(k.x) times the gradients of both kernels, over the stiffness. */
OOZE_FORMULA double ooze_links_wave(int mixed, double spacing, double h, double volume,
                                    double stiffness, const double k[3])
{
    const OozeLinksKernel kernel = ooze_links_kernel(mixed, h);
    const int reach = (int)(h / spacing) + 1;
    double shift[3] = {0, 0, 0}, change[3] = {0, 0, 0};
    for (int a = -reach; a <= reach; a++) {
        for (int b = -reach; b <= reach; b++) {
            for (int c = -reach; c <= reach; c++) {
                double x[3] = {a * spacing, b * spacing, c * spacing};
                double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
                if (r > 0.0 && r < h) {
                    double phase = sin(k[0] * x[0] + k[1] * x[1] + k[2] * x[2]) * volume / r;
                    double slope = (double)ooze_links_slope(&kernel, (float)r);
                    double poly6 = (double)ooze_poly6_slope((OOZE_REAL)r, (OOZE_REAL)h);
                    for (int axis = 0; axis < 3; axis++) {
                        shift[axis] += phase * slope * x[axis];
                        change[axis] += phase * (mixed ? poly6 : slope) * x[axis];
                    }
                }
            }
        }
    }
    return (shift[0] * change[0] + shift[1] * change[1] + shift[2] * change[2]) / stiffness;
}

OOZE_FORMULA OozeLinksLattice ooze_links_lattice(int mixed, double spacing, double h)
{
    const OozeLinksKernel kernel = ooze_links_kernel(mixed, h);
    const double direction[3][3] = {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}};
    const int reach = (int)(h / spacing) + 1, waves = 16;
    OozeLinksLattice lattice = {0, 0, 0};
    double sum = 0.0;
    for (int a = -reach; a <= reach; a++) {
        for (int b = -reach; b <= reach; b++) {
            for (int c = -reach; c <= reach; c++) {
                double r = spacing * sqrt((double)(a * a + b * b + c * c));
                double slope = (double)ooze_links_slope(&kernel, (float)r);
                sum += (double)ooze_links_value(&kernel, (float)r);
                lattice.stiffness += r > 0.0 ? slope * slope : 0.0;
            }
        }
    }
    lattice.volume = 1.0 / sum;
    lattice.stiffness *= lattice.volume * lattice.volume;
    for (int d = 0; d < 3; d++) {
        for (int i = 1; i <= waves; i++) {
            double k[3], wave;
            for (int axis = 0; axis < 3; axis++) {
                k[axis] = direction[d][axis] * OOZE_PI / spacing * i / waves;
            }
            wave = ooze_links_wave(mixed, spacing, h, lattice.volume, lattice.stiffness, k);
            lattice.overshoot = wave > lattice.overshoot ? wave : lattice.overshoot;
        }
    }
    return lattice;
}

/* Number density delta (eq 5) of the samples of a flat wall, one per square of the spacing. */
OOZE_FORMULA double ooze_links_wall_number(int mixed, double spacing, double h)
{
    const OozeLinksKernel kernel = ooze_links_kernel(mixed, h);
    const int reach = (int)(h / spacing) + 1;
    double sum = 0.0;
    for (int b = -reach; b <= reach; b++) {
        for (int a = -reach; a <= reach; a++) {
            double r = spacing * sqrt((double)(a * a + b * b));
            sum += (double)ooze_links_value(&kernel, (float)r);
        }
    }
    return sum;
}

/* Volume of the samples of a flat wall over 1 / delta with which their one layer replaces the half
   space behind the wall: a lattice whose first layer is half a spacing above the wall then has
   density 1. */
OOZE_FORMULA double ooze_links_wall_fit(int mixed, double spacing, double h, double volume)
{
    const OozeLinksKernel kernel = ooze_links_kernel(mixed, h);
    const int reach = (int)(h / spacing) + 2;
    double missing = 0.0, samples = 0.0;
    for (int b = -reach; b <= reach; b++) {
        for (int a = -reach; a <= reach; a++) {
            double across = (double)(a * a + b * b);
            for (int c = 1; c <= reach; c++) {
                double r = spacing * sqrt(across + (double)(c * c));
                missing += (double)ooze_links_value(&kernel, (float)r);
            }
            samples += (double)ooze_links_value(&kernel, (float)(spacing * sqrt(across + 0.25)));
        }
    }
    return missing * volume * ooze_links_wall_number(mixed, spacing, h) / samples;
}

#endif
