/* Exposure of the film: one sample of all pixels, then rounds of more where the noise is. */
#include "base/clock.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/select.h"
#include "render/film.h"
#include "scene/scene.h"

enum { TILE = 8, BATCH = 256 /* tiles between two calls of progress */ };
/* Samples of the tiles of one round. Where the mean is EVEN_SHARE times what every pixel has, a
   round for all of them doubles that: what one sample did not find has no noise yet. */
enum { ROUND_SAMPLES = 8, EVEN_SHARE = 8 };

/* Of the tiles, those of most noise, get samples in a round: a little more than one a pixel in the
   mean, so that rounding the mean down finds the round again. */
#define ROUND_SHARE 0.13
#define DARK        0.1f /* radiance below which noise counts less relative to it */
#define NEIGHBOURS  0.5f /* share of the noise of adjacent tiles: edges of what is noisy */

typedef struct Exposure {
    OozeFilm *film;
    const OozeExposeJob *job;
    OozeTally *tallies;     /* per pixel; colours and features of the film are sums */
    uint32_t across, down;  /* tiles */
    uint64_t first;         /* of the batch, in `chosen` or of all tiles */
    const uint32_t *chosen; /* tiles of the round; NULL: all */
    uint32_t samples;       /* to add to each pixel in this round */
    uint64_t spent;         /* samples so far, of all pixels */
} Exposure;

static void expose_pixel(const Exposure *exposure, uint32_t x, uint32_t y)
{
    const OozeExposeJob *job = exposure->job;
    OozeFilm *film = exposure->film;
    uint64_t index = (uint64_t)y * film->width + x;
    OozePixel *sum = &film->pixels[index];
    OozeTally *tally = &exposure->tallies[index];
    uint32_t end = tally->samples + exposure->samples;
    for (; tally->samples < end; tally->samples++) {
        OozeSampler sampler = ooze_sampler(job->seed, index, tally->samples);
        OozePair at = ooze_sampler_pair(&sampler);
        OozeRay ray = ooze_camera_ray(job->camera, ((float)x + at.u) / (float)film->width,
                                      ((float)y + at.v) / (float)film->height, &sampler);
        OozeFeatures features = {.distance = 0.0f};
        OozeF3 color = job->shade(job->tracer, &ray, &sampler, &features);
        color = isfinite(color.x + color.y + color.z) ? color : f3_all(0.0f);
        sum->color = f3_add(sum->color, color);
        sum->albedo = f3_add(sum->albedo, features.albedo);
        sum->normal = f3_add(sum->normal, features.normal);
        sum->distance += features.distance;
        sum->coverage += features.distance > 0.0f ? 1.0f : 0.0f;
        double luminance = (double)f3_luminance(color);
        tally->sum += luminance;
        tally->sum_of_squares += luminance * luminance;
    }
}

static double squared_difference(const OozeTally *a, const OozeTally *b)
{
    double d = a->sum / a->samples - b->sum / b->samples;
    return d * d;
}

/* Variance of the mean luminance of a pixel; of a single sample, from the pixels beside and
   above or below. */
static double variance_of(const Exposure *exposure, uint32_t x, uint32_t y)
{
    const uint32_t width = exposure->film->width, height = exposure->film->height;
    const OozeTally *tally = &exposure->tallies[(uint64_t)y * width + x];
    if (tally->samples == 1) {
        double across = width > 1 ? squared_difference(tally, x > 0 ? tally - 1 : tally + 1) : 0.0;
        double down = 0.0;
        if (height > 1) {
            down = squared_difference(tally, y > 0 ? tally - width : tally + width);
        }
        return 0.25 * (across + down);
    }
    double n = (double)tally->samples, mean = tally->sum / n;
    return fmax(tally->sum_of_squares / n - mean * mean, 0.0) / (n - 1.0);
}

/* Sums to means. */
static void finish_pixels(const Exposure *exposure)
{
    for (uint64_t i = 0; i < (uint64_t)exposure->film->width * exposure->film->height; i++) {
        OozePixel *pixel = &exposure->film->pixels[i];
        const OozeTally *tally = &exposure->tallies[i];
        float scale = 1.0f / (float)tally->samples;
        pixel->color = f3_scale(pixel->color, scale);
        pixel->albedo = f3_scale(pixel->albedo, scale);
        pixel->normal = f3_scale(pixel->normal, scale);
        pixel->distance *= scale;
        pixel->coverage *= scale;
        uint32_t width = exposure->film->width;
        pixel->variance =
            (float)variance_of(exposure, (uint32_t)(i % width), (uint32_t)(i / width));
    }
}

/* ---- tiles ----------------------------------------------------------------------------------- */

typedef struct Area {
    uint32_t x0, y0, x1, y1;
} Area;

static Area tile_area(const Exposure *exposure, uint32_t tile)
{
    const OozeFilm *film = exposure->film;
    uint32_t x = tile % exposure->across * TILE, y = tile / exposure->across * TILE;
    return (Area){x, y, x + TILE < film->width ? x + TILE : film->width,
                  y + TILE < film->height ? y + TILE : film->height};
}

static void expose_tiles(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Exposure *exposure = context;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t place = exposure->first + i;
        Area area =
            tile_area(exposure, exposure->chosen ? exposure->chosen[place] : (uint32_t)place);
        for (uint32_t y = area.y0; y < area.y1; y++) {
            for (uint32_t x = area.x0; x < area.x1; x++) {
                expose_pixel(exposure, x, y);
            }
        }
    }
}

/* Share of the work that is done, after `done` of `count` tiles of the round. */
static double progress_share(const Exposure *exposure, uint64_t done, uint64_t count, double start)
{
    const OozeExposeJob *job = exposure->job;
    if (job->deadline > 0.0) {
        return fmin((ooze_clock() - start) / fmax(job->deadline - start, 1e-9), 1.0);
    }
    double pixels = (double)exposure->film->width * exposure->film->height;
    double tiles = (double)exposure->across * exposure->down;
    double round = (double)exposure->samples * pixels * (double)count / tiles;
    double spent = (double)exposure->spent + round * (double)done / (double)count;
    return fmin(spent / (pixels * job->samples), 1.0);
}

/* Adds samples to `count` tiles. */
static OozeStatus expose_round(Exposure *exposure, uint64_t count, OozeThreads *threads,
                               double start, OozeError *error)
{
    const OozeExposeJob *job = exposure->job;
    exposure->first = 0;
    while (exposure->first < count) {
        uint64_t left = count - exposure->first, batch = left < BATCH ? left : BATCH;
        ooze_parallel_for(threads, batch, 1, expose_tiles, exposure);
        exposure->first += batch;
        double share = progress_share(exposure, exposure->first, count, start);
        if (job->progress && !job->progress(job->user, share)) {
            return ooze_fail(error, OOZE_ERROR_CANCELLED, "", "the picture was not finished");
        }
    }
    for (uint64_t i = 0; i < count; i++) {
        Area area = tile_area(exposure, exposure->chosen ? exposure->chosen[i] : (uint32_t)i);
        exposure->spent += (uint64_t)exposure->samples * (area.x1 - area.x0) * (area.y1 - area.y0);
    }
    return OOZE_OK;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* Root mean square of the noise of a tile, relative to its light. */
static double tile_noise(const Exposure *exposure, uint32_t tile)
{
    Area area = tile_area(exposure, tile);
    double sum = 0.0, count = 0.0;
    for (uint32_t y = area.y0; y < area.y1; y++) {
        for (uint32_t x = area.x0; x < area.x1; x++) {
            const OozeTally *tally = &exposure->tallies[(uint64_t)y * exposure->film->width + x];
            double light = (double)DARK + tally->sum / tally->samples;
            sum += variance_of(exposure, x, y) / (light * light);
            count += 1.0;
        }
    }
    return sqrt(sum / count);
}

/* Chooses the tiles of most noise; their number. `noise` and `spread` have one number per tile. */
static uint64_t choose_tiles(const Exposure *exposure, double *noise, double *spread,
                             uint32_t *chosen)
{
    uint32_t across = exposure->across, tiles = across * exposure->down;
    for (uint32_t i = 0; i < tiles; i++) {
        noise[i] = tile_noise(exposure, i);
    }
    for (uint32_t i = 0; i < tiles; i++) {
        uint32_t x = i % across, y = i / across;
        double near = 0.0;
        near = x > 0 ? fmax(near, noise[i - 1]) : near;
        near = x + 1 < across ? fmax(near, noise[i + 1]) : near;
        near = y > 0 ? fmax(near, noise[i - across]) : near;
        near = y + 1 < exposure->down ? fmax(near, noise[i + across]) : near;
        spread[i] = fmax(noise[i], (double)NEIGHBOURS * near);
    }
    double least = ooze_percentile(spread, tiles, 100.0 * (1.0 - ROUND_SHARE));
    uint64_t count = 0;
    for (uint32_t i = 0; i < tiles; i++) {
        if (spread[i] >= least && spread[i] > 0.0) {
            chosen[count++] = i;
        }
    }
    return count;
}

/* Whether there is time for another round that takes as long as the last one. */
static bool has_time(const OozeExposeJob *job, double round_start)
{
    double now = ooze_clock();
    return !(job->deadline > 0.0) || now + (now - round_start) < job->deadline;
}

static OozeStatus expose_in_rounds(Exposure *exposure, OozeThreads *threads, double start,
                                   OozeError *error)
{
    const OozeExposeJob *job = exposure->job;
    uint32_t tiles = exposure->across * exposure->down;
    uint64_t even = 0, pixels = (uint64_t)exposure->film->width * exposure->film->height;
    uint64_t most =
        pixels * (job->deadline > 0.0 ? (uint64_t)OOZE_PICTURE_SAMPLES_MAX : job->samples);
    double *noise = ooze_alloc(2 * (size_t)tiles, sizeof *noise);
    uint32_t *chosen = ooze_alloc(tiles, sizeof *chosen);
    OozeStatus status =
        noise && chosen ? OOZE_OK : ooze_fail_memory(error, "a picture", tiles * 20ull);
    bool continues = !status;
    while (continues) {
        double round_start = ooze_clock();
        uint64_t count = tiles;
        if (exposure->spent >= EVEN_SHARE * even * pixels) {
            exposure->samples = even > 0 ? (uint32_t)even : 1;
            exposure->chosen = NULL;
            even += exposure->samples;
        } else {
            exposure->samples = ROUND_SAMPLES;
            exposure->chosen = chosen;
            count = choose_tiles(exposure, noise, noise + tiles, chosen);
        }
        status = expose_round(exposure, count, threads, start, error);
        continues = !status && count > 0 && exposure->spent < most && has_time(job, round_start);
    }
    ooze_free(noise);
    ooze_free(chosen);
    return status;
}

OozeStatus ooze_film_expose(OozeFilm *film, const OozeExposeJob *job, OozeThreads *threads,
                            double *mean_samples, OozeError *error)
{
    uint64_t pixels = (uint64_t)film->width * film->height;
    Exposure exposure = {.film = film,
                         .job = job,
                         .tallies = ooze_alloc_zero(pixels, sizeof *exposure.tallies),
                         .across = (film->width + TILE - 1) / TILE,
                         .down = (film->height + TILE - 1) / TILE};
    if (!exposure.tallies) {
        return ooze_fail_memory(error, "a picture", pixels * sizeof *exposure.tallies);
    }
    double start = ooze_clock();
    OozeStatus status = expose_in_rounds(&exposure, threads, start, error);
    if (!status) {
        finish_pixels(&exposure);
        if (mean_samples) {
            *mean_samples = (double)exposure.spent / (double)pixels;
        }
    }
    ooze_free(exposure.tallies);
    return status;
}
