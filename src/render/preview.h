/* Shading without paths: direct light from the centre of each light, and ambient light. */
#ifndef OOZE_RENDER_PREVIEW_H
#define OOZE_RENDER_PREVIEW_H

#include "render/integrator.h"

OozeF3 ooze_preview(const OozeTracer *tracer, const OozeRay *ray, OozeSampler *sampler,
                    OozeFeatures *features);

#endif
