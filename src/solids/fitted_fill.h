/* Body-fitted fills, and the volume of a shape. */
#ifndef OOZE_SOLIDS_FITTED_FILL_H
#define OOZE_SOLIDS_FITTED_FILL_H

#include "solids/fill.h"

/* Volume (m3) of the points of a bounded shape deeper than `depth`, to about a per mille for shapes
   some spacings wide; the same bits for any number of threads. NULL: the calling thread. */
double ooze_shape_volume(const OozeShape *shape, double depth, double spacing,
                         OozeThreads *threads);

/* Local positions; the shape must be bounded and not inverted. */
OozeStatus ooze_fill_fitted(const OozeFillRequest *request, uint64_t *count, OozeVec3 **positions,
                            OozeError *error);

/* The error of too many particles. */
OozeStatus ooze_fill_too_many(const OozeFillRequest *request, double wanted, OozeError *error);

#endif
