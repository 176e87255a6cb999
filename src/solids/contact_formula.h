/* Collision of one particle with a solid, for the processor and the GPU. */
#ifndef OOZE_SOLIDS_CONTACT_FORMULA_H
#define OOZE_SOLIDS_CONTACT_FORMULA_H

#include "base/vec3.h"
#include "physics/contact.h"
#include "solids/solid.h"

/* Moves a particle that is nearer than `margin` to a solid out of it and changes its velocity by
   restitution and friction. Returns that change. */
OOZE_FORMULA OozeVec3 ooze_contact_collide(const OozeContact *contact, double margin,
                                           double restitution, double friction, OozeVec3 *x,
                                           OozeVec3 *v)
{
    OozeVec3 before = *v;
    if (!(contact->distance < margin)) {
        return vec3(0, 0, 0);
    }
    *x = vec3_madd(*x, margin - contact->distance, contact->normal);
    OozeVec3 relative = vec3_sub(*v, contact->velocity);
    OozeContactVector after = ooze_contact_bounce(
        ooze_contact_vector((float)relative.x, (float)relative.y, (float)relative.z),
        ooze_contact_vector((float)contact->normal.x, (float)contact->normal.y,
                            (float)contact->normal.z),
        (float)restitution, (float)friction);
    *v = vec3_add(contact->velocity, vec3((double)after.x, (double)after.y, (double)after.z));
    return vec3_sub(*v, before);
}

#endif
