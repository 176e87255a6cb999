/* Arithmetic in scene files: numbers, + - * / ^, parentheses, names and functions. */
#ifndef OOZE_SCENE_EXPRESSION_H
#define OOZE_SCENE_EXPRESSION_H

#include <stdbool.h>

/* Evaluates `text`. On failure `*problem` is a static description, `*offset` its place in bytes
   from the start. Infinity is valid, NaN is a failure. The locale must be "C": see
   ooze_locale_enter. */
bool ooze_expression(const char *text, double *value, const char **problem, int *offset);

/* Names for the reference page, by index; NULL past the last. */
const char *ooze_expression_constant(int index);
const char *ooze_expression_function(int index);

#endif
