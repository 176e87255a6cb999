#include "methods/advice.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

void ooze_advise(const OozeAdvice *advice, int material, const char *key, const char *hint,
                 const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    advice->warn(advice->user, material, key, hint, message);
}

/* Largest relative difference at which three numbers agree: they are given with two or three
   digits. */
static const double AGREE = 0.02;

void ooze_advise_numbers(const OozeStepContext *c, const OozeAdvice *advice)
{
    for (int m = 0; m < c->material_count; m++) {
        const double *v = c->materials[m].values;
        const char *name = c->materials[m].name;
        double eta = v[OOZE_MATERIAL_VISCOSITY], g = v[OOZE_MATERIAL_MODULUS];
        double tau = v[OOZE_MATERIAL_RELAXATION], alpha = v[OOZE_MATERIAL_COMPLIANCE];
        double soft = alpha > 0.0 ? v[OOZE_MATERIAL_DENSITY] / alpha : INFINITY;
        if (!isnan(g) && !isnan(alpha) && !(fabs(g - soft) <= AGREE * soft)) {
            ooze_advise(advice, m, "compliance", "give one of the two",
                        "'%s' has a modulus of %g Pa and a compliance that stands for %g Pa: the "
                        "modulus counts",
                        name, g, soft);
        }
        double stiff = isnan(g) && !isnan(alpha) ? soft : g;
        if (!isnan(eta) && !isnan(stiff) && !isnan(tau) &&
            !(fabs(eta - stiff * tau) <= AGREE * eta)) {
            ooze_advise(advice, m, "viscosity",
                        "give two of viscosity, modulus and relaxation_time",
                        "'%s' has a viscosity of %g Pa s, but its modulus (%g Pa) and relaxation "
                        "time (%g s) make %g Pa s: the viscosity is not used",
                        name, eta, stiff, tau, stiff * tau);
        }
        if (isnan(stiff) && isnan(eta) && tau > 0.0) {
            ooze_advise(advice, m, "relaxation_time", "add viscosity, modulus or compliance",
                        "'%s' has a relaxation time and nothing that relaxes", name);
        }
    }
}
