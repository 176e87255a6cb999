/* Filling a shape with particles. */
#ifndef OOZE_SOLIDS_FILL_H
#define OOZE_SOLIDS_FILL_H

#include "base/threads.h"
#include "ooze/world.h"
#include "solids/shape.h"

typedef struct OozeFillRequest {
    const OozeShape *shape;
    OozePose pose; /* placement; velocity and spin ignored */
    OozeFill fill;
    double spacing;
    double jitter; /* fraction of the spacing */
    uint64_t seed;
    uint64_t limit;       /* more particles than this are an error */
    OozeThreads *threads; /* NULL: the calling thread; the result is the same */
} OozeFillRequest;

/* World positions, deterministic; free with ooze_free. An empty result is not an error here.

   Lattice points are at least half a spacing inside the surface (within rounding), so that a fluid
   touches a wall of its own shape without being pushed: a box whose edges are multiples of the
   spacing gives exactly edge/spacing points per axis, but along a curved surface the lattice leaves
   steps empty, and N spacing^3 is less than the volume (of a ball of 5 spacings' radius by 31 %, of
   20 by 8 %). FITTED relaxes N = round(volume / spacing^3) points until the outer layer follows the
   surface evenly at half a spacing. */
OozeStatus ooze_fill(const OozeFillRequest *request, uint64_t *count, OozeVec3 **positions,
                     OozeError *error);

/* Number of particles that a fill would give, without filling: exact for a lattice in a box, within
   some per cent for other shapes. */
OozeStatus ooze_fill_count(const OozeFillRequest *request, double *count, OozeError *error);

/* The spacing, rounded up to two digits, at which a fill that wants `wanted` particles at `spacing`
   needs `possible` ones. */
double ooze_fill_fitting_spacing(double spacing, double wanted, double possible);

#endif
