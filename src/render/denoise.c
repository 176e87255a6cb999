/* An a-trous wavelet filter (Dammertz and others 2010): five passes of a 5 x 5 kernel with doubling
   step. The weight of a neighbour decreases with the difference of albedo and normal, and with the
   difference of luminance relative to the standard deviation of the samples (Schied and others
   2017). */
#include "render/denoise.h"

#include "base/fail.h"
#include "base/memory.h"

enum { PASSES = 5 };

#define ALBEDO_WIDTH 0.08f
#define NORMAL_WIDTH 0.25f
#define NOISE_WIDTH  3.0f  /* standard deviations */
#define INVISIBLE    1e-3f /* relative standard deviation of an eighth of a grey level at most */

typedef struct Pass {
    const OozePixel *from;
    OozePixel *to;
    int width, height, step;
} Pass;

/* Variance over the neighbourhood: the estimate of a single pixel is noisy. */
static float smooth_variance(const Pass *pass, int x, int y)
{
    static const float kernel[3] = {0.25f, 0.5f, 0.25f};
    float sum = 0.0f, weight = 0.0f;
    for (int j = -1; j <= 1; j++) {
        for (int i = -1; i <= 1; i++) {
            int u = x + i, v = y + j;
            if (u >= 0 && v >= 0 && u < pass->width && v < pass->height) {
                float w = kernel[i + 1] * kernel[j + 1];
                sum += w * pass->from[(size_t)v * (size_t)pass->width + (size_t)u].variance;
                weight += w;
            }
        }
    }
    return sum / weight;
}

/* exp(-x) for x >= 0, within 0.01 and 0 from 32 on. */
static float fast_exp_minus(float x)
{
    float base = maxf(1.0f - x * (1.0f / 32.0f), 0.0f);
    float p2 = base * base, p4 = p2 * p2, p8 = p4 * p4, p16 = p8 * p8;
    return p16 * p16;
}

static float similarity(const OozePixel *p, const OozePixel *q, float deviation)
{
    OozeF3 albedo = f3_sub(p->albedo, q->albedo), normal = f3_sub(p->normal, q->normal);
    float a = f3_dot(albedo, albedo) / (ALBEDO_WIDTH * ALBEDO_WIDTH);
    float n = f3_dot(normal, normal) / (NORMAL_WIDTH * NORMAL_WIDTH);
    float c = fabsf(p->coverage - q->coverage) / 0.3f;
    float l =
        fabsf(f3_luminance(p->color) - f3_luminance(q->color)) / (NOISE_WIDTH * deviation + 1e-4f);
    return fast_exp_minus(a + n + c * c + l);
}

static void filter_pixel(const Pass *pass, int x, int y)
{
    static const float kernel[5] = {1 / 16.0f, 1 / 4.0f, 3 / 8.0f, 1 / 4.0f, 1 / 16.0f};
    size_t at = (size_t)y * (size_t)pass->width + (size_t)x;
    const OozePixel *p = &pass->from[at];
    float deviation = sqrtf(smooth_variance(pass, x, y));
    if (deviation <= INVISIBLE * f3_luminance(p->color)) {
        pass->to[at] = *p;
        return;
    }
    OozeF3 color = f3_all(0.0f);
    float weight = 0.0f, variance = 0.0f;
    for (int j = -2; j <= 2; j++) {
        for (int i = -2; i <= 2; i++) {
            int u = x + i * pass->step, v = y + j * pass->step;
            if (u < 0 || v < 0 || u >= pass->width || v >= pass->height) {
                continue;
            }
            const OozePixel *q = &pass->from[(size_t)v * (size_t)pass->width + (size_t)u];
            float w = kernel[i + 2] * kernel[j + 2] * (p == q ? 1.0f : similarity(p, q, deviation));
            color = f3_madd(color, w, q->color);
            variance += w * w * q->variance;
            weight += w;
        }
    }
    pass->to[at] = *p;
    pass->to[at].color = f3_scale(color, 1.0f / weight);
    pass->to[at].variance = variance / (weight * weight);
}

static void filter_rows(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Pass *pass = context;
    for (uint64_t y = begin; y < end; y++) {
        for (int x = 0; x < pass->width; x++) {
            filter_pixel(pass, x, (int)y);
        }
    }
}

OozeStatus ooze_denoise(OozeFilm *film, OozeThreads *threads, OozeError *error)
{
    OozePixel *other = ooze_alloc((size_t)film->width * film->height, sizeof *other);
    if (!other) {
        return ooze_fail_memory(error, "denoising",
                                (uint64_t)film->width * film->height * sizeof *other);
    }
    for (int i = 0; i < PASSES; i++) {
        Pass pass = {film->pixels, other, (int)film->width, (int)film->height, 1 << i};
        ooze_parallel_for(threads, film->height, 4, filter_rows, &pass);
        OozePixel *done = other;
        other = film->pixels;
        film->pixels = done;
    }
    ooze_free(other);
    return OOZE_OK;
}
