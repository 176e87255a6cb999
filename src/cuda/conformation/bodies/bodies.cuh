/* Particle bodies among all particles of a step on the device: see
   methods/conformation/bodies/bodies.h. Rigid bodies respond on the device within the iterations of
   the velocity solve. Poses, contacts and shifts of whole bodies are computed on the host: fields
   of their particles are copied there and back, slot by slot, a few times a step. */
#ifndef OOZE_CUDA_CONFORMATION_BODIES_BODIES_CUH
#define OOZE_CUDA_CONFORMATION_BODIES_BODIES_CUH

#include "cuda/conformation/step.cuh"

namespace ooze
{

/* Captured by loops: bonds in this step, by slots and numbers of bonds. */
struct BondsView {
    const uint64_t *first;
    const uint32_t *other;
    const float *length, *share;
    float4 *pull; /* direction towards the other end; last lane: stretch, m */
    uint2 *end;   /* particle at the other end, and the bits of the stiffness, 1/s2 */
};

/* Slots of one body that one thread sums. */
struct RigidPart {
    uint32_t begin, end;
};

/* See OozeRigid. */
struct DeviceRigid {
    OozeTwistMatrix inverse, smoother;
    uint32_t first_part, last_part;
    OozeTwist sum, response;
};

/* Captured by loops. */
struct RigidView {
    const RigidPart *part;
    uint32_t part_count;
    const OozeVec3 *arm; /* per rigid slot */
    OozeTwist *part_sum;
    DeviceRigid *body;
    double *rz; /* residual . response of all bodies */
};

struct Bodies {
    OozeBodies all;           /* on the host */
    uint32_t *index;          /* device, per slot: its particle, or OOZE_NO_PARTICLE */
    float4 *field[2];         /* device, per rigid slot: copied from and to the host */
    RigidView rigid;          /* without rigid bodies not set */
    DeviceRigid *rigid_table; /* host: what rigid_send copies */
    BondsView bonds; /* zero without soft bodies; valid until the end of the velocity solve */
    /* see StepView */
    uint16_t *row, *film, *rigid_of;
    float *own_density_target, *effective_inverse_mass;
    uint8_t *ignores_boundary;
};

/* Number of slots of rigid bodies; 0: there are none. */
static inline uint64_t rigid_slots(const Step *step)
{
    return step->bodies ? step->bodies->all.rigid_slots : 0;
}

/* Sets step->bodies where there are any. */
OozeStatus bodies_create(Step *step, Bodies *bodies, OozeError *error);
/* Allocates the arrays of the step, and finds the rows of rheology by kind. */
void bodies_allocate(Step *step);
/* Slots, rigid bodies and their contacts, bonds, films, and inputs of the density stage. Waits. */
OozeStatus bodies_begin(Step *step, OozeError *error);

/* As the functions of bodies.h, on fields of all particles; they do nothing where no body is
   rigid. All but bodies_begin_pass wait. */
void bodies_begin_pass(Step *step, float4 *u_star);
void bodies_end_pass(Step *step, const float4 *residual);
void bodies_apply_impulses(Step *step);
/* Sets the inputs of the density stage. */
void bodies_density(Step *step, struct DensityJob *job);
void bodies_place(Step *step, float4 *x, float4 *u);

/* ---- rigid bodies in iterations: rigid_response.cu ---- */

/* Sends arms, and after contacts or smoothers have changed the matrices of the bodies. */
void rigid_begin_step(Step *step);
void rigid_send(Step *step);
/* As ooze_rigid_precondition; rigid.rz receives r . response. They change nothing where `off` is
   not NULL and *off is set, or where no body is rigid. */
void bodies_precondition(Step *step, const float4 *r, const int32_t *off);
void bodies_project_velocities(Step *step, float4 *field, const int32_t *off);
/* As ooze_rigid_smooth. */
void bodies_smooth(Step *step);
/* Device, per rigid slot: the response of its body there. */
const float4 *bodies_response(Step *step);

/* ---- soft bodies: bonds.cu ---- */

/* Copies the bonds to the device if they have changed, and finds directions and stretches. */
void bonds_begin(Step *step);
/* force[i] += force of the bonds of particle i at the end of the step: see ooze_bond_force. Nothing
   where *off. */
void bonds_add(Step *step, const float4 *v, float4 *force, bool with_stretch, const int32_t *off);

} // namespace ooze

#endif
