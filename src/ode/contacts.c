/* Contacts of a substep: which solids touch, and the velocity at which they are to separate. */
#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "ode/substep.h"

/* Of the smaller solid's size: overlap that the exact solver leaves, and largest gap of a
   contact. */
static const double SLOP = 1e-4, NEAR = 0.01;
/* Approach faster than a free fall of this many substeps is an impact: solids at rest do not
   bounce. */
static const double IMPACT_SUBSTEPS = 4.0;

/* Limit of the correction velocity of soft contacts: a free fall of this many substeps. */
static const double CORRECTION_SUBSTEPS = 3.0;
/* Fraction of an overlap that is corrected in a substep. */
static const double CORRECTION_FRACTION = 0.3;

/* Friction is the geometric mean, written so that 0 and infinity give 0. */
static double friction_of(const OozeSolid *a, const OozeSolid *b)
{
    double p = ooze_solid_dry_friction(a), q = ooze_solid_dry_friction(b);
    return p == 0.0 || q == 0.0 ? 0.0 : sqrt(p) * sqrt(q);
}

static double restitution_of(const OozeSolid *a, const OozeSolid *b)
{
    return fmax(a->params[OOZE_SOLID_RESTITUTION], b->params[OOZE_SOLID_RESTITUTION]);
}

static OozeStatus add_contact(OozeOdeSubstep *s, OozeOdeContact contact, OozeError *error)
{
    if (s->contact_count == s->contact_room) {
        size_t count = (size_t)s->contact_count, wanted = count ? 2 * count : 64;
        OozeOdeContact *grown = ooze_grow(s->contacts, count, wanted, sizeof *s->contacts);
        if (!grown) {
            return ooze_fail_memory(error, "contacts of solids", wanted * sizeof *grown);
        }
        s->contacts = grown;
        s->contact_room = (int)wanted;
    }
    s->contacts[s->contact_count++] = contact;
    return OOZE_OK;
}

/* Direction of sliding: along it the friction of ODE's pyramid is Coulomb's. */
static OozeVec3 slide_of(OozeVec3 velocity, OozeVec3 normal)
{
    OozeVec3 along = vec3_madd(velocity, -vec3_dot(velocity, normal), normal);
    OozeVec3 other = fabs(normal.x) < 0.7 ? vec3(1, 0, 0) : vec3(0, 1, 0);
    OozeVec3 any = vec3_unit(vec3_cross(normal, other), vec3(0, 0, 1));
    bool still = vec3_length(along) < 1e-9 * (1.0 + vec3_length(velocity));
    return still ? any : vec3_unit(along, any);
}

static OozeOdeContact contact_of(const OozeOdeSubstep *s, int a, int b, const OozeManifoldPoint *m,
                                 double size)
{
    const OozeSolid *p = &s->stage->solids[a], *q = &s->stage->solids[b];
    double dt = s->stage->dt, fall = vec3_length(s->stage->gravity) * dt;
    OozeVec3 relative = vec3_sub(ooze_pose_velocity_at(&s->start[a], m->point),
                                 ooze_pose_velocity_at(&s->start[b], m->point));
    double speed = vec3_dot(relative, m->normal);
    bool impact = m->gap < 0.0 && -speed > IMPACT_SUBSTEPS * fall;
    return (OozeOdeContact){
        .a = a,
        .b = b,
        .point = m->point,
        .normal = m->normal,
        .slide = slide_of(relative, m->normal),
        .friction = friction_of(p, q),
        .touching = speed - m->gap / dt,
        .tolerance = SLOP * size / dt,
        .bounce = impact ? -speed * restitution_of(p, q) : -INFINITY,
        .inverse_mass = 1.0 / p->mass.mass + (ooze_solid_is_dynamic(q) ? 1.0 / q->mass.mass : 0.0),
    };
}

/* Adds the contacts of a pair; solid a is dynamic. */
static OozeStatus find_pair(OozeOdeSubstep *s, int a, int b, OozeError *error)
{
    OozeManifoldPoint points[OOZE_MANIFOLD_POINTS_MAX];
    double size = ooze_point_shell_smaller(s->swept[a].shell, s->swept[b].shell);
    int count = ooze_contact_manifold(&s->swept[a], &s->swept[b], NEAR * size, points);
    OozeStatus status = OOZE_OK;
    for (int m = 0; m < count && !status; m++) {
        status = add_contact(s, contact_of(s, a, b, &points[m], size), error);
    }
    return status;
}

OozeStatus ooze_ode_find_contacts(OozeOdeSubstep *s, OozeError *error)
{
    const OozeDynamicStage *stage = s->stage;
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < stage->count; i++) {
        OozeBounds near = s->swept[i].bounds;
        if (s->swept[i].shell->count > 0) {
            near = ooze_bounds_grow(near, NEAR * s->swept[i].shell->reach);
        }
        for (int k = i + 1; k < stage->count && !status; k++) {
            if (ooze_bounds_overlap(&near, &s->swept[k].bounds) &&
                ooze_solids_collide(stage->solids, i, k, stage->joints, stage->joint_count)) {
                bool first = ooze_solid_is_dynamic(&stage->solids[i]);
                status = find_pair(s, first ? i : k, first ? k : i, error);
            }
        }
    }
    return status;
}

/* Without `corrects`, the exact solver does not separate overlaps, so that correction adds no
   energy. The iterative solver does within a limit: its contacts are soft, and carry their load at
   the depth where correction and compliance balance. */
double ooze_ode_contact_velocity(const OozeOdeSystem *system, const OozeOdeContact *c)
{
    const OozeDynamicStage *stage = system->substep->stage;
    double overlap = system->iterative ? c->touching : fmax(c->touching - c->tolerance, 0.0);
    double max = system->corrects    ? INFINITY
                 : system->iterative ? CORRECTION_SUBSTEPS * vec3_length(stage->gravity) * stage->dt
                                     : 0.0;
    return fmax(c->touching > 0.0 ? fmin(CORRECTION_FRACTION * overlap, max) : c->touching,
                c->bounce);
}
