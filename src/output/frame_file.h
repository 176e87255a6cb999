/* One HDF5 file per frame: the full state, guarded by a checksum.

   The first 512 bytes are an HDF5 user block: magic, version, length of the file and hash of everything
   after the block. The reader refuses a file whose hash differs before HDF5 sees it, so a truncated or
   damaged file is one clear error and never a crash in the library below. */
#ifndef OOZE_OUTPUT_FRAME_FILE_H
#define OOZE_OUTPUT_FRAME_FILE_H

#include "ooze/frame.h"

/* Written aside, synced, renamed. */
OozeStatus ooze_frame_write(const OozeFrame *frame, const char *path, OozeError *error);

/* Bytes the file will have, within a per cent: for --dry-run. */
uint64_t ooze_frame_file_bytes(const OozeFrame *frame);

#endif
