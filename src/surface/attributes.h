/* Attributes of the vertices besides their positions. */
#ifndef OOZE_SURFACE_ATTRIBUTES_H
#define OOZE_SURFACE_ATTRIBUTES_H

#include "surface/march.h"

/* A surface with its memory; `surface` is the first member, so that its address is that of the
   whole. */
typedef struct OozeOwnedSurface {
    OozeSurface surface;
    OozeSurfaceMesh mesh;
    float *normals, *velocities, *colors;
    uint16_t *materials, *triangle_materials, *interface_materials;
    OozeSurfaceField *fields;
} OozeOwnedSurface;

/* Fails where the frame lacks a field of the settings. */
OozeStatus ooze_attributes_check(const OozeFrame *frame, const OozeSurfaceSettings *settings,
                                 OozeError *error);
/* Normals from the triangles, or from the field's gradient where the mesh was not smoothed;
   velocity, colour and fields averaged over the particles, weighted by their distance. */
OozeStatus ooze_attributes_fill(OozeOwnedSurface *owned, const OozeCloud *cloud,
                                const OozeSurfaceSettings *settings, OozeThreads *threads,
                                OozeError *error);

#endif
