/* Contact of a particle with solids in the velocity solve: a contact set holds the directions in
   which solids prescribe its velocity. Valid C17 and CUDA: the processor and the GPU find and
   release contacts by the same functions. */
#ifndef OOZE_SOLVERS_CONTACT_CONTACT_SET_FORMULA_H
#define OOZE_SOLVERS_CONTACT_CONTACT_SET_FORMULA_H

#include "solids/solid.h"
#include "solvers/density/density_formula.h"
#include "solvers/vectors/vector_formula.h"

/* Orthonormal directions in which a particle moves with a surface, normals first. */
typedef struct OozeContactSet {
    OozeVector direction[3]; /* fourth lanes 0 */
    float speed[3];          /* velocity along each direction */
    int32_t count;           /* directions */
    int32_t normals;  /* of these, normals of solids; the others are tangents with friction */
    float friction;   /* Coulomb coefficient of the first solid in contact */
    int32_t released; /* not 0: the last pass has released directions */
} OozeContactSet;

/* Largest speed, in spacings a step, at which contact moves a particle out of a solid: more would
   eject it. Position-only shifts of the density stage do the rest. */
#define OOZE_CONTACT_LEAVES 0.02
/* Overlaps deeper than this many spacings are relaxed: see
   ooze_conformation_set_density_targets. */
#define OOZE_CONTACT_DEEP 0.25

enum { OOZE_CONTACT_ALL = 7 }; /* bits of all directions */

typedef struct OozeContactScale {
    double dt, spacing;
    double distance; /* m between centres and surfaces */
} OozeContactScale;

/* A contact set while solids are tested one after the other. */
typedef struct OozeContactSearch {
    OozeContactSet set;
    OozeVec3 normal, velocity; /* of the first solid in contact */
} OozeContactSearch;

OOZE_FORMULA float ooze_contact_dot(const float *a, const float *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Lanes of direction k. */
OOZE_FORMULA float *ooze_contact_lanes(OozeContactSet *set, int k)
{
    return (float *)&set->direction[k];
}

/* Adds a direction, orthogonalised against those in the set. */
OOZE_FORMULA void ooze_contact_add_direction(OozeContactSet *set, OozeVec3 normal, double speed)
{
    float n[3] = {(float)normal.x, (float)normal.y, (float)normal.z}, rest = (float)speed;
    for (int k = 0; k < set->count; k++) {
        const float *d = ooze_contact_lanes(set, k);
        float along = ooze_contact_dot(n, d);
        for (int c = 0; c < 3; c++) {
            n[c] -= along * d[c];
        }
        rest -= along * set->speed[k];
    }
    float length = sqrtf(ooze_contact_dot(n, n));
    if (set->count < 3 && length > 0.1f) {
        float *d = ooze_contact_lanes(set, set->count);
        for (int c = 0; c < 3; c++) {
            d[c] = n[c] / length;
        }
        d[3] = 0.0f;
        set->speed[set->count] = rest / length;
        set->count++;
    }
}

/* An empty set. */
OOZE_FORMULA void ooze_contact_begin(OozeContactSearch *search)
{
    search->set.count = search->set.normals = search->set.released = 0;
    search->set.friction = 0.0f;
}

/* All components of a velocity that a nozzle or a solid prescribes. */
OOZE_FORMULA void ooze_contact_prescribe(OozeContactSet *set, OozeVec3 u)
{
    ooze_contact_add_direction(set, vec3(1, 0, 0), u.x);
    ooze_contact_add_direction(set, vec3(0, 1, 0), u.y);
    ooze_contact_add_direction(set, vec3(0, 0, 1), u.z);
}

/* Smallest velocity along the normal that keeps the contact distance: from the particle at the
   beginning of the step to the surface at its end. `deep`: the particle lies deep in the solid. */
OOZE_FORMULA double ooze_contact_speed(const OozeContactScale *scale, const OozeContact *contact,
                                       bool *deep)
{
    double surface = vec3_dot(contact->velocity, contact->normal);
    double lack = (scale->distance - contact->distance) / scale->dt - surface;
    *deep = lack * scale->dt > OOZE_CONTACT_DEEP * scale->spacing;
    return surface + fmin(lack, OOZE_CONTACT_LEAVES * scale->spacing / scale->dt);
}

/* Adds a solid that velocity u would enter. */
OOZE_FORMULA void ooze_contact_meet(OozeContactSearch *search, const OozeContact *contact,
                                    double speed, OozeVec3 u, double friction)
{
    if (vec3_dot(u, contact->normal) < speed) {
        if (search->set.count == 0) {
            search->normal = contact->normal;
            search->velocity = contact->velocity;
            search->set.friction = (float)friction;
        }
        ooze_contact_add_direction(&search->set, contact->normal, speed);
    }
}

/* Adds the tangents of the first contact, which move with its surface; whether friction holds
   them is decided by ooze_contact_release, when the normal force is known. The samples
   of a no-slip solid (infinite friction) drag the fluid along, and its tangents stay free. */
OOZE_FORMULA void ooze_contact_add_tangents(OozeContactSearch *search)
{
    OozeContactSet *set = &search->set;
    set->normals = set->count;
    if (set->count > 0 && set->friction > 0.0f && isfinite(set->friction)) {
        OozeVec3 normal = search->normal, surface = search->velocity;
        OozeVec3 first = fabs(normal.x) < 0.6 ? vec3(1, 0, 0) : vec3(0, 1, 0);
        first = vec3_unit(vec3_cross(normal, first), vec3(0, 0, 1));
        OozeVec3 second = vec3_cross(normal, first);
        ooze_contact_add_direction(set, first, vec3_dot(surface, first));
        ooze_contact_add_direction(set, second, vec3_dot(surface, second));
    }
}

/* The velocity of a particle in contact, v without it. A solid only pushes: along its normals the
   particle moves at least as fast as the surface; along tangents it moves with the surface if
   friction, limited by the push, suffices. `active`, bit k: direction k has the speed of the
   surface. */
OOZE_FORMULA OozeVector ooze_contact_velocity(const OozeContactSet *set, OozeVector v,
                                              uint8_t *active)
{
    OozeVector slip = ooze_vector_zero();
    float push = 0.0f;
    uint8_t normals = 0, tangents = 0;
    for (int k = 0; k < set->count; k++) {
        float lack = set->speed[k] - ooze_vector_dot(v, set->direction[k]);
        if (k >= set->normals) {
            slip = ooze_vector_madd(slip, lack, set->direction[k]);
            tangents |= (uint8_t)(1 << k);
        } else if (lack > 0.0f) {
            push += lack;
            v = ooze_vector_madd(v, lack, set->direction[k]);
            normals |= (uint8_t)(1 << k);
        }
    }
    float size = sqrtf(ooze_vector_dot(slip, slip)), limit = set->friction * push;
    *active = (uint8_t)(push > 0.0f && !(size > limit) ? normals | tangents : normals);
    return push > 0.0f ? ooze_vector_madd(v, ooze_shortened(size, limit), slip) : v;
}

/* Removes from v the components along the directions with their bit in `active`. */
OOZE_FORMULA OozeVector ooze_contact_project(const OozeContactSet *set, OozeVector v, int active)
{
    for (int k = 0; k < set->count; k++) {
        float along = active >> k & 1 ? ooze_vector_dot(v, set->direction[k]) : 0.0f;
        v = ooze_vector_madd(v, -along, set->direction[k]);
    }
    return v;
}

/* v projected, and the speed of the surface along all directions. */
OOZE_FORMULA OozeVector ooze_contact_prescribed(const OozeContactSet *set, OozeVector v)
{
    v = ooze_contact_project(set, v, OOZE_CONTACT_ALL);
    for (int k = 0; k < set->count; k++) {
        v = ooze_vector_madd(v, set->speed[k], set->direction[k]);
    }
    return v;
}

/* Moves direction `from` to place `to`. */
OOZE_FORMULA void ooze_contact_keep(OozeContactSet *set, int to, int from)
{
    set->direction[to] = set->direction[from];
    set->speed[to] = set->speed[from];
}

/* A solid pushes and does not pull, and friction holds up to its coefficient times the normal
   force. `force` is the contact force that the velocities of the last pass need; directions in
   which the solid cannot give it are released. `friction` is the force of a contact that slips. */
OOZE_FORMULA void ooze_contact_release(OozeContactSet *set, const float *force, float *friction)
{
    float normal_force = 0.0f, drag[3] = {0.0f, 0.0f, 0.0f};
    int kept = 0;
    for (int k = 0; k < set->normals; k++) {
        float along = ooze_contact_dot(force, ooze_contact_lanes(set, k));
        if (along >= 0.0f) {
            normal_force += along;
            ooze_contact_keep(set, kept++, k);
        }
    }
    const int tangents = set->normals, count = set->count;
    set->normals = kept;
    for (int k = tangents; k < count; k++) {
        const float *d = ooze_contact_lanes(set, k);
        float along = ooze_contact_dot(force, d);
        for (int c = 0; c < 3; c++) {
            drag[c] += along * d[c];
        }
    }
    float size = sqrtf(ooze_contact_dot(drag, drag)), limit = set->friction * normal_force;
    bool sticks = kept > 0 && size <= limit, slips = !sticks && kept > 0 && size > 0.0f;
    for (int k = tangents; k < count && sticks; k++) {
        ooze_contact_keep(set, kept++, k);
    }
    set->released = kept < count;
    set->count = kept;
    for (int c = 0; c < 3; c++) {
        friction[c] = slips ? drag[c] * (limit / size) : 0.0f;
    }
}

#endif
