#include "cli/frame_range.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

static bool read_bound(const char **text, uint64_t otherwise, uint64_t *value)
{
    *value = otherwise;
    if (isdigit((unsigned char)**text)) {
        char *end;
        errno = 0;
        *value = strtoull(*text, &end, 10);
        *text = end;
        return errno == 0;
    }
    return **text == ':' || **text == '\0';
}

bool ooze_frame_range_read(const char *text, OozeFrameRange *range)
{
    *range = (OozeFrameRange){0, UINT64_MAX, 1};
    if (!text) {
        return true;
    }
    if (!read_bound(&text, 0, &range->first)) {
        return false;
    }
    if (*text == '\0') {
        range->last = range->first;
        return true;
    }
    if (*text++ != ':' || !read_bound(&text, UINT64_MAX, &range->last)) {
        return false;
    }
    if (*text == ':') {
        text++;
        if (!read_bound(&text, 0, &range->stride)) {
            return false;
        }
    }
    return *text == '\0' && range->stride > 0 && range->last >= range->first;
}

bool ooze_frame_range_has(const OozeFrameRange *range, uint64_t frame)
{
    return frame >= range->first && frame <= range->last &&
           (frame - range->first) % range->stride == 0;
}
