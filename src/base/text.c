#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ooze/scene.h"

static bool reserve(OozeText *text, size_t extra)
{
    if (text->failed) {
        return false;
    }
    size_t needed = text->length + extra + 1;
    if (needed <= text->capacity) {
        return true;
    }
    size_t capacity = needed + needed / 2 + 64;
    char *grown = ooze_grow(text->data, text->length, capacity, 1);
    if (!grown) {
        text->failed = true;
        return false;
    }
    text->data = grown;
    text->capacity = capacity;
    return true;
}

void ooze_text_append_bytes(OozeText *text, const void *bytes, size_t count)
{
    if (reserve(text, count)) {
        if (count > 0) {
            memcpy(text->data + text->length, bytes, count);
        }
        text->length += count;
        text->data[text->length] = '\0';
    }
}

void ooze_text_append(OozeText *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length >= 0 && reserve(text, (size_t)length)) {
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void ooze_text_clear(OozeText *text)
{
    ooze_free(text->data);
    *text = (OozeText){0};
}

void ooze_text_free(char *text)
{
    ooze_free(text);
}

const char *ooze_number_text(double value, char text[OOZE_NUMBER_MAX])
{
    if (isinf(value)) {
        return strcpy(text, value < 0.0 ? "-inf" : "inf");
    }
    if (value == floor(value) && fabs(value) < 1e15) {
        snprintf(text, OOZE_NUMBER_MAX, "%.0f", value);
        return text;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, OOZE_NUMBER_MAX, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    return text;
}

const char *ooze_float_text(float value, char text[OOZE_NUMBER_MAX])
{
    for (int digits = 1; digits <= 9; digits++) {
        snprintf(text, OOZE_NUMBER_MAX, "%.*g", digits, (double)value);
        if ((float)strtod(text, NULL) == value) {
            break;
        }
    }
    return text;
}

size_t ooze_utf8_decode(const char *text, size_t size, uint32_t *code)
{
    const unsigned char *c = (const unsigned char *)text;
    size_t length = c[0] < 0x80   ? 1
                    : c[0] < 0xc2 ? 0
                    : c[0] < 0xe0 ? 2
                    : c[0] < 0xf0 ? 3
                    : c[0] < 0xf5 ? 4
                                  : 0;
    if (length == 0 || length > size) {
        return 0;
    }
    static const uint32_t first_bits[5] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    *code = c[0] & first_bits[length];
    for (size_t i = 1; i < length; i++) {
        if ((c[i] & 0xc0) != 0x80) {
            return 0;
        }
        *code = *code << 6 | (c[i] & 0x3f);
    }
    bool surrogate = *code >= 0xd800 && *code <= 0xdfff;
    return *code < smallest[length] || *code > 0x10ffff || surrogate ? 0 : length;
}

enum { WORD_MAX = 48 };

/* Damerau-Levenshtein distance (optimal string alignment), case ignored. */
static int edit_distance(const char *a, const char *b)
{
    int n = (int)strlen(a), m = (int)strlen(b);
    if (n > WORD_MAX || m > WORD_MAX) {
        return WORD_MAX;
    }
    int rows[3][WORD_MAX + 1];
    int *before = rows[0], *last = rows[1], *now = rows[2];
    for (int j = 0; j <= m; j++) {
        last[j] = j;
    }
    for (int i = 1; i <= n; i++) {
        now[0] = i;
        for (int j = 1; j <= m; j++) {
            int ca = tolower((unsigned char)a[i - 1]), cb = tolower((unsigned char)b[j - 1]);
            int best = last[j - 1] + (ca != cb);
            best = best < last[j] + 1 ? best : last[j] + 1;
            best = best < now[j - 1] + 1 ? best : now[j - 1] + 1;
            if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
                tolower((unsigned char)a[i - 2]) == cb && before[j - 2] + 1 < best) {
                best = before[j - 2] + 1;
            }
            now[j] = best;
        }
        int *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[m];
}

const char *ooze_suggest(const char *word, const char *const *candidates, int count)
{
    const char *best = NULL;
    int best_distance = (int)strlen(word) / 3 + 1; /* one edit in three letters, and one more */
    for (int i = 0; i < count; i++) {
        int distance = edit_distance(word, candidates[i]);
        if (distance <= best_distance && distance < (int)strlen(candidates[i]) &&
            (!best || distance < best_distance)) {
            best = candidates[i];
            best_distance = distance;
        }
    }
    return best;
}
