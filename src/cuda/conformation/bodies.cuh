/* Bodies made of particles among all particles of a step on the device: see methods/conformation/bodies.h. What is
   worked out for a whole body is the host's: fields of the particles of rigid bodies go there and back, slot by slot.
   That waits for the machine, in scenes with rigid bodies alone. */
#ifndef OOZE_CUDA_CONFORMATION_BODIES_CUH
#define OOZE_CUDA_CONFORMATION_BODIES_CUH

#include "cuda/conformation/step.cuh"

namespace ooze
{

/* To be captured: bonds as they stand in this step, by slots and numbers of bonds. */
struct BondsView {
    const uint64_t *first;
    const uint32_t *other;
    const float *length, *share;
    float4 *pull; /* direction towards the other end; last lane: stretch, m */
    uint2 *hook;  /* particle at the other end, and the bits of the stiffness, 1/s2 */
};

struct Bodies {
    OozeBodies all;   /* on the host */
    uint32_t *index;  /* device, per slot: its particle, or OOZE_NO_PARTICLE */
    float4 *field[2]; /* device, per rigid slot and one more: on the way */
    BondsView bonds;  /* without soft bodies zero; gone after the velocity solve */
    /* To be filled: see StepView. */
    uint16_t *row, *film, *rigid_of;
    float *own_limit, *ease;
    uint8_t *bare;
};

/* Number of slots of rigid bodies; 0: there are none. */
static inline uint64_t rigid_slots(const Step *step)
{
    return step->bodies ? step->bodies->all.rigid_slots : 0;
}

/* Sets step->bodies where there are any. */
OozeStatus bodies_create(Step *step, Bodies *bodies, OozeError *error);
/* Room for what lasts through the step, and rows of rheology by kind. */
void bodies_allocate(Step *step);
/* Slots, what rigid bodies are and may touch, bonds, films, and what the density stage is told. Waits. */
OozeStatus bodies_begin(Step *step, OozeError *error);

/* As the functions of bodies.h, on fields of all particles; they do nothing where no body is rigid. Where `off` is not
   NULL nothing is changed if *off, which is then seen: false. All but bodies_hold wait. */
bool bodies_precondition(Step *step, const float4 *r, const int32_t *off, double *share);
void bodies_keep_motion(Step *step, float4 *field, const int32_t *off);
void bodies_hold(Step *step, float4 *star);
void bodies_release(Step *step, const float4 *residual);
void bodies_settle(Step *step);
/* What the density stage is to know of them. */
void bodies_density(Step *step, struct DensityJob *job);
void bodies_place(Step *step, float4 *x, float4 *u);
/* Device, per rigid slot: the response of its body there. */
const float4 *bodies_response(Step *step);

/* ---- soft bodies: bonds.cu ---- */

/* Sends the bonds where they have changed, and finds how they stand. */
void bonds_begin(Step *step);
/* force[i] += what its bonds do to particle i at the end of the step: see ooze_bond_force. Nothing where *off. */
void bonds_add(Step *step, const float4 *v, float4 *force, bool known, const int32_t *off);

} // namespace ooze

#endif
