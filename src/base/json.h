/* JSON text. */
#ifndef OOZE_BASE_JSON_H
#define OOZE_BASE_JSON_H

#include "base/text.h"

/* A string in quotes; bytes that are not UTF-8 become '?'. NULL: null. */
void ooze_json_text(OozeText *json, const char *text);
/* A number, as short as it reads back; null where it is not finite. */
void ooze_json_value(OozeText *json, double value);
/* The same with 17 significant digits, as tables of probes have them. */
void ooze_json_number(OozeText *json, double value);

/* A comma unless the text ends with an opening bracket. */
void ooze_json_next(OozeText *json);
/* `"key":` and the same for a text or a number; a comma goes before unless a bracket does. */
void ooze_json_key(OozeText *json, const char *key);
void ooze_json_put_text(OozeText *json, const char *key, const char *text);
void ooze_json_put_number(OozeText *json, const char *key, double value);
void ooze_json_put_numbers(OozeText *json, const char *key, const double *values, int count);
void ooze_json_put_switch(OozeText *json, const char *key, bool value);

/* One member of an object that is made to be read: spaces, and 17 digits; `before` is the brace or
   comma in front of it. */
void ooze_json_member(OozeText *json, const char *before, const char *key, double value);

#endif
