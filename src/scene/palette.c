/* The palette of Barreiro and others 2017, section 3.2: colours of materials by their relaxation
   time and compliance. Elastic ones (long relaxation, no compliance) are yellow, viscous ones
   (neither) magenta, thin ones (much compliance) cyan. The paper shows the palette as a triangle
   without numbers. Here viscosity takes the place of the compliance, since both measure how
   easily a material yields to shear and every material has one. */
#include <math.h>

#include "methods/maxwell.h"
#include "scene/scene.h"

/* Half of the way from one corner to the next: relaxation time, s, and kinematic viscosity, m2/s. */
#define HALF_ELASTIC 0.15
#define HALF_THIN    0.02

/* x/(x + half), 1 for an infinite x. */
static double share_of(double x, double half)
{
    return isinf(x) ? 1.0 : x / (x + half);
}

static void color_material(const OozeScene *scene, OozeMaterialDef *def)
{
    /* linear RGB of #f2c14e, #d6336c and #22b8cf */
    static const float elastic[3] = {0.8879f, 0.5333f, 0.0762f},
                       viscous[3] = {0.6724f, 0.0331f, 0.1500f},
                       thin[3] = {0.0160f, 0.4793f, 0.6239f};
    OozeMaterial material = ooze_material_of(def);
    double density = material.values[OOZE_MATERIAL_DENSITY];
    OozeStepContext context = {.spacing = scene->def.world.spacing,
                               .dt = scene->def.world.time_step,
                               .materials = &material,
                               .material_count = 1};
    OozeMaxwell maxwell = ooze_maxwell(&context, &material, density, OOZE_STIFFEST_WAVE);
    double polymer = maxwell.modulus > 0.0 ? maxwell.modulus * maxwell.relaxation : 0.0;
    float memory = (float)share_of(maxwell.relaxation, HALF_ELASTIC);
    float thinness = 1.0f - (float)share_of(maxwell.viscosity + polymer, HALF_THIN);
    for (int k = 0; k < 3; k++) {
        float thick = memory * elastic[k] + (1.0f - memory) * viscous[k];
        def->color[k] = thinness * thin[k] + (1.0f - thinness) * thick;
    }
}

void ooze_scene_color_materials(OozeScene *scene)
{
    for (int i = 0; i < scene->def.material_count; i++) {
        if (isnan(scene->def.materials[i].color[0])) {
            color_material(scene, &scene->def.materials[i]);
        }
    }
}
