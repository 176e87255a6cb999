/* Dynamic solids in the iterations of the links method: what a solid does to a particle by density,
   by artificial pressure and by links, the particle does to the solid. All do nothing where there
   are none. */
#ifndef OOZE_METHODS_LINKS_COUPLING_H
#define OOZE_METHODS_LINKS_COUPLING_H

#include "methods/links/step.h"
#include "solvers/density_sweep.h"

/* At the beginning of the step, and of its iterations. `coupling` is room. */
OozeStatus ooze_links_couple(OozeLinksStep *step, OozeDynamicCoupling *coupling, OozeError *error);
OozeStatus ooze_links_couple_iterations(OozeLinksStep *step, OozeError *error);
/* Between the two sweeps of an iteration: corrections are shared with the solids. */
void ooze_links_push_solids(OozeLinksStep *step);
/* Links are held where the solids have come to. */
void ooze_links_update_held(OozeLinksStep *step);

#endif
