/* Edge-preserving smoothing of the remaining noise. */
#ifndef OOZE_RENDER_DENOISE_H
#define OOZE_RENDER_DENOISE_H

#include "base/threads.h"
#include "render/film.h"

/* Memory that it takes. */
uint64_t ooze_denoise_bytes(uint64_t width, uint64_t height);

OozeStatus ooze_denoise(OozeFilm *film, OozeThreads *threads, OozeError *error);

#endif
