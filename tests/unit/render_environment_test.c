/* Environments: directions are sampled with the density that is stated, sampling does not change
   the mean, and surfaces have the light that an integral over all directions gives. */
#include "render_scene.h"

#include "base/vec3.h"

static const OozeEnvironmentType types[] = {OOZE_ENVIRONMENT_STUDIO, OOZE_ENVIRONMENT_SKY,
                                            OOZE_ENVIRONMENT_KITCHEN};

static OozeEnvironment *environment_of(OozeEnvironmentType type)
{
    OozeEnvironment *environment = malloc(sizeof *environment);
    OozeRenderDef def = ooze_render_def_default();
    def.environment = type;
    def.environment_rotation = 40.0;
    ooze_environment_make(environment, &def, f3(0, 1, 0), f3(0, 0, -1));
    return environment;
}

static OozeF3 uniform_direction(OozePair random)
{
    float y = 1.0f - 2.0f * random.u, r = sqrtf(fmaxf(0.0f, 1.0f - y * y));
    float phi = 2.0f * OOZE_PI_F * random.v;
    return f3(r * cosf(phi), y, r * sinf(phi));
}

typedef struct Mean {
    double value, error;
} Mean;

/* The mean of radiance times a cosine over all directions: luminance that a surface with this
   normal receives, from samples of the environment or from uniform ones. */
static Mean irradiance(const OozeEnvironment *environment, OozeF3 normal, bool by_importance,
                       uint32_t n)
{
    double sum = 0.0, squares = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        OozeSampler sampler = ooze_sampler(by_importance ? 5 : 6, 1, i);
        OozePair random = ooze_sampler_pair(&sampler);
        float pdf = 1.0f / (4.0f * OOZE_PI_F);
        OozeF3 direction = by_importance ? ooze_environment_sample(environment, random, &pdf)
                                         : uniform_direction(random);
        assert_true(pdf > 0.0f);
        double light = (double)(f3_luminance(ooze_environment_radiance(environment, direction)) *
                                fmaxf(f3_dot(direction, normal), 0.0f) / pdf);
        sum += light;
        squares += light * light;
    }
    double mean = sum / n;
    return (Mean){mean, sqrt(fmax(squares / n - mean * mean, 0.0) / n)};
}

static void importance_sampling_keeps_the_mean_and_has_less_noise(void **state)
{
    (void)state;
    static const OozeF3 normals[] = {{0, 1, 0}, {0.6f, 0.8f, 0}, {-0.6f, 0, 0.8f}};
    for (int i = 0; i < 9; i++) {
        OozeEnvironment *environment = environment_of(types[i / 3]);
        Mean uniform = irradiance(environment, normals[i % 3], false, 200000);
        Mean important = irradiance(environment, normals[i % 3], true, 50000);
        double noise = important.error * sqrt(50000.0) / (uniform.error * sqrt(200000.0));
        printf("  environment %d: uniform %.4f +- %.4f, by importance %.4f +- %.4f\n",
               (int)types[i / 3], uniform.value, uniform.error, important.value, important.error);
        CHECK_NEAR(important.value, uniform.value, 4.0 * hypot(uniform.error, important.error));
        /* The sun is a light of its own; the sky without it is nearly even. */
        assert_true(noise < (types[i / 3] == OOZE_ENVIRONMENT_SKY ? 1.1 : 0.7));
        free(environment);
    }
}

/* The density integrates to one, and is that with which samples are stated to be taken. */
static void the_density_is_normalised(void **state)
{
    (void)state;
    for (int t = 0; t < 3; t++) {
        OozeEnvironment *environment = environment_of(types[t]);
        double sum = 0.0;
        enum { N = 200000 };
        for (uint32_t i = 0; i < N; i++) {
            OozeSampler sampler = ooze_sampler(2, 3, i);
            OozePair random = ooze_sampler_pair(&sampler);
            sum += (double)ooze_environment_pdf(environment, uniform_direction(random));
        }
        CHECK_NEAR(sum / N * 4.0 * M_PI, 1.0, 0.02); /* densities vary by a factor of 30 */
        int far = 0;
        for (uint32_t i = 0; i < 2000; i++) {
            OozeSampler sampler = ooze_sampler(2, 4, i);
            float pdf;
            OozeF3 direction =
                ooze_environment_sample(environment, ooze_sampler_pair(&sampler), &pdf);
            float again = ooze_environment_pdf(environment, direction);
            far += fabsf(again - pdf) > 0.01f * pdf; /* rounded into the next cell */
            CHECK_NEAR((double)f3_length(direction), 1.0, 1e-5);
        }
        assert_true(far <= 4);
        free(environment);
    }
}

/* A white matte ball has, where a ray hits its top, the light of the environment above and of the
   sun: light sampling and scattered paths together count every direction once. */
static void surfaces_receive_the_light_of_all_directions(void **state)
{
    (void)state;
    const float white[3] = {1, 1, 1};
    for (int t = 0; t < 3; t++) {
        OozeRenderDef def = ooze_render_def_default();
        def.environment = types[t];
        def.environment_rotation = 40.0;
        OozeEnvironment *environment = environment_of(types[t]);
        OozeLightPlace place = {f3(0, 0, 0), f3(0, 1, 0), f3(0, 0, -1), 1.0f};
        OozeLights lights;
        ooze_lights_make(&lights, &def, &place, environment);
        OozeRayScene *ray_scene = NULL;
        CHECK_OK(ooze_ray_scene_create(&ray_scene, &error));
        OozeLookDef look = ooze_look_def_default();
        OozeBsdf matte = ooze_bsdf_make(&look, "", "matte", white, 1.0);
        CHECK_OK(ooze_ray_scene_add_bsdf(ray_scene, &matte, &error));
        const float middle[3] = {0, 0, 0};
        OozeRayGeometry ball = {.vertex_count = 1, .positions = middle, .radius = 1.0f};
        CHECK_OK(ooze_ray_scene_add_geometry(ray_scene, &ball, &error));
        CHECK_OK(ooze_ray_scene_commit(ray_scene, 1.0f, &error));
        OozeTracer tracer = {.scene = ray_scene, .lights = &lights};
        double seen = 0.0;
        Estimate estimate = shoot(&tracer, f3(0, 3, 0), f3(0, -1, 0), 20000);
        seen = 0.2126 * estimate.mean[0] + 0.7152 * estimate.mean[1] + 0.0722 * estimate.mean[2];
        Mean expected = irradiance(environment, f3(0, 1, 0), true, 100000);
        OozeF3 sun, radiance;
        double direct = ooze_environment_sun(environment, &sun, &radiance)
                            ? (double)(f3_luminance(radiance) * sun.y)
                            : 0.0;
        printf("  environment %d: radiance %.4f, integral %.4f\n", (int)types[t], seen,
               expected.value / M_PI + direct);
        CHECK_NEAR(seen, 1.0, 0.02); /* the level that is promised */
        CHECK_NEAR(seen, expected.value / M_PI + direct,
                   4.0 * hypot(estimate.error, expected.error / M_PI) + 0.002);
        ooze_ray_scene_destroy(ray_scene);
        free(environment);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(importance_sampling_keeps_the_mean_and_has_less_noise),
        cmocka_unit_test(the_density_is_normalised),
        cmocka_unit_test(surfaces_receive_the_light_of_all_directions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
