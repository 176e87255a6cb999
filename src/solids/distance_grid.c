#include "solids/distance_grid.h"
#include "base/fail.h"

OozeStatus ooze_distance_grid_create(const OozeMesh *mesh, double spacing, double thickness,
                                     OozeDistanceGrid **grid, OozeError *error)
{
    (void)mesh;
    (void)spacing;
    (void)thickness;
    *grid = NULL;
    return ooze_fail(error, OOZE_ERROR_UNSUPPORTED, NULL, "meshes as shapes come next");
}
void ooze_distance_grid_destroy(OozeDistanceGrid *grid)
{
    (void)grid;
}
uint64_t ooze_distance_grid_bytes(const OozeDistanceGrid *grid)
{
    (void)grid;
    return 0;
}
double ooze_distance_grid_at(const OozeDistanceGrid *grid, OozeVec3 point, OozeVec3 *normal)
{
    (void)grid;
    *normal = point;
    return 0;
}
void ooze_distance_grid_bounds(const OozeDistanceGrid *grid, OozeVec3 *min, OozeVec3 *max)
{
    (void)grid;
    (void)min;
    (void)max;
}
OozeStatus ooze_distance_grid_surface(const OozeDistanceGrid *grid, OozeMesh **mesh,
                                      OozeError *error)
{
    (void)grid;
    *mesh = NULL;
    return ooze_fail(error, OOZE_ERROR_UNSUPPORTED, NULL, "meshes as shapes come next");
}
