/* Published solutions and measurements that methods are compared with. SI units unless stated
   otherwise; all in double precision. */
#ifndef OOZE_TESTS_PHYSICS_REFERENCE_H
#define OOZE_TESTS_PHYSICS_REFERENCE_H

#include <complex.h>
#include <math.h>
#include <stddef.h>

#define REFERENCE_PI 3.14159265358979323846

/* ---- start-up of plane Poiseuille flow: Waters and King 1970 --------------------------------- */

/* An Oldroyd-B fluid between plates at y = -h and h, at rest until a pressure gradient (or body
   force rho g) K sets in at t = 0. */
typedef struct WatersKing {
    double elasticity; /* E = lambda eta0 / (rho h^2) */
    double solvent;    /* beta = eta_s / eta0, 0 for a Maxwell fluid */
} WatersKing;

/* exp(-a T/2) [cosh(b T/2) + (g/b) sinh(b T/2)], written with decaying exponentials only; b may be
   imaginary, and where it vanishes the bracket is 1 + g T/2. */
static inline double waters_king_mode(double a, double complex b, double g, double t)
{
    if (cabs(b) * t < 1e-6) {
        return exp(-0.5 * a * t) * (1.0 + 0.5 * g * t);
    }
    double complex slow = cexp(-0.5 * (a - b) * t), fast = cexp(-0.5 * (a + b) * t);
    return creal(0.5 * (slow + fast) + 0.5 * (g / b) * (slow - fast));
}

/* Velocity over the final mean K h^2 / (3 eta0), at Y = y/h and T = t/lambda. */
static inline double waters_king(WatersKing fluid, double y, double t)
{
    enum { MODES = 400 }; /* terms fall as 1/k^3: the rest is below 1e-5 of the first */
    double e = fluid.elasticity, beta = fluid.solvent, sum = 0.0;
    for (int k = 1; k <= MODES; k++) {
        double n = (2 * k - 1) * REFERENCE_PI, n2 = n * n;
        double a = 1.0 + beta * e * n2 / 4.0;
        double g = 1.0 - (2.0 - beta) * e * n2 / 4.0;
        double complex b = csqrt((double complex)(a * a - e * n2));
        sum += sin((1.0 + y) * n / 2.0) / (n2 * n) * waters_king_mode(a, b, g, t);
    }
    return 1.5 * (1.0 - y * y) - 48.0 * sum;
}

/* Height and time of the first overshoot of the centre line; a search on a grid, then by parts. */
static inline void waters_king_peak(WatersKing fluid, double *height, double *time)
{
    double best = 0.0;
    for (double t = 0.01; t < 4.0; t += 0.01) {
        double u = waters_king(fluid, 0.0, t);
        if (u > waters_king(fluid, 0.0, best)) {
            best = t;
        } else if (u < 0.98 * waters_king(fluid, 0.0, best)) {
            break;
        }
    }
    double low = best - 0.01, high = best + 0.01;
    while (high - low > 1e-6) {
        double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
        if (waters_king(fluid, 0.0, a) < waters_king(fluid, 0.0, b)) {
            low = a;
        } else {
            high = b;
        }
    }
    *time = 0.5 * (low + high);
    *height = waters_king(fluid, 0.0, *time);
}

/* ---- material functions of the upper-convected Maxwell fluid (exact) ------------------------- */

typedef struct Maxwell {
    double modulus, relaxation; /* Pa, s; the viscosity is their product */
} Maxwell;

static inline double maxwell_storage(Maxwell m, double w)
{
    double wl = w * m.relaxation;
    return m.modulus * wl * wl / (1.0 + wl * wl);
}

static inline double maxwell_loss(Maxwell m, double w)
{
    double wl = w * m.relaxation;
    return m.modulus * wl / (1.0 + wl * wl);
}

/* Shear stress and first normal stress difference t after a step of the shear strain. */
static inline double maxwell_step_stress(Maxwell m, double strain, double t)
{
    return m.modulus * strain * exp(-t / m.relaxation);
}

static inline double maxwell_step_n1(Maxwell m, double strain, double t)
{
    return m.modulus * strain * strain * exp(-t / m.relaxation);
}

/* The same t after the onset of a steady shear rate; t = INFINITY gives the steady values. */
static inline double maxwell_startup_stress(Maxwell m, double rate, double t)
{
    return m.modulus * m.relaxation * rate * -expm1(-t / m.relaxation);
}

static inline double maxwell_startup_n1(Maxwell m, double rate, double t)
{
    double s = t / m.relaxation, left = isinf(s) ? 0.0 : exp(-s) * (1.0 + s);
    return 2.0 * m.modulus * m.relaxation * m.relaxation * rate * rate * (1.0 - left);
}

/* Uniaxial extensional viscosity over the shear viscosity at De = relaxation * rate; there is none
   (NAN) from De = 1/2 on, where stress grows without end. */
static inline double maxwell_extension(double deborah)
{
    return deborah < 0.5 ? 3.0 / ((1.0 - 2.0 * deborah) * (1.0 + deborah)) : (double)NAN;
}

/* ---- waves and decay ------------------------------------------------------------------------- */

/* Angular frequency of a shear wave of an elastic fluid. */
static inline double shear_wave_frequency(double modulus, double density, double k)
{
    return k * sqrt(modulus / density);
}

/* Taylor-Green vortices, periodic in x and y with wave number k on both: velocity and how its
   amplitude falls with time. */
static inline double taylor_green_u(double k, double x, double y)
{
    return sin(k * x) * cos(k * y);
}

static inline double taylor_green_v(double k, double x, double y)
{
    return -cos(k * x) * sin(k * y);
}

static inline double taylor_green_decay(double kinematic_viscosity, double k, double t)
{
    return exp(-2.0 * kinematic_viscosity * k * k * t);
}

/* ---- dam break: a column of water a wide and 2a high ----------------------------------------- */

/* T = t sqrt(2 g / a), Z = front / a, as the experiments are published. */
typedef struct DamBreakPoint {
    double time, front;
} DamBreakPoint;

typedef enum DamBreakSeries {
    DAM_BREAK_MARTIN_MOYCE_SMALL, /* Martin and Moyce 1952, a = 1.125 in */
    DAM_BREAK_MARTIN_MOYCE_LARGE, /* the same, a = 2.25 in */
    DAM_BREAK_KOSHIZUKA_OKA,      /* Koshizuka and Oka 1996, experiment */
    DAM_BREAK_KOSHIZUKA_OKA_MPS,  /* the same, their simulation */
    DAM_BREAK_SERIES_COUNT
} DamBreakSeries;

static inline const DamBreakPoint *dam_break(DamBreakSeries series, size_t *count)
{
    static const DamBreakPoint small[] = {
        {.849, 1.245},  {1.212, 1.443}, {1.602, 1.884}, {2.283, 2.689}, {2.950, 3.728},
        {3.598, 4.528}, {3.905, 4.999}, {4.592, 5.841}, {4.961, 6.271}, {5.316, 6.717}};
    static const DamBreakPoint large[] = {
        {.832, 1.217},  {1.219, 1.474},  {1.997, 2.292}, {2.547, 2.995}, {3.345, 4.134},
        {4.034, 4.944}, {4.418, 5.881},  {5.091, 6.980}, {5.685, 7.945}, {6.306, 8.966},
        {6.822, 9.986}, {8.031, 11.977}, {9.237, 13.970}};
    static const DamBreakPoint experiment[] = {{.381, 1.111},  {.769, 1.252},  {1.153, 1.505},
                                               {1.537, 1.892}, {1.935, 2.241}, {2.323, 2.615},
                                               {2.719, 3.003}, {3.096, 3.624}};
    static const DamBreakPoint mps[] = {{.591, 1.205},  {.958, 1.512},  {1.381, 1.931},
                                        {1.858, 2.480}, {2.278, 3.004}, {2.752, 3.700},
                                        {2.943, 3.997}};
    static const struct {
        const DamBreakPoint *points;
        size_t count;
    } all[DAM_BREAK_SERIES_COUNT] = {{small, sizeof small / sizeof *small},
                                     {large, sizeof large / sizeof *large},
                                     {experiment, sizeof experiment / sizeof *experiment},
                                     {mps, sizeof mps / sizeof *mps}};
    *count = all[series].count;
    return all[series].points;
}

/* Front at a time, linear between the points; NAN outside of them. */
static inline double dam_break_front(DamBreakSeries series, double time)
{
    size_t count;
    const DamBreakPoint *p = dam_break(series, &count);
    for (size_t i = 1; i < count; i++) {
        if (time >= p[i - 1].time && time <= p[i].time) {
            double s = (time - p[i - 1].time) / (p[i].time - p[i - 1].time);
            return p[i - 1].front + s * (p[i].front - p[i - 1].front);
        }
    }
    return (double)NAN;
}

#endif
