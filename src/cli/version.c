/* ooze version: version, instruction sets of the loops, and optional features. */
#include <stdio.h>

#include "base/isa.h"
#include "cli/command.h"
#include "ooze/types.h"

static int run(const OozeArguments *arguments)
{
    (void)arguments;
    printf("ooze %s\n", ooze_version().text);
    printf("  %-8s %s, the instruction set of innermost loops\n", "machine",
           ooze_isa_name(ooze_isa()));
    int count;
    const OozeFeature *features = ooze_features(&count);
    for (int i = 0; i < count; i++) {
        printf("  %-8s %-3s %s\n", features[i].name, features[i].present ? "yes" : "no",
               features[i].detail);
    }
    return OOZE_EXIT_OK;
}

const OozeCommand ooze_command_version = {
    .name = "version",
    .synopsis = "",
    .summary = "Print the version and which optional features are in",
    .details = "`ooze --version` is the same. `machine` is the best instruction set that both the "
               "processor and the build support, or the one in the environment variable OOZE_ISA "
               "(base, avx2, avx512).",
    .run = run,
};
