#include "cli/frame_range.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cli/command.h"
#include "cli/report.h"

enum { MISSING_WARNINGS = 8 /* further missing frames are only counted */ };

static bool read_bound(const char **text, uint64_t fallback, uint64_t *value)
{
    *value = fallback;
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

bool ooze_frame_range_argument(const OozeArguments *arguments, OozeFrameRange *range)
{
    const char *text = ooze_argument_text(arguments, "frames");
    if (!ooze_frame_range_read(text, range)) {
        ooze_usage_error(arguments->command,
                         "option --frames needs N, A:B or A:B:STRIDE with A not after B, not '%s'",
                         text);
        return false;
    }
    return true;
}

OozeStatus ooze_frame_range_count(const OozeFrameRange *range, const OozeRunFolder *run,
                                  uint64_t *count, OozeError *error)
{
    *count = 0;
    for (uint64_t i = 0; i < run->frame_count; i++) {
        *count += ooze_frame_range_has(range, run->frames[i]);
    }
    if (*count == 0) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "`ooze info RUN` shows the last frame",
                         "'%s' has no frame in the range asked for", run->path);
    }
    return OOZE_OK;
}

/* Warns of the frames of the range from `first` to `last`, and returns their number. */
static uint64_t warn_of_gap(const OozeFrameRange *range, uint64_t first, uint64_t last,
                            uint64_t warned, const OozeRunFolder *run)
{
    if (first < range->first) {
        first = range->first;
    }
    first += (range->stride - (first - range->first) % range->stride) % range->stride;
    last = last < range->last ? last : range->last;
    if (first > last) {
        return 0;
    }
    uint64_t count = (last - first) / range->stride + 1;
    for (uint64_t k = 0; k < count && warned + k < MISSING_WARNINGS; k++) {
        ooze_report_warning("frame %llu is missing from '%s'",
                            (unsigned long long)(first + k * range->stride), run->path);
    }
    return count;
}

uint64_t ooze_frame_range_warn_missing(const OozeFrameRange *range, const OozeRunFolder *run)
{
    uint64_t count = 0, next = 0;
    for (uint64_t i = 0; i < run->frame_count; i++) {
        if (run->frames[i] > next) {
            count += warn_of_gap(range, next, run->frames[i] - 1, count, run);
        }
        next = run->frames[i] + 1;
    }
    return count;
}

bool ooze_is_frame_error(OozeStatus status)
{
    return status == OOZE_ERROR_FORMAT || status == OOZE_ERROR_FILE || status == OOZE_ERROR_NUMERIC;
}

OozeStatus ooze_frame_files_start(OozeFrameFiles *files, uint64_t max, OozeError *error)
{
    files->names = ooze_alloc_zero(max, sizeof *files->names);
    files->times = ooze_alloc_zero(max, sizeof *files->times);
    if (!files->names || !files->times) {
        return ooze_fail_memory(error, "the list of files", max * sizeof *files->names);
    }
    return OOZE_OK;
}

void ooze_frame_files_add(OozeFrameFiles *files, char *name, double time)
{
    files->names[files->count] = name;
    files->times[files->count++] = time;
}

void ooze_frame_files_free(OozeFrameFiles *files)
{
    for (uint64_t i = 0; i < files->count; i++) {
        ooze_free(files->names[i]);
    }
    ooze_free(files->names);
    ooze_free(files->times);
}
