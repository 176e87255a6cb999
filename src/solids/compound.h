/* Several shapes as one: where their parts stand, and their triangles. */
#ifndef OOZE_SOLIDS_COMPOUND_H
#define OOZE_SOLIDS_COMPOUND_H

#include "solids/shape_parts.h"

/* Fills in the parts of a shape whose kind and up are known; what was made of them is left to
   ooze_shape_destroy where it fails. */
OozeStatus ooze_compound_create(OozeShape *shape, const OozeShapeDef *def, double resolution,
                                OozeError *error);
/* Of all parts, one after the other. */
OozeStatus ooze_compound_triangulate(const OozeShape *shape, double edge, OozeMesh **mesh,
                                     OozeError *error);

#endif
