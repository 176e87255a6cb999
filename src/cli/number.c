#include "cli/number.h"

#include <string.h>

#include "scene/expression.h"
#include "scene/scene.h"

bool ooze_number_read(const char *text, size_t length, double *value)
{
    enum { EXPRESSION_MAX = 256 };
    char copy[EXPRESSION_MAX];
    const char *problem;
    int offset;
    if (length == 0 || length >= EXPRESSION_MAX) {
        return false;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    OozeLocaleGuard locale = ooze_locale_enter();
    bool number = ooze_expression(copy, value, &problem, &offset);
    ooze_locale_leave(locale);
    return number;
}

/* Bytes before the separator or the end. */
static size_t item_length(const char *text, char separator)
{
    size_t length = 0;
    for (int depth = 0; text[length] && (text[length] != separator || depth > 0); length++) {
        depth += (text[length] == '(') - (text[length] == ')');
    }
    return length;
}

int ooze_numbers_read(const char *text, char separator, int max, double *values)
{
    for (int count = 0; count < max;) {
        size_t length = item_length(text, separator);
        if (!ooze_number_read(text, length, &values[count])) {
            return 0;
        }
        count++;
        if (text[length] == '\0') {
            return count;
        }
        text += length + 1;
    }
    return 0;
}
