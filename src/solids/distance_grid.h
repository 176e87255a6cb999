/* Signed distance to a triangle mesh on a sparse grid: an octree whose smallest leaves, near the
   surface, hold blocks of nodes; memory follows the surface, not the bounding box.

   What counts as inside:
   - Triangles are first turned to agree with their neighbours where the mesh allows it, each piece by
     majority of area.
   - A mesh whose gaps are small is solid: the gaps are closed by fans across their rims, and a point is
     inside where the closed surface winds round it. Small means: all together at most OOZE_GAPS_MAX
     of the surface, and none more than OOZE_GAP_SEEN of the outline seen through it, so that neither
     the end of a long pipe nor the bottom of a box passes for a small hole. A mesh turned inside out
     as a whole is the same solid; a cavity is a surface turned against the one around it.
   - Otherwise (a sheet, a cup without thickness), or where the surface encloses no volume, or where
     there are gaps and a thickness was given, it is a shell: solid within half the thickness of the
     surface. */
#ifndef OOZE_SOLIDS_DISTANCE_GRID_H
#define OOZE_SOLIDS_DISTANCE_GRID_H

#include "solids/mesh.h"

#define OOZE_GAPS_MAX 0.05
#define OOZE_GAP_SEEN 0.25

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
   true distance (but for the error of interpolation), with the right sign, and a normal away from the
   nearest part of the surface. */
double ooze_distance_grid_at(const OozeDistanceGrid *grid, OozeVec3 point, OozeVec3 *normal);

bool ooze_distance_grid_is_shell(const OozeDistanceGrid *grid);
void ooze_distance_grid_bounds(const OozeDistanceGrid *grid, OozeVec3 *min, OozeVec3 *max);

/* The surface where the distance is zero, closed and outward: of a solid the repaired triangles, of a
   shell its skin. */
OozeStatus ooze_distance_grid_surface(const OozeDistanceGrid *grid, OozeMesh **mesh,
                                      OozeError *error);

#endif
