/* Numbers on the command line: expressions, as in scenes. */
#ifndef OOZE_CLI_NUMBER_H
#define OOZE_CLI_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* Evaluates the first `length` bytes of a text. Infinity is a number; a problem is none. */
bool ooze_number_read(const char *text, size_t length, double *value);
/* Numbers with a separator between them, which parentheses protect. Returns their count; 0: one of
   them is no number, or there are more than `max`. */
int ooze_numbers_read(const char *text, char separator, int max, double *values);

#endif
