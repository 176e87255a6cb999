/* Pushes of the density stage that dynamic solids expect, as particles do: see
   expected_push_formula.h. Solids are in host memory also where particles are on a GPU. */
#ifndef OOZE_METHODS_CONFORMATION_SOLID_PUSHES_H
#define OOZE_METHODS_CONFORMATION_SOLID_PUSHES_H

#include "methods/method.h"
#include "solvers/contact/dynamic_coupling.h"

/* Kept of a dynamic solid: acceleration of its centre, m/s2, and angular acceleration, rad/s2, by
   the density stage of the last substep, which the velocity solve of the next one expects. */
extern const OozeSolidState ooze_solid_pushes_state;
/* The pushes that a dynamic solid expects in a step. */
typedef struct OozeSolidPush {
    double share, open_share; /* of pushes expected in open fluid; in its gaps */
    OozeTwist expected;       /* velocity change by pushes that it expects */
} OozeSolidPush;

/* Finds the pushes of the solids of the coupling, once their motions without particles are known.
   `share` is the share of its push that a solid in open fluid expects. Gaps are searched where it
   is not 0. */
OozeStatus ooze_solid_pushes_begin(const OozeDynamicCoupling *coupling, double share,
                                   OozeSolidPush *pushes, OozeError *error);
/* Stores the change of the motions since they were remembered. It is the push of the density stage.
   */
void ooze_solid_pushes_record(OozeDynamicCoupling *coupling);

/* Share of its push that a particle beside the solid expects. In open fluid it is `own`, but not
   more than the share of the solid: the particle would otherwise be pushed against the solid. */
OOZE_FORMULA float ooze_solid_push_share(const OozeSolidPush *push, float own)
{
    const float limit = (float)push->share;
    return (own < limit ? own : limit) * (float)push->open_share;
}

/* Adds the expected push to the motions that the solve starts from; a sign of -1 removes it again.
   */
OOZE_FORMULA void ooze_solid_push_add(OozeDynamicSolid *solid, const OozeSolidPush *push,
                                      double sign)
{
    ooze_twist_add(&solid->motion, sign, &push->expected);
    ooze_twist_add(&solid->motion_star, sign, &push->expected);
}

#endif
