/* Which frames of a run an option means: "7", "A:B", "A:B:S". */
#ifndef OOZE_CLI_FRAME_RANGE_H
#define OOZE_CLI_FRAME_RANGE_H

#include "cli/arguments.h"
#include "output/run_folder.h"

/* Both ends belong to it. */
typedef struct OozeFrameRange {
    uint64_t first, last, stride;
} OozeFrameRange;

/* Either end may be left out; NULL: all frames. False where it is no range. */
bool ooze_frame_range_read(const char *text, OozeFrameRange *range);
bool ooze_frame_range_has(const OozeFrameRange *range, uint64_t frame);

/* The row of a command's options, and its value; false where it was refused, which has been told. */
#define OOZE_FRAMES_OPTION                                                                         \
    {                                                                                              \
        "frames", 0, "A:B[:S]", false,                                                             \
            "only frames A to B, both included, every S-th; A or B may be left out, and N is one " \
            "frame"                                                                                \
    }
bool ooze_frame_range_argument(const OozeArguments *arguments, OozeFrameRange *range);

/* How many frames of the run belong to it; none is an error. */
OozeStatus ooze_frame_range_count(const OozeFrameRange *range, const OozeRunFolder *run,
                                  uint64_t *count, OozeError *error);

/* What is wrong with a frame does not end a command over many; what is wrong with the settings, the memory
   or the disk does. */
bool ooze_frame_is_to_blame(OozeStatus status);

/* Files made of frames, one each: their names within a folder, and times. */
typedef struct OozeFrameFiles {
    char **names;
    double *times;
    uint64_t count;
} OozeFrameFiles;
/* Room for `most`. The list takes names over; freeing it frees them. */
OozeStatus ooze_frame_files_start(OozeFrameFiles *files, uint64_t most, OozeError *error);
void ooze_frame_files_add(OozeFrameFiles *files, char *name, double time);
void ooze_frame_files_free(OozeFrameFiles *files);

#endif
