/* The first 512 bytes of a frame file, the user block of HDF5: a checksum of the rest, and the
   numbers that run.xdmf and resuming need of every frame. Little endian. */
#ifndef OOZE_OUTPUT_FRAME_HEADER_H
#define OOZE_OUTPUT_FRAME_HEADER_H

#include "base/fail.h"
#include "ooze/frame.h"

#define OOZE_FRAME_HEADER_BYTES   512
#define OOZE_FRAME_FORMAT_VERSION 2

typedef struct OozeFrameHeader {
    uint64_t length; /* of the whole file */
    uint64_t hash;   /* of everything after the header */
    uint64_t index, step;
    double time;
    uint64_t particle_count;
    uint64_t layout; /* ooze_frame_layout */
} OozeFrameHeader;

/* A hash of the names, types and components of the particle fields. */
uint64_t ooze_frame_layout(const OozeFrame *frame);

void ooze_frame_header_encode(const OozeFrameHeader *header, unsigned char *bytes);

/* Reads and checks the header: of an open file, or of the file at `path`. The length of the file is
   checked too, its checksum is not. */
OozeStatus ooze_frame_header_read(int fd, const char *path, OozeFrameHeader *header,
                                  OozeError *error);
OozeStatus ooze_frame_header_load(const char *path, OozeFrameHeader *header, OozeError *error);

/* Hash of the bytes from the end of the header to `length`; returns 0, or the errno of what
   failed. */
int ooze_frame_checksum(int fd, uint64_t length, uint64_t *hash);

/* Opens a regular file for reading; any other kind, such as a pipe, is an error. */
OozeStatus ooze_frame_open_descriptor(const char *path, int *fd, OozeError *error);

/* The error of a damaged file. */
OozeStatus ooze_fail_damaged(OozeError *error, const char *path, const char *format, ...)
    OOZE_PRINTF(3, 4);

#endif
