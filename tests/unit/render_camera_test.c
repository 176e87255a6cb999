/* What the automatic camera shows: the fluid without its strays, a given box, a followed
   material. */
#include "render_run.h"

#include "render/renderer.h"

static OozeRenderer *renderer_of(const Run *run)
{
    OozeRenderer *renderer = NULL;
    CHECK_OK(ooze_renderer_create(run->scene, &run->def, &renderer, &error));
    return renderer;
}

/* One particle of 480 that flies off by 100 m does not push the camera back; a row of 60, an eighth
   of the fluid, does. */
static void strays_do_not_widen_the_view(void **state)
{
    (void)state;
    Run run = make_run(block_scene);
    assert_int_equal(run.frame->particle_count, 480);
    double distance[3];
    for (int k = 0; k < 3; k++) {
        OwnFrame frame;
        own_frame(&frame, run.frame, run.frame->particle_count);
        for (uint64_t i = 0; i < (uint64_t[]){0, 1, 60}[k]; i++) {
            frame.positions[4 * i] += 100.0f;
        }
        OozeRenderer *renderer = renderer_of(&run);
        CHECK_OK(ooze_renderer_survey(renderer, &frame.frame, &error));
        OozeCamera camera = ooze_renderer_camera(renderer);
        distance[k] = vec3_length(vec3_sub(camera.position, vec3(0.05, 0.2, 0)));
        ooze_renderer_free(renderer);
        free(frame.positions);
    }
    CHECK_NEAR(distance[1], distance[0], 0.05 * distance[0]); /* the margin beyond the box */
    assert_true(distance[2] > 100.0);
    free_run(&run);
}

/* Every corner of the box is in the picture, and the box fills most of it. */
static void a_given_box_is_in_view(void **state)
{
    (void)state;
    char text[1200];
    snprintf(text, sizeof text,
             "%srender: {camera: {low: [1, 2, 3], high: [1.5, 2.25, 4]}, size: [96, 64]}\n",
             block_scene);
    Run run = make_run(text);
    OozeRenderer *renderer = renderer_of(&run);
    CHECK_OK(ooze_renderer_survey(renderer, run.frame, &error));
    OozeCamera camera = ooze_renderer_camera(renderer);
    double widest = 0.0;
    for (int i = 0; i < 8; i++) {
        double x, y;
        OozeVec3 corner = vec3(i & 1 ? 1.5 : 1, i & 2 ? 2.25 : 2, i & 4 ? 4 : 3);
        assert_true(ooze_camera_project(&camera, corner, &x, &y));
        assert_true(x > 0 && x < 1 && y > 0 && y < 1);
        widest = fmax(widest, fmax(fabs(x - 0.5), fabs(y - 0.5)));
    }
    assert_true(widest > 0.4);
    ooze_renderer_free(renderer);
    run.def.view_high = vec3(1.5, 2, 4);
    CHECK_FAILS(ooze_renderer_create(run.scene, &run.def, &renderer, &error), OOZE_ERROR_ARGUMENT,
                "is empty");
    free_run(&run);
}

/* The camera moves with the fluid from frame to frame, and keeps its direction and distance. */
static void the_camera_follows_a_material(void **state)
{
    (void)state;
    char text[1200];
    snprintf(text, sizeof text, "%srender: {camera: {follow: honey}}\n", block_scene);
    Run run = make_run(text);
    OwnFrame later;
    own_frame(&later, run.frame, run.frame->particle_count);
    for (uint64_t i = 0; i < run.frame->particle_count; i++) {
        later.positions[4 * i + 1] += 0.5f;
    }
    OozeRenderer *renderer = renderer_of(&run);
    const OozeFrame *frames[2] = {run.frame, &later.frame};
    OozeCamera cameras[2];
    unsigned char *pixels = malloc((size_t)(run.def.size.x * run.def.size.y) * 3);
    for (int k = 0; k < 2; k++) {
        CHECK_OK(ooze_renderer_survey(renderer, frames[k], &error));
    }
    for (int k = 0; k < 2; k++) {
        CHECK_OK(ooze_render_frame(renderer, frames[k], NULL, NULL, pixels, &error));
        cameras[k] = ooze_renderer_camera(renderer);
        double x, y;
        assert_true(ooze_camera_project(&cameras[k], vec3(0.05, 0.2 + 0.5 * k, 0), &x, &y));
        /* the image of the whole box is in the middle, that of its centre near it */
        CHECK_NEAR(x, 0.5, 0.1);
        CHECK_NEAR(y, 0.5, 0.1);
    }
    OozeVec3 moved = vec3_sub(cameras[1].position, cameras[0].position);
    CHECK_NEAR(moved.x, 0, 1e-6); /* of positions in single precision */
    CHECK_NEAR(moved.y, 0.5, 1e-6);
    CHECK_NEAR(moved.z, 0, 1e-6);
    ooze_renderer_free(renderer);
    free(later.positions);
    free(pixels);
    free_run(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strays_do_not_widen_the_view),
        cmocka_unit_test(a_given_box_is_in_view),
        cmocka_unit_test(the_camera_follows_a_material),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
