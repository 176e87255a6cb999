/* Growing text, and help for people who mistype. */
#ifndef OOZE_BASE_TEXT_H
#define OOZE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fail.h"

/* Appending to a text that ran out of memory does nothing; check `failed` once at the end. */
typedef struct OozeText {
    char *data; /* terminated once anything was appended, else NULL */
    size_t length, capacity;
    bool failed;
} OozeText;

void ooze_text_append(OozeText *text, const char *format, ...) OOZE_PRINTF(2, 3);
void ooze_text_append_bytes(OozeText *text, const void *bytes, size_t count);
void ooze_text_clear(OozeText *text); /* frees; ready for use again */

/* The candidate nearest to `word`, or NULL where none is near enough to be a slip of the finger. */
const char *ooze_suggest(const char *word, const char *const *candidates, int count);

#endif
