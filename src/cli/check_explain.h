/* What acts in the steps of a scene, for `ooze check --explain`. */
#ifndef OOZE_CLI_CHECK_EXPLAIN_H
#define OOZE_CLI_CHECK_EXPLAIN_H

#include "base/text.h"
#include "scene/scene.h"

/* A line for each stage and correction, or one that names the page of the method. The caller clears
   the text. */
OozeStatus ooze_check_explain(const OozeScene *scene, OozeWorld *world, OozeText *lines,
                              OozeError *error);
/* The lines under a heading. */
void ooze_check_explain_text(OozeText *out, const OozeScene *scene, const OozeText *lines);
/* The member `explain` of an object, a list of texts, with a comma before it. */
void ooze_check_explain_json(OozeText *out, const OozeText *lines);

#endif
