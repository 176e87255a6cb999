/* Tables of settings and fields of the method cauchy. Its step is in step.c. */
#include "methods/cauchy/method.h"

#include "base/fail.h"
#include "methods/advice.h"
#include "methods/cauchy/cpu/operators.h"

static const OozeParamInfo params[OOZE_CAUCHY_PARAM_COUNT] = {
    [OOZE_CAUCHY_SCHEME] = {"scheme", OOZE_PARAM_CHOICE, "", 0, 1, 0, "corrected|classic",
                            "corrected: gradients exact for linear fields, pressure without a "
                            "surface test; classic: MPS as published"},
    [OOZE_CAUCHY_VISCOUS_STEP] = {"viscous_step", OOZE_PARAM_CHOICE, "", 0, 1, 0,
                                  "implicit|explicit",
                                  "implicit: stable at any step; explicit: as published"},
    [OOZE_CAUCHY_TENSION] = {"tension", OOZE_PARAM_CHOICE, "", 0, 1, 0, "stress|potential",
                             "surface tension as a stress along the surface, or by a potential "
                             "between particles, as published"},
    [OOZE_CAUCHY_VELOCITY_ITERATIONS] = {"velocity_iterations", OOZE_PARAM_INTEGER, "", 1, 100000,
                                         500, NULL, "most iterations of the velocity solve"},
    [OOZE_CAUCHY_VELOCITY_TOLERANCE] = {"velocity_tolerance", OOZE_PARAM_REAL, "", 1e-7, 1, 1e-4,
                                        NULL, "relative residual at which it stops"},
    [OOZE_CAUCHY_PRESSURE_ITERATIONS] = {"pressure_iterations", OOZE_PARAM_INTEGER, "", 1, 100000,
                                         500, NULL, "most iterations of the pressure solve"},
    [OOZE_CAUCHY_PRESSURE_TOLERANCE] = {"pressure_tolerance", OOZE_PARAM_REAL, "", 1e-7, 1, 1e-5,
                                        NULL, "relative residual at which it stops"},
    [OOZE_CAUCHY_PRESSURE_PASSES] =
        {"pressure_passes", OOZE_PARAM_INTEGER, "", 1, 100, 3, NULL,
         "pressure solves in a step, each for the divergence that the last has left"},
    [OOZE_CAUCHY_DENSITY_RELAXATION] = {"density_relaxation", OOZE_PARAM_REAL, "s", 0, 1e9, 0.02,
                                        NULL, "time in which errors of the number density decay"},
    [OOZE_CAUCHY_SHIFT_DISTANCE] = {"shift_distance", OOZE_PARAM_REAL, "spacings", 0, 1.5, 1.15,
                                    NULL,
                                    "particles that are nearer to each other are moved apart"},
    [OOZE_CAUCHY_HOURGLASS] = {"hourglass", OOZE_PARAM_REAL, "", 0, 100, 1.0, NULL,
                               "damping of motion that a linear field does not describe"},
    [OOZE_CAUCHY_COLLISION_DISTANCE] = {"collision_distance", OOZE_PARAM_REAL, "spacings", 0, 1,
                                        0.5, NULL, "particles that are nearer collide, as in MPS"},
    [OOZE_CAUCHY_CONTACT_DISTANCE] = {"contact_distance", OOZE_PARAM_REAL, "spacings", 0, 10, 0.5,
                                      NULL, "how near a particle's centre comes to a solid"},
};

static const char *const material_keys[] = {"density",           "viscosity",
                                            "modulus",           "relaxation_time",
                                            "compliance",        "solvent_viscosity",
                                            "thinning",          "thinning_rate",
                                            "thinning_exponent", "thinning_floor",
                                            "surface_tension",   "contact_angle",
                                            "stress_model",      "mixing",
                                            "frequency",         NULL};

static const OozeFieldInfo fields[] = {
    {"strain", OOZE_FIELD_FLOAT32, 6, 8, "", 0, true, "elastic strain: xx, yy, zz, xy, xz, yz"},
    {"pressure", OOZE_FIELD_FLOAT32, 1, 1, "Pa", 0, true, "of incompressibility"},
    {"density", OOZE_FIELD_FLOAT32, 1, 1, "", 1, true,
     "number density relative to rest; low at the surface"},
};

/* What the stage `load` reads. */
static const char *const ghost_fields[] = {"material", "velocity", "pressure", "nozzle", NULL};

static OozeStatus create(void **data, OozeError *error)
{
    OozeCauchyMemory *memory = ooze_alloc_zero(1, sizeof *memory);
    if (memory) {
        memory->multigrid = ooze_grid_multigrid_create();
    }
    if (!memory || !memory->multigrid) {
        ooze_free(memory);
        return ooze_fail_memory(error, "the cauchy method", sizeof *memory);
    }
    *data = memory;
    return OOZE_OK;
}

static void destroy(void *data)
{
    OozeCauchyMemory *memory = data;
    if (memory) {
        ooze_free(memory->edges.values);
        ooze_free(memory->mps.values);
        ooze_grid_multigrid_destroy(memory->multigrid);
        ooze_free(memory);
    }
}

static uint64_t bytes(const void *data)
{
    const OozeCauchyMemory *memory = data;
    return (memory->edges.room + memory->mps.room) * sizeof(float) +
           ooze_grid_multigrid_bytes(memory->multigrid);
}

static OozeStatus step(void *data, OozeStepContext *context, OozeError *error)
{
    OozeMachine processor = ooze_machine_of_processor(context);
    return ooze_cauchy_step(&processor, &ooze_cauchy_stages, data, error);
}

const OozeMethod ooze_method_cauchy = {
    .info = {.name = "cauchy",
             .summary = "incompressible fluids by Cauchy's equation of motion: semi-implicit "
                        "particles with a pressure solve, stress models from Newton to Maxwell, "
                        "surface tension with a contact angle; threads that snap",
             .reference = "Mukai, Matsui and Chang 2018, Investigation on viscoelastic fluid "
                          "behavior by modifying deviatoric stress tensor",
             .params = params,
             .param_count = OOZE_CAUCHY_PARAM_COUNT},
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .material_keys = material_keys,
    .ghost_fields = ghost_fields,
    .uses_boundary_neighbours = true,
    .uses_tables = true,
    .pushes_solids = true,
    .records_stress = true,
    .divides_unstable_steps = true,
    .create = create,
    .destroy = destroy,
    .bytes = bytes,
    .step = step,
    .stable_step = ooze_cauchy_stable_step,
    .advise = ooze_advise_numbers,
    .derive_material = ooze_cauchy_derive_material,
};
