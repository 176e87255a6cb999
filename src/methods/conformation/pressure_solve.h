/* Pressure on a grid (solvers/pressure_grid.h), solved together with the velocities of `lodge`:

     K u + Dc^T q = rho u*,   Dc u + flux of walls = 0,   q = dt p - dt p_old

   The pressure of the last step acts as a plain force, which is part of u*; the solve finds its
   change. K is the operator of lodge.c. */
#ifndef OOZE_METHODS_CONFORMATION_PRESSURE_SOLVE_H
#define OOZE_METHODS_CONFORMATION_PRESSURE_SOLVE_H

#include "methods/conformation/lodge.h"
#include "solvers/pressure_grid.h"

typedef struct OozeGridPressure {
    OozePressureGrid grid;
    float *old;         /* per node: dt p of the last step */
    float *change;      /* per node: q */
    float *compliance;  /* per node: of viscous stress, in S^-1 */
    OozeF32x4 *applied; /* per particle: velocity that the old pressure adds */
    uint32_t *root;     /* per particle: of its component */
    struct OozePressureNet *net;
    OozeF32x4 *force;                  /* per particle */
    float *reached;                    /* per particle: 1: the grid holds it */
    struct OozePressureKrylov *krylov; /* vectors of the solve */
} OozeGridPressure;

/* Builds the grid and adds the push of the last step's pressure to u. Nothing without
   `pressure: grid`; the next ones need it. */
OozeStatus ooze_grid_pressure_begin(OozeConformationStep *step, OozeError *error);
/* Iterations of a pass, from step->u and the change so far. */
OozeStatus ooze_grid_pressure_solve(OozeLodge *solve, int pass, OozeError *error);
/* For the forces of contacts: adds Dc^T q to ap, and finds pressures at the particles. Nothing
   without a grid. */
void ooze_grid_pressure_add_force(OozeLodge *solve);
/* Then, the push of the pressure of particle i on a solid: friction bears on it, and a contact pulls
   only where it pulls more than pressure pushes. */
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
/* u* += sign times what the old pressure has added, which moves no component as a whole. */
void ooze_grid_pressure_leave_out(OozeLodge *solve, float sign);
/* u = velocities of the last step, with those of contacts. */
void ooze_grid_pressure_last(OozeLodge *solve, OozeF32x4 *u);
/* Before the first pass: keeps of the old pressure what balances weight and stress. */
void ooze_grid_pressure_weigh(OozeLodge *solve);
/* Position-only shifts that do not change the volumes of the grid: step->drift without the part that
   does, and with one that repairs volumes. */
OozeStatus ooze_grid_pressure_repair(OozeConformationStep *step, OozeError *error);
/* Stores the pressure for the next step, at particles moved by `travel`. */
void ooze_grid_pressure_store(OozeConformationStep *step);

#endif
