/* Edge-preserving smoothing of the remaining noise. */
#ifndef OOZE_RENDER_DENOISE_H
#define OOZE_RENDER_DENOISE_H

#include "base/threads.h"
#include "render/film.h"

OozeStatus ooze_denoise(OozeFilm *film, OozeThreads *threads, OozeError *error);

#endif
