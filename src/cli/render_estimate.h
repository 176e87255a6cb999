/* The time that a picture will take. */
#ifndef OOZE_CLI_RENDER_ESTIMATE_H
#define OOZE_CLI_RENDER_ESTIMATE_H

#include "ooze/render.h"

/* Seconds that a picture of the frame takes with these settings, from small pictures of it; NAN
   where they fail. */
double ooze_render_estimate(const OozeScene *scene, const OozeRenderDef *def,
                            const OozeFrame *frame);

#endif
