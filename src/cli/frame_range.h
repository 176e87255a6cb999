/* Ranges of frames on the command line: "7", "A:B", "A:B:S". */
#ifndef OOZE_CLI_FRAME_RANGE_H
#define OOZE_CLI_FRAME_RANGE_H

#include "cli/arguments.h"
#include "output/run_folder.h"

/* From `first` to `last`, both included. */
typedef struct OozeFrameRange {
    uint64_t first, last, stride;
} OozeFrameRange;

/* Either end may be left out; NULL: all frames. False: the text is not a range. */
bool ooze_frame_range_read(const char *text, OozeFrameRange *range);
bool ooze_frame_range_has(const OozeFrameRange *range, uint64_t frame);

/* The option in the list of a command, and its value; false after reporting a usage error. */
#define OOZE_FRAMES_OPTION                                                                         \
    {                                                                                              \
        "frames", 0, "A:B[:S]", false,                                                             \
            "only frames A to B, both included, every S-th; A or B may be left out, and N is one " \
            "frame"                                                                                \
    }
bool ooze_frame_range_argument(const OozeArguments *arguments, OozeFrameRange *range);

/* Number of frames of the run in the range; none is an error. */
OozeStatus ooze_frame_range_count(const OozeFrameRange *range, const OozeRunFolder *run,
                                  uint64_t *count, OozeError *error);

/* Warns of the frames of the range that have no file though a later frame has one; returns their
   number. */
uint64_t ooze_frame_range_warn_missing(const OozeFrameRange *range, const OozeRunFolder *run);

/* Whether an error concerns one frame only, so that a command goes on with the next. Errors of
   settings, memory and disk end it. */
bool ooze_is_frame_error(OozeStatus status);

/* Files that were made of frames, one each: names within a folder, and times. */
typedef struct OozeFrameFiles {
    char **names;
    double *times;
    uint64_t count;
} OozeFrameFiles;
/* Allocates space for `max` files. The list owns the names. */
OozeStatus ooze_frame_files_start(OozeFrameFiles *files, uint64_t max, OozeError *error);
void ooze_frame_files_add(OozeFrameFiles *files, char *name, double time);
void ooze_frame_files_free(OozeFrameFiles *files);

#endif
