/* The world through its API, and its neighbourhood stage through a method made for the purpose. */
#include "check.h"

#include "base/memory.h"
#include "base/vec3.h"
#include "world/world.h"

static OozeWorldDef small_def(void)
{
    OozeWorldDef def = ooze_world_def_default();
    def.spacing = 0.05;
    def.threads = 2;
    return def;
}

static void invalid_definitions_are_errors(void **state)
{
    (void)state;
    OozeWorld *world = NULL;
    OozeWorldDef def = small_def();
    def.method = "balistic";
    CHECK_FAILS(ooze_world_create(&def, &world, &error), OOZE_ERROR_ARGUMENT, "balistic");
    def = small_def();
    def.spacing = -1;
    CHECK_FAILS(ooze_world_create(&def, &world, &error), OOZE_ERROR_ARGUMENT, "spacing");
    def.spacing = NAN;
    CHECK_FAILS(ooze_world_create(&def, &world, &error), OOZE_ERROR_ARGUMENT, "spacing");
    def = small_def();
    def.time_step = 0;
    CHECK_FAILS(ooze_world_create(&def, &world, &error), OOZE_ERROR_ARGUMENT, "time_step");
    def = small_def();
    def.gravity.x = INFINITY;
    CHECK_FAILS(ooze_world_create(&def, &world, &error), OOZE_ERROR_ARGUMENT, "gravity");
    def = small_def();
    def.periodic[1] = true;
    CHECK_FAILS(ooze_world_create(&def, &world, &error), OOZE_ERROR_ARGUMENT, "periodic axis y");
    def = small_def();
    def.threads = -3;
    CHECK_FAILS(ooze_world_create(&def, &world, &error), OOZE_ERROR_ARGUMENT, "threads");
    assert_null(world);
}

static void numbers_are_checked_and_kept(void **state)
{
    (void)state;
    OozeWorld *world = NULL;
    OozeWorldDef def = small_def();
    CHECK_OK(ooze_world_create(&def, &world, &error));
    OozeMaterialDef material = ooze_material_def_default();
    material.name = "honey";
    CHECK_FAILS(ooze_material_def_set(&material, "viscosty", 1, &error), OOZE_ERROR_ARGUMENT,
                "viscosty");
    CHECK_FAILS(ooze_material_def_set(&material, "density", -1, &error), OOZE_ERROR_ARGUMENT,
                "density of honey");
    OozeMaterialId id;
    CHECK_OK(ooze_world_add_material(world, &material, &id, &error));
    CHECK_OK(ooze_world_set_material(world, id, "viscosity", 12, &error));
    double value = 0;
    CHECK_OK(ooze_world_get_material(world, id, "viscosity", &value, &error));
    assert_true(value == 12);
    CHECK_FAILS(ooze_world_set_material(world, (OozeMaterialId){7}, "density", 1, &error),
                OOZE_ERROR_ARGUMENT, "no material 7");
    CHECK_OK(ooze_world_set_param(world, "contact_distance", 0.25, &error));
    CHECK_OK(ooze_world_get_param(world, "contact_distance", &value, &error));
    assert_true(value == 0.25);
    CHECK_FAILS(ooze_world_set_param(world, "contact_distance", NAN, &error), OOZE_ERROR_ARGUMENT,
                "contact_distance");
    CHECK_FAILS(ooze_world_set_solid(world, (OozeSolidId){0}, OOZE_SOLID_FRICTION, 1, &error),
                OOZE_ERROR_ARGUMENT, "no solid 0");
    OozeVec3 nan_point = vec3(0, NAN, 0);
    CHECK_FAILS(ooze_world_add_particles(world, id, 1, &nan_point, NULL, &error),
                OOZE_ERROR_ARGUMENT, "not finite");
    /* finite as a double, but particles are stored as floats */
    OozeVec3 far = vec3(0, 0, 1e39), near = vec3(0, 0, 0);
    CHECK_FAILS(ooze_world_add_particles(world, id, 1, &far, NULL, &error), OOZE_ERROR_ARGUMENT,
                "float");
    CHECK_FAILS(ooze_world_add_particles(world, id, 1, &near, &far, &error), OOZE_ERROR_ARGUMENT,
                "float");
    OozeSolidDef solid = ooze_solid_def_default();
    OozeSolidId floor;
    CHECK_OK(ooze_world_add_solid(world, &solid, &floor, &error));
    CHECK_FAILS(ooze_world_set_solid(world, floor, OOZE_SOLID_RESTITUTION, 1.5, &error),
                OOZE_ERROR_ARGUMENT, "restitution of solid");
    CHECK_FAILS(ooze_world_set_solid(world, floor, OOZE_SOLID_COLLIDES, 0.5, &error),
                OOZE_ERROR_ARGUMENT, "0 or 1");
    CHECK_FAILS(ooze_world_get_solid(world, floor, OOZE_SOLID_PARAM_COUNT, &value, &error),
                OOZE_ERROR_ARGUMENT, "no solid parameter");
    CHECK_OK(ooze_world_set_solid(world, floor, OOZE_SOLID_FRICTION, INFINITY, &error));
    CHECK_OK(ooze_world_get_solid(world, floor, OOZE_SOLID_FRICTION, &value, &error));
    assert_true(isinf(value));
    CHECK_FAILS(ooze_world_advance(world, NAN, NULL, NULL, &error), OOZE_ERROR_ARGUMENT, "advance");
    ooze_world_destroy(world);
}

/* ---- a method that only counts what it is given -------------------------------------------- */

typedef struct Seen {
    uint64_t fluid_pairs, boundary_pairs, boundary_particles, steps;
    int poison; /* step at which a particle goes wrong, or -1 */
} Seen;
static Seen seen;

static OozeStatus count_step(void *data, OozeStepContext *context, OozeError *error)
{
    (void)data;
    (void)error;
    seen.fluid_pairs = context->fluid->pairs;
    seen.boundary_pairs = context->fluid_boundary->pairs;
    seen.boundary_particles = context->boundary->count;
    if ((int)seen.steps == seen.poison) {
        ooze_particles_velocities(context->particles)[3].y = NAN;
    }
    seen.steps++;
    return OOZE_OK;
}

static const char *const no_keys[] = {NULL};
static const OozeMethod counting_method = {
    .info = {.name = "counting", .summary = "counts", .reference = ""},
    .material_keys = no_keys,
    .uses_boundary_neighbours = true,
    .step = count_step,
};

static OozeWorld *counting_world(bool floor)
{
    OozeWorld *world = NULL;
    OozeWorldDef def = small_def();
    def.gravity = (OozeVec3){0};
    def.support_ratio = 1.2;
    seen = (Seen){.poison = -1};
    CHECK_OK(ooze_world_create_with(&def, &counting_method, &world, &error));
    OozeMaterialDef material = ooze_material_def_default();
    CHECK_OK(ooze_world_add_material(world, &material, NULL, &error));
    OozeFluidDef box = ooze_fluid_def_default();
    box.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    box.shape.size = vec3(0.5, 0.5, 0.5);
    box.shape.position = vec3(0, 0.25, 0);
    uint64_t added = 0;
    CHECK_OK(ooze_world_add_fluid(world, &box, &added, &error));
    assert_int_equal(added, 1000);
    if (floor) {
        OozeSolidDef plane = ooze_solid_def_default();
        plane.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
        CHECK_OK(ooze_world_add_solid(world, &plane, NULL, &error));
    }
    return world;
}

/* With a support of 1.2 spacings only the six face neighbours count: 3 * 9 * 100 ordered twice. */
static void method_gets_its_neighbours(void **state)
{
    (void)state;
    OozeWorld *world = counting_world(true);
    CHECK_OK(ooze_world_step(world, &error));
    assert_int_equal(seen.fluid_pairs, 2 * 3 * 9 * 100);
    /* The lowest layer is half a spacing above the floor: it sees samples, the next layer none. */
    assert_true(seen.boundary_particles > 100);
    assert_in_range(seen.boundary_pairs, 100, 100 * 12);
    OozeWorldStats stats;
    ooze_world_stats(world, &stats);
    assert_int_equal(stats.neighbour_pairs, seen.fluid_pairs + seen.boundary_pairs);
    assert_true(stats.memory_bytes > 1000 * 40);
    ooze_world_destroy(world);
    world = counting_world(false);
    CHECK_OK(ooze_world_step(world, &error));
    assert_int_equal(seen.boundary_pairs, 0);
    ooze_world_destroy(world);
}

static void steady_state_allocates_nothing(void **state)
{
    (void)state;
    OozeWorld *world = counting_world(true);
    for (int i = 0; i < 3; i++) {
        CHECK_OK(ooze_world_step(world, &error));
    }
    for (int i = 0; i < 5; i++) {
        ooze_memory_fail_after(1);
        CHECK_OK(ooze_world_step(world, &error));
        assert_null(ooze_alloc(1, 1)); /* the failure was still waiting: the step took none */
    }
    ooze_memory_fail_after(0);
    ooze_world_destroy(world);
}

static void a_bad_particle_is_named(void **state)
{
    (void)state;
    OozeWorld *world = counting_world(false);
    seen.poison = 2;
    CHECK_OK(ooze_world_step(world, &error));
    CHECK_OK(ooze_world_step(world, &error));
    CHECK_FAILS(ooze_world_step(world, &error), OOZE_ERROR_NUMERIC, "step 2");
    ooze_world_destroy(world);
}

static bool stop_at_three(void *user, double time, double end)
{
    (void)time;
    (void)end;
    return ++*(int *)user < 3;
}

static void progress_can_stop(void **state)
{
    (void)state;
    OozeWorld *world = counting_world(false);
    int calls = 0;
    CHECK_FAILS(ooze_world_advance(world, 1.0, stop_at_three, &calls, &error), OOZE_ERROR_CANCELLED,
                "progress callback");
    assert_int_equal(calls, 3);
    assert_int_equal(ooze_world_frame(world)->step, 3);
    ooze_world_destroy(world);
}

static void restore_refuses_frames_that_do_not_fit(void **state)
{
    (void)state;
    OozeWorld *one = counting_world(true), *other = counting_world(false);
    CHECK_FAILS(ooze_world_restore(other, ooze_world_frame(one), &error), OOZE_ERROR_FORMAT,
                "solids");
    uint64_t hash = ooze_frame_hash(ooze_world_frame(one));
    CHECK_OK(ooze_world_restore(one, ooze_world_frame(one), &error)); /* from its own view */
    assert_true(ooze_frame_hash(ooze_world_frame(one)) == hash);
    OozeFrame frame = *ooze_world_frame(one);
    frame.method = "another";
    CHECK_FAILS(ooze_world_restore(one, &frame, &error), OOZE_ERROR_FORMAT, "another method");
    frame = *ooze_world_frame(one);
    frame.field_count--;
    CHECK_FAILS(ooze_world_restore(one, &frame, &error), OOZE_ERROR_FORMAT, "does not fit");
    ooze_world_destroy(one);
    ooze_world_destroy(other);
}

/* Every allocation on the way may fail; the report says so and nothing leaks (checked under
   ASan). */
static void out_of_memory_is_survived(void **state)
{
    (void)state;
    bool finished = false;
    for (uint64_t n = 1; n < 2000 && !finished; n++) {
        OozeWorld *world = NULL;
        OozeWorldDef def = small_def();
        OozeError error = {0};
        ooze_memory_fail_after(n);
        OozeStatus status = ooze_world_create_with(&def, &counting_method, &world, &error);
        OozeMaterialDef material = ooze_material_def_default();
        OozeFluidDef ball = ooze_fluid_def_default();
        ball.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
        ball.shape.radius = 0.12;
        OozeSolidDef box = ooze_solid_def_default();
        box.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
        box.shape.size = vec3(0.3, 0.1, 0.3);
        box.shape.position = vec3(0, -0.2, 0);
        OozeEmitterDef emitter = ooze_emitter_def_default();
        emitter.radius = 0.1;
        OozeProbeDef probe = ooze_probe_def_default();
        probe.kind = OOZE_PROBE_DRIFT;
        if (!status && !(status = ooze_world_add_material(world, &material, NULL, &error)) &&
            !(status = ooze_world_add_fluid(world, &ball, NULL, &error)) &&
            !(status = ooze_world_add_solid(world, &box, NULL, &error)) &&
            !(status = ooze_world_add_emitter(world, &emitter, NULL, &error)) &&
            !(status = ooze_world_add_probe(world, &probe, NULL, &error)) &&
            !(status = ooze_world_step(world, &error)) &&
            !(status = ooze_world_measure(world, false, &error))) {
            finished = true;
        }
        ooze_memory_fail_after(0);
        if (!finished) {
            assert_int_equal(status, OOZE_ERROR_MEMORY);
            assert_true(strlen(error.message) > 10);
        }
        ooze_world_destroy(world);
    }
    assert_true(finished);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invalid_definitions_are_errors),
        cmocka_unit_test(numbers_are_checked_and_kept),
        cmocka_unit_test(method_gets_its_neighbours),
        cmocka_unit_test(steady_state_allocates_nothing),
        cmocka_unit_test(a_bad_particle_is_named),
        cmocka_unit_test(progress_can_stop),
        cmocka_unit_test(restore_refuses_frames_that_do_not_fit),
        cmocka_unit_test(out_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
