/* Pressure on a grid (solvers/pressure/pressure_grid.h), solved together with the velocities of
   `lodge`:

     K u + Dc^T q = rho u*,   Dc u + flux of walls = 0,   q = dt (p - p_known)

   The known pressure balances weight. It acts as a plain force, which is part of u*: fluid at rest
   stays exactly at rest, because this force cancels the weight of every particle. The solve finds
   q, the rest of the pressure: that of inertia, viscosity and elasticity. Its force is the
   transpose of the constraint, so that it does no work. K is the operator of lodge.c.

   The functions here are those of the processor: they fill the loops of pressure_loops.h and call
   the solve. */
#ifndef OOZE_METHODS_CONFORMATION_PRESSURE_SOLVE_H
#define OOZE_METHODS_CONFORMATION_PRESSURE_SOLVE_H

#include "methods/conformation/cpu/lodge.h"
#include "methods/conformation/grid_pressure_formula.h"
#include "methods/conformation/pressure_loops.h"
#include "solvers/pressure/pressure_grid.h"

/* Per dynamic solid; see grid_pressure_solids.h. */
typedef struct OozeGridSolids {
    OozeTwist *kick;    /* velocity by the forces that are known before the solve */
    OozeTwist *applied; /* velocity by the known pressure */
    OozeTwist *work;
} OozeGridSolids;

typedef struct OozeGridPressure {
    OozePressureSolve solve;
    OozePressureGrid grid;
    OozeConformationStep *step;
    OozeLodge *lodge;   /* in the velocity solve */
    OozeF32x4 *applied; /* per particle: velocity that the known pressure adds */
    uint32_t *root;     /* per particle: of its component */
    double *net;        /* OOZE_PRESSURE_NET numbers a component, at its root */
    OozeF32x4 *force;   /* per particle */
    float *reached;     /* per particle: 1: the grid holds it */
    float *walled;      /* per particle: 1: walls act on it by pressure */
    double slots[OOZE_PRESSURE_SLOTS_OF_DOTS]; /* of the loops */
    OozeArenaMark mark;
    OozeGridSolids solids;
} OozeGridPressure;

/* Builds the grid and finds the known pressure, from the velocities that step->u has gained so far.
   Nothing without `pressure: grid`; the next ones need it. */
OozeStatus ooze_grid_pressure_begin(OozeConformationStep *step, OozeError *error);
/* Iterations of a pass, from step->u and the change so far. */
OozeStatus ooze_grid_pressure_solve(OozeLodge *solve, OozeError *error);
/* Adds Dc^T q to ap for the forces of contacts, and finds the pressure at the particles. Nothing
   without a grid. */
void ooze_grid_pressure_add_force(OozeLodge *solve);
/* After a pass: walls let go where the pressure on them is negative, as contacts do. */
void ooze_grid_pressure_release(OozeLodge *solve);
/* u* += sign times what the known pressure has added, which moves no component as a whole. */
void ooze_grid_pressure_leave_out(OozeLodge *solve, float sign);
/* Position-only shifts that do not change the volumes of the grid: step->drift without the part
   that does, and with one that repairs volumes. */
OozeStatus ooze_grid_pressure_repair(OozeConformationStep *step, OozeError *error);
/* Stores the pressure for the next step, at particles moved by `travel`. */
void ooze_grid_pressure_store(OozeConformationStep *step);

#endif
