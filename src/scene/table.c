/* The rows of the key table. Defaults are those of the default functions of the public API. */
#include <math.h>
#include <string.h>

#include "methods/method.h"
#include "scene/scene.h"
#include "scene/table.h"
#include "scene/upgrade.h"
#include "world/nozzle.h"
#include "world/probes/probe.h"

/* ---- materials ------------------------------------------------------------------------------- */

static void material_defaults(void *item, int variant)
{
    (void)variant;
    *(OozeMaterialDef *)item = ooze_material_def_default();
}

static const OozeParamInfo *material_params(int variant, int *count)
{
    (void)variant;
    return ooze_material_params(count);
}

static const char *preset_name(int index)
{
    const OozePresetInfo *info = ooze_preset_info(index);
    return info ? info->name : NULL;
}

static const OozeKey material_keys[] = {
    {"preset", OOZE_KEY_PRESET, "", OOZE_NO_RANGE, 0,
     .help = "a material of [materials.md](materials.md): defaults of its numbers, colour and "
             "look",
     .choice = preset_name, .default_text = "none"},
    {"color", OOZE_KEY_COLOR, "", 0.0, 1.0, offsetof(OozeMaterialDef, color),
     .help = "for pictures and exports; `palette`: by its relaxation time and viscosity, yellow "
             "where it is elastic, magenta where it is viscous, cyan where it is thin",
     .choices = "palette"},
    {"look", OOZE_KEY_SECTION, "", OOZE_NO_RANGE, offsetof(OozeMaterialDef, look),
     .help = "in pictures", .section = &ooze_section_look, .default_text = "auto"},
    {"temperature_table", OOZE_KEY_LIST, "", OOZE_NO_RANGE,
     offsetof(OozeMaterialDef, temperature_table), .help = "numbers that depend on temperature",
     .section = &ooze_section_temperature_row,
     .count_offset = offsetof(OozeMaterialDef, temperature_row_count)},
};

static const OozeSection section_material = {
    .name = "material",
    .plural = "materials",
    .help =
        "Materials by name. `mine: {preset: honey, viscosity: 20}` is honey with another "
        "viscosity: values of the scene override the preset; a compliance, or a viscosity "
        "where the preset has a relaxation time, replaces the preset's modulus. A material "
        "with the name of a preset does not use the preset. In methods other than "
        "conformation the numbers of a preset are replaced by those with which the method comes "
        "nearest to it (docs/materials.md); the scene's own numbers are not. Numbers that the "
        "method does not use are ignored, and `ooze check` reports them.",
    .keys = material_keys,
    .key_count = OOZE_COUNT(material_keys),
    .size = sizeof(OozeMaterialDef),
    .defaults = material_defaults,
    .params = material_params,
    .params_offset = offsetof(OozeMaterialDef, values),
};

/* ---- fluids ---------------------------------------------------------------------------------- */

static void fluid_defaults(void *item, int variant)
{
    (void)variant;
    *(OozeSceneFluid *)item = (OozeSceneFluid){.def = ooze_fluid_def_default()};
    ((OozeSceneFluid *)item)->def.name = NULL;
}

static const OozeKey fluid_keys[] = {
    {"name", OOZE_KEY_NAME, "", OOZE_NO_RANGE, offsetof(OozeSceneFluid, def.name),
     .help = "its name in messages and overrides", .default_text = "fluid0, fluid1, ..."},
    {"material", OOZE_KEY_MATERIAL, "", OOZE_NO_RANGE, offsetof(OozeSceneFluid, material),
     .help = "name of its material", .required = OOZE_REQUIRED},
    {"shape", OOZE_KEY_SECTION, "", OOZE_NO_RANGE, offsetof(OozeSceneFluid, def.shape),
     .help = "the volume to fill", .required = OOZE_REQUIRED, .section = &ooze_section_shape},
    {"body", OOZE_KEY_CHOICE, "", OOZE_NO_RANGE, offsetof(OozeSceneFluid, def.body),
     .help = "fluid, a rigid body, or a soft body with its material's modulus; particles of a soft "
             "body inside a solid at the start stay fixed to it",
     .choices = "fluid|rigid|soft"},
    {"fill", OOZE_KEY_CHOICE, "", OOZE_NO_RANGE, offsetof(OozeSceneFluid, def.fill),
     .help = "a cubic lattice, a jittered lattice, or points relaxed to fit the surface",
     .choices = "lattice|jittered|fitted"},
    {"jitter", OOZE_KEY_REAL, "spacings", 0.0, 0.5, offsetof(OozeSceneFluid, def.jitter),
     .help = "largest displacement of a jittered fill"},
    {"velocity", OOZE_KEY_VEC3, "m/s", OOZE_FREE, offsetof(OozeSceneFluid, def.velocity),
     .help = "at the start"},
    {"spin", OOZE_KEY_VEC3, "deg/s", OOZE_FREE, offsetof(OozeSceneFluid, def.spin),
     .help = "angular velocity about the shape's position at the start"},
    {"temperature", OOZE_KEY_REAL, "degC", -1e6, 1e6, offsetof(OozeSceneFluid, def.temperature),
     .help = "at the start", .default_text = "that of the air"},
};

static const OozeSection section_fluid = {
    .name = "fluid",
    .plural = "fluids",
    .help = "Volumes filled with particles at the start.",
    .keys = fluid_keys,
    .key_count = OOZE_COUNT(fluid_keys),
    .size = sizeof(OozeSceneFluid),
    .defaults = fluid_defaults,
};

/* ---- solids ---------------------------------------------------------------------------------- */

static void solid_defaults(void *item, int variant)
{
    (void)variant;
    *(OozeSolidDef *)item = ooze_solid_def_default();
    ((OozeSolidDef *)item)->name = NULL;
}

static const OozeKey solid_keys[] = {
    {"name", OOZE_KEY_NAME, "", OOZE_NO_RANGE, offsetof(OozeSolidDef, name),
     .help = "its name in frames, messages and overrides", .default_text = "solid0, solid1, ..."},
    {"shape", OOZE_KEY_SECTION, "", OOZE_NO_RANGE, offsetof(OozeSolidDef, shape),
     .help = "its geometry", .required = OOZE_REQUIRED, .section = &ooze_section_shape},
    {"motion", OOZE_KEY_SECTION, "", OOZE_NO_RANGE, offsetof(OozeSolidDef, motion),
     .help = "how it moves; of a dynamic solid, its initial velocity and spin",
     .section = &ooze_section_motion, .default_text = "at rest"},
    {"density", OOZE_KEY_REAL, "kg/m3", 0.0, 2e7, offsetof(OozeSolidDef, density),
     .help = "makes it a dynamic solid, which gravity, fluid and other solids move; 0: its motion "
             "is prescribed"},
    {"friction", OOZE_KEY_REAL, "", 0.0, INFINITY, offsetof(OozeSolidDef, friction),
     .help = "Coulomb coefficient; 0: free slip, inf: no slip",
     .default_text = "no slip of fluid; 0.5 of other solids, rigid bodies and in `ballistic`"},
    {"restitution", OOZE_KEY_REAL, "", 0.0, 1.0, offsetof(OozeSolidDef, restitution),
     .help = "0: no bounce, 1: elastic"},
    {"stick_distance", OOZE_KEY_REAL, "m", 0.0, 1e6, offsetof(OozeSolidDef, stick_distance),
     .help = "range of the attraction towards the surface, in methods springs and ballistic; 0: "
             "none"},
    {"stick_strength", OOZE_KEY_REAL, "1/s2", OOZE_NOT_NEGATIVE,
     offsetof(OozeSolidDef, stick_strength),
     .help = "attraction at distance d: strength d (1 - d/stick_distance)"},
    {"collides", OOZE_KEY_SWITCH, "", OOZE_NO_RANGE, offsetof(OozeSolidDef, collides),
     .help = "particles cannot enter"},
    {"sampled", OOZE_KEY_SWITCH, "", OOZE_NO_RANGE, offsetof(OozeSolidDef, sampled),
     .help = "has boundary particles, for methods that use them"},
    {"temperature", OOZE_KEY_REAL, "degC", -1e6, 1e6, offsetof(OozeSolidDef, temperature),
     .help = "of its surface", .default_text = "an insulator"},
    {"conductivity", OOZE_KEY_REAL, "W/(m K)", 0.0, 1e9, offsetof(OozeSolidDef, conductivity),
     .help = "of heat, for a solid with a temperature: a lower one transfers less heat",
     .default_text = "its surface has its temperature"},
    {"contact_angle", OOZE_KEY_REAL, "deg", 0.0, 180.0, offsetof(OozeSolidDef, contact_angle),
     .help = "conformation: at which the surfaces of liquids with a surface tension meet it",
     .default_text = "that of the material"},
    {"visible", OOZE_KEY_SWITCH, "", OOZE_NO_RANGE, offsetof(OozeSolidDef, visible),
     .help = "drawn in pictures; no effect on the simulation"},
    {"color", OOZE_KEY_COLOR, "", 0.0, 1.0, offsetof(OozeSolidDef, color), .help = "for pictures"},
    {"look", OOZE_KEY_SECTION, "", OOZE_NO_RANGE, offsetof(OozeSolidDef, look),
     .help = "in pictures", .section = &ooze_section_look, .default_text = "auto"},
};

static const OozeSection section_solid = {
    .name = "solid",
    .plural = "solids",
    .help = "Obstacles: floors, containers, moving tools, rigid bodies.",
    .keys = solid_keys,
    .key_count = OOZE_COUNT(solid_keys),
    .size = sizeof(OozeSolidDef),
    .defaults = solid_defaults,
};

/* ---- emitters -------------------------------------------------------------------------------- */

#define OUTLINE(kind) OOZE_BIT(OOZE_OUTLINE_##kind)

static void emitter_defaults(void *item, int variant)
{
    OozeSceneEmitter *emitter = item;
    *emitter = (OozeSceneEmitter){.def = ooze_emitter_def_default()};
    emitter->def.name = NULL;
    emitter->def.outline = variant < 0 ? emitter->def.outline : (OozeOutline)variant;
}

static const OozeKey emitter_keys[] = {
    {"name", OOZE_KEY_NAME, "", OOZE_NO_RANGE, offsetof(OozeSceneEmitter, def.name),
     .help = "its name in messages and overrides", .default_text = "emitter0, emitter1, ..."},
    {"material", OOZE_KEY_MATERIAL, "", OOZE_NO_RANGE, offsetof(OozeSceneEmitter, material),
     .help = "name of the emitted material", .required = OOZE_REQUIRED},
    {"outline", OOZE_KEY_CHOICE, "", OOZE_NO_RANGE, offsetof(OozeSceneEmitter, def.outline),
     .help = "shape of the nozzle's opening", .choices = "disc|rectangle|star|shape"},
    {"radius", OOZE_KEY_REAL, "m", OOZE_POSITIVE, offsetof(OozeSceneEmitter, def.radius),
     .help = "of the disc; of the star at its points", .variants = OUTLINE(DISC) | OUTLINE(STAR),
     .required = OUTLINE(DISC) | OUTLINE(STAR)},
    {"inner_radius", OOZE_KEY_REAL, "m", OOZE_POSITIVE,
     offsetof(OozeSceneEmitter, def.inner_radius), .help = "of the star between its points",
     .variants = OUTLINE(STAR), .required = OUTLINE(STAR)},
    {"points", OOZE_KEY_INTEGER, "", OOZE_STAR_POINTS_MIN, OOZE_STAR_POINTS_MAX,
     offsetof(OozeSceneEmitter, def.points), .help = "of the star", .variants = OUTLINE(STAR)},
    {"size", OOZE_KEY_VEC2, "m", OOZE_POSITIVE, offsetof(OozeSceneEmitter, def.size),
     .help = "width and height of the rectangle", .variants = OUTLINE(RECTANGLE),
     .required = OUTLINE(RECTANGLE)},
    {"shape", OOZE_KEY_SECTION, "", OOZE_NO_RANGE, offsetof(OozeSceneEmitter, def.shape),
     .help = "placed in the world; its intersection with the nozzle's plane is the opening",
     .variants = OUTLINE(SHAPE), .required = OUTLINE(SHAPE), .section = &ooze_section_shape},
    {"position", OOZE_KEY_VEC3, "m", OOZE_FREE, offsetof(OozeSceneEmitter, def.position),
     .help = "centre of the nozzle"},
    {"direction", OOZE_KEY_VEC3, "", OOZE_FREE, offsetof(OozeSceneEmitter, def.direction),
     .help = "of the jet", .default_text = "down"},
    {"roll", OOZE_KEY_REAL, "deg", OOZE_FREE, offsetof(OozeSceneEmitter, def.roll),
     .help = "rotation of the outline about the direction"},
    {"speed", OOZE_KEY_REAL, "m/s", OOZE_NOT_NEGATIVE, offsetof(OozeSceneEmitter, def.speed),
     .help = "of the jet, relative to the nozzle"},
    {"length", OOZE_KEY_REAL, "m", OOZE_NOT_NEGATIVE, offsetof(OozeSceneEmitter, def.length),
     .help = "of the nozzle before its exit; particles in it have the nozzle's velocity until "
             "`stop`, also at speed 0; 0: none",
     .default_text = "one kernel support"},
    {"start", OOZE_KEY_REAL, "s", OOZE_FREE, offsetof(OozeSceneEmitter, def.start),
     .help = "time at which it opens"},
    {"stop", OOZE_KEY_REAL, "s", -OOZE_KEY_HUGE, INFINITY, offsetof(OozeSceneEmitter, def.stop),
     .help = "time at which it closes"},
    {"limit", OOZE_KEY_INTEGER, "", OOZE_NOT_NEGATIVE, offsetof(OozeSceneEmitter, def.limit),
     .help = "total number of particles; 0: no limit", .store = OOZE_STORE_UINT64},
    {"motion", OOZE_KEY_SECTION, "", OOZE_NO_RANGE, offsetof(OozeSceneEmitter, def.motion),
     .help = "how the nozzle moves", .section = &ooze_section_motion, .default_text = "at rest"},
    {"temperature", OOZE_KEY_REAL, "degC", -1e6, 1e6, offsetof(OozeSceneEmitter, def.temperature),
     .help = "of the emitted fluid", .default_text = "that of the air"},
};

static const OozeSection section_emitter = {
    .name = "emitter",
    .plural = "emitters",
    .help = "Nozzles that add particles in layers one spacing apart.",
    .keys = emitter_keys,
    .key_count = OOZE_COUNT(emitter_keys),
    .size = sizeof(OozeSceneEmitter),
    .defaults = emitter_defaults,
    .variant_key = "outline",
};

/* ---- sinks ----------------------------------------------------------------------------------- */

static void sink_defaults(void *item, int variant)
{
    (void)variant;
    *(OozeSinkDef *)item = ooze_sink_def_default();
    ((OozeSinkDef *)item)->name = NULL;
}

static const OozeKey sink_keys[] = {
    {"name", OOZE_KEY_NAME, "", OOZE_NO_RANGE, offsetof(OozeSinkDef, name),
     .help = "its name in messages and overrides", .default_text = "sink0, sink1, ..."},
    {"shape", OOZE_KEY_SECTION, "", OOZE_NO_RANGE, offsetof(OozeSinkDef, shape),
     .help = "particles inside it are removed; if `inverted`, particles outside",
     .required = OOZE_REQUIRED, .section = &ooze_section_shape},
    {"start", OOZE_KEY_REAL, "s", OOZE_FREE, offsetof(OozeSinkDef, start),
     .help = "time at which it begins to act"},
    {"stop", OOZE_KEY_REAL, "s", -OOZE_KEY_HUGE, INFINITY, offsetof(OozeSinkDef, stop),
     .help = "time at which it ends"},
};

static const OozeSection section_sink = {
    .name = "sink",
    .plural = "sinks",
    .help = "Volumes in which particles are removed.",
    .keys = sink_keys,
    .key_count = OOZE_COUNT(sink_keys),
    .size = sizeof(OozeSinkDef),
    .defaults = sink_defaults,
};

/* ---- probes ---------------------------------------------------------------------------------- */

static void probe_defaults(void *item, int variant)
{
    OozeSceneProbe *probe = item;
    *probe = (OozeSceneProbe){.def = ooze_probe_def_default()};
    probe->def.name = NULL;
    probe->def.kind = variant < 0 ? probe->def.kind : (OozeProbeKind)variant;
}

static const char *probe_kind_name(int index)
{
    return index < OOZE_PROBE_KIND_COUNT ? ooze_probe_kinds[index].name : NULL;
}

static bool probe_uses(int variant, const char *key)
{
    const char *keys = variant < OOZE_PROBE_KIND_COUNT ? ooze_probe_kinds[variant].keys : "";
    size_t length = strlen(key);
    for (const char *at = keys; (at = strstr(at, key)); at += length) {
        if ((at == keys || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

static const OozeKey probe_keys[] = {
    {"name", OOZE_KEY_NAME, "", OOZE_NO_RANGE, offsetof(OozeSceneProbe, def.name),
     .help = "first part of its column headings", .default_text = "its kind"},
    {"kind", OOZE_KEY_CHOICE, "", OOZE_NO_RANGE, offsetof(OozeSceneProbe, def.kind),
     .help = "what it measures", .required = OOZE_REQUIRED, .choice = probe_kind_name},
    {"material", OOZE_KEY_MATERIAL, "", OOZE_NO_RANGE, offsetof(OozeSceneProbe, material),
     .help = "measures this material only", .default_text = "all materials"},
    {"every_step", OOZE_KEY_SWITCH, "", OOZE_NO_RANGE, offsetof(OozeSceneProbe, def.every_step),
     .help = "measured every step, not only every frame"},
    {"percentile", OOZE_KEY_REAL, "%", 0.0, 100.0, offsetof(OozeSceneProbe, def.percentile),
     .help = "share of the particles below the reading",
     .default_text = "99 for height, 95 for spread"},
    {"point", OOZE_KEY_VEC3, "m", OOZE_FREE, offsetof(OozeSceneProbe, def.point),
     .help = "origin of the measurement"},
    {"end", OOZE_KEY_VEC3, "m", OOZE_FREE, offsetof(OozeSceneProbe, def.end),
     .help = "other end of the line from `point`", .required = OOZE_BIT(OOZE_PROBE_PROFILE)},
    {"axis", OOZE_KEY_VEC3, "", OOZE_FREE, offsetof(OozeSceneProbe, def.axis),
     .help = "direction of the axis through `point`", .default_text = "up"},
    {"bins", OOZE_KEY_INTEGER, "", 1.0, OOZE_PROBE_BINS_MAX, offsetof(OozeSceneProbe, def.bins),
     .help = "equal parts of the line"},
    {"width", OOZE_KEY_REAL, "m", OOZE_NOT_NEGATIVE, offsetof(OozeSceneProbe, def.width),
     .help = "half width of the line; 0: one support radius"},
    {"link_length", OOZE_KEY_REAL, "spacings", 1e-3, OOZE_PROBE_LINK_MAX,
     offsetof(OozeSceneProbe, def.link_length), .help = "particles nearer than this are connected"},
    {"contact", OOZE_KEY_REAL, "spacings", 1e-3, 1e6, offsetof(OozeSceneProbe, def.contact),
     .help = "distance from the plane of `point`, or from an end of a thread, that counts as "
             "contact"},
    {"sinking", OOZE_KEY_REAL, "m/s", OOZE_NOT_NEGATIVE, offsetof(OozeSceneProbe, def.sinking),
     .help = "only particles that move against the axis at least this fast count; 0: all"},
    {"solid", OOZE_KEY_NAME, "", OOZE_NO_RANGE, offsetof(OozeSceneProbe, def.solid),
     .help = "name of the measured solid", .required = OOZE_BIT(OOZE_PROBE_SOLID)},
    {"lower", OOZE_KEY_NAME, "", OOZE_NO_RANGE, offsetof(OozeSceneProbe, def.lower),
     .help = "name of the solid at the lower end of the thread",
     .default_text = "none: see `from`"},
    {"upper", OOZE_KEY_NAME, "", OOZE_NO_RANGE, offsetof(OozeSceneProbe, def.upper),
     .help = "name of the solid at the upper end of the thread", .default_text = "none: see `to`"},
    {"from", OOZE_KEY_REAL, "m", OOZE_FREE, offsetof(OozeSceneProbe, def.from),
     .help = "height of the lower end above `point`", .default_text = "the lowest particle"},
    {"to", OOZE_KEY_REAL, "m", OOZE_FREE, offsetof(OozeSceneProbe, def.to),
     .help = "height of the upper end above `point`", .default_text = "the highest particle"},
    {"slice", OOZE_KEY_REAL, "spacings", OOZE_PROBE_SLICE_MIN, OOZE_PROBE_SLICE_MAX,
     offsetof(OozeSceneProbe, def.slice),
     .help = "thickness of the slices in which the radius is measured"},
    {"margin", OOZE_KEY_REAL, "spacings", 0.0, OOZE_PROBE_MARGIN_MAX,
     offsetof(OozeSceneProbe, def.margin), .help = "parts this close to the ends have no slices"},
};

static const OozeSection section_probe = {
    .name = "probe",
    .plural = "probes",
    .help = "Numbers measured every frame (`probes.csv`) or every step (`probes_steps.csv`).",
    .keys = probe_keys,
    .key_count = OOZE_COUNT(probe_keys),
    .size = sizeof(OozeSceneProbe),
    .defaults = probe_defaults,
    .owns = probe_uses,
    .variant_key = "kind",
};

/* ---- pushes ---------------------------------------------------------------------------------- */

static void push_defaults(void *item, int variant)
{
    (void)variant;
    *(OozePushDef *)item = ooze_push_def_default();
}

static const OozeKey push_keys[] = {
    {"time", OOZE_KEY_REAL, "s", OOZE_NOT_NEGATIVE, offsetof(OozePushDef, time),
     .help = "acts in the first step that begins at this time", .required = OOZE_REQUIRED},
    {"position", OOZE_KEY_VEC3, "m", OOZE_FREE, offsetof(OozePushDef, position),
     .help = "its middle", .required = OOZE_REQUIRED},
    {"radius", OOZE_KEY_REAL, "m", OOZE_POSITIVE, offsetof(OozePushDef, radius),
     .help = "where it has fallen to 0", .required = OOZE_REQUIRED},
    {"velocity", OOZE_KEY_VEC3, "m/s", OOZE_FREE, offsetof(OozePushDef, velocity),
     .help = "added to particles in the middle", .required = OOZE_REQUIRED},
};

static const OozeSection section_push = {
    .name = "push",
    .plural = "pushes",
    .help = "Velocity added at once to the particles near a point, such as by the mouse in "
            "`ooze view`.",
    .keys = push_keys,
    .key_count = OOZE_COUNT(push_keys),
    .size = sizeof(OozePushDef),
    .defaults = push_defaults,
};

/* ---- method ---------------------------------------------------------------------------------- */

static const OozeParamInfo *method_params(int variant, int *count)
{
    const OozeMethodInfo *info = ooze_method_info(variant);
    *count = !info                                       ? 0
             : info->param_count < OOZE_SCENE_PARAMS_MAX ? info->param_count
                                                         : OOZE_SCENE_PARAMS_MAX;
    return info ? info->params : NULL;
}

static void method_defaults(void *item, int variant)
{
    OozeSceneMethod *method = item;
    int count;
    const OozeParamInfo *params = method_params(variant, &count);
    method->index = variant < 0 ? 0 : variant;
    method->error = 0.05;
    for (int i = 0; i < OOZE_SCENE_PARAMS_MAX; i++) {
        method->params[i] = i < count ? params[i].initial : NAN;
    }
}

static const char *method_name(int index)
{
    const OozeMethodInfo *info = ooze_method_info(index);
    return info ? info->name : NULL;
}

static const OozeMethod *method_of(int variant)
{
    const OozeMethodInfo *info = ooze_method_info(variant);
    return info ? ooze_method_find(info->name) : NULL;
}

/* Settings that the method can choose itself. */
static bool method_chooses(int variant, const char *key)
{
    const OozeMethod *method = method_of(variant);
    return method && ooze_method_chooses(method, key);
}

static const OozeKey method_keys[] = {
    {"name", OOZE_KEY_CHOICE, "", OOZE_NO_RANGE, offsetof(OozeSceneMethod, index),
     .help = "which method", .required = OOZE_REQUIRED, .choice = method_name},
    {"auto_error", OOZE_KEY_REAL, "", 1e-3, 0.5, offsetof(OozeSceneMethod, error),
     .help = "accepted error of the flow for `auto` numbers, 0.05: 5%; see docs/advice.md"},
};

static const OozeSection section_method = {
    .name = "method",
    .help = "The simulation method and its settings.",
    .keys = method_keys,
    .key_count = OOZE_COUNT(method_keys),
    .size = sizeof(OozeSceneMethod),
    .defaults = method_defaults,
    .variant_key = "name",
    .params = method_params,
    .params_offset = offsetof(OozeSceneMethod, params),
    .automatic = method_chooses,
    .method = method_of,
};

/* ---- the scene itself ------------------------------------------------------------------------ */

static const OozeKey periodic_keys[] = {
    {"x", OOZE_KEY_RANGE, "m", OOZE_FREE, 0 * sizeof(OozeSceneRange),
     .help = "[low, high] of the x axis", .default_text = "open"},
    {"y", OOZE_KEY_RANGE, "m", OOZE_FREE, 1 * sizeof(OozeSceneRange),
     .help = "[low, high] of the y axis", .default_text = "open"},
    {"z", OOZE_KEY_RANGE, "m", OOZE_FREE, 2 * sizeof(OozeSceneRange),
     .help = "[low, high] of the z axis", .default_text = "open"},
};

static const OozeSection section_periodic = {
    .name = "periodic",
    .help = "Periodic axes: particles that leave at one end enter at the other.",
    .keys = periodic_keys,
    .key_count = OOZE_COUNT(periodic_keys),
    .size = 3 * sizeof(OozeSceneRange),
};

static void root_defaults(void *item, int variant)
{
    (void)variant;
    OozeSceneDef *def = item;
    *def = (OozeSceneDef){.title = "", .world = ooze_world_def_default(), .frame_rate = 24.0};
    def->world.gravity = (OozeVec3){NAN, NAN, NAN}; /* depends on `up` */
    def->world.time_step = NAN;                     /* must be given, or is chosen */
    def->render = ooze_render_def_default();
    method_defaults(&def->method, -1);
    def->surface = ooze_surface_default();
}

#define ITEMS(field) offsetof(OozeSceneDef, field##s)
#define ITEM_COUNT(field)                                                                          \
    .section = &section_##field, .count_offset = offsetof(OozeSceneDef, field##_count)

static const OozeKey root_keys[] = {
    {"ooze", OOZE_KEY_INTEGER, "", OOZE_SCENE_FORMAT, OOZE_SCENE_FORMAT,
     offsetof(OozeSceneDef, version), .help = "version of the scene format",
     .required = OOZE_REQUIRED},
    {"title", OOZE_KEY_TEXT, "", OOZE_NO_RANGE, offsetof(OozeSceneDef, title),
     .help = "a description", .default_text = "empty"},
    {"include", OOZE_KEY_INCLUDE, "", OOZE_NO_RANGE, 0,
     .help = "files read first: their sections are merged, their lists come before this file's, "
             "this file's values override",
     .default_text = "none"},
    {"up", OOZE_KEY_CHOICE, "", OOZE_NO_RANGE, offsetof(OozeSceneDef, world.up),
     .help = "the axis that points up", .choices = "x|y|z"},
    {"method", OOZE_KEY_SECTION, "", OOZE_NO_RANGE, offsetof(OozeSceneDef, method),
     .help = "the simulation method", .required = OOZE_REQUIRED, .section = &section_method},
    {"spacing", OOZE_KEY_REAL, "m", 1e-6, 1e3, offsetof(OozeSceneDef, world.spacing),
     .help = "distance of neighbouring particles at rest", .required = OOZE_REQUIRED},
    {"support_ratio", OOZE_KEY_REAL, "spacings", 1.0, 8.0,
     offsetof(OozeSceneDef, world.support_ratio), .help = "support radius of the kernel",
     .default_text = "2.2; 2.69 in `springs`"},
    {"time_step", OOZE_KEY_REAL, "s", 1e-9, 10.0, offsetof(OozeSceneDef, world.time_step),
     .help = "longest step in s, or auto; shortened so that a frame is a whole number of steps",
     .required = OOZE_REQUIRED, .automatic = true},
    {"max_travel", OOZE_KEY_REAL, "spacings", 0.0, 1e6, offsetof(OozeSceneDef, world.max_travel),
     .help =
         "a step in which a particle would move farther, unless in free flight, is divided into "
         "up to 64 substeps; 0: steps are never divided"},
    {"duration", OOZE_KEY_REAL, "s", 0.0, 1e9, offsetof(OozeSceneDef, duration),
     .help = "simulated time", .required = OOZE_REQUIRED},
    {"frame_rate", OOZE_KEY_REAL, "1/s", 1e-6, 1e6, offsetof(OozeSceneDef, frame_rate),
     .help = "frames per simulated second"},
    {"gravity", OOZE_KEY_VEC3, "m/s2", OOZE_FREE, offsetof(OozeSceneDef, world.gravity),
     .help = "acceleration of particles and dynamic solids", .default_text = "9.81 down"},
    {"periodic", OOZE_KEY_SECTION, "", OOZE_NO_RANGE, offsetof(OozeSceneDef, periodic),
     .help = "periodic axes", .section = &section_periodic, .default_text = "all open"},
    {"seed", OOZE_KEY_INTEGER, "", 0.0, 9007199254740992.0, offsetof(OozeSceneDef, world.seed),
     .help = "of the random jitter", .store = OOZE_STORE_UINT64},
    {"materials", OOZE_KEY_MAP, "", OOZE_NO_RANGE, ITEMS(material),
     .help = "of the fluids and bodies", ITEM_COUNT(material)},
    {"fluids", OOZE_KEY_LIST, "", OOZE_NO_RANGE, ITEMS(fluid),
     .help = "volumes filled at the start", ITEM_COUNT(fluid)},
    {"solids", OOZE_KEY_LIST, "", OOZE_NO_RANGE, ITEMS(solid), .help = "obstacles and rigid bodies",
     ITEM_COUNT(solid)},
    {"joints", OOZE_KEY_LIST, "", OOZE_NO_RANGE, ITEMS(joint), .help = "connections of solids",
     .section = &ooze_section_joint, .count_offset = offsetof(OozeSceneDef, joint_count)},
    {"emitters", OOZE_KEY_LIST, "", OOZE_NO_RANGE, ITEMS(emitter), .help = "nozzles",
     ITEM_COUNT(emitter)},
    {"sinks", OOZE_KEY_LIST, "", OOZE_NO_RANGE, ITEMS(sink),
     .help = "volumes that remove particles", ITEM_COUNT(sink)},
    {"air", OOZE_KEY_SECTION, "", OOZE_NO_RANGE, offsetof(OozeSceneDef, world),
     .help = "exchanges heat with free surfaces", .section = &ooze_section_air,
     .default_text = "20 degC, no exchange"},
    {"heat_sources", OOZE_KEY_LIST, "", OOZE_NO_RANGE, ITEMS(heat_source),
     .help = "volumes that heat particles", .section = &ooze_section_heat_source,
     .count_offset = offsetof(OozeSceneDef, heat_source_count)},
    {"probes", OOZE_KEY_LIST, "", OOZE_NO_RANGE, ITEMS(probe), .help = "measurements",
     ITEM_COUNT(probe)},
    {"surface", OOZE_KEY_SECTION, "", OOZE_NO_RANGE, offsetof(OozeSceneDef, surface),
     .help = "of the fluid, as a mesh", .section = &ooze_section_surface,
     .default_text = "the defaults of `ooze mesh`"},
    {"changes", OOZE_KEY_LIST, "", OOZE_NO_RANGE, ITEMS(change),
     .help = "numbers that change in time", .section = &ooze_section_change,
     .count_offset = offsetof(OozeSceneDef, change_count)},
    {"pushes", OOZE_KEY_LIST, "", OOZE_NO_RANGE, offsetof(OozeSceneDef, pushes),
     .help = "velocity added at some place and time", ITEM_COUNT(push)},
    {"render", OOZE_KEY_SECTION, "", OOZE_NO_RANGE, offsetof(OozeSceneDef, render),
     .help = "pictures", .section = &ooze_section_render, .default_text = "automatic"},
};

const OozeSection ooze_scene_root = {
    .name = "scene",
    .help = "The top level of the file.",
    .keys = root_keys,
    .key_count = OOZE_COUNT(root_keys),
    .size = sizeof(OozeSceneDef),
    .defaults = root_defaults,
};
