/* The film: mean radiance and features of the samples of each pixel. */
#ifndef OOZE_RENDER_FILM_H
#define OOZE_RENDER_FILM_H

#include "base/threads.h"
#include "render/camera.h"
#include "render/integrator.h"

typedef struct OozePixel {
    OozeF3 color;   /* mean radiance */
    float variance; /* of the luminance of the mean */
    OozeF3 albedo;  /* mean features, see integrator.h */
    float distance;
    OozeF3 normal;
    float coverage; /* share of the samples that hit a surface */
} OozePixel;

/* Luminance of the samples of a pixel, while it is exposed. */
typedef struct OozeTally {
    double sum, sum_of_squares;
    uint32_t samples;
} OozeTally;

typedef struct OozeFilm {
    uint32_t width, height;
    OozePixel *pixels;
} OozeFilm;

/* Fails where the picture would need more than `limit` bytes. */
OozeStatus ooze_film_create(OozeFilm *film, uint32_t width, uint32_t height, uint64_t limit,
                            OozeError *error);
void ooze_film_free(OozeFilm *film);
/* Memory that a picture takes while it is rendered, bytes. */
uint64_t ooze_film_bytes(uint64_t width, uint64_t height);

/* Radiance of one path; features may stay zero. */
typedef OozeF3 (*OozeShade)(const OozeTracer *tracer, const OozeRay *ray, OozeSampler *sampler,
                            OozeFeatures *features);

typedef struct OozeExposeJob {
    const OozeTracer *tracer;
    const OozeCamera *camera;
    OozeShade shade;
    uint32_t samples; /* per pixel, their mean */
    double deadline;  /* ooze_clock() at which the samples end; 0: `samples` decides */
    uint64_t seed;
    OozeRenderProgress progress; /* may be NULL */
    void *user;
} OozeExposeJob;

/* Renders all samples, tile by tile; OOZE_ERROR_CANCELLED where progress returns false. There are
   more samples where there is more noise: they are added in rounds that depend on the samples
   before them only. Pictures of equal mean samples are equal, whether a deadline or their number
   ended them. `mean_samples` may be NULL. */
OozeStatus ooze_film_expose(OozeFilm *film, const OozeExposeJob *job, OozeThreads *threads,
                            double *mean_samples, OozeError *error);

/* Radiance to bytes: exposure, tone curve, sRGB. */
void ooze_film_develop(const OozeFilm *film, double exposure, unsigned char *pixels);
/* The tone curve, 0 to 1. */
float ooze_film_curve(float radiance);

#endif
