/* Shading without paths: direct light from the centre of each light, and ambient light. */
#ifndef OOZE_RENDER_PREVIEW_H
#define OOZE_RENDER_PREVIEW_H

#include "render/integrator.h"

OozeF3 ooze_preview(const OozeTracer *tracer, OozeF3 origin, OozeF3 direction, OozeSampler *sampler,
                    OozeFeatures *features);

#endif
