/* Light: no skin makes or loses any, absorbing bodies follow Beer's law, and shadows are as large as
   geometry says. */
#include "render_stage.h"

#include "render/film.h"

static OozeSkin skin_of(int row, const float color[3], double depth)
{
    OozeLookDef look = ooze_look_def_default();
    look.type = row;
    look.depth = depth;
    memcpy(look.color, color, sizeof look.color);
    return ooze_skin_make(&look, "", "glossy", color, 1.0);
}

/* A white ball in even light vanishes: what every direction sees is the light itself. Rays at several
   distances from the middle meet it at all angles. */
static void white_in_white_out(void **state)
{
    (void)state;
    const float white[3] = {1, 1, 1};
    int count;
    const OozeLookInfo *looks = ooze_looks(&count);
    OozeLights lights;
    ooze_lights_make_even(&lights, f3_all(1.0f));
    for (int row = 1; row < count; row++) {
        OozeStage *stage = NULL;
        CHECK_OK(ooze_stage_create(&stage, &error));
        OozeSkin skin = skin_of(row, white, 1.0);
        CHECK_OK(ooze_stage_add_skin(stage, &skin, &error));
        add_ball(stage, 1.0f, 0);
        CHECK_OK(ooze_stage_finish(stage, 1.0f, &error));
        OozeTracer tracer = {.stage = stage, .lights = &lights};
        for (int i = 0; i < 5; i++) {
            float aside = 0.02f + 0.22f * (float)i;
            Estimate seen = shoot(&tracer, f3(aside, 0.1f, 3.0f), f3(0, 0, -1), 4096);
            /* Four standard errors, and what the table of the coat is off between its entries. */
            double bound = 4.0 * seen.error + 0.01;
            if (fabs(seen.mean[1] - 1.0) > bound) {
                fail_msg("%s at %.2f: %.4f, not 1 within %.4f", looks[row].name, (double)aside,
                         seen.mean[1], bound);
            }
        }
        ooze_stage_destroy(stage);
    }
}

/* No skin gives back more than comes in from one direction either: the sum of its values over all
   light is at most one. */
static void a_lamp_is_not_amplified(void **state)
{
    (void)state;
    const float white[3] = {1, 1, 1};
    int count;
    ooze_looks(&count);
    for (int row = 1; row < count; row++) {
        OozeSkin skin = skin_of(row, white, 1.0);
        if (skin.kind == OOZE_LOOK_CLEAR) {
            continue;
        }
        OozeF3 view = f3_unit(f3(0.6f, 0.0f, 0.5f));
        double sum = 0.0;
        enum { N = 20000 };
        for (uint32_t i = 0; i < N; i++) {
            OozeSampler sampler = ooze_sampler(3, 1, i);
            OozeScatter scatter =
                ooze_skin_sample(&skin, f3_all(1.0f), view, ooze_sampler_pair(&sampler),
                                 ooze_sampler_pair(&sampler));
            sum += (double)scatter.weight.y;
        }
        CHECK_NEAR(sum / N, 1.0, 0.01); /* noise of weights below 2 over 20000: 0.004 */
    }
}

/* Straight through a body of the index of air, what is left is colour^(thickness / depth). */
static void absorption_follows_beer(void **state)
{
    (void)state;
    const float amber[3] = {0.9f, 0.5f, 0.1f};
    const double depth = 0.02;
    OozeLights lights;
    ooze_lights_make_even(&lights, f3_all(1.0f));
    for (int i = 1; i <= 4; i++) {
        double thickness = 0.005 * i * i;
        OozeStage *stage = NULL;
        CHECK_OK(ooze_stage_create(&stage, &error));
        OozeLookDef look = ooze_look_def_default();
        look.type = 1; /* honey */
        look.depth = depth;
        look.refraction = 1.0;
        look.cloudiness = 0.0;
        memcpy(look.color, amber, sizeof look.color);
        OozeSkin skin = ooze_skin_make(&look, "", "glossy", amber, 1.0);
        CHECK_OK(ooze_stage_add_skin(stage, &skin, &error));
        add_slab(stage, (float)thickness, 0);
        CHECK_OK(ooze_stage_finish(stage, 0.1f, &error));
        OozeTracer tracer = {.stage = stage, .lights = &lights};
        Estimate seen = shoot(&tracer, f3(0.3f, 0.2f, 1.0f), f3(0, 0, -1), 4);
        OozeF3 straight = ooze_trace_clear(&tracer, f3(0.3f, 0.2f, 1.0f), f3(0, 0, -1), INFINITY);
        for (int k = 0; k < 3; k++) {
            double left = pow((double)amber[k], thickness / depth);
            CHECK_NEAR(seen.mean[k], left, 1e-3); /* single precision over a hair of 1e-6 m */
            CHECK_NEAR((double)(&straight.x)[k], left, 1e-3);
        }
        ooze_stage_destroy(stage);
    }
}

/* With reflection at both faces, straight on: R + (1 - R)^2 a / (1 - R a), a by Beer's law. */
static void a_pane_reflects_and_absorbs(void **state)
{
    (void)state;
    const float grey[3] = {0.5f, 0.5f, 0.5f};
    OozeLights lights;
    ooze_lights_make_even(&lights, f3_all(1.0f));
    OozeStage *stage = NULL;
    CHECK_OK(ooze_stage_create(&stage, &error));
    OozeLookDef look = ooze_look_def_default();
    look.type = 1;
    look.depth = 0.01;
    look.refraction = 2.0;
    look.cloudiness = 0.0;
    memcpy(look.color, grey, sizeof look.color);
    OozeSkin skin = ooze_skin_make(&look, "", "glossy", grey, 1.0);
    CHECK_OK(ooze_stage_add_skin(stage, &skin, &error));
    add_slab(stage, 0.01f, 0);
    CHECK_OK(ooze_stage_finish(stage, 0.1f, &error));
    OozeTracer tracer = {.stage = stage, .lights = &lights};
    Estimate seen = shoot(&tracer, f3(0.3f, 0.2f, 1.0f), f3(0, 0, -1), 20000);
    double r = 1.0 / 9.0, a = 0.5, expected = r + (1 - r) * (1 - r) * a / (1 - r * a);
    CHECK_NEAR(seen.mean[1], expected, 4.0 * seen.error + 1e-3);
    ooze_stage_destroy(stage);
}

/* A square light of strength 1 lights a white floor that faces it to 1, as seen from anywhere. */
static void lights_are_as_strong_as_said(void **state)
{
    (void)state;
    const float white[3] = {1, 1, 1};
    OozeLights lights;
    ooze_lights_make_even(&lights, f3_all(0.0f));
    ooze_lights_add_square(&lights, f3(0, 5, 0), f3(0, 0, 0), f3(0, 0, 1), 0.5f, f3_all(1.0f),
                           1.0f);
    OozeStage *stage = NULL;
    CHECK_OK(ooze_stage_create(&stage, &error));
    int count;
    const OozeLookInfo *looks = ooze_looks(&count);
    int matte = 0;
    while (strcmp(looks[matte].name, "matte") != 0) {
        matte++;
    }
    OozeSkin skin = skin_of(matte, white, 1.0);
    CHECK_OK(ooze_stage_add_skin(stage, &skin, &error));
    OozePlane floor = {.point = f3(0, 0, 0), .normal = f3(0, 1, 0)};
    CHECK_OK(ooze_stage_add_plane(stage, &floor, &error));
    CHECK_OK(ooze_stage_finish(stage, 1.0f, &error));
    OozeTracer tracer = {.stage = stage, .lights = &lights};
    Estimate seen = shoot(&tracer, f3(1, 1, 0), f3_unit(f3(-1, -1, 0)), 4096);
    /* The light is not a point: a 0.25 m2 square 5 m away is 0.7 % off. */
    CHECK_NEAR(seen.mean[1], 1.0, 4.0 * seen.error + 0.01);
    ooze_stage_destroy(stage);
}

/* A ball of radius r at distance d covers a disc of tan(asin(r / d)). */
static void a_ball_covers_what_it_should(void **state)
{
    (void)state;
    const float white[3] = {1, 1, 1};
    OozeLights lights;
    ooze_lights_make_even(&lights, f3_all(1.0f));
    OozeStage *stage = NULL;
    CHECK_OK(ooze_stage_create(&stage, &error));
    OozeSkin skin = skin_of(0, white, 1.0);
    CHECK_OK(ooze_stage_add_skin(stage, &skin, &error));
    const float middle[3] = {0, 0, 0};
    OozeThing ball = {.is_fluid = true, .vertex_count = 1, .positions = middle, .radius = 1.0f};
    CHECK_OK(ooze_stage_add(stage, &ball, &error));
    CHECK_OK(ooze_stage_finish(stage, 1.0f, &error));
    OozeRenderDef def = ooze_render_def_default();
    def.camera_position = vec3(1, 2, 4);
    def.look_at = vec3(0, 0, 0);
    OozeCamera camera = ooze_camera_make(&def, OOZE_AXIS_Y, vec3(-1, -1, -1), vec3(1, 1, 1), 1.5);
    OozeTracer tracer = {.stage = stage, .lights = &lights};
    OozeFilm film;
    CHECK_OK(ooze_film_create(&film, 240, 160, UINT64_MAX, &error));
    OozeExposeJob job = {.tracer = &tracer, .camera = &camera, .shade = ooze_trace, .samples = 4};
    CHECK_OK(ooze_film_expose(&film, &job, NULL, &error));
    double covered = 0.0, pixels = 240.0 * 160.0;
    for (int i = 0; i < 240 * 160; i++) {
        covered += (double)film.pixels[i].covered;
    }
    double d = vec3_length(def.camera_position), t = tan(asin(1.0 / d));
    double expected = M_PI * t * t / (4.0 * camera.wide * camera.high);
    /* Edge pixels, about 300, are right to an eighth of a pixel each at random. */
    CHECK_NEAR(covered / pixels, expected, 0.005 * expected);
    ooze_film_free(&film);
    ooze_stage_destroy(stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(white_in_white_out),
        cmocka_unit_test(a_lamp_is_not_amplified),
        cmocka_unit_test(absorption_follows_beer),
        cmocka_unit_test(a_pane_reflects_and_absorbs),
        cmocka_unit_test(lights_are_as_strong_as_said),
        cmocka_unit_test(a_ball_covers_what_it_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
