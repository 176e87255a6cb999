/* Numbers of a step; the longest stable step, from plane waves on the rest lattice; and a check of
   the sound speed. */
#include <math.h>

#include "base/vec3.h"
#include "methods/advice.h"
#include "methods/wcsph/step.h"
#include "physics/lattice.h"
#include "physics/ucm.h"
#include "physics/wcsph.h"
#include "solvers/lattice_waves.h"

double ooze_wcsph_viscosity(const OozeMaterial *material)
{
    double viscosity = material->values[OOZE_MATERIAL_VISCOSITY];
    return isnan(viscosity) ? 0.0 : viscosity;
}

OozeWcsphConstants ooze_wcsph_constants(const OozeStepContext *c)
{
    double dx = c->spacing, h = c->support, scale = ooze_wcsph_scale(dx, h);
    return (OozeWcsphConstants){
        .dt = (float)c->dt,
        .support = (float)h,
        .sound = (float)c->params[OOZE_WCSPH_SOUND_SPEED],
        .volume = (float)(1.0 / ooze_lattice_sum(dx, h)),
        .wall_volume = (float)ooze_lattice_wall_scale(dx, h),
        .half_viscous = 0.5f * (float)scale,
        .wall_viscous =
            (float)(scale * ooze_wcsph_wall_scale(dx, h) / ooze_lattice_sample_volume(dx, h)),
    };
}

OozeWcsphMaterial ooze_wcsph_material(const OozeStepContext *c, int index)
{
    const OozeMaterial *material = &c->materials[index];
    double reference = c->materials[0].values[OOZE_MATERIAL_DENSITY];
    return (OozeWcsphMaterial){(float)(material->values[OOZE_MATERIAL_DENSITY] / reference),
                               (float)(ooze_wcsph_viscosity(material) / reference)};
}

OozeContactRule ooze_wcsph_contact_rule(const OozeStepContext *c)
{
    return (OozeContactRule){.margin = c->params[OOZE_WCSPH_CONTACT_DISTANCE] * c->spacing,
                             .tolerance = 0.1 * c->spacing,
                             .dt = c->dt};
}

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
