#include "render/film.h"

#include "base/fail.h"
#include "base/memory.h"
#include "render/denoise.h"

uint64_t ooze_film_bytes(uint64_t width, uint64_t height)
{
    /* The film itself, the tallies of the exposure, three bytes a pixel of the result. */
    return width * height * (sizeof(OozePixel) + sizeof(OozeTally) + 3) +
           ooze_denoise_bytes(width, height);
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
