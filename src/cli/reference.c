/* ooze reference: the scene format as a reference page. */
#include <stdio.h>

#include "cli/command.h"
#include "cli/report.h"
#include "ooze/scene.h"

static int run(const OozeArguments *arguments)
{
    (void)arguments;
    OozeError error = {0};
    char *text = NULL;
    if (ooze_scene_reference(&text, &error)) {
        return ooze_report_error(&error);
    }
    fputs(text, stdout);
    ooze_text_free(text);
    return OOZE_EXIT_OK;
}

const OozeCommand ooze_command_reference = {
    .name = "reference",
    .synopsis = "",
    .summary = "Print the scene format as a reference page",
    .details = "In Markdown, made from the same table of keys that reads scenes; "
               "`docs/scene-format.md` is its output.",
    .run = run,
};
