/* Rigid particle bodies: their motion, and the contacts of one body with solids. The processor and
   the GPU share these formulas; loops over particles and contacts are elsewhere. Valid C17 and
   CUDA.

   The velocities of a rigid body are u = v + w x arm: six unknowns. Forces on its particles act by
   their sum and torque. */
#ifndef OOZE_METHODS_CONFORMATION_BODIES_RIGID_FORMULA_H
#define OOZE_METHODS_CONFORMATION_BODIES_RIGID_FORMULA_H

#include <math.h>

#include "base/vec3.h"
#include "physics/rigid_fit.h"
#include "physics/rigid_motion.h"
#include "solids/solid.h"
#include "solvers/contact/twist.h"

/* Sweeps over the contacts of a body at most. */
#define OOZE_RIGID_SWEEPS 300
/* Change of speed at a contact below which impulses have converged, in spacings a step. */
#define OOZE_RIGID_CONVERGED 1e-6
/* Largest correction of a penetration in a step, in spacings: more would accelerate the body. */
#define OOZE_RIGID_DEPENETRATION 0.1
/* Rows whose part independent of the others is below this share are left out. */
#define OOZE_RIGID_DEPENDENT 1e-3

typedef struct OozeRigid {
    uint64_t first, count; /* slots */
    uint64_t particles;    /* present */
    double mass;           /* in particles of the reference density */
    double inverse_inertia[6];
    OozeVec3 rest_centre, centre; /* of mass */
    double rotation[9];           /* from rest, about the centre of mass */
    OozeTwist motion_star;        /* motion under external forces alone */
    OozeTwist motion;             /* the unknown of the solve */
    OozeTwist pass_motion;        /* motion at the end of the last pass */
    OozeTwist sum;                /* of the last gather */
    OozeTwist response;           /* to a sum, constrained by contacts */
    OozeTwist slip;               /* change by slipping friction */
    uint64_t contacts, contact_count;
    OozeTwist held[6]; /* independent rows that contacts hold at present */
    int held_count;
    OozeTwistMatrix inverse;  /* of the mass, without the rows that are held */
    OozeTwistMatrix smoother; /* of the mass and the stiffness of what is around it, likewise */
} OozeRigid;

/* A possible contact of a particle of a rigid body with a solid in this step. */
typedef struct OozeRigidContact {
    OozeVec3 arm;
    OozeTwist row[3], response[3]; /* along the normal, then the tangents */
    double speed[3];     /* at least, along the normal; of the surface, along the tangents */
    double effective[3]; /* 1/(row . response) */
    double impulse[3];
    double friction;
} OozeRigidContact;

/* ---- motion ---- */

OOZE_FORMULA OozeVec3 ooze_rigid_velocity_at(const OozeTwist *y, OozeVec3 arm)
{
    OozeVec3 w = vec3(y->v[3], y->v[4], y->v[5]);
    return vec3_add(vec3(y->v[0], y->v[1], y->v[2]), vec3_cross(w, arm));
}

/* A force at `arm`: itself and its torque. */
OOZE_FORMULA OozeTwist ooze_rigid_wrench(OozeVec3 arm, OozeVec3 force)
{
    OozeVec3 torque = vec3_cross(arm, force);
    OozeTwist wrench = {{force.x, force.y, force.z, torque.x, torque.y, torque.z}};
    return wrench;
}

/* Inverse mass times a sum. */
OOZE_FORMULA OozeTwist ooze_rigid_respond(const OozeRigid *rigid, const OozeTwist *sum)
{
    OozeTwist y;
    for (int c = 0; c < 3; c++) {
        y.v[c] = rigid->mass > 0.0 ? sum->v[c] / rigid->mass : 0.0;
    }
    ooze_sym6_apply(rigid->inverse_inertia, sum->v + 3, y.v + 3);
    return y;
}

/* Inverse mass, no row held. */
OOZE_FORMULA OozeTwistMatrix ooze_rigid_free_inverse(const OozeRigid *rigid)
{
    OozeTwistMatrix inverse;
    for (int c = 0; c < 6; c++) {
        OozeTwist unit = {{0, 0, 0, 0, 0, 0}};
        unit.v[c] = 1.0;
        OozeTwist column = ooze_rigid_respond(rigid, &unit);
        for (int r = 0; r < 6; r++) {
            inverse.m[6 * r + c] = column.v[r];
        }
    }
    return inverse;
}

/* Effective inverse mass of a particle of the body over its own: see OozeDensityJob. A push on a
   face of a body of m by m by m particles moves all of it, 1/m for each particle of the face, or
   twice that when it can also rotate. */
OOZE_FORMULA float ooze_rigid_inverse_mass_ratio(const OozeRigid *rigid)
{
    double layers = cbrt((double)rigid->particles);
    return (float)fmin(1.0, 2.0 / fmax(layers, 1.0));
}

/* ---- the pose ---- */

OOZE_FORMULA OozeVec3 ooze_rigid_rotated(const double r[9], OozeVec3 a)
{
    double v[3] = {a.x, a.y, a.z};
    ooze_rigid_rotate(r, v, 0, v);
    return vec3(v[0], v[1], v[2]);
}

/* m += mass from to^T, of positions relative to the centres. */
OOZE_FORMULA void ooze_rigid_add_match(double m[9], double mass, OozeVec3 from, OozeVec3 to)
{
    const double a[3] = {from.x, from.y, from.z}, b[3] = {to.x, to.y, to.z};
    for (int k = 0; k < 9; k++) {
        m[k] += mass * a[k / 3] * b[k % 3];
    }
}

/* moment += mass arm arm^T */
OOZE_FORMULA void ooze_rigid_add_arm(double moment[6], double mass, OozeVec3 arm)
{
    double v[3] = {arm.x, arm.y, arm.z};
    ooze_rigid_add_moment(moment, mass, v);
}

/* Sets the centres from sums of mass times position; `rest` and `now` without particles stay 0. */
OOZE_FORMULA void ooze_rigid_set_centres(OozeRigid *rigid, OozeVec3 rest, OozeVec3 now)
{
    if (rigid->mass > 0.0) {
        rigid->rest_centre = vec3_scale(rest, 1.0 / rigid->mass);
        rigid->centre = vec3_scale(now, 1.0 / rigid->mass);
    }
}

OOZE_FORMULA void ooze_rigid_set_inertia(OozeRigid *rigid, const double moment[6], double spacing)
{
    double smallest = 1e-6 * rigid->mass * spacing * spacing;
    ooze_rigid_inverse_inertia(moment, smallest, rigid->inverse_inertia);
}

/* The end of a step: momenta are conserved, and the spin follows from the inertia in the new pose.
 */
typedef struct OozeRigidEnd {
    OozeVec3 centre;
    double rotation[9]; /* of the step */
    OozeTwist motion;
} OozeRigidEnd;

/* After a gather of momenta into rigid->sum. */
OOZE_FORMULA OozeRigidEnd ooze_rigid_end(OozeRigid *rigid, double dt)
{
    OozeRigidEnd end;
    const double *l = rigid->sum.v + 3;
    rigid->motion = ooze_rigid_respond(rigid, &rigid->sum);
    end.centre = vec3_madd(rigid->centre, dt,
                           vec3(rigid->motion.v[0], rigid->motion.v[1], rigid->motion.v[2]));
    ooze_rigid_step(rigid->inverse_inertia, l, dt, end.rotation);
    end.motion = rigid->motion;
    ooze_rigid_spin(rigid->inverse_inertia, end.rotation, l, end.motion.v + 3);
    return end;
}

/* ---- one contact ---- */

/* Numbers that all contacts of a step share. */
typedef struct OozeRigidScale {
    double dt, spacing;
    float contact; /* m between centres and solids */
} OozeRigidScale;

/* Whether a particle of velocity u at `distance` from a solid may touch it within the step. */
OOZE_FORMULA bool ooze_rigid_may_touch(const OozeRigidScale *scale, double distance, float ux,
                                       float uy, float uz)
{
    double speed = sqrt((double)(ux * ux + uy * uy + uz * uz));
    return distance - (double)scale->contact < scale->spacing + speed * scale->dt;
}

OOZE_FORMULA void ooze_rigid_set_row(OozeRigidContact *contact, const OozeRigid *rigid, int k,
                                     OozeVec3 direction, double speed)
{
    contact->speed[k] = speed;
    contact->row[k] = ooze_rigid_wrench(contact->arm, direction);
    contact->response[k] = ooze_rigid_respond(rigid, &contact->row[k]);
    contact->effective[k] = 1.0 / ooze_twist_dot(&contact->row[k], &contact->response[k]);
}

OOZE_FORMULA OozeRigidContact ooze_rigid_contact(const OozeRigidScale *scale,
                                                 const OozeRigid *rigid, OozeVec3 arm,
                                                 double friction, const OozeContact *met)
{
    OozeRigidContact contact;
    contact.arm = arm;
    contact.friction = friction;
    contact.impulse[0] = contact.impulse[1] = contact.impulse[2] = 0.0;
    /* from the particle at the beginning of the step to the surface at its end */
    double needed = ((double)scale->contact - met->distance) / scale->dt;
    double limit = fmax(0.0, vec3_dot(met->velocity, met->normal)) +
                   OOZE_RIGID_DEPENETRATION * scale->spacing / scale->dt;
    OozeVec3 first = fabs(met->normal.x) < 0.6 ? vec3(1, 0, 0) : vec3(0, 1, 0);
    first = vec3_unit(vec3_cross(met->normal, first), vec3(0, 0, 1));
    OozeVec3 second = vec3_cross(met->normal, first);
    ooze_rigid_set_row(&contact, rigid, 0, met->normal, fmin(needed, limit));
    ooze_rigid_set_row(&contact, rigid, 1, first, vec3_dot(met->velocity, first));
    ooze_rigid_set_row(&contact, rigid, 2, second, vec3_dot(met->velocity, second));
    return contact;
}

/* ---- impulses ---- */

/* Friction holds up to its coefficient times the push; without bound, wherever there is a push. */
OOZE_FORMULA double ooze_rigid_friction_limit(const OozeRigidContact *contact)
{
    return contact->impulse[0] > 0.0 ? contact->friction * contact->impulse[0] : 0.0;
}

/* The impulse of row k that would give its speed, without limits. */
OOZE_FORMULA double ooze_rigid_wanted_impulse(const OozeRigidContact *contact,
                                              const OozeTwist *motion, int k)
{
    double lack = contact->speed[k] - ooze_twist_dot(&contact->row[k], motion);
    return contact->impulse[k] + lack * contact->effective[k];
}

/* Whether ooze_rigid_resolve may change anything. It does not where the body does not press on the
   solid and would not do so without the contact. */
OOZE_FORMULA bool ooze_rigid_contact_acts(const OozeRigidContact *contact, const OozeTwist *motion)
{
    return contact->impulse[0] > 0.0 || contact->impulse[1] != 0.0 || contact->impulse[2] != 0.0 ||
           !(ooze_rigid_wanted_impulse(contact, motion, 0) <= 0.0);
}

/* Impulses of one contact, in one update of projected Gauss-Seidel; returns the largest change of
   speed there. */
OOZE_FORMULA double ooze_rigid_resolve(OozeRigidContact *contact, OozeTwist *motion)
{
    double push = fmax(ooze_rigid_wanted_impulse(contact, motion, 0), 0.0);
    ooze_twist_add(motion, push - contact->impulse[0], &contact->response[0]);
    double largest = fabs(push - contact->impulse[0]) / contact->effective[0];
    contact->impulse[0] = push;
    double next[3];
    for (int k = 1; k < 3; k++) {
        next[k] = ooze_rigid_wanted_impulse(contact, motion, k);
    }
    double size = hypot(next[1], next[2]), limit = ooze_rigid_friction_limit(contact);
    double keep = size > limit ? limit / size : 1.0;
    for (int k = 1; k < 3; k++) {
        double change = keep * next[k] - contact->impulse[k];
        ooze_twist_add(motion, change, &contact->response[k]);
        largest = fmax(largest, fabs(change) / contact->effective[k]);
        contact->impulse[k] += change;
    }
    return largest;
}

/* ---- rows that contacts hold ---- */

OOZE_FORMULA bool ooze_rigid_contact_sticks(const OozeRigidContact *contact)
{
    return hypot(contact->impulse[1], contact->impulse[2]) <
           0.999 * ooze_rigid_friction_limit(contact);
}

/* Whether there is room for a row among those that are held, and it does not depend on them. */
OOZE_FORMULA bool ooze_rigid_row_is_independent(const OozeRigid *rigid, const OozeTwist *row)
{
    OozeTwist whole = ooze_rigid_respond(rigid, row), left = ooze_twist_apply(&rigid->inverse, row);
    return rigid->held_count < 6 &&
           ooze_twist_dot(row, &left) > OOZE_RIGID_DEPENDENT * ooze_twist_dot(row, &whole);
}

OOZE_FORMULA void ooze_rigid_hold_row(OozeRigid *rigid, const OozeTwist *row)
{
    rigid->held[rigid->held_count++] = *row;
    ooze_twist_hold(&rigid->inverse, row);
}

OOZE_FORMULA void ooze_rigid_hold_none(OozeRigid *rigid)
{
    rigid->held_count = 0;
    rigid->inverse = ooze_rigid_free_inverse(rigid);
}

/* ---- passes of the velocity solve ---- */

/* After the contacts of a pass have been resolved, with the sum of the impulses of slipping
   friction. */
OOZE_FORMULA void ooze_rigid_set_slip(OozeRigid *rigid, const OozeTwist *impulses)
{
    rigid->slip = ooze_rigid_respond(rigid, impulses);
    if (rigid->held_count == 0) { /* no contacts: continues from the motion of the search */
        rigid->motion = rigid->pass_motion;
    }
}

/* Motion under external forces and slipping friction. */
OOZE_FORMULA OozeTwist ooze_rigid_free_motion(const OozeRigid *rigid)
{
    OozeTwist motion = rigid->motion_star;
    ooze_twist_add(&motion, 1.0, &rigid->slip);
    return motion;
}

/* The motion at the end of a pass becomes that without contacts; `lacking`: sum of the residual. */
OOZE_FORMULA void ooze_rigid_release(OozeRigid *rigid, const OozeTwist *momentum,
                                     const OozeTwist *lacking)
{
    OozeTwist change = ooze_rigid_respond(rigid, lacking);
    rigid->motion = ooze_rigid_respond(rigid, momentum);
    rigid->pass_motion = rigid->motion;
    ooze_twist_add(&rigid->motion, 1.0, &change);
    ooze_twist_add(&rigid->motion, -1.0, &rigid->slip);
}

/* ---- smoothers ---- */

/* rigid->smoother; `around`: sum of ooze_twist_add_point of the stiffness around the body. */
OOZE_FORMULA void ooze_rigid_set_smoother(OozeRigid *rigid, const OozeTwistMatrix *around)
{
    OozeTwistMatrix none = {{0}};
    rigid->smoother = rigid->mass > 0.0 ? ooze_twist_inverse(*around) : none;
    for (int h = 0; h < rigid->held_count; h++) {
        ooze_twist_hold(&rigid->smoother, &rigid->held[h]);
    }
}

#endif
