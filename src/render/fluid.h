/* The fluid of a frame on the stage: its surface, or its particles as spheres. */
#ifndef OOZE_RENDER_FLUID_H
#define OOZE_RENDER_FLUID_H

#include "ooze/render.h"
#include "ooze/surface.h"
#include "render/stage.h"

/* A number that particles carry, by which they are coloured. */
typedef struct OozeTint {
    const char *field; /* NULL: none */
    double low, high;
} OozeTint;

/* Fills in which particle field a name means; unknown names are refused with the nearest one. */
OozeStatus ooze_tint_check(const OozeFrame *frame, const char *name, OozeError *error);
/* The field that holds it: "speed" is the magnitude of "velocity". */
const OozeFieldView *ooze_tint_field(const OozeFrame *frame, const char *name);
/* The number of particle i: the value of a scalar, the magnitude of a vector or symmetric tensor. */
double ooze_tint_value(const OozeFieldView *field, uint64_t i);
double ooze_tint_magnitude(const float *values, int components);
OozeF3 ooze_tint_color(const OozeTint *tint, double value);

/* Positions that are not numbers are refused. */
OozeStatus ooze_fluid_check(const OozeFrame *frame, OozeError *error);

/* Radius of a sphere of a particle's volume, in spacings. */
#define OOZE_PARTICLE_RADIUS 0.62

/* Skins of the frame's materials begin at `first_skin`. */
OozeStatus ooze_fluid_place_spheres(const OozeFrame *frame, const OozeTint *tint, int first_skin,
                                    OozeStage *stage, OozeError *error);
OozeStatus ooze_fluid_place_surface(const OozeFrame *frame, const OozeSurfaceSettings *how,
                                    const OozeTint *tint, int threads, int first_skin,
                                    OozeStage *stage, OozeError *error);

#endif
