#include "cli/shared_path.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

/* The folder of the running command, with the slash at its end; "" where it is unknown. */
static void own_folder(char folder[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    while (length > 0 && folder[length - 1] != '/') {
        length--;
    }
    folder[length > 0 ? length : 0] = '\0';
}

bool ooze_shared_path(const char *installed, const char *in_tree, OozeText *path)
{
    char folder[PATH_MAX], resolved[PATH_MAX];
    own_folder(folder);
    for (int i = 0; i < 2; i++) {
        ooze_text_clear(path);
        ooze_text_append(path, "%s../%s%s", folder, i == 0 ? "share/ooze/" : "",
                         i == 0 ? installed : in_tree);
        if (!path->failed && realpath(path->data, resolved)) {
            ooze_text_clear(path);
            ooze_text_append(path, "%s", resolved);
            return !path->failed;
        }
    }
    ooze_text_clear(path);
    return false;
}
