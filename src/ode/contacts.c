/* Which solids meet in a stroke, where, and how they are to part. */
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "ode/workspace.h"
#include "solids/boundary.h"

/* Of the smaller of two: how far they may overlap without being pushed apart, and how near is near. */
static const double SLOP = 1e-4, NEAR = 0.01;
/* Share of an overlap that is taken out in a stroke. */
static const double PUSH_SHARE = 0.3;
/* Falls of this many strokes are no impact: what lies still does not bounce. */
static const double BOUNCE_STROKES = 4.0;

static bool is_dynamic(const OozeOdeWork *work, int i)
{
    return ooze_solid_is_dynamic(&work->stage->solids[i]);
}

static bool collides(const OozeOdeWork *work, int i)
{
    return work->stage->solids[i].params[OOZE_SOLID_COLLIDES] != 0.0;
}

static bool are_joined(const OozeOdeWork *work, int i, int k)
{
    for (int j = 0; j < work->stage->joint_count; j++) {
        const OozeJoint *joint = &work->stage->joints[j];
        if ((joint->solid == i && joint->other == k) || (joint->solid == k && joint->other == i)) {
            return true;
        }
    }
    return false;
}

static OozeBounds join(OozeBounds a, OozeBounds b)
{
    return (OozeBounds){
        vec3(fmin(a.min.x, b.min.x), fmin(a.min.y, b.min.y), fmin(a.min.z, b.min.z)),
        vec3(fmax(a.max.x, b.max.x), fmax(a.max.y, b.max.y), fmax(a.max.z, b.max.z))};
}

/* Of the whole way. */
static OozeBounds way_of(const OozeTraveller *t)
{
    OozeBounds box = ooze_shape_bounds(t->shape);
    return join(ooze_bounds_turn(&box, &t->from, false), ooze_bounds_turn(&box, &t->to, false));
}

/* Planes and containers are everywhere. */
static bool is_apart(const OozeTraveller *a, const OozeTraveller *b, double reach)
{
    if (a->feelers->count == 0 || b->feelers->count == 0) {
        return false;
    }
    OozeBounds p = way_of(a), q = way_of(b);
    return p.min.x > q.max.x + reach || q.min.x > p.max.x + reach || p.min.y > q.max.y + reach ||
           q.min.y > p.max.y + reach || p.min.z > q.max.z + reach || q.min.z > p.max.z + reach;
}

/* Of two coefficients: friction of a slippery and a rough one lies between, a bounce is that of the livelier. */
static double friction_of(const OozeSolid *a, const OozeSolid *b)
{
    double p = a->params[OOZE_SOLID_FRICTION], q = b->params[OOZE_SOLID_FRICTION];
    return p == 0.0 || q == 0.0 ? 0.0 : sqrt(p) * sqrt(q);
}

static double restitution_of(const OozeSolid *a, const OozeSolid *b)
{
    return fmax(a->params[OOZE_SOLID_RESTITUTION], b->params[OOZE_SOLID_RESTITUTION]);
}

static OozeStatus add(OozeOdeWork *work, OozeOdeContact contact, OozeError *error)
{
    if (work->contact_count == work->contact_room) {
        size_t count = (size_t)work->contact_count, wanted = count ? 2 * count : 64;
        OozeOdeContact *grown = ooze_grow(work->contacts, count, wanted, sizeof *work->contacts);
        if (!grown) {
            return ooze_fail_memory(error, "contacts of solids", wanted * sizeof *grown);
        }
        work->contacts = grown;
        work->contact_room = (int)wanted;
    }
    work->contacts[work->contact_count++] = contact;
    return OOZE_OK;
}

/* Direction of sliding: friction is Coulomb's along it. */
static OozeVec3 slide_of(OozeVec3 velocity, OozeVec3 normal)
{
    OozeVec3 along = vec3_madd(velocity, -vec3_dot(velocity, normal), normal);
    OozeVec3 other = fabs(normal.x) < 0.7 ? vec3(1, 0, 0) : vec3(0, 1, 0);
    OozeVec3 any = vec3_unit(vec3_cross(normal, other), vec3(0, 0, 1));
    bool still = vec3_length(along) < 1e-9 * (1.0 + vec3_length(velocity));
    return still ? any : vec3_unit(along, any);
}

static OozeOdeContact contact_of(OozeOdeWork *work, int a, int b, const OozeMeeting *m, double size)
{
    const OozeSolid *p = &work->stage->solids[a], *q = &work->stage->solids[b];
    double dt = work->stage->dt, fall = vec3_length(work->stage->gravity) * dt;
    OozeVec3 relative = vec3_sub(ooze_pose_velocity_at(&work->start[a], m->point),
                                 ooze_pose_velocity_at(&work->start[b], m->point));
    double speed = vec3_dot(relative, m->normal);
    double least = speed - m->gap / dt; /* with which they would end just touching */
    double bounce =
        m->gap < 0.0 && -speed > BOUNCE_STROKES * fall ? -speed * restitution_of(p, q) : -INFINITY;
    double over = fmax(least - SLOP * size / dt, 0.0);
    OozeOdeContact contact = {
        .a = a,
        .b = b,
        .point = m->point,
        .normal = m->normal,
        .slide = slide_of(relative, m->normal),
        .friction = friction_of(p, q),
        .push = fmax(least > 0.0 ? PUSH_SHARE * over : least, bounce),
        .keep = fmax(fmin(least, 0.0), bounce),
        .give = 1.0 / p->mass.mass + (is_dynamic(work, b) ? 1.0 / q->mass.mass : 0.0),
    };
    work->pushed = work->pushed || contact.push != contact.keep;
    return contact;
}

static OozeStatus meet(OozeOdeWork *work, int i, int k, OozeError *error)
{
    OozeMeeting meetings[OOZE_MEETINGS_MAX];
    const OozeTraveller *a = &work->travellers[i], *b = &work->travellers[k];
    double of_a = a->feelers->count ? a->feelers->reach : INFINITY;
    double of_b = b->feelers->count ? b->feelers->reach : INFINITY, size = fmin(of_a, of_b);
    double reach = NEAR * size;
    if (!(size < INFINITY) || is_apart(a, b, reach)) {
        return OOZE_OK;
    }
    int count = ooze_solids_meet(a, b, reach, meetings);
    OozeStatus status = OOZE_OK;
    for (int m = 0; m < count && !status; m++) {
        status = add(work, contact_of(work, i, k, &meetings[m], size), error);
    }
    work->held[i] = work->held[i] || count > 0;
    work->held[k] = work->held[k] || count > 0;
    return status;
}

OozeStatus ooze_ode_find_contacts(OozeOdeWork *work, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < work->stage->count; i++) {
        for (int k = i + 1; k < work->stage->count && !status; k++) {
            bool one = is_dynamic(work, i) || is_dynamic(work, k);
            if (one && collides(work, i) && collides(work, k) && !are_joined(work, i, k)) {
                status = is_dynamic(work, i) ? meet(work, i, k, error) : meet(work, k, i, error);
            }
        }
    }
    return status;
}
