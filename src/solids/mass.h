/* Mass, centre of mass and inertia of a shape of uniform density. */
#ifndef OOZE_SOLIDS_MASS_H
#define OOZE_SOLIDS_MASS_H

#include "solids/solid.h"

/* Mass, centre, principal moments and axes of a shape of this density (kg/m3). Fails for shapes
   that enclose no finite volume: planes, height fields, containers, open meshes. `name` of the
   solid is for messages. Volume that parts of a compound share counts once, with an error of about
   1e-3. */
OozeStatus ooze_shape_mass(const OozeShape *shape, double density, const char *name,
                           OozeSolidMass *mass, OozeError *error);

#endif
