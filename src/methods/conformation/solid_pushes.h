/* Pushes of the density stage that dynamic solids expect, as particles do: see
   expected_push_formula.h. Solids are in host memory also where particles are on a GPU. */
#ifndef OOZE_METHODS_CONFORMATION_SOLID_PUSHES_H
#define OOZE_METHODS_CONFORMATION_SOLID_PUSHES_H

#include "solvers/contact/dynamic_coupling.h"

/* Sets push_share, open_share and expected_push of the solids, once their motions without particles
   are known. `share` is the share of its push that a solid in open fluid expects. Gaps are searched
   where it is not 0. */
OozeStatus ooze_solid_pushes_begin(OozeDynamicCoupling *coupling, double share, OozeError *error);
/* Stores the change of the motions since they were remembered. It is the push of the density stage.
   */
void ooze_solid_pushes_record(OozeDynamicCoupling *coupling);

/* Share of its push that a particle beside the solid expects. In open fluid it is `own`, but not
   more than the share of the solid: the particle would otherwise be pushed against the solid. */
OOZE_FORMULA float ooze_solid_push_share(const OozeDynamicSolid *solid, float own)
{
    const float limit = (float)solid->push_share;
    return (own < limit ? own : limit) * (float)solid->open_share;
}

/* Adds the expected push to the motions that the solve starts from; a sign of -1 removes it again.
   */
OOZE_FORMULA void ooze_solid_push_add(OozeDynamicSolid *solid, double sign)
{
    ooze_twist_add(&solid->motion, sign, &solid->expected_push);
    ooze_twist_add(&solid->motion_star, sign, &solid->expected_push);
}

#endif
