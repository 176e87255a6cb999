/* Files that are installed with the command. */
#ifndef OOZE_CLI_SHARED_PATH_H
#define OOZE_CLI_SHARED_PATH_H

#include <stdbool.h>

#include "base/text.h"

/* Finds `share/ooze/INSTALLED` of the prefix that holds the running command, or `in_tree` of the
   source tree that it was built in. False: neither exists; the text is then empty. */
bool ooze_shared_path(const char *installed, const char *in_tree, OozeText *path);

#endif
