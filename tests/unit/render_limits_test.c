/* Every number of a picture has limits, and NULL is an error or has a neutral answer. */
#include "render_run.h"

typedef struct Number {
    const char *name; /* part of the message */
    size_t offset;    /* of a double */
} Number;

static const double refused[] = {1e300, -1e300, 1e39, INFINITY, -INFINITY};

static void check_refused(const Run *run, const char *part)
{
    OozeRenderer *renderer = NULL;
    CHECK_FAILS(ooze_renderer_create(run->scene, &run->def, &renderer, &error), OOZE_ERROR_ARGUMENT,
                part);
    assert_null(renderer);
}

static void numbers_out_of_range_are_refused(void **state)
{
    (void)state;
    static const Number numbers[] = {
        {"camera", offsetof(OozeRenderDef, camera_position.x)},
        {"camera", offsetof(OozeRenderDef, camera_position.y)},
        {"camera", offsetof(OozeRenderDef, camera_position.z)},
        {"look at", offsetof(OozeRenderDef, look_at.x)},
        {"look at", offsetof(OozeRenderDef, look_at.y)},
        {"look at", offsetof(OozeRenderDef, look_at.z)},
        {"field of view", offsetof(OozeRenderDef, field_of_view)},
        {"pixels", offsetof(OozeRenderDef, size.x)},
        {"pixels", offsetof(OozeRenderDef, size.y)},
        {"exposure", offsetof(OozeRenderDef, exposure)},
        {"f-number", offsetof(OozeRenderDef, f_number)},
        {"aperture", offsetof(OozeRenderDef, aperture)},
        {"distance in focus", offsetof(OozeRenderDef, focus_distance)},
        {"shutter", offsetof(OozeRenderDef, shutter)},
        {"time limit", offsetof(OozeRenderDef, time_limit)},
        {"rotation of the environment", offsetof(OozeRenderDef, environment_rotation)},
        {"strength of the environment", offsetof(OozeRenderDef, environment_strength)},
        {"firefly limit", offsetof(OozeRenderDef, firefly_limit)},
        {"lower end", offsetof(OozeRenderDef, color_low)},
        {"upper end", offsetof(OozeRenderDef, color_high)},
    };
    Run run = make_run(block_scene);
    const OozeRenderDef valid = run.def;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
            run.def = valid;
            run.def.camera_position = run.def.look_at = vec3(1, 2, 3);
            *(double *)((char *)&run.def + numbers[i].offset) = refused[k];
            check_refused(&run, numbers[i].name);
        }
    }
    /* NAN stands for automatic where all coordinates are. */
    static const size_t given[] = {offsetof(OozeRenderDef, camera_position.y),
                                   offsetof(OozeRenderDef, look_at.z)};
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        run.def = valid;
        *(double *)((char *)&run.def + given[i]) = 1.0;
        check_refused(&run, "1 of 3 coordinates");
    }
    static const size_t required[] = {offsetof(OozeRenderDef, field_of_view),
                                      offsetof(OozeRenderDef, size.x),
                                      offsetof(OozeRenderDef, exposure)};
    for (size_t i = 0; i < sizeof required / sizeof required[0]; i++) {
        run.def = valid;
        *(double *)((char *)&run.def + required[i]) = NAN;
        check_refused(&run, "nan");
    }
    free_run(&run);
}

static void integers_out_of_range_are_refused(void **state)
{
    (void)state;
    static const struct {
        size_t offset;
        int value;
        const char *part;
    } rows[] = {
        {offsetof(OozeRenderDef, samples), -1, "samples"},
        {offsetof(OozeRenderDef, samples), INT32_MAX, "samples"},
        {offsetof(OozeRenderDef, threads), -1, "threads"},
        {offsetof(OozeRenderDef, threads), INT32_MAX, "threads"},
        {offsetof(OozeRenderDef, backdrop), -1, "backdrop"},
        {offsetof(OozeRenderDef, backdrop), OOZE_BACKDROP_COUNT, "backdrop"},
        {offsetof(OozeRenderDef, environment), -1, "environment"},
        {offsetof(OozeRenderDef, environment), OOZE_ENVIRONMENT_COUNT, "environment"},
        {offsetof(OozeRenderDef, light_count), -1, "lights"},
        {offsetof(OozeRenderDef, light_count), INT32_MAX, "lights"},
        {offsetof(OozeRenderDef, light_count), 1, "NULL"},
    };
    Run run = make_run(block_scene);
    const OozeRenderDef valid = run.def;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        run.def = valid;
        *(int *)((char *)&run.def + rows[i].offset) = rows[i].value;
        check_refused(&run, rows[i].part);
    }
    free_run(&run);
}

static void lights_out_of_range_are_refused(void **state)
{
    (void)state;
    static const Number numbers[] = {
        {"x of a light", offsetof(OozeLightDef, position.x)},
        {"y of a light", offsetof(OozeLightDef, position.y)},
        {"z of a light", offsetof(OozeLightDef, position.z)},
        {"x of a light's target", offsetof(OozeLightDef, target.x)},
        {"y of a light's target", offsetof(OozeLightDef, target.y)},
        {"z of a light's target", offsetof(OozeLightDef, target.z)},
        {"size", offsetof(OozeLightDef, size)},
        {"strength", offsetof(OozeLightDef, strength)},
    };
    Run run = make_run(block_scene);
    OozeLightDef light;
    run.def.lights = &light;
    run.def.light_count = 1;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        for (size_t k = 0; k <= sizeof refused / sizeof refused[0]; k++) {
            light = ooze_light_def_default();
            double value = k < sizeof refused / sizeof refused[0] ? refused[k] : NAN;
            *(double *)((char *)&light + numbers[i].offset) = value;
            check_refused(&run, numbers[i].name);
        }
    }
    static const float colors[] = {NAN, -0.1f, 2.0f, INFINITY};
    for (int k = 0; k < 12; k++) {
        light = ooze_light_def_default();
        light.color[k % 3] = colors[k / 3];
        check_refused(&run, "the colour of light 0");
    }
    free_run(&run);
}

static void scenes_out_of_range_are_refused(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "render: {camera: {position: [1e39, 0, 0]}}",
        "render: {camera: {position: [0, -2e6, 0]}}",
        "render: {camera: {look_at: [0, 0, 1e7]}}",
        "render: {camera: {field_of_view: 151}}",
        "render: {size: [1e9, 100]}",
        "render: {samples: 1e9}",
        "render: {exposure: 21}",
        "render: {lights: [{position: [1e7, 0, 0]}]}",
        "render: {lights: [{position: [1, 0, 0], target: [0, 1e7, 0]}]}",
        "render: {lights: [{position: [1, 0, 0], size: 1e-5}]}",
        "render: {lights: [{position: [1, 0, 0], size: 1e7}]}",
        "render: {lights: [{position: [1, 0, 0], strength: 1e7}]}",
        "render: {lights: [{position: [1, 0, 0], color: [2, 0, 0]}]}",
        "render: {color_by: {field: speed, low: 1e13}}",
        "render: {color_by: {field: speed, high: 1e13}}",
        "solids: [{name: a, shape: {type: plane}, look: {depth: 1e7}}]",
        "solids: [{name: a, shape: {type: plane}, look: {refraction: 4}}]",
        "solids: [{name: a, shape: {type: plane}, look: {roughness: 2}}]",
        "solids: [{name: a, shape: {type: plane}, look: {coat: -1}}]",
        "solids: [{name: a, shape: {type: plane}, look: {cloudiness: 101}}]",
        "solids: [{name: a, shape: {type: plane}, look: {translucency: 2}}]",
        "solids: [{name: a, shape: {type: plane}, look: {color: [0, 0, 2]}}]",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "ooze: 2\nmethod: {name: ballistic}\nspacing: 0.1\ntime_step: 0.01\n"
                 "duration: 1\n%s\n",
                 rows[i]);
        OozeScene *scene = NULL;
        OozeStatus status = ooze_scene_load_text(text, strlen(text), "s.yaml", &scene, NULL);
        int errors = 0;
        for (int k = 0; scene && k < ooze_scene_diagnostic_count(scene); k++) {
            const OozeDiagnostic *diagnostic = ooze_scene_diagnostic(scene, k);
            errors += diagnostic->severity == OOZE_SEVERITY_ERROR &&
                      strstr(diagnostic->message, "must be") != NULL;
        }
        if (status == OOZE_OK || errors != 1) {
            printf("  %s: status %d, %d errors\n", rows[i], (int)status, errors);
        }
        assert_int_equal(errors, 1);
        ooze_scene_free(scene);
    }
}

static void colours_that_are_not_numbers_are_refused(void **state)
{
    (void)state;
    Run run = make_run(block_scene);
    static const float colors[] = {NAN, -0.1f, 2.0f, INFINITY};
    for (int k = 0; k < 12; k++) {
        OozeMaterialDef material = ooze_material_def_default();
        material.color[k % 3] = colors[k / 3];
        CHECK_FAILS(ooze_world_add_material(run.world, &material, NULL, &error),
                    OOZE_ERROR_ARGUMENT, "the colour of material 'fluid'");
        OozeSolidDef solid = ooze_solid_def_default();
        solid.name = "wall";
        solid.color[k % 3] = colors[k / 3];
        CHECK_FAILS(ooze_world_add_solid(run.world, &solid, NULL, &error), OOZE_ERROR_ARGUMENT,
                    "the colour of solid 'wall'");
    }
    free_run(&run);
}

static void null_is_an_error(void **state)
{
    (void)state;
    Run run = make_run(block_scene);
    OozeRenderer *renderer = NULL;
    unsigned char pixels[96 * 64 * 3];
    CHECK_FAILS(ooze_renderer_create(NULL, &run.def, &renderer, &error), OOZE_ERROR_ARGUMENT,
                "scene");
    CHECK_FAILS(ooze_renderer_create(run.scene, &run.def, NULL, &error), OOZE_ERROR_ARGUMENT,
                "renderer");
    CHECK_OK(ooze_renderer_create(run.scene, NULL, &renderer, &error));
    CHECK_FAILS(ooze_renderer_survey(NULL, run.frame, &error), OOZE_ERROR_ARGUMENT, "renderer");
    CHECK_FAILS(ooze_renderer_survey(renderer, NULL, &error), OOZE_ERROR_ARGUMENT, "frame");
    CHECK_FAILS(ooze_render_frame(NULL, run.frame, NULL, NULL, pixels, &error), OOZE_ERROR_ARGUMENT,
                "renderer");
    CHECK_FAILS(ooze_render_frame(renderer, NULL, NULL, NULL, pixels, &error), OOZE_ERROR_ARGUMENT,
                "frame");
    CHECK_FAILS(ooze_render_frame(renderer, run.frame, NULL, NULL, NULL, &error),
                OOZE_ERROR_ARGUMENT, "pixels");
    assert_int_equal(ooze_renderer_survey(NULL, NULL, NULL), OOZE_ERROR_ARGUMENT);
    assert_true(ooze_renderer_hash(NULL) == 0);
    assert_true(ooze_renderer_mean_samples(NULL) == 0.0);
    assert_true(ooze_renderer_hash(renderer) != 0);
    assert_null(ooze_scene_render(NULL));
    assert_non_null(ooze_looks(NULL));
    ooze_renderer_free(NULL);
    ooze_renderer_free(renderer);
    free_run(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_out_of_range_are_refused),
        cmocka_unit_test(integers_out_of_range_are_refused),
        cmocka_unit_test(lights_out_of_range_are_refused),
        cmocka_unit_test(scenes_out_of_range_are_refused),
        cmocka_unit_test(colours_that_are_not_numbers_are_refused),
        cmocka_unit_test(null_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
