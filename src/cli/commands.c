/* The one list of commands, in the order of the help page. */
#include <string.h>

#include "cli/command.h"

extern const OozeCommand ooze_command_new, ooze_command_examples, ooze_command_run,
    ooze_command_check, ooze_command_upgrade, ooze_command_info, ooze_command_export,
    ooze_command_mesh, ooze_command_plot, ooze_command_rheo, ooze_command_render, ooze_command_view,
    ooze_command_bench, ooze_command_methods, ooze_command_presets, ooze_command_probes,
    ooze_command_schema, ooze_command_reference, ooze_command_version, ooze_command_help;

const OozeCommand *const ooze_commands[] = {
    &ooze_command_new,     &ooze_command_examples,  &ooze_command_run,     &ooze_command_check,
    &ooze_command_upgrade, &ooze_command_info,      &ooze_command_export,  &ooze_command_mesh,
    &ooze_command_plot,    &ooze_command_rheo,      &ooze_command_render,  &ooze_command_view,
    &ooze_command_bench,   &ooze_command_methods,   &ooze_command_presets, &ooze_command_probes,
    &ooze_command_schema,  &ooze_command_reference, &ooze_command_version, &ooze_command_help,
};

const int ooze_command_count = OOZE_ROWS(ooze_commands);

const OozeCommand *ooze_command_find(const char *name)
{
    for (int i = 0; i < ooze_command_count; i++) {
        if (strcmp(ooze_commands[i]->name, name) == 0) {
            return ooze_commands[i];
        }
    }
    return NULL;
}
