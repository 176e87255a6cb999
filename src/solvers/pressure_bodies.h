/* Rigid bodies of unknown velocity in the pressure grid. Node values of pressure act on the region
   of a body as on fluid: the rate of the volume that node a holds gains the integral of
   grad N_a . (V + w x arm) over the body, a row W_a of six numbers. W^T p is the opposite of the
   force and moment of the pressure p on the body, so that buoyancy and added mass are in it. */
#ifndef OOZE_SOLVERS_PRESSURE_BODIES_H
#define OOZE_SOLVERS_PRESSURE_BODIES_H

#include "base/vec3.h"
#include "ooze/status.h"
#include "solvers/twist.h"

/* Bodies in the hat function of a node. Further ones count as moving walls. */
enum { OOZE_PRESSURE_SLOTS = 4 };

typedef struct OozePressureSlot {
    int body; /* -1: none */
    OozeTwist row;
} OozePressureSlot;

/* Rows of the unknowns, ascending. */
typedef struct OozePressureBodies {
    OozePressureSlot *slot; /* OOZE_PRESSURE_SLOTS per node; NULL: no bodies */
    uint64_t count;
    uint32_t *unknown;
    int *body;
    OozeTwist *row;
} OozePressureBodies;

struct OozePressureGrid;

/* Empty slots; nothing without bodies. */
OozeStatus ooze_pressure_bodies_begin(struct OozePressureGrid *grid, OozeError *error);
/* Adds a part of a body to the slots of a node: `gradient` of its hat function times the volume of
   the part. False: they are full. */
bool ooze_pressure_bodies_add(OozePressureSlot *slots, int body, OozeVec3 gradient, OozeVec3 arm);
bool ooze_pressure_bodies_at(const struct OozePressureGrid *grid, uint64_t node);
void ooze_pressure_bodies_scale(const struct OozePressureGrid *grid, uint64_t node, double factor);
/* Rows of the unknowns, once E and idle nodes are known. */
OozeStatus ooze_pressure_bodies_find_rows(struct OozePressureGrid *grid, OozeError *error);

/* rate += W motion; where the fluid is closed, without its mean. */
void ooze_pressure_bodies_rate(struct OozePressureGrid *grid, const OozeTwist *motion, float *rate);
/* force = W^T p, per body. */
void ooze_pressure_bodies_force(const struct OozePressureGrid *grid, const float *p,
                                OozeTwist *force);

#endif
