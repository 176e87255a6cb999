/* Triangles of a shape for pictures and for the page of `ooze view`. */
#ifndef OOZE_SOLIDS_DISPLAY_MESH_H
#define OOZE_SOLIDS_DISPLAY_MESH_H

#include "solids/shape.h"

/* In the frame of the shape, with its scale. A mesh file is used as it is; other shapes, not
   planes, are triangulated finely enough to appear smooth. `*shape` receives the shape where one
   was made, else NULL; the caller destroys it. */
OozeStatus ooze_shape_display_mesh(const OozeShapeDef *def, OozeAxis up, double spacing,
                                   OozeMesh **mesh, OozeShape **shape, OozeError *error);

#endif
