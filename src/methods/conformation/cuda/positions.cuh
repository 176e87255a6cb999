/* Positions at the end of a step on the GPU: see methods/conformation/stages.h. */
#ifndef OOZE_METHODS_CONFORMATION_CUDA_POSITIONS_CUH
#define OOZE_METHODS_CONFORMATION_CUDA_POSITIONS_CUH

#include "methods/conformation/cuda/lodge.cuh"

namespace ooze
{

struct Arrival {
    float square; /* of the largest distance that a particle has moved, or deviated from a straight
                     path in free flight */
    float shift2; /* square of the largest position-only shift */
    __device__ void operator+=(const Arrival &o)
    {
        square = fmaxf(square, o.square);
        shift2 = fmaxf(shift2, o.shift2);
    }
};

/* In device memory, read by the host at once. */
struct StepEnd {
    Arrival arrival;
    OozeSolveResidual residual; /* of the velocity stage */
};

OozeStatus solve_density(OozeConformationStep *step, OozeError *error);

void predict(OozeConformationStep *step);
OozeStatus arrive(OozeConformationStep *step, float *distance, OozeError *error);
void place_bodies(OozeConformationStep *step);
void store(OozeConformationStep *step);

} // namespace ooze

#endif
