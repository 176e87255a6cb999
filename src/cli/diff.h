/* A unified diff of two texts, which shows what changed in a scene. */
#ifndef OOZE_CLI_DIFF_H
#define OOZE_CLI_DIFF_H

#include "base/text.h"

/* Appends nothing when the texts are equal. */
void ooze_diff_unified(OozeText *out, const char *old_name, const char *old_text,
                       const char *new_name, const char *new_text);

#endif
