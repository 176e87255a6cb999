/* A folder of its own for each test, or each group: cmocka's setup makes it, the teardown removes
   it. */
#ifndef OOZE_TESTS_SCRATCH_FOLDER_H
#define OOZE_TESTS_SCRATCH_FOLDER_H

#include "check.h"

static char folder[32];

static inline int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/ooze_test_XXXXXX");
    return mkdtemp(folder) ? 0 : 1;
}

static inline int remove_folder(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

#endif
