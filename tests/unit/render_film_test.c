/* The denoiser, the tone curve, colour map and legend, PNG files, and BSDFs of looks. */
#include "fontconfig_leaks.h"
#include "scratch_folder.h"

#include <unistd.h>

#include "base/hash.h"
#include "render/bsdf.h"
#include "render/colour_map.h"
#include "render/denoise.h"
#include "render/legend.h"
#include "render/png.h"

enum { SIDE = 64 };

/* Two even halves, 0.2 and 0.8, with noise of a known size; they differ besides in `edge`: 0
   nothing, 1 albedo, 2 normal. */
static OozeFilm noisy_film(int edge)
{
    OozeFilm film;
    CHECK_OK(ooze_film_create(&film, SIDE, SIDE, UINT64_MAX, &error));
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        bool right = i % SIDE >= SIDE / 2;
        double noise = 0.2 * (ooze_random01(4, i, 0) + ooze_random01(4, i, 1) - 1.0);
        OozePixel *pixel = &film.pixels[i];
        pixel->color = f3_all((float)((right ? 0.8 : 0.2) + noise));
        pixel->variance = 0.2f * 0.2f / 6.0f; /* of the sum of two even numbers */
        pixel->albedo = f3_all(edge == 1 && right ? 0.9f : 0.3f);
        pixel->normal = edge == 2 && right ? f3(0, 1, 0) : f3(0, 0, 1);
        pixel->coverage = 1.0f;
    }
    return film;
}

static double mean_of(const OozeFilm *film, uint32_t from, uint32_t to, double *spread)
{
    double sum = 0.0, squares = 0.0, n = 0.0;
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        if (i % SIDE >= from && i % SIDE < to) {
            double c = (double)film->pixels[i].color.y;
            sum += c;
            squares += c * c;
            n += 1.0;
        }
    }
    *spread = sqrt(fmax(squares / n - sum / n * (sum / n), 0.0));
    return sum / n;
}

static void the_denoiser_keeps_mean_and_edges(void **state)
{
    (void)state;
    for (int edge = 0; edge < 3; edge++) {
        OozeFilm film = noisy_film(edge);
        double before, after, unused;
        double left = mean_of(&film, 0, SIDE / 2, &before);
        double right = mean_of(&film, SIDE / 2, SIDE, &unused);
        CHECK_OK(ooze_denoise(&film, NULL, &error));
        CHECK_NEAR(mean_of(&film, 0, SIDE / 2, &after), left, 0.004);
        CHECK_NEAR(mean_of(&film, SIDE / 2, SIDE, &unused), right, 0.004);
        assert_true(after < 0.25 * before);
        /* The two columns at the edge still differ by nearly all of it. */
        double a = mean_of(&film, SIDE / 2 - 1, SIDE / 2, &unused);
        double b = mean_of(&film, SIDE / 2, SIDE / 2 + 1, &unused);
        CHECK_NEAR(b - a, 0.6, 0.03);
        ooze_film_free(&film);
    }
}

/* Without variance nothing is smoothed. */
static void the_denoiser_leaves_what_is_certain(void **state)
{
    (void)state;
    OozeFilm film = noisy_film(0);
    float before[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) {
        film.pixels[i].variance = 0.0f;
        before[i] = film.pixels[i].color.x;
    }
    CHECK_OK(ooze_denoise(&film, NULL, &error));
    for (int i = 0; i < SIDE * SIDE; i++) {
        CHECK_NEAR((double)film.pixels[i].color.x, (double)before[i], 2e-3);
    }
    ooze_film_free(&film);
}

static void the_curve_rises_to_white(void **state)
{
    (void)state;
    float last = -1.0f;
    for (int i = 0; i <= 1000; i++) {
        float y = ooze_film_curve(0.01f * (float)i);
        assert_true(y > last && y <= 1.0f);
        last = y;
    }
    CHECK_NEAR((double)ooze_film_curve(0.5f), 0.5, 1e-6);
    assert_true(ooze_film_curve(1e6f) > 0.999f);
}

/* Brightness of the map grows from end to end. */
static void colours_grow_brighter(void **state)
{
    (void)state;
    float last = -1.0f;
    for (int i = 0; i <= 64; i++) {
        float y = f3_luminance(ooze_colour_map((float)i / 64.0f));
        assert_true(y > last);
        last = y;
    }
    OozeF3 below = ooze_colour_map(-3.0f), none = ooze_colour_map(NAN), low = ooze_colour_map(0.0f);
    assert_true(below.x == low.x && none.x == low.x);
}

enum { WIDE = 320, HIGH = 240 };

static void draw_legend(double low, double high, unsigned char *pixels)
{
    memset(pixels, 200, WIDE * HIGH * 3);
    OozeLegend legend = {"temperature", "degC", low, high};
    CHECK_OK(ooze_legend_draw(&legend, pixels, WIDE, HIGH, &error));
}

/* The bar has its bright end at the top and its dark end at the bottom; the labels depend on the
   range, however small that is; what is left of the legend stays as it was. */
static void the_legend_shows_its_range(void **state)
{
    (void)state;
    static unsigned char a[WIDE * HIGH * 3], b[WIDE * HIGH * 3];
    draw_legend(1150.0, 1150.01, a);
    draw_legend(1150.0, 1150.02, b);
    assert_memory_not_equal(a, b, sizeof a);
    int top = -1, bottom = -1;
    const unsigned char yellow[3] = {253, 231, 37}, violet[3] = {68, 1, 84};
    for (int i = 0; i < WIDE * HIGH; i++) {
        top = top < 0 && memcmp(a + 3 * i, yellow, 3) == 0 ? i / WIDE : top;
        bottom = memcmp(a + 3 * i, violet, 3) == 0 ? i / WIDE : bottom;
        if (i % WIDE < WIDE / 2) {
            assert_int_equal(a[3 * i], 200);
        }
    }
    assert_true(top >= 0 && bottom - top == HIGH * 45 / 100 - 1);
    draw_legend(7.0, 7.0, a); /* no extent: the value is in the middle */
    /* A picture that is too small for the legend: clipped, nothing is written beyond it. */
    OozeLegend legend = {"temperature", "degC", 0.0, 1.0};
    unsigned char small[3 * 2 * 3 + 1] = {[3 * 2 * 3] = 99};
    CHECK_OK(ooze_legend_draw(&legend, small, 3, 2, &error));
    assert_int_equal(small[3 * 2 * 3], 99);
}

static void a_png_holds_its_settings(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "%s/a.png", folder);
    unsigned char pixels[5 * 4 * 3];
    memset(pixels, 77, sizeof pixels);
    assert_false(ooze_png_has_text(path, "key", "one"));
    CHECK_OK(ooze_png_write(path, pixels, 5, 4, "key", "one", &error));
    assert_true(ooze_png_has_text(path, "key", "one"));
    assert_false(ooze_png_has_text(path, "key", "two"));
    assert_false(ooze_png_has_text(path, "other", "one"));
    /* A truncated file is not complete. */
    FILE *file = fopen(path, "r+b");
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    assert_int_equal(ftruncate(fileno(file), size - 5), 0);
    fclose(file);
    assert_false(ooze_png_has_text(path, "key", "one"));
    file = fopen(path, "wb");
    fputs("this is not a picture at all, though it ends like one IEND\xae\x42\x60\x82", file);
    fclose(file);
    assert_false(ooze_png_has_text(path, "key", "one"));
    CHECK_FAILS(ooze_png_write("no/such/folder/a.png", pixels, 5, 4, "k", "t", &error),
                OOZE_ERROR_WRITE, "a.png");
}

/* Chunks before the pixels state sRGB, and for readers without it gamma 1/2.2 and the primaries of
   ITU-R BT.709. */
static void a_png_states_its_colours(void **state)
{
    (void)state;
    static const unsigned char srgb[] = {0, 0, 0, 1, 's', 'R', 'G', 'B', 0};
    static const unsigned char gamma[] = {0, 0, 0, 4, 'g', 'A', 'M', 'A', 0, 0, 0xb1, 0x8f};
    /* White point 0.3127, 0.3290; red 0.64, 0.33 */
    static const unsigned char primaries[] = {0, 0, 0,    32,   'c', 'H', 'R',  'M',
                                              0, 0, 0x7a, 0x26, 0,   0,   0x80, 0x84,
                                              0, 0, 0xfa, 0x00, 0,   0,   0x80, 0xe8};
    char path[64];
    snprintf(path, sizeof path, "%s/colours.png", folder);
    unsigned char pixels[3] = {1, 2, 3}, bytes[4096];
    CHECK_OK(ooze_png_write(path, pixels, 1, 1, "key", "one", &error));
    FILE *file = fopen(path, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    const unsigned char *data = memmem(bytes, size, "IDAT", 4);
    assert_non_null(data);
    size_t before = (size_t)(data - bytes);
    assert_non_null(memmem(bytes, before, srgb, sizeof srgb));
    assert_non_null(memmem(bytes, before, gamma, sizeof gamma));
    assert_non_null(memmem(bytes, before, primaries, sizeof primaries));
}

/* Names, overrides and depths of looks. */
static void looks_are_filled_in(void **state)
{
    (void)state;
    const float green[3] = {0.1f, 0.8f, 0.1f};
    OozeLookDef look = ooze_look_def_default();
    OozeBsdf honey = ooze_bsdf_make(&look, "honey", "glossy", green, 1.0);
    assert_int_equal(honey.kind, OOZE_LOOK_CLEAR);
    assert_true(honey.color.x > honey.color.y); /* its own colour */
    OozeBsdf other = ooze_bsdf_make(&look, "paint", "glossy", green, 1.0);
    assert_int_equal(other.kind, OOZE_LOOK_OPAQUE);
    assert_true(other.color.y == green[1] && other.coat > 0.0f);
    OozeBsdf large = ooze_bsdf_make(&look, "honey", "glossy", green, 10.0);
    CHECK_NEAR((double)(large.absorption.x * 10.0f), (double)honey.absorption.x, 1e-5);
    look.depth = 0.5;
    look.color[0] = look.color[1] = look.color[2] = 0.25f;
    look.roughness = 0.5;
    OozeBsdf own = ooze_bsdf_make(&look, "honey", "glossy", green, 10.0);
    CHECK_NEAR((double)own.absorption.z, -log(0.25) / 0.5, 1e-5);
    CHECK_NEAR((double)own.alpha, 0.25, 1e-6);
    OozeBsdf opaque = ooze_bsdf_opaque(&own);
    assert_int_equal(opaque.kind, OOZE_LOOK_OPAQUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_denoiser_keeps_mean_and_edges),
        cmocka_unit_test(the_denoiser_leaves_what_is_certain),
        cmocka_unit_test(the_curve_rises_to_white),
        cmocka_unit_test(colours_grow_brighter),
        cmocka_unit_test(the_legend_shows_its_range),
        cmocka_unit_test(a_png_holds_its_settings),
        cmocka_unit_test(a_png_states_its_colours),
        cmocka_unit_test(looks_are_filled_in),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
