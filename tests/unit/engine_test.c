/* A world with another engine: the same bits as on the processor, and no more copies between engine
   and host than needed. */
#include "unit/mirror_engine.h"

#include "physics/fixtures.h"

#define SPACING 0.02

/* Hands the world's steps to the mirror. */
static void use_mirror(OozeWorld *world)
{
    world->gpu_engine = &mirror;
    world->device = OOZE_DEVICE_CUDA;
}

typedef struct Fixture {
    OozeWorld *world;
    OozeMaterialId honey;
} Fixture;

static void add_moving_bowl(OozeWorld *world)
{
    static const OozeKeyframe keys[] = {
        {.time = 0.0, .position = {0, 0.1, 0}, .rotation = {0, 0, 0, 1}},
        {.time = 0.1, .position = {0.05, 0.12, 0}, .rotation = {0, 0, 0, 1}}};
    OozeSolidDef box = ooze_solid_def_default();
    box.name = "box";
    box.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    box.shape.size = vec3(0.1, 0.1, 0.3);
    box.shape.position = vec3(0, 0.1, 0);
    box.motion.keyframes = keys;
    box.motion.keyframe_count = 2;
    CHECK_OK(ooze_world_add_solid(world, &box, NULL, &error));
}

/* All features that act on particles: a periodic axis, a plane that follows the fluid, a moving
   solid, fluid that falls fast enough for substeps, a nozzle that prescribes velocities, a sink, a
   change in time, and a probe that needs rest positions. */
static Fixture pour(int threads)
{
    OozeWorldDef def = ooze_world_def_default();
    def.method = "conformation";
    def.spacing = SPACING;
    def.time_step = 1.0 / 120.0;
    def.threads = threads;
    def.device = OOZE_DEVICE_CPU; /* also with a GPU: tests offer the mirror */
    def.periodic[2] = true;
    def.periodic_min = vec3(0, 0, -0.16);
    def.periodic_max = vec3(0, 0, 0.16);
    Fixture f = {0};
    CHECK_OK(ooze_world_create(&def, &f.world, &error));
    f.honey = add_matter(f.world, maxwell_matter(300, 0.1));
    add_probe(f.world, OOZE_PROBE_DRIFT);
    add_floor(f.world, 0.5);
    add_moving_bowl(f.world);
    double speed = 2.0;
    add_lattice(f.world, (Lattice){.material = f.honey,
                                   .n = {6, 6, 6},
                                   .spacing = SPACING,
                                   .corner = vec3(-0.06, 0.3, -0.2),
                                   .velocity = noise,
                                   .user = &speed});
    OozeEmitterDef nozzle = jet(0.45, 2.5);
    nozzle.name = "nozzle";
    nozzle.material = f.honey;
    nozzle.radius = 2.2 * SPACING;
    nozzle.position = vec3(0.05, 0.45, 0.15); /* across the periodic face */
    nozzle.limit = 150;
    CHECK_OK(ooze_world_add_emitter(f.world, &nozzle, NULL, &error));
    OozeSinkDef sink = ooze_sink_def_default();
    sink.shape.position = vec3(0.2, 0.1, 0);
    sink.shape.size = vec3(0.25, 0.2, 1);
    sink.start = 0.02;
    CHECK_OK(ooze_world_add_sink(f.world, &sink, &error));
    OozeChangeDef change = ooze_change_def_default();
    change.key = "modulus";
    change.value = 900;
    change.time = 0.03;
    change.ramp = 0.02;
    CHECK_OK(ooze_world_add_change(f.world, &change, &error));
    return f;
}

static uint64_t hash_of(OozeWorld *world)
{
    return ooze_frame_hash(ooze_world_frame(world));
}

static void check_same_stats(const OozeWorld *here, const OozeWorld *there)
{
    OozeWorldStats a, b;
    ooze_world_stats(here, &a);
    ooze_world_stats(there, &b);
    assert_int_equal(a.particles, b.particles);
    assert_int_equal(a.boundary_particles, b.boundary_particles);
    assert_int_equal(a.emitted, b.emitted);
    assert_int_equal(a.removed, b.removed);
    assert_int_equal(a.neighbour_pairs, b.neighbour_pairs);
    assert_int_equal(a.boundary_pairs, b.boundary_pairs);
    assert_int_equal(a.substeps, b.substeps);
    assert_string_equal(a.device, "cpu");
    assert_string_equal(b.device, "mirror");
    assert_int_equal(a.device_bytes, 0);
    assert_true(b.device_bytes > 0);
}

static void the_same_run_on_an_engine(void **state)
{
    (void)state;
    Fixture here = pour(2), there = pour(1);
    use_mirror(there.world);
    mirror_counts = (MirrorCounts){0};
    int substeps = 0;
    for (int k = 0; k < 30; k++) {
        step_many(here.world, 1);
        step_many(there.world, 1);
        check_same_stats(here.world, there.world);
        substeps += there.world->substep.count;
    }
    assert_true(substeps > 45);                                         /* steps were cut */
    assert_true(here.world->emitted > 100 && here.world->removed > 10); /* and sources worked */
    assert_int_equal(mirror_counts.uploads, 1);
    assert_int_equal(mirror_counts.downloads, 0);
    /* the end of a substep tells how fast the next may be, unless something came or went */
    assert_true(mirror_counts.fastest < substeps / 2);
    assert_true(hash_of(here.world) == hash_of(there.world));
    assert_true(hash_of(here.world) == hash_of(there.world));
    assert_int_equal(mirror_counts.downloads, 1); /* nothing has changed since */
    ooze_world_destroy(here.world);
    ooze_world_destroy(there.world);
    assert_int_equal(mirror_counts.alive, 0);
}

/* A measurement downloads particles and does not upload them; adding particles uploads once. */
static void measuring_and_adding_particles_between_steps(void **state)
{
    (void)state;
    Fixture here = pour(2), there = pour(2);
    Fixture *both[2] = {&here, &there};
    double read[2][2];
    use_mirror(there.world);
    mirror_counts = (MirrorCounts){0};
    for (int k = 0; k < 2; k++) {
        OozeWorld *world = both[k]->world;
        step_many(world, 5);
        read[k][0] = read_probe(world, (OozeProbeId){0}, 0);
        step_many(world, 5);
        add_lattice(world, (Lattice){.material = both[k]->honey,
                                     .n = {3, 3, 3},
                                     .spacing = SPACING,
                                     .corner = vec3(0.2, 0.4, 0.15)});
        CHECK_OK(ooze_world_add_rest_positions(world, &error));
        OozeEmitterDef second = jet(0.5, 1);
        second.material = both[k]->honey;
        second.radius = 1.5 * SPACING;
        second.position = vec3(0.22, 0.42, 0.17); /* amid those: it looks for room */
        CHECK_OK(ooze_world_add_emitter(world, &second, NULL, &error));
        step_many(world, 5);
        read[k][1] = read_probe(world, (OozeProbeId){0}, 0);
    }
    assert_true(read[0][0] == read[1][0] && read[0][1] == read[1][1]);
    assert_int_equal(mirror_counts.uploads, 2);
    assert_int_equal(mirror_counts.downloads, 4);
    assert_int_equal(here.world->emitted, there.world->emitted);
    const OozeEmitter *second = &there.world->emitters.items[1];
    assert_true(second->state.emitted < second->state.layers * second->pattern.count);
    assert_true(hash_of(here.world) == hash_of(there.world));
    ooze_world_destroy(here.world);
    ooze_world_destroy(there.world);
}

/* A state goes from one engine to the other and back. */
static void states_are_restored_on_the_other_engine(void **state)
{
    (void)state;
    Fixture whole = pour(2), here = pour(2), there = pour(2), back = pour(2);
    use_mirror(there.world);
    step_many(whole.world, 24);
    step_many(here.world, 8);
    CHECK_OK(ooze_world_restore(there.world, ooze_world_frame(here.world), &error));
    step_many(there.world, 8);
    CHECK_OK(ooze_world_restore(back.world, ooze_world_frame(there.world), &error));
    step_many(back.world, 8);
    assert_true(hash_of(whole.world) == hash_of(back.world));
    /* over what an engine holds that has already stepped */
    CHECK_OK(ooze_world_restore(there.world, ooze_world_frame(here.world), &error));
    step_many(there.world, 16);
    assert_true(hash_of(whole.world) == hash_of(there.world));
    ooze_world_destroy(whole.world);
    ooze_world_destroy(here.world);
    ooze_world_destroy(there.world);
    ooze_world_destroy(back.world);
}

/* With `auto` the processor takes the steps while a setting is not supported by the engine. */
static void unsupported_settings_switch_to_the_processor(void **state)
{
    (void)state;
    Fixture here = pour(2), there = pour(2);
    Fixture *both[2] = {&here, &there};
    const char *key = ooze_method_find("conformation")->info.params[0].key;
    double usual = 0;
    static const OozeEngine *const offered = &mirror;
    OozeEngine willing = *offered;
    willing.stand_in = false;
    there.world->gpu_engine = &willing;
    there.world->device = OOZE_DEVICE_AUTO;
    mirror_refuses = 1.0;
    mirror_counts = (MirrorCounts){0};
    CHECK_OK(ooze_world_get_param(here.world, key, &usual, &error));
    assert_true(usual != 1.0);
    for (int k = 0; k < 2; k++) {
        step_many(both[k]->world, 6);
        assert_int_equal(mirror_counts.alive, k);
        set_param(both[k]->world, key, 1.0);
        step_many(both[k]->world, 6);
        assert_int_equal(mirror_counts.alive, 0);
        set_param(both[k]->world, key, usual);
        step_many(both[k]->world, 6);
    }
    assert_int_equal(mirror_counts.alive, 1);
    assert_int_equal(mirror_counts.uploads, 2);
    assert_true(mirror_counts.resampled >= 2); /* a new engine knows no walls */
    assert_true(hash_of(here.world) == hash_of(there.world));

    there.world->device = OOZE_DEVICE_CUDA;
    set_param(there.world, key, 1.0);
    CHECK_FAILS(ooze_world_step(there.world, &error), OOZE_ERROR_UNSUPPORTED,
                "because it does not like the number 1");
    mirror_refuses = NAN;
    ooze_world_destroy(here.world);
    ooze_world_destroy(there.world);
}

/* Memory is foreseen for the device that takes the steps: with `auto` and several processes that is
   the processor, whose steps need more. */
static void several_processes_expect_a_gpu_where_it_is_asked_for(void **state)
{
    (void)state;
    Fixture f = pour(2);
    OozeEngine willing = mirror;
    OozeRanks ranks = {.count = 2}, alone = {.count = 1};
    willing.stand_in = false;
    f.world->gpu_engine = &willing;
    f.world->device = OOZE_DEVICE_AUTO;
    assert_true(ooze_world_expects_gpu(f.world));
    double on_gpu = ooze_world_bytes_per_particle(f.world);
    ooze_world_set_ranks(f.world, &ranks);
    assert_false(ooze_world_expects_gpu(f.world));
    assert_true(ooze_world_bytes_per_particle(f.world) > 1.5 * on_gpu);
    f.world->device = OOZE_DEVICE_CUDA;
    assert_true(ooze_world_expects_gpu(f.world));
    ooze_world_set_ranks(f.world, &alone);
    f.world->device = OOZE_DEVICE_AUTO;
    assert_true(ooze_world_expects_gpu(f.world));
    ooze_world_destroy(f.world);
}

/* `auto` skips a stand-in engine and a device that does not exist. */
static void auto_skips_unavailable_engines(void **state)
{
    (void)state;
    OozeEngine broken = mirror;
    broken.stand_in = false;
    for (int k = 0; k < 2; k++) {
        Fixture f = pour(2);
        f.world->device = OOZE_DEVICE_AUTO;
        f.world->gpu_engine = k ? &broken : &mirror;
        mirror_is_there = k == 0;
        step_many(f.world, 1);
        assert_ptr_equal(f.world->engine, &ooze_cpu_engine);
        ooze_world_destroy(f.world);
    }
    mirror_is_there = true;
    assert_int_equal(mirror_counts.alive, 0);
}

static OozeStatus refuse_to_be_made(OozeWorld *world, const OozeMethod *method, void **data,
                                    OozeError *error)
{
    (void)world;
    (void)method;
    *data = NULL;
    return ooze_fail(error, OOZE_ERROR_MEMORY, "", "no room for a mirror");
}

/* An available engine that cannot be created: an error where the device was chosen explicitly,
   otherwise the processor takes the steps. */
static void an_engine_that_cannot_be_created(void **state)
{
    (void)state;
    OozeEngine full = mirror;
    full.stand_in = false;
    full.create = refuse_to_be_made;
    Fixture f = pour(2);
    f.world->gpu_engine = &full;
    f.world->device = OOZE_DEVICE_CUDA;
    CHECK_FAILS(ooze_world_step(f.world, &error), OOZE_ERROR_MEMORY, "no room for a mirror");
    f.world->device = OOZE_DEVICE_AUTO;
    step_many(f.world, 2);
    assert_ptr_equal(f.world->engine, &ooze_cpu_engine);
    ooze_world_destroy(f.world);
}

typedef struct Heard {
    int lines;
    char last[256];
} Heard;

static void hear(void *user, OozeLogLevel level, const char *line)
{
    Heard *heard = user;
    assert_int_equal(level, OOZE_LOG_INFO);
    heard->lines++;
    snprintf(heard->last, sizeof heard->last, "%s", line);
}

static void the_log_names_the_engine_once(void **state)
{
    (void)state;
    Heard heard = {0};
    for (int k = 0; k < 2; k++) {
        OozeWorldDef def = ooze_world_def_default();
        def.log = hear;
        def.log_user = &heard;
        OozeWorld *world = NULL;
        CHECK_OK(ooze_world_create(&def, &world, &error));
        world->device = k ? OOZE_DEVICE_CUDA : OOZE_DEVICE_AUTO;
        world->gpu_engine = &mirror;
        mirror_refuses = NAN;
        heard.lines = 0;
        step_many(world, 3);
        assert_int_equal(heard.lines, 1);
        assert_string_equal(
            heard.last, k ? "steps are taken by the GPU: a mirror"
                          : "steps are taken by the processor: this build has no CUDA back end");
        ooze_world_destroy(world);
    }
}

static void diverged_runs_give_the_same_error(void **state)
{
    (void)state;
    OozeError told[2] = {0};
    for (int k = 0; k < 2; k++) {
        Fixture f = pour(2);
        if (k) {
            use_mirror(f.world);
        }
        step_many(f.world, 3);
        OozeVec3 x = vec3(0, 3, 0), v = vec3(0, 1e7, 0);
        CHECK_OK(ooze_world_add_particles(f.world, f.honey, 1, &x, &v, &error));
        assert_int_equal(ooze_world_step(f.world, &told[k]), OOZE_ERROR_NUMERIC);
        ooze_world_destroy(f.world);
    }
    assert_non_null(strstr(told[0].message, "runs away"));
    assert_string_equal(told[0].message, told[1].message);
}

/* The timer waits for the engine only after ooze_world_time_parts. */
static void timing_parts_waits_for_the_engine(void **state)
{
    (void)state;
    Fixture f = pour(2);
    use_mirror(f.world);
    mirror_counts = (MirrorCounts){0};
    step_many(f.world, 2);
    assert_int_equal(mirror_counts.waits, 0);
    ooze_world_time_parts(f.world);
    step_many(f.world, 1);
    assert_true(mirror_counts.waits > 10);
    ooze_world_destroy(f.world);
}

/* Whatever allocation fails, the step says so, and nothing leaks. */
static void out_of_memory(void **state)
{
    (void)state;
    int failed = 0;
    for (uint64_t after = 1; after < 60; after++) {
        Fixture f = pour(1);
        OozeError error = {0};
        use_mirror(f.world);
        ooze_memory_fail_after(after);
        OozeStatus status = ooze_world_choose_engine(f.world, &error);
        status = status ? status : ooze_world_upload(f.world, &error);
        OozeParticles *door = NULL;
        status = status ? status : ooze_world_begin_arrivals(f.world, &door, &error);
        ooze_memory_fail_after(0);
        assert_true(status == OOZE_OK || status == OOZE_ERROR_MEMORY);
        failed += status != OOZE_OK;
        ooze_world_destroy(f.world);
    }
    assert_true(failed > 5 && failed < 60);
    assert_int_equal(mirror_counts.alive, 0);
}

static void the_environment_chooses_the_default_device(void **state)
{
    (void)state;
    OozeWorldDef def = ooze_world_def_default();
    OozeWorld *world = NULL;
    setenv("OOZE_DEVICE", "gpu", 1);
    CHECK_FAILS(ooze_world_create(&def, &world, &error), OOZE_ERROR_ARGUMENT,
                "OOZE_DEVICE is 'gpu'");
    def.device = OOZE_DEVICE_CPU; /* an explicit device overrides the environment */
    CHECK_OK(ooze_world_create(&def, &world, &error));
    ooze_world_destroy(world);
    def.device = OOZE_DEVICE_AUTO;
    setenv("OOZE_DEVICE", "cpu", 1);
    CHECK_OK(ooze_world_create(&def, &world, &error));
    assert_int_equal(world->device, OOZE_DEVICE_CPU);
    ooze_world_destroy(world);
    unsetenv("OOZE_DEVICE");
    def.device = OOZE_DEVICE_COUNT;
    CHECK_FAILS(ooze_world_create(&def, &world, &error), OOZE_ERROR_ARGUMENT, "no device");
    if (!ooze_engine_find("cuda")) {
        def.device = OOZE_DEVICE_CUDA;
        CHECK_FAILS(ooze_world_create(&def, &world, &error), OOZE_ERROR_UNSUPPORTED,
                    "no CUDA back end");
        assert_null(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_run_on_an_engine),
        cmocka_unit_test(measuring_and_adding_particles_between_steps),
        cmocka_unit_test(states_are_restored_on_the_other_engine),
        cmocka_unit_test(unsupported_settings_switch_to_the_processor),
        cmocka_unit_test(several_processes_expect_a_gpu_where_it_is_asked_for),
        cmocka_unit_test(auto_skips_unavailable_engines),
        cmocka_unit_test(an_engine_that_cannot_be_created),
        cmocka_unit_test(the_log_names_the_engine_once),
        cmocka_unit_test(diverged_runs_give_the_same_error),
        cmocka_unit_test(timing_parts_waits_for_the_engine),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(the_environment_chooses_the_default_device),
    };
    unsetenv("OOZE_DEVICE");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
