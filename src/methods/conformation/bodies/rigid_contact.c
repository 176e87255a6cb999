/* Contact of rigid particle bodies with solids. A body has six degrees of freedom and may touch at
   hundreds of particles, so contacts are resolved for the body as a whole: impulses at the
   particles that touch, by projected Gauss-Seidel in the order of the slots (Catto 2005, "Iterative
   dynamics with temporal coherence"). The velocity solve then excludes the directions of active
   contacts. */
#include <math.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "methods/conformation/bodies/bodies.h"
#include "solvers/vectors/periodic_f32x4.h"

enum { GRAIN = 256 };

/* ---- particles that may have contacts ---- */

typedef struct FindJob {
    const OozeBodies *bodies;
    const OozeFloat4 *u;
    uint8_t *near; /* per slot: number of solids that it may touch */
} FindJob;

static OozeRigidScale scale_of(const OozeBodies *b)
{
    return (OozeRigidScale){b->context->dt, b->context->spacing, b->contact};
}

/* Whether the particle may touch the solid within the step. */
static bool may_touch(const FindJob *job, uint64_t slot, const OozeSolid *solid,
                      OozeContact *contact)
{
    const OozeBodies *b = job->bodies;
    if (solid->params[OOZE_SOLID_COLLIDES] == 0.0) {
        return false;
    }
    const OozeRigidScale scale = scale_of(b);
    OozeFloat4 x = b->place[slot], u = job->u[slot];
    *contact = ooze_solid_contact(solid, vec3((double)x.x, (double)x.y, (double)x.z));
    return ooze_rigid_may_touch(&scale, contact->distance, u.x, u.y, u.z);
}

static void find_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const FindJob *job = data;
    const OozeBodies *b = job->bodies;
    const OozeStepContext *c = b->context;
    for (uint64_t slot = begin; slot < end; slot++) {
        job->near[slot] = 0;
        for (int k = 0; b->index[slot] != OOZE_NO_PARTICLE && k < c->solid_count; k++) {
            OozeContact unused;
            bool counts = job->near[slot] < UINT8_MAX;
            job->near[slot] += counts && may_touch(job, slot, &c->solids[k], &unused);
        }
    }
}

/* Contacts of one body, in the order of the slots. */
static void list_contacts(OozeBodies *b, OozeRigid *rigid, const FindJob *job, uint64_t total)
{
    const OozeStepContext *c = b->context;
    const OozeRigidScale scale = scale_of(b);
    rigid->contacts = b->contact_count;
    for (uint64_t slot = rigid->first; slot < rigid->first + rigid->count; slot++) {
        OozeContact met;
        for (int n = 0; job->near[slot] && n < c->solid_count; n++) {
            if (may_touch(job, slot, &c->solids[n], &met) && b->contact_count < total) {
                b->contacts[b->contact_count++] = ooze_rigid_contact(
                    &scale, rigid, b->arm[slot], ooze_solid_dry_friction(&c->solids[n]), &met);
            }
        }
    }
    rigid->contact_count = b->contact_count - rigid->contacts;
}

OozeStatus ooze_rigid_find_contacts(OozeBodies *b, const OozeFloat4 *u, OozeError *error)
{
    const OozeStepContext *c = b->context;
    if (b->rigid_count == 0 || c->solid_count == 0) {
        return OOZE_OK;
    }
    FindJob job = {.bodies = b, .u = u, .near = ooze_arena_alloc(c->arena, b->rigid_slots, 1)};
    if (!job.near) {
        return ooze_fail_memory(error, "contacts of rigid bodies", b->rigid_slots);
    }
    ooze_parallel_for(c->threads, b->rigid_slots, GRAIN, find_range, &job);
    uint64_t total = 0;
    for (uint64_t slot = 0; slot < b->rigid_slots; slot++) {
        total += job.near[slot];
    }
    b->contacts = ooze_arena_alloc(c->arena, total, sizeof *b->contacts);
    if (!b->contacts) {
        return ooze_fail_memory(error, "contacts of rigid bodies", total * sizeof *b->contacts);
    }
    for (int k = 0; k < b->rigid_count; k++) {
        list_contacts(b, &b->rigids[k], &job, total);
    }
    return OOZE_OK;
}

/* ---- impulses ---- */

static void hold_if_independent(OozeRigid *rigid, const OozeTwist *row)
{
    if (ooze_rigid_row_is_independent(rigid, row)) {
        ooze_rigid_hold_row(rigid, row);
    }
}

static void set_held_rows(OozeRigid *rigid, const OozeRigidContact *contacts, OozeTwist *slip)
{
    OozeTwist none = {{0}};
    ooze_rigid_hold_none(rigid);
    *slip = none;
    for (uint64_t k = 0; k < rigid->contact_count; k++) {
        const OozeRigidContact *contact = &contacts[k];
        if (contact->impulse[0] > 0.0) {
            hold_if_independent(rigid, &contact->row[0]);
        }
    }
    for (uint64_t k = 0; k < rigid->contact_count; k++) {
        const OozeRigidContact *contact = &contacts[k];
        bool sticks = ooze_rigid_contact_sticks(contact);
        for (int t = 1; t < 3; t++) {
            if (sticks) {
                hold_if_independent(rigid, &contact->row[t]);
            } else {
                ooze_twist_add(slip, contact->impulse[t], &contact->row[t]);
            }
        }
    }
}

static void resolve_contacts(OozeBodies *b, OozeRigid *rigid, OozeTwist *slip)
{
    OozeRigidContact *contacts = rigid->contact_count ? b->contacts + rigid->contacts : NULL;
    const OozeStepContext *c = b->context;
    double converged = OOZE_RIGID_CONVERGED * c->spacing / c->dt, largest = INFINITY;
    for (uint64_t k = 0; k < rigid->contact_count; k++) {
        contacts[k].impulse[0] = contacts[k].impulse[1] = contacts[k].impulse[2] = 0.0;
    }
    for (int sweep = 0; sweep < OOZE_RIGID_SWEEPS && largest > converged; sweep++) {
        largest = 0.0;
        for (uint64_t k = 0; k < rigid->contact_count; k++) {
            largest = fmax(largest, ooze_rigid_resolve(&contacts[k], &rigid->motion));
        }
    }
    if (slip) {
        set_held_rows(rigid, contacts, slip);
    }
}

/* ---- in the velocity solve ---- */

/* Responses to the sums, constrained by contacts. Returns sums . responses. */
static double respond(OozeBodies *b)
{
    double product = 0.0;
    for (int k = 0; k < b->rigid_count; k++) {
        OozeRigid *rigid = &b->rigids[k];
        rigid->response = ooze_twist_apply(&rigid->inverse, &rigid->sum);
        product += ooze_twist_dot(&rigid->response, &rigid->sum);
    }
    return product;
}

double ooze_rigid_precondition(OozeBodies *b, const OozeFloat4 *r)
{
    ooze_rigid_gather(b, r, false);
    return respond(b);
}

typedef struct SmootherJob {
    OozeBodies *bodies;
    const OozeSym3 *around;
} SmootherJob;

static void smoother_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const SmootherJob *job = data;
    const OozeBodies *b = job->bodies;
    for (uint64_t k = begin; k < end; k++) {
        OozeRigid *rigid = &b->rigids[k];
        OozeTwistMatrix sum = ooze_twist_inverse(ooze_rigid_free_inverse(rigid));
        for (uint64_t slot = rigid->first; slot < rigid->first + rigid->count; slot++) {
            bool touched =
                b->index[slot] != OOZE_NO_PARTICLE && ooze_sym3_trace(job->around[slot]) > 0.0f;
            if (touched) {
                const double arm[3] = {b->arm[slot].x, b->arm[slot].y, b->arm[slot].z};
                ooze_twist_add_point(&sum, ooze_mat3_from_sym3(job->around[slot]).m, arm);
            }
        }
        ooze_rigid_set_smoother(rigid, &sum);
    }
}

void ooze_rigid_set_smoothers(OozeBodies *b, const OozeSym3 *around)
{
    SmootherJob job = {b, around};
    ooze_parallel_for(b->context->threads, (uint64_t)b->rigid_count, 1, smoother_range, &job);
}

void ooze_rigid_smooth(OozeBodies *b)
{
    for (int k = 0; k < b->rigid_count; k++) {
        OozeRigid *rigid = &b->rigids[k];
        rigid->response = ooze_twist_apply(&rigid->smoother, &rigid->sum);
    }
}

void ooze_rigid_project_velocities(OozeBodies *b, OozeFloat4 *field)
{
    ooze_rigid_gather(b, field, true);
    respond(b);
    ooze_rigid_spread_response(b, field);
}

/* Velocities of the particles into the bodies' motions. */
static void read_motions(OozeBodies *b, const OozeFloat4 *u)
{
    ooze_rigid_gather(b, u, true);
    for (int k = 0; k < b->rigid_count; k++) {
        b->rigids[k].motion = ooze_rigid_respond(&b->rigids[k], &b->rigids[k].sum);
    }
}

void ooze_rigid_begin_pass(OozeBodies *b, OozeFloat4 *u, OozeFloat4 *u_star)
{
    for (int k = 0; k < b->rigid_count; k++) {
        OozeRigid *rigid = &b->rigids[k];
        OozeTwist slip;
        resolve_contacts(b, rigid, &slip);
        ooze_rigid_set_slip(rigid, &slip);
    }
    ooze_rigid_spread_motion(b, u);
    for (int k = 0; k < b->rigid_count; k++) {
        b->rigids[k].motion = ooze_rigid_free_motion(&b->rigids[k]);
    }
    ooze_rigid_spread_motion(b, u_star);
}

void ooze_rigid_end_pass(OozeBodies *b, const OozeFloat4 *u, const OozeFloat4 *residual)
{
    ooze_rigid_gather(b, u, true);
    for (int k = 0; k < b->rigid_count; k++) {
        b->rigids[k].motion = b->rigids[k].sum; /* kept until the residuals are summed */
    }
    ooze_rigid_gather(b, residual, false);
    for (int k = 0; k < b->rigid_count; k++) {
        const OozeTwist momentum = b->rigids[k].motion;
        ooze_rigid_release(&b->rigids[k], &momentum, &b->rigids[k].sum);
    }
}

void ooze_rigid_apply_impulses(OozeBodies *b, OozeFloat4 *u)
{
    read_motions(b, u);
    for (int k = 0; k < b->rigid_count; k++) {
        resolve_contacts(b, &b->rigids[k], NULL);
    }
    ooze_rigid_spread_motion(b, u);
}

/* ---- in the density stage ---- */

void ooze_rigid_shift(OozeBodies *b, OozeFloat4 *shift)
{
    double dt = (double)(float)b->context->dt; /* as the particles move */
    ooze_rigid_gather(b, shift, true);
    for (int k = 0; k < b->rigid_count; k++) {
        OozeRigid *rigid = &b->rigids[k];
        OozeTwist before = rigid->motion, change = ooze_rigid_respond(rigid, &rigid->sum);
        ooze_twist_add(&rigid->motion, 1.0 / dt, &change);
        resolve_contacts(b, rigid, NULL);
        ooze_twist_add(&rigid->motion, -1.0, &before);
        rigid->response = before; /* kept until the shifts are written */
        for (int c = 0; c < 6; c++) {
            rigid->motion.v[c] *= dt;
        }
    }
    ooze_rigid_spread_motion(b, shift);
    for (int k = 0; k < b->rigid_count; k++) {
        b->rigids[k].motion = b->rigids[k].response;
    }
}
