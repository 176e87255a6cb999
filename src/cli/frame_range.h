/* Which frames of a run an option means: "7", "A:B", "A:B:S". */
#ifndef OOZE_CLI_FRAME_RANGE_H
#define OOZE_CLI_FRAME_RANGE_H

#include <stdbool.h>
#include <stdint.h>

/* Both ends belong to it. */
typedef struct OozeFrameRange {
    uint64_t first, last, stride;
} OozeFrameRange;

/* Either end may be left out; NULL: all frames. False where it is no range. */
bool ooze_frame_range_read(const char *text, OozeFrameRange *range);
bool ooze_frame_range_has(const OozeFrameRange *range, uint64_t frame);

#endif
