/* One particle and one dynamic solid, for the processor and the GPU: the body of loops over the
   particles near a solid. See bodies.c. */
#ifndef OOZE_METHODS_SPRINGS_BODIES_FORMULA_H
#define OOZE_METHODS_SPRINGS_BODIES_FORMULA_H

#include "solids/contact.h"
#include "solids/dynamic.h"
#include "solids/sweep_formula.h"

/* The collision of a particle with the solids. */
typedef struct OozeSpringsCollision {
    OozeVec3 position, velocity;   /* at the end of the step */
    OozeVec3 incoming_velocity;    /* before the first collision */
    OozeTouches touches, adhesion; /* velocity changes by collision and by stickiness */
} OozeSpringsCollision;

/* A dynamic solid at its present pose. */
typedef struct OozeSpringsBody {
    int solid;                         /* index among those of the step */
    double mass;                       /* kg */
    double inertia[3][3];              /* kg m2, about the centre */
    OozeVec3 centre;                   /* of mass */
    OozeVec3 free_velocity, free_spin; /* of the centre, after free flight */
    double wet_friction;               /* see ooze_contact_wet_fraction */
} OozeSpringsBody;

/* Largest number of active-set iterations of a solid: until the set of approaching particles is
   constant. */
enum { OOZE_SPRINGS_ACTIVE_ROUNDS = 12 };

/* What particles lost to a dynamic solid, and the mass of those that touch it, kg. */
typedef struct OozeSpringsLost {
    OozeLoad load;
    double touching;
} OozeSpringsLost;

/* Whether a particle that moves by `travel` may collide with a solid `reach` away from it, whose
   surface moves by `moved` in free flight. */
OOZE_FORMULA bool ooze_springs_may_collide(double distance, double reach, double travel,
                                           double moved, double support)
{
    return distance < reach + travel + 2.0 * moved + support;
}

/* Eq 12: a pull of solid k at the present position. Changes the position as well, like all impulses
   of this stage. */
OOZE_FORMULA void ooze_springs_stick(OozeSpringsCollision *m, int k, OozeVec3 pull, double dt)
{
    if ((pull.x != 0.0 || pull.y != 0.0 || pull.z != 0.0) &&
        ooze_touches_record(&m->adhesion, k, m->position, pull)) {
        m->velocity = vec3_add(m->velocity, pull);
        m->position = vec3_madd(m->position, dt, pull);
    }
}

/* ---- the system of a solid ------------------------------------------------------------------ */

/* A symmetric 6x6 system: velocity of the centre, then angular velocity; and the number of the
   particles in it. */
typedef struct OozeSpringsSystem {
    double a[6][6], b[6], active;
} OozeSpringsSystem;

/* The mass matrix of the solid. */
OOZE_FORMULA void ooze_springs_system_begin(OozeSpringsSystem *y, const OozeSpringsBody *body)
{
    for (int i = 0; i < 6; i++) {
        y->b[i] = 0.0;
        for (int j = 0; j < 6; j++) {
            y->a[i][j] = i >= 3 && j >= 3 ? body->inertia[i - 3][j - 3] : 0.0;
        }
        y->a[i][i] = i < 3 ? body->mass : y->a[i][i];
    }
    y->active = 0.0;
}

/* J^T K v, with J = (1, -r x): force and moment. */
OOZE_FORMULA void ooze_springs_contact_column(const double k[3][3], OozeVec3 r, OozeVec3 v,
                                              double column[6])
{
    OozeVec3 f = vec3(k[0][0] * v.x + k[0][1] * v.y + k[0][2] * v.z,
                      k[1][0] * v.x + k[1][1] * v.y + k[1][2] * v.z,
                      k[2][0] * v.x + k[2][1] * v.y + k[2][2] * v.z);
    OozeVec3 t = vec3_cross(r, f);
    column[0] = f.x;
    column[1] = f.y;
    column[2] = f.z;
    column[3] = t.x;
    column[4] = t.y;
    column[5] = t.z;
}

/* Adds m J^T K J and m J^T K v. */
OOZE_FORMULA void ooze_springs_add_contact(OozeSpringsSystem *y, double m, double mu, OozeVec3 n,
                                           OozeVec3 r, OozeVec3 v)
{
    double k[3][3], column[6];
    const double normal[3] = {n.x, n.y, n.z};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            k[i][j] = m * ((1.0 - mu) * normal[i] * normal[j] + (i == j ? mu : 0.0));
        }
    }
    for (int c = 0; c < 6; c++) {
        OozeVec3 axis = vec3(c % 3 == 0, c % 3 == 1, c % 3 == 2);
        ooze_springs_contact_column((const double(*)[3])k, r, c < 3 ? axis : vec3_cross(axis, r),
                                    column);
        for (int i = 0; i < 6; i++) {
            y->a[i][c] += column[i];
        }
    }
    ooze_springs_contact_column((const double(*)[3])k, r, v, column);
    for (int i = 0; i < 6; i++) {
        y->b[i] += column[i];
    }
}

/* The first contact of a particle with a solid, and the particle's velocity before it; NULL:
   none. */
OOZE_FORMULA const OozeTouch *ooze_springs_first_touch(const OozeSpringsCollision *m, int solid,
                                                       OozeVec3 *incoming_velocity)
{
    *incoming_velocity = m->incoming_velocity;
    for (int t = 0; t < m->touches.count; t++) {
        if (m->touches.item[t].solid == solid) {
            return &m->touches.item[t];
        }
        *incoming_velocity = vec3_add(*incoming_velocity, m->touches.item[t].change);
    }
    return NULL;
}

/* Adds a particle of `mass` that touches the solid at `point`, if it approaches the solid when this
   moves by x relative to free flight. */
OOZE_FORMULA void ooze_springs_add_particle(OozeSpringsSystem *y, const OozeSpringsBody *body,
                                            const double x[6], OozeVec3 point, OozeVec3 normal,
                                            OozeVec3 incoming_velocity, double mass)
{
    OozeVec3 r = vec3_sub(point, body->centre);
    OozeVec3 v =
        vec3_sub(incoming_velocity, vec3_add(body->free_velocity, vec3_cross(body->free_spin, r)));
    OozeVec3 yields = vec3_add(vec3(x[0], x[1], x[2]), vec3_cross(vec3(x[3], x[4], x[5]), r));
    if (vec3_dot(normal, vec3_sub(v, yields)) < 0.0) {
        ooze_springs_add_contact(y, mass, body->wet_friction, normal, r, v);
        y->active += 1.0;
    }
}

/* Adds the load of stickiness. */
OOZE_FORMULA void ooze_springs_add_load(OozeSpringsSystem *y, const OozeLoad *load)
{
    const double by[6] = {load->impulse.x, load->impulse.y, load->impulse.z,
                          load->moment.x,  load->moment.y,  load->moment.z};
    for (int k = 0; k < 6; k++) {
        y->b[k] += by[k];
    }
}

/* Gaussian elimination. The matrix is positive definite, so no pivoting is needed. */
OOZE_FORMULA void ooze_springs_system_solve(OozeSpringsSystem *y, double x[6])
{
    for (int p = 0; p < 6; p++) {
        for (int i = p + 1; i < 6; i++) {
            double share = y->a[i][p] / y->a[p][p];
            for (int j = p; j < 6; j++) {
                y->a[i][j] -= share * y->a[p][j];
            }
            y->b[i] -= share * y->b[p];
        }
    }
    for (int p = 5; p >= 0; p--) {
        x[p] = y->b[p];
        for (int j = p + 1; j < 6; j++) {
            x[p] -= y->a[p][j] * x[j];
        }
        x[p] /= y->a[p][p];
    }
}

/* Solves for x, unless as many particles are in the system as in the last one, `active`; false: the
   number is unchanged, and so is x. */
OOZE_FORMULA bool ooze_springs_system_update(OozeSpringsSystem *y, double x[6], double *active)
{
    bool changed = y->active != *active;
    *active = y->active;
    if (changed) {
        ooze_springs_system_solve(y, x);
    }
    return changed;
}

/* ---- loads ---------------------------------------------------------------------------------- */

/* Adds the momentum that a particle of `mass` loses to a solid; true: it touches the solid. */
OOZE_FORMULA bool ooze_springs_add_reaction(OozeLoad *load, const OozeTouches *touches, int solid,
                                            OozeVec3 centre, double mass)
{
    bool touched = false;
    for (int t = 0; t < touches->count; t++) {
        const OozeTouch *touch = &touches->item[t];
        if (touch->solid == solid) {
            touched = true;
            ooze_load_add(load, centre, touch->point, vec3_scale(touch->change, -mass));
        }
    }
    return touched;
}

/* A particle's velocity after `changes` of those that touch a solid, one per dynamic solid. */
OOZE_FORMULA OozeVec3 ooze_springs_changed_velocity(const OozeSpringsCollision *m,
                                                    const OozeSpringsBody *bodies, int count,
                                                    const OozeVec3 *changes)
{
    OozeVec3 velocity = m->velocity, incoming;
    for (int k = 0; k < count; k++) {
        if (ooze_springs_first_touch(m, bodies[k].solid, &incoming)) {
            velocity = vec3_add(velocity, changes[k]);
        }
    }
    return velocity;
}

#endif
