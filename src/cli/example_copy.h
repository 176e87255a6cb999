/* Copies of a scene with the files that it names. */
#ifndef OOZE_CLI_EXAMPLE_COPY_H
#define OOZE_CLI_EXAMPLE_COPY_H

#include <stdbool.h>

#include "ooze/status.h"

/* Copies the scene file at `path` to `folder`, which is created: scenes that it includes beside it,
   other files into `folder/meshes`; paths in the copies are changed accordingly. A file that
   exists with other contents is replaced where `replaces`, else an error; then no file is
   written. Prints the name of each copied file. */
OozeStatus ooze_example_copy(const char *path, const char *folder, bool replaces, OozeError *error);

#endif
