#include "cli/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

char *ooze_quantity_bytes(char text[OOZE_QUANTITY_SIZE], double bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    int unit = 0;
    while (bytes >= 1000.0 && unit < 6) {
        bytes /= 1024.0;
        unit++;
    }
    snprintf(text, OOZE_QUANTITY_SIZE, unit > 0 && bytes < 100.0 ? "%.1f %s" : "%.0f %s", bytes,
             units[unit]);
    return text;
}

char *ooze_quantity_count(char text[OOZE_QUANTITY_SIZE], uint64_t count)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    char *out = text;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            *out++ = ',';
        }
        *out++ = digits[i];
    }
    *out = '\0';
    return text;
}

char *ooze_quantity_seconds(char text[OOZE_QUANTITY_SIZE], double seconds)
{
    if (!(seconds >= 0.0) || seconds > 1e10) {
        snprintf(text, OOZE_QUANTITY_SIZE, "-");
    } else if (seconds < 1.0) {
        snprintf(text, OOZE_QUANTITY_SIZE, "%.2f s", seconds);
    } else if (seconds < 60.0) {
        snprintf(text, OOZE_QUANTITY_SIZE, "%.0f s", seconds);
    } else if (seconds < 3600.0) {
        int whole = (int)seconds;
        snprintf(text, OOZE_QUANTITY_SIZE, "%d min %02d s", whole / 60, whole % 60);
    } else if (seconds < 48.0 * 3600.0) {
        int minutes = (int)(seconds / 60.0);
        snprintf(text, OOZE_QUANTITY_SIZE, "%d h %02d min", minutes / 60, minutes % 60);
    } else {
        snprintf(text, OOZE_QUANTITY_SIZE, "%.1f days", seconds / 86400.0);
    }
    return text;
}

char *ooze_quantity_rate(char text[OOZE_QUANTITY_SIZE], double rate)
{
    if (!(rate >= 0.0) || !isfinite(rate)) {
        snprintf(text, OOZE_QUANTITY_SIZE, "-");
    } else if (rate >= 100.0) {
        snprintf(text, OOZE_QUANTITY_SIZE, "%.0f", rate);
    } else {
        snprintf(text, OOZE_QUANTITY_SIZE, "%.3g", rate);
    }
    return text;
}
