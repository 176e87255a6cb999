/* Ooze: the surface of a frame's fluid as a closed triangle mesh. */
#ifndef OOZE_SURFACE_H
#define OOZE_SURFACE_H

#include "ooze/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum OozeSurfaceMethod {
    OOZE_SURFACE_ANISOTROPIC, /* kernels stretched along the surface: flat sheets, sharp threads */
    OOZE_SURFACE_ISOTROPIC,   /* round kernels of equal size */
    OOZE_SURFACE_CLAVET,      /* square root of summed squared weights */
    OOZE_SURFACE_METHOD_COUNT
} OozeSurfaceMethod;

/* "anisotropic", ...; NULL past the last. */
OOZE_API const char *ooze_surface_method_name(OozeSurfaceMethod method);

typedef struct OozeSurfaceSettings {
    OozeSurfaceMethod method;
    double cell;        /* edge of a grid cell, in particle spacings */
    double smoothing;   /* share of Laplacian smoothing of the particles' centres, 0 to 1 */
    int mesh_smoothing; /* volume-keeping smoothing passes over the finished mesh */
    double decimation;  /* share of the triangles to keep, 0 to 1; 1: all */
    uint64_t memory;    /* bytes that the reconstruction may take; more is refused with the need */
    const char *const *fields; /* names of particle fields to carry to the vertices */
    int field_count;
} OozeSurfaceSettings;
OOZE_API OozeSurfaceSettings ooze_surface_default(void);

/* A field at the vertices: `components` floats each. */
typedef struct OozeSurfaceField {
    const char *name, *unit;
    int components;
    const float *values;
} OozeSurfaceField;

/* Closed, 2-manifold, counter-clockwise seen from outside. A frame without particles has an empty
   surface. */
typedef struct OozeSurface {
    uint64_t vertex_count, triangle_count;
    const float *positions;    /* 3 a vertex, m */
    const float *normals;      /* 3 a vertex, unit, outwards */
    const float *velocities;   /* 3 a vertex, m/s */
    const float *colors;       /* 3 a vertex, linear RGB */
    const uint16_t *materials; /* of the nearest particle, index into the frame's materials */
    const uint32_t *triangles; /* 3 a triangle */
    int field_count;
    const OozeSurfaceField *fields; /* in the order asked for */
    double volume;                  /* m3 enclosed */
    double area;                    /* m2 */
} OozeSurface;

/* `threads` 0: as many as there are cores. The same mesh for any number of threads. */
OOZE_API OozeStatus ooze_surface_build(const OozeFrame *frame, const OozeSurfaceSettings *settings,
                                       int threads, OozeSurface **surface, OozeError *error);
OOZE_API void ooze_surface_free(OozeSurface *surface);

#ifdef __cplusplus
}
#endif
#endif
