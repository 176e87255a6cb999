/* Compounds of several shapes: creation and triangulation. */
#ifndef OOZE_SOLIDS_COMPOUND_H
#define OOZE_SOLIDS_COMPOUND_H

#include "solids/shape_data.h"

/* Creates the parts of a shape whose kind and up are set; after a failure ooze_shape_destroy frees
   the parts made so far. */
OozeStatus ooze_compound_create(OozeShape *shape, const OozeShapeDef *def, double resolution,
                                OozeThreads *threads, OozeError *error);
/* The triangles of all parts, concatenated. */
OozeStatus ooze_compound_triangulate(const OozeShape *shape, double edge, OozeMesh **mesh,
                                     OozeError *error);

#endif
