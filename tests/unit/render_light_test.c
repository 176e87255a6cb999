/* Light: BSDFs conserve energy, absorption follows Beer's law, and a ball covers the solid angle
   that geometry gives. */
#include "render_scene.h"

#include "render/film.h"

static OozeBsdf bsdf_of(int row, const float color[3], double depth)
{
    OozeLookDef look = ooze_look_def_default();
    look.type = row;
    look.depth = depth;
    look.glow = 0.0;
    memcpy(look.color, color, sizeof look.color);
    return ooze_bsdf_make(&look, "", "glossy", color, 1.0);
}

/* The furnace test: a white ball in uniform light is invisible. Rays at several distances from the
   centre hit it at all angles. */
static void the_furnace_test(void **state)
{
    (void)state;
    const float white[3] = {1, 1, 1};
    int count;
    const OozeLookInfo *looks = ooze_looks(&count);
    OozeLights lights = uniform_lights(f3_all(1.0f));
    for (int row = 1; row < count; row++) {
        OozeRayScene *ray_scene = NULL;
        CHECK_OK(ooze_ray_scene_create(&ray_scene, &error));
        OozeBsdf bsdf = bsdf_of(row, white, 1.0);
        CHECK_OK(ooze_ray_scene_add_bsdf(ray_scene, &bsdf, &error));
        add_ball(ray_scene, 1.0f, 0);
        CHECK_OK(ooze_ray_scene_commit(ray_scene, 1.0f, &error));
        OozeTracer tracer = {.scene = ray_scene, .lights = &lights};
        for (int i = 0; i < 5; i++) {
            float aside = 0.02f + 0.22f * (float)i;
            Estimate seen = shoot(&tracer, f3(aside, 0.1f, 3.0f), f3(0, 0, -1), 4096);
            /* Four standard errors, and the interpolation error of the coat's table. */
            double bound = 4.0 * seen.error + 0.01;
            if (fabs(seen.mean[1] - 1.0) > bound) {
                fail_msg("%s at %.2f: %.4f, not 1 within %.4f", looks[row].name, (double)aside,
                         seen.mean[1], bound);
            }
        }
        ooze_ray_scene_destroy(ray_scene);
    }
}

/* The mean weight of samples of a white BSDF is one. */
static void samples_conserve_energy(void **state)
{
    (void)state;
    const float white[3] = {1, 1, 1};
    int count;
    ooze_looks(&count);
    for (int row = 1; row < count; row++) {
        OozeBsdf bsdf = bsdf_of(row, white, 1.0);
        if (bsdf.kind == OOZE_LOOK_CLEAR) {
            continue;
        }
        OozeF3 view = f3_unit(f3(0.6f, 0.0f, 0.5f));
        double sum = 0.0;
        enum { N = 20000 };
        for (uint32_t i = 0; i < N; i++) {
            OozeSampler sampler = ooze_sampler(3, 1, i);
            OozeBsdfSample scatter =
                ooze_bsdf_sample(&bsdf, OOZE_LOBE_ALL, f3_all(1.0f), view,
                                 ooze_sampler_pair(&sampler), ooze_sampler_pair(&sampler));
            sum += (double)scatter.weight.y;
        }
        CHECK_NEAR(sum / N, 1.0, 0.01); /* noise of weights below 2 over 20000: 0.004 */
    }
}

/* With the refractive index of air the transmittance is colour^(thickness / depth). */
static void absorption_follows_beer(void **state)
{
    (void)state;
    const float amber[3] = {0.9f, 0.5f, 0.1f};
    const double depth = 0.02;
    OozeLights lights = uniform_lights(f3_all(1.0f));
    for (int i = 1; i <= 4; i++) {
        double thickness = 0.005 * i * i;
        OozeRayScene *ray_scene = NULL;
        CHECK_OK(ooze_ray_scene_create(&ray_scene, &error));
        OozeLookDef look = ooze_look_def_default();
        look.type = 1; /* honey */
        look.depth = depth;
        look.refraction = 1.0;
        look.cloudiness = 0.0;
        memcpy(look.color, amber, sizeof look.color);
        OozeBsdf bsdf = ooze_bsdf_make(&look, "", "glossy", amber, 1.0);
        CHECK_OK(ooze_ray_scene_add_bsdf(ray_scene, &bsdf, &error));
        add_slab(ray_scene, (float)thickness, 0);
        CHECK_OK(ooze_ray_scene_commit(ray_scene, 0.1f, &error));
        OozeTracer tracer = {.scene = ray_scene, .lights = &lights};
        Estimate seen = shoot(&tracer, f3(0.3f, 0.2f, 1.0f), f3(0, 0, -1), 4);
        const OozeRay ray = {f3(0.3f, 0.2f, 1.0f), f3(0, 0, -1), 0.5f};
        OozeF3 straight = ooze_trace_transmittance(&tracer, &ray, INFINITY, OOZE_SHADOW_PLAIN);
        for (int k = 0; k < 3; k++) {
            double left = pow((double)amber[k], thickness / depth);
            CHECK_NEAR(seen.mean[k], left, 1e-3); /* single precision over an epsilon of 1e-6 m */
            CHECK_NEAR((double)(&straight.x)[k], left, 1e-3);
        }
        ooze_ray_scene_destroy(ray_scene);
    }
}

/* With reflection at both faces, at normal incidence: R + (1 - R)^2 a / (1 - R a), a by Beer's law.
   */
static void a_pane_reflects_and_absorbs(void **state)
{
    (void)state;
    const float grey[3] = {0.5f, 0.5f, 0.5f};
    OozeLights lights = uniform_lights(f3_all(1.0f));
    OozeRayScene *ray_scene = NULL;
    CHECK_OK(ooze_ray_scene_create(&ray_scene, &error));
    OozeLookDef look = ooze_look_def_default();
    look.type = 1;
    look.depth = 0.01;
    look.refraction = 2.0;
    look.cloudiness = 0.0;
    memcpy(look.color, grey, sizeof look.color);
    OozeBsdf bsdf = ooze_bsdf_make(&look, "", "glossy", grey, 1.0);
    CHECK_OK(ooze_ray_scene_add_bsdf(ray_scene, &bsdf, &error));
    add_slab(ray_scene, 0.01f, 0);
    CHECK_OK(ooze_ray_scene_commit(ray_scene, 0.1f, &error));
    OozeTracer tracer = {.scene = ray_scene, .lights = &lights};
    Estimate seen = shoot(&tracer, f3(0.3f, 0.2f, 1.0f), f3(0, 0, -1), 20000);
    double r = 1.0 / 9.0, a = 0.5, expected = r + (1 - r) * (1 - r) * a / (1 - r * a);
    CHECK_NEAR(seen.mean[1], expected, 4.0 * seen.error + 1e-3);
    ooze_ray_scene_destroy(ray_scene);
}

/* Under a square light of strength 1 a white floor that faces it has the radiance 1 in all
   directions. */
static void lights_have_their_strength(void **state)
{
    (void)state;
    const float white[3] = {1, 1, 1};
    OozeLights lights = uniform_lights(f3_all(0.0f));
    ooze_lights_add_square(&lights, f3(0, 5, 0), f3(0, 0, 0), f3(0, 0, 1), 0.5f, f3_all(1.0f),
                           1.0f);
    OozeRayScene *ray_scene = NULL;
    CHECK_OK(ooze_ray_scene_create(&ray_scene, &error));
    int count;
    const OozeLookInfo *looks = ooze_looks(&count);
    int matte = 0;
    while (strcmp(looks[matte].name, "matte") != 0) {
        matte++;
    }
    OozeBsdf bsdf = bsdf_of(matte, white, 1.0);
    CHECK_OK(ooze_ray_scene_add_bsdf(ray_scene, &bsdf, &error));
    OozePlane floor = {.point = f3(0, 0, 0), .normal = f3(0, 1, 0)};
    CHECK_OK(ooze_ray_scene_add_plane(ray_scene, &floor, &error));
    CHECK_OK(ooze_ray_scene_commit(ray_scene, 1.0f, &error));
    OozeTracer tracer = {.scene = ray_scene, .lights = &lights};
    Estimate seen = shoot(&tracer, f3(1, 1, 0), f3_unit(f3(-1, -1, 0)), 4096);
    /* The light is not a point: a 0.25 m2 square 5 m away is 0.7 % off. */
    CHECK_NEAR(seen.mean[1], 1.0, 4.0 * seen.error + 0.01);
    ooze_ray_scene_destroy(ray_scene);
}

/* A ball of radius r at distance d covers a disc of tan(asin(r / d)). */
static void a_ball_covers_its_solid_angle(void **state)
{
    (void)state;
    const float white[3] = {1, 1, 1};
    OozeLights lights = uniform_lights(f3_all(1.0f));
    OozeRayScene *ray_scene = NULL;
    CHECK_OK(ooze_ray_scene_create(&ray_scene, &error));
    OozeBsdf bsdf = bsdf_of(0, white, 1.0);
    CHECK_OK(ooze_ray_scene_add_bsdf(ray_scene, &bsdf, &error));
    const float middle[3] = {0, 0, 0};
    OozeRayGeometry ball = {
        .is_fluid = true, .vertex_count = 1, .positions = middle, .radius = 1.0f};
    CHECK_OK(ooze_ray_scene_add_geometry(ray_scene, &ball, &error));
    CHECK_OK(ooze_ray_scene_commit(ray_scene, 1.0f, &error));
    OozeRenderDef def = ooze_render_def_default();
    def.camera_position = vec3(1, 2, 4);
    def.look_at = vec3(0, 0, 0);
    OozeCamera camera = ooze_camera_make(&def, OOZE_AXIS_Y, vec3(-1, -1, -1), vec3(1, 1, 1), 1.5);
    OozeTracer tracer = {.scene = ray_scene, .lights = &lights};
    OozeFilm film;
    CHECK_OK(ooze_film_create(&film, 240, 160, UINT64_MAX, &error));
    OozeExposeJob job = {.tracer = &tracer, .camera = &camera, .shade = ooze_trace, .samples = 4};
    CHECK_OK(ooze_film_expose(&film, &job, NULL, NULL, &error));
    double coverage = 0.0, pixels = 240.0 * 160.0;
    for (int i = 0; i < 240 * 160; i++) {
        coverage += (double)film.pixels[i].coverage;
    }
    double d = vec3_length(def.camera_position), t = tan(asin(1.0 / d));
    double expected = M_PI * t * t / (4.0 * camera.tan_half_width * camera.tan_half_height);
    /* Edge pixels, about 300, are right to an eighth of a pixel each at random. */
    CHECK_NEAR(coverage / pixels, expected, 0.005 * expected);
    ooze_film_free(&film);
    ooze_ray_scene_destroy(ray_scene);
}

/* Largest sample of rays to a ball of glass, behind which is a small and very bright light. */
static double brightest_sample(float radiance_max)
{
    const float white[3] = {1, 1, 1};
    OozeLights lights = uniform_lights(f3_all(0.1f));
    ooze_lights_add_square(&lights, f3(0, 0, -8), f3(0, 0, 0), f3(0, 1, 0), 0.3f, f3_all(1.0f),
                           50.0f);
    OozeRayScene *ray_scene = NULL;
    CHECK_OK(ooze_ray_scene_create(&ray_scene, &error));
    OozeLookDef look = ooze_look_def_default();
    OozeBsdf glass = ooze_bsdf_make(&look, "glass", "glossy", white, 1.0);
    CHECK_OK(ooze_ray_scene_add_bsdf(ray_scene, &glass, &error));
    add_ball(ray_scene, 1.0f, 0);
    CHECK_OK(ooze_ray_scene_commit(ray_scene, 1.0f, &error));
    OozeTracer tracer = {.scene = ray_scene, .lights = &lights, .radiance_max = radiance_max};
    double largest = 0.0;
    for (uint32_t i = 0; i < 4000; i++) {
        OozeSampler sampler = ooze_sampler(1, 7, i);
        OozePair at = ooze_sampler_pair(&sampler);
        OozeFeatures features;
        const OozeRay ray = {f3(2.0f * at.u - 1.0f, 2.0f * at.v - 1.0f, 5), f3(0, 0, -1), 0.5f};
        largest = fmax(largest, (double)ooze_trace(&tracer, &ray, &sampler, &features).x);
    }
    ooze_ray_scene_destroy(ray_scene);
    return largest;
}

/* Light that a path finds behind an interface where it chose its way at random is limited. */
static void fireflies_are_limited(void **state)
{
    (void)state;
    double without = brightest_sample(0.0f), with = brightest_sample(12.0f);
    printf("  brightest sample %.0f, limited %.2f\n", without, with);
    assert_true(without > 1000.0);
    assert_true(with > 1.0 && with <= 2.0 * 12.0); /* a path and its reflected part */
}

/* In the dark a glowing ball has the radiance of its look in red, less green and still less blue;
   by Wien's law red halves from 1150 to 1094 degC, and a crust of 700 degC is dark. Heat of the
   vertices takes the place of the look's temperature. */
static void hot_bodies_glow(void **state)
{
    (void)state;
    OozeLights lights = uniform_lights(f3_all(0.0f));
    OozeLookDef look = ooze_look_def_default();
    look.glow = 2.0;
    const float black[3] = {0, 0, 0};
    OozeBsdf bsdf = ooze_bsdf_make(&look, "lava", "glossy", black, 1.0);
    const double kelvin = 1150.0 + 273.15;
    const double halved = 1.0 / (1.0 / kelvin + log(2.0) * 0.610 / 14388.0) - 273.15;
    const double temperatures[] = {NAN, 1150.0, halved, 700.0};
    const double crust = 2.0 * exp(-14388.0 / 0.610 * (1.0 / 973.15 - 1.0 / kelvin));
    const double red[] = {2.0, 2.0, 1.0, crust};
    for (int i = 0; i < 4; i++) {
        OozeRayScene *ray_scene = NULL;
        float heat[3] = {(float)temperatures[i], (float)temperatures[i], (float)temperatures[i]};
        const float corners[9] = {-1, -1, 0, 1, -1, 0, 0, 1, 0};
        const uint32_t triangle[3] = {0, 1, 2};
        OozeRayGeometry geometry = {.is_fluid = true,
                                    .temperatures = i == 0 ? NULL : heat,
                                    .vertex_count = 3,
                                    .positions = corners,
                                    .triangle_count = 1,
                                    .triangles = triangle};
        CHECK_OK(ooze_ray_scene_create(&ray_scene, &error));
        CHECK_OK(ooze_ray_scene_add_bsdf(ray_scene, &bsdf, &error));
        CHECK_OK(ooze_ray_scene_add_geometry(ray_scene, &geometry, &error));
        CHECK_OK(ooze_ray_scene_commit(ray_scene, 1.0f, &error));
        OozeTracer tracer = {.scene = ray_scene, .lights = &lights};
        Estimate seen = shoot(&tracer, f3(0.1f, 0.1f, 3.0f), f3(0, 0, -1), 16);
        printf("  %.0f degC: %.4f %.4f %.4f\n", temperatures[i], seen.mean[0], seen.mean[1],
               seen.mean[2]);
        assert_true(fabs(seen.mean[0] - red[i]) < 0.01 * red[i]);
        assert_true(seen.mean[1] < 0.4 * seen.mean[0] && seen.mean[2] < 0.2 * seen.mean[1]);
        ooze_ray_scene_destroy(ray_scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_furnace_test),
        cmocka_unit_test(hot_bodies_glow),
        cmocka_unit_test(samples_conserve_energy),
        cmocka_unit_test(absorption_follows_beer),
        cmocka_unit_test(a_pane_reflects_and_absorbs),
        cmocka_unit_test(lights_have_their_strength),
        cmocka_unit_test(a_ball_covers_its_solid_angle),
        cmocka_unit_test(fireflies_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
