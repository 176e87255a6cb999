/* Bodies between fluid and elastic solid: SPH velocities blended with shape matching. Takamatsu
   and Kanai 2011. */
#ifndef OOZE_METHODS_BLEND_H
#define OOZE_METHODS_BLEND_H

#include "methods/method.h"

extern const OozeMethod ooze_method_blend;

/* Of presets: see derive.h. */
void ooze_blend_derive_params(const OozeStepContext *context, const OozeFlow *flows,
                              double *params);
unsigned ooze_blend_derive_material(const OozeStepContext *context, const OozeFlow *flow,
                                    OozeMaterial *material);
void ooze_blend_measured_material(const OozeStepContext *context, const OozeFlowScale *scale,
                                  OozeMaterial *material);

#endif
