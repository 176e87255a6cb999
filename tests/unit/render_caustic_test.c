/* Caustics: photons that pass a clear slab obey Beer's law and Fresnel's equations, a ball focuses
   them, and the light that they bring is that which passes the medium straight where nothing is
   refracted. */
#include "render_scene.h"

#include "base/vec3.h"
#include "render/photon_map.h"

static const OozePhotonShare all = {1, 0};

static OozeLights sun_above(void)
{
    OozeLights lights = uniform_lights(f3_all(0.0f));
    float cosine = 0.99999f, angle = 2.0f * OOZE_PI_F * (1.0f - cosine);
    lights.lights[0] = (OozeLight){.is_sun = true,
                                   .axis = f3(0, 0, 1),
                                   .cosine = cosine,
                                   .area = angle,
                                   .radiance = f3_all(OOZE_PI_F / angle),
                                   .probability = 1.0f,
                                   .cumulative = 1.0f};
    lights.count = 1;
    return lights;
}

static OozeBsdf clear_bsdf(double refraction, const float color[3], double depth)
{
    OozeLookDef look = ooze_look_def_default();
    look.type = 1;
    look.refraction = refraction;
    look.cloudiness = 0.0;
    look.depth = depth;
    memcpy(look.color, color, sizeof look.color);
    return ooze_bsdf_make(&look, "", "glossy", color, 1.0);
}

/* A white matte floor at a height below clear geometry, BSDF 0, which the caller adds. */
static OozeRayScene *scene_with_floor(const OozeBsdf *clear, float height)
{
    const float white[3] = {1, 1, 1};
    OozeRayScene *ray_scene = NULL;
    OozeLookDef look = ooze_look_def_default();
    OozeBsdf matte = ooze_bsdf_make(&look, "", "matte", white, 1.0);
    CHECK_OK(ooze_ray_scene_create(&ray_scene, &error));
    CHECK_OK(ooze_ray_scene_add_bsdf(ray_scene, clear, &error));
    CHECK_OK(ooze_ray_scene_add_bsdf(ray_scene, &matte, &error));
    OozePlane floor = {.point = f3(0, 0, height), .normal = f3(0, 0, 1), .bsdf = 1};
    CHECK_OK(ooze_ray_scene_add_plane(ray_scene, &floor, &error));
    return ray_scene;
}

/* The sun's irradiance is pi. Between the faces of the slab light goes back and forth: (1 - R)^2 a
   / (1 - R^2 a^2) passes, a by Beer's law. */
static void photons_obey_beer_and_fresnel(void **state)
{
    (void)state;
    const float amber[3] = {0.9f, 0.5f, 0.1f};
    const double depth = 0.02;
    OozeLights lights = sun_above();
    for (int i = 0; i < 4; i++) {
        double thickness = 0.01 * (1 + i / 2), index = i % 2 ? 1.0 : 1.5;
        OozeBsdf honey = clear_bsdf(index, amber, depth);
        OozeRayScene *ray_scene = scene_with_floor(&honey, -1.0f);
        add_slab(ray_scene, (float)thickness, 0);
        CHECK_OK(ooze_ray_scene_commit(ray_scene, 0.1f, &error));
        OozeTracer tracer = {.scene = ray_scene, .lights = &lights};
        OozePhotonJob job = {&tracer, 100000, 1, NULL};
        OozePhotonMap map;
        CHECK_OK(ooze_photon_map_create(&map, &job, &error));
        OozeF3 flux = f3_all(0.0f);
        for (uint64_t k = 0; k < map.sharp.count; k++) {
            flux = f3_madd(flux, 1.0f / (2000.0f * 2000.0f * OOZE_PI_F), map.sharp.photons[k].flux);
        }
        double local = 0.0; /* irradiance at some points, green */
        for (int k = 0; k < 64; k++) {
            OozeF3 at =
                f3(-700.0f + 200.0f * (float)(k % 8), -700.0f + 200.0f * (float)(k / 8), -1);
            OozeF3 towards,
                light = ooze_photon_map_irradiance(&map, at, f3(0, 0, 1), all, &towards);
            CHECK_NEAR((double)towards.z, 1.0, 1e-3);
            local += (double)light.y / (64.0 * M_PI);
        }
        double r = pow((index - 1.0) / (index + 1.0), 2.0);
        for (int c = 0; c < 3; c++) {
            double a = pow((double)amber[c], thickness / depth);
            double passed = (1 - r) * (1 - r) * a / (1 - r * r * a * a);
            double share = (double)(&flux.x)[c];
            printf("  index %.1f, %.0f mm, channel %d: %.4f of the light, law %.4f\n", index,
                   1e3 * thickness, c, share, passed);
            CHECK_NEAR(share, passed, 0.005); /* a share of 0.04 chosen at random 100000 times */
            if (c == 1) {
                /* 64 times some 60 photons */
                CHECK_NEAR(local, passed, 0.05 * passed);
            }
        }
        ooze_photon_map_free(&map);
        ooze_ray_scene_destroy(ray_scene);
    }
}

/* Share of the light on the disc of a ball that enters it and leaves it at the first attempt. */
static double first_exit_share(void)
{
    double sum = 0.0;
    enum { STEPS = 1000 };
    for (int i = 0; i < STEPS; i++) {
        double r2 = (i + 0.5) / STEPS; /* squares of radii are evenly spread over the disc */
        double reflected = (double)ooze_fresnel((float)sqrt(1.0 - r2), 1.5f);
        sum += (1.0 - reflected) * (1.0 - reflected) / STEPS;
    }
    return sum;
}

/* A ball of glass focuses the sun at n r / (2 (n - 1)) = 1.5 r from its centre. No light is lost:
   photons on the floor carry what leaves the ball at the first attempt, and some of the rest. */
static void a_ball_focuses_light(void **state)
{
    (void)state;
    const float white[3] = {1, 1, 1};
    OozeLights lights = sun_above();
    OozeBsdf glass = clear_bsdf(1.5, white, 1.0);
    OozeRayScene *ray_scene = scene_with_floor(&glass, -1.5f);
    add_ball(ray_scene, 1.0f, 0);
    CHECK_OK(ooze_ray_scene_commit(ray_scene, 1.0f, &error));
    OozeTracer tracer = {.scene = ray_scene, .lights = &lights};
    OozePhotonJob job = {&tracer, 200000, 1, NULL};
    OozePhotonMap map, again;
    CHECK_OK(ooze_photon_map_create(&map, &job, &error));
    double flux = 0.0;
    for (uint64_t i = 0; i < map.sharp.count; i++) {
        flux += (double)map.sharp.photons[i].flux.y / (M_PI * M_PI);
    }
    OozeF3 towards;
    OozeF3 focus = ooze_photon_map_irradiance(&map, f3(0, 0, -1.5f), f3(0, 0, 1), all, &towards);
    OozeF3 edge = ooze_photon_map_irradiance(&map, f3(0.8f, 0, -1.5f), f3(0, 0, 1), all, &towards);
    printf("  focus %.1f times the sun, shadow %.3f; flux %.4f of the disc's, at least %.4f\n",
           (double)focus.y / M_PI, (double)edge.y / M_PI, flux, first_exit_share());
    assert_true((double)focus.y > 10.0 * M_PI);
    assert_true((double)edge.y < 0.3 * M_PI);
    /* Light that the upper half reflects upwards, from below 45 degrees, is lost: 4 % at least. */
    assert_true(flux > first_exit_share() && flux < 0.95);
    OozeThreads *threads = NULL;
    CHECK_OK(ooze_threads_create(3, &threads, &error));
    job.threads = threads;
    CHECK_OK(ooze_photon_map_create(&again, &job, &error));
    assert_int_equal(map.sharp.count, again.sharp.count);
    assert_memory_equal(map.sharp.photons, again.sharp.photons,
                        map.sharp.count * sizeof *map.sharp.photons);
    ooze_threads_destroy(threads);
    ooze_photon_map_free(&again);
    ooze_photon_map_free(&map);
    ooze_ray_scene_destroy(ray_scene);
}

/* Under a square light, an absorbing slab with the refractive index of air: the floor has the same
   radiance from photons as from light that passes straight, and 0 if clear media stopped both. */
static void photons_replace_light_that_passes_straight(void **state)
{
    (void)state;
    enum { POINTS = 5 };
    const float amber[3] = {0.9f, 0.5f, 0.2f};
    OozeLights lights = uniform_lights(f3_all(0.0f));
    ooze_lights_add_square(&lights, f3(0, 0, 5), f3(0, 0, 0), f3(0, 1, 0), 1.0f, f3_all(1.0f),
                           1.0f);
    OozeBsdf thin_air = clear_bsdf(1.0, amber, 0.5);
    OozeRayScene *ray_scene = scene_with_floor(&thin_air, -1.2f);
    add_ball(ray_scene, 1.0f, 0);
    CHECK_OK(ooze_ray_scene_commit(ray_scene, 1.0f, &error));
    OozeTracer straight = {.scene = ray_scene, .lights = &lights}, focused = straight;
    OozePhotonJob job = {&straight, 400000, 1, NULL};
    OozePhotonMap map;
    CHECK_OK(ooze_photon_map_create(&map, &job, &error));
    focused.photons = &map;
    /* Grazing rays meet the floor below the ball without passing it. */
    double light[3] = {0}, photons[3] = {0};
    for (int i = 0; i < POINTS * POINTS; i++) {
        OozeF3 from =
            f3(3.0f + 0.1f * (float)(i % POINTS - 2), 0.1f * (float)(i / POINTS - 2), -1.15f);
        OozeF3 direction = f3_unit(f3(-1, 0, -0.05f / 3.0f));
        Estimate a = shoot(&straight, from, direction, 200),
                 b = shoot(&focused, from, direction, 200);
        for (int c = 0; c < 3; c++) {
            light[c] += a.mean[c] / (POINTS * POINTS);
            photons[c] += b.mean[c] / (POINTS * POINTS);
        }
    }
    for (int c = 0; c < 3; c++) {
        printf("  channel %d: straight %.4f, photons %.4f\n", c, light[c], photons[c]);
        /* 25 points of some 300 photons each, partly the same: 2 % is three standard errors */
        CHECK_NEAR(photons[c], light[c], 0.02 * light[c]);
    }
    assert_true(light[0] > 2.0 * light[2]); /* amber */
    ooze_photon_map_free(&map);
    ooze_ray_scene_destroy(ray_scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(photons_obey_beer_and_fresnel),
        cmocka_unit_test(a_ball_focuses_light),
        cmocka_unit_test(photons_replace_light_that_passes_straight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
