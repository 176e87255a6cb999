/* Ooze: surface reconstruction, the fluid of a frame as a closed triangle mesh. */
#ifndef OOZE_SURFACE_H
#define OOZE_SURFACE_H

#include "ooze/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum OozeSurfaceMethod {
    OOZE_SURFACE_ANISOTROPIC, /* kernels stretched along the surface: flat sheets, sharp threads */
    OOZE_SURFACE_ISOTROPIC,   /* round kernels of equal size */
    OOZE_SURFACE_CLAVET,      /* square root of the sum of squared weights (Clavet et al. 2005) */
    OOZE_SURFACE_METHOD_COUNT
} OozeSurfaceMethod;

/* "anisotropic", ...; NULL past the last. */
OOZE_API const char *ooze_surface_method_name(OozeSurfaceMethod method);

typedef struct OozeSurfaceSettings {
    OozeSurfaceMethod method;
    double cell;        /* edge of a grid cell, in particle spacings */
    double smoothing;   /* share of Laplacian smoothing of the particles' centres, 0 to 1 */
    int mesh_smoothing; /* passes of the filter that removes ripples of the particle spacing */
    double decimation;  /* share of the triangles to keep, 0 to 1; 1: all */
    uint64_t memory;    /* limit in bytes; the error of a reconstruction above it states its need */
    const char *const *fields; /* names of particle fields to interpolate at the vertices */
    int field_count;
    /* With the GPU, frames of several materials, decimated surfaces and grids above the limit are
       left to the processor. Meshes of different devices are close, but not bitwise equal. */
    OozeDevice device;
} OozeSurfaceSettings;
OOZE_API OozeSurfaceSettings ooze_surface_default(void);

/* A particle field interpolated at the vertices: `components` floats per vertex. */
typedef struct OozeSurfaceField {
    const char *name, *unit;
    int components;
    const float *values;
} OozeSurfaceField;

/* A closed 2-manifold; triangles are counter-clockwise seen from outside. The surface of a frame
   without particles is empty. */
typedef struct OozeSurface {
    uint64_t vertex_count, triangle_count;
    const float *positions;             /* 3 per vertex, m */
    const float *normals;               /* 3 per vertex, unit vectors, outwards */
    const float *velocities;            /* 3 per vertex, m/s */
    const float *colors;                /* 3 per vertex, linear RGB */
    const uint16_t *materials;          /* per vertex: index of the material there */
    const uint32_t *triangles;          /* 3 vertex indices per triangle */
    const uint16_t *triangle_materials; /* per triangle: index of the material behind it */
    /* Where materials touch: triangles between two of them, which share the vertices of the lines
       where they end on the surface. The triangles of a material and its sides of the interfaces
       enclose it without gaps, and no two materials overlap. None with decimation. The arrays of
       vertices hold interface_vertex_count more vertices after the first vertex_count. */
    uint64_t interface_vertex_count, interface_count;
    const uint32_t *interfaces;          /* 3 vertex indices per triangle */
    const uint16_t *interface_materials; /* 2 per triangle: behind it and in front of it */
    int field_count;
    const OozeSurfaceField *fields; /* in the order of the settings */
    double volume;                  /* m3, enclosed */
    double area;                    /* m2 */
} OozeSurface;

/* `threads` 0: one per core. The mesh does not depend on the number of threads. */
OOZE_API OozeStatus ooze_surface_build(const OozeFrame *frame, const OozeSurfaceSettings *settings,
                                       int threads, OozeSurface **surface, OozeError *error);
OOZE_API void ooze_surface_free(OozeSurface *surface);

#ifdef __cplusplus
}
#endif
#endif
