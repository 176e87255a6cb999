/* Tables of the stress method. Its step is in step.c. */
#include "methods/stress/method.h"

#include "methods/advice.h"
#include "methods/derive.h"
#include "methods/stress/stages.h"
#include "solvers/density/density.h"

static const OozeParamInfo params[OOZE_STRESS_PARAM_COUNT] = {
    [OOZE_STRESS_DENSITY_ITERATIONS] = {"density_iterations", OOZE_PARAM_INTEGER, "", 0, 10000, 5,
                                        NULL, "iterations of the density stage"},
    [OOZE_STRESS_DENSITY_TIME] = {"density_time", OOZE_PARAM_REAL, "s", 0, 10, 1.0 / 240.0, NULL,
                                  "time in which compression is taken out; 0: in one step"},
    [OOZE_STRESS_HOURGLASS] = {"hourglass", OOZE_PARAM_REAL, "", 0, 100, 0.2, NULL,
                               "damping of motion that a linear field does not describe"},
    [OOZE_STRESS_CONTACT_DISTANCE] = {"contact_distance", OOZE_PARAM_REAL, "spacings", 0, 10, 0.5,
                                      NULL, "how near a particle's centre comes to a solid"},
};

static const char *const material_keys[] = {
    "density", "viscosity", "modulus", "relaxation_time", "compliance", "solvent_viscosity", NULL};

static const char *const ghost_fields[] = {"velocity", NULL};

static const OozeFieldInfo fields[] = {
    {"conformation", OOZE_FIELD_FLOAT32, 6, 8, "", 0.0, true,
     "strain of the polymer beyond rest, Q - I: xx, yy, zz, xy, xz, yz"},
};

static OozeStatus step(void *data, OozeStepContext *context, OozeError *error)
{
    OozeMachine processor = ooze_machine_of_processor(context);
    return ooze_stress_step(&processor, &ooze_stress_stages, data, error);
}

const OozeMethod ooze_method_stress = {
    .info = {.name = "stress",
             .summary = "viscoelastic fluids by their stress, stepped explicitly: exact and slow, "
                        "stable only for short steps",
             .reference = "Barreiro et al. 2017, Conformation constraints for efficient "
                          "viscoelastic fluid simulation, section 6",
             .params = params,
             .param_count = OOZE_STRESS_PARAM_COUNT},
    .fields = fields,
    .field_count = 1,
    .material_keys = material_keys,
    .ghost_fields = ghost_fields,
    .uses_boundary_neighbours = true,
    .divides_unstable_steps = true,
    .create = ooze_density_memory_create,
    .destroy = ooze_density_memory_destroy,
    .bytes = ooze_density_memory_bytes,
    .step = step,
    .records_stress = true,
    .stable_step = ooze_stress_stable_step,
    .advise = ooze_advise_numbers,
    .derive_material = ooze_derive_maxwell,
    .numerical_viscosity = 0.37, /* stress_T06 */
};
