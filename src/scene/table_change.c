/* Rows of the key table: changes while a scene runs. */
#include <string.h>

#include "scene/scene.h"
#include "scene/table.h"

/* ---- all numbers of a material --------------------------------------------------------------- */

static void numbers_defaults(void *item, int variant)
{
    (void)variant;
    const OozeMaterialDef def = ooze_material_def_default();
    OozeSceneNumbers *numbers = item;
    memcpy(numbers->values, def.values, sizeof numbers->values);
}

static const OozeParamInfo *number_params(int variant, int *count)
{
    (void)variant;
    return ooze_material_params(count);
}

static const OozeSection section_numbers = {
    .name = "numbers",
    .help = "All numbers that a material has from then on: `changes: [{time: 2, set: "
            "materials.sauce, numbers: {viscosity: 0.001, surface_tension: 0.072}}]`. Those that "
            "are left out get their defaults.",
    .size = sizeof(OozeSceneNumbers),
    .defaults = numbers_defaults,
    .params = number_params,
    .params_offset = offsetof(OozeSceneNumbers, values),
};

/* ---- changes --------------------------------------------------------------------------------- */

static void change_defaults(void *item, int variant)
{
    (void)variant;
    *(OozeSceneChange *)item = (OozeSceneChange){.def = ooze_change_def_default()};
}

static const OozeKey change_keys[] = {
    {"time", OOZE_KEY_REAL, "s", OOZE_NOT_NEGATIVE, offsetof(OozeSceneChange, def.time),
     .help = "acts from the first step that begins at this time", .required = OOZE_REQUIRED},
    {"set", OOZE_KEY_TEXT, "", OOZE_NO_RANGE, offsetof(OozeSceneChange, set),
     .help =
         "which number, as in an override: `materials.NAME.KEY`, `method.KEY`, "
         "`solids.NAME.KEY` (friction, restitution, stick_distance, stick_strength, collides, "
         "temperature, conductivity, contact_angle), `joints.NAME.KEY` (speed, force, low, high), "
         "`emitters.NAME.speed`, `gravity.x`, `air.temperature` or `air.transfer`; "
         "`solids.NAME.position.x` and `emitters.NAME.position.x` (or y, z; m) move a solid or "
         "a nozzle: a solid leaves its motion; `materials.NAME` with `numbers` changes all numbers "
         "of a material",
     .required = OOZE_REQUIRED},
    {"to", OOZE_KEY_TEXT, "", OOZE_NO_RANGE, offsetof(OozeSceneChange, to),
     .help = "its new value, in its own unit and range",
     .default_text = "required without `numbers`"},
    {"ramp", OOZE_KEY_REAL, "s", OOZE_NOT_NEGATIVE, offsetof(OozeSceneChange, def.ramp),
     .help = "duration of a linear change; 0: at once"},
    {"numbers", OOZE_KEY_SECTION, "", OOZE_NO_RANGE, offsetof(OozeSceneChange, numbers),
     .help = "in place of `to`: all numbers of a material", .section = &section_numbers,
     .default_text = "none"},
};

const OozeSection ooze_section_change = {
    .name = "change",
    .plural = "changes",
    .help =
        "Numbers that change while the scene runs: `changes: [{time: 2, set: "
        "materials.cream.compliance, to: 1, ramp: 0.5}]` melts the cream from 2 s to 2.5 s. "
        "Several changes of one number are its keyframes; each starts from the present value. A "
        "value that is infinite or was not given changes at once.",
    .keys = change_keys,
    .key_count = OOZE_COUNT(change_keys),
    .size = sizeof(OozeSceneChange),
    .defaults = change_defaults,
};
