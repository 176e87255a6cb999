#include "rheology/theory.h"

#include <math.h>

#include "methods/maxwell.h"
#include "methods/method.h"
#include "physics/spectrum.h"

OozeTheory ooze_theory(const OozeMaterialDef *material, double spacing, double time_step)
{
    const double *v = material->values;
    OozeMaterial m = ooze_material_of(material);
    OozeStepContext context = {.spacing = spacing, .dt = time_step};
    OozeMaxwell maxwell = ooze_maxwell(&context, &m, 1.0, OOZE_STIFFEST_WAVE);
    bool yields = !isnan(v[OOZE_MATERIAL_YIELD]);
    OozeTheory t = {
        .modes = maxwell.modulus > 0.0,
        .modulus = {maxwell.modulus},
        .time = {maxwell.relaxation},
        .viscosity = maxwell.viscosity - maxwell.solvent,
        .solvent = maxwell.solvent,
        .yield = yields ? v[OOZE_MATERIAL_YIELD] : INFINITY,
        .thinning = ooze_material_thinning(&m),
    };
    for (int k = 0; k < OOZE_MORE_MODES; k++) {
        OozeMaxwellMode mode = ooze_maxwell_mode(&m, k, 1.0);
        if (mode.modulus > 0.0 && t.modes < OOZE_MODES_MAX) {
            t.modulus[t.modes] = mode.modulus;
            t.time[t.modes++] = mode.relaxation;
        }
    }
    return t;
}

double ooze_theory_modulus(const OozeTheory *t)
{
    double sum = 0.0;
    for (int k = 0; k < t->modes; k++) {
        sum += t->modulus[k];
    }
    return sum;
}

double ooze_theory_yield_stress(const OozeTheory *t)
{
    return isfinite(t->yield) ? t->yield * ooze_theory_modulus(t) : INFINITY;
}

double ooze_theory_time(const OozeTheory *t)
{
    double longest = 0.0;
    for (int k = 0; k < t->modes; k++) {
        longest = isfinite(t->time[k]) ? fmax(longest, t->time[k]) : longest;
    }
    return longest;
}

double ooze_theory_resistance(const OozeTheory *t, double dt)
{
    double sum = t->viscosity + t->solvent;
    for (int k = 0; k < t->modes; k++) {
        sum += ooze_mode_resistance(t->modulus[k], t->time[k], dt);
    }
    return sum;
}

bool ooze_theory_is_solid(const OozeTheory *t)
{
    bool permanent = false;
    for (int k = 0; k < t->modes; k++) {
        permanent = permanent || !isfinite(t->time[k]);
    }
    return permanent && !isfinite(t->yield);
}

/* ---- small strain ---------------------------------------------------------------------------- */

double ooze_theory_storage(const OozeTheory *t, double omega)
{
    double sum = 0.0;
    for (int k = 0; k < t->modes; k++) {
        sum += ooze_mode_storage(t->modulus[k], t->time[k], omega);
    }
    return sum;
}

double ooze_theory_loss(const OozeTheory *t, double omega)
{
    double sum = omega * (t->viscosity + t->solvent);
    for (int k = 0; k < t->modes; k++) {
        sum += ooze_mode_loss(t->modulus[k], t->time[k], omega);
    }
    return sum;
}

double ooze_theory_relaxation(const OozeTheory *t, double time)
{
    double sum = 0.0;
    for (int k = 0; k < t->modes; k++) {
        sum += ooze_mode_relaxation(t->modulus[k], t->time[k], time);
    }
    return sum;
}

/* ---- any strain ------------------------------------------------------------------------------ */

/* Factors of thinning at a rate. Without a yield strain moduli and viscosity thin; with one the
   viscosities do, solvent included. */
typedef struct ThinningFactors {
    double elastic, viscous, solvent;
} ThinningFactors;

static ThinningFactors thinning_at(const OozeTheory *t, double rate)
{
    double share = (double)ooze_thinning(t->thinning, (float)fabs(rate));
    bool yields = isfinite(t->yield);
    return (ThinningFactors){
        .elastic = yields ? 1.0 : share, .viscous = share, .solvent = yields ? share : 1.0};
}

/* The equations of the upper-convected Maxwell fluid from rest: sigma = G gd tau (1 - e^(-T)),
   N1 = 2 G (gd tau)^2 (1 - e^(-T) (1 + T)), T = t/tau. */
double ooze_theory_normal(const OozeTheory *t, double rate, double time)
{
    double sum = 0.0;
    for (int k = 0; k < t->modes; k++) {
        double tau = t->time[k], s = rate * tau, x = time / tau;
        sum += isfinite(tau) ? 2.0 * t->modulus[k] * s * s * (1.0 - exp(-x) * (1.0 + x))
                             : t->modulus[k] * rate * rate * time * time;
    }
    return isfinite(t->yield) ? NAN : sum * thinning_at(t, rate).elastic;
}

/* Qxx = (1 - 2 De e^(-(1 - 2 De) T))/(1 - 2 De) along, (1 + De e^(-(1 + De) T))/(1 + De) across. */
double ooze_theory_stretch(const OozeTheory *t, double rate, double time)
{
    double shear = sqrt(3.0) * fabs(rate); /* equivalent shear rate */
    ThinningFactors factor = thinning_at(t, shear);
    double sum = 0.0;
    for (int k = 0; k < t->modes; k++) {
        double tau = t->time[k], de = rate * tau, x = time / tau, a = 1.0 - 2.0 * de, b = 1.0 + de;
        if (isfinite(tau)) {
            double along = fabs(a) > 1e-9 ? (1.0 - 2.0 * de * exp(-a * x)) / a : 1.0 + x;
            sum += t->modulus[k] * (along - (1.0 + de * exp(-b * x)) / b);
        } else {
            sum += t->modulus[k] * (exp(2.0 * rate * time) - exp(-rate * time));
        }
    }
    return isfinite(t->yield) ? NAN
                              : factor.elastic * sum + 3.0 * factor.viscous * t->viscosity * rate +
                                    3.0 * factor.solvent * t->solvent * rate;
}

/* ---- step by step ---------------------------------------------------------------------------- */

/* Fraction of a mode's stress that remains after a step; `*added`: stress added per unit of rate.
   */
static double relaxation_factor(const OozeTheory *t, int k, double dt, double *added)
{
    double tau = t->time[k], r = exp(-dt / tau);
    *added = t->modulus[k] * (isfinite(tau) ? -tau * expm1(-dt / tau) : dt);
    return r;
}

double ooze_theory_shear(const OozeTheory *t, OozeShearHistory *path, double rate, double dt)
{
    ThinningFactors factor = thinning_at(t, rate);
    double elastic = 0.0, limit = ooze_theory_yield_stress(t);
    for (int k = 0; k < t->modes; k++) {
        double added, r = relaxation_factor(t, k, dt, &added);
        path->stress[k] = r * path->stress[k] + added * rate;
        elastic += path->stress[k];
    }
    if (fabs(elastic) > limit) {
        for (int k = 0; k < t->modes; k++) {
            path->stress[k] *= limit / fabs(elastic);
        }
        elastic = copysign(limit, elastic);
    }
    return factor.elastic * elastic +
           (factor.viscous * t->viscosity + factor.solvent * t->solvent) * rate;
}

double ooze_theory_viscosity(const OozeTheory *t, double rate, double seconds)
{
    enum { STEPS = 50 };
    OozeShearHistory path = {{0}};
    double stress = 0.0;
    for (int i = 0; i < STEPS; i++) {
        stress = ooze_theory_shear(t, &path, rate, seconds / STEPS);
    }
    return stress / rate;
}

double ooze_theory_rate_for(const OozeTheory *t, const OozeShearHistory *path, double stress,
                            double dt)
{
    /* stress increases with the rate: bisection */
    double low = 0.0, high = 0.5 / dt, sign = stress < 0.0 ? -1.0 : 1.0;
    OozeShearHistory trial = *path;
    if (sign * ooze_theory_shear(t, &trial, 0.0, dt) > sign * stress) {
        low = -high; /* negative rate: the stress must decrease */
        high = 0.0;
    }
    for (int k = 0; k < 60; k++) {
        double middle = 0.5 * (low + high);
        trial = *path;
        bool less = sign * ooze_theory_shear(t, &trial, sign * middle, dt) < sign * stress;
        low = less ? middle : low;
        high = less ? high : middle;
    }
    return sign * 0.5 * (low + high);
}
