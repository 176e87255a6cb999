/* Looks of solids: textures move with them and conserve energy, and what hides the fluid is
   glass. */
#include "render_run.h"

#include "render/renderer_state.h"
#include "render/texture.h"

/* White stays within 0 to 1, the same point has the same colour, and the pattern repeats nowhere
   near but varies over its length. */
static void textures_vary_and_add_no_light(void **state)
{
    (void)state;
    for (int t = OOZE_TEXTURE_WOOD; t < OOZE_TEXTURE_COUNT; t++) {
        double sum = 0.0, squares = 0.0, close = 0.0;
        enum { N = 4000 };
        for (int i = 0; i < N; i++) {
            OozeF3 p = f3(0.013f * (float)(i % 80), 0.0f, 0.013f * (float)(i / 80));
            OozeF3 c = ooze_texture_color((OozeTexture)t, f3_all(1.0f), 0.7f, p, f3(0, 1, 0));
            assert_true(c.x >= 0 && c.y >= 0 && c.z >= 0 && f3_max(c) <= 1.0f);
            OozeF3 twice =
                ooze_texture_color((OozeTexture)t, f3_all(1.0f), 1.4f, f3_scale(p, 2), f3(0, 1, 0));
            close += fabs((double)(c.y - twice.y));
            sum += (double)c.y;
            squares += (double)c.y * (double)c.y;
        }
        double deviation = sqrt(squares / N - sum / N * (sum / N));
        printf("  texture %d: mean %.3f, deviation %.3f\n", t, sum / N, deviation);
        assert_true(deviation > 0.03);
        assert_true(close / N < 1e-3); /* `scale` is the length of the pattern */
        OozeF3 far = ooze_texture_color((OozeTexture)t, f3_all(1.0f), 1e-6f, f3(1e6f, -1e6f, 3e5f),
                                        f3(1, 0, 0));
        assert_true(isfinite(far.x + far.y + far.z));
    }
}

static const char sliding_scene[] =
    "ooze: 2\n"
    "method: {name: ballistic}\n"
    "spacing: 0.02\n"
    "time_step: 1/100\n"
    "duration: 1\n"
    "materials: {water: {density: 1000}}\n"
    "solids:\n"
    "  - {name: board, look: {type: wood, scale: 0.1},\n"
    "     shape: {type: box, size: [0.8, 0.1, 0.8]}, motion: {velocity: [1, 0, 0]}}\n";

/* The colour of a point of a moving board is the same when the shutter opens and when it closes. */
static void textures_move_with_their_solid(void **state)
{
    (void)state;
    Run run = make_run(sliding_scene);
    OozeSolidMeshes meshes;
    OozeRayScene *ray_scene = NULL;
    CHECK_OK(ooze_solid_meshes_create(&meshes, run.scene, &error));
    CHECK_OK(ooze_ray_scene_create(&ray_scene, &error));
    const float brown[3] = {0.4f, 0.2f, 0.1f};
    OozeLookDef look = ooze_look_def_default();
    look.scale = 0.1;
    OozeBsdf wood = ooze_bsdf_make(&look, "wood", "matte", brown, 1.0);
    assert_true(wood.texture == OOZE_TEXTURE_WOOD && wood.texture_scale == 0.1f);
    CHECK_OK(ooze_ray_scene_add_bsdf(ray_scene, &wood, &error));
    OozeSolidPlacing placing = {.open_time = 0.1};
    CHECK_OK(ooze_solid_meshes_add_to_scene(&meshes, run.frame, &placing, ray_scene, &error));
    CHECK_OK(ooze_ray_scene_commit(ray_scene, 1.0f, &error));
    double moved = 0.0, still = 0.0;
    for (int i = 0; i < 50; i++) {
        OozeHit hits[3];
        for (int k = 0; k < 3; k++) {
            float x = -0.2f + 0.008f * (float)i + (k == 2 ? 0.1f : 0.0f);
            const OozeRay ray = {f3(x, 1, 0.11f), f3(0, -1, 0), k == 0 ? 0.0f : 1.0f};
            assert_true(ooze_ray_scene_intersect(ray_scene, &ray, 0.0f, INFINITY, &hits[k]));
        }
        still += fabs((double)(hits[1].color.x - hits[0].color.x));
        moved += fabs((double)(hits[2].color.x - hits[0].color.x));
    }
    printf("  difference at the same place %.4f, moved along %.6f\n", still / 50, moved / 50);
    assert_true(moved / 50 < 1e-3 && still / 50 > 0.02);
    ooze_ray_scene_destroy(ray_scene);
    ooze_solid_meshes_free(&meshes);
    free_run(&run);
}

static const char vessel_scene[] =
    "ooze: 2\n"
    "method: {name: ballistic}\n"
    "spacing: 0.02\n"
    "time_step: 1/100\n"
    "duration: 1\n"
    "materials: {honey: {density: 1400}}\n"
    "fluids:\n"
    "  - {material: honey, shape: {type: box, size: [0.2, 0.1, 0.2], position: [0, 0.07, 0]}}\n"
    "solids:\n"
    "  - {name: box, %s shape: {type: open_box, size: [0.24, %s, 0.24], thickness: 0.01}}\n";

/* A box that hides the fluid from the camera is glass, unless it has a look or colour; one with low
   walls hides nothing. */
static void what_hides_the_fluid_is_glass(void **state)
{
    (void)state;
    static const struct {
        const char *keys, *height, *look;
    } rows[] = {{"", "0.2", "glass"},
                {"", "0.03", "matte"},
                {"color: \"#804020\",", "0.2", "matte"},
                {"look: metal,", "0.2", "glass"}}; /* of no effect: it has a look */
    double amber[4];
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        char text[sizeof vessel_scene + 64];
        snprintf(text, sizeof text, vessel_scene, rows[r].keys, rows[r].height);
        Run run = make_run(text);
        OozeRenderer *renderer = NULL;
        CHECK_OK(ooze_renderer_create(run.scene, &run.def, &renderer, &error));
        unsigned char pixels[96 * 64 * 3];
        CHECK_OK(ooze_render_frame(renderer, run.frame, NULL, NULL, pixels, &error));
        assert_string_equal(ooze_renderer_default_look(renderer, 0), rows[r].look);
        amber[r] = 0.0;
        for (int i = 0; i < 96 * 64; i++) {
            amber[r] += pixels[3 * i] > 1.4 * pixels[3 * i + 2] ? 1.0 : 0.0;
        }
        ooze_renderer_free(renderer);
        free_run(&run);
    }
    printf("  amber pixels: %.0f behind glass, %.0f behind metal\n", amber[0], amber[3]);
    assert_true(amber[0] > 2.0 * amber[3]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(textures_vary_and_add_no_light),
        cmocka_unit_test(textures_move_with_their_solid),
        cmocka_unit_test(what_hides_the_fluid_is_glass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
