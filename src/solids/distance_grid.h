/* Signed distance to a triangle mesh on a sparse grid: an octree whose smallest leaves, near the
   surface, hold blocks of nodes; memory is proportional to the surface, not to the bounding box.

   The inside is defined as follows:
   - Triangles are first oriented like their neighbours where the mesh is orientable, each component
     by majority of area.
   - A mesh whose gaps are small is solid: the gaps are closed by fans across their rims, and a
   point
     is inside where the winding number of the closed surface is not 0. Small means: all together at
     most OOZE_GAPS_AREA_MAX of the area, and none more than OOZE_GAP_OUTLINE_MAX of the projected
     area along its normal, so that neither the end of a long pipe nor the bottom of a box counts as
     a small gap. A mesh that is inside out as a whole is the same solid; a cavity is a surface of
     opposite orientation inside another.
   - Otherwise (a sheet, a cup without thickness), or where the surface encloses no volume, or where
     there are gaps and a thickness was given, it is a shell: solid within half the thickness of the
     surface. */
#ifndef OOZE_SOLIDS_DISTANCE_GRID_H
#define OOZE_SOLIDS_DISTANCE_GRID_H

#include "base/threads.h"
#include "mesh/mesh.h"

#define OOZE_GAPS_AREA_MAX   0.05
#define OOZE_GAP_OUTLINE_MAX 0.25

/* Width of the band of exact distances on either side of the surface, in spacings. */
#define OOZE_DISTANCE_BAND 3.0

typedef struct OozeDistanceGrid OozeDistanceGrid;

/* `spacing` is that of the particles; nodes are half a spacing apart, closer where a shell is thin.
   thickness 0: two spacings. A grid of more than 4 GiB is an error. */
OozeStatus ooze_distance_grid_create(const OozeMesh *mesh, double spacing, double thickness,
                                     OozeThreads *threads, OozeDistanceGrid **grid,
                                     OozeError *error);
void ooze_distance_grid_destroy(OozeDistanceGrid *grid);
uint64_t ooze_distance_grid_bytes(const OozeDistanceGrid *grid);
uint64_t ooze_distance_grid_nodes(const OozeDistanceGrid *grid);

/* Within the band: interpolated between nodes, with the gradient of the interpolant. Beyond: a
   lower bound of the distance (up to the error of interpolation) with the right sign, and a normal
   away from the nearest point of the surface. */
double ooze_distance_grid_at(const OozeDistanceGrid *grid, OozeVec3 point, OozeVec3 *normal);

bool ooze_distance_grid_is_shell(const OozeDistanceGrid *grid);
void ooze_distance_grid_bounds(const OozeDistanceGrid *grid, OozeVec3 *min, OozeVec3 *max);

/* About the area of the surface where the distance is zero, m2. */
double ooze_distance_grid_area(const OozeDistanceGrid *grid);
/* The surface where the distance is zero, closed and outward: of a solid the repaired triangles, of
   a shell its outer surface. */
OozeStatus ooze_distance_grid_surface(const OozeDistanceGrid *grid, OozeMesh **mesh,
                                      OozeError *error);

#endif
