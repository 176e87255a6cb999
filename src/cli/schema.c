/* ooze schema: the scene format as JSON Schema. */
#include <stdio.h>

#include "cli/command.h"
#include "cli/report.h"
#include "ooze/scene.h"

static int run(const OozeArguments *arguments)
{
    (void)arguments;
    OozeError error = {0};
    char *text = NULL;
    if (ooze_scene_schema(&text, &error)) {
        return ooze_report_error(&error);
    }
    fputs(text, stdout);
    ooze_text_free(text);
    return OOZE_EXIT_OK;
}

const OozeCommand ooze_command_schema = {
    .name = "schema",
    .synopsis = "",
    .summary = "Print the scene format as JSON Schema",
    .details = "Editors that know JSON Schema complete and check scene files with it.",
    .run = run,
};
