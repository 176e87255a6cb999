/* Pressure on a grid in the step of the device: the loops of
   methods/conformation/pressure_loops.h. Their vectors are device memory. */
#ifndef OOZE_METHODS_CONFORMATION_CUDA_GRID_PRESSURE_CUH
#define OOZE_METHODS_CONFORMATION_CUDA_GRID_PRESSURE_CUH

#include "cuda/pressure_grid.cuh"
#include "methods/conformation/cuda/lodge_multigrid.cuh"

extern "C" {
#include "methods/conformation/grid_pressure_formula.h"
#include "methods/conformation/pressure_loops.h"
}

namespace ooze
{

struct GridPressure {
    OozePressureSolve solve;
    PressureGrid grid;
    Step *step;
    Lodge *lodge;    /* in the velocity solve */
    float4 *applied; /* per particle: velocity that the known pressure adds */
    float4 *force;
    uint32_t *root;          /* per particle: of its component */
    float *reached, *walled; /* of OozeGridPressure */
    unsigned long long *net; /* OOZE_PRESSURE_NET numbers a component, at its root */
    double *unit;            /* of these */
    double *slots;           /* device */
    int32_t *never;          /* device: a flag that is never set */
    const float4 *x;         /* positions at the end of the step */
    OozeSolveResidual residual;
    Mark mark;
};

/* Stages of the step, which do nothing without `pressure: grid`: see
   methods/conformation/pressure_solve.h. */
OozeStatus grid_pressure_begin(OozeConformationStep *step, OozeError *error);
OozeStatus grid_pressure_repair(OozeConformationStep *step, OozeError *error);
void grid_pressure_store(OozeConformationStep *step);

/* Stages of the velocity solve with `pressure: grid`. */
OozeStatus grid_pressure_solve(OozeLodge *solve, OozeError *error);
void grid_pressure_release(OozeLodge *solve);
void grid_pressure_leave_out(OozeLodge *solve, float sign);
/* For the forces of contacts: adds those of the change to ap, and leaves pressures of particles in
   the last lanes of `force`. Nothing without a grid, as the next. */
void grid_pressure_add_force(Lodge *lodge);
/* Of the components at `root`: joins fluid on which the same unknown acts. */
void grid_pressure_join(const Lodge *lodge, uint32_t *root);

/* grid_pressure.cu and pressure_solve.cu */
extern const OozePressureLoops grid_pressure_loops;
extern const OozeVelocityLoops pressure_velocity_loops;

} // namespace ooze

#endif
