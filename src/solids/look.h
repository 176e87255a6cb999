/* The row of the table of looks that a material or solid has. */
#ifndef OOZE_SOLIDS_LOOK_H
#define OOZE_SOLIDS_LOOK_H

#include "ooze/look.h"

/* By type, by the name of the material or solid, or the one named `fallback`. */
const OozeLookInfo *ooze_look_find_row(const OozeLookDef *def, const char *name,
                                       const char *fallback);

#endif
