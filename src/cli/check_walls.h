/* How fluid and bodies slip on the solids of a scene, for `ooze check`. */
#ifndef OOZE_CLI_CHECK_WALLS_H
#define OOZE_CLI_CHECK_WALLS_H

#include "base/text.h"
#include "scene/scene.h"

/* A line for the solids on which the same acts: "honey sticks to 'bottle'". */
void ooze_check_walls_text(OozeText *out, const OozeScene *scene, const OozeWorld *world);
/* The member `walls` of an object, with a comma before it. */
void ooze_check_walls_json(OozeText *out, const OozeWorld *world);

#endif
