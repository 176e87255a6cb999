/* Forces with their torques, or momenta with their moments, in sums over particles. */
#ifndef OOZE_CUDA_TWIST_SUM_CUH
#define OOZE_CUDA_TWIST_SUM_CUH

#include "cuda/gpu.cuh"
#include "solvers/contact/twist.h"

namespace ooze
{

struct TwistSum {
    OozeTwist all;
    __device__ void operator+=(const TwistSum &o) { ooze_twist_add(&all, 1.0, &o.all); }
};

} // namespace ooze

#endif
