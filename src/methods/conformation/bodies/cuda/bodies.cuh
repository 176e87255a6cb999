/* Particle bodies among all particles of a step on the device: see
   methods/conformation/bodies/bodies.h. Poses, contacts and responses of rigid bodies are computed
   on the device, in one segment of slots a body; a step waits once, for the number of contacts.
   Bonds are found on the host when particles of soft bodies have been added or removed. */
#ifndef OOZE_METHODS_CONFORMATION_BODIES_CUDA_BODIES_CUH
#define OOZE_METHODS_CONFORMATION_BODIES_CUDA_BODIES_CUH

#include "cuda/ranks.cuh"
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
    /* particle at the other end, and the bits of the stiffness, 1/s2; from far_from on: place among
       those that only other ranks have */
    uint2 *end;
    uint32_t far_from;
};

/* Captured by loops. Slots are those of OozeBodies. */
struct RigidView {
    Segments segments; /* of slots, one a body */
    /* per slot: its particle, OOZE_FAR_PARTICLE: only other ranks have it, or OOZE_NO_PARTICLE */
    const uint32_t *index;
    /* per slot: position at rest; at the beginning of the step, last lane: relative mass; velocity
       there, of a rigid motion */
    float4 *rest, *place, *velocity;
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

/* Values of a field by slots. Captured by loops. */
struct SlotField {
    const float4 *values;
    const uint32_t *index; /* per slot: place in values; NULL: the same */
    __device__ float4 at(uint32_t slot) const { return values[index ? index[slot] : slot]; }
};

/* Particles of bodies, of all ranks. */
struct BodyList : RankList {
    const uint32_t *own;  /* device: those of this rank */
    const uint32_t *slot; /* device: of all, the ranks one behind the other */
};

struct Bodies {
    OozeBodies all;  /* host: slots, without arrays of their particles */
    uint32_t *index; /* device, per slot: see RigidView */
    RigidView rigid; /* without rigid bodies not set */
    BondsView bonds; /* zero without soft bodies; valid until the end of the velocity solve */
    /* see StepView */
    uint16_t *row, *film, *rigid_of;
    uint32_t *slot_of; /* see RigidView */
    uint32_t *anchor;  /* device, per rigid body: its first slot with a particle */
    float *own_density_target, *effective_inverse_mass;
    uint8_t *ignores_boundary;
    /* ---- of several ranks ---- */
    BodyList rigids;  /* all particles of rigid bodies */
    float4 *field[2]; /* memory of rigid_field */
    /* own particles at far ends of bonds, with places among these; and values there, NULL: there
       are none */
    BodyList far;
    float4 *far_values;
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

/* ---- several ranks: body_ranks.cu ---- */

/* The particles of rigid or of soft bodies. Waits for the other ranks. */
BodyList bodies_list(Step *step, bool rigid);
/* to[slot] = field of the particle at each slot of the list. Waits for the other ranks. */
void bodies_gather(Step *step, const BodyList &list, const float4 *field, float4 *to);
/* Values that each rank has at the slots of its own particles of a list get to all ranks. */
void bodies_share_slots(Step *step, const BodyList &list, OozeSym3 *slots);
/* A field of the particles of rigid bodies, by slots; of two fields at a time, `which` is 0 or 1.
   On several ranks it is gathered, and waits for the others. */
SlotField rigid_field(Step *step, const float4 *field, int which);
/* Positions at rest and at the beginning of the step, see RigidView, by slots. On several ranks,
   finds the particles of all, and the slots of those that only others have. */
void rigid_fill_slots(Step *step, const float4 *rest_of, float4 *rest, float4 *place);
/* Per slot of a particle that only other ranks have and that a bond of an own one ends at: its
   place among those that are fetched. NULL: there are none on any rank, or there is one rank. */
const uint32_t *bonds_find_far(Step *step, const BondsView &bonds);
/* A field there, by these places; NULL: there are none. Waits for the other ranks. */
const float4 *bonds_fetch_far(Step *step, const float4 *field);

/* ---- rigid bodies in iterations ---- */

/* The body of a slot. */
OOZE_DEVICE uint32_t body_of_slot(const RigidView &b, uint32_t slot)
{
    uint32_t low = 0, high = b.segments.count - 1;
    while (low < high) { /* the last one that begins there or before */
        const uint32_t middle = low + (high - low + 1) / 2;
        if (b.segments.part[b.segments.first_part[middle]].begin <= slot) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

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
OOZE_DEVICE TwistSum wrench_at(const RigidView &b, const SlotField &field, uint32_t slot,
                               bool by_mass)
{
    TwistSum sum = {{{0, 0, 0, 0, 0, 0}}};
    if (b.index[slot] != OOZE_NO_PARTICLE) {
        const double mass = by_mass ? (double)b.place[slot].w : 1.0;
        sum.all = ooze_rigid_wrench(b.arm[slot], vec3_scale(widen(field.at(slot)), mass));
    }
    return sum;
}

/* Responses of the bodies to a field; with `by_mass`, rigid motions of the same momenta. last()
   follows. Nothing changes where `off` is not NULL and *off is set. */
template <class Last>
void rigid_respond(Step *step, const float4 *field, bool by_mass, const int32_t *off, Last last)
{
    const RigidView b = step->bodies->rigid;
    const SlotField f = rigid_field(step, field, 0);
    const TwistSum none = {{{0, 0, 0, 0, 0, 0}}};
    sum_segments(
        step->gpu, b.segments, none,
        OOZE_BODY(uint32_t slot, uint32_t) {
            return off && *off ? none : wrench_at(b, f, slot, by_mass);
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
