/* Viscous fluids, elastic bodies and what is between them by links: position-based. See
   docs/methods/links.md. */
#ifndef OOZE_METHODS_LINKS_METHOD_H
#define OOZE_METHODS_LINKS_METHOD_H

#include "methods/method.h"

extern const OozeMethod ooze_method_links;

/* Of presets: see derive.h. */
unsigned ooze_links_derive_material(const OozeStepContext *context, const OozeFlow *flow,
                                    OozeMaterial *material);
void ooze_links_measured_material(const OozeStepContext *context, const OozeFlowScale *scale,
                                  OozeMaterial *material);

#endif
