/* Which frames of a run folder are present, missing or damaged. */
#ifndef OOZE_OUTPUT_RUN_FRAMES_H
#define OOZE_OUTPUT_RUN_FRAMES_H

#include "output/run_folder.h"

typedef enum OozeFrameState {
    OOZE_FRAME_PRESENT,
    OOZE_FRAME_MISSING, /* no file, but a file of a later frame */
    OOZE_FRAME_DAMAGED  /* the file cannot be read, or holds another frame */
} OozeFrameState;

/* Consecutive frames of one state, both ends included. */
typedef struct OozeFrameSpan {
    uint64_t first, last;
    OozeFrameState state;
} OozeFrameSpan;

typedef struct OozeFrameSpans {
    OozeFrameSpan *items; /* ascending, from frame 0 to the last frame of the folder */
    uint64_t count, capacity;
} OozeFrameSpans;

/* Checks the header and length of every frame file; with `contents` also the checksum, which reads
   the whole file. Free the spans with ooze_frame_spans_free. */
OozeStatus ooze_run_check_frames(const OozeRunFolder *run, bool contents, OozeFrameSpans *spans,
                                 OozeError *error);
void ooze_frame_spans_free(OozeFrameSpans *spans);

/* State of one frame; frames after the last one are missing. */
OozeFrameState ooze_frame_spans_state(const OozeFrameSpans *spans, uint64_t frame);
/* Number of the last frame that is missing or damaged; false: there is none. */
bool ooze_frame_spans_last_gap(const OozeFrameSpans *spans, uint64_t *frame);

#endif
