/* Signed distance to a triangle mesh on a sparse grid: an octree whose smallest leaves, near the
   surface, hold blocks of nodes; memory follows the surface, not the bounding box.

   What counts as inside:
   - Triangles are first turned to agree with their neighbours where the mesh allows it (each piece by
     majority of area), and remaining gaps are closed by fans across their rims.
   - If the gaps so closed make up at most OOZE_OPEN_AREA of the surface, the mesh is solid: a point is
     inside where the winding number of the closed surface is not zero. A mesh turned inside out as a
     whole is the same solid; a cavity is a surface turned against the one around it.
   - Otherwise (a sheet, a cup without thickness), and where the surface encloses no volume at all,
     it is a shell: solid within half of `thickness` of the surface. */
#ifndef OOZE_SOLIDS_DISTANCE_GRID_H
#define OOZE_SOLIDS_DISTANCE_GRID_H

#include "solids/mesh.h"

#define OOZE_OPEN_AREA 0.05

/* Exact distances reach this many spacings to either side of the surface. */
#define OOZE_DISTANCE_BAND 3.0

typedef struct OozeDistanceGrid OozeDistanceGrid;

/* `spacing` is the particles'; nodes stand half as far apart, closer where a shell is thin.
   thickness 0: two spacings. Refused where it would need more than 4 GiB. */
OozeStatus ooze_distance_grid_create(const OozeMesh *mesh, double spacing, double thickness,
                                     OozeDistanceGrid **grid, OozeError *error);
void ooze_distance_grid_destroy(OozeDistanceGrid *grid);
uint64_t ooze_distance_grid_bytes(const OozeDistanceGrid *grid);
uint64_t ooze_distance_grid_nodes(const OozeDistanceGrid *grid);

/* Within the band: interpolated between nodes, and the gradient of that. Beyond: no more than the
   true distance, with the right sign, and a normal away from the nearest part of the surface. */
double ooze_distance_grid_at(const OozeDistanceGrid *grid, OozeVec3 point, OozeVec3 *normal);

bool ooze_distance_grid_is_shell(const OozeDistanceGrid *grid);
void ooze_distance_grid_bounds(const OozeDistanceGrid *grid, OozeVec3 *min, OozeVec3 *max);

/* The surface where the distance is zero, closed and outward: of a solid the repaired triangles, of a
   shell its skin. */
OozeStatus ooze_distance_grid_surface(const OozeDistanceGrid *grid, OozeMesh **mesh,
                                      OozeError *error);

#endif
