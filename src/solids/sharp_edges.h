/* Sharp edges and corners of a triangle mesh, and samples along them. */
#ifndef OOZE_SOLIDS_SHARP_EDGES_H
#define OOZE_SOLIDS_SHARP_EDGES_H

#include "mesh/mesh.h"
#include "solids/point_set.h"

/* Adds samples at corners, then along sharp edges and open rims about one spacing apart, except
   those nearer than `nearest` to another. */
OozeStatus ooze_sample_sharp_edges(const OozeMesh *mesh, double spacing, double nearest,
                                   OozePointSet *samples, OozeError *error);

#endif
