/* Runs with `time_step: auto` against converged ones, and against the cheapest of equal error. */
#include "scene_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "methods/conformation/cost_model.h"
#include "scene/advice.h"
#include "world/world.h"

/* What is measured of a flow is one number; `scale` of it is what the error is a share of. */
typedef struct Case {
    const char *name, *body;
    double seconds;
    double (*measure)(OozeWorld *world);
    double start; /* of the number, from which it moves; NAN: the number itself is the scale */
} Case;

typedef struct Outcome {
    double lowest, last; /* of the number */
    double cost;         /* velocity iterations times particles */
} Outcome;

static double centre_height(OozeWorld *world)
{
    const OozeFloat4 *x = ooze_particles_positions(world->particles);
    uint64_t n = ooze_particles_count(world->particles);
    double sum = 0.0;
    for (uint64_t i = 0; i < n; i++) {
        sum += (double)x[i].y;
    }
    return n ? sum / (double)n : 0.0;
}

/* RMS distance from the jet's axis: how far the pool has spread. */
static double spread(OozeWorld *world)
{
    const OozeFloat4 *x = ooze_particles_positions(world->particles);
    uint64_t n = ooze_particles_count(world->particles);
    double sum = 0.0;
    for (uint64_t i = 0; i < n; i++) {
        sum += (double)x[i].x * (double)x[i].x + (double)x[i].z * (double)x[i].z;
    }
    return n ? sqrt(sum / (double)n) : 0.0;
}

#define ON_FLOOR "solids: [{name: floor, friction: inf, shape: {type: plane}}]\n"
#define HEAP                                                                                       \
    "spacing: 0.01\nduration: 0.25\nframe_rate: 12\nfluids: [{material: m, shape: {type: box, "    \
    "size: [0.08, 0.12, 0.08], position: [0, 0.06, 0]}}]\n" ON_FLOOR

static const Case cases[] = {
    {"slump", HEAP "materials: {m: {viscosity: 50}}\n", 0.25, centre_height, 0.06},
    {"block", HEAP "materials: {m: {modulus: 1000}}\n", 0.1667, centre_height, 0.06},
    {"jet",
     "spacing: 0.005\nduration: 0.5\nframe_rate: 12\nmaterials: {m: {viscosity: 10, "
     "relaxation_time: 0.05}}\nemitters: [{name: jet, material: m, radius: 0.0125, position: [0, "
     "0.15, 0], speed: 0.5}]\n" ON_FLOOR,
     0.5, spread, NAN},
};

/* Runs a case with these settings. */
static Outcome run(const Case *c, const char *settings, const char *step)
{
    char text[2048];
    snprintf(text, sizeof text, "ooze: 2\nmethod: {name: conformation, %s}\ntime_step: %s\n%s",
             settings, step, c->body);
    OozeScene *scene = load_good(text);
    OozeBuildOptions alone = {.threads = 1};
    OozeWorld *world = NULL;
    CHECK_OK(ooze_scene_build(scene, &alone, &world, &error));
    OozeSceneAdvice advice;
    CHECK_OK(ooze_scene_advice(scene, &advice, &error));
    OozeConformationSettings lodge = {.formulation = OOZE_FORMULATION_LODGE};
    double substep =
        ooze_cost_of_step(&lodge, 0.0, advice.own.passes, advice.own.density_iterations);
    uint64_t steps = (uint64_t)round(c->seconds / ooze_scene_info(scene)->time_step);
    Outcome out = {.lowest = INFINITY};
    for (uint64_t i = 0; i < steps; i++) {
        CHECK_OK(ooze_world_step(world, &error));
        out.last = c->measure(world);
        out.lowest = fmin(out.lowest, out.last);
        out.cost += (double)ooze_particles_count(world->particles) *
                    (world->substep.count * substep + world->report.iterations);
    }
    ooze_world_destroy(world);
    ooze_scene_free(scene);
    return out;
}

/* Of an elastic block the first sag counts, of all else the end. */
static double result(const Case *c, const Outcome *out)
{
    return strcmp(c->name, "block") == 0 ? out->lowest : out->last;
}

static double error_of(const Case *c, const Outcome *out, const Outcome *reference)
{
    double wanted = result(c, reference);
    double scale = isnan(c->start) ? wanted : c->start - wanted;
    return fabs(result(c, out) - wanted) / fabs(scale);
}

static void is_accurate_and_cheap(const Case *c)
{
    static const char *const steps[] = {"1/36", "1/60", "1/120", "1/240"};
    static const char *const tolerances[] = {"0.1", "0.01", "0.001"};
    /* a fall is more accurate than the rule for its step expects */
    const double allowed = 0.05, dearest = 4.0;
    Outcome reference = run(c, "tolerance: 1e-5, density_iterations: 20", "1/960");
    Outcome chosen = run(c, "passes: auto", "auto");
    double error_made = error_of(c, &chosen, &reference), cheapest = INFINITY;
    for (size_t s = 0; s < 4; s++) {
        for (size_t k = 0; k < 3; k++) {
            char settings[64];
            snprintf(settings, sizeof settings, "tolerance: %s", tolerances[k]);
            Outcome out = run(c, settings, steps[s]);
            if (error_of(c, &out, &reference) <= allowed) {
                cheapest = fmin(cheapest, out.cost);
            }
        }
    }
    print_message("%s: error %.2f%%, %.2f times the cheapest that is as good\n", c->name,
                  100.0 * error_made, chosen.cost / cheapest);
    assert_true(error_made <= allowed);
    assert_true(chosen.cost <= dearest * cheapest);
}

static void thick_slump(void **state)
{
    (void)state;
    is_accurate_and_cheap(&cases[0]);
}

static void elastic_block(void **state)
{
    (void)state;
    is_accurate_and_cheap(&cases[1]);
}

static void viscoelastic_jet(void **state)
{
    (void)state;
    is_accurate_and_cheap(&cases[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thick_slump),
        cmocka_unit_test(elastic_block),
        cmocka_unit_test(viscoelastic_jet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
