/* An a-trous wavelet filter (Dammertz and others 2010): five passes of a 5 x 5 kernel with doubling
   step. The weight of a neighbour decreases with the difference of albedo and normal, and with the
   difference of luminance relative to the standard deviation of the samples (Schied and others
   2017). Four pixels of a row are filtered together; margins beside the rows, unlike every pixel,
   spare the test whether a neighbour is in the picture. */
#include "render/denoise.h"

#include <string.h>

#include "base/f32x4.h"
#include "base/fail.h"
#include "base/memory.h"

enum { POOLS = 2, PASSES = 5, MARGIN = 2 << (PASSES - 1) };

#define ALBEDO_WIDTH   0.08f
#define NORMAL_WIDTH   0.25f
#define COVERAGE_WIDTH 0.3f
#define UNLIKE         1e3f  /* coverage of margins */
#define NOISE_WIDTH    3.0f  /* standard deviations */
#define INVISIBLE      1e-3f /* relative standard deviation of an eighth of a grey level at most */

/* Planes: one number of every pixel each. */
enum { RED, GREEN, BLUE, VARIANCE, COLOURS };
enum { FEATURES = 7 }; /* albedo, normal and coverage, over their widths */
enum { PLANES = 2 * COLOURS + FEATURES + 2 };

typedef struct Planes {
    int width, height, step;
    size_t stride; /* numbers from row to row: margins on both sides, a multiple of 4 */
    const float *from[COLOURS];
    float *to[COLOURS];
    const float *features[FEATURES];
    float *luminance;
    float *sharpness; /* of the noise: the inverse width of differences of luminance; 0: no noise */
} Planes;

static size_t stride_of(uint64_t width)
{
    return (size_t)(width + 2 * MARGIN + 3) & ~(size_t)3;
}

uint64_t ooze_denoise_bytes(uint64_t width, uint64_t height)
{
    return PLANES * sizeof(float) * stride_of(width) * height;
}

/* ---- weights --------------------------------------------------------------------------------- */

/* Square of the difference of the features of four pixels from p on and of those from q on. */
static inline OozeF32x4 unlikeness(const Planes *planes, size_t p, size_t q)
{
    OozeF32x4 sum = {0};
    for (int k = 0; k < FEATURES; k++) {
        OozeF32x4 d =
            ooze_f32x4_load(planes->features[k] + p) - ooze_f32x4_load(planes->features[k] + q);
        sum += d * d;
    }
    return sum;
}

/* exp(-x) for x >= 0, within 0.01 and 0 from 32 on. */
static inline OozeF32x4 fast_exp_minus(OozeF32x4 x)
{
    OozeF32x4 base = ooze_f32x4_max(1.0f - x * (1.0f / 32.0f), ooze_f32x4_splat(0.0f));
    OozeF32x4 p2 = base * base, p4 = p2 * p2, p8 = p4 * p4, p16 = p8 * p8;
    return p16 * p16;
}

/* ---- variance -------------------------------------------------------------------------------- */

/* The variance of a pixel is that of a few samples. Where it is too small the pixel would refuse
   brighter neighbours, and rare bright samples would be lost: the mean of alike pixels is used. A
   pixel that has got a rare bright sample keeps its own, which is larger. */
static void pool_rows(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Planes *planes = context;
    for (uint64_t y = begin; y < end; y++) {
        for (int x = 0; x < planes->width; x += 4) {
            const size_t at = y * planes->stride + MARGIN + (size_t)x;
            OozeF32x4 sum = {0}, weight = {0};
            for (int j = -2; j <= 2; j++) {
                int v = (int)y + j * planes->step;
                for (int i = -2; v >= 0 && v < planes->height && i <= 2; i++) {
                    size_t q = (size_t)v * planes->stride + MARGIN + (size_t)(x + i * planes->step);
                    OozeF32x4 w = fast_exp_minus(unlikeness(planes, at, q));
                    sum += w * ooze_f32x4_load(planes->from[VARIANCE] + q);
                    weight += w;
                }
            }
            OozeF32x4 own = ooze_f32x4_load(planes->from[VARIANCE] + at);
            ooze_f32x4_store(ooze_f32x4_max(sum / weight, own), planes->to[VARIANCE] + at);
        }
    }
}

/* Variance over the next neighbours. */
static float smooth_variance(const Planes *planes, int x, int y)
{
    static const float kernel[3] = {0.25f, 0.5f, 0.25f};
    float sum = 0.0f, weight = 0.0f;
    for (int j = -1; j <= 1; j++) {
        const int v = y + j;
        for (int i = -1; v >= 0 && v < planes->height && i <= 1; i++) {
            if (x + i >= 0 && x + i < planes->width) {
                size_t q = (size_t)v * planes->stride + MARGIN + (size_t)(x + i);
                float w = kernel[i + 1] * kernel[j + 1];
                sum += w * planes->from[VARIANCE][q];
                weight += w;
            }
        }
    }
    return sum / weight;
}

static void prepare_rows(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Planes *planes = context;
    for (uint64_t y = begin; y < end; y++) {
        for (int x = 0; x < planes->width; x++) {
            size_t at = y * planes->stride + MARGIN + (size_t)x;
            float light = f3_luminance(
                f3(planes->from[RED][at], planes->from[GREEN][at], planes->from[BLUE][at]));
            float deviation = sqrtf(smooth_variance(planes, x, (int)y));
            planes->luminance[at] = light;
            planes->sharpness[at] =
                deviation > INVISIBLE * light ? 1.0f / (NOISE_WIDTH * deviation + 1e-4f) : 0.0f;
        }
    }
}

/* ---- filtering ------------------------------------------------------------------------------- */

typedef struct Sums {
    OozeF32x4 weight, color[COLOURS];
} Sums;

/* Adds the neighbours q of the four pixels from p on. */
static inline void add_neighbours(const Planes *planes, size_t p, size_t q, float kernel,
                                  Sums *sums)
{
    OozeF32x4 away = unlikeness(planes, p, q);
    OozeF32x4 d = ooze_f32x4_load(planes->luminance + p) - ooze_f32x4_load(planes->luminance + q);
    away += ooze_f32x4_max(d, -d) * ooze_f32x4_load(planes->sharpness + p);
    OozeF32x4 w = kernel * fast_exp_minus(away);
    sums->weight += w;
    for (int k = 0; k < VARIANCE; k++) {
        sums->color[k] += w * ooze_f32x4_load(planes->from[k] + q);
    }
    sums->color[VARIANCE] += w * w * ooze_f32x4_load(planes->from[VARIANCE] + q);
}

/* Four pixels of a row, from `at` on. */
static void filter_four(const Planes *planes, int y, size_t at)
{
    static const float kernel[5] = {1 / 16.0f, 1 / 4.0f, 3 / 8.0f, 1 / 4.0f, 1 / 16.0f};
    const size_t step = (size_t)planes->step, reach = 2 * step;
    const OozeF32x4 zero = {0};
    const OozeF32x4Mask noisy = ooze_f32x4_load(planes->sharpness + at) > zero;
    if (!(noisy[0] | noisy[1] | noisy[2] | noisy[3])) {
        for (int k = 0; k < COLOURS; k++) {
            ooze_f32x4_store(ooze_f32x4_load(planes->from[k] + at), planes->to[k] + at);
        }
        return;
    }
    Sums sums = {zero, {zero, zero, zero, zero}};
    for (int j = -2; j <= 2; j++) {
        int v = y + j * planes->step;
        size_t q = at + (size_t)v * planes->stride - (size_t)y * planes->stride - reach;
        for (int i = 0; v >= 0 && v < planes->height && i < 5; i++) {
            add_neighbours(planes, at, q + (size_t)i * step, kernel[i] * kernel[j + 2], &sums);
        }
    }
    for (int k = 0; k < COLOURS; k++) {
        OozeF32x4 mean = sums.color[k] / sums.weight;
        mean = k == VARIANCE ? mean / sums.weight : mean;
        OozeF32x4 old = ooze_f32x4_load(planes->from[k] + at);
        ooze_f32x4_store(ooze_f32x4_select(noisy, mean, old), planes->to[k] + at);
    }
}

static void filter_rows(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Planes *planes = context;
    for (uint64_t y = begin; y < end; y++) {
        for (int x = 0; x < planes->width; x += 4) {
            filter_four(planes, (int)y, y * planes->stride + MARGIN + (size_t)x);
        }
    }
}

/* ---- the film -------------------------------------------------------------------------------- */

/* `planes` are zero. */
static void read_film(const OozeFilm *film, size_t stride, float *const colors[COLOURS],
                      float *const features[FEATURES])
{
    for (size_t i = 0; i < stride * film->height; i++) {
        features[FEATURES - 1][i] = UNLIKE;
    }
    for (uint64_t i = 0; i < (uint64_t)film->width * film->height; i++) {
        const OozePixel *pixel = &film->pixels[i];
        const OozeF3 albedo = f3_scale(pixel->albedo, 1.0f / ALBEDO_WIDTH),
                     normal = f3_scale(pixel->normal, 1.0f / NORMAL_WIDTH);
        const float feature[FEATURES] = {albedo.x,
                                         albedo.y,
                                         albedo.z,
                                         normal.x,
                                         normal.y,
                                         normal.z,
                                         pixel->coverage * (1.0f / COVERAGE_WIDTH)};
        const float color[COLOURS] = {pixel->color.x, pixel->color.y, pixel->color.z,
                                      pixel->variance};
        const size_t at = i / film->width * stride + MARGIN + i % film->width;
        for (int k = 0; k < COLOURS; k++) {
            colors[k][at] = color[k];
        }
        for (int k = 0; k < FEATURES; k++) {
            features[k][at] = feature[k];
        }
    }
}

static void write_film(float *const colors[COLOURS], size_t stride, OozeFilm *film)
{
    for (uint64_t i = 0; i < (uint64_t)film->width * film->height; i++) {
        const size_t at = i / film->width * stride + MARGIN + i % film->width;
        film->pixels[i].color = f3(colors[RED][at], colors[GREEN][at], colors[BLUE][at]);
        film->pixels[i].variance = colors[VARIANCE][at];
    }
}

OozeStatus ooze_denoise(OozeFilm *film, OozeThreads *threads, OozeError *error)
{
    const size_t stride = stride_of(film->width), numbers = stride * film->height;
    float *all = ooze_alloc_zero(numbers, PLANES * sizeof *all), *plane[PLANES];
    if (!all) {
        return ooze_fail_memory(error, "denoising", ooze_denoise_bytes(film->width, film->height));
    }
    for (size_t k = 0; k < PLANES; k++) {
        plane[k] = all + k * numbers;
    }
    Planes planes = {(int)film->width, (int)film->height, .stride = stride};
    float **now = plane, **later = plane + COLOURS, **features = plane + 2 * COLOURS;
    memcpy(planes.features, features, sizeof planes.features);
    planes.luminance = features[FEATURES];
    planes.sharpness = features[FEATURES + 1];
    read_film(film, stride, now, features);
    for (int i = 0; i < POOLS; i++) {
        planes.step = 1 << i;
        planes.from[VARIANCE] = now[VARIANCE];
        planes.to[VARIANCE] = later[VARIANCE];
        ooze_parallel_for(threads, film->height, 4, pool_rows, &planes);
        later[VARIANCE] = now[VARIANCE];
        now[VARIANCE] = planes.to[VARIANCE];
    }
    for (int i = 0; i < PASSES; i++) {
        planes.step = 1 << i;
        memcpy(planes.from, now, sizeof planes.from);
        memcpy(planes.to, later, sizeof planes.to);
        ooze_parallel_for(threads, film->height, 4, prepare_rows, &planes);
        ooze_parallel_for(threads, film->height, 4, filter_rows, &planes);
        float **done = later;
        later = now;
        now = done;
    }
    write_film(now, stride, film);
    ooze_free(all);
    return OOZE_OK;
}
