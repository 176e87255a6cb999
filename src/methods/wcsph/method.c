/* Tables of the wcsph method. Its step is in step.c. */
#include "methods/wcsph/method.h"

#include "methods/derive.h"
#include "methods/wcsph/stages.h"

static const OozeParamInfo params[OOZE_WCSPH_PARAM_COUNT] = {
    [OOZE_WCSPH_SOUND_SPEED] = {"sound_speed", OOZE_PARAM_REAL, "m/s", 1e-6, 1e6, 20.0, NULL,
                                "stiffness against compression: ten times the fastest flow keeps "
                                "density within a percent"},
    [OOZE_WCSPH_CONTACT_DISTANCE] = {"contact_distance", OOZE_PARAM_REAL, "spacings", 0, 10, 0.25,
                                     NULL, "how near a particle's centre comes to a solid"},
};

static const char *const material_keys[] = {"density", "viscosity", NULL};
static const char *const ghost_fields[] = {"velocity", NULL};

static OozeStatus step(void *data, OozeStepContext *context, OozeError *error)
{
    (void)data;
    OozeMachine processor = ooze_machine_of_processor(context);
    return ooze_wcsph_step(&processor, &ooze_wcsph_stages, error);
}

const OozeMethod ooze_method_wcsph = {
    .info = {.name = "wcsph",
             .summary = "Newtonian fluids by weakly compressible SPH with explicit viscosity: a "
                        "baseline, stable only for short steps",
             .reference = "Mueller, Charypar and Gross 2003, Particle-based fluid simulation for "
                          "interactive applications; Becker and Teschner 2007, Weakly compressible "
                          "SPH for free surface flows",
             .params = params,
             .param_count = OOZE_WCSPH_PARAM_COUNT},
    .material_keys = material_keys,
    .ghost_fields = ghost_fields,
    .uses_boundary_neighbours = true,
    .step = step,
    .stable_step = ooze_wcsph_stable_step,
    .derive_material = ooze_derive_newtonian,
    .advise = ooze_wcsph_advise,
};
