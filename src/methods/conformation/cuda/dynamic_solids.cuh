/* Dynamic solids in a step of the conformation method: see
   methods/conformation/cpu/dynamic_solids.c. */
#ifndef OOZE_METHODS_CONFORMATION_CUDA_DYNAMIC_SOLIDS_CUH
#define OOZE_METHODS_CONFORMATION_CUDA_DYNAMIC_SOLIDS_CUH

#include "cuda/density.cuh"
#include "cuda/dynamic_solids.cuh"
#include "methods/conformation/cuda/lodge.cuh"

extern "C" {
#include "methods/conformation/solid_pushes.h"
}

namespace ooze
{

struct StepDynamic {
    DynamicSolids solids;
    DynamicView view; /* of `solids` */
    OozeVec3 *arm;    /* per sample of step->view.walls, of dynamic solids: from the centre */
    float4 *velocity; /* step->view.walls.velocity */
    DynamicList near; /* particles whose lists hold samples of dynamic solids */
};

/* All functions return at once without dynamic solids. */
OozeStatus dynamic_create(Step *step, OozeError *error);
static inline DynamicView dynamic_view(const Step *step)
{
    return step->dynamic ? step->dynamic->view : DynamicView{};
}
/* Velocities of the samples by the motion of their solid, or by its search direction. */
void dynamic_spread(Step *step, bool motion);
/* Adds their expected pushes to the motions of the solids. A sign of -1 removes them after the
   velocity solve. */
void dynamic_expect(Step *step, double sign);
/* Share of its push that particle i expects next time, by its material and the dynamic solids near
   it. */
OOZE_DEVICE float dynamic_push_share(const StepView &s, const DynamicView &v, uint32_t i)
{
    const float own = s.rheology[s.material[i]].expected_push_share;
    float share = own;
    if (v.count > 0) {
        each_wall(s, i, [&](uint32_t b) {
            const int32_t k = s.dynamic_of[b];
            share = k >= 0 ? fminf(share, ooze_solid_push_share(&s.solid_pushes[k], own)) : share;
        });
    }
    return share;
}
/* Rows of the solids in the last product, which then has its scalars. */
void dynamic_product(Lodge *solve, const Product &product);
/* Set the product aside with a direction of zero; add it to the next one. */
void dynamic_keep_product(Step *step);
void dynamic_add_product(Step *step);
/* The direction that follows that of the fluid, unless *off; or none. */
void dynamic_follow(Lodge *solve, const int32_t *off);
void dynamic_zero_direction(Step *step);
/* Places the solids for the density stage. */
OozeStatus dynamic_density(Step *step, DensityJob *job, OozeError *error);

/* ---- called with sums over the particles, see conjugate_gradients.cuh ---- */

struct DynamicStart {
    DynamicView v;
    CgBegin begin;
    __device__ void operator()(Sum1 rz) const
    {
        for (int k = 0; k < v.count; k++) {
            OozeDynamicSolid *solid = &v.solids[k];
            solid->residual = ooze_twist_apply(&v.mass[k], &solid->motion_star);
            ooze_twist_add(&solid->residual, -1.0, &solid->product);
            solid->direction = ooze_coupling_velocity_change(solid, &solid->residual);
            rz.a += ooze_twist_dot(&solid->residual, &solid->direction);
        }
        begin(rz);
    }
};

struct DynamicAdvance {
    DynamicView v;
    CgAdvance then;
    __device__ void operator()(Sum1 rz) const
    {
        if (*then.off) {
            return;
        }
        /* rounded as for the particles */
        const double alpha = (double)(float)then.cg->alpha, beta = (double)(float)then.cg->beta;
        for (int k = 0; k < v.count; k++) {
            OozeDynamicSolid *solid = &v.solids[k];
            ooze_twist_add(&solid->motion, alpha, &solid->direction);
            ooze_twist_add(&solid->residual, -alpha, &solid->product);
            OozeTwist next = ooze_coupling_velocity_change(solid, &solid->residual);
            rz.a += ooze_twist_dot(&solid->residual, &next);
            ooze_twist_add(&next, beta, &solid->direction);
            solid->direction = next;
        }
        then(rz);
    }
};

} // namespace ooze

#endif
