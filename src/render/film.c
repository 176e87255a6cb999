#include "render/film.h"

#include "base/fail.h"
#include "base/memory.h"

enum { TILE = 16, BATCH = 64 /* tiles between two calls of progress */ };

uint64_t ooze_film_bytes(uint64_t width, uint64_t height)
{
    /* The denoiser needs two more films, the result three bytes a pixel. */
    return width * height * (3 * sizeof(OozePixel) + 3);
}

OozeStatus ooze_film_create(OozeFilm *film, uint32_t width, uint32_t height, uint64_t limit,
                            OozeError *error)
{
    *film = (OozeFilm){.width = width, .height = height};
    uint64_t bytes = ooze_film_bytes(width, height);
    if (width == 0 || height == 0 || bytes > limit) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "choose a smaller size",
                         "a picture of %u x %u pixels needs %.1f GB of memory; %.1f GB may be used",
                         width, height, (double)bytes * 1e-9, (double)limit * 1e-9);
    }
    film->pixels = ooze_alloc_zero((size_t)width * height, sizeof *film->pixels);
    return film->pixels ? OOZE_OK : ooze_fail_memory(error, "a picture", bytes);
}

void ooze_film_free(OozeFilm *film)
{
    ooze_free(film->pixels);
    film->pixels = NULL;
}

/* ---- exposure -------------------------------------------------------------------------------- */

typedef struct Exposure {
    OozeFilm *film;
    const OozeExposeJob *job;
    uint64_t first; /* tile of the batch */
    uint32_t across;
} Exposure;

static void expose_pixel(const Exposure *exposure, uint32_t x, uint32_t y)
{
    const OozeExposeJob *job = exposure->job;
    OozeFilm *film = exposure->film;
    uint64_t index = (uint64_t)y * film->width + x;
    OozePixel sum = {.variance = 0.0f};
    double luminance_sum = 0.0, luminance2_sum = 0.0;
    for (uint32_t i = 0; i < job->samples; i++) {
        OozeSampler sampler = ooze_sampler(job->seed, index, i);
        OozePair at = ooze_sampler_pair(&sampler);
        OozeRay ray = ooze_camera_ray(job->camera, ((float)x + at.u) / (float)film->width,
                                      ((float)y + at.v) / (float)film->height, &sampler);
        OozeFeatures features = {.distance = 0.0f};
        OozeF3 color = job->shade(job->tracer, &ray, &sampler, &features);
        color = isfinite(color.x + color.y + color.z) ? color : f3_all(0.0f);
        sum.color = f3_add(sum.color, color);
        sum.albedo = f3_add(sum.albedo, features.albedo);
        sum.normal = f3_add(sum.normal, features.normal);
        sum.distance += features.distance;
        sum.coverage += features.distance > 0.0f ? 1.0f : 0.0f;
        double luminance = (double)f3_luminance(color);
        luminance_sum += luminance;
        luminance2_sum += luminance * luminance;
    }
    float scale = 1.0f / (float)job->samples;
    double n = (double)job->samples, mean = luminance_sum / n;
    OozePixel *pixel = &film->pixels[index];
    pixel->color = f3_scale(sum.color, scale);
    pixel->albedo = f3_scale(sum.albedo, scale);
    pixel->normal = f3_scale(sum.normal, scale);
    pixel->distance = sum.distance * scale;
    pixel->coverage = sum.coverage * scale;
    pixel->variance = (float)(fmax(luminance2_sum / n - mean * mean, 0.0) / fmax(n - 1.0, 1.0));
}

static void expose_tiles(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Exposure *exposure = context;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t tile = exposure->first + i;
        uint32_t x0 = (uint32_t)(tile % exposure->across) * TILE;
        uint32_t y0 = (uint32_t)(tile / exposure->across) * TILE;
        for (uint32_t y = y0; y < y0 + TILE && y < exposure->film->height; y++) {
            for (uint32_t x = x0; x < x0 + TILE && x < exposure->film->width; x++) {
                expose_pixel(exposure, x, y);
            }
        }
    }
}

OozeStatus ooze_film_expose(OozeFilm *film, const OozeExposeJob *job, OozeThreads *threads,
                            OozeError *error)
{
    uint32_t across = (film->width + TILE - 1) / TILE, down = (film->height + TILE - 1) / TILE;
    uint64_t tiles = (uint64_t)across * down;
    Exposure exposure = {film, job, 0, across};
    while (exposure.first < tiles) {
        uint64_t left = tiles - exposure.first, count = left < BATCH ? left : BATCH;
        ooze_parallel_for(threads, count, 1, expose_tiles, &exposure);
        exposure.first += count;
        if (job->progress && !job->progress(job->user, (double)exposure.first / (double)tiles)) {
            return ooze_fail(error, OOZE_ERROR_CANCELLED, "", "the picture was not finished");
        }
    }
    return OOZE_OK;
}

/* ---- development ----------------------------------------------------------------------------- */

/* Linear up to the knee, then approaching white slowly. */
float ooze_film_curve(float radiance)
{
    const float knee = 0.6f;
    float x = fmaxf(radiance, 0.0f);
    if (x <= knee) {
        return x;
    }
    float over = (x - knee) / (1.0f - knee);
    return knee + (1.0f - knee) * over / (1.0f + over);
}

/* IEC 61966-2-1. */
static unsigned char byte_of(float linear)
{
    float c = clampf(linear, 0.0f, 1.0f);
    c = c <= 0.0031308f ? 12.92f * c : 1.055f * powf(c, 1.0f / 2.4f) - 0.055f;
    return (unsigned char)(c * 255.0f + 0.5f);
}

void ooze_film_develop(const OozeFilm *film, double exposure, unsigned char *pixels)
{
    float gain = (float)exp2(exposure);
    for (uint64_t i = 0; i < (uint64_t)film->width * film->height; i++) {
        OozeF3 c = f3_scale(film->pixels[i].color, gain);
        pixels[3 * i] = byte_of(ooze_film_curve(c.x));
        pixels[3 * i + 1] = byte_of(ooze_film_curve(c.y));
        pixels[3 * i + 2] = byte_of(ooze_film_curve(c.z));
    }
}
