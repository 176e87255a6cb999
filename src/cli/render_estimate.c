/* A picture of P pixels and n samples takes a + P (b + n c) seconds: a for the surface and photons,
   b for smoothing, c for light paths. Three small pictures give the three numbers. */
#include "cli/render_estimate.h"

#include <math.h>

#include "base/clock.h"
#include "base/memory.h"
#include "cli/interrupt.h"

enum { SMALL = 4, TINY = 16 /* the sides of a picture over those of a trial */ };

static bool go_on(void *user, double share)
{
    (void)user, (void)share;
    return !ooze_interrupted();
}

/* Seconds of a picture with both sides divided; NAN: it failed. */
static double trial(const OozeScene *scene, const OozeRenderDef *wanted, const OozeFrame *frame,
                    int divisor, int samples)
{
    OozeRenderDef def = *wanted;
    def.size.x = fmax(floor(wanted->size.x / divisor), 16.0);
    def.size.y = fmax(floor(wanted->size.y / divisor), 16.0);
    def.samples = samples;
    unsigned char *pixels = ooze_alloc((size_t)def.size.x * (size_t)def.size.y, 3);
    OozeRenderer *renderer = NULL;
    OozeError error = {0};
    double seconds = NAN;
    if (pixels && !ooze_renderer_create(scene, &def, &renderer, &error) &&
        !ooze_renderer_survey(renderer, frame, &error)) {
        double start = ooze_clock();
        OozeStatus status = ooze_render_frame(renderer, frame, go_on, NULL, pixels, &error);
        seconds = status ? NAN : ooze_clock() - start;
    }
    ooze_renderer_free(renderer);
    ooze_free(pixels);
    return seconds;
}

double ooze_render_estimate(const OozeScene *scene, const OozeRenderDef *def,
                            const OozeFrame *frame)
{
    if (def->time_limit > 0.0 && !def->preview) {
        return def->time_limit;
    }
    const int more = 4;
    double pixels = def->size.x * def->size.y, small = pixels / (SMALL * SMALL);
    double fixed = trial(scene, def, frame, TINY, 1);
    double one = trial(scene, def, frame, SMALL, 1);
    double several = def->preview ? one : trial(scene, def, frame, SMALL, more);
    double path = fmax(several - one, 0.0) / (small * (more - 1));
    double pixel = fmax(one - fixed, 0.0) / small - path;
    return fixed + pixels * (fmax(pixel, 0.0) + path * def->samples);
}
