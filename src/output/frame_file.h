/* Frame files: the full state in HDF5, with a checksum in front. docs/frames.md describes the
   format.

   HDF5 is called from the calling thread only. With an HDF5 that is not thread safe, one thread at
   a time may read and write frames. */
#ifndef OOZE_OUTPUT_FRAME_FILE_H
#define OOZE_OUTPUT_FRAME_FILE_H

#include "ooze/frame.h"

/* Limits of a frame, far above the needs of worlds; they bound the memory for a forged file. */
#define OOZE_FRAME_TEXT_MAX       4095
#define OOZE_FRAME_COMPONENTS_MAX 256
#define OOZE_FRAME_FIELDS_MAX     1024

/* Path of a frame within a run folder; takes an unsigned long long. */
#define OOZE_FRAME_PATH_FORMAT "frames/frame_%06llu.h5"

/* A solid's pose as one row: position x y z, rotation x y z w, velocity x y z, spin x y z. */
#define OOZE_POSE_COLUMNS 13
#define OOZE_POSE_UNIT    "m, 1, m/s, deg/s"
/* In files of earlier versions. */
#define OOZE_POSE_UNIT_RADIANS "m, 1, m/s, rad/s"

/* Exact size of the file in bytes; 0: the frame cannot be written. */
uint64_t ooze_frame_file_bytes(const OozeFrame *frame);

/* Whether a frame is within the limits and has the common fields; `why` receives the reason if
   not. */
bool ooze_frame_is_valid(const OozeFrame *frame, char *why, size_t why_size);

#endif
