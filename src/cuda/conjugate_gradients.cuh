/* Preconditioned conjugate gradients on the device: see
   solvers/linear/conjugate_gradients_formula.h. The scalars are in device memory, and every loop
   returns at once when the flag `off` is set, so that no iteration waits for the host. */
#ifndef OOZE_CUDA_CONJUGATE_GRADIENTS_CUH
#define OOZE_CUDA_CONJUGATE_GRADIENTS_CUH

#include "cuda/engine.cuh"

namespace ooze
{

/* Iterations between two checks by the host. */
enum { CG_BATCH = 4 };

/* ---- called with sums over the unknowns ---- */

/* r.z at the start. */
struct CgBegin {
    OozeConjugateGradients *cg;
    double tolerance;
    __device__ void operator()(Sum1 rz) const { ooze_cg_begin(cg, rz.a, rz.a, tolerance); }
};

/* p.Ap, z.Ap and Ap.M^-1 Ap after a product. In an iteration they give the step length and,
   since the last two predict r.z, the next direction, so that one loop advances and updates. */
struct CgMeasure {
    OozeConjugateGradients *cg;
    const int32_t *off;
    bool iteration;
    __device__ void operator()(Sum3 sum) const
    {
        if (!*off && iteration) {
            ooze_cg_step_length(cg, sum.a);
            ooze_cg_predict(cg, sum.b, sum.c);
        } else if (!*off) {
            cg->pap = sum.a;
        }
    }
};

/* r.z after an advance. */
struct CgAdvance {
    OozeConjugateGradients *cg;
    const int32_t *off;
    bool iteration; /* or along an initial guess */
    __device__ void operator()(Sum1 rz) const
    {
        if (!*off && iteration) {
            ooze_cg_advanced(cg, rz.a, rz.a);
        } else if (!*off) {
            cg->rz = rz.a;
            cg->fresh = 1;
            cg->off = !ooze_solve_residual_check(&cg->residual, rz.a);
        }
    }
};

/* ---- the same without a prediction, as on the processor ---- */

/* r.z and the measure of the residual that the tolerance refers to. */
struct CgSums {
    double rz, square;
    __device__ void operator+=(const CgSums &o)
    {
        rz += o.rz;
        square += o.square;
    }
};

/* After an advance whose next direction was predicted. */
struct CgAdvanced {
    OozeConjugateGradients *cg;
    __device__ void operator()(CgSums sums) const
    {
        if (!cg->off) {
            ooze_cg_advanced(cg, sums.rz, sums.square);
        }
    }
};

/* At the start, with p = z. */
struct CgStart {
    OozeConjugateGradients *cg;
    double tolerance;
    __device__ void operator()(CgSums sums) const
    {
        cg->restarts = true;
        ooze_cg_begin(cg, sums.rz, sums.square, tolerance);
    }
};

/* p.Ap after a product. */
struct CgStepLength {
    OozeConjugateGradients *cg;
    __device__ void operator()(Sum1 pap) const
    {
        if (!cg->off) {
            ooze_cg_step_length(cg, pap.a);
        }
    }
};

/* After an advance and the preconditioner; p = z + beta p follows. */
struct CgIterated {
    OozeConjugateGradients *cg;
    __device__ void operator()(CgSums sums) const
    {
        if (!cg->off) {
            ooze_cg_iterated(cg, sums.rz, sums.square);
        }
    }
};

/* At most `iterations` calls of iterate(); the host checks after every BATCH of them whether the
   solve has ended. */
template <int BATCH = CG_BATCH, class Iterate>
void conjugate_gradients(Gpu *gpu, const OozeConjugateGradients *cg, int iterations,
                         Iterate iterate)
{
    for (int k = 0; k < iterations; k++) {
        if (k % BATCH == 0 && !poll_unfinished(gpu, k / BATCH, &cg->off)) {
            break;
        }
        iterate();
    }
}

} // namespace ooze

#endif
