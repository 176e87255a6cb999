/* Pressure on a background grid on the device: see solvers/pressure/pressure_grid.h. Without
   bodies of unknown velocity. */
#ifndef OOZE_CUDA_PRESSURE_GRID_CUH
#define OOZE_CUDA_PRESSURE_GRID_CUH

#include "cuda/grid_multigrid.cuh"
#include "cuda/solids.cuh"

extern "C" {
#include "solvers/pressure/pressure_rows_formula.h"
}

namespace ooze
{

/* See OozePressureGridInput; arrays of the device. */
struct PressureGridInput {
    uint64_t n;
    const float4 *x;
    double spacing, dt;
    const OozePeriodic *periodic;
    const float *inverse_mass;
    SolidsView solids;
};

/* Memory that is kept from step to step. */
struct PressureMemory {
    GridMultigrid multigrid;
    DeviceBuffer entries; /* of the extension */
};
void pressure_memory_free(Gpu *gpu, PressureMemory *memory);

/* Further arrays are in scratch memory. */
struct PressureGrid {
    OozePressureView view; /* captured by loop bodies */
    PressureMemory *memory;
    GridMultigrid *multigrid;
    uint32_t n, nodes, cells;
    bool closed; /* no node is beyond a surface: constant pressure has no meaning */
    double unknowns;
    Sum1 *mean; /* device */
};

/* Waits for the sizes of the grids and of the extension, and for the number of unknowns. */
OozeStatus pressure_grid_build(Gpu *gpu, PressureGrid *grid, PressureMemory *memory,
                               const PressureGridInput &input, OozeError *error);

/* Of pressure_grid_build: shares of walls in the sums of nodes, nodes inside walls, and normals of
   the nearest wall, per node. Waits for the number of nodes near walls. */
void pressure_walls(Gpu *gpu, const PressureGrid *grid, const PressureGridInput &input,
                    OozeVec3 *normal);

/* The functions of pressure_grid.h and pressure_rows.h; pressure_release_walls alone waits. */
void pressure_find_diagonal(Gpu *gpu, const PressureGrid *grid);
void pressure_find_rows(Gpu *gpu, const PressureGrid *grid);
bool pressure_release_walls(Gpu *gpu, const PressureGrid *grid, const float *p);
void pressure_walled(Gpu *gpu, const PressureGrid *grid, float *walled);
void pressure_rate(Gpu *gpu, const PressureGrid *grid, const float4 *u, bool exact, float *rate);
void pressure_force(Gpu *gpu, const PressureGrid *grid, const float *p, bool exact, float4 *force);
void pressure_centre(Gpu *gpu, const PressureGrid *grid, float *p);
void pressure_precondition(Gpu *gpu, const PressureGrid *grid, const float *r, float *z);
void pressure_to_particles(Gpu *gpu, const PressureGrid *grid, const float *p, float4 *values);
void pressure_from_particles(Gpu *gpu, const PressureGrid *grid, const float4 *values, float *p);
void pressure_collect(Gpu *gpu, const PressureGrid *grid, const float4 *values, float *sum);
void pressure_reaches(Gpu *gpu, const PressureGrid *grid, float *reached);

} // namespace ooze

#endif
