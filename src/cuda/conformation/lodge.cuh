/* The implicit velocity solve of `lodge` on the device: see methods/conformation/lodge.h. */
#ifndef OOZE_CUDA_CONFORMATION_LODGE_CUH
#define OOZE_CUDA_CONFORMATION_LODGE_CUH

#include "cuda/conformation/bodies.cuh"
#include "cuda/conformation/packed.cuh"

namespace ooze
{

/* How far the solve has come, in device memory: the loops read and write it, so that no iteration waits for the
   host. Where a switch says `off`, loops return at once. */
struct SolveState {
    OozeVelocitySolve residual;
    double rr, pap, alpha, beta;
    double rr_own;      /* r.r without the share of rigid bodies, where there are some */
    double rr_first;    /* at the beginning of a search for multipliers */
    int32_t off;        /* the iterations have ended */
    int32_t recall_off; /* there is nothing to recall */
    int32_t again_off;  /* all pieces take all of the push; the sweep before was the last */
    int32_t fresh;      /* the direction is the residual's own */
    int32_t spoilt;
};

/* To be captured, with the step's view. */
struct LodgeView {
    OozeSym3 *stiffness, *known;
    float *bulk, *hourglass, *edge_hourglass;
    float4 *flux; /* three a particle, or two packed ones */
    PackView pack;
    float4 *star, *r, *p, *ap;
    SolveState *state;
};

struct Lodge {
    Step *step;
    LodgeView view;
    bool seen_off; /* with rigid bodies: the host knows that the iterations have ended */
};

/* output = A p, see multiply. */
void multiply_direction(Lodge *solve, const int32_t *off);
/* output = A input, and what p.Ap comes to in state->pap; nothing where *off. With off == &state->off it is an
   iteration's, which ends where the direction is spoilt. With `known` the stress of the
   beginning and moving walls are included, with `held` what held particles cannot do is left in. */
void multiply(Lodge *solve, const float4 *input, float4 *output, bool known, bool held,
              const int32_t *off);
/* Goes along p by state->alpha: u, r and state->rr anew, and p = the next direction, with state->beta of the last. */
void advance(Lodge *solve, bool iteration, const int32_t *off);
/* After p was written in other ways: rounds it where directions are packed. */
void pack_direction(Lodge *solve, const int32_t *off);

/* Coefficients of a pass: lodge_material.cu. With `turned`, Q is turned with the velocity of the pass before. */
void prepare(Lodge *solve, bool turned);
void finish_lodge(Step *step); /* Q at the end of the step */

/* p of particle i, which comes back as it was rounded. */
OOZE_DEVICE float4 direction_set(const LodgeView &v, uint32_t i, float4 p)
{
    if (v.pack.going) {
        uint4 before = v.pack.going[i];
        uint2 place = {before.x, before.y};
        uint4 packed = going_pack(place, p, v.hourglass[i] > 0.0f);
        v.pack.going[i] = packed;
        p = going_vector(packed);
    }
    return p;
}

/* Where the solve begins: recall.cu. */
void recall(Lodge *solve, int pass);
void recall_note(Lodge *solve);

/* root[i] = least particle of the connected piece of one material that i is part of: pieces.cu. */
void find_pieces(Step *step, uint32_t *root, const int32_t *off);

} // namespace ooze

#endif
