/* What a shape full of one matter weighs, and how hard it is to turn. */
#ifndef OOZE_SOLIDS_MASS_H
#define OOZE_SOLIDS_MASS_H

#include "solids/solid.h"

/* Mass, centre, principal moments and axes of a shape of this density (kg/m3). Refused of what has
   no finite volume, or none that it encloses: planes, height fields, containers, meshes that
   stay open. `name` is of the solid, for messages. The parts of a compound add up; what they
   share is counted once, to about 1e-3 of what is shared. */
OozeStatus ooze_shape_weigh(const OozeShape *shape, double density, const char *name,
                            OozeSolidMass *mass, OozeError *error);

#endif
