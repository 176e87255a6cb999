/* A sample of a material in the virtual rheometer: a small world whose edges are driven, deformed
   at a rate that the caller gives for each step, and measured twice: by what the method says of
   its stress, and by momentum alone. */
#ifndef OOZE_RHEOMETER_CELL_H
#define OOZE_RHEOMETER_CELL_H

#include "ooze/world.h"

/* What is measured, and as what it is simulated. */
typedef struct OozeSample {
    const char *method;
    const double *params; /* of the method, in the order of its table; NaN, or NULL: as it comes */
    const OozeMaterialDef *material;
    double spacing, support_ratio, time_step;
    double jitter; /* each coordinate begins within +- half of this about its place, in spacings */
    bool diagonal; /* the lattice is turned by 45 degrees in the plane of shear */
} OozeSample;

typedef enum OozeCellKind {
    /* Simple shear, x along y, periodic along x and z. The layers below and above move as the
       affine map says; what is between is free, and gets the acceleration of the flow as it has
       no gradient to push it: no inertia is measured, however thin the fluid. */
    OOZE_CELL_SHEAR,
    /* The same between two plates: only they are driven, and the fluid has to be dragged along. */
    OOZE_CELL_PLATES,
    /* Uniaxial stretch along x: the skin of the sample moves as the affine map says, what is inside
       is free. */
    OOZE_CELL_STRETCH
} OozeCellKind;

/* Free layers between the driven ones, in spacings. */
enum { OOZE_CELL_GAP = 8, OOZE_PLATES_GAP = 20 };

typedef struct OozeCellReading {
    double time;   /* s, at the end of the step */
    double strain; /* at the end of the step; Hencky's of a stretch */
    double rate;   /* of the step, asked for */
    double local;  /* the same in the middle of the sample, from velocities alone */
    /* Shear stress, or in a stretch the pull less the mean across it, Pa; told is NaN where the
       method tells no stress, and momentum in a stretch, whose skin presses on itself. */
    double told, momentum;
    double normal; /* first normal stress difference, Pa, told */
} OozeCellReading;

typedef struct OozeCell OozeCell;

/* `longest` is Hencky's strain that a stretch will reach: the sample begins as short as it needs to
   be. */
OozeStatus ooze_cell_create(const OozeSample *sample, OozeCellKind kind, double longest,
                            OozeCell **cell, OozeError *error);
void ooze_cell_destroy(OozeCell *cell);

/* One step at that rate. */
OozeStatus ooze_cell_step(OozeCell *cell, double rate, OozeCellReading *reading, OozeError *error);

#endif
