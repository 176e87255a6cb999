/* Manual pages, from the tables of the help. */
#ifndef OOZE_CLI_MAN_PAGE_H
#define OOZE_CLI_MAN_PAGE_H

#include "cli/command.h"

typedef struct OozeExitCode {
    const char *code, *meaning;
} OozeExitCode;

/* ooze(1) on stdout. */
void ooze_man_overview(const OozeExitCode *codes, int code_count);
/* ooze-COMMAND(1) on stdout. */
void ooze_man_command(const OozeCommand *command);

#endif
