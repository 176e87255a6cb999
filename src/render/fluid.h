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

/* Fails where a position is not finite. */
OozeStatus ooze_fluid_check(const OozeFrame *frame, OozeError *error);

/* Radius, in spacings, of a sphere with the volume of a particle. */
#define OOZE_PARTICLE_RADIUS 0.62

/* BSDFs of the frame's materials begin at `first_bsdf`. */
OozeStatus ooze_fluid_add_spheres(const OozeFrame *frame, const OozeColorField *color_field,
                                  int first_bsdf, OozeRayScene *ray_scene, OozeError *error);

/* How the surface is made and coloured. */
typedef struct OozeFluidSurface {
    const OozeSurfaceSettings *settings;
    const OozeColorField *color_field;
    const OozeSolidMeshes *solids; /* the surface is fitted to the containers among them */
    int threads;
    int first_bsdf;
} OozeFluidSurface;

OozeStatus ooze_fluid_add_surface(const OozeFrame *frame, const OozeFluidSurface *how,
                                  OozeRayScene *ray_scene, OozeError *error);

#endif
