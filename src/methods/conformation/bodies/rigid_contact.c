/* Contact of rigid particle bodies with solids. A body has six degrees of freedom and may touch at
   hundreds of particles, so contacts are resolved for the body as a whole: impulses at the
   particles that touch, by projected Gauss-Seidel in the order of the slots (Catto 2005, "Iterative
   dynamics with temporal coherence"). The velocity solve then excludes the directions of active
   contacts. */
#include <math.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "methods/conformation/bodies/bodies.h"
#include "solvers/periodic_f32x4.h"

enum { SWEEPS_MAX = 300, GRAIN = 256 };
/* Change of speed at a contact below which impulses have converged, in spacings a step. */
static const double CONVERGED_SPEED = 1e-6;
/* Largest correction of a penetration in a step, in spacings: more would accelerate the body. */
static const double DEPENETRATION = 0.1;
/* Rows whose part independent of the others is below this share are left out. */
static const double DEPENDENT = 1e-3;

/* ---- particles that may have contacts ---- */

typedef struct FindJob {
    const OozeBodies *bodies;
    const OozeFloat4 *u;
    uint8_t *near; /* per slot: number of solids that it may touch */
} FindJob;

/* Whether the particle may touch the solid within the step. */
static bool may_touch(const FindJob *job, uint64_t slot, const OozeSolid *solid,
                      OozeContact *contact)
{
    const OozeBodies *b = job->bodies;
    if (solid->params[OOZE_SOLID_COLLIDES] == 0.0) {
        return false;
    }
    OozeFloat4 x = b->place[slot], u = job->u[slot];
    double speed = sqrt((double)(u.x * u.x + u.y * u.y + u.z * u.z));
    *contact = ooze_solid_contact(solid, vec3((double)x.x, (double)x.y, (double)x.z));
    return contact->distance - (double)b->contact < b->context->spacing + speed * b->context->dt;
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

static void set_row(OozeRigidContact *contact, const OozeRigid *rigid, int k, OozeVec3 direction,
                    double speed)
{
    OozeVec3 torque = vec3_cross(contact->arm, direction);
    OozeTwist row = {{direction.x, direction.y, direction.z, torque.x, torque.y, torque.z}};
    contact->speed[k] = speed;
    contact->row[k] = row;
    contact->response[k] = ooze_rigid_respond(rigid, &row);
    contact->effective[k] = 1.0 / ooze_twist_dot(&row, &contact->response[k]);
}

static OozeRigidContact make_contact(const OozeBodies *b, const OozeRigid *rigid, uint64_t slot,
                                     const OozeSolid *solid, const OozeContact *met)
{
    const OozeStepContext *c = b->context;
    OozeRigidContact contact = {.arm = b->arm[slot],
                                .friction = solid->params[OOZE_SOLID_FRICTION]};
    /* from the particle at the beginning of the step to the surface at its end */
    double needed = ((double)b->contact - met->distance) / c->dt;
    double limit =
        fmax(0.0, vec3_dot(met->velocity, met->normal)) + DEPENETRATION * c->spacing / c->dt;
    OozeVec3 first = fabs(met->normal.x) < 0.6 ? vec3(1, 0, 0) : vec3(0, 1, 0);
    first = vec3_unit(vec3_cross(met->normal, first), vec3(0, 0, 1));
    OozeVec3 second = vec3_cross(met->normal, first);
    set_row(&contact, rigid, 0, met->normal, fmin(needed, limit));
    set_row(&contact, rigid, 1, first, vec3_dot(met->velocity, first));
    set_row(&contact, rigid, 2, second, vec3_dot(met->velocity, second));
    return contact;
}

/* Contacts of one body, in the order of the slots. */
static void list_contacts(OozeBodies *b, OozeRigid *rigid, const FindJob *job, uint64_t total)
{
    const OozeStepContext *c = b->context;
    rigid->contacts = b->contact_count;
    for (uint64_t slot = rigid->first; slot < rigid->first + rigid->count; slot++) {
        OozeContact met;
        for (int n = 0; job->near[slot] && n < c->solid_count; n++) {
            if (may_touch(job, slot, &c->solids[n], &met) && b->contact_count < total) {
                b->contacts[b->contact_count++] = make_contact(b, rigid, slot, &c->solids[n], &met);
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

/* Friction holds up to its coefficient times the push; without bound, wherever there is a push. */
static double friction_limit(const OozeRigidContact *contact)
{
    return contact->impulse[0] > 0.0 ? contact->friction * contact->impulse[0] : 0.0;
}

/* Impulses of one contact; returns the largest change of speed there. */
static double resolve_contact(OozeRigidContact *contact, OozeTwist *motion)
{
    double next[3], largest = 0.0;
    for (int k = 0; k < 3; k++) {
        double lack = contact->speed[k] - ooze_twist_dot(&contact->row[k], motion);
        next[k] = contact->impulse[k] + lack * contact->effective[k];
        if (k == 0) {
            next[0] = fmax(next[0], 0.0);
            ooze_twist_add(motion, next[0] - contact->impulse[0], &contact->response[0]);
            largest = fabs(next[0] - contact->impulse[0]) / contact->effective[0];
            contact->impulse[0] = next[0];
        }
    }
    double size = hypot(next[1], next[2]), limit = friction_limit(contact);
    double keep = size > limit ? limit / size : 1.0;
    for (int k = 1; k < 3; k++) {
        double change = keep * next[k] - contact->impulse[k];
        ooze_twist_add(motion, change, &contact->response[k]);
        largest = fmax(largest, fabs(change) / contact->effective[k]);
        contact->impulse[k] += change;
    }
    return largest;
}

/* Adds a row to those that are held, unless it depends on them. */
static void add_held_row(OozeRigid *rigid, const OozeTwist *row)
{
    OozeTwist whole = ooze_rigid_respond(rigid, row), left = ooze_twist_apply(&rigid->inverse, row);
    if (rigid->held_count < 6 &&
        ooze_twist_dot(row, &left) > DEPENDENT * ooze_twist_dot(row, &whole)) {
        rigid->held[rigid->held_count++] = *row;
        ooze_twist_hold(&rigid->inverse, row);
    }
}

/* Inverse mass, no row held. */
static OozeTwistMatrix free_inverse(const OozeRigid *rigid)
{
    OozeTwistMatrix inverse;
    for (int c = 0; c < 6; c++) {
        OozeTwist unit = {{0}};
        unit.v[c] = 1.0;
        OozeTwist column = ooze_rigid_respond(rigid, &unit);
        for (int r = 0; r < 6; r++) {
            inverse.m[6 * r + c] = column.v[r];
        }
    }
    return inverse;
}

static void set_held_rows(OozeRigid *rigid, const OozeRigidContact *contacts, OozeTwist *slip)
{
    OozeTwist none = {{0}};
    rigid->held_count = 0;
    rigid->inverse = free_inverse(rigid);
    *slip = none;
    for (uint64_t k = 0; k < rigid->contact_count; k++) {
        const OozeRigidContact *contact = &contacts[k];
        if (contact->impulse[0] > 0.0) {
            add_held_row(rigid, &contact->row[0]);
        }
    }
    for (uint64_t k = 0; k < rigid->contact_count; k++) {
        const OozeRigidContact *contact = &contacts[k];
        bool sticks =
            hypot(contact->impulse[1], contact->impulse[2]) < 0.999 * friction_limit(contact);
        for (int t = 1; t < 3; t++) {
            if (sticks) {
                add_held_row(rigid, &contact->row[t]);
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
    double converged = CONVERGED_SPEED * c->spacing / c->dt, largest = INFINITY;
    for (uint64_t k = 0; k < rigid->contact_count; k++) {
        contacts[k].impulse[0] = contacts[k].impulse[1] = contacts[k].impulse[2] = 0.0;
    }
    for (int sweep = 0; sweep < SWEEPS_MAX && largest > converged; sweep++) {
        largest = 0.0;
        for (uint64_t k = 0; k < rigid->contact_count; k++) {
            largest = fmax(largest, resolve_contact(&contacts[k], &rigid->motion));
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
        OozeTwistMatrix none = {{0}}, sum = ooze_twist_inverse(free_inverse(rigid));
        for (uint64_t slot = rigid->first; slot < rigid->first + rigid->count; slot++) {
            bool touched =
                b->index[slot] != OOZE_NO_PARTICLE && ooze_sym3_trace(job->around[slot]) > 0.0f;
            if (touched) {
                const double arm[3] = {b->arm[slot].x, b->arm[slot].y, b->arm[slot].z};
                ooze_twist_add_point(&sum, ooze_mat3_from_sym3(job->around[slot]).m, arm);
            }
        }
        rigid->smoother = rigid->mass > 0.0 ? ooze_twist_inverse(sum) : none;
        for (int h = 0; h < rigid->held_count; h++) {
            ooze_twist_hold(&rigid->smoother, &rigid->held[h]);
        }
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
        rigid->slip = ooze_rigid_respond(rigid, &slip);
        if (rigid->held_count == 0) { /* no contacts: continues from the motion of the search */
            rigid->motion = rigid->pass_motion;
        }
    }
    ooze_rigid_spread_motion(b, u);
    for (int k = 0; k < b->rigid_count; k++) {
        OozeRigid *rigid = &b->rigids[k];
        rigid->motion = rigid->motion_star;
        ooze_twist_add(&rigid->motion, 1.0, &rigid->slip);
    }
    ooze_rigid_spread_motion(b, u_star);
}

void ooze_rigid_end_pass(OozeBodies *b, const OozeFloat4 *u, const OozeFloat4 *residual)
{
    read_motions(b, u);
    ooze_rigid_gather(b, residual, false);
    for (int k = 0; k < b->rigid_count; k++) {
        OozeRigid *rigid = &b->rigids[k];
        OozeTwist lacking = ooze_rigid_respond(rigid, &rigid->sum);
        rigid->pass_motion = rigid->motion;
        ooze_twist_add(&rigid->motion, 1.0, &lacking);
        ooze_twist_add(&rigid->motion, -1.0, &rigid->slip);
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
