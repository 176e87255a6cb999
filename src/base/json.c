#include "base/json.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

void ooze_json_text(OozeText *json, const char *text)
{
    if (!text) {
        ooze_text_append(json, "null");
        return;
    }
    ooze_text_append(json, "\"");
    size_t size = strlen(text);
    while (size > 0) {
        uint32_t code;
        size_t length = ooze_utf8_decode(text, size, &code);
        if (length == 0) {
            ooze_text_append(json, "?");
            length = 1;
        } else if (code == '"' || code == '\\') {
            ooze_text_append(json, "\\%c", (char)code);
        } else if (code < 0x20) {
            ooze_text_append(json, "\\u%04x", (unsigned)code);
        } else {
            ooze_text_append_bytes(json, text, length);
        }
        text += length;
        size -= length;
    }
    ooze_text_append(json, "\"");
}

void ooze_json_value(OozeText *json, double value)
{
    char text[OOZE_NUMBER_MAX];
    ooze_text_append(json, "%s", isfinite(value) ? ooze_number_text(value, text) : "null");
}

void ooze_json_number(OozeText *json, double value)
{
    if (isfinite(value)) {
        ooze_text_append(json, "%.17g", value);
    } else {
        ooze_text_append(json, "null");
    }
}

void ooze_json_next(OozeText *json)
{
    char last = json->length > 0 ? json->data[json->length - 1] : '[';
    if (last != '[' && last != '{') {
        ooze_text_append(json, ",");
    }
}

void ooze_json_key(OozeText *json, const char *key)
{
    ooze_json_next(json);
    ooze_json_text(json, key);
    ooze_text_append(json, ":");
}

void ooze_json_put_text(OozeText *json, const char *key, const char *text)
{
    ooze_json_key(json, key);
    ooze_json_text(json, text);
}

void ooze_json_put_number(OozeText *json, const char *key, double value)
{
    ooze_json_key(json, key);
    ooze_json_value(json, value);
}

void ooze_json_put_numbers(OozeText *json, const char *key, const double *values, int count)
{
    ooze_json_key(json, key);
    ooze_text_append(json, "[");
    for (int i = 0; i < count; i++) {
        ooze_json_next(json);
        ooze_json_value(json, values[i]);
    }
    ooze_text_append(json, "]");
}

void ooze_json_put_switch(OozeText *json, const char *key, bool value)
{
    ooze_json_key(json, key);
    ooze_text_append(json, value ? "true" : "false");
}

void ooze_json_member(OozeText *json, const char *before, const char *key, double value)
{
    ooze_text_append(json, "%s\"%s\": ", before, key);
    ooze_json_number(json, value);
}
