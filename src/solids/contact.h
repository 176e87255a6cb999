/* Keeping particles out of solids: for methods that move particles and then ask. */
#ifndef OOZE_SOLIDS_CONTACT_H
#define OOZE_SOLIDS_CONTACT_H

#include "solids/solid.h"

/* How near particles come, and how finely their way is searched. */
typedef struct OozeContactRule {
    double margin; /* m between a particle's centre and a surface */
    double
        tolerance; /* m; walls thicker than this are never crossed; a tenth of the spacing is fine */
    double dt;     /* s */
} OozeContactRule;

/* Velocity after touching: restitution and friction of the solid, relative to its surface. */
OozeVec3 ooze_contact_velocity(const OozeSolid *solid, const OozeContact *contact,
                               OozeVec3 velocity);

/* Change of velocity by which a solid holds what is near (zero where it does not stick). `distance`
   is from the particle's skin: the contact's distance less the margin. */
OozeVec3 ooze_contact_stick(const OozeSolid *solid, const OozeContact *contact, double distance,
                            double dt);

/* A particle was moved from `from` to `*position` with `*velocity` during the step: stops it at the
   first solid on its way, lets it slide on along the surface, and puts it outside of all. */
void ooze_contact_resolve(const OozeSolid *solids, int count, const OozeContactRule *rule,
                          OozeVec3 from, OozeVec3 *position, OozeVec3 *velocity);

#endif
