/* Links between particles, and position-based fluids around them: Takahashi, Nishita and Fujishiro 2014. Valid C17
   and CUDA. Rates are 1/s, lengths m; weights w are 1 over mass, in units of the reference mass. */
#ifndef OOZE_PHYSICS_LINKS_H
#define OOZE_PHYSICS_LINKS_H

#include "physics/kernels.h"

/* ---- links: eqs 9 to 13 ----------------------------------------------------------------------- */

/* Eq 12 turned round: a link that is longer than this share of its rest length is extended. With slack 0 a link
   that is just met would never creep. */
OOZE_FORMULA int ooze_link_is_tight(float length, float rest, float slack)
{
    return rest - length - slack * rest < 0.0f;
}

/* Eq 13 with the coefficient as the factor that the published values of 1.001 to 1.005 stand for: adding the
   product, as printed, would double the rest length every step. */
OOZE_FORMULA float ooze_link_extended(float rest, float extension_i, float extension_j)
{
    return rest * (0.5f * (extension_i + extension_j));
}

/* The coefficient of a step of length dt, for one that holds for a step of length `whole`; and for a rate of
   stretch. Both mean exponential creep, so that a step in parts extends as far as a whole one. */
OOZE_FORMULA double ooze_link_extension_of_part(double extension, double dt, double whole)
{
    return dt == whole ? extension : pow(extension, dt / whole);
}

OOZE_FORMULA double ooze_link_extension_of_rate(double rate, double dt)
{
    return exp(rate * dt);
}

/* Eqs 10 and 11: what each end moves along the link, over its own weight. `share` is 1 over the number of tight
   links that the busier end has. Summed over all links, corrections of one Jacobi step then never overshoot:
   with e the link's direction, (e.(a - b))^2 <= (w_i + w_j) (a^2 / w_i + b^2 / w_j), so the step's largest
   eigenvalue is at most the strength, for any number of links. */
OOZE_FORMULA float ooze_link_correction(float length, float rest, float strength, float share,
                                        float weight_i, float weight_j)
{
    float both = weight_i + weight_j;
    return both > 0.0f ? strength * share * (length - rest) / both : 0.0f;
}

/* ---- density: eqs 4 to 8 ---------------------------------------------------------------------- */

/* Kernels for densities and their slopes. Macklin and Mueller 2013 take poly6 for the one and the spiky kernel for the
   other; then corrections along some short waves have the wrong sign (ooze_links_wave is as low as -0.03 of 3.2 at 2.2
   spacings), and a fluid at rest never comes to rest. The cubic spline for both has no such waves. */
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

/* Eq 8, of a pair: `scale` is k_s h^2, `reference` 1 / W(q). */
OOZE_FORMULA float ooze_artificial_pressure(float scale, float value, float reference)
{
    float q = value * reference, q2 = q * q;
    return -scale * q2 * q2;
}

/* ---- what the rest lattice says --------------------------------------------------------------- */

typedef struct OozeLinksLattice {
    double volume;    /* of a particle, such that the lattice has density 1 */
    double stiffness; /* sum over the neighbours of |grad C|^2, 1/m2: the denominator of eq 7 */
    /* What one whole Jacobi step makes of a wave of density errors, at most: above 2 it grows. */
    double overshoot;
} OozeLinksLattice;

/* One wave on the lattice: sums of sin(k.x) times the slopes of both kernels. */
OOZE_FORMULA double ooze_links_wave(int mixed, double spacing, double h, double volume,
                                    double stiffness, const double k[3])
{
    const OozeLinksKernel kernel = ooze_links_kernel(mixed, h);
    const int reach = (int)(h / spacing) + 1;
    double push[3] = {0, 0, 0}, seen[3] = {0, 0, 0};
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
                        push[axis] += phase * slope * x[axis];
                        seen[axis] += phase * (mixed ? poly6 : slope) * x[axis];
                    }
                }
            }
        }
    }
    return (push[0] * seen[0] + push[1] * seen[1] + push[2] * seen[2]) / stiffness;
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

/* Number density of the samples of a flat wall, one to a square of the spacing: eq 5's delta. Boundary samples are
   measured with the cubic spline. */
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

/* What the samples of a flat wall count for, over 1 / delta, when a lattice whose first layer is half a spacing above
   them is to have density 1: one layer of samples then stands for all fluid that is missing behind it. */
OOZE_FORMULA double ooze_links_wall_fit(int mixed, double spacing, double h, double volume)
{
    const OozeLinksKernel kernel = ooze_links_kernel(mixed, h);
    const int reach = (int)(h / spacing) + 2;
    double missing = 0.0, seen = 0.0;
    for (int b = -reach; b <= reach; b++) {
        for (int a = -reach; a <= reach; a++) {
            double across = (double)(a * a + b * b);
            for (int c = 1; c <= reach; c++) {
                double r = spacing * sqrt(across + (double)(c * c));
                missing += (double)ooze_links_value(&kernel, (float)r);
            }
            seen += (double)ooze_links_value(&kernel, (float)(spacing * sqrt(across + 0.25)));
        }
    }
    return missing * volume * ooze_links_wall_number(mixed, spacing, h) / seen;
}

#endif
