/* Surfaces of the processor and of the GPU from the same particles. */
#ifndef OOZE_TESTS_DEVICE_SURFACE_CASE_H
#define OOZE_TESTS_DEVICE_SURFACE_CASE_H

#ifdef __cplusplus
extern "C" {
#endif

#include "ooze/surface.h"

typedef enum SurfaceShape {
    SURFACE_BLOCK,  /* disordered */
    SURFACE_SHEET,  /* one layer, stretched */
    SURFACE_CLUMP,  /* thousands of particles in one place, at the corner of a block */
    SURFACE_DROPS,  /* single particles and small groups, far apart: a sparse grid */
    SURFACE_LIQUIDS /* two materials side by side */
} SurfaceShape;

typedef struct SurfaceDifference {
    OozeStatus status;
    OozeError error;
    uint64_t vertices, triangles; /* of the processor */
    bool same_triangles;          /* numbers of vertices and triangles, and all corners */
    bool repeated;                /* a second surface of the GPU has the same bits */
    bool same_bits;               /* positions are those of the processor */
    /* largest differences: positions in spacings, normals as vectors, velocities and temperatures
       over the largest value, volume and area relative */
    double position, normal, velocity, temperature, volume, area;
} SurfaceDifference;

SurfaceDifference compare_surfaces(SurfaceShape shape, OozeSurfaceSettings settings,
                                   double spacing);

#ifdef __cplusplus
}
#endif
#endif
