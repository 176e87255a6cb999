/* The measuring cell of the virtual rheometer: a small world whose outer layers are driven. The
   caller gives the rate of deformation of each step. Stress is measured twice: as reported by the
   method, and from the momentum that the driven layers receive. */
#ifndef OOZE_RHEOMETER_CELL_H
#define OOZE_RHEOMETER_CELL_H

#include "ooze/world.h"

/* A material and the settings of its simulation. */
typedef struct OozeSample {
    const char *method;
    const double *params; /* of the method, in the order of its table; NaN or NULL: default */
    const OozeMaterialDef *material;
    double spacing, support_ratio, time_step;
    double jitter; /* width of the random displacement of each coordinate, in spacings */
    bool diagonal; /* the lattice is rotated by 45 degrees in the plane of shear */
    /* Called by any thread after each cell that was run; NULL: not called. */
    void (*finished)(void *user);
    void *user;
} OozeSample;

typedef enum OozeCellKind {
    /* Simple shear, velocity along x, gradient along y, periodic along x and z. The lower and upper
       layers follow the affine motion. Particles between them are free and get the affine change
       of velocity, so that inertia does not affect the stress even at low viscosity. */
    OOZE_CELL_SHEAR,
    /* Simple shear between two plates: only the plates are driven. */
    OOZE_CELL_PLATES,
    /* Uniaxial extension along x: the outer layers follow the affine motion, the core is free. */
    OOZE_CELL_STRETCH
} OozeCellKind;

/* Width of the gap between the driven layers, in spacings. */
enum { OOZE_CELL_GAP = 8, OOZE_PLATES_GAP = 20 };

typedef struct OozeCellReading {
    double time;       /* s, at the end of the step */
    double strain;     /* at the end of the step; Hencky strain in extension */
    double rate;       /* 1/s, prescribed */
    double local_rate; /* 1/s, in the middle of the sample, fitted to the velocities */
    /* Pa: shear stress, or in extension the axial minus the mean transverse stress. `reported` by
       the method, NaN where it reports none; `momentum`: from the momentum of the driven layers,
       NaN in extension. */
    double reported, momentum;
    double normal; /* Pa: first normal stress difference, as reported */
} OozeCellReading;

typedef struct OozeCell OozeCell;

/* `hencky_max`: the largest strain of an extension, which determines the initial length. */
OozeStatus ooze_cell_create(const OozeSample *sample, OozeCellKind kind, double hencky_max,
                            OozeCell **cell, OozeError *error);
void ooze_cell_destroy(OozeCell *cell);

/* Takes one step at this rate. */
OozeStatus ooze_cell_step(OozeCell *cell, double rate, OozeCellReading *reading, OozeError *error);

#endif
