/* Every preset in every method with stresses: a cube of 3 cm and 125 particles on a floor without
   slip, for a second. It flows or stands as the material does, or `ooze check` says that the method
   cannot show it. `ooze check` names the numbers that the method does not use. */
#include "scene_text.h"

#include "ooze/world.h"

static const double EDGE = 0.03;

/* Steps that are cheap: presets that need shorter ones get a warning. */
static const struct Method {
    const char *name, *settings, *step;
} methods[] = {
    {"conformation", "", "1/120"},           {"links", "", "1/240"},  {"springs", "", "1/240"},
    {"blend", ", sound_speed: 8", "1/120"},  {"cauchy", "", "1/240"}, {"stress", "", "1/1000"},
    {"wcsph", ", sound_speed: 8", "1/2000"},
};
enum { METHODS = sizeof methods / sizeof methods[0] };

/* What a cube of 3 cm does within a second: rho g H is below sqrt(3) times the yield stress or
   the modulus carries it (stands), lava's 700 Pa s let it sink at rho g H/(6 eta) = 0.2 1/s
   (creeps), or it flows. `kind`: which numbers the preset has. */
enum { FLOWS, CREEPS, STANDS };
enum { NEWTONIAN, MAXWELL, MAXWELL_TENSE, MODES, PASTE, BINGHAM, BINGHAM_TENSE, GEL, KINDS };
static const struct Preset {
    const char *name;
    int does, kind;
} presets[] = {
    {"water", FLOWS, NEWTONIAN},
    {"wax", FLOWS, NEWTONIAN},
    {"cream", FLOWS, NEWTONIAN},
    {"oil", FLOWS, NEWTONIAN},
    {"syrup", FLOWS, NEWTONIAN},
    {"honey", FLOWS, NEWTONIAN},
    {"pdms", FLOWS, MAXWELL_TENSE},
    {"lava", CREEPS, BINGHAM_TENSE},
    {"egg_white", FLOWS, MAXWELL_TENSE},
    {"slime", FLOWS, MAXWELL},
    {"mucus", FLOWS, MAXWELL},
    {"yoghurt", FLOWS, PASTE},
    {"chocolate", FLOWS, PASTE},
    {"ketchup", FLOWS, PASTE},
    {"whipped_cream", STANDS, PASTE},
    {"toothpaste", STANDS, PASTE},
    {"dough", STANDS, MODES},
    {"clay", STANDS, BINGHAM},
    {"jelly", STANDS, GEL},
    {"chewing_gum", STANDS, MODES},
};
enum { PRESETS = sizeof presets / sizeof presets[0], ORDERED = 8 };

typedef struct Result {
    bool ran;
    double front, height; /* in edges */
    char message[512];    /* the warning about the preset; "": none */
    bool unstable;        /* the step is too long for it */
} Result;

static double reading(OozeWorld *world, const char *name)
{
    OozeProbeId id;
    OozeProbeReading value = {0};
    CHECK_OK(ooze_world_find_probe(world, name, &id, &error));
    CHECK_OK(ooze_world_probe(world, id, &value, &error));
    return value.values[0];
}

static void read_warnings(const OozeScene *scene, Result *result)
{
    for (int i = 0; i < ooze_scene_diagnostic_count(scene); i++) {
        const char *message = ooze_scene_diagnostic(scene, i)->message;
        if (strstr(message, "does not use its")) {
            snprintf(result->message, sizeof result->message, "%s", message);
        }
        result->unstable = result->unstable || strstr(message, "beyond the stability");
    }
}

static Result cube(const struct Method *method, const struct Preset *preset)
{
    char text[1024];
    snprintf(text, sizeof text,
             "ooze: 1\nmethod: {name: %s%s}\nspacing: 0.006\ntime_step: %s\nframe_rate: 24\n"
             "duration: 1\nmaterials: {m: {preset: %s}}\n"
             "fluids: [{material: m, shape: {type: box, size: [%g, %g, %g], position: [0, %g, 0]}}]"
             "\nsolids: [{shape: {type: plane}, friction: inf}]\n"
             "probes: [{name: front, kind: spread}, {name: height, kind: height}]\n",
             method->name, method->settings, method->step, preset->name, EDGE, EDGE, EDGE,
             0.5 * EDGE);
    OozeScene *scene = load_good(text);
    OozeWorld *world = NULL;
    OozeBuildOptions options = {.threads = 1};
    CHECK_OK(ooze_scene_build(scene, &options, &world, &error));
    CHECK_OK(ooze_scene_check_physics(scene, world, &error));
    Result result = {0};
    read_warnings(scene, &result);
    uint64_t steps = scene->info.frame_count * scene->info.steps_per_frame;
    for (uint64_t i = 0; i < steps && !result.unstable; i++) {
        CHECK_OK(ooze_world_step(world, &error));
    }
    if (!result.unstable) {
        CHECK_OK(ooze_world_measure(world, false, &error));
        result.ran = true;
        result.front = reading(world, "front") / EDGE;
        result.height = reading(world, "height") / EDGE;
    }
    ooze_world_destroy(world);
    ooze_scene_free(scene);
    return result;
}

static void presets_flow_or_stand_or_warn(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        if (getenv("ONLY") && strcmp(getenv("ONLY"), methods[m].name))
            continue;
        for (int p = 0; p < PRESETS; p++) {
            Result r = cube(&methods[m], &presets[p]);
            printf("  %-12s %-13s front %6.3f height %5.3f %s %s\n", methods[m].name,
                   presets[p].name, r.front, r.height, r.unstable ? "UNSTABLE" : "", r.message);
            fflush(stdout);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presets_flow_or_stand_or_warn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
