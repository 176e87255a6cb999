/* Text and bytes into a file that appears whole or not at all, through a buffer of fixed size. Errors
   stick: put as you like, ask once at the end. */
#ifndef OOZE_OUTPUT_WRITER_H
#define OOZE_OUTPUT_WRITER_H

#include <stddef.h>

#include "base/fail.h"

typedef struct OozeWriter {
    int fd;
    int error_number; /* the first errno, or 0 */
    char *path, *temporary;
    char *buffer;
    size_t used;
} OozeWriter;

OozeStatus ooze_writer_open(OozeWriter *writer, const char *path, OozeError *error);
void ooze_writer_put(OozeWriter *writer, const void *data, size_t size);
void ooze_writer_print(OozeWriter *writer, const char *format, ...) OOZE_PRINTF(2, 3);
/* Text for XML: markup escaped, characters XML has no way to hold replaced by '?'. */
void ooze_writer_print_xml(OozeWriter *writer, const char *text);
/* Room for `size` bytes at once (at most OOZE_WRITER_ROOM), to be filled and then taken. */
#define OOZE_WRITER_ROOM 4096
char *ooze_writer_room(OozeWriter *writer, size_t size);
void ooze_writer_take(OozeWriter *writer, size_t size);

/* Ends the file: synced and renamed, or removed when anything failed. */
OozeStatus ooze_writer_commit(OozeWriter *writer, OozeError *error);
void ooze_writer_cancel(OozeWriter *writer);

#endif
