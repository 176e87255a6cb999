/* Double density relaxation, plastic springs and viscosity impulses. See
   docs/methods/springs.md. */
#ifndef OOZE_METHODS_SPRINGS_METHOD_H
#define OOZE_METHODS_SPRINGS_METHOD_H

#include "methods/method.h"

extern const OozeMethod ooze_method_springs;

/* Of presets: see derive.h. */
void ooze_springs_derive_params(const OozeStepContext *context, const OozeFlow *flows,
                                double *params);
unsigned ooze_springs_derive_material(const OozeStepContext *context, const OozeFlow *flow,
                                      OozeMaterial *material);
void ooze_springs_measured_material(const OozeStepContext *context, const OozeFlowScale *scale,
                                    OozeMaterial *material);

#endif
