/* Contact of particles with solids, for methods that move particles first and resolve collisions
   afterwards. */
#ifndef OOZE_SOLIDS_CONTACT_H
#define OOZE_SOLIDS_CONTACT_H

#include "solids/solid.h"

typedef struct OozeContactRule {
    double margin;    /* m between a particle's centre and a surface */
    double tolerance; /* m: thicker walls are never crossed; a tenth of the spacing is enough */
    double dt;        /* s */
    /* above 0: no restitution; friction is the fraction of its tangential velocity that a particle
       loses in 1/wet steps of contact, from 1 on all of it at once. 0: restitution and Coulomb
       friction */
    double wet;
    bool dry; /* solids without a friction of their own have that of dry solids */
} OozeContactRule;

/* Changes of a particle's velocity by solids, and where they act. */
enum { OOZE_TOUCHES_MAX = 8 };
typedef struct OozeTouch {
    int solid;
    OozeVec3 point, change;
} OozeTouch;
typedef struct OozeTouches {
    OozeTouch item[OOZE_TOUCHES_MAX];
    int count;
} OozeTouches;

/* Fraction of the tangential velocity that wet friction removes in a step. */
double ooze_contact_wet_fraction(const OozeSolid *solid, const OozeContactRule *rule);

/* Change of velocity by adhesion to a solid (zero where it does not stick). `distance` is the
   contact's distance less the margin. */
OozeVec3 ooze_contact_stick(const OozeSolid *solid, const OozeContact *contact, double distance,
                            double dt);

/* For a particle that moved from `from` to `*position` with `*velocity` during the step: stops it
   at the first solid on its path, slides it along the surface, and moves it out of all solids.
   Every change of velocity is added to `touches`; NULL: they are not recorded. */
void ooze_contact_resolve(const OozeSolid *solids, int count, const OozeContactRule *rule,
                          OozeVec3 from, OozeVec3 *position, OozeVec3 *velocity,
                          OozeTouches *touches);
/* Moves a particle for a step with contacts; true: a solid has changed its position or velocity. */
bool ooze_contact_advance(const OozeSolid *solids, int count, const OozeContactRule *rule,
                          OozeVec3 *position, OozeVec3 *velocity);

#endif
