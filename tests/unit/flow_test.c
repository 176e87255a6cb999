/* Estimates of a flow against formulas by hand, scales of a scene, and automatic settings. */
#include "scene_text.h"

#include <math.h>
#include <string.h>

#include "methods/conformation/plan.h"
#include "physics/flow_numbers.h"
#include "scene/advice.h"

#define NEAR(value, wanted) assert_float_equal(value, wanted, 1e-6 * fabs(wanted))

#define SCENE(settings)     METHOD("conformation", settings)
#define METHOD(name, settings)                                                                     \
    "ooze: 2\n"                                                                                    \
    "method: {name: " name settings "}\n"                                                          \
    "frame_rate: 10\n"                                                                             \
    "duration: 2\n"
#define FLOOR "solids: [{name: floor, shape: {type: plane}}]\n"
#define DROP                                                                                       \
    "fluids: [{name: drop, material: m, shape: {type: sphere, radius: 0.005, position: [0, "       \
    "0.105, "                                                                                      \
    "0]}}]\n" FLOOR
#define BLOCK                                                                                      \
    "fluids: [{name: block, material: m, shape: {type: box, size: [0.2, 0.1, 0.3], position: [0, " \
    "0.05, 0]}}]\n" FLOOR

static OozeSceneAdvice advise(OozeScene *scene)
{
    OozeSceneAdvice advice;
    CHECK_OK(ooze_scene_advice(scene, &advice, &error));
    return advice;
}

/* A drop of honey, 1 cm across, 10 Pa s, 1400 kg/m3, 0.07 N/m, 0.1 m above a floor: it strikes at
   sqrt(2 * 9.81 * 0.1) = 1.4 m/s. */
static void numbers_of_a_honey_drop(void **state)
{
    (void)state;
    OozeScene *scene = load_good(
        SCENE("") "spacing: 0.001\ntime_step: 1/1000\n"
                  "materials: {m: {density: 1400, viscosity: 10, surface_tension: 0.07}}\n" DROP);
    OozeSceneAdvice advice = advise(scene);
    const OozeFlow *flow = &advice.flows[0];
    double speed = sqrt(2.0 * 9.81 * 0.1);
    assert_float_equal(flow->speed, speed, 0.01 * speed); /* the last spacing is not felt for */
    NEAR(flow->scale.length, 0.01);
    NEAR(flow->reynolds, flow->speed * 0.01 * 1400.0 / 10.0);
    NEAR(flow->bond, 1400.0 * 9.81 * 1e-4 / 0.07);
    NEAR(flow->capillary, 10.0 * flow->speed / 0.07);
    NEAR(flow->ohnesorge, 10.0 / sqrt(1400.0 * 0.07 * 0.01));
    NEAR(flow->diffusion, 10.0 / 1400.0 * 1e-3 / 1e-6);
    NEAR(ooze_flow_numerical(flow, ooze_method_find("conformation"), 0.001),
         0.76 * flow->speed * 0.001);
    assert_true(isnan(ooze_flow_numerical(flow, ooze_method_find("wcsph"), 0.001)));
    assert_true(isnan(flow->weissenberg) && isnan(flow->deborah) && isnan(flow->sag));
    assert_string_equal(advice.scales->materials[0].length_from, "fluid 'drop'");
    assert_string_equal(advice.scales->materials[0].strike_from, "fluid 'drop' falls 0.1 m");
    ooze_scene_free(scene);
}

/* With a memory of 0.5 s: G = 20 Pa. */
static void numbers_of_viscoelastic_fluids(void **state)
{
    (void)state;
    OozeScene *scene =
        load_good(SCENE("") "spacing: 0.001\ntime_step: 1/1000\n"
                            "materials: {m: {viscosity: 10, relaxation_time: 0.5}}\n" DROP);
    OozeSceneAdvice advice = advise(scene);
    const OozeFlow *flow = &advice.flows[0];
    NEAR(flow->weissenberg, 0.5 * flow->speed / 0.01);
    NEAR(flow->deborah, 0.5 / 2.0);
    NEAR(flow->wave, sqrt(20.0 / 1000.0));
    NEAR(flow->crossing, flow->wave * 1e-3 / 1e-3);
    NEAR(flow->diffusion_length, flow->crossing); /* dt < tau: a wave, no diffusion */
    assert_true(isnan(flow->bond) && isnan(flow->ohnesorge));
    ooze_scene_free(scene);

    /* 100 Pa for 0.1 s and 20 Pa for 1 s: 30 Pa s, and (1 + 20)/30 s on average */
    scene =
        load_good(SCENE("") "spacing: 0.001\ntime_step: 1/1000\n"
                            "materials: {m: {modulus: 100, relaxation_time: 0.1, modulus_2: 20, "
                            "relaxation_time_2: 1}}\n" DROP);
    OozeFlow two = advise(scene).flows[0];
    NEAR(two.nu, 0.03);
    NEAR(two.relaxation, 0.7);
    NEAR(two.wave, sqrt(0.12));
    ooze_scene_free(scene);
}

static void numbers_of_blocks(void **state)
{
    (void)state;
    OozeScene *scene = load_good(SCENE("") "spacing: 0.01\ntime_step: 1/100\n"
                                           "materials: {m: {modulus: 3000}}\n" BLOCK);
    OozeFlow jelly = advise(scene).flows[0];
    NEAR(jelly.sag, 1000.0 * 9.81 * 0.1 / (6.0 * 3000.0));
    assert_true(jelly.slumps && isnan(jelly.reynolds));
    NEAR(jelly.speed, 9.81 * 0.1 / sqrt(3.0)); /* g H/c, below sqrt(2 g H) = 1.4 */
    ooze_scene_free(scene);

    /* 30 Pa bear sqrt(3) * 30/(1000 * 9.81) = 5 mm: 0.1 m flow, as a Bingham fluid */
    scene = load_good(SCENE("") "spacing: 0.01\ntime_step: 1/100\n"
                                "materials: {m: {modulus: 300, yield_strain: 0.1, "
                                "solvent_viscosity: 2}}\n" BLOCK);
    OozeFlow paste = advise(scene).flows[0];
    NEAR(paste.stands, sqrt(3.0) * 30.0 / 9810.0);
    NEAR(paste.nu, (2.0 + 30.0 * paste.scale.length / paste.speed) / 1000.0);
    ooze_scene_free(scene);

    /* creeping: g H^2/nu = 9.81 * 0.01/1 */
    scene = load_good(SCENE("") "spacing: 0.01\ntime_step: 1/100\n"
                                "materials: {m: {viscosity: 1000}, spare: {}}\n" BLOCK);
    OozeSceneAdvice tar = advise(scene);
    NEAR(tar.flows[0].speed, 9.81 * 0.01);
    assert_false(tar.flows[1].scale.flows);
    ooze_scene_free(scene);
}

/* A thread of 1000 Pa s is held back: v + g L^2/(3 nu); water falls freely. */
static void numbers_of_jets(void **state)
{
    (void)state;
    const char *text = SCENE("") "spacing: 0.004\ntime_step: 1/100\n"
                                 "materials: {m: {viscosity: 1000}, water: {viscosity: 0.001}}\n"
                                 "emitters:\n"
                                 "  - {name: a, material: m, radius: 0.01, position: [0, 0.3, 0], "
                                 "speed: 0.2}\n"
                                 "  - {name: b, material: water, radius: 0.02, position: [1, 0.3, "
                                 "0], speed: 0.2}\n" FLOOR;
    OozeScene *scene = load_good(text);
    OozeSceneAdvice advice = advise(scene);
    NEAR(advice.flows[0].scale.length, 0.02);
    assert_true(advice.flows[0].pours);
    assert_float_equal(advice.flows[0].speed, 0.2 + 9.81 * 0.09 / 3.0, 0.02);
    assert_float_equal(advice.flows[1].speed, sqrt(0.04 + 2.0 * 9.81 * 0.3), 0.02);
    ooze_scene_free(scene);
}

/* ---- choosing -------------------------------------------------------------------------------- */

static OozeChoice chosen(const char *text)
{
    OozeScene *scene = load_good(text);
    assert_non_null(ooze_scene_chosen(scene));
    OozeChoice own = advise(scene).own;
    ooze_scene_free(scene);
    return own;
}

#define STEP_GIVEN                                                                                 \
    SCENE(", velocity_iterations: auto, passes: auto, density_iterations: auto")                   \
    "time_step: 1/100\n"

/* `lodge` ends at its tolerance: no count follows from distances or layers. Conjugate gradients of
   `consistent` take 3.3 sqrt(nu dt)/d: 400 Pa s at 1 cm and 1/100 s are 6.6. */
#define SWEEPS_GIVEN METHOD("constraint", ", velocity_iterations: auto") "time_step: 1/100\n"
static void iterations_follow_the_distance(void **state)
{
    (void)state;
    OozeChoice one = chosen(STEP_GIVEN "spacing: 0.01\nmaterials: {m: {viscosity: 400}}\n" BLOCK);
    OozeChoice two = chosen(STEP_GIVEN "spacing: 0.01\nmaterials: {m: {viscosity: 800}}\n" BLOCK);
    OozeChoice fine = chosen(STEP_GIVEN "spacing: 0.005\nmaterials: {m: {viscosity: 400}}\n" BLOCK);
    assert_float_equal(one.velocity_iterations, OOZE_VELOCITY_CAP, 0.0);
    assert_float_equal(two.velocity_iterations, OOZE_VELOCITY_CAP, 0.0);
    assert_float_equal(fine.velocity_iterations, OOZE_VELOCITY_CAP, 0.0);
    assert_true(two.cost > one.cost); /* diagonal: in proportion to the distance */
    OozeChoice sweeps =
        chosen(SWEEPS_GIVEN "spacing: 0.01\nmaterials: {m: {viscosity: 400}}\n" BLOCK);
    assert_float_equal(sweeps.velocity_iterations, ceil(3.3 * sqrt(0.4 * 0.01) / 0.01), 0.0);
    /* the density stage: 2 layers dt sqrt(g/d) for 5%, and a fifth of the error is allowed */
    assert_float_equal(one.density_iterations, ceil(20.0 * 0.01 * sqrt(5.0 * 981.0)), 0.0);
    assert_float_equal(fine.density_iterations, ceil(40.0 * 0.01 * sqrt(5.0 * 1962.0)), 0.0);
    /* multigrid: the same cost at any stiffness */
    OozeChoice stiff = chosen(STEP_GIVEN "spacing: 0.01\nmaterials: {m: {viscosity: 1e6}}\n" BLOCK);
    OozeChoice more = chosen(STEP_GIVEN "spacing: 0.01\nmaterials: {m: {viscosity: 4e6}}\n" BLOCK);
    assert_float_equal(stiff.velocity_iterations, OOZE_VELOCITY_CAP, 0.0);
    assert_float_equal(stiff.cost, more.cost, 0.0);
    /* no more sweeps than 1.6 for each layer: 30 along the longest side */
    stiff = chosen(SWEEPS_GIVEN "spacing: 0.01\nmaterials: {m: {viscosity: 1e6}}\n" BLOCK);
    assert_float_equal(stiff.velocity_iterations, 48.0, 0.0);
    assert_float_equal(one.passes, 2.0, 0.0);
    OozeChoice rough = chosen(
        METHOD("constraint",
               ", velocity_iterations: auto, auto_error: 0.2") "time_step: 1/100\n"
                                                               "spacing: 0.01\nmaterials: {m: "
                                                               "{viscosity: "
                                                               "400}}\n" BLOCK);
    assert_float_equal(rough.velocity_iterations,
                       ceil(3.3 * sqrt(0.4 * 0.01) / 0.01 * log(10.0) / log(40.0)), 0.0);
}

static void steps_follow_the_flow(void **state)
{
    (void)state;
#define AUTO SCENE("") "time_step: auto\nspacing: 0.01\n"
    /* water comes down from 0.1 m at 1.4 m/s: 7.1 ms to a spacing, 0.05 * 2 H/U = 7.1 ms: 15 a
       frame */
    OozeChoice water = chosen(AUTO "materials: {m: {viscosity: 0.001}}\n" BLOCK);
    NEAR(water.time_step, 0.1 / 15.0);
    NEAR(water.substeps, 1.0);
    /* tar at 0.098 m/s: 0.05 * 0.2/0.0981 = 0.102 s, no longer than a frame */
    NEAR(chosen(AUTO "materials: {m: {viscosity: 1000}}\n" BLOCK).time_step, 0.1);
    /* jelly of 1000 Pa: turns at pi/2 sqrt(3) c/H = 27.2/s, dt = 0.05/0.9/27.2 */
    OozeChoice jelly = chosen(AUTO "materials: {m: {modulus: 1000}}\n" BLOCK);
    double turn = 0.5 * OOZE_PI * sqrt(3.0) / 0.1;
    const double share = 0.05 / 0.9;
    NEAR(jelly.time_step, 0.1 / ceil(0.1 * turn / share));
    /* stiffness whose swing is far below a spacing does not count: d/(2 g/turn^2) times that */
    turn *= 180.0; /* 3.24e7 Pa */
    OozeChoice rubber = chosen(AUTO "materials: {m: {modulus: 3.24e7}}\n" BLOCK);
    double step = share / turn * (0.01 * turn * turn / (2.0 * 9.81));
    assert_true(step > 0.1);
    NEAR(rubber.time_step, 0.1);
    /* surface tension: 2 sqrt(rho d^3/(pi^3 sigma)) */
    OozeChoice tense =
        chosen(AUTO "materials: {m: {viscosity: 0.001, surface_tension: 7}}\n" BLOCK);
    double stable = 2.0 * sqrt(1000.0 * 1e-6 / (pow(OOZE_PI, 3.0) * 7.0));
    NEAR(tense.time_step, 0.1 / ceil(0.1 / stable));
}

/* What is given wins; what is `auto` is chosen alone; the canonical text has numbers and stays
   itself. */
static void given_values_are_kept(void **state)
{
    (void)state;
#define TAR "spacing: 0.01\nmaterials: {m: {viscosity: 400}}\n" BLOCK
    OozeScene *scene = load_good(SCENE(", velocity_iterations: auto") "time_step: 1/40\n" TAR);
    assert_string_equal(ooze_scene_chosen(scene), "velocity_iterations: 1000");
    assert_null(strstr(ooze_scene_canonical(scene), "iterations: auto"));
    ooze_scene_free(scene);
    scene = load_good(SCENE(", passes: 3") "time_step: auto\n" TAR);
    const char *words = ooze_scene_chosen(scene);
    assert_non_null(strstr(words, "time_step: 1/"));
    assert_null(strstr(words, "passes"));
    assert_float_equal(advise(scene).own.passes, 3.0, 0.0);
    /* read again it is the same scene, with nothing left to choose */
    const char *text = ooze_scene_canonical(scene);
    OozeScene *again = load_good(text);
    assert_null(ooze_scene_chosen(again));
    assert_string_equal(ooze_scene_canonical(again), text);
    assert_memory_equal(&ooze_scene_info(again)->time_step, &ooze_scene_info(scene)->time_step,
                        sizeof(double));
    ooze_scene_free(again);
    ooze_scene_free(scene);
    scene = load_good(SCENE("") "time_step: 1/40\n" TAR);
    assert_null(ooze_scene_chosen(scene));
    ooze_scene_free(scene);
    expect_one(SCENE("") TAR, 1, 1, "lacks 'time_step'", "auto");
    expect_one(SCENE(", hourglass: auto") "time_step: auto\n" TAR, 2, 41,
               "'hourglass' must be a number", NULL);
}

/* Few iterations are enough for short steps: they reach the tolerance of 3e-4 after 0.89 (3 + 5.2
   sqrt(nu dt)/d).
   Other methods choose their step alone. */
static void other_values_match_the_given_ones(void **state)
{
    (void)state;
    OozeChoice few = chosen(SCENE(", velocity_iterations: 10") "time_step: auto\n" TAR);
    const double digits = log(2.0 / 3e-4) / log(2.0 / 1e-4);
    assert_true(digits * (3.0 + 5.2 * sqrt(0.4 * few.time_step) / 0.01) <= 10.0);
    assert_true(digits * (3.0 + 5.2 * sqrt(0.4 * few.time_step * 1.2) / 0.01) > 10.0);
    OozeScene *scene = load_good("ooze: 2\nmethod: {name: stress}\nspacing: 0.02\ntime_step: auto\n"
                                 "duration: 1\nmaterials: {m: {viscosity: 2}}\n" BLOCK);
    assert_non_null(strstr(ooze_scene_chosen(scene), "time_step"));
    OozeWorld *world = NULL;
    CHECK_OK(ooze_scene_build(scene, NULL, &world, &error));
    CHECK_OK(ooze_scene_check_physics(scene, world, &error));
    assert_int_equal(ooze_scene_diagnostic_count(scene), 0);
    ooze_world_destroy(world);
    ooze_scene_free(scene);
    scene = load_good("ooze: 2\nmethod: {name: ballistic}\nspacing: 0.02\ntime_step: auto\n"
                      "duration: 1\nframe_rate: 8\nmaterials: {m: {}}\n" BLOCK);
    NEAR(ooze_scene_info(scene)->time_step, 0.125);
    ooze_scene_free(scene);
}

/* Choosing looks at shapes, solids and motion: every allocation that fails is told, and none is
   lost. */
static void out_of_memory(void **state)
{
    (void)state;
    const char *text =
        SCENE("") "time_step: auto\nspacing: 0.01\nmaterials: {m: {viscosity: 400}}\n"
                  "emitters: [{name: a, material: m, radius: 0.02, speed: 1, motion: "
                  "{velocity: [1, 0, 0]}}]\n" BLOCK;
    OozeStatus status = OOZE_ERROR_MEMORY;
    int failures = 0;
    for (uint64_t n = 1; status == OOZE_ERROR_MEMORY; n++) {
        OozeScene *scene = NULL;
        OozeSceneAdvice advice;
        OozeError error = {0};
        ooze_memory_fail_after(n);
        status = ooze_scene_load_text(text, strlen(text), "test.yaml", &scene, &error);
        status = status ? status : ooze_scene_advice(scene, &advice, &error);
        ooze_memory_fail_after(0);
        failures += status == OOZE_ERROR_MEMORY;
        ooze_scene_free(scene);
    }
    assert_int_equal(status, OOZE_OK);
    assert_true(failures > 10);
}

/* Each line names the reason that counts: where the scene asks for second order, yielding and a
   bounce that is not resolved do not keep a material of first order. */
static void orders_name_their_reason(void **state)
{
    (void)state;
    static const struct {
        const char *setting, *numbers, *order;
    } rows[] = {
        {"auto", "modulus: 1000, yield_strain: 0.1", "first order: what yields does not bounce"},
        {"second_order", "modulus: 1000, yield_strain: 0.1",
         "second order, by the scene's settings"},
        {"second_order", "modulus: 1000, relaxation_time: 0.001, yield_strain: 0.1",
         "first order: it relaxes within a step"},
        {"auto", "modulus: 6e5",
         "first order: a body of 15 layers bounces in 0.7 steps, which no "
         "order resolves"},
        {"second_order", "modulus: 6e5", "second order, by the scene's settings"},
        {"second_order", "modulus: 1e7",
         "first order: a shear wave crosses 1e+02 spacings a step, and 67 at most are solved in "
         "second order"},
        {"first_order", "modulus: 6e5", "first order, by the scene's settings"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 SCENE(", time_integration: %s") "spacing: 0.01\ntime_step: 1/100\n"
                                                 "materials: {m: {%s}}\n" BLOCK,
                 rows[k].setting, rows[k].numbers);
        OozeScene *scene = load_good(text);
        assert_string_equal(advise(scene).orders[0], rows[k].order);
        ooze_scene_free(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_a_honey_drop),
        cmocka_unit_test(numbers_of_viscoelastic_fluids),
        cmocka_unit_test(numbers_of_blocks),
        cmocka_unit_test(numbers_of_jets),
        cmocka_unit_test(iterations_follow_the_distance),
        cmocka_unit_test(steps_follow_the_flow),
        cmocka_unit_test(given_values_are_kept),
        cmocka_unit_test(other_values_match_the_given_ones),
        cmocka_unit_test(orders_name_their_reason),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
