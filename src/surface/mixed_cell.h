/* A cell of the grid in which several materials meet: triangles between fluid and air, each of one
   material, and triangles between two materials.

   The surface towards the air is that of cube.h: on every face the same segments. Where the
   material changes along a segment, a vertex divides it. A face's interfaces join the points on its
   border where the material changes: two of them by a segment, more by spokes to a vertex in the
   middle.
   They depend on the labels of the face alone, so both cells of a face agree. Within a cell each
   loop of surface segments is a fan around a vertex of its own, and the interfaces are a cone over
   the segments of all faces, with its apex in the middle of such a loop. Hence the surface stays a
   closed 2-manifold, and for each material its triangles and its sides of the interfaces together
   close without gap and without overlap. */
#ifndef OOZE_SURFACE_MIXED_CELL_H
#define OOZE_SURFACE_MIXED_CELL_H

#include <stdbool.h>
#include <stdint.h>

#include "surface/cube.h"

/* Vertices of a cell by number: 12 edges, two dividing points per face, a middle per face, a middle
   per loop, the apex where no loop's middle serves. */
enum {
    OOZE_MIXED_EDGE = 0,
    OOZE_MIXED_SPLIT = 12,
    OOZE_MIXED_MIDDLE = 24,
    OOZE_MIXED_LOOP = 30,
    OOZE_MIXED_APEX = 34,
    OOZE_MIXED_VERTICES = 35,
    OOZE_MIXED_LOOPS_MAX = 4,
    OOZE_MIXED_SURFACE_MAX = 24,
    OOZE_MIXED_INTERFACE_MAX = 40
};

typedef struct OozeMixedTriangle {
    uint8_t corner[3];     /* vertices; counter-clockwise seen from the side `front` */
    uint8_t behind, front; /* labels; 0 is air */
} OozeMixedTriangle;

typedef struct OozeMixedCell {
    int loop_count;
    bool has_apex;
    int surface_count, interface_count;
    OozeMixedTriangle surface[OOZE_MIXED_SURFACE_MAX], interface[OOZE_MIXED_INTERFACE_MAX];
} OozeMixedCell;

/* Labels of the corners, numbered as in cube.h. 0 is air. */
void ooze_mixed_cell(const uint8_t labels[8], OozeMixedCell *cell);

/* The vertices on a face that are on none of its edges. `labels`: of its corners (0, 0), (1, 0),
   (0, 1), (1, 1) along the two axes after that of the face. */
typedef struct OozeMixedFace {
    bool split[2];         /* whether a segment of the surface is divided there */
    bool middle;           /* whether more than two points are joined there */
    uint8_t ends[2][2][2]; /* of split i: two edges, each of two corners, the fluid one first */
    int point_count;       /* where the material changes, around the face */
    uint8_t points[4][2];  /* two corners: of an edge; or {4, i}: split i */
} OozeMixedFace;
void ooze_mixed_face(const uint8_t labels[4], OozeMixedFace *face);

static inline bool ooze_is_mixed(const uint8_t labels[8])
{
    uint8_t first = 0;
    for (int k = 0; k < 8; k++) {
        if (labels[k] && first && labels[k] != first) {
            return true;
        }
        first = labels[k] ? labels[k] : first;
    }
    return false;
}

#endif
