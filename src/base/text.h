/* Growing text, numbers as text, and suggestions for misspelt words. */
#ifndef OOZE_BASE_TEXT_H
#define OOZE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Bytes of the UTF-8 character at the start of `text` and its code point; 0 where the bytes are not
   UTF-8. `size` is at least 1. */
size_t ooze_utf8_decode(const char *text, size_t size, uint32_t *code);

enum { OOZE_NUMBER_MAX = 40 };
/* The shortest text that reads back as the same double; "inf" for infinity. */
const char *ooze_number_text(double value, char text[OOZE_NUMBER_MAX]);
const char *ooze_float_text(float value, char text[OOZE_NUMBER_MAX]);

/* The candidate with the smallest edit distance to `word`; NULL: none within a third of its
   length, plus one. */
const char *ooze_suggest(const char *word, const char *const *candidates, int count);

#endif
