/* One HDF5 file per frame: the full state, guarded by a checksum.

   The first 512 bytes are an HDF5 user block: magic, version, length of the file and hash of everything
   after the block. The reader refuses a file whose hash differs before HDF5 sees it, so a truncated or
   damaged file is one clear error and never a crash in the library below.

   Inside: root attributes (index, step, time, spacing, support, up, method, particle_count,
   format_version, writer); /particles/NAME and /state/NAME, one row per element, with attributes unit
   and help; /solids/{names,pose}; /materials/{names,density,color}. Arrays are contiguous and plain,
   little endian, in the order of the frame.

   HDF5 is called from the calling thread only. Debian's HDF5 takes a lock of its own; where it is built
   without, frames must be read and written by one thread at a time. */
#ifndef OOZE_OUTPUT_FRAME_FILE_H
#define OOZE_OUTPUT_FRAME_FILE_H

#include "ooze/frame.h"

/* What a file may hold. Generous for honest frames, and a bound on what a hostile one can ask for. */
#define OOZE_FRAME_TEXT_MAX       4095
#define OOZE_FRAME_COMPONENTS_MAX 64
#define OOZE_FRAME_FIELDS_MAX     1024

/* A solid's pose as one row: position x y z, rotation x y z w, velocity x y z, spin x y z. */
#define OOZE_POSE_COLUMNS 13

/* Bytes the file will have, exactly (0 for a frame that cannot be written): for --dry-run. */
uint64_t ooze_frame_file_bytes(const OozeFrame *frame);

/* Whether a frame keeps the limits above and has the fields every frame has; if not, `why` says. */
bool ooze_frame_is_sound(const OozeFrame *frame, char *why, size_t why_size);

#endif
