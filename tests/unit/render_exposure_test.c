/* Exposure in rounds: samples go where the noise is, pictures of equal mean samples are equal
   however they ended, and a radiance becomes the byte that tone curve and sRGB give it. */
#include "check.h"

#include "base/clock.h"
#include "render/film.h"

enum { WIDE = 64, HIGH = 48 };

/* The left half is even light of 0.5, the right half is noise of that mean. */
static OozeF3 shade_half(const OozeTracer *tracer, const OozeRay *ray, OozeSampler *sampler,
                         OozeFeatures *features)
{
    (void)tracer;
    (void)features;
    for (int i = 0; i < 3; i++) { /* beyond the dimensions that a Sobol sequence makes even */
        ooze_sampler_pair(sampler);
    }
    uint64_t key = ooze_mix(sampler->stream + 77u * sampler->sample);
    return f3_all(ray->direction.x < 0.0f ? 0.5f : (key & 1) ? 1.0f : 0.0f);
}

static OozeFilm exposed(uint32_t samples, double deadline, OozeThreads *threads, double *mean)
{
    OozeRenderDef def = ooze_render_def_default();
    def.camera_position = (OozeVec3){0, 0, 5};
    def.look_at = (OozeVec3){0, 0, 0};
    OozeCamera camera = ooze_camera_make(&def, OOZE_AXIS_Y, (OozeVec3){-1, -1, -1},
                                         (OozeVec3){1, 1, 1}, (double)WIDE / HIGH);
    OozeExposeJob job = {
        .camera = &camera, .shade = shade_half, .samples = samples, .deadline = deadline};
    OozeFilm film;
    CHECK_OK(ooze_film_create(&film, WIDE, HIGH, UINT64_MAX, &error));
    CHECK_OK(ooze_film_expose(&film, &job, threads, mean, &error));
    return film;
}

/* Root mean square error of the right half. */
static double noise_of(const OozeFilm *film)
{
    double sum = 0.0;
    for (int i = 0; i < WIDE * HIGH; i++) {
        double error = (double)film->pixels[i].color.y - 0.5;
        sum += i % WIDE >= WIDE / 2 ? error * error : 0.0;
    }
    return sqrt(sum / (WIDE * HIGH / 2));
}

/* With a mean of 40 samples, 8 of them everywhere, the noisy half gets 72 each; plain sampling
   with as many would have 40. A sample is 0 or 1: its standard deviation is 0.5. */
static void samples_go_where_the_noise_is(void **state)
{
    (void)state;
    double mean, plain = 0.5 / sqrt(40.0);
    OozeFilm film = exposed(40, 0.0, NULL, &mean);
    double ratio = noise_of(&film) / plain;
    printf("  noise %.4f, plain %.4f: ratio %.3f, of counts %.3f; mean samples %.1f\n",
           noise_of(&film), plain, ratio, sqrt(40.0 / 72.0), mean);
    assert_true(mean >= 40.0 && mean < 42.0);
    CHECK_NEAR(ratio, sqrt(40.0 / 72.0), 0.06); /* of 1536 pixels each: 3 % */
    for (int i = 0; i < WIDE * HIGH; i += 7) {
        if (i % WIDE < WIDE / 2) {
            assert_true(film.pixels[i].color.y == 0.5f);
        }
    }
    ooze_film_free(&film);
}

/* One sample of a pixel has no variance of its own: it is that among its neighbours. */
static void a_single_sample_has_the_noise_of_its_neighbours(void **state)
{
    (void)state;
    OozeFilm film = exposed(1, 0.0, NULL, NULL);
    double sum = 0.0;
    for (int i = 0; i < WIDE * HIGH; i++) {
        if (i % WIDE < WIDE / 2 - 1) {
            assert_true(i / WIDE == 0 || film.pixels[i].variance == 0.0f);
        }
        sum += i % WIDE > WIDE / 2 ? (double)film.pixels[i].variance : 0.0;
    }
    CHECK_NEAR(sum / (HIGH * (WIDE / 2 - 1)), 0.25, 0.025);
    ooze_film_free(&film);
}

static void equal_mean_samples_are_equal_pictures(void **state)
{
    (void)state;
    OozeThreads *threads = NULL;
    CHECK_OK(ooze_threads_create(3, &threads, &error));
    double means[4];
    OozeFilm films[4] = {exposed(23, 0.0, NULL, &means[0]), exposed(23, 0.0, threads, &means[1]),
                         exposed(1000, 1e-9, NULL, &means[2]), /* a time that has passed */
                         exposed(1, 0.0, NULL, &means[3])};
    size_t bytes = sizeof(OozePixel) * WIDE * HIGH;
    assert_memory_equal(films[0].pixels, films[1].pixels, bytes);
    assert_memory_equal(films[2].pixels, films[3].pixels, bytes);
    assert_true(means[2] == 1.0 && means[3] == 1.0);
    /* A picture that a deadline ended after some rounds, and one of as many samples. */
    double mean, again;
    OozeFilm timed = exposed(1, ooze_clock() + 0.05, NULL, &mean);
    OozeFilm counted = exposed((uint32_t)floor(mean), 0.0, NULL, &again);
    printf("  %.2f samples in 0.05 s, again %.2f\n", mean, again);
    assert_true(mean == again);
    assert_memory_equal(timed.pixels, counted.pixels, bytes);
    for (int i = 0; i < 4; i++) {
        ooze_film_free(&films[i]);
    }
    ooze_film_free(&timed);
    ooze_film_free(&counted);
    ooze_threads_destroy(threads);
}

/* Up to 0.6 the curve is the identity, beyond it y = 0.6 + 0.4 t / (1 + t), t = (x - 0.6) / 0.4. */
static void radiance_becomes_the_documented_bytes(void **state)
{
    (void)state;
    static const struct {
        float radiance;
        double exposure, curve;
        int byte; /* of IEC 61966-2-1, computed by hand */
    } rows[] = {{0.0f, 0, 0.0, 0},      {0.0031308f, 0, 0.0031308, 10},
                {0.18f, 0, 0.18, 118},  {0.5f, 0, 0.5, 188},
                {0.6f, 0, 0.6, 203},    {1.0f, 0, 0.8, 231},
                {1.4f, 0, 0.8667, 239}, {0.25f, 1, 0.25, 188},
                {0.72f, -2, 0.72, 118}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].exposure == 0.0) {
            CHECK_NEAR((double)ooze_film_curve(rows[i].radiance), rows[i].curve, 1e-4);
        }
        OozePixel pixel = {.color = f3_all(rows[i].radiance)};
        OozeFilm film = {1, 1, &pixel};
        unsigned char bytes[3];
        ooze_film_develop(&film, rows[i].exposure, bytes);
        assert_int_equal(bytes[0], rows[i].byte);
        assert_int_equal(bytes[2], rows[i].byte);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_go_where_the_noise_is),
        cmocka_unit_test(a_single_sample_has_the_noise_of_its_neighbours),
        cmocka_unit_test(equal_mean_samples_are_equal_pictures),
        cmocka_unit_test(radiance_becomes_the_documented_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
