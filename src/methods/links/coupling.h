/* Dynamic solids in the iterations of the links method: what a solid does to a particle by density, by artificial pressure and by
   links, the particle does to the solid. All do nothing where there are none. */
#ifndef OOZE_METHODS_LINKS_COUPLING_H
#define OOZE_METHODS_LINKS_COUPLING_H

#include "methods/density_sweep.h"
#include "methods/links/workspace.h"

/* At the beginning of the step, and of its iterations. `coupled` is room. */
OozeStatus ooze_links_couple(OozeLinksStep *step, OozeCoupled *coupled, OozeError *error);
OozeStatus ooze_links_couple_iterations(OozeLinksStep *step, OozeError *error);
/* Between the two sweeps of an iteration: corrections are shared with the solids. */
void ooze_links_push_solids(OozeLinksStep *step);
/* Links are held where the solids have come to. */
void ooze_links_hold_again(OozeLinksStep *step);

#endif
