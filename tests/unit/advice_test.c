/* Warnings of methods about materials and settings before a run. */
#include "scene_text.h"

#include "world/world.h"

/* Five lines; what a test adds begins on line 6. */
#define CONSTRAINT(settings)   METHOD("constraint", settings)
#define CONFORMATION(settings) METHOD("conformation", settings)
#define METHOD(name, settings)                                                                     \
    "ooze: 2\n"                                                                                    \
    "method: {name: " name settings "}\n"                                                          \
    "spacing: 0.02\n"                                                                              \
    "time_step: 1/240\n"                                                                           \
    "duration: 1\n"
#define BLOCK      "fluids: [{material: m, shape: {type: box, size: [0.4, 0.8, 0.4]}}]\n"
#define M(numbers) "materials:\n  m: {" numbers "}\n" BLOCK

static OozeScene *checked(const char *text)
{
    OozeScene *scene = load_good(text);
    OozeWorld *world = NULL;
    CHECK_OK(ooze_scene_build(scene, NULL, &world, &error));
    CHECK_OK(ooze_scene_check_physics(scene, world, &error));
    ooze_world_destroy(world);
    return scene;
}

static void silent(const char *text)
{
    OozeScene *scene = checked(text);
    if (ooze_scene_diagnostic_count(scene) > 0) {
        print_diagnostics(scene);
        fail_msg("nothing was to be said");
    }
    ooze_scene_free(scene);
}

static void warned(const char *text, int column, const char *message, const char *hint)
{
    OozeScene *scene = checked(text);
    expect_hint(expect(scene, 7, column, message), hint);
    assert_int_equal(ooze_scene_diagnostic_count(scene), 1);
    ooze_scene_free(scene);
}

static void warnings_for_contradictory_numbers(void **state)
{
    (void)state;
#define C CONFORMATION(", velocity_iterations: 200")
    silent(C M("viscosity: 10, modulus: 100"));
    silent(C M("viscosity: 10, relaxation_time: 0.1"));
    silent(C M("modulus: 100, relaxation_time: 0.1"));
    silent(C M("compliance: 10, relaxation_time: 0.1")); /* 1000/10 = 100 Pa */
    silent(C M("viscosity: 10, modulus: 100, relaxation_time: 0.1"));
    silent(C M("viscosity: 10, compliance: 10, relaxation_time: 0.1"));
    silent(C M("viscosity: 1"));
    silent(C M("compliance: 0, relaxation_time: 0.1"));
    warned(C M("viscosity: 20, modulus: 100, relaxation_time: 0.1"), 18,
           "make 10 Pa s: the viscosity is not used", "give two");
    warned(C M("viscosity: 20, compliance: 10, relaxation_time: 0.1"), 18, "make 10 Pa s", "two");
    warned(C M("modulus: 200, compliance: 10"), 33, "stands for 100 Pa: the modulus counts", "one");
    warned(C M("relaxation_time: 1"), 24, "nothing that relaxes", "add");
    warned(C M("viscosity: 10, yield_strain: 0.1"), 36, "no strain to yield at", "modulus");
#undef C
    warned("ooze: 2\nmethod: {name: stress}\nspacing: 0.02\ntime_step: 1/24000\nduration: 1\n" M(
               "viscosity: 2, modulus: 100, relaxation_time: 0.1"),
           18, "make 10 Pa s", NULL);
}

/* nu dt/d^2 = (eta/1000) / 240 / 0.0004 for the block of 40 layers: 1 at 96 Pa s, 100 at 9600 Pa
   s. */
static void warnings_for_too_few_iterations(void **state)
{
    (void)state;
    /* the solve ends at its tolerance: nothing is too stiff */
    silent(CONFORMATION("") M("viscosity: 96"));
    silent(CONFORMATION("") M("viscosity: 9600"));
    silent(CONFORMATION("") M("viscosity: 1e9"));
    /* but for a cap that a scene gives: 0.89 (3 + 52) iterations reach 3e-4, or at the step
       ((20/0.89 - 3)/52)^2 / 240 */
    silent(CONFORMATION(", velocity_iterations: 45") M("viscosity: 9600"));
    warned(CONFORMATION(", velocity_iterations: 20") M("viscosity: 9600"), 3, "over 10 spacings",
           "leave velocity_iterations out, or use time_step: 0.00059");
    /* stiffer than the block is high: the diagonal preconditioner needs 0.89 * 6.2 for each of its
       40 layers */
    warned(CONFORMATION(", velocity_iterations: 20") M("viscosity: 1e9"), 3, "too stiff for 20",
           "leave velocity_iterations out");
    warned(CONFORMATION(", velocity_iterations: 120, velocity_preconditioner: diagonal")
               M("viscosity: 1e9"),
           3, "too stiff for 120", "leave velocity_iterations out");
    warned(
        CONFORMATION(", velocity_preconditioner: diagonal") "materials:\n  m: {viscosity: 1e9}\n"
                                                            "fluids: [{material: m, shape: {type: "
                                                            "box, size: [20, 0.02, 0.02]}}]\n",
        3, "too stiff for 1000", "use velocity_preconditioner: auto");
    silent(CONFORMATION(", velocity_preconditioner: multigrid") M("viscosity: 1e9"));
    /* a thin film of the same fluid is stuck sooner than it is crossed */
    silent(CONFORMATION("") "materials: {m: {viscosity: 1e9}}\n"
                            "fluids: [{material: m, shape: {type: box, size: [0.2, 0.2, 0.2]}}]\n");
    /* those of the others have no tolerance: 3.3 * 10 = 33 iterations, or the step at which the 20
       of scenes that give none are enough, (20/33)^2 / 240; Jacobi: 0.78 a sweep */
    warned(CONSTRAINT("") M("viscosity: 9600"), 3, "over 10 spacings",
           "velocity_iterations: 33, or time_step: 0.0015");
    warned(CONSTRAINT(", solver: jacobi") M("viscosity: 9600"), 3, "too stiff",
           "velocity_iterations: 129");
    warned(CONSTRAINT(", formulation: paper") M("viscosity: 9600"), 3, "too stiff",
           "velocity_iterations: 129");
    /* as stiff as the iterations allow is what was asked for */
    silent(CONFORMATION("") M("compliance: 0, relaxation_time: 1"));
    silent(CONFORMATION("") M("compliance: 0, relaxation_time: 0"));
}

/* sqrt(G/rho)/240 = 2 supports = 0.088 m at G/rho = 446 m2/s2; two iterations carry it as far. */
static void warnings_for_fast_shear_waves(void **state)
{
    (void)state;
    warned(CONFORMATION(", velocity_iterations: 2") M("modulus: 460e3"), 3,
           "a shear wave in 'm' runs 0.0894 m a step, and 2 iterations carry it 0.088 m",
           "leave velocity_iterations out");
    warned(CONFORMATION(", velocity_iterations: 2") M("modulus: 430e3"), 3, "too stiff for 2", "");
    silent(CONFORMATION("") M("modulus: 460e3"));
}

#define BODY(numbers, kind)                                                                        \
    "materials:\n  m: {" numbers "}\n"                                                             \
    "fluids: [{material: m, body: " kind ", shape: {type: box, size: [0.2, 0.2, 0.2]}}]\n"

static void warnings_for_bodies(void **state)
{
    (void)state;
#define D CONFORMATION(", velocity_iterations: 200")
    silent(D BODY("density: 500", "rigid"));
    silent(D BODY("modulus: 1000", "soft"));
    silent(D BODY("modulus: 1000, solvent_viscosity: 1", "soft"));
    silent(D BODY("compliance: 0.1", "soft"));
    warned(D BODY("modulus: 1000", "rigid"), 16, "uses only the density", "body: soft");
    warned(D BODY("viscosity: 10", "rigid"), 18, "uses only the density", "body: soft");
    warned(D BODY("modulus: 1000, relaxation_time: 0.1", "soft"), 39, "never relaxes", "damp");
    OozeScene *scene = checked(D BODY("density: 500", "soft"));
    expect_hint(expect(scene, 7, 3, "nothing holds it together"), "add a modulus");
    ooze_scene_free(scene);
#undef D
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warnings_for_bodies),
        cmocka_unit_test(warnings_for_contradictory_numbers),
        cmocka_unit_test(warnings_for_too_few_iterations),
        cmocka_unit_test(warnings_for_fast_shear_waves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
