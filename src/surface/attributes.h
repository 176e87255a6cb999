/* What the vertices carry besides their places. */
#ifndef OOZE_SURFACE_ATTRIBUTES_H
#define OOZE_SURFACE_ATTRIBUTES_H

#include "surface/march.h"

/* What a finished surface owns; `surface` stands first, so that the caller's pointer is ours. */
typedef struct OozeOwnedSurface {
    OozeSurface surface;
    OozeSurfaceMesh mesh;
    float *normals, *velocities, *colors;
    uint16_t *materials;
    OozeSurfaceField *fields;
} OozeOwnedSurface;

/* Refuses a field that the frame does not have. */
OozeStatus ooze_attributes_check(const OozeFrame *frame, const OozeSurfaceSettings *settings,
                                 OozeError *error);
/* Normals from the field's gradient; velocity, colour and fields blended by the particles' parts of
   the field. Fills owned->surface from the mesh. */
OozeStatus ooze_attributes_fill(OozeOwnedSurface *owned, const OozeCloud *cloud,
                                const OozeSurfaceSettings *settings, OozeThreads *threads,
                                OozeError *error);

#endif
