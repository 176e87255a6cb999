/* Rigid bodies of unknown velocity in the pressure grid. Node values of pressure act on the region
   of a body as on fluid: the rate of the volume that node a holds gains the integral of
   grad N_a . (V + w x arm) over the body, a row W_a of six numbers. W^T p is the opposite of the
   force and moment of the pressure p on the body, so that buoyancy and added mass are in it. */
#ifndef OOZE_SOLVERS_PRESSURE_PRESSURE_BODIES_H
#define OOZE_SOLVERS_PRESSURE_PRESSURE_BODIES_H

#include "base/vec3.h"
#include "ooze/status.h"
#include "solvers/contact/twist.h"

/* Bodies in the hat function of a node. Further ones count as moving walls. */
enum { OOZE_PRESSURE_SLOTS = 4 };

typedef struct OozePressureSlot {
    int body; /* -1: none */
    OozeTwist row;
} OozePressureSlot;

/* A node of the lattice that the grid lacks, because no particle is in the cells around it. Its hat
   function may reach the surface of a body all the same. */
typedef struct OozePressureMissing {
    uint64_t number; /* in the lattice */
    OozeVec3 x, normal;
    OozePressureSlot slot[OOZE_PRESSURE_SLOTS];
} OozePressureMissing;

/* Rows of the unknowns, ascending. */
typedef struct OozePressureBodies {
    OozePressureSlot *slot; /* OOZE_PRESSURE_SLOTS per node; NULL: no bodies */
    float *wet;             /* per node: see ooze_pressure_wetted */
    OozePressureMissing *missing;
    uint64_t missing_count;
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
/* Adds a weighted row to the slots of a node. False: they are full. */
bool ooze_pressure_bodies_add_row(struct OozePressureGrid *grid, uint64_t node, int body,
                                  double weight, const OozeTwist *row);
bool ooze_pressure_bodies_at(const struct OozePressureGrid *grid, uint64_t node);
/* The node is wet by this share: scales its slots. */
void ooze_pressure_bodies_wet(const struct OozePressureGrid *grid, uint64_t node, float wet);
/* The missing nodes beside nodes with bodies, without their slots and normals. */
OozeStatus ooze_pressure_bodies_find_missing(struct OozePressureGrid *grid, OozeError *error);
/* Pressure at missing nodes, and at nodes that E leaves out, is linear along the normal of the
   body: moves their slots to the nodes that it follows. `normal`: per node. */
void ooze_pressure_bodies_extend(struct OozePressureGrid *grid, const OozeVec3 *normal);
/* Rows of the unknowns, once E and idle nodes are known. */
OozeStatus ooze_pressure_bodies_find_rows(struct OozePressureGrid *grid, OozeError *error);

/* rate += W motion; where the fluid is closed, without its mean. */
void ooze_pressure_bodies_rate(struct OozePressureGrid *grid, const OozeTwist *motion, float *rate);
/* force = W^T p, per body. */
void ooze_pressure_bodies_force(const struct OozePressureGrid *grid, const float *p,
                                OozeTwist *force);

#endif
