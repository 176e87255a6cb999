/* JSON text for the page. */
#ifndef OOZE_VIEW_JSON_H
#define OOZE_VIEW_JSON_H

#include "base/text.h"

/* A string in quotes; bytes that are not UTF-8 become '?'. NULL: null. */
void ooze_json_text(OozeText *json, const char *text);
/* A number; null where it is not finite. */
void ooze_json_value(OozeText *json, double value);
/* `"key":` and the same for a text or a number; a comma goes before unless a bracket does. */
void ooze_json_key(OozeText *json, const char *key);
void ooze_json_put_text(OozeText *json, const char *key, const char *text);
void ooze_json_put_number(OozeText *json, const char *key, double value);
void ooze_json_put_numbers(OozeText *json, const char *key, const double *values, int count);
void ooze_json_put_switch(OozeText *json, const char *key, bool value);
/* A comma unless the text ends with an opening bracket. */
void ooze_json_next(OozeText *json);

#endif
