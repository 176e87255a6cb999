/* Writes a file through a buffer of fixed size. The file appears under its name when it is
   complete. The first error is kept and reported by ooze_writer_commit. */
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
/* Text for XML: markup is escaped, control characters become '?'. */
void ooze_writer_print_xml(OozeWriter *writer, const char *text);
/* Space for `size` bytes, at most OOZE_WRITER_RESERVE_MAX; `advance` counts those that were
   filled. */
#define OOZE_WRITER_RESERVE_MAX 4096
char *ooze_writer_reserve(OozeWriter *writer, size_t size);
void ooze_writer_advance(OozeWriter *writer, size_t size);

/* Ends the file: synced and renamed, or removed when anything failed; `cancel` removes it. */
OozeStatus ooze_writer_commit(OozeWriter *writer, OozeError *error);
void ooze_writer_cancel(OozeWriter *writer);

#endif
