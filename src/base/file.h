/* Files: reads with a size limit, and atomic writes. */
#ifndef OOZE_BASE_FILE_H
#define OOZE_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ooze/status.h"

/* Reads a regular file of at most `limit` bytes; `*data` is terminated by a zero beyond `*size`.
   Free with ooze_free. */
OozeStatus ooze_file_read(const char *path, uint64_t limit, char **data, size_t *size,
                          OozeError *error);

/* Writes a temporary file, syncs it, renames it to `path` and syncs the folder: at any moment
   `path` is either the old file or the new one. */
OozeStatus ooze_file_write_atomic(const char *path, const void *data, size_t size,
                                  OozeError *error);
/* Syncs and renames as above, for a file that another library wrote at `temporary`. */
OozeStatus ooze_file_commit(const char *temporary, const char *path, OozeError *error);

/* What follows the last slash of a path. */
const char *ooze_base_name(const char *path);

/* Creates a folder and its parents, where they do not exist. */
OozeStatus ooze_make_folder(const char *path, OozeError *error);
bool ooze_file_exists(const char *path);

/* The report of a failed system call, by errno: `doing` is "write", "open", ... */
OozeStatus ooze_fail_file(OozeError *error, OozeStatus status, const char *doing, const char *path,
                          int error_number);

#endif
