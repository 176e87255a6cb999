#include "materials/material.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"

static const OozeParamInfo material_params[OOZE_MATERIAL_PARAM_COUNT] = {
    [OOZE_MATERIAL_DENSITY] = {"density", OOZE_PARAM_REAL, "kg/m3", 1e-3, 1e5, 1000.0, NULL,
                               "mass per volume at rest"},
    [OOZE_MATERIAL_VISCOSITY] = {"viscosity", OOZE_PARAM_REAL, "Pa s", 0.0, 1e12, NAN, NULL,
                                 "resistance to shear: water 0.001, honey about 10"},
    [OOZE_MATERIAL_MODULUS] = {"modulus", OOZE_PARAM_REAL, "Pa", 0.0, 1e12, NAN, NULL,
                               "elastic shear modulus: jelly about 1000"},
    [OOZE_MATERIAL_RELAXATION] = {"relaxation_time", OOZE_PARAM_REAL, "s", 0.0, INFINITY, NAN, NULL,
                                  "time in which stress at constant strain falls to 1/e"},
    [OOZE_MATERIAL_COMPLIANCE] =
        {"compliance", OOZE_PARAM_REAL, "s2/m2", 0.0, 1e12, NAN, NULL,
         "density over modulus, instead of the modulus; 0: as stiff as the "
         "solver allows"},
    [OOZE_MATERIAL_SOLVENT] = {"solvent_viscosity", OOZE_PARAM_REAL, "Pa s", 0.0, 1e12, NAN, NULL,
                               "Newtonian viscosity beside the elastic one"},
    [OOZE_MATERIAL_YIELD] = {"yield_strain", OOZE_PARAM_REAL, "", 1e-6, 1e3, NAN, NULL,
                             "elastic shear strain beyond which the material flows: whipped cream "
                             "about 0.1; yield stress is modulus (the sum of all modes') times "
                             "this"},
    [OOZE_MATERIAL_THINNING] =
        {"thinning", OOZE_PARAM_CHOICE, "", 0, 1, 0, "carreau|power_law",
         "how viscosity and modulus follow the rate of shear, once `thinning_rate` is given; "
         "carreau: they are those at rest, power_law: those at `thinning_rate`; with a "
         "`yield_strain` only `solvent_viscosity` does: Herschel-Bulkley"},
    [OOZE_MATERIAL_THINNING_RATE] = {"thinning_rate", OOZE_PARAM_REAL, "1/s", 1e-9, 1e9, NAN, NULL,
                                     "rate of shear from which on the material thins; ketchup "
                                     "about 0.1, paint about 1"},
    [OOZE_MATERIAL_THINNING_EXPONENT] =
        {"thinning_exponent", OOZE_PARAM_REAL, "", 0.0, 2.0, 0.5, NULL,
         "viscosity goes with the rate to this power less 1: 1 does not thin, 0.3 is ketchup, "
         "above 1 thickens"},
    [OOZE_MATERIAL_THINNING_FLOOR] = {"thinning_floor", OOZE_PARAM_REAL, "", 0.0, 1.0, 0.0, NULL,
                                      "share of the viscosity that is left at the fastest shear"},
    [OOZE_MATERIAL_SURFACE_TENSION] =
        {"surface_tension", OOZE_PARAM_REAL, "N/m", 0.0, 1e6, 0.0, NULL,
         "pull along the free surface: water 0.072, honey and oil about "
         "0.05"},
    [OOZE_MATERIAL_DRAG] = {"drag", OOZE_PARAM_REAL, "1/s", 0.0, 1e6, 0.0, NULL,
                            "rate at which a free particle loses its speed to still air"},
    [OOZE_MATERIAL_CONDUCTIVITY] =
        {"conductivity", OOZE_PARAM_REAL, "W/(m K)", 0.0, 1e9, NAN, NULL,
         "of heat: water 0.6 (as where neither this nor `diffusivity` is given), chocolate 0.2"},
    [OOZE_MATERIAL_HEAT_CAPACITY] = {"heat_capacity", OOZE_PARAM_REAL, "J/(kg K)", 1e-3, 1e9,
                                     4180.0, NULL,
                                     "heat for one degree: water 4180, honey 2500, "
                                     "chocolate 1700"},
    [OOZE_MATERIAL_DIFFUSIVITY] =
        {"diffusivity", OOZE_PARAM_REAL, "m2/s", 0.0, 1e6, NAN, NULL,
         "of heat, in place of the conductivity, which is this times density times heat capacity: "
         "foods about 1e-7"},
    [OOZE_MATERIAL_MELTING] = {"melting_temperature", OOZE_PARAM_REAL, "degC", -1e6, 1e6, NAN, NULL,
                               "above it a particle's `phase` becomes liquid"},
    [OOZE_MATERIAL_FREEZING] = {"freezing_temperature", OOZE_PARAM_REAL, "degC", -1e6, 1e6, NAN,
                                NULL,
                                "below it the phase becomes solid again; as the former where "
                                "it is not given or above it"},
    [OOZE_MATERIAL_MODULUS_2] =
        {"modulus_2", OOZE_PARAM_REAL, "Pa", 0.0, 1e12, NAN, NULL,
         "elastic modulus of a second Maxwell mode, whose stress adds to the "
         "others'"},
    [OOZE_MATERIAL_RELAXATION_2] = {"relaxation_time_2", OOZE_PARAM_REAL, "s", 1e-9, INFINITY, NAN,
                                    NULL,
                                    "relaxation time of that mode; left out: it never relaxes"},
    [OOZE_MATERIAL_MODULUS_3] =
        {"modulus_3", OOZE_PARAM_REAL, "Pa", 0.0, 1e12, NAN, NULL,
         "elastic modulus of a third Maxwell mode, whose stress adds to the "
         "others'"},
    [OOZE_MATERIAL_RELAXATION_3] = {"relaxation_time_3", OOZE_PARAM_REAL, "s", 1e-9, INFINITY, NAN,
                                    NULL,
                                    "relaxation time of that mode; left out: it never relaxes"},
    [OOZE_MATERIAL_MODULUS_4] =
        {"modulus_4", OOZE_PARAM_REAL, "Pa", 0.0, 1e12, NAN, NULL,
         "elastic modulus of a fourth Maxwell mode, whose stress adds to the "
         "others'"},
    [OOZE_MATERIAL_RELAXATION_4] = {"relaxation_time_4", OOZE_PARAM_REAL, "s", 1e-9, INFINITY, NAN,
                                    NULL,
                                    "relaxation time of that mode; left out: it never relaxes"},
    [OOZE_MATERIAL_EXTENSION] =
        {"extension", OOZE_PARAM_REAL, "", 1.0, 2.0, NAN, NULL,
         "factor by which a taut link grows in a step (beta): 1.001 flows slowly, 1.005 fast; what "
         "it looks like depends on the step"},
    [OOZE_MATERIAL_STRETCH_RATE] =
        {"stretch_rate", OOZE_PARAM_REAL, "1/s", 0.0, 1e6, NAN, NULL,
         "rate at which taut links grow, for the extension and whatever the step is; 3 where "
         "neither is given"},
    [OOZE_MATERIAL_LABEL] = {"label", OOZE_PARAM_CHOICE, "", 0, 1, 0, "viscous|elastic",
                             "viscous: links come, grow and break; elastic: those that particles "
                             "have got when they came stay as they are"},
    [OOZE_MATERIAL_STIFFNESS] =
        {"stiffness", OOZE_PARAM_REAL, "", 0.0, 1e6, 0.004, NULL,
         "of pressure in `springs` (k), in its units: supports and time units"},
    [OOZE_MATERIAL_NEAR_STIFFNESS] = {"near_stiffness", OOZE_PARAM_REAL, "", 0.0, 1e6, 0.01, NULL,
                                      "of the pressure that keeps particles apart (k_near)"},
    [OOZE_MATERIAL_REST_DENSITY] =
        {"rest_density", OOZE_PARAM_REAL, "", 0.0, 1e6, 10.0, NULL,
         "sum of neighbours' weights at which pressure is 0 (rho_0); a fluid at rest comes to 7.3"},
    [OOZE_MATERIAL_LINEAR_VISCOSITY] =
        {"linear_viscosity", OOZE_PARAM_REAL, "", 0.0, 1e6, 0.0, NULL,
         "share of the speed at which neighbours approach that they lose in a time unit (sigma): "
         "0.5 is thick"},
    [OOZE_MATERIAL_QUADRATIC_VISCOSITY] =
        {"quadratic_viscosity", OOZE_PARAM_REAL, "", 0.0, 1e6, 0.1, NULL,
         "the same for each support that they approach in a time unit (beta): keeps fast ones from "
         "passing through each other"},
    [OOZE_MATERIAL_SPRING_STIFFNESS] =
        {"spring_stiffness", OOZE_PARAM_REAL, "", 0.0, 1e6, 0.0, NULL,
         "of springs between neighbours (k_spring): 0.3 is clay; 0: none, and those that are there "
         "go"},
    [OOZE_MATERIAL_PLASTICITY] =
        {"plasticity", OOZE_PARAM_REAL, "", 0.0, 1e6, 0.3, NULL,
         "share of a deformation beyond yield that springs forget in a time unit (alpha); 0: "
         "elastic"},
    [OOZE_MATERIAL_PLASTICITY_COMPRESS] =
        {"plasticity_compress", OOZE_PARAM_REAL, "", 0.0, 1e6, NAN, NULL,
         "the same of springs that are compressed; left out: as `plasticity`"},
    [OOZE_MATERIAL_YIELD_RATIO] = {"yield_ratio", OOZE_PARAM_REAL, "", 0.0, 1e3, 0.1, NULL,
                                   "share of its length by which a spring is stretched before it "
                                   "forgets (gamma): 0 to 0.2"},
    [OOZE_MATERIAL_YIELD_RATIO_COMPRESS] =
        {"yield_ratio_compress", OOZE_PARAM_REAL, "", 0.0, 1.0, NAN, NULL,
         "the same when it is compressed; left out: as `yield_ratio`; 0 beside a yield ratio makes "
         "sticky matter"},
    [OOZE_MATERIAL_FLUID_SHARE] =
        {"fluid_share", OOZE_PARAM_REAL, "", 0.0, 1.0, 0.3, NULL,
         "share of the fluid's velocity in `blend` (alpha): 0 is an elastic solid, 0.3 jelly, 0.7 "
         "toothpaste, 1 a fluid"},
    [OOZE_MATERIAL_UPDATE_THRESHOLD] =
        {"update_threshold", OOZE_PARAM_REAL, "m/s2", 0.0, INFINITY, 30.0, NULL,
         "mean acceleration by collisions, over 1 less the fluid share, beyond which a body "
         "forgets "
         "its shape in `blend` (gamma_u): it splits and merges; a body at rest under its weight "
         "has 9.8"},
    [OOZE_MATERIAL_STRESS_MODEL] =
        {"stress_model", OOZE_PARAM_CHOICE, "", 0, 4, 0, "maxwell|mixed|viscous|elastic|complex",
         "of `cauchy`; maxwell: by viscosity, modulus and relaxation time as in the other methods; "
         "mixed: a share `mixing` of the viscous stress beside the rest of the elastic one; "
         "viscous or elastic: one of these alone; complex: elastic with the magnitude of the "
         "complex modulus at `frequency`"},
    [OOZE_MATERIAL_MIXING] =
        {"mixing", OOZE_PARAM_REAL, "", 0.0, 1.0, NAN, NULL,
         "share of the viscous stress of the stress model mixed (alpha); left out: it falls with "
         "the rate of shear from 1 to 0.53 at 31/s, as measured of cellulose"},
    [OOZE_MATERIAL_FREQUENCY] =
        {"frequency", OOZE_PARAM_REAL, "Hz", 0.0, 1e9, 0.125, NULL,
         "at which the stress model complex takes its modulus (omega over 2 pi)"},
    [OOZE_MATERIAL_CONTACT_ANGLE] =
        {"contact_angle", OOZE_PARAM_REAL, "deg", 0.0, 180.0, 90.0, NULL,
         "at which the surface of the fluid meets solids, with a surface tension: water on clean "
         "glass below 30, on wax 110"},
    [OOZE_MATERIAL_INTERFACE_TENSION] =
        {"interface_tension", OOZE_PARAM_REAL, "N/m", 0.0, 1e6, 0.0, NULL,
         "against other liquids; between two materials acts the mean of theirs. Oil and water: "
         "0.05"},
};

_Static_assert(OOZE_MATERIAL_PARAM_COUNT <= sizeof(((OozeMaterialDef *)0)->values) / sizeof(double),
               "a material definition must hold every number of the table");
_Static_assert(OOZE_MATERIAL_PARAM_COUNT <= 64, "OozeMaterialDef.stated has a bit for each number");

const OozeParamInfo *ooze_material_params(int *count)
{
    if (count) {
        *count = OOZE_MATERIAL_PARAM_COUNT;
    }
    return material_params;
}

OozeMaterialDef ooze_material_def_default(void)
{
    OozeMaterialDef def = {.name = "fluid", .color = {0.5f, 0.6f, 0.8f}};
    def.look = ooze_look_def_default();
    for (int i = 0; i < OOZE_MATERIAL_PARAM_COUNT; i++) {
        def.values[i] = material_params[i].initial;
    }
    return def;
}

int ooze_param_find(const OozeParamInfo *params, int count, const char *key)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(params[i].key, key) == 0) {
            return i;
        }
    }
    return -1;
}

static OozeStatus fail_unknown(const OozeParamInfo *params, int count, const char *owner,
                               const char *key, OozeError *error)
{
    enum { KEYS_MAX = 128, LISTED_MAX = 12 };
    const char *keys[KEYS_MAX] = {NULL};
    int known = count < KEYS_MAX ? count : KEYS_MAX;
    for (int i = 0; i < known; i++) {
        keys[i] = params[i].key;
    }
    const char *near = ooze_suggest(key, keys, known);
    OozeText hint = {0};
    if (near) {
        ooze_text_append(&hint, "did you mean '%s'?", near);
    }
    for (int i = 0; !near && count <= LISTED_MAX && i < count; i++) {
        ooze_text_append(&hint, "%s%s", i == 0 ? "use " : i < count - 1 ? ", " : " or ", keys[i]);
    }
    OozeStatus status =
        ooze_fail(error, OOZE_ERROR_ARGUMENT, hint.data, "%s has no number '%s'", owner, key);
    ooze_text_clear(&hint);
    return status;
}

OozeStatus ooze_param_check(const OozeParamInfo *params, int count, const char *owner,
                            const char *key, double value, int *index, OozeError *error)
{
    int i = key ? ooze_param_find(params, count, key) : -1;
    if (i < 0) {
        return fail_unknown(params, count, owner, key ? key : "", error);
    }
    const OozeParamInfo *info = &params[i];
    bool left_out = isnan(value) && isnan(info->initial);
    bool whole = info->kind == OOZE_PARAM_REAL || value == floor(value);
    if (!left_out && (!(value >= info->min && value <= info->max) || !whole)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, info->help,
                         "%s of %s is %g; it must be %s between %g and %g%s%s", key, owner, value,
                         info->kind == OOZE_PARAM_REAL ? "a number" : "a whole number", info->min,
                         info->max, info->unit[0] ? " " : "", info->unit);
    }
    *index = i;
    return OOZE_OK;
}

OozeStatus ooze_material_def_set(OozeMaterialDef *def, const char *key, double value,
                                 OozeError *error)
{
    OOZE_REQUIRE(def, error);
    int index = 0;
    OozeStatus status =
        ooze_param_check(material_params, OOZE_MATERIAL_PARAM_COUNT,
                         def->name ? def->name : "the material", key, value, &index, error);
    if (status) {
        return status;
    }
    const OozePresetInfo *preset = def->preset ? ooze_preset_find(def->preset) : NULL;
    if (preset && ooze_preset_modulus_yields(preset, key) &&
        !(def->stated & 1ull << OOZE_MATERIAL_MODULUS)) {
        def->values[OOZE_MATERIAL_MODULUS] = NAN;
    }
    def->values[index] = value;
    def->stated |= 1ull << index;
    return OOZE_OK;
}

OozeMaterial ooze_material_of(const OozeMaterialDef *def)
{
    OozeMaterial material = {
        .name = (char *)(uintptr_t)def->name,
        .table = (OozeTemperatureRow *)(uintptr_t)def->temperature_table,
        .table_count = def->temperature_row_count,
    };
    memcpy(material.color, def->color, sizeof material.color);
    memcpy(material.values, def->values, sizeof material.values);
    return material;
}
