/* Pressure on a grid (solvers/pressure_grid.h), solved together with the velocities of `lodge`:

     K u + Dc^T q = rho u*,   Dc u + flux of walls = 0,   q = dt (p - p_known)

   The known pressure balances weight. It acts as a plain force, which is part of u*: fluid at rest
   stays exactly at rest, because this force cancels the weight of every particle. The solve finds
   q, the rest of the pressure: that of inertia, viscosity and elasticity. Its force is the
   transpose of the constraint, so that it does no work. K is the operator of lodge.c. */
#ifndef OOZE_METHODS_CONFORMATION_PRESSURE_SOLVE_H
#define OOZE_METHODS_CONFORMATION_PRESSURE_SOLVE_H

#include "methods/conformation/lodge.h"
#include "solvers/pressure_grid.h"

/* Per dynamic solid; see grid_pressure_solids.h. */
typedef struct OozeGridSolids {
    OozeTwist *kick;    /* velocity by the forces that are known before the solve */
    OozeTwist *applied; /* velocity by the known pressure */
    OozeTwist *work;
} OozeGridSolids;

typedef struct OozeGridPressure {
    OozePressureGrid grid;
    float *known;       /* per node: dt p_known */
    float *change;      /* per node: q */
    float *guess;       /* per node: q of the last step */
    float *compliance;  /* per node: of viscous stress, in S^-1 */
    float *turned;      /* per node: volume by which finite rotation would expand it */
    OozeF32x4 *applied; /* per particle: velocity that the known pressure adds */
    uint32_t *root;     /* per particle: of its component */
    struct OozePressureNet *net;
    OozeF32x4 *force;                  /* per particle */
    float *reached;                    /* per particle: 1: the grid holds it */
    float *walled;                     /* per particle: 1: walls act on it by pressure */
    struct OozePressureKrylov *krylov; /* vectors of the solve */
    OozeGridSolids solids;
} OozeGridPressure;

/* Builds the grid and finds the known pressure, from the velocities that step->u has gained so far.
   Nothing without `pressure: grid`; the next ones need it. */
OozeStatus ooze_grid_pressure_begin(OozeConformationStep *step, OozeError *error);
/* Iterations of a pass, from step->u and the change so far. */
OozeStatus ooze_grid_pressure_solve(OozeLodge *solve, int pass, OozeError *error);
/* For the forces of contacts: adds Dc^T q to ap, and finds pressures at the particles. Nothing
   without a grid. */
void ooze_grid_pressure_add_force(OozeLodge *solve);
/* Then, the push of the pressure of particle i on a solid: friction bears on it, and a contact
   pulls only where it pulls more than pressure pushes. */
static inline OozeF32x4 ooze_grid_pressure_push(const OozeConformationStep *s, uint64_t i,
                                                OozeContactSet *set)
{
    OozeF32x4 push = {0};
    for (int k = 0; s->grid_pressure && k < set->normals; k++) {
        const float *d = ooze_contact_lanes(set, k);
        float size = ooze_max(0.0f, s->grid_pressure->force[i][3]) / (float)s->context->spacing;
        push += size * ooze_f32x4(d[0], d[1], d[2], 0);
    }
    return push;
}
/* After a pass: walls let go where the pressure on them is negative, as contacts do. */
void ooze_grid_pressure_release(OozeLodge *solve);
/* u* += sign times what the known pressure has added, which moves no component as a whole. */
void ooze_grid_pressure_leave_out(OozeLodge *solve, float sign);
/* u = velocities of the last step, with those of contacts. */
void ooze_grid_pressure_last(OozeLodge *solve, OozeF32x4 *u);
/* Position-only shifts that do not change the volumes of the grid: step->drift without the part
   that does, and with one that repairs volumes. */
OozeStatus ooze_grid_pressure_repair(OozeConformationStep *step, OozeError *error);
/* Stores the pressure for the next step, at particles moved by `travel`. */
void ooze_grid_pressure_store(OozeConformationStep *step);

#endif
