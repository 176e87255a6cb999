/* ooze version: the version, and which optional parts are in. */
#include <stdio.h>

#include "cli/command.h"
#include "ooze/types.h"

static int run(const OozeArguments *arguments)
{
    (void)arguments;
    printf("ooze %s\n", ooze_version().text);
    int count;
    const OozePart *parts = ooze_parts(&count);
    for (int i = 0; i < count; i++) {
        printf("  %-8s %-3s %s\n", parts[i].name, parts[i].present ? "yes" : "no", parts[i].detail);
    }
    return OOZE_EXIT_OK;
}

const OozeCommand ooze_command_version = {
    .name = "version",
    .synopsis = "",
    .summary = "Print the version and which optional parts are in",
    .details = "`ooze --version` is the same.",
    .run = run,
};
