/* Height maps as solids: everything below the surface down to a flat base.

   Samples are at the nodes of a grid that spans the size, centred on the origin; columns run along
   the first horizontal axis, rows along the second (up y: x and z; up z: x and y; up x: y and z).
   In memory the first row is at the lower end of the second axis. Files are pictures or maps, seen
   from above: with up y their first row is at the lower end of z, with up z and x at the upper end
   of the second axis.

   Each cell is two triangles, divided from its first corner to the opposite one. The solid has
   vertical sides at the rim, and a base one cell (its longer edge) below the lowest sample. */
#ifndef OOZE_SOLIDS_HEIGHTFIELD_H
#define OOZE_SOLIDS_HEIGHTFIELD_H

#include "mesh/mesh.h"
#include "ooze/shape.h"

typedef struct OozeHeightfield OozeHeightfield;

/* From `def->path`, or from `def->field` where that is NULL. PGM greys 0..max give 0..height_scale;
   ESRI grids are in metres, NODATA becomes the lowest sample, and a size of zero takes the
   grid's own cell size. def->scale is applied. */
OozeStatus ooze_heightfield_create(const OozeShapeDef *def, OozeAxis up, OozeHeightfield **field,
                                   OozeError *error);
void ooze_heightfield_destroy(OozeHeightfield *field);
uint64_t ooze_heightfield_bytes(const OozeHeightfield *field);

void ooze_heightfield_bounds(const OozeHeightfield *field, OozeVec3 *min, OozeVec3 *max);
/* Of the whole surface: top, sides and base, m2. */
double ooze_heightfield_area(const OozeHeightfield *field);
OozeStatus ooze_heightfield_triangulate(const OozeHeightfield *field, double edge, OozeMesh **mesh,
                                        OozeError *error);

/* The samples of a file. Row 0 is the first in the file. `heights` is freed with ooze_free. */
typedef struct OozeHeightMap {
    float *heights;
    uint32_t columns, rows;
    double cell;  /* m; 0: not in the file */
    bool in_grey; /* heights are 0..1 of the grey range, not metres */
} OozeHeightMap;
OozeStatus ooze_height_map_read(const char *path, OozeHeightMap *map, OozeError *error);
OozeStatus ooze_height_map_read_memory(const char *data, size_t size, const char *name,
                                       OozeHeightMap *map, OozeError *error);

#endif
