/* Rows of the key table: heat. */
#include <math.h>

#include "scene/scene.h"
#include "scene/table.h"

/* ---- temperature tables ---------------------------------------------------------------------- */

static void row_defaults(void *item, int variant)
{
    (void)variant;
    *(OozeTemperatureRow *)item = ooze_temperature_row_default();
}

#define ROW(field) offsetof(OozeTemperatureRow, field)

static const OozeKey row_keys[] = {
    {"temperature", OOZE_KEY_REAL, "degC", -1e6, 1e6, ROW(temperature),
     .help = "temperature of the row", .required = OOZE_REQUIRED},
    {"shift", OOZE_KEY_REAL, "", 1e-12, 1e12, ROW(shift),
     .help = "factor on viscosities and relaxation times: time-temperature superposition",
     .default_text = "1"},
    {"viscosity", OOZE_KEY_REAL, "Pa s", OOZE_NOT_NEGATIVE, ROW(viscosity),
     .help = "replaces that of the material", .default_text = "the material's"},
    {"modulus", OOZE_KEY_REAL, "Pa", OOZE_NOT_NEGATIVE, ROW(modulus),
     .help = "replaces that of the material", .default_text = "the material's"},
    {"relaxation_time", OOZE_KEY_REAL, "s", 0.0, INFINITY, ROW(relaxation_time),
     .help = "replaces that of the material", .default_text = "the material's"},
    {"compliance", OOZE_KEY_REAL, "s2/m2", OOZE_NOT_NEGATIVE, ROW(compliance),
     .help = "replaces that of the material", .default_text = "the material's"},
    {"solvent_viscosity", OOZE_KEY_REAL, "Pa s", OOZE_NOT_NEGATIVE, ROW(solvent_viscosity),
     .help = "replaces that of the material", .default_text = "the material's"},
    {"yield_strain", OOZE_KEY_REAL, "", 1e-6, 1e3, ROW(yield_strain),
     .help = "replaces that of the material", .default_text = "the material's"},
    {"surface_tension", OOZE_KEY_REAL, "N/m", 0.0, 1e6, ROW(surface_tension),
     .help = "replaces that of the material", .default_text = "the material's"},
    {"extension", OOZE_KEY_REAL, "", 1.0, 2.0, ROW(extension),
     .help = "replaces that of the material; linear between rows",
     .default_text = "the material's"},
    {"stretch_rate", OOZE_KEY_REAL, "1/s", 0.0, 1e6, ROW(stretch_rate),
     .help = "replaces that of the material; linear between rows",
     .default_text = "the material's"},
    {"fluid_share", OOZE_KEY_REAL, "", 0.0, 1.0, ROW(fluid_share),
     .help = "replaces that of the material; linear between rows",
     .default_text = "the material's"},
};

const OozeSection ooze_section_temperature_row = {
    .name = "temperature row",
    .plural = "temperature_table",
    .help = "A material's numbers by rising temperature, for methods that use them (see "
            "[heat.md](heat.md)): geometric interpolation between rows, constant beyond the first "
            "and the last. A number is given in every row or in none.",
    .keys = row_keys,
    .key_count = OOZE_COUNT(row_keys),
    .size = sizeof(OozeTemperatureRow),
    .defaults = row_defaults,
};

/* ---- air ------------------------------------------------------------------------------------- */

static const OozeKey air_keys[] = {
    {"temperature", OOZE_KEY_REAL, "degC", -1e6, 1e6, offsetof(OozeWorldDef, air_temperature),
     .help = "of the air, and default of fluids and emitters"},
    {"transfer", OOZE_KEY_REAL, "W/(m2 K)", 0.0, 1e9, offsetof(OozeWorldDef, air_transfer),
     .help = "heat transfer coefficient of free surfaces: still air about 10"},
};

static void air_defaults(void *item, int variant)
{
    (void)variant;
    OozeWorldDef *world = item, initial = ooze_world_def_default();
    world->air_temperature = initial.air_temperature;
    world->air_transfer = initial.air_transfer;
}

const OozeSection ooze_section_air = {
    .name = "air",
    .help = "The air, which exchanges heat with free surfaces in scenes with heat.",
    .keys = air_keys,
    .key_count = OOZE_COUNT(air_keys),
    .size = sizeof(OozeWorldDef),
    .defaults = air_defaults,
};

/* ---- sources --------------------------------------------------------------------------------- */

static void source_defaults(void *item, int variant)
{
    (void)variant;
    *(OozeHeatSourceDef *)item = ooze_heat_source_def_default();
    ((OozeHeatSourceDef *)item)->name = NULL;
}

static const OozeKey source_keys[] = {
    {"name", OOZE_KEY_NAME, "", OOZE_NO_RANGE, offsetof(OozeHeatSourceDef, name),
     .help = "its name in messages and overrides",
     .default_text = "heat_source0, heat_source1, ..."},
    {"shape", OOZE_KEY_SECTION, "", OOZE_NO_RANGE, offsetof(OozeHeatSourceDef, shape),
     .help = "particles inside it are heated", .required = OOZE_REQUIRED,
     .section = &ooze_section_shape},
    {"power", OOZE_KEY_REAL, "W/m3", -1e15, 1e15, offsetof(OozeHeatSourceDef, power),
     .help = "per volume of the fluid inside; negative: cools"},
    {"temperature", OOZE_KEY_REAL, "degC", -1e6, 1e6, offsetof(OozeHeatSourceDef, temperature),
     .help = "prescribed for the particles inside, instead of a power", .default_text = "none"},
    {"start", OOZE_KEY_REAL, "s", OOZE_FREE, offsetof(OozeHeatSourceDef, start),
     .help = "time at which it begins to act"},
    {"stop", OOZE_KEY_REAL, "s", -OOZE_KEY_HUGE, INFINITY, offsetof(OozeHeatSourceDef, stop),
     .help = "time at which it ends"},
};

const OozeSection ooze_section_heat_source = {
    .name = "heat_source",
    .plural = "heat_sources",
    .help = "Volumes in which particles are heated.",
    .keys = source_keys,
    .key_count = OOZE_COUNT(source_keys),
    .size = sizeof(OozeHeatSourceDef),
    .defaults = source_defaults,
};
