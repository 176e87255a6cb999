/* What a step of the links method does to one particle or one link, for the processor and the
   GPU. */
#ifndef OOZE_METHODS_LINKS_PARTICLE_FORMULA_H
#define OOZE_METHODS_LINKS_PARTICLE_FORMULA_H

#include "methods/links/arrays.h"
#include "methods/links/constants.h"
#include "physics/heat.h"
#include "physics/periodic.h"
#include "solvers/vectors/vector_formula.h"

/* Whether particle i keeps its links as they are; `phase`: of all particles, read where the
   material melts. */
OOZE_FORMULA uint8_t ooze_links_is_elastic(const OozeLinksMaterial *material, const uint8_t *phase,
                                           uint64_t i)
{
    return material->melts ? phase[i] == OOZE_PHASE_SOLID : material->elastic != 0;
}

/* Where a particle would be after the step without neighbours and solids, wrapped into the box. */
OOZE_FORMULA OozeVector ooze_links_predicted(OozeVector x, OozeVector u, float dt,
                                             const OozePeriodic *p)
{
    const OozeVector to = ooze_vector_madd(x, dt, u);
    return ooze_vector(
        ooze_periodic_wrap(ooze_vector_lane(to, 0), p->min[0], p->length[0], p->inverse[0]),
        ooze_periodic_wrap(ooze_vector_lane(to, 1), p->min[1], p->length[1], p->inverse[1]),
        ooze_periodic_wrap(ooze_vector_lane(to, 2), p->min[2], p->length[2], p->inverse[2]), 0.0f);
}

/* Rest length of a new link: coincident particles have no direction, but a positive length. */
OOZE_FORMULA float ooze_links_new_rest(const OozeLinksConstants *k, float length)
{
    return fmaxf(length, 1e-6f * k->support);
}

/* Algorithm 1, lines 2 to 7, for a link of a particle that is not elastic to a solid: extends it.
   False: it is deleted. */
OOZE_FORMULA int ooze_links_keep_wall(const OozeLinksConstants *k, float length, float extension,
                                      OozeWallLink *link)
{
    if (length * length >= k->reach2) {
        return 0;
    }
    if (ooze_link_is_tight(length, link->rest, k->slack)) {
        link->rest = ooze_link_extended(link->rest, extension, extension);
    }
    return 1;
}

#endif
