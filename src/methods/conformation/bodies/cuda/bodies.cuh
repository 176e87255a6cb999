/* Particle bodies among all particles of a step on the device: see
   methods/conformation/bodies/bodies.h. Poses, contacts and responses of rigid bodies are computed
   on the device, in one segment of slots a body; a step waits once, for the number of contacts.
   Bonds are found on the host when particles of soft bodies have been added or removed. */
#ifndef OOZE_METHODS_CONFORMATION_BODIES_CUDA_BODIES_CUH
#define OOZE_METHODS_CONFORMATION_BODIES_CUDA_BODIES_CUH

#include "cuda/segment_sums.cuh"
#include "cuda/shape_distance.cuh"
#include "cuda/twist_sum.cuh"
#include "methods/conformation/cuda/step.cuh"

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

/* Captured by loops. Slots are those of OozeBodies. */
struct RigidView {
    Segments segments;       /* of slots, one a body */
    const uint32_t *index;   /* per slot: its particle, or OOZE_NO_PARTICLE */
    const uint32_t *slot_of; /* per particle of a rigid body */
    const uint16_t *number;  /* per particle: its rigid body from 1 on; 0: none */
    OozeVec3 *arm;           /* per slot */
    OozeRigid *body;
    OozeTwist *smoothed;        /* per body: response by the smoother */
    OozeRigidEnd *end;          /* per body */
    OozeRigidContact *contacts; /* nullptr: none are possible in this step */
    OozeRigidScale scale;
    double *rz; /* residual . response of all bodies */
};

struct Bodies {
    OozeBodies all;  /* host: slots, without arrays of their particles */
    uint32_t *index; /* device, per slot: its particle, or OOZE_NO_PARTICLE */
    RigidView rigid; /* without rigid bodies not set */
    BondsView bonds; /* zero without soft bodies; valid until the end of the velocity solve */
    /* see StepView */
    uint16_t *row, *film, *rigid_of;
    uint32_t *slot_of; /* see RigidView */
    uint32_t *anchor;  /* device, per rigid body: its first slot with a particle */
    float *own_density_target, *effective_inverse_mass;
    uint8_t *ignores_boundary;
};

/* Number of slots of rigid bodies; 0: there are none. */
static inline uint64_t rigid_slots(const Step *step)
{
    return step->bodies ? step->bodies->all.rigid_slots : 0;
}

/* Sets step->bodies where there are any. */
OozeStatus bodies_create(Step *step, OozeError *error);
/* Allocates the arrays of the step, and finds the rows of rheology by kind. */
void bodies_allocate(Step *step);
/* Slots, rigid bodies and their contacts, bonds, films, and inputs of the density stage. Waits for
   the number of contacts where there are solids. */
OozeStatus bodies_begin(OozeConformationStep *step, OozeError *error);
/* Sets the inputs of the density stage. */
void bodies_density(Step *step, struct DensityJob *job);

/* ---- rigid bodies: as the functions of bodies.h, on fields of all particles; they do nothing
   where no body is rigid, and do not wait ---- */

/* rigid_pose.cu: after slots have been assigned, poses and motions; velocities become those of
   rigid motions. */
void rigid_begin(Step *step);
void bodies_place(Step *step, float4 *x, float4 *u);

/* rigid_contact.cu. Waits. */
void rigid_find_contacts(Step *step);
void bodies_begin_pass(Step *step, float4 *u_star);
void bodies_end_pass(Step *step, const float4 *residual);
void bodies_apply_impulses(Step *step);
void bodies_shift(void *step, float4 *shift);

/* ---- rigid bodies in iterations ---- */

/* Velocity of the response of its body at particle i, which is part of a rigid body. */
OOZE_DEVICE float4 response_at(const RigidView &b, uint32_t i)
{
    return narrow(ooze_rigid_velocity_at(&b.body[b.number[i] - 1u].response, b.arm[b.slot_of[i]]));
}
/* The same by the smoothers, after bodies_precondition. */
OOZE_DEVICE float4 smoothed_at(const RigidView &b, uint32_t i)
{
    return narrow(ooze_rigid_velocity_at(&b.smoothed[b.number[i] - 1u], b.arm[b.slot_of[i]]));
}

/* Force, or with `by_mass` momentum, of the particle of a slot, and its torque. */
OOZE_DEVICE TwistSum wrench_at(const RigidView &b, const StepView &s, const float4 *field,
                               uint32_t slot, bool by_mass)
{
    TwistSum sum = {{{0, 0, 0, 0, 0, 0}}};
    const uint32_t i = b.index[slot];
    if (i != OOZE_NO_PARTICLE) {
        const double mass = by_mass ? (double)s.rheology[s.material[i]].relative_mass : 1.0;
        sum.all = ooze_rigid_wrench(b.arm[slot], vec3_scale(widen(field[i]), mass));
    }
    return sum;
}

/* Responses of the bodies to a field; with `by_mass`, rigid motions of the same momenta. last()
   follows. Nothing changes where `off` is not NULL and *off is set. */
template <class Last>
void rigid_respond(Step *step, const float4 *field, bool by_mass, const int32_t *off, Last last)
{
    const RigidView b = step->bodies->rigid;
    const StepView s = step->view;
    const TwistSum none = {{{0, 0, 0, 0, 0, 0}}};
    sum_segments(
        step->gpu, b.segments, none,
        OOZE_BODY(uint32_t slot, uint32_t) {
            return off && *off ? none : wrench_at(b, s, field, slot, by_mass);
        },
        OOZE_BODY(uint32_t k, TwistSum sum, uint32_t lane) {
            if (lane == 0 && !(off && *off)) {
                OozeRigid *body = &b.body[k];
                body->sum = sum.all;
                body->response = ooze_twist_apply(&body->inverse, &sum.all);
                b.smoothed[k] = ooze_twist_apply(&body->smoother, &sum.all);
            }
        },
        last);
}

/* r . response of all bodies, after rigid_respond. */
OOZE_DEVICE double rigid_product(const RigidView &b)
{
    double sum = 0.0;
    for (uint32_t k = 0; k < b.segments.count; k++) {
        sum += ooze_twist_dot(&b.body[k].sum, &b.body[k].response);
    }
    return sum;
}

/* As ooze_rigid_precondition; then(r . response) follows on the device, once. Only where there are
   rigid bodies. */
template <class Then>
void bodies_precondition(Step *step, const float4 *r, const int32_t *off, Then then)
{
    const RigidView b = step->bodies->rigid;
    rigid_respond(
        step, r, false, off, OOZE_BODY() { then(rigid_product(b)); });
}

/* As ooze_rigid_project_velocities. */
void bodies_project_velocities(Step *step, float4 *field, const int32_t *off);
/* The responses that these velocities would become, for response_at. */
void bodies_find_projection(Step *step, const float4 *field, const int32_t *off);
/* As ooze_rigid_set_smoothers; around: device, per slot. */
void bodies_set_smoothers(Step *step, const OozeSym3 *around);

/* ---- soft bodies: bonds.cu ---- */

/* Finds the bonds on the host where particles have changed, and waits then. */
OozeStatus bonds_find(Step *step, OozeError *error);
/* Copies the bonds to the device if they have changed, and finds directions and stretches. */
void bonds_begin(Step *step);
/* force[i] += force of the bonds of particle i at the end of the step: see ooze_bond_force. Nothing
   where *off. */
void bonds_add(Step *step, const float4 *v, float4 *force, bool with_stretch, const int32_t *off);

} // namespace ooze

#endif
