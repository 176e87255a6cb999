/* Dynamic solids in the iterations of the links method: reactions of density, artificial pressure
   and links move the solids. All functions do nothing without dynamic solids. */
#ifndef OOZE_METHODS_LINKS_COUPLING_H
#define OOZE_METHODS_LINKS_COUPLING_H

#include "methods/links/step.h"
#include "solvers/density/density_sweep.h"

/* At the beginning of the step, and of its iterations. `coupling`: memory for the step. */
OozeStatus ooze_links_couple(OozeLinksStep *step, OozeDynamicCoupling *coupling, OozeError *error);
OozeStatus ooze_links_couple_iterations(OozeLinksStep *step, OozeError *error);
/* Between the two sweeps of an iteration: divides corrections between particles and solids. */
void ooze_links_push_solids(OozeLinksStep *step);
/* Moves the fixed ends of links with the solids. */
void ooze_links_update_held(OozeLinksStep *step);

#endif
