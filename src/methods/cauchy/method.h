/* Moving particle semi-implicit (MPS) with Cauchy's equation of motion and four stress models.
   Mukai, Matsui and Chang 2018. */
#ifndef OOZE_METHODS_CAUCHY_H
#define OOZE_METHODS_CAUCHY_H

#include "methods/method.h"

extern const OozeMethod ooze_method_cauchy;

/* Of presets: see derive.h. */
unsigned ooze_cauchy_derive_material(const OozeStepContext *context, const OozeFlow *flow,
                                     OozeMaterial *material);

#endif
