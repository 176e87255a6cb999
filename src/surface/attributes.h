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
/* Reserves the arrays of the attributes of a mesh. */
OozeStatus ooze_attributes_reserve(OozeOwnedSurface *owned, const OozeFrame *frame,
                                   const OozeSurfaceSettings *settings, OozeError *error);
/* Linear, red, green or blue; grey for a material that the frame does not describe. */
static inline float ooze_material_color(const OozeFrame *frame, int material, int channel)
{
    return material < frame->material_count ? frame->materials[material].color[channel] : 0.8f;
}
/* Normals from the triangles, or from the field's gradient where the mesh was not smoothed;
   velocity, colour and fields averaged over the particles, weighted by their distance. */
OozeStatus ooze_attributes_fill(OozeOwnedSurface *owned, const OozeCloud *cloud,
                                const OozeSurfaceSettings *settings, OozeThreads *threads,
                                OozeError *error);

#endif
