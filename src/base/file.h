/* Files: whole reads with a limit, and writes that either happen entirely or not at all. */
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

/* Writes beside `path`, syncs, renames over it, syncs the folder: a kill at any moment leaves
   either the old file or the new one. */
OozeStatus ooze_file_write_atomic(const char *path, const void *data, size_t size,
                                  OozeError *error);
/* Syncs and renames as above, for a file that another library wrote at `temporary`. */
OozeStatus ooze_file_commit(const char *temporary, const char *path, OozeError *error);

/* Creates a folder and its parents; an existing one is fine. */
OozeStatus ooze_make_folder(const char *path, OozeError *error);
bool ooze_file_exists(const char *path);

/* The one report for a failed system call, by errno: `doing` is "write", "open", ... */
OozeStatus ooze_fail_file(OozeError *error, OozeStatus status, const char *doing, const char *path,
                          int error_number);

#endif
