/* Steps divided so that no particle moves too far in a substep, and runs that diverge. */
#include "check.h"

#include "base/vec3.h"
#include "world/world.h"

#define SPACING 0.1
#define STEP    0.0625

/* ---- a method that tells what it was given --------------------------------------------------- */

typedef struct Substep {
    double time, dt;
    OozePose from, to; /* of the last solid */
} Substep;

enum { STROKES_MAX = 256 };
static struct {
    Substep substeps[STROKES_MAX];
    int count;
    double refuses; /* substeps longer than this, s */
    float boost;    /* m/s that every particle gains in a substep */
    OozeFloat4 wrong;
    bool goes_wrong;
} told;

static OozeStatus tell(void *data, OozeStepContext *c, OozeError *error)
{
    (void)data;
    (void)error;
    if (c->dt > told.refuses && isfinite(c->longest_travel)) {
        c->report->too_far = true;
        return OOZE_OK;
    }
    assert_true(told.count < STROKES_MAX);
    const OozeSolid *last = &c->solids[c->solid_count - 1];
    told.substeps[told.count++] =
        (Substep){.time = c->time, .dt = c->dt, .from = last->previous, .to = last->pose};
    OozeFloat4 *x = ooze_particles_positions(c->particles);
    OozeFloat4 *v = ooze_particles_velocities(c->particles);
    for (uint64_t i = 0; i < ooze_particles_count(c->particles); i++) {
        x[i].x += v[i].x * (float)c->dt;
        v[i].x += told.boost;
    }
    if (told.goes_wrong) {
        v[1] = told.wrong;
    }
    return OOZE_OK;
}

static const char *const no_keys[] = {NULL};
static const OozeMethod telling_method = {
    .info = {.name = "telling", .summary = "tells", .reference = ""},
    .material_keys = no_keys,
    .step = tell,
};

/* Particles fly along a floor: they are never in free flight. */
static OozeWorld *telling_world(double speed, double max_travel)
{
    memset(&told, 0, sizeof told);
    told.refuses = INFINITY;
    OozeWorldDef def = ooze_world_def_default();
    def.spacing = SPACING;
    def.time_step = STEP;
    def.max_travel = max_travel;
    def.gravity = vec3(0, 0, 0);
    def.threads = 2;
    OozeWorld *world = NULL;
    CHECK_OK(ooze_world_create_with(&def, &telling_method, &world, &error));
    OozeMaterialDef material = ooze_material_def_default();
    material.name = "jelly";
    CHECK_OK(ooze_world_add_material(world, &material, NULL, &error));
    OozeSolidDef floor = ooze_solid_def_default();
    floor.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    floor.shape.position = vec3(0, -SPACING, 0);
    CHECK_OK(ooze_world_add_solid(world, &floor, NULL, &error));
    OozeVec3 x[2] = {vec3(0, 0, 0), vec3(0, 1, 0)}, v[2] = {vec3(speed, 0, 0), vec3(0, 0, 0)};
    CHECK_OK(ooze_world_add_particles(world, (OozeMaterialId){0}, 2, x, v, &error));
    return world;
}

static int substeps(const OozeWorld *world)
{
    OozeWorldStats stats;
    ooze_world_stats(world, &stats);
    return stats.substeps;
}

/* Substeps follow each other without gaps and fill whole steps. */
static void check_substeps(double begin, double end)
{
    double at = begin;
    for (int i = 0; i < told.count; i++) {
        CHECK_NEAR(told.substeps[i].time, at, 1e-12);
        at += told.substeps[i].dt;
    }
    CHECK_NEAR(at, end, 1e-12);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void slow_steps_are_not_divided(void **state)
{
    (void)state;
    OozeWorld *world = telling_world(SPACING / STEP, 1); /* one spacing a step exactly */
    CHECK_OK(ooze_world_step(world, &error));
    assert_int_equal(told.count, 1);
    assert_true(told.substeps[0].dt == STEP && substeps(world) == 1);
    ooze_world_destroy(world);
    world = telling_world(50 * SPACING / STEP, 0); /* off */
    CHECK_OK(ooze_world_step(world, &error));
    assert_int_equal(told.count, 1);
    ooze_world_destroy(world);
}

static void fast_steps_are_divided(void **state)
{
    (void)state;
    OozeWorld *world = telling_world(5 * SPACING / STEP, 1); /* 5 spacings: 8 substeps */
    CHECK_OK(ooze_world_step(world, &error));
    CHECK_OK(ooze_world_step(world, &error));
    assert_int_equal(told.count, 16);
    assert_int_equal(substeps(world), 8);
    check_substeps(0, 2 * STEP);
    assert_true(world->time == 2 * STEP && world->step == 2);
    for (int i = 0; i < told.count; i++) {
        assert_true(told.substeps[i].dt * 5 * SPACING / STEP <= SPACING * (1 + 1e-12));
    }
    ooze_world_destroy(world);
    world = telling_world(500 * SPACING / STEP, 1); /* more than is allowed: as short as it gets */
    CHECK_OK(ooze_world_step(world, &error));
    assert_int_equal(told.count, OOZE_SUBSTEP_UNITS);
    ooze_world_destroy(world);
}

/* Speed that comes within the step shortens what is left of it. */
static void substeps_shorten_with_growing_speed(void **state)
{
    (void)state;
    OozeWorld *world = telling_world(1.5 * SPACING / STEP, 1);
    told.boost = (float)(3 * SPACING / STEP);
    CHECK_OK(ooze_world_step(world, &error));
    check_substeps(0, STEP);
    double speed = 1.5;
    for (int i = 0; i < told.count; i++, speed += 3) {
        assert_true(told.substeps[i].dt / STEP * speed <= 1 + 1e-6);
        assert_true(i == 0 || told.substeps[i].dt <= told.substeps[i - 1].dt);
    }
    assert_true(told.count > 4);
    ooze_world_destroy(world);
}

/* A method that finds out too late is asked again, with less. */
static void refused_substeps_are_halved(void **state)
{
    (void)state;
    OozeWorld *world = telling_world(0, 1);
    told.refuses = 0.3 * STEP;
    CHECK_OK(ooze_world_step(world, &error));
    assert_int_equal(told.count, 4);
    check_substeps(0, STEP);
    told.count = 0;
    told.refuses = 0; /* refuses whatever it may: the shortest substep it may not */
    CHECK_OK(ooze_world_step(world, &error));
    assert_int_equal(told.count, OOZE_SUBSTEP_UNITS);
    check_substeps(STEP, 2 * STEP);
    ooze_world_destroy(world);
}

/* Solids go their way in parts: each begins where the last has ended. */
static void solids_move_in_substeps(void **state)
{
    (void)state;
    for (int driven = 0; driven < 2; driven++) {
        OozeWorld *world = telling_world(3 * SPACING / STEP, 1);
        OozeSolidDef ball = ooze_solid_def_default();
        ball.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
        ball.shape.radius = 0.2;
        ball.shape.position = vec3(5, 0, 0);
        ball.motion.velocity = vec3(0, 2, 0);
        ball.motion.spin = ooze_vec3_degrees(vec3(0, 0, 1));
        CHECK_OK(ooze_world_add_solid(world, &ball, NULL, &error));
        if (driven) {
            OozeSolidPose pose = {.position = vec3(5, 0, 4 * STEP),
                                  .rotation = quat_from_vector(vec3(0.2, 0, 0)),
                                  .velocity = vec3(0, 0, 4)};
            CHECK_OK(ooze_world_set_solid_pose(world, (OozeSolidId){1}, &pose, &error));
        }
        CHECK_OK(ooze_world_step(world, &error));
        CHECK_OK(ooze_world_step(world, &error));
        assert_int_equal(told.count, 8);
        for (int i = 0; i < 8; i++) {
            double end = told.substeps[i].time + told.substeps[i].dt;
            OozeVec3 travel = driven ? vec3(5, 0, 4 * end) : vec3(5, 2 * end, 0);
            CHECK_NEAR(vec3_length(vec3_sub(told.substeps[i].to.position, travel)), 0, 1e-12);
            if (i > 0) {
                assert_memory_equal(&told.substeps[i].from, &told.substeps[i - 1].to,
                                    sizeof(OozeVec3));
            }
            if (!driven) {
                CHECK_NEAR(told.substeps[i].to.rotation.z, sin(0.5 * end), 1e-12);
            }
        }
        if (driven) { /* arrived in the first step; halfway it has turned halfway */
            CHECK_NEAR(told.substeps[3].to.rotation.x, sin(0.1), 1e-12);
            CHECK_NEAR(told.substeps[1].to.rotation.x, sin(0.05), 1e-4);
        }
        ooze_world_destroy(world);
    }
}

static void diverged_particles_are_errors(void **state)
{
    (void)state;
    OozeWorld *world = telling_world(0, 1);
    told.goes_wrong = true;
    told.wrong = (OozeFloat4){0, (float)(2000 * SPACING / STEP), 0, 0};
    CHECK_FAILS(ooze_world_step(world, &error), OOZE_ERROR_NUMERIC,
                "(material 'jelly') runs away at 3.2e+03 m/s, 2e+03 spacings a step, after stage "
                "'method' of step 0");
    ooze_world_destroy(world);
    world = telling_world(0, 1);
    told.goes_wrong = true;
    told.wrong = (OozeFloat4){NAN, 0, 0, 0};
    CHECK_FAILS(ooze_world_step(world, &error), OOZE_ERROR_NUMERIC, "no longer finite");
    ooze_world_destroy(world);
    world = telling_world(0, 1);
    OozeVec3 far = vec3(0, 0, 5e6 * SPACING);
    CHECK_OK(ooze_world_add_particles(world, (OozeMaterialId){0}, 1, &far, NULL, &error));
    CHECK_FAILS(ooze_world_step(world, &error), OOZE_ERROR_NUMERIC,
                "particle 2 (material 'jelly') has run away to 5e+05 m");
    ooze_world_destroy(world);
}

/* ---- the conformation method ----------------------------------------------------------------- */

/* A soft ball thrown at a wall at 10 spacings a step. */
static OozeWorld *thrown(int threads, double max_travel)
{
    OozeWorldDef def = ooze_world_def_default();
    def.method = "conformation";
    def.spacing = SPACING;
    def.time_step = 1.0 / 60;
    def.max_travel = max_travel;
    def.threads = threads;
    OozeWorld *world = NULL;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    OozeMaterialDef material = ooze_material_def_default();
    CHECK_OK(ooze_material_def_set(&material, "modulus", 2e4, &error));
    CHECK_OK(ooze_world_add_material(world, &material, NULL, &error));
    OozeSolidDef floor = ooze_solid_def_default();
    floor.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    CHECK_OK(ooze_world_add_solid(world, &floor, NULL, &error));
    OozeFluidDef ball = ooze_fluid_def_default();
    ball.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    ball.shape.radius = 0.4;
    ball.shape.position = vec3(0, 1.2, 0);
    ball.velocity = vec3(0, -60 * SPACING * 5, 0);
    CHECK_OK(ooze_world_add_fluid(world, &ball, NULL, &error));
    return world;
}

static void divided_steps_have_the_same_bits_on_threads_and_resumed(void **state)
{
    (void)state;
    uint64_t hash[4];
    for (int run = 0; run < 4; run++) { /* one and two threads, resumed, and three */
        OozeWorld *world = thrown(run == 0 ? 1 : run, 1), *resumed = NULL;
        int most = 0;
        for (int i = 0; i < 20; i++) {
            CHECK_OK(ooze_world_step(resumed ? resumed : world, &error));
            int now = substeps(resumed ? resumed : world);
            most = now > most ? now : most;
            if (run == 2 && i == 2) {
                resumed = thrown(2, 1);
                CHECK_OK(ooze_world_restore(resumed, ooze_world_frame(world), &error));
            }
        }
        hash[run] = ooze_frame_hash(ooze_world_frame(resumed ? resumed : world));
        assert_in_range(most, 4, OOZE_SUBSTEP_UNITS); /* the last part of the fall is divided */
        ooze_world_destroy(world);
        ooze_world_destroy(resumed);
    }
    assert_true(hash[0] == hash[1] && hash[1] == hash[2] && hash[2] == hash[3]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_steps_are_not_divided),
        cmocka_unit_test(fast_steps_are_divided),
        cmocka_unit_test(substeps_shorten_with_growing_speed),
        cmocka_unit_test(refused_substeps_are_halved),
        cmocka_unit_test(solids_move_in_substeps),
        cmocka_unit_test(diverged_particles_are_errors),
        cmocka_unit_test(divided_steps_have_the_same_bits_on_threads_and_resumed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
