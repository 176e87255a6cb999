/* Arithmetic in scene files: numbers, + - * / ^, parentheses, names and functions. */
#ifndef OOZE_SCENE_EXPRESSION_H
#define OOZE_SCENE_EXPRESSION_H

#include <stdbool.h>

/* Evaluates `text`. On failure `*problem` says what is wrong in a few words (a fixed string) and
   `*offset` where, in bytes from the start. Infinity passes; a NaN is a failure. Locale: the caller
   sees to "C" (ooze_locale_enter). */
bool ooze_expression(const char *text, double *value, const char **problem, int *offset);

/* Names for the reference page, by index; NULL past the last. */
const char *ooze_expression_constant(int index);
const char *ooze_expression_function(int index);

#endif
