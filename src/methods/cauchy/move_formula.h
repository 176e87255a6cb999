/* Collisions and shifts of close particles, for the processor and the GPU. */
#ifndef OOZE_METHODS_CAUCHY_MOVE_FORMULA_H
#define OOZE_METHODS_CAUCHY_MOVE_FORMULA_H

#include "methods/cauchy/walls_formula.h"

/* Largest shift of a step, spacings. */
#define OOZE_CAUCHY_LONGEST_SHIFT 0.05f
/* Share of the missing distance by which each particle of a close pair is shifted in a step. */
#define OOZE_CAUCHY_SHIFT_SHARE 0.25f
/* Share of the contact distance at which positions are pushed out of solids. */
#define OOZE_CAUCHY_PUSH_OUT 0.8
/* A wall that fluid clings to also pulls particles that are nearer than this many contact
   distances. */
#define OOZE_CAUCHY_CLINGS 1.2
/* Restitution of collisions between particles. */
#define OOZE_CAUCHY_RESTITUTION 0.2f

/* Distance from which on pairs neither collide nor are shifted. */
OOZE_FORMULA float ooze_cauchy_close_distance(const OozeCauchyConstants *k)
{
    return fmaxf(fmaxf(k->shift_distance, k->collision_distance), k->overlap_distance);
}

/* Change of the velocity of a particle away from another at the distance r that it approaches at
   the given speed: momentum is exchanged where they are nearer than `distance`. a and b: inverse
   masses. */
OOZE_FORMULA float ooze_cauchy_collision(float r, float approach, float distance, float a, float b)
{
    return r < distance && approach > 0.0f && a + b > 0.0f
               ? 0.5f * (1.0f + OOZE_CAUCHY_RESTITUTION) * approach * a / (a + b)
               : 0.0f;
}

/* Shift of a particle away from another: fluid that is drawn out leaves its particles in strings,
   which this spreads again. Positions alone change. */
OOZE_FORMULA float ooze_cauchy_shift(float r, float distance)
{
    return r < distance ? OOZE_CAUCHY_SHIFT_SHARE * (distance - r) : 0.0f;
}

/* Largest shift of a particle in a step, spacings, at a shear rate: some times the deformation
   of the neighbourhood in the step, so that fluid at rest stays as it is. */
OOZE_FORMULA float ooze_cauchy_longest_shift(float rate, float dt)
{
    float most = 1.0f * rate * dt;
    return most < OOZE_CAUCHY_LONGEST_SHIFT ? most : OOZE_CAUCHY_LONGEST_SHIFT;
}

/* Factor that shortens a vector to the length `most`. */
OOZE_FORMULA float ooze_cauchy_shortening(float square, float most)
{
    return square > most * most ? most / sqrtf(square) : 1.0f;
}

/* Share of an outward shift that is left out, by |sum h| over that of a flat surface: shifts must
   not make the fluid larger. */
OOZE_FORMULA float ooze_cauchy_held_share(float side)
{
    return side > 0.5f ? 1.0f : 2.0f * side;
}

/* Velocity of a particle in contact with a surface: along the normal it comes no nearer than the
   contact distance, and that of the surface where fluid clings to it; along tangents Coulomb
   friction acts by the push. */
OOZE_FORMULA OozeVec3 ooze_cauchy_contact(const OozeContact *contact, double distance, double dt,
                                          double friction, OozeVec3 v)
{
    double surface = vec3_dot(contact->velocity, contact->normal);
    double lack = (distance - contact->distance) / dt - surface;
    double least = surface + (lack < 0.0 ? lack : 0.0), along = vec3_dot(v, contact->normal);
    bool clings = friction > 1e30 && contact->distance < OOZE_CAUCHY_CLINGS * distance;
    if (along < least) {
        OozeVec3 slip = vec3_sub(v, contact->velocity);
        slip = vec3_madd(slip, -vec3_dot(slip, contact->normal), contact->normal);
        double speed = vec3_length(slip), push = least - along;
        double keep = friction > 1e30 ? 1.0
                                      : (double)ooze_friction_factor((float)friction, (float)push,
                                                                     (float)speed);
        v = vec3_madd(v, push, contact->normal);
        return vec3_madd(v, keep - 1.0, slip);
    }
    return clings && along > surface ? vec3_madd(v, surface - along, contact->normal) : v;
}

typedef struct OozeCauchyTouch {
    double spacing, contact_distance; /* m */
    double dt;
    double friction; /* of the solid */
} OozeCauchyTouch;

/* Velocity of a particle at x with the velocity v after the contact with one solid. */
OOZE_FORMULA OozeVec3 ooze_cauchy_touch(const OozeShape *shape, const OozePose *pose,
                                        const OozeCauchyTouch *touch, OozeVec3 x, OozeVec3 v)
{
    double range = OOZE_CAUCHY_CLINGS * touch->contact_distance + touch->dt * vec3_length(v);
    OozeContact surfaces[OOZE_SURFACES_MAX];
    int count =
        ooze_cauchy_surfaces(shape, pose, x, touch->spacing, range, surfaces, OOZE_SURFACES_MAX);
    for (int k = 0; k < count; k++) {
        v = ooze_cauchy_contact(&surfaces[k], touch->contact_distance, touch->dt, touch->friction,
                                v);
    }
    return v;
}

#endif
