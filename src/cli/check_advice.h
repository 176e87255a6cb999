/* Advice of `ooze check` about the flow of a scene, as text and as JSON. */
#ifndef OOZE_CLI_CHECK_ADVICE_H
#define OOZE_CLI_CHECK_ADVICE_H

#include "base/text.h"
#include "scene/advice.h"

/* Materials, then the scene's settings and recommended ones. */
void ooze_check_advice_text(OozeText *out, const OozeScene *scene, const OozeSceneAdvice *advice);
/* The same as members of an object, each with a comma before it. */
void ooze_check_advice_json(OozeText *out, const OozeScene *scene, const OozeSceneAdvice *advice);

#endif
