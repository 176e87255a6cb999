/* Relaxation of points to an even distribution inside a volume, inside a plane outline, or on a
   surface. */
#ifndef OOZE_SOLIDS_RELAXATION_H
#define OOZE_SOLIDS_RELAXATION_H

#include "base/threads.h"
#include "base/vec3.h"

typedef enum OozeRelaxKind {
    OOZE_RELAX_VOLUME,  /* points repel each other and the surface, half a spacing below it */
    OOZE_RELAX_AREA,    /* the same in the plane z = 0 */
    OOZE_RELAX_SURFACE, /* points stay on the surface */
} OozeRelaxKind;

/* Signed distance and unit outward normal of the boundary. */
typedef double (*OozeRelaxDistance)(const void *context, OozeVec3 point, OozeVec3 *normal);

typedef struct OozeRelaxation {
    OozeRelaxKind kind;
    double spacing; /* of the even state: one point per spacing^3, or per spacing^2 */
    uint64_t fixed; /* the first `fixed` points do not move */
    int rounds;
    OozeRelaxDistance distance; /* called by several threads at once */
    const void *context;
    OozeThreads *threads; /* NULL: the calling thread alone; the result is the same */
} OozeRelaxation;

/* Moves the points; deterministic. */
OozeStatus ooze_relax(const OozeRelaxation *relaxation, OozeVec3 *points, uint64_t count,
                      OozeError *error);

#endif
