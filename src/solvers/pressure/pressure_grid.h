/* Pressure on a background grid of cells of two spacings, trilinear between nodes.

   With the hat functions N_a and volumes in units of a particle's, sum_i grad N_a(x_i) . u_i is the
   exact rate of the volume that node a holds. Forces of a pressure p are -grad p at the particles:
   the same on all of them where p is linear, so that fluid at rest under its weight is an exact
   solution. A constraint that holds these rates at 0 resists translation by the noise of its sums;
   the rows of the *constraint* are changed by as little as makes them exact for rigid motions of
   fluid and walls together (ooze_pressure_row). Both operators come from the same unknowns:

     plain   (D u)_g = sum_a E_ag sum_i grad N_a(x_i) . u_i
     exact   Dc u = D u + the changes of the rows, and the flux of moving walls

   A node that fluid fills well is an unknown. E extends the unknowns: beyond the free surface to
   values that make pressure 0 on it, inside walls linearly along their normals. */
#ifndef OOZE_SOLVERS_PRESSURE_PRESSURE_GRID_H
#define OOZE_SOLVERS_PRESSURE_PRESSURE_GRID_H

#include "base/f32x4.h"
#include "base/memory.h"
#include "solids/solid.h"
#include "solvers/multigrid/grid_multigrid.h"
#include "solvers/pressure/pressure_bodies.h"
#include "solvers/pressure/pressure_rows_formula.h"

typedef struct OozePressureGridInput {
    uint64_t n;
    const OozeF32x4 *x;
    double spacing, dt;
    const OozePeriodic *periodic;
    const float *inverse_mass; /* per particle, relative; 0: its velocity is prescribed */
    const OozeSolid *solids;   /* at their poses dt later than x */
    int solid_count;
    /* Solids of unknown velocity: their numbers, -1 for others, and centres; NULL and 0: none. */
    const int *body;
    const OozeVec3 *body_centre;
    int body_count;
    OozeThreads *threads;
    OozeArena *arena;
} OozePressureGridInput;

/* Vectors of nodes have an element for each node; those of nodes that are no unknowns are 0. */
typedef struct OozePressureGrid {
    OozePressureGridInput input;
    OozeGridMultigrid *multigrid; /* its first level holds cells and nodes; preconditions */
    uint64_t nodes;
    float edge[3];
    float *fill;     /* of what walls leave */
    float *distance; /* to the surface, cells */
    float *wall;     /* share inside walls */
    uint8_t *kind;   /* OozePressureNode */
    uint8_t *idle;   /* unknowns without particles that may move, and nodes that are none */
    uint8_t *walled; /* unknowns that act on walls whose velocity is given */
    bool closed;     /* no node is beyond a surface: constant pressure has no meaning */
    double unknowns;
    /* E: its rows by node, and its columns by unknown */
    uint32_t *row_first, *row_node, *column_first, *column_node;
    float *row_weight, *column_weight;
    OozePressureSums *sums; /* per node */
    OozePressureRow *row;   /* per unknown */
    float *flux;            /* per unknown: of moving walls */
    float *diagonal;        /* per unknown: of D M^-1 D^T */
    float *weight;          /* per unknown: sum of its weights */
    float *error;           /* per unknown: volume beyond what is there, cells */
    OozePressureBodies bodies;
    /* of the loops */
    OozeF32x4 *corner[2];  /* per corner of cells */
    OozeF32x4 *node[2];    /* per node */
    float *value;          /* per node */
    uint32_t *near, *ring; /* of the build: see pressure_build_formula.h */
} OozePressureGrid;

OozeStatus ooze_pressure_grid_build(OozePressureGrid *grid, OozeGridMultigrid *multigrid,
                                    const OozePressureGridInput *input, OozeError *error);

/* rate = Dc u without the flux of walls, or D u. */
void ooze_pressure_rate(OozePressureGrid *grid, const OozeF32x4 *u, bool exact, float *rate);
/* force = Dc^T p, or D^T p: of a pressure -p, per particle. */
void ooze_pressure_force(OozePressureGrid *grid, const float *p, bool exact, OozeF32x4 *force);
/* Takes the mean out of a vector of the unknowns where the fluid is closed. */
void ooze_pressure_centre(const OozePressureGrid *grid, float *p);
/* z = (D M^-1 D^T)^-1 r, about: one cycle of multigrid. */
void ooze_pressure_precondition(OozePressureGrid *grid, const float *r, float *z);

/* Values of particles, (gradient, value), at their positions: of the pressure p of the unknowns. */
void ooze_pressure_to_particles(OozePressureGrid *grid, const float *p, OozeF32x4 *values);
/* Values of the unknowns from these: exact for linear ones. */
void ooze_pressure_from_particles(OozePressureGrid *grid, const OozeF32x4 *values, float *p);
/* Per unknown: sum over the particles of its extended hat function times their last lanes. */
void ooze_pressure_collect(OozePressureGrid *grid, const OozeF32x4 *values, float *sum);
/* Whether nodes with a pressure reach each particle: 1, else 0. */
void ooze_pressure_reaches(OozePressureGrid *grid, float *reached);

/* Walls let go of the fluid where the pressure p is negative; the rows are to be found again
   (ooze_pressure_find_rows). Returns whether any did. In closed fluid none does: its pressure has
   no zero. */
bool ooze_pressure_release_walls(OozePressureGrid *grid, const float *p);
/* Whether pressure acts between each particle and walls whose velocity is given: 1, else 0. */
void ooze_pressure_walled(OozePressureGrid *grid, float *walled);

/* Shares of walls, pressure_walls.c: fills wall, gradient, turn and flux of the sums. */
OozeStatus ooze_pressure_walls(OozePressureGrid *grid, OozeVec3 *normal, OozeError *error);

/* Position of a node. */
OozeVec3 ooze_pressure_node_position(const OozePressureGrid *grid, uint64_t node);

#endif
