/* Keeping particles out of solids: for methods that move particles and then ask. */
#ifndef OOZE_SOLIDS_CONTACT_H
#define OOZE_SOLIDS_CONTACT_H

#include "solids/solid.h"

/* How near particles come, and how finely their way is searched. */
typedef struct OozeContactRule {
    double margin; /* m between a particle's centre and a surface */
    double
        /* m; walls thicker than this are never crossed; a tenth of the spacing is fine */
        tolerance;
    double dt;  /* s */
    double wet; /* above 0: no restitution, and friction is the share of its tangential velocity
                      that a particle loses in 1/wet steps of touching, from 1 on all of it at once;
                      0: restitution and Coulomb's friction */
} OozeContactRule;

/* What solids did to a particle: changes of its velocity, and where. */
enum { OOZE_TOUCHES_MAX = 8 };
typedef struct OozeTouch {
    int solid;
    OozeVec3 point, change;
} OozeTouch;
typedef struct OozeTouches {
    OozeTouch item[OOZE_TOUCHES_MAX];
    int count;
} OozeTouches;

/* The share that a wet touch takes in one step. */
double ooze_contact_wet_share(const OozeSolid *solid, const OozeContactRule *rule);

/* Change of velocity by which a solid holds what is near (zero where it does not stick). `distance`
   is from the particle's skin: the contact's distance less the margin. */
OozeVec3 ooze_contact_stick(const OozeSolid *solid, const OozeContact *contact, double distance,
                            double dt);

/* A particle was moved from `from` to `*position` with `*velocity` during the step: stops it at the
   first solid on its way, lets it slide on along the surface, and puts it outside of all. */
void ooze_contact_resolve(const OozeSolid *solids, int count, const OozeContactRule *rule,
                          OozeVec3 from, OozeVec3 *position, OozeVec3 *velocity);

/* The same, adding every change of velocity to `touches`. */
void ooze_contact_resolve_recording(const OozeSolid *solids, int count, const OozeContactRule *rule,
                                    OozeVec3 from, OozeVec3 *position, OozeVec3 *velocity,
                                    OozeTouches *touches);
/* Adds one; where there is no room it goes to the last of the same solid. False: nowhere, nothing
   was noted. */
bool ooze_touches_add(OozeTouches *touches, int solid, OozeVec3 point, OozeVec3 change);

#endif
