/* What loops ask of one particle of a step, for the processor and the GPU. */
#ifndef OOZE_METHODS_CONFORMATION_STEP_FORMULA_H
#define OOZE_METHODS_CONFORMATION_STEP_FORMULA_H

#include "base/vec3.h"
#include "methods/conformation/position_stage_formula.h"
#include "methods/conformation/step.h"

OOZE_FORMULA OozeVec3 ooze_vector_widen(OozeVector a)
{
    return vec3((double)ooze_vector_lane(a, 0), (double)ooze_vector_lane(a, 1),
                (double)ooze_vector_lane(a, 2));
}

/* The contacts of a particle; NULL: none. */
OOZE_FORMULA OozeContactSet *ooze_step_contacts(const OozeConformationStep *s, uint64_t i)
{
    return s->contact_of && s->contact_of[i] >= 0 ? &s->contact_sets[s->contact_of[i]] : NULL;
}

/* Whether a particle is in free flight, and so meets no solid. It has no contacts: a contact
   replaces a solid by the tangent plane at the point nearest to the beginning of the path, and that
   plane could stop the particle. */
OOZE_FORMULA bool ooze_step_flies_freely(const OozeConformationStep *s, uint64_t i)
{
    return ooze_flies_freely(ooze_vector_dot(s->velocity[i], s->velocity[i]), s->free_speed);
}

/* Whether the pressure grid holds it. */
OOZE_FORMULA bool ooze_step_is_held(const OozeConformationStep *s, uint64_t i)
{
    return s->reached && s->reached[i] > 0.0f;
}

/* Whether it belongs to a rigid or soft body, and to a rigid one. */
OOZE_FORMULA bool ooze_step_is_body(const OozeConformationStep *s, uint64_t i)
{
    return s->body && s->body[i];
}

OOZE_FORMULA bool ooze_step_is_rigid(const OozeConformationStep *s, uint64_t i)
{
    return s->rigid_of && s->rigid_of[i];
}

/* Whether the neighbours of a particle do not span three directions, so that it has no gradient and
   no stress of its own. */
OOZE_FORMULA bool ooze_step_is_singular(const OozeConformationStep *s, uint64_t i)
{
    return s->correction[i].xx == 0.0f;
}

/* Begins the search for its contacts; *u becomes the velocity that they oppose. False: solids add
   nothing to the set. */
OOZE_FORMULA bool ooze_step_begin_contacts(const OozeConformationStep *s, uint64_t i,
                                           OozeContactSearch *search, OozeVec3 *u)
{
    *u = ooze_vector_widen(s->u[i]);
    ooze_contact_begin(search);
    if (s->mobility[i] == 0.0f) {
        ooze_contact_prescribe(&search->set, *u);
        return false;
    }
    if (ooze_step_is_held(s, i)) { /* weight is the pressure's, and comes in later */
        *u = ooze_vector_widen(s->velocity[i]);
    }
    return !ooze_step_is_rigid(s, i); /* contacts act on a rigid body as a whole */
}

/* ---- positions ---- */

OOZE_FORMULA void ooze_step_predict(const OozeConformationStep *s, uint64_t i)
{
    OozeVector x = ooze_vector_madd(s->x0[i], s->dt, s->u[i]);
    s->x[i] = s->first_push ? ooze_vector_madd(x, 1.0f, s->first_push[i]) : x;
    s->drift[i] = s->position_only_shift[i] = ooze_vector_zero();
}

/* Velocities get the shift of the density stage. Returns how far the particle has moved, or
   deviated from a straight path in free flight. */
OOZE_FORMULA OozeVector ooze_step_arrive(const OozeConformationStep *s, uint64_t i)
{
    OozeVector shift = s->shift[i], u = s->u[i], only = s->position_only_shift[i];
    if (s->first_push) { /* x has it already */
        shift = s->shift[i] = ooze_vector_madd(shift, 1.0f, s->first_push[i]);
    }
    OozeVector travel = ooze_vector_add(ooze_vector_scale(s->dt, u), shift);
    travel = ooze_vector_add(travel, ooze_vector_add(s->drift[i], only));
    s->u[i] = ooze_vector_madd(u, 1.0f, ooze_vector_over(ooze_vector_add(shift, only), s->dt));
    return ooze_step_flies_freely(s, i) ? ooze_vector_madd(travel, -s->dt, s->velocity[i]) : travel;
}

#endif
