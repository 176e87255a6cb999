/* Whole pictures: the same bytes for the same seed, everything in view, and odd frames. */
#include "render_run.h"

#include "base/memory.h"
#include "render/renderer.h"

static void same_bytes_for_any_number_of_threads(void **state)
{
    (void)state;
    Run run = make_run(block_scene);
    const size_t bytes = 96 * 64 * 3;
    unsigned char *one = picture_of(&run, run.frame);
    for (int threads = 1; threads <= 3; threads++) {
        run.def.threads = threads;
        unsigned char *other = picture_of(&run, run.frame);
        assert_memory_equal(one, other, bytes);
        free(other);
    }
    run.def.seed = 5;
    unsigned char *other = picture_of(&run, run.frame);
    assert_memory_not_equal(one, other, bytes);
    free(one);
    free(other);
    free_run(&run);
}

/* What a compare test must tell: noise of another seed from a surface that moved by a spacing. */
static void a_shift_by_one_spacing_shows(void **state)
{
    (void)state;
    Run run = make_run(block_scene);
    run.def.samples = 16;
    unsigned char *reference = picture_of(&run, run.frame);
    run.def.seed = 1;
    unsigned char *again = picture_of(&run, run.frame);
    OwnFrame moved;
    own_frame(&moved, run.frame, run.frame->particle_count);
    for (uint64_t i = 0; i < run.frame->particle_count; i++) {
        moved.positions[4 * i] += (float)run.frame->spacing;
    }
    unsigned char *shifted = picture_of(&run, &moved.frame);
    double noise = difference(&run, reference, again);
    double shift = difference(&run, reference, shifted);
    printf("  another seed: %.3f grey levels, one spacing aside: %.3f\n", noise, shift);
    assert_true(noise < 2.0); /* the bound that a compare test of 16 samples would use */
    assert_true(shift > 2.0 * noise && shift > 3.0);
    free(reference);
    free(again);
    free(shifted);
    free(moved.positions);
    free_run(&run);
}

/* A solid that is not visible is in no picture: the same bytes as without it. */
static void invisible_solids_are_not_drawn(void **state)
{
    (void)state;
    static const char ball[] = "  - {name: ball, look: chocolate,";
    char hidden[sizeof block_scene + 32], without[sizeof block_scene];
    const char *at = strstr(block_scene, ball);
    assert_non_null(at);
    int before = (int)(at - block_scene);
    snprintf(hidden, sizeof hidden, "%.*s  - {name: ball, visible: false,%s", before, block_scene,
             at + sizeof ball - 1);
    snprintf(without, sizeof without, "%.*s", before, block_scene);
    const char *texts[] = {block_scene, hidden, without};
    unsigned char *pictures[3];
    Run runs[3];
    for (int k = 0; k < 3; k++) {
        runs[k] = make_run(texts[k]);
        runs[k].def.samples = 1;
        pictures[k] = picture_of(&runs[k], runs[k].frame);
    }
    assert_true(difference(&runs[0], pictures[0], pictures[1]) > 0.1);
    assert_true(difference(&runs[0], pictures[1], pictures[2]) == 0.0);
    for (int k = 0; k < 3; k++) {
        free(pictures[k]);
        free_run(&runs[k]);
    }
}

/* Every particle of every frame surveyed, with its radius, is in the picture, for any axis up. */
static void the_camera_sees_everything(void **state)
{
    (void)state;
    for (int up = 0; up < 3; up++) {
        char text[1200];
        snprintf(text, sizeof text, "%sup: %c\n", block_scene, "xyz"[up]);
        Run run = make_run(text);
        OozeRenderer *renderer = NULL;
        CHECK_OK(ooze_renderer_create(run.scene, &run.def, &renderer, &error));
        OwnFrame later;
        own_frame(&later, run.frame, run.frame->particle_count);
        CHECK_OK(ooze_renderer_survey(renderer, run.frame, &error));
        for (uint64_t i = 0; i < run.frame->particle_count; i++) {
            later.positions[4 * i + (uint64_t)up] += 0.5f;
        }
        CHECK_OK(ooze_renderer_survey(renderer, &later.frame, &error));
        OozeCamera camera = ooze_renderer_camera(renderer);
        const OozeFrame *frames[] = {run.frame, &later.frame};
        double widest = 0.0;
        for (int f = 0; f < 2; f++) {
            const OozeFieldView *position = ooze_frame_field(frames[f], "position");
            for (uint64_t i = 0; i < frames[f]->particle_count; i++) {
                double x, y;
                OozeVec3 p =
                    vec3(ooze_field_value(position, i, 0), ooze_field_value(position, i, 1),
                         ooze_field_value(position, i, 2));
                assert_true(ooze_camera_project(&camera, p, &x, &y));
                assert_true(x > 0.01 && x < 0.99 && y > 0.01 && y < 0.99);
                widest = fmax(widest, fmax(fabs(x - 0.5), fabs(y - 0.5)));
            }
        }
        assert_true(widest > 0.3); /* and is not lost in the distance */
        free(later.positions);
        ooze_renderer_free(renderer);
        free_run(&run);
    }
}

static void empty_frames_are_drawn_and_nan_is_refused(void **state)
{
    (void)state;
    Run run = make_run(block_scene);
    OwnFrame odd;
    own_frame(&odd, run.frame, 0);
    unsigned char *nothing = picture_of(&run, &odd.frame);
    free(odd.positions);
    own_frame(&odd, run.frame, 1);
    unsigned char *one = picture_of(&run, &odd.frame);
    assert_true(difference(&run, nothing, one) > 0.0);
    odd.positions[1] = NAN;
    OozeRenderer *renderer = NULL;
    CHECK_OK(ooze_renderer_create(run.scene, &run.def, &renderer, &error));
    CHECK_FAILS(ooze_render_frame(renderer, &odd.frame, NULL, NULL, one, &error),
                OOZE_ERROR_NUMERIC, "1 of 1 particles at positions that are not numbers");
    CHECK_FAILS(ooze_renderer_survey(renderer, &odd.frame, &error), OOZE_ERROR_NUMERIC,
                "not numbers");
    ooze_renderer_free(renderer);
    free(one);
    free(nothing);
    free(odd.positions);
    free_run(&run);
}

static void meaningless_settings_are_refused(void **state)
{
    (void)state;
    Run run = make_run(block_scene);
    OozeRenderer *renderer = NULL;
    run.def.size = vec3(60000, 60000, 0);
    CHECK_FAILS(ooze_renderer_create(run.scene, &run.def, &renderer, &error), OOZE_ERROR_LIMIT,
                "GB of memory");
    assert_null(renderer);
    run.def.caustics = true; /* photons take memory too */
    OozeError refusal = {0};
    assert_int_equal(ooze_renderer_create(run.scene, &run.def, &renderer, &refusal),
                     OOZE_ERROR_LIMIT);
    assert_non_null(strstr(refusal.hint, "caustics: false"));
    run.def.size = vec3(0, 10, 0);
    CHECK_FAILS(ooze_renderer_create(run.scene, &run.def, &renderer, &error), OOZE_ERROR_ARGUMENT,
                "0 x 10 pixels");
    run.def.size = vec3(32, 32, 0);
    run.def.samples = -1;
    CHECK_FAILS(ooze_renderer_create(run.scene, &run.def, &renderer, &error), OOZE_ERROR_ARGUMENT,
                "-1 samples");
    run.def.samples = 1;
    run.def.color_by = "velocty";
    CHECK_OK(ooze_renderer_create(run.scene, &run.def, &renderer, &error));
    OozeError error = {0};
    assert_int_equal(ooze_renderer_survey(renderer, run.frame, &error), OOZE_ERROR_ARGUMENT);
    assert_string_equal(error.hint, "did you mean 'velocity'?");
    ooze_renderer_free(renderer);
    free_run(&run);
}

static bool stop_at_once(void *user, double share)
{
    *(double *)user = share;
    return false;
}

static void a_picture_can_be_stopped(void **state)
{
    (void)state;
    Run run = make_run(block_scene);
    run.def.size = vec3(400, 400, 0);
    run.def.samples = 1;
    OozeRenderer *renderer = NULL;
    CHECK_OK(ooze_renderer_create(run.scene, &run.def, &renderer, &error));
    unsigned char *pixels = malloc(400 * 400 * 3);
    double share = 0.0;
    CHECK_FAILS(ooze_render_frame(renderer, run.frame, stop_at_once, &share, pixels, &error),
                OOZE_ERROR_CANCELLED, "not finished");
    assert_true(share > 0.0 && share < 0.5);
    free(pixels);
    ooze_renderer_free(renderer);
    free_run(&run);
}

/* The range of colours is that of all frames surveyed: all fall at 1 m/s. */
static void colours_follow_the_field(void **state)
{
    (void)state;
    Run run = make_run(block_scene);
    run.def.color_by = "speed";
    OozeRenderer *renderer = NULL;
    CHECK_OK(ooze_renderer_create(run.scene, &run.def, &renderer, &error));
    CHECK_OK(ooze_renderer_survey(renderer, run.frame, &error));
    OozeColorField color_field = ooze_renderer_color_field(renderer);
    CHECK_NEAR(color_field.low, 1.0, 1e-6);
    CHECK_NEAR(color_field.high, 1.0, 1e-6);
    ooze_renderer_free(renderer);
    run.def.color_low = 0.0;
    run.def.color_high = 4.0;
    CHECK_OK(ooze_renderer_create(run.scene, &run.def, &renderer, &error));
    CHECK_OK(ooze_renderer_survey(renderer, run.frame, &error));
    color_field = ooze_renderer_color_field(renderer);
    assert_true(color_field.low == 0.0 && color_field.high == 4.0);
    ooze_renderer_free(renderer);
    free_run(&run);
}

/* Every allocation fails once: each failure is reported and nothing leaks (in the sanitizer build).
   */
static void running_out_of_memory_is_survived(void **state)
{
    (void)state;
    Run run = make_run(block_scene);
    run.def.size = vec3(16, 16, 0);
    run.def.samples = 1;
    unsigned char pixels[16 * 16 * 3];
    int failures = 0;
    for (uint64_t n = 1; n < 10000; n++) {
        OozeRenderer *renderer = NULL;
        ooze_memory_fail_after(n);
        OozeStatus status = ooze_renderer_create(run.scene, &run.def, &renderer, NULL);
        status = status ? status : ooze_render_frame(renderer, run.frame, NULL, NULL, pixels, NULL);
        ooze_memory_fail_after(0);
        ooze_renderer_free(renderer);
        if (status == OOZE_OK) {
            break;
        }
        assert_int_equal(status, OOZE_ERROR_MEMORY);
        failures++;
    }
    assert_true(failures > 20);
    free_run(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bytes_for_any_number_of_threads),
        cmocka_unit_test(a_shift_by_one_spacing_shows),
        cmocka_unit_test(invisible_solids_are_not_drawn),
        cmocka_unit_test(the_camera_sees_everything),
        cmocka_unit_test(empty_frames_are_drawn_and_nan_is_refused),
        cmocka_unit_test(meaningless_settings_are_refused),
        cmocka_unit_test(a_picture_can_be_stopped),
        cmocka_unit_test(colours_follow_the_field),
        cmocka_unit_test(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
