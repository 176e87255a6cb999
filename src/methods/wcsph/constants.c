/* Numbers of a step and of a material. */
#include <math.h>

#include "methods/wcsph/step.h"
#include "physics/lattice.h"
#include "physics/wcsph.h"

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
