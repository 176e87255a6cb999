/* Pictures of fluid in containers: lit, told from the walls, and flush with them. */
#include "render_run.h"

#include "render/solid_meshes.h"

static const char tank_scene[] =
    "ooze: 2\n"
    "method: {name: ballistic}\n"
    "spacing: 0.03\n"
    "time_step: 1/100\n"
    "duration: 1\n"
    "materials:\n"
    "  fluid: {preset: %s}\n"
    "fluids:\n"
    "  - {material: fluid, shape: {type: box, size: [0.6, 0.3, 0.3], position: [0, 0.15, 0]}}\n"
    "solids:\n"
    "  - {name: tank, look: %s,\n"
    "     shape: {type: box, size: [0.6, 0.6, 0.3], position: [0, 0.3, 0], inverted: true}}\n";

static Run make_tank(const char *preset, const char *look)
{
    char text[sizeof tank_scene + 64];
    snprintf(text, sizeof text, tank_scene, preset, look);
    Run run = make_run(text);
    run.def.samples = 8;
    return run;
}

static double brightness(const unsigned char *pixel)
{
    return (pixel[0] + pixel[1] + pixel[2]) / 3.0;
}

/* Largest difference of a channel. */
static double contrast(const unsigned char *a, const unsigned char *b)
{
    double largest = 0.0;
    for (int k = 0; k < 3; k++) {
        largest = fmax(largest, fabs((double)a[k] - (double)b[k]));
    }
    return largest;
}

/* The pixels of the fluid are those that differ from the picture of the empty tank. */
static void fluid_in_a_container_is_lit(void **state)
{
    (void)state;
    static const struct {
        const char *preset, *look;
    } rows[] = {{"water", "auto"}, {"honey", "auto"}, {"cream", "auto"}, {"water", "glass"}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        Run run = make_tank(rows[r].preset, rows[r].look);
        OwnFrame empty;
        own_frame(&empty, run.frame, 0);
        unsigned char *full = picture_of(&run, run.frame), *bare = picture_of(&run, &empty.frame);
        double fluid = 0.0, wall = 0.0, difference = 0.0;
        int count = 0, black = 0;
        for (int i = 0; i < 96 * 64; i++) {
            if (contrast(full + 3 * i, bare + 3 * i) > 4.0) {
                fluid += brightness(full + 3 * i);
                wall += brightness(bare + 3 * i);
                difference += contrast(full + 3 * i, bare + 3 * i);
                black += brightness(full + 3 * i) < 15.0;
                count++;
            }
        }
        assert_true(count > 500);
        printf("  %s, %s: brightness of the fluid %.0f, of the wall there %.0f, contrast %.0f, "
               "%d of %d pixels black\n",
               rows[r].preset, rows[r].look, fluid / count, wall / count, difference / count, black,
               count);
        assert_true(fluid / count > 70.0 && fluid / count < 250.0);
        assert_true(wall / count > 120.0 && wall / count < 250.0);
        assert_true(difference / count > 12.0);
        assert_true(black <= count / 200);
        free(full);
        free(bare);
        free(empty.positions);
        free_run(&run);
    }
}

/* From inside all walls are in view; nothing is black or overexposed. */
static void a_room_is_lit_from_inside(void **state)
{
    (void)state;
    Run run = make_tank("water", "auto");
    run.def.camera_position = vec3(0.2, 0.5, 0.1);
    run.def.look_at = vec3(-0.2, 0.3, -0.1);
    unsigned char *pixels = picture_of(&run, run.frame);
    double sum = 0.0;
    for (int i = 0; i < 96 * 64; i++) {
        sum += brightness(pixels + 3 * i);
    }
    printf("  brightness %.0f\n", sum / (96 * 64));
    assert_true(sum > 100.0 * 96 * 64 && sum < 245.0 * 96 * 64);
    free(pixels);
    free_run(&run);
}

/* Vertices near one, two and three walls of the box x 0.6, y 0.6, z 0.3, and far from all. */
static void the_surface_is_fitted_to_the_walls(void **state)
{
    (void)state;
    Run run = make_tank("water", "auto");
    OozeSolidMeshes meshes;
    CHECK_OK(ooze_solid_meshes_create(&meshes, run.scene, &error));
    const float h = 0.03f;
    float positions[] = {0.3f - 0.5f * h,
                         0.3f,
                         0,
                         0.3f - 0.6f * h,
                         0.3f,
                         0.15f - 0.4f * h,
                         -0.3f + 0.5f * h,
                         0.5f * h,
                         0.15f - 0.5f * h,
                         0.3f + 0.4f * h,
                         0.3f,
                         0.15f + 0.4f * h,
                         0,
                         0.3f,
                         0};
    float normals[] = {1, 0, 0, 0.9f, 0, 0.1f, 0, -1, 0, 0.8f, 0, 0.6f, 0, 1, 0};
    const float expected[] = {0.3f,  0.3f, 0,    0.3f,  0.3f, 0.15f, -0.3f, 0,
                              0.15f, 0.3f, 0.3f, 0.15f, 0,    0.3f,  0};
    ooze_solid_meshes_fit_surface(&meshes, run.frame, 5, positions, normals);
    for (int i = 0; i < 15; i++) {
        CHECK_NEAR((double)positions[i], (double)expected[i], 0.02 * (double)h);
    }
    assert_true(normals[0] == 1.0f && normals[3] == 1.0f && normals[7] == -1.0f);
    ooze_solid_meshes_free(&meshes);
    free_run(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fluid_in_a_container_is_lit),
        cmocka_unit_test(a_room_is_lit_from_inside),
        cmocka_unit_test(the_surface_is_fitted_to_the_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
