/* Tables of the blend method. Its step is in step.c. */
#include "methods/blend/method.h"

#include <math.h>

#include "base/fail.h"
#include "methods/advice.h"
#include "methods/blend/stages.h"

static const OozeParamInfo params[OOZE_BLEND_PARAM_COUNT] = {
    [OOZE_BLEND_REGION_RADIUS] = {"region_radius", OOZE_PARAM_REAL, "spacings", 1.01, 100, 3.0,
                                  NULL,
                                  "of the regions that keep their shape (sigma): the larger, the "
                                  "stiffer"},
    [OOZE_BLEND_REGIONS] = {"regions", OOZE_PARAM_CHOICE, "", 0, 2, 0, "auto|particles|cells",
                            "particles: a ball around each, as published; cells: smooth ones that "
                            "cost the same whatever their radius; auto: cells from a radius of 2.5 "
                            "on"},
    [OOZE_BLEND_UPDATE_INTERVAL] = {"update_interval", OOZE_PARAM_REAL, "s", 0, 1e9, 0.5, NULL,
                                    "time from one check of the reference shape to the next (m_u "
                                    "steps)"},
    [OOZE_BLEND_UPDATE_GRAVITY] = {"update_gravity", OOZE_PARAM_CHOICE, "", 0, 1, 0, "no|yes",
                                   "whether gravity counts among the external forces that are "
                                   "compared with `update_threshold`"},
    [OOZE_BLEND_SOUND_SPEED] = {"sound_speed", OOZE_PARAM_REAL, "m/s", 1e-6, 1e6, 10.0, NULL,
                                "stiffness of the fluid half against compression: ten times the "
                                "fastest flow keeps density within a percent"},
    [OOZE_BLEND_PRESSURE] =
        {"pressure", OOZE_PARAM_CHOICE, "", 0, 1, 0, "whole|blended",
         "whole: it keeps the volume of elastic bodies, too; blended: it counts "
         "by the fluid share, as published"},
    [OOZE_BLEND_KERNELS] = {"kernels", OOZE_PARAM_CHOICE, "", 0, 1, 0, "symmetric|printed",
                            "symmetric: spiky and viscosity kernels, forces that conserve "
                            "momentum; printed: the equations of the paper as they stand"},
    [OOZE_BLEND_CONTACT_DISTANCE] = {"contact_distance", OOZE_PARAM_REAL, "spacings", 0, 10, 0.5,
                                     NULL, "how near a particle's centre comes to a solid"},
};

static const char *const material_keys[] = {
    "density",     "viscosity",        "modulus", "solvent_viscosity",
    "fluid_share", "update_threshold", NULL};

static const OozeFieldInfo fields[] = {
    {"reference", OOZE_FIELD_FLOAT32, 3, 4, "m", 0, true, "its position in the reference shape"},
    {"reference_step", OOZE_FIELD_UINT32, 1, 1, "", 0, true,
     "number of the step in which that was taken, from 1; 0: it has "
     "none"},
    {"rotation", OOZE_FIELD_FLOAT32, 4, 4, "", 0, true,
     "of its region since then, a quaternion w, x, y, z; all 0: none"},
    {"contact_acceleration", OOZE_FIELD_FLOAT32, 3, 4, "m/s2", 0, true,
     "by collisions, averaged over about a tenth of "
     "update_interval"},
    {"density", OOZE_FIELD_FLOAT32, 1, 1, "", 1, true, "relative to rest; low at the surface"},
    {"elastic", OOZE_FIELD_UINT8, 1, 1, "", 0, true,
     "1: shape matching acts on it; 0: it is a fluid"},
    {"region_slot", OOZE_FIELD_UINT32, 1, 1, "", OOZE_BLEND_SLOT_NONE, false,
     "its place among the particles of the regions"},
};

static const char *const ghost_fields[] = {"velocity", NULL};

static OozeStatus create(void **data, OozeError *error)
{
    *data = ooze_alloc_zero(1, sizeof(OozeRegions));
    return *data ? OOZE_OK : ooze_fail_memory(error, "the blend method", sizeof(OozeRegions));
}

static void destroy(void *data)
{
    if (data) {
        ooze_regions_free(data);
        ooze_free(data);
    }
}

static uint64_t bytes(const void *data)
{
    return ooze_regions_bytes(data);
}

static OozeStatus step(void *data, OozeStepContext *context, OozeError *error)
{
    OozeMachine processor = ooze_machine_of_processor(context);
    return ooze_blend_step(&processor, &ooze_blend_stages, data, error);
}

/* Warns of elastic numbers that the step cannot resolve. */
static void advise(const OozeStepContext *c, const OozeAdvice *advice)
{
    for (int m = 0; m < c->material_count; m++) {
        OozeBlendMaterial own = ooze_blend_material(c, m);
        const double *v = c->materials[m].values;
        if (!isnan(v[OOZE_MATERIAL_MODULUS]) && own.response_time < c->dt) {
            OozeBlendConstants k = ooze_blend_constants(c);
            double sigma = ooze_blend_matching_radius(k.kind, k.radius, c->spacing);
            double most = ooze_match_modulus(v[OOZE_MATERIAL_DENSITY], sigma, c->dt);
            ooze_advise(advice, m, "modulus", "shorten the step, or use larger regions",
                        "a step of %g s resolves a modulus up to %.3g Pa with these regions; '%s' "
                        "has %.3g Pa and will be softer",
                        c->dt, most, c->materials[m].name, v[OOZE_MATERIAL_MODULUS]);
        }
    }
}

const OozeMethod ooze_method_blend = {
    .info = {.name = "blend",
             .summary = "bodies between jelly and fluid: velocities of SPH blended with those of "
                        "shape matching, with splitting and merging; fast; shape matching is "
                        "stable at any step, and steps that sound limits are divided",
             .reference = "Takamatsu and Kanai 2011, A fast and practical method for animating "
                          "particle-based viscoelastic fluids",
             .params = params,
             .param_count = OOZE_BLEND_PARAM_COUNT},
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .material_keys = material_keys,
    .ghost_fields = ghost_fields,
    .support_ratio = 2.0,
    .unbounded_field = "elastic",
    .takes_bodies = true,
    .shares_bodies = true,
    .pushes_solids = true,
    .uses_tables = true,
    .divides_unstable_steps = true,
    .create = create,
    .destroy = destroy,
    .bytes = bytes,
    .step = step,
    .check = ooze_blend_check,
    .stable_step = ooze_blend_stable_step,
    .advise = advise,
    .derive_params = ooze_blend_derive_params,
    .derive_material = ooze_blend_derive_material,
    .measured_material = ooze_blend_measured_material,
};
