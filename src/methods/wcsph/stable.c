/* The longest stable step, from plane waves on the rest lattice; and a check of the sound speed. */
#include <math.h>

#include "base/vec3.h"
#include "methods/advice.h"
#include "methods/wcsph/step.h"
#include "physics/ucm.h"
#include "solvers/pairs/lattice_waves.h"

static double step_of(const OozeStepContext *c, int material, const OozeLatticeWave *wave)
{
    const OozeMaterial *m = &c->materials[material];
    double nu = ooze_wcsph_viscosity(m) / m->values[OOZE_MATERIAL_DENSITY];
    double w = c->params[OOZE_WCSPH_SOUND_SPEED] * sqrt(wave->gradient2);
    return ooze_ucm_stable_step(w, nu * wave->laplacian, 0.0);
}

double ooze_wcsph_lattice_step(const OozeStepContext *c)
{
    return ooze_lattice_waves_step(c, step_of);
}

/* Share of the limit of the lattice. The limit is lower at free surfaces, at walls and in
   compressed fluid: balls that fell on a floor were unstable at 0.85 of it and stable at 0.7. */
static const double SAFE_SHARE = 0.5;

/* Largest fall from rest within a step, in spacings. */
static const double LONGEST_FALL = 0.25;

double ooze_wcsph_stable_step(const OozeStepContext *c)
{
    double fall = sqrt(2.0 * LONGEST_FALL * c->spacing / vec3_length(c->gravity));
    return fmin(SAFE_SHARE * ooze_wcsph_lattice_step(c), fall);
}

/* Smallest sound speed over flow speed: compression is about (speed / sound)^2 / 2, below 1%. */
static const double SLOWEST_SOUND = 10.0;

void ooze_wcsph_advise(const OozeStepContext *c, const OozeAdvice *advice)
{
    double sound = c->params[OOZE_WCSPH_SOUND_SPEED];
    double fall = sqrt(2.0 * vec3_length(c->gravity) * fmax(advice->extent, 0.0));
    if (isfinite(fall) && sound < SLOWEST_SOUND * fall) {
        ooze_advise(advice, -1, "sound_speed", "raise sound_speed, and shorten the step with it",
                    "fluid that falls as far as it reaches has %.3g m/s, and sound %.3g m/s: it "
                    "will be compressed by more than a percent",
                    fall, sound);
    }
}
