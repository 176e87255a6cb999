/* The public API: NULL arguments are errors that name the argument, objects are found by their
   names, and the world logs warnings. */
#include "check.h"

#include "ooze/ooze.h"

static OozeWorld *make_world(void)
{
    OozeWorld *world = NULL;
    OozeWorldDef def = ooze_world_def_default();
    def.spacing = 0.05;
    def.threads = 1;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    return world;
}

#define CHECK_MISSING(call, what) CHECK_FAILS(call, OOZE_ERROR_ARGUMENT, what " is NULL")

static void a_missing_world_is_an_error(void **state)
{
    (void)state;
    double value;
    OozeWorldDef def = ooze_world_def_default();
    OozeMaterialDef material = ooze_material_def_default();
    OozeSolidDef solid = ooze_solid_def_default();
    OozeFluidDef fluid = ooze_fluid_def_default();
    OozeEmitterDef emitter = ooze_emitter_def_default();
    OozeSinkDef sink = ooze_sink_def_default();
    OozeProbeDef probe = ooze_probe_def_default();
    OozeSolidPose pose = {.rotation = {0, 0, 0, 1}};
    OozeProbeReading reading;
    OozeFrame frame = {0};
    OozeMaterialId m = {0};
    OozeSolidId s = {0};
    OozeEmitterId e = {0};
    OozeProbeId p = {0};
    CHECK_MISSING(ooze_world_create(&def, NULL, &error), "world");
    CHECK_MISSING(ooze_world_set_param(NULL, "contact_distance", 1, &error), "world");
    CHECK_MISSING(ooze_world_get_param(NULL, "contact_distance", &value, &error), "world");
    CHECK_MISSING(ooze_world_add_material(NULL, &material, NULL, &error), "world");
    CHECK_MISSING(ooze_world_set_material(NULL, m, "density", 1, &error), "world");
    CHECK_MISSING(ooze_world_get_material(NULL, m, "density", &value, &error), "world");
    CHECK_MISSING(ooze_world_add_solid(NULL, &solid, NULL, &error), "world");
    CHECK_MISSING(ooze_world_set_solid(NULL, s, OOZE_SOLID_FRICTION, 1, &error), "world");
    CHECK_MISSING(ooze_world_get_solid(NULL, s, OOZE_SOLID_FRICTION, &value, &error), "world");
    CHECK_MISSING(ooze_world_set_solid_pose(NULL, s, &pose, &error), "world");
    CHECK_MISSING(ooze_world_add_fluid(NULL, &fluid, NULL, &error), "world");
    CHECK_MISSING(ooze_world_add_particles(NULL, m, 0, NULL, NULL, &error), "world");
    CHECK_MISSING(ooze_world_add_emitter(NULL, &emitter, NULL, &error), "world");
    CHECK_MISSING(ooze_world_set_emitter_speed(NULL, e, 1, &error), "world");
    CHECK_MISSING(ooze_world_add_sink(NULL, &sink, &error), "world");
    OozeChangeDef change = ooze_change_def_default();
    CHECK_MISSING(ooze_world_add_change(NULL, &change, &error), "world");
    CHECK_MISSING(ooze_world_add_probe(NULL, &probe, NULL, &error), "world");
    CHECK_MISSING(ooze_world_probe(NULL, p, &reading, &error), "world");
    CHECK_MISSING(ooze_world_measure(NULL, false, &error), "world");
    CHECK_MISSING(ooze_world_step(NULL, &error), "world");
    CHECK_MISSING(ooze_world_advance(NULL, 1.0, NULL, NULL, &error), "world");
    CHECK_MISSING(ooze_world_restore(NULL, &frame, &error), "world");
    assert_null(ooze_world_frame(NULL));
    assert_int_equal(ooze_world_probe_count(NULL), 0);
    ooze_world_stats(NULL, NULL);
    ooze_world_destroy(NULL);
}

static void a_missing_definition_is_an_error(void **state)
{
    (void)state;
    OozeWorld *world = make_world();
    OozeMaterialDef material = ooze_material_def_default();
    OozeSolidDef solid = ooze_solid_def_default();
    OozeMaterialId m;
    OozeSolidId s;
    CHECK_OK(ooze_world_add_material(world, &material, &m, &error));
    CHECK_OK(ooze_world_add_solid(world, &solid, &s, &error));
    CHECK_MISSING(ooze_world_create(NULL, &world, &error), "def");
    CHECK_MISSING(ooze_material_def_set(NULL, "density", 1, &error), "def");
    CHECK_MISSING(ooze_world_add_material(world, NULL, NULL, &error), "def");
    CHECK_MISSING(ooze_world_add_solid(world, NULL, NULL, &error), "def");
    CHECK_MISSING(ooze_world_add_fluid(world, NULL, NULL, &error), "def");
    CHECK_MISSING(ooze_world_add_emitter(world, NULL, NULL, &error), "def");
    CHECK_MISSING(ooze_world_add_sink(world, NULL, &error), "def");
    CHECK_MISSING(ooze_world_add_change(world, NULL, &error), "def");
    CHECK_MISSING(ooze_world_add_probe(world, NULL, NULL, &error), "def");
    CHECK_MISSING(ooze_world_add_particles(world, m, 1, NULL, NULL, &error), "positions");
    CHECK_MISSING(ooze_world_add_velocities(world, 0, NULL, &error), "velocities");
    CHECK_MISSING(ooze_world_keep_arrays(NULL, true, &error), "world");
    CHECK_MISSING(ooze_world_get_material(world, m, "density", NULL, &error), "value");
    CHECK_MISSING(ooze_world_get_param(world, "contact_distance", NULL, &error), "value");
    CHECK_MISSING(ooze_world_get_solid(world, s, OOZE_SOLID_FRICTION, NULL, &error), "value");
    CHECK_MISSING(ooze_world_set_solid_pose(world, s, NULL, &error), "pose");
    CHECK_MISSING(ooze_world_restore(world, NULL, &error), "frame");
    CHECK_FAILS(ooze_world_get_material(world, m, NULL, &(double){0}, &error), OOZE_ERROR_ARGUMENT,
                "has no number");
    assert_int_equal(ooze_world_add_solid(world, NULL, NULL, NULL), OOZE_ERROR_ARGUMENT);
    ooze_world_destroy(world);
}

static void missing_frames_and_scenes_are_errors(void **state)
{
    (void)state;
    OozeFrame *frame;
    OozeScene *scene = NULL;
    OozeWorld *world = NULL;
    CHECK_MISSING(ooze_frame_open(NULL, &frame, &error), "path");
    CHECK_MISSING(ooze_frame_open("x", NULL, &error), "frame");
    CHECK_MISSING(ooze_frame_write(NULL, "x", &error), "frame");
    assert_null(ooze_frame_field(NULL, "position"));
    assert_true(isnan(ooze_field_value(NULL, 0, 0)));
    assert_true(ooze_frame_hash(NULL) == 0);
    ooze_frame_close(NULL);
    CHECK_MISSING(ooze_scene_load(NULL, NULL, 0, &scene, &error), "path");
    CHECK_MISSING(ooze_scene_load("x", NULL, 1, &scene, &error), "overrides");
    CHECK_MISSING(ooze_scene_load("x", NULL, 0, NULL, &error), "scene");
    CHECK_MISSING(ooze_scene_load_text(NULL, 5, "x", &scene, &error), "text");
    CHECK_MISSING(ooze_scene_load_text("x", 1, "x", NULL, &error), "scene");
    CHECK_MISSING(ooze_scene_build(NULL, NULL, &world, &error), "scene");
    CHECK_MISSING(ooze_scene_check_physics(NULL, NULL, &error), "scene");
    CHECK_MISSING(ooze_scene_schema(NULL, &error), "json");
    CHECK_MISSING(ooze_scene_reference(NULL, &error), "markdown");
    CHECK_FAILS(ooze_scene_load_text(NULL, 0, NULL, &scene, &error), OOZE_ERROR_SCENE, "empty");
    CHECK_MISSING(ooze_scene_build(scene, NULL, NULL, &error), "world");
    ooze_scene_free(scene);
    assert_int_equal(ooze_scene_diagnostic_count(NULL), 0);
    assert_null(ooze_scene_diagnostic(NULL, 0));
    assert_null(ooze_scene_info(NULL));
    assert_string_equal(ooze_scene_canonical(NULL), "");
    ooze_scene_free(NULL);
    ooze_text_free(NULL);
    assert_non_null(ooze_features(NULL));
    assert_non_null(ooze_material_params(NULL));
}

static void objects_are_found_by_name(void **state)
{
    (void)state;
    static const char text[] = "ooze: 2\nmethod: {name: ballistic}\nspacing: 0.05\n"
                               "time_step: 1/240\nduration: 1\n"
                               "materials: {water: {}, honey: {}}\n"
                               "solids: [{name: lid, shape: {type: plane}},"
                               " {name: floor, shape: {type: plane}}]\n"
                               "emitters: [{name: jet, material: water, radius: 0.2}]\n"
                               "probes: [{kind: count}, {name: top, kind: height}]\n";
    OozeScene *scene = NULL;
    OozeWorld *world = NULL;
    CHECK_OK(ooze_scene_load_text(text, sizeof text - 1, "names", &scene, &error));
    CHECK_OK(ooze_scene_build(scene, NULL, &world, &error));
    OozeMaterialId material;
    OozeSolidId solid;
    OozeEmitterId emitter;
    OozeProbeId probe;
    CHECK_OK(ooze_world_find_material(world, "honey", &material, &error));
    CHECK_OK(ooze_world_find_solid(world, "floor", &solid, &error));
    CHECK_OK(ooze_world_find_emitter(world, "jet", &emitter, &error));
    CHECK_OK(ooze_world_find_probe(world, "top", &probe, &error));
    assert_int_equal(material.index, 1);
    assert_int_equal(solid.index, 1);
    assert_int_equal(emitter.index, 0);
    assert_int_equal(probe.index, 1);
    OozeError report;
    assert_int_equal(ooze_world_find_solid(world, "flor", &solid, &report), OOZE_ERROR_ARGUMENT);
    assert_string_equal(report.message, "the world has no solid named 'flor'");
    assert_string_equal(report.hint, "did you mean 'floor'?");
    CHECK_MISSING(ooze_world_find_solid(world, NULL, &solid, &error), "name");
    CHECK_MISSING(ooze_world_find_probe(world, "top", NULL, &error), "id");
    ooze_world_destroy(world);
    ooze_scene_free(scene);
}

/* ---- the log -------------------------------------------------------------------------------- */

typedef struct Heard {
    int warnings, lines;
    char last[512];
} Heard;

static void hear(void *user, OozeLogLevel level, const char *line)
{
    Heard *heard = user;
    heard->lines++;
    heard->warnings += level == OOZE_LOG_WARNING;
    snprintf(heard->last, sizeof heard->last, "%s", line);
}

static void the_world_logs_warnings(void **state)
{
    (void)state;
    Heard heard = {0};
    OozeWorldDef def = ooze_world_def_default();
    def.spacing = 0.1;
    def.threads = 1;
    def.device = OOZE_DEVICE_CPU; /* nothing to say about the choice */
    def.log = hear;
    def.log_user = &heard;
    OozeWorld *world = NULL;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    OozeMaterialDef material = ooze_material_def_default();
    OozeFluidDef fluid =
        ooze_fluid_def_default(); /* a box of 1 m: 1,000 particles, nothing amiss */
    fluid.name = "drop";
    CHECK_OK(ooze_world_add_material(world, &material, &fluid.material, &error));
    CHECK_OK(ooze_world_add_fluid(world, &fluid, NULL, &error));
    assert_int_equal(heard.lines, 0);
    /* Of a ball of 5 spacings' radius the lattice fills 360 of 523.6 cells. */
    fluid.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    CHECK_OK(ooze_world_add_fluid(world, &fluid, NULL, &error));
    assert_int_equal(heard.warnings, 1);
    assert_non_null(strstr(heard.last, "fluid 'drop' make up 69 %"));
    fluid.fill = OOZE_FILL_FITTED;
    CHECK_OK(ooze_world_add_fluid(world, &fluid, NULL, &error));
    assert_int_equal(heard.warnings, 1);
    /* A lone triangle is all gap. */
    const OozeVec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const uint32_t triangle[3] = {0, 1, 2};
    OozeSolidDef solid = ooze_solid_def_default();
    solid.name = "sheet";
    solid.shape = ooze_shape_def_default(OOZE_SHAPE_MESH);
    solid.shape.mesh = (OozeMeshView){corners, 3, triangle, 1};
    CHECK_OK(ooze_world_add_solid(world, &solid, NULL, &error));
    assert_int_equal(heard.warnings, 2);
    assert_non_null(strstr(heard.last, "the mesh of solid 'sheet' has large gaps"));
    solid.shape.thickness = 0.2; /* said to be a shell: nothing to warn of */
    CHECK_OK(ooze_world_add_solid(world, &solid, NULL, &error));
    assert_int_equal(heard.warnings, 2);
    OozeEmitterDef emitter = ooze_emitter_def_default();
    emitter.name = "jet";
    emitter.radius = 0.3;
    emitter.limit = 10;
    CHECK_OK(ooze_world_add_emitter(world, &emitter, NULL, &error));
    CHECK_OK(ooze_world_advance(world, 0.5, NULL, NULL, &error));
    assert_int_equal(heard.warnings, 2);
    assert_int_equal(heard.lines, 3); /* once, though the emitter stays full */
    assert_string_equal(heard.last, "emitter 'jet' has emitted its 10 particles");
    ooze_world_destroy(world);
}

/* The fill with 105,000 particles takes longer than a second; the one with 1,000 does not. */
static void long_fills_are_announced(void **state)
{
    (void)state;
    Heard heard = {0};
    OozeWorldDef def = ooze_world_def_default();
    def.spacing = 0.1;
    def.threads = 1;
    def.device = OOZE_DEVICE_CPU;
    def.log = hear;
    def.log_user = &heard;
    OozeWorld *world = NULL;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    OozeMaterialDef material = ooze_material_def_default();
    OozeFluidDef fluid = ooze_fluid_def_default();
    fluid.name = "pond";
    fluid.fill = OOZE_FILL_FITTED;
    CHECK_OK(ooze_world_add_material(world, &material, &fluid.material, &error));
    CHECK_OK(ooze_world_add_fluid(world, &fluid, NULL, &error));
    assert_int_equal(heard.lines, 0);
    fluid.shape.size = (OozeVec3){10.0, 1.5, 7.0};
    CHECK_OK(ooze_world_add_fluid(world, &fluid, NULL, &error));
    assert_int_equal(heard.lines, 1);
    assert_string_equal(heard.last, "filling fluid 'pond' with about 0.105 million particles");
    ooze_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_world_is_an_error),
        cmocka_unit_test(a_missing_definition_is_an_error),
        cmocka_unit_test(missing_frames_and_scenes_are_errors),
        cmocka_unit_test(objects_are_found_by_name),
        cmocka_unit_test(the_world_logs_warnings),
        cmocka_unit_test(long_fills_are_announced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
