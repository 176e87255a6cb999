/* The fluid of a frame in the ray scene: its surface, or its particles as spheres. */
#ifndef OOZE_RENDER_FLUID_H
#define OOZE_RENDER_FLUID_H

#include "ooze/render.h"
#include "ooze/surface.h"
#include "render/ray_scene.h"
#include "render/solid_meshes.h"

/* The particle field that colours the fluid, and the values at the ends of the colour map. */
typedef struct OozeColorField {
    const char *name; /* NULL: none */
    double low, high;
} OozeColorField;

/* Fails for an unknown name, with the nearest known one as a hint. */
OozeStatus ooze_color_field_check(const OozeFrame *frame, const char *name, OozeError *error);
/* The field of that name; "speed" is the magnitude of "velocity". */
const OozeFieldView *ooze_color_field_find(const OozeFrame *frame, const char *name);
/* Value of particle i: of a scalar, or the magnitude of a vector or symmetric tensor. */
double ooze_color_field_value(const OozeFieldView *field, uint64_t i);
double ooze_field_magnitude(const float *values, int components);
OozeF3 ooze_color_field_color(const OozeColorField *color_field, double value);

/* The temperatures, where the frame has them and one of its materials glows; NULL otherwise. */
const OozeFieldView *ooze_fluid_glow_field(const OozeFrame *frame, int first_bsdf,
                                           const OozeRayScene *ray_scene);

/* Fails where a position is not finite. */
OozeStatus ooze_fluid_check(const OozeFrame *frame, OozeError *error);

/* Radius, in spacings, of a sphere with the volume of a particle. */
#define OOZE_PARTICLE_RADIUS 0.62

/* Positions at the two ends of the time that the shutter is open, of `count` points that move
   evenly; 3 floats each. The caller frees them; NULL: out of memory. */
float *ooze_fluid_moving_points(const float *positions, const float *velocities, uint64_t count,
                                double open_time);

/* How the fluid is drawn. */
typedef struct OozeFluidDrawing {
    const OozeSurfaceSettings *settings; /* of the surface */
    const OozeColorField *color_field;
    const OozeSolidMeshes *solids; /* the surface is fitted to the containers among them */
    int threads;
    int first_bsdf;   /* of the frame's first material */
    double open_time; /* s, that the shutter is open: moving fluid is blurred */
} OozeFluidDrawing;

OozeStatus ooze_fluid_add_spheres(const OozeFrame *frame, const OozeFluidDrawing *how,
                                  OozeRayScene *ray_scene, OozeError *error);
OozeStatus ooze_fluid_add_surface(const OozeFrame *frame, const OozeFluidDrawing *how,
                                  OozeRayScene *ray_scene, OozeError *error);

#endif
