/* The first 512 bytes of a frame file: what guards the rest, and the few numbers a run folder wants
   of every frame without opening it. Little endian. */
#ifndef OOZE_OUTPUT_FRAME_BLOCK_H
#define OOZE_OUTPUT_FRAME_BLOCK_H

#include "ooze/frame.h"

#define OOZE_FRAME_BLOCK_BYTES    512
#define OOZE_FRAME_FORMAT_VERSION 1

typedef struct OozeFrameBlock {
    uint64_t length; /* of the whole file */
    uint64_t hash;   /* of everything after the block */
    uint64_t index, step;
    double time;
    uint64_t particle_count;
    uint64_t layout; /* ooze_frame_layout */
} OozeFrameBlock;

/* One hash of the names, types and widths of the particle fields: equal for frames that one field
   list describes. */
uint64_t ooze_frame_layout(const OozeFrame *frame);

void ooze_frame_block_encode(const OozeFrameBlock *block, unsigned char *bytes);

/* Reads and checks the block of an open file: that it is one, is whole, and that the file is as
   long as it says. */
OozeStatus ooze_frame_block_read(int fd, const char *path, OozeFrameBlock *block, OozeError *error);
OozeStatus ooze_frame_block_open(const char *path, OozeFrameBlock *block, OozeError *error);

/* Hash of the bytes from the block's end to `length`; 0, or the errno of a failed read. */
int ooze_frame_block_hash(int fd, uint64_t length, uint64_t *hash, bool *out_of_memory);

/* Opens for reading without ever waiting; refuses what is not a plain file. */
OozeStatus ooze_frame_block_descriptor(const char *path, int *fd, OozeError *error);

/* The one report for a file that is not what it should be. */
OozeStatus ooze_fail_damaged(OozeError *error, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
