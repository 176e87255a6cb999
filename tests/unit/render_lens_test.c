/* The lens and the shutter: circles of confusion of a thin lens, and blur as long as the path that
   things move while the shutter is open. */
#include "render_run.h"

#include "render/film.h"
#include "render/fluid.h"
#include "render/renderer_state.h"

enum { SIDE = 96 };

static OozeF3 shade_white(const OozeTracer *tracer, const OozeRay *ray, OozeSampler *sampler,
                          OozeFeatures *features)
{
    (void)sampler;
    OozeHit hit;
    bool any = ooze_ray_scene_intersect(tracer->scene, ray, 0.0f, INFINITY, &hit);
    features->distance = any ? hit.distance : 0.0f;
    return f3_all(any ? 1.0f : 0.0f);
}

/* Where the light of a picture is: variances along both axes, in squares of the picture's height,
   less that of the positions within a pixel. */
typedef struct Spot {
    double light, x, y; /* in pixels, and variances */
} Spot;

static Spot spot_of(const OozeCamera *camera, const OozeRayScene *ray_scene, uint32_t samples)
{
    OozeTracer tracer = {.scene = ray_scene};
    OozeFilm film;
    CHECK_OK(ooze_film_create(&film, SIDE, SIDE, UINT64_MAX, &error));
    OozeExposeJob job = {
        .tracer = &tracer, .camera = camera, .shade = shade_white, .samples = samples};
    CHECK_OK(ooze_film_expose(&film, &job, NULL, NULL, &error));
    double sum = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, syy = 0.0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        double c = (double)film.pixels[i].color.x, x = i % SIDE, y = (int)(i / SIDE);
        sum += c;
        sx += c * x;
        sy += c * y;
        sxx += c * x * x;
        syy += c * y * y;
    }
    ooze_film_free(&film);
    double pixel2 = 1.0 / ((double)SIDE * SIDE), within = 1.0 / 12.0;
    return (Spot){sum, (sxx / sum - sx / sum * (sx / sum) - within) * pixel2,
                  (syy / sum - sy / sum * (sy / sum) - within) * pixel2};
}

static OozeRayScene *ball_at(const float *positions, int steps, float radius)
{
    OozeRayScene *ray_scene = NULL;
    CHECK_OK(ooze_ray_scene_create(&ray_scene, &error));
    OozeBsdf plain = {.kind = OOZE_LOOK_OPAQUE};
    CHECK_OK(ooze_ray_scene_add_bsdf(ray_scene, &plain, &error));
    OozeRayGeometry ball = {
        .vertex_count = 1, .positions = positions, .step_count = steps, .radius = radius};
    CHECK_OK(ooze_ray_scene_add_geometry(ray_scene, &ball, &error));
    CHECK_OK(ooze_ray_scene_commit(ray_scene, 1.0f, &error));
    return ray_scene;
}

static OozeCamera camera_along_z(OozeRenderDef *def)
{
    *def = ooze_render_def_default();
    def->camera_position = vec3(0, 0, 0);
    def->look_at = vec3(0, 0, -1);
    return ooze_camera_make(def, OOZE_AXIS_Y, vec3(-1, -1, -1), vec3(1, 1, 1), 1.0);
}

/* Diameter of the circle of confusion c = A |z - d| / z * f / (d - f), A = f / N. An even disc of
   diameter c has the variance c^2 / 16 along each axis; the image of the ball adds its own. */
static void the_circle_of_confusion_is_that_of_a_thin_lens(void **state)
{
    (void)state;
    const double d = 0.5, numbers[] = {1.4, 2.8}, depths[] = {0.3, 0.5, 0.7, 1.0};
    for (int i = 0; i < 8; i++) {
        double n = numbers[i / 4], z = depths[i % 4];
        OozeRenderDef def;
        OozeCamera camera = camera_along_z(&def);
        double f = ooze_camera_focal_length(&camera, d);
        double image = 0.5 * 0.024 / tan(15.0 * M_PI / 180.0);
        CHECK_NEAR(1.0 / f, 1.0 / d + 1.0 / image, 1e-9 / f);
        camera.focus_distance = d;
        camera.lens_radius = 0.5 * f / n;
        const float at[3] = {0, 0, (float)-z}, radius = 0.006f * (float)z;
        OozeRayScene *ray_scene = ball_at(at, 1, radius);
        Spot spot = spot_of(&camera, ray_scene, 64);
        double c = f / n * fabs(z - d) / z * f / (d - f) / 0.024;
        double ball = 2.0 * (double)radius / (2.0 * z * tan(15.0 * M_PI / 180.0));
        double measured = 4.0 * sqrt(fmax(0.5 * (spot.x + spot.y) - ball * ball / 16.0, 0.0));
        printf("  f/%.1f at %.1f m: circle of %.5f of the height, thin lens %.5f\n", n, z, measured,
               c);
        /* Sampling noise of the variance, and in focus what is left of a difference. */
        CHECK_NEAR(measured, c, 0.02 * c + 0.0015);
        ooze_ray_scene_destroy(ray_scene);
    }
}

/* A ball with velocity v leaves a streak of length v T: the variance grows by (v T)^2 / 12 along
   the motion, and not across. */
static void blur_is_as_long_as_the_path_while_the_shutter_is_open(void **state)
{
    (void)state;
    const double z = 1.0, open_time = 0.5 / 24.0, radius = 0.01;
    const double height = 2.0 * z * tan(15.0 * M_PI / 180.0);
    Spot still = {0};
    for (int i = 0; i < 3; i++) {
        const float at[3] = {0, 0, (float)-z}, velocity[3] = {2.0f * (float)i, 0, 0};
        float *steps = ooze_fluid_moving_points(at, velocity, 1, open_time);
        assert_non_null(steps);
        OozeRayScene *ray_scene = ball_at(steps, 2, (float)radius);
        OozeRenderDef def;
        OozeCamera camera = camera_along_z(&def);
        camera.shutter = true;
        /* Samples that go where the noise is make a small streak too bright: 1 % at 64. */
        Spot spot = spot_of(&camera, ray_scene, 256);
        double length = 2.0 * i * open_time / height,
               ball = radius * radius / (4 * height * height);
        printf("  %d m/s: streak of %.5f of the height, v T %.5f\n", 2 * i,
               sqrt(12.0 * fmax(spot.x - ball, 0.0)), length);
        if (i == 0) { /* a sharp disc four pixels across: 2.6 % of it are the pixels */
            CHECK_NEAR(spot.x, ball, 0.03 * ball);
            still = spot;
        }
        CHECK_NEAR(spot.x, still.x + length * length / 12.0, 0.01 * spot.x);
        CHECK_NEAR(spot.y, still.y, 0.01 * still.y);
        ooze_ray_scene_destroy(ray_scene);
        free(steps);
    }
}

/* Distance at which a ray downwards at a time hits; INFINITY: nothing. */
static double depth_below(const OozeRayScene *ray_scene, double x, double y, double z, float time)
{
    const OozeRay ray = {f3((float)x, (float)y, (float)z), f3(0, -1, 0), time};
    OozeHit hit;
    bool any = ooze_ray_scene_intersect(ray_scene, &ray, 0.0f, INFINITY, &hit);
    return any ? (double)hit.distance : INFINITY;
}

/* The block falls at 1 m/s: its top is lower by v T when the shutter closes than when it opens,
   drawn as particles and as a surface. */
static void fluid_moves_with_its_velocity(void **state)
{
    (void)state;
    Run run = make_run(block_scene);
    OozeSurfaceSettings settings = ooze_surface_default();
    OozeColorField no_field = {NULL, 0, 0};
    OozeSolidMeshes meshes;
    CHECK_OK(ooze_solid_meshes_create(&meshes, run.scene, &error));
    for (int spheres = 0; spheres < 2; spheres++) {
        OozeFluidDrawing how = {&settings, &no_field, &meshes, 1, 0, 0.02};
        OozeRayScene *ray_scene = NULL;
        CHECK_OK(ooze_ray_scene_create(&ray_scene, &error));
        OozeBsdf plain = {.kind = OOZE_LOOK_OPAQUE};
        CHECK_OK(ooze_ray_scene_add_bsdf(ray_scene, &plain, &error));
        CHECK_OK(spheres ? ooze_fluid_add_spheres(run.frame, &how, ray_scene, &error)
                         : ooze_fluid_add_surface(run.frame, &how, ray_scene, &error));
        CHECK_OK(ooze_ray_scene_commit(ray_scene, 0.1f, &error));
        double depths[3];
        for (int k = 0; k < 3; k++) {
            depths[k] = depth_below(ray_scene, 0.06, 1.0, 0.01, 0.5f * (float)k);
        }
        CHECK_NEAR(depths[1] - depths[0], 0.01, 1e-4); /* single precision of a tree's bounds */
        CHECK_NEAR(depths[2] - depths[0], 0.02, 1e-4);
        ooze_ray_scene_destroy(ray_scene);
    }
    ooze_solid_meshes_free(&meshes);
    free_run(&run);
}

static const char spinning_scene[] = "ooze: 2\n"
                                     "method: {name: ballistic}\n"
                                     "spacing: 0.02\n"
                                     "time_step: 1/100\n"
                                     "duration: 1\n"
                                     "materials: {water: {density: 1000}}\n"
                                     "solids:\n"
                                     "  - {name: beam, shape: {type: box, size: [0.8, 0.1, 0.1]},\n"
                                     "     motion: {velocity: [0, 0.5, 0], spin: [0, 0, 90]}}\n";

/* A beam that rises at 0.5 m/s and turns at 90 degrees a second: its upper face at x, at a time s
   from the middle, is at 0.5 s + x tan(a) + 0.05 / cos(a), a = 90 deg/s times s. */
static void solids_move_and_turn(void **state)
{
    (void)state;
    Run run = make_run(spinning_scene);
    OozeSolidMeshes meshes;
    CHECK_OK(ooze_solid_meshes_create(&meshes, run.scene, &error));
    OozeRayScene *ray_scene = NULL;
    CHECK_OK(ooze_ray_scene_create(&ray_scene, &error));
    OozeBsdf plain = {.kind = OOZE_LOOK_OPAQUE};
    CHECK_OK(ooze_ray_scene_add_bsdf(ray_scene, &plain, &error));
    const double open_time = 0.4;
    OozeSolidPlacing placing = {.open_time = open_time};
    CHECK_OK(ooze_solid_meshes_add_to_scene(&meshes, run.frame, &placing, ray_scene, &error));
    CHECK_OK(ooze_ray_scene_commit(ray_scene, 1.0f, &error));
    for (int k = 0; k <= 4; k++) {
        double s = open_time * (0.25 * k - 0.5), a = 0.5 * M_PI * s;
        const OozeRay ray = {f3(0.2f, 2.0f, 0.01f), f3(0, -1, 0), 0.25f * (float)k};
        OozeHit hit;
        assert_true(ooze_ray_scene_intersect(ray_scene, &ray, 0.0f, INFINITY, &hit));
        /* Chords instead of arcs of 0.1 rad: 0.4 * 0.05^2 / 2 */
        CHECK_NEAR((double)hit.point.y, 0.5 * s + 0.2 * tan(a) + 0.05 / cos(a), 6e-4);
        CHECK_NEAR((double)hit.normal.x, -sin(a), 1e-3);
        CHECK_NEAR((double)hit.normal.y, cos(a), 1e-3);
    }
    ooze_ray_scene_destroy(ray_scene);
    ooze_solid_meshes_free(&meshes);
    free_run(&run);
}

/* Whole pictures: without aperture and shutter nothing changes; with them the picture does, equally
   for any number of threads. */
static void pictures_are_blurred_when_asked(void **state)
{
    (void)state;
    Run run = make_run(block_scene);
    run.def.samples = 2;
    unsigned char *sharp = picture_of(&run, run.frame);
    const OozeRenderDef plain = run.def;
    for (int k = 0; k < 3; k++) {
        run.def = plain;
        run.def.shutter = k == 0 ? 0.5 : 0.0;
        run.def.f_number = k == 1 ? 1.4 : NAN;
        run.def.aperture = k == 2 ? 0.05 : NAN;
        unsigned char *blurred = picture_of(&run, run.frame);
        run.def.threads = 3;
        unsigned char *again = picture_of(&run, run.frame);
        assert_true(difference(&run, sharp, blurred) > 0.3);
        assert_memory_equal(blurred, again, 96 * 64 * 3);
        free(blurred);
        free(again);
    }
    run.def.focus = "bal";
    OozeRenderer *renderer = NULL;
    CHECK_OK(ooze_renderer_create(run.scene, &run.def, &renderer, &error));
    CHECK_FAILS(ooze_render_frame(renderer, run.frame, NULL, NULL, sharp, &error),
                OOZE_ERROR_ARGUMENT, "no material or solid 'bal'");
    ooze_renderer_free(renderer);
    free(sharp);
    free_run(&run);
}

/* The plane in focus: a given distance, through the centre of a solid, or through the near part of
   the fluid, which is 0.1 m deep. */
static void the_focus_is_on_what_is_named(void **state)
{
    (void)state;
    Run run = make_run(block_scene);
    run.def.camera_position = vec3(0.05, 0.2, 2.0);
    run.def.look_at = vec3(0.05, 0.2, 0.0);
    run.def.f_number = 2.0;
    static const struct {
        const char *focus;
        double distance, expected, bound;
    } rows[] = {{NULL, 0.7, 0.7, 1e-9},
                {"ball", NAN, 2.0, 1e-3},
                {"honey", NAN, 1.97, 0.011}, /* half a spacing */
                {NULL, NAN, 1.97, 0.011}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        run.def.focus = rows[i].focus;
        run.def.focus_distance = rows[i].distance;
        OozeRenderer *renderer = NULL;
        CHECK_OK(ooze_renderer_create(run.scene, &run.def, &renderer, &error));
        CHECK_OK(ooze_renderer_survey(renderer, run.frame, &error));
        OozeCamera camera = ooze_renderer_camera(renderer);
        OozeView view = ooze_renderer_view(renderer);
        CHECK_OK(ooze_renderer_focus(renderer, run.frame, &view, &camera, &error));
        CHECK_NEAR(camera.focus_distance, rows[i].expected, rows[i].bound);
        CHECK_NEAR(camera.lens_radius,
                   0.5 * ooze_camera_focal_length(&camera, camera.focus_distance) / 2.0, 1e-9);
        ooze_renderer_free(renderer);
    }
    free_run(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_circle_of_confusion_is_that_of_a_thin_lens),
        cmocka_unit_test(blur_is_as_long_as_the_path_while_the_shutter_is_open),
        cmocka_unit_test(fluid_moves_with_its_velocity),
        cmocka_unit_test(solids_move_and_turn),
        cmocka_unit_test(pictures_are_blurred_when_asked),
        cmocka_unit_test(the_focus_is_on_what_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
