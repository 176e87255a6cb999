/* ooze probes: the kinds of probes. */
#include <stdio.h>

#include "cli/command.h"
#include "world/probes/probe.h"

static int run(const OozeArguments *arguments)
{
    (void)arguments;
    for (int i = 0; i < OOZE_PROBE_KIND_COUNT; i++) {
        const OozeProbeKindInfo *info = &ooze_probe_kinds[i];
        printf("%-18s %s\n", info->name, info->help);
        if (info->keys && info->keys[0]) {
            printf("%-18s keys: %s\n", "", info->keys);
        }
    }
    return OOZE_EXIT_OK;
}

const OozeCommand ooze_command_probes = {
    .name = "probes",
    .synopsis = "",
    .summary = "List the kinds of probes a scene may have",
    .details = "",
    .run = run,
};
