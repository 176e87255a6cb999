/* Marching cubes: the triangles of each of the 256 sign patterns of a cell.

   The table is derived, not listed. On every face of a cell the crossed edges are joined by one
   rule that depends on the face's four signs alone: two inside corners across a diagonal are
   joined. Both cells of a face therefore draw the same segments, in opposite directions. Within a
   cell each crossed edge lies on two faces, so the segments close to loops that share no vertex; a
   loop is split into triangles by chords that lie in no face, so no chord is drawn twice. Hence
   every edge of the mesh has two triangles, and the triangles around the vertex of a grid edge, one
   fan in each of its four cells, form one ring: the mesh is closed and 2-manifold for all signs. */
#ifndef OOZE_SURFACE_CUBE_H
#define OOZE_SURFACE_CUBE_H

#include <stdint.h>

#include "base/formula.h"

/* Corner c is at (c & 1, c >> 1 & 1, c >> 2 & 1). Edge e = 4 axis + k runs along its axis from
   ooze_cube_edge_corner(e) upwards. */
enum { OOZE_CUBE_EDGES = 12, OOZE_CUBE_TRIANGLES_MAX = 5 };

OOZE_FORMULA int ooze_cube_edge_axis(int edge)
{
    return edge / 4;
}

OOZE_FORMULA int ooze_cube_edge_corner(int edge)
{
    int axis = edge / 4, low = edge & 1, high = edge >> 1 & 1;
    return axis == 0 ? low << 1 | high << 2 : axis == 1 ? low | high << 2 : low | high << 1;
}

/* Corners of a face, counter-clockwise seen from outside the cell. Face 2 axis + side. */
void ooze_cube_face(int face, int corners[4]);
/* The edge between two corners; -1 where there is none. */
int ooze_cube_find_edge(int a, int b);

typedef struct OozeCubeTable {
    uint8_t count[256];                              /* triangles of a case */
    uint8_t edges[256][3 * OOZE_CUBE_TRIANGLES_MAX]; /* their corners, each on a crossed edge */
} OozeCubeTable;

/* Bit c of a case is set where corner c is inside. Triangles are counter-clockwise seen from
   outside. */
void ooze_cube_table(OozeCubeTable *table);

#endif
