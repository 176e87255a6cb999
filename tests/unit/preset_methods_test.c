/* Every preset in every method with stresses: a cube of 3 cm and 125 particles on a floor without
   slip, for a second. It flows or stands as the material does, or `ooze check` says that the method
   cannot show it; and `ooze check` names the numbers that the method does not use. */
#include "scene_text.h"

#include "methods/effects.h"
#include "ooze/world.h"
#include "world/world.h"

static const double EDGE = 0.03;

enum { V = OOZE_EFFECT_VISCOSITY, E = OOZE_EFFECT_ELASTICITY, M = OOZE_EFFECT_MODES };
enum { Y = OOZE_EFFECT_YIELD, N = OOZE_EFFECT_THINNING, T = OOZE_EFFECT_TENSION };

/* What the numbers of a preset make of it in this scene. */
enum { NEWTONIAN, YIELDED, RELAXES, HOLDS, STATES };

/* Steps that are cheap: presets that need shorter ones get a warning, `unstable`. Effects that the
   method shows, by state. */
static const struct Method {
    const char *name, *settings, *step;
    unsigned shown[STATES];
    const char *unstable;
} methods[] = {
    {"conformation", "", "1/120", {~0u, ~0u, ~0u, ~0u}, ""},
    {"links", "", "1/240", {V, V, V, 0}, ""},
    {"springs", "", "1/240", {V, V, V | E | Y, V | E | Y}, ""},
    {"blend", ", sound_speed: 8", "1/1000", {V, V, V | E | Y, V | E | Y}, "lava"},
    {"cauchy", "", "1/240", {V | E | T, V | Y | T, V | E | T, V | E | T}, ""},
    {"stress", "", "1/1000", {V | E, V, V | E, V | E}, "lava whipped_cream toothpaste clay"},
    {"wcsph",
     ", sound_speed: 8",
     "1/2000",
     {V, V, V, V},
     "pdms lava slime mucus whipped_cream toothpaste dough clay chewing_gum"},
};
enum { METHODS = sizeof methods / sizeof methods[0], LINKS = 1, SPRINGS = 2, WCSPH = 6 };

/* What a cube of 3 cm does within a second. It stands where sqrt(3) times the yield stress exceeds
   rho g H, or where the modulus carries it. Lava of 700 Pa s sinks at rho g H/(6 eta) = 0.2 1/s. */
enum { FLOWS, CREEPS, STANDS };
static const struct Preset {
    const char *name;
    int does, state;
    unsigned effects; /* that its numbers give it */
    /* Effects that are too strong or too weak for a method at this size: `links` is no thinner than
       a fluid of gH/(6 sqrt(2 g/H)), `springs` no stiffer and thicker than stable. In both some
       come to the layer in which their particles rest, whatever their viscosity. */
    unsigned beyond_links, beyond_springs;
} presets[] = {
    /* by viscosity, with 10 Pa s and more apart by a factor of 5 */
    {"water", FLOWS, NEWTONIAN, V | T, V, 0},
    {"wax", FLOWS, NEWTONIAN, V | T, V, 0},
    {"cream", FLOWS, NEWTONIAN, V | T, V, 0},
    {"oil", FLOWS, NEWTONIAN, V | T, V, 0},
    {"syrup", FLOWS, NEWTONIAN, V | T, V, 0},
    {"honey", FLOWS, NEWTONIAN, V | T, V, V},
    {"pdms", FLOWS, RELAXES, V | E | T, 0, E},
    {"lava", CREEPS, YIELDED, V | E | Y | T, 0, V},
    {"egg_white", FLOWS, RELAXES, V | E | T, V, 0},
    {"slime", FLOWS, RELAXES, V | E, 0, 0},
    {"mucus", FLOWS, RELAXES, V | E, 0, 0},
    {"yoghurt", FLOWS, YIELDED, V | E | Y | N, V, 0},
    {"chocolate", FLOWS, YIELDED, V | E | Y | N, V, V},
    {"ketchup", FLOWS, YIELDED, V | E | Y | N, V, 0},
    {"whipped_cream", STANDS, HOLDS, V | E | Y | N, 0, V | E},
    {"toothpaste", STANDS, HOLDS, V | E | Y | N, 0, V | E},
    {"dough", STANDS, HOLDS, E | M, 0, E},
    {"clay", STANDS, HOLDS, V | E | Y, 0, V | E},
    {"jelly", STANDS, HOLDS, V | E, 0, 0},
    {"chewing_gum", STANDS, HOLDS, E | M, 0, E},
};
enum { PRESETS = sizeof presets / sizeof presets[0], THIN = 4, ORDERED = 8 };

typedef struct Result {
    bool unstable; /* `ooze check` says that the step is too long: not run */
    double front;  /* distance of particles from the axis, root mean square, over that at first */
    double height; /* of the highest particles, in edges */
    char message[512]; /* the warning about the preset; "": none */
} Result;

static double rms_radius(const OozeWorld *world)
{
    const OozeFloat4 *x = ooze_particles_positions(world->particles);
    uint64_t count = ooze_particles_count(world->particles);
    double sum = 0.0;
    for (uint64_t i = 0; i < count; i++) {
        sum += (double)(x[i].x * x[i].x + x[i].z * x[i].z);
    }
    return sqrt(sum / (double)count);
}

static double reading(OozeWorld *world, const char *name)
{
    OozeProbeId id;
    OozeProbeReading value = {0};
    CHECK_OK(ooze_world_find_probe(world, name, &id, &error));
    CHECK_OK(ooze_world_measure(world, false, &error));
    CHECK_OK(ooze_world_probe(world, id, &value, &error));
    return value.values[0];
}

static void read_warnings(const OozeScene *scene, Result *result)
{
    int warnings = 0;
    for (int i = 0; i < ooze_scene_diagnostic_count(scene); i++) {
        const char *message = ooze_scene_diagnostic(scene, i)->message;
        if (strstr(message, "does not use its")) {
            snprintf(result->message, sizeof result->message, "%s", message);
            warnings++;
        }
        result->unstable = result->unstable || strstr(message, "beyond the stability");
    }
    assert_in_range(warnings, 0, 1);
}

static Result cube(const struct Method *method, const struct Preset *preset)
{
    char text[1024];
    snprintf(text, sizeof text,
             "ooze: 2\nmethod: {name: %s%s}\nspacing: 0.006\ntime_step: %s\nframe_rate: 24\n"
             "duration: 1\nmaterials: {m: {preset: %s}}\n"
             "fluids: [{material: m, shape: {type: box, size: [%g, %g, %g], position: [0, %g, 0]}}]"
             "\nsolids: [{shape: {type: plane}, friction: inf}]\n"
             "probes: [{name: height, kind: height}]\n",
             method->name, method->settings, method->step, preset->name, EDGE, EDGE, EDGE,
             0.5 * EDGE);
    OozeScene *scene = load_good(text);
    OozeWorld *world = NULL;
    OozeBuildOptions options = {.threads = 1};
    CHECK_OK(ooze_scene_build(scene, &options, &world, &error));
    CHECK_OK(ooze_scene_check_physics(scene, world, &error));
    Result result = {0};
    read_warnings(scene, &result);
    double first = rms_radius(world);
    uint64_t steps = scene->info.frame_count * scene->info.steps_per_frame;
    for (uint64_t i = 0; i < steps && !result.unstable; i++) {
        CHECK_OK(ooze_world_step(world, &error));
    }
    result.front = rms_radius(world) / first;
    result.height = reading(world, "height") / EDGE;
    ooze_world_destroy(world);
    ooze_scene_free(scene);
    return result;
}

static bool is_listed(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(names, name); at; at = strstr(at + 1, name)) {
        bool begins = at == names || at[-1] == ' ';
        if (begins && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

static unsigned beyond(int method, const struct Preset *preset)
{
    return method == LINKS ? preset->beyond_links : method == SPRINGS ? preset->beyond_springs : 0;
}

/* The warning names the effects that the method does not show, and no others. */
static void check_named(int method, const struct Preset *preset, const Result *result)
{
    unsigned shown = methods[method].shown[preset->state];
    shown &= ~beyond(method, preset);
    unsigned missing = preset->effects & ~shown;
    const char *list = strstr(result->message, "does not use its");
    for (unsigned i = 0; i < OOZE_EFFECT_COUNT; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s (", ooze_effects[i].name);
        bool named = list && strstr(list, name);
        if (named != ((missing & 1u << i) != 0)) {
            fail_msg("%s in %s: %s of %s", preset->name, methods[method].name,
                     named ? "the warning speaks" : "no warning", ooze_effects[i].name);
        }
    }
}

/* Fronts, over the first: of standing cubes at most STANDS_TO, of flowing ones at least FLOWS_FROM,
   of lava at most CREEPS_TO. Thicker fluids come less far, by 1 % at least. */
static const double STANDS_TO = 1.06, STANDS_ABOVE = 0.65, FLOWS_FROM = 1.12, CREEPS_TO = 1.2,
                    ORDER = 0.99;

static void check_motion(int method, const struct Preset *preset, const Result *r)
{
    bool keeps = preset->does == STANDS;
    if (r->unstable) {
        assert_true(is_listed(methods[method].unstable, preset->name));
        return;
    }
    assert_false(is_listed(methods[method].unstable, preset->name));
    if (method == WCSPH && keeps) { /* it has no elasticity, and says so */
        assert_non_null(strstr(r->message, "that does not keep its shape"));
        return;
    }
    bool thin = method == SPRINGS && (preset->beyond_springs & V) && !keeps;
    bool right =
        thin || (preset->does == FLOWS    ? r->front > FLOWS_FROM
                 : preset->does == STANDS ? r->front < STANDS_TO && r->height > STANDS_ABOVE
                                          : r->front < CREEPS_TO);
    if (!right) {
        fail_msg("%s in %s: front %.3f, height %.3f", preset->name, methods[method].name, r->front,
                 r->height);
    }
}

static void check_method(int method)
{
    double thinnest = INFINITY, before = INFINITY;
    for (int p = 0; p < PRESETS; p++) {
        Result r = cube(&methods[method], &presets[p]);
        printf("  %-12s %-13s %s front %6.3f, height %5.3f; %s\n", methods[method].name,
               presets[p].name, r.unstable ? "not run:" : "", r.front, r.height, r.message);
        check_named(method, &presets[p], &r);
        check_motion(method, &presets[p], &r);
        bool counts =
            !r.unstable && p < ORDERED && (p < THIN || !(beyond(method, &presets[p]) & (V | E)));
        thinnest = counts && p < THIN ? fmin(thinnest, r.front) : thinnest;
        if (counts && p >= THIN) {
            double farthest = fmin(thinnest, before);
            if (!(r.front < ORDER * farthest)) {
                fail_msg("%s has come farther than what is thinner: %.3f, %.3f", presets[p].name,
                         r.front, farthest);
            }
            before = r.front;
        }
    }
}

/* ---- order ------------------------------------------------------------------------------- */

/* Cubes of many heights in spacings, at several steps and for several durations. */
static const struct Case {
    int method;
    double edge, spacings;
    const char *step;
    double duration;
    int least; /* viscosities that must be shown: no warning names them */
} cases[] = {
    {LINKS, 0.05, 8, "1/240", 0.1, 5},    {LINKS, 0.05, 10, "1/480", 0.1, 5},
    {LINKS, 0.03, 5, "1/120", 1.0, 3},    {LINKS, 0.05, 8, "1/960", 0.25, 4},
    {SPRINGS, 0.05, 8, "1/240", 0.06, 4}, {SPRINGS, 0.05, 10, "1/480", 0.06, 3},
    {SPRINGS, 0.2, 8, "1/240", 0.5, 3},   {SPRINGS, 0.05, 5, "1/480", 1.0, 4},
};
static const double viscosities[] = {0.001, 0.3, 2.3, 5, 10, 20, 60, 150, 700};
enum { VISCOSITIES = sizeof viscosities / sizeof viscosities[0] };

static OozeScene *ordered_scene(const struct Case *c, double viscosity)
{
    char text[1024];
    snprintf(text, sizeof text,
             "ooze: 2\nmethod: {name: %s}\nspacing: %.9g\ntime_step: %s\nframe_rate: 20\n"
             "duration: %g\nmaterials: {m: {preset: honey, viscosity: %g}}\n"
             "fluids: [{material: m, shape: {type: box, size: [%g, %g, %g], position: [0, %g, 0]}}]"
             "\nsolids: [{shape: {type: plane}, friction: inf}]\n",
             methods[c->method].name, c->edge / c->spacings, c->step, c->duration, viscosity,
             c->edge, c->edge, c->edge, 0.5 * c->edge);
    return load_good(text);
}

/* The front over the first; NAN: a warning says that the viscosity is not shown. */
static double shown_front(const struct Case *c, double viscosity)
{
    OozeScene *scene = ordered_scene(c, viscosity);
    OozeWorld *world = NULL;
    Result result = {0};
    CHECK_OK(ooze_scene_build(scene, &(OozeBuildOptions){.threads = 1}, &world, &error));
    CHECK_OK(ooze_scene_check_physics(scene, world, &error));
    read_warnings(scene, &result);
    double first = rms_radius(world), front = NAN;
    if (!strstr(result.message, "viscosity (")) {
        CHECK_OK(ooze_world_advance(world, c->duration, NULL, NULL, &error));
        front = rms_radius(world) / first;
    }
    ooze_world_destroy(world);
    ooze_scene_free(scene);
    return front;
}

/* Of fluids whose viscosity is shown, one that is four times as thick has not come as far. Thin
   ones are carried by inertia, and none comes farther by more than the noise of single particles;
   those of 2 Pa s and more differ by 1 % at least. */
static void check_order(const struct Case *c)
{
    double fronts[VISCOSITIES];
    int shown = 0;
    printf("  %-8s %g m, %g spacings, %s s, %g s:", methods[c->method].name, c->edge, c->spacings,
           c->step, c->duration);
    for (int i = 0; i < VISCOSITIES; i++) {
        fronts[i] = shown_front(c, viscosities[i]);
        shown += !isnan(fronts[i]);
        printf(" %.3f", fronts[i]);
    }
    printf("\n");
    assert_true(shown >= c->least);
    for (int i = 0; i < VISCOSITIES; i++) {
        for (int k = 0; k < i; k++) {
            bool apart = viscosities[i] >= 4 * viscosities[k] && viscosities[i] >= 2;
            if (fronts[i] > (apart ? ORDER : 1.01) * fronts[k]) {
                fail_msg("%g Pa s comes to %.3f, %g Pa s to %.3f", viscosities[i], fronts[i],
                         viscosities[k], fronts[k]);
            }
        }
    }
}

static void shown_viscosities_order_fronts_at_every_spacing_and_step(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_order(&cases[i]);
    }
}

static void ballistic_shows_nothing_of_presets(void **state)
{
    (void)state;
    static const struct Method ballistic = {"ballistic", "", "1/120", {0}, ""};
    Result r = cube(&ballistic, &presets[5]);
    assert_string_equal(r.message, "the method 'ballistic' shows 'm' as particles that fly alike, "
                                   "and does not use its viscosity (viscosity), surface tension "
                                   "(surface_tension)");
}

/* ---- derived numbers ------------------------------------------------------------------------- */

static OozeScene *cube_scene(const char *method, const char *material)
{
    char text[512];
    snprintf(text, sizeof text,
             "ooze: 2\nmethod: {name: %s}\nspacing: 0.006\ntime_step: 1/2000\nduration: 1\n"
             "materials: {m: {%s}}\ngravity: [0, -10, 0]\n"
             "fluids: [{material: m, shape: {type: box, size: [0.03, 0.03, 0.03]}}]\n",
             method, material);
    return load_good(text);
}

static void check_number(const char *method, const char *material, int number, double expected)
{
    OozeScene *scene = cube_scene(method, material);
    double value = scene->def.materials[0].values[number];
    if (isnan(expected) ? !isnan(value) : !(fabs(value - expected) <= 1e-3 * expected)) {
        fail_msg("%s, %s: number %d is %g instead of %g", method, material, number, value,
                 expected);
    }
    ooze_scene_free(scene);
}

static void numbers_follow_the_stated_relations(void **state)
{
    (void)state;
    /* rho g H/(6 eta) */
    check_number("links", "preset: honey", OOZE_MATERIAL_STRETCH_RATE, 1420 * 0.3 / 60);
    check_number("links", "preset: honey, viscosity: 20", OOZE_MATERIAL_STRETCH_RATE,
                 1420 * 0.3 / 120);
    check_number("links", "preset: jelly", OOZE_MATERIAL_LABEL, 1);
    check_number("blend", "preset: water", OOZE_MATERIAL_FLUID_SHARE, 1);
    check_number("blend", "preset: jelly", OOZE_MATERIAL_MODULUS, 1500);
    /* T = 2 tau = 0.8 s, G = 2 eta/T with eta = 200 Pa 0.4 s */
    check_number("blend", "preset: slime", OOZE_MATERIAL_MODULUS, 200);
    /* ... with an interval of the scene's own */
    check_number("blend, update_interval: 0.4", "preset: slime", OOZE_MATERIAL_MODULUS, 400);
    /* sqrt(3) 250 Pa/(1300 kg/m3 0.03 m) */
    check_number("blend", "preset: toothpaste", OOZE_MATERIAL_UPDATE_THRESHOLD, 11.103);
    check_number("wcsph", "preset: slime", OOZE_MATERIAL_VISCOSITY, 90);
    /* 46,750 Pa s over 18.88 s */
    check_number("stress", "preset: dough", OOZE_MATERIAL_MODULUS, 2476);
    check_number("stress", "preset: ketchup", OOZE_MATERIAL_MODULUS, NAN);
    check_number("cauchy", "preset: ketchup", OOZE_MATERIAL_THINNING_EXPONENT, 0);
    /* nu U/(0.0678 h^2) with h = 0.006/0.372 m and U = h sqrt(0.025/(g H)) */
    check_number("springs", "preset: honey", OOZE_MATERIAL_LINEAR_VISCOSITY, 1.859);
    check_number("conformation", "preset: ketchup", OOZE_MATERIAL_MODULUS, 500);
}

static void numbers_of_the_scene_stay(void **state)
{
    (void)state;
    check_number("links", "preset: honey, stretch_rate: 1", OOZE_MATERIAL_STRETCH_RATE, 1);
    check_number("blend", "preset: water, fluid_share: 0.3", OOZE_MATERIAL_FLUID_SHARE, 0.3);
    /* and materials without a preset have nothing derived */
    check_number("links", "density: 1420", OOZE_MATERIAL_STRETCH_RATE, NAN);
    check_number("blend", "viscosity: 10", OOZE_MATERIAL_FLUID_SHARE, 0.3);
}

/* A run folder holds the derived numbers: read again they are the same, to the last bit. */
static void canonical_scenes_have_the_numbers_of_the_method(void **state)
{
    (void)state;
    OozeScene *scene = cube_scene("springs", "preset: slime");
    OozeScene *again = load_good(scene->canonical.data);
    const OozeMaterialDef *a = &scene->def.materials[0], *b = &again->def.materials[0];
    assert_memory_equal(scene->def.method.params, again->def.method.params,
                        sizeof scene->def.method.params);
    for (int i = 0; i < OOZE_MATERIAL_PARAM_COUNT; i++) {
        assert_true(a->values[i] == b->values[i] || (isnan(a->values[i]) && isnan(b->values[i])));
    }
    ooze_scene_free(again);
    ooze_scene_free(scene);
}

static void the_warning_says_what_is_shown_and_what_is_not(void **state)
{
    (void)state;
    Result r = cube(&methods[WCSPH], &presets[13]);
    assert_string_equal(r.message,
                        "the method 'wcsph' shows 'm' as a fluid of 3.01 Pa s, and does not use "
                        "its elasticity (modulus), yield stress (yield_strain), thinning "
                        "(thinning, thinning_rate, thinning_exponent)");
}

/* ---- motion ---------------------------------------------------------------------------------- */

static void presets_in_conformation(void **state)
{
    (void)state;
    check_method(0);
}

static void presets_in_links(void **state)
{
    (void)state;
    check_method(LINKS);
}

static void presets_in_springs(void **state)
{
    (void)state;
    check_method(SPRINGS);
}

static void presets_in_blend(void **state)
{
    (void)state;
    check_method(3);
}

static void presets_in_cauchy(void **state)
{
    (void)state;
    check_method(4);
}

static void presets_in_stress(void **state)
{
    (void)state;
    check_method(5);
}

static void presets_in_wcsph(void **state)
{
    (void)state;
    check_method(WCSPH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_follow_the_stated_relations),
        cmocka_unit_test(numbers_of_the_scene_stay),
        cmocka_unit_test(canonical_scenes_have_the_numbers_of_the_method),
        cmocka_unit_test(the_warning_says_what_is_shown_and_what_is_not),
        cmocka_unit_test(shown_viscosities_order_fronts_at_every_spacing_and_step),
        cmocka_unit_test(ballistic_shows_nothing_of_presets),
        cmocka_unit_test(presets_in_conformation),
        cmocka_unit_test(presets_in_links),
        cmocka_unit_test(presets_in_springs),
        cmocka_unit_test(presets_in_blend),
        cmocka_unit_test(presets_in_cauchy),
        cmocka_unit_test(presets_in_stress),
        cmocka_unit_test(presets_in_wcsph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
