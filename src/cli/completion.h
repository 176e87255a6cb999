/* Completion of command lines: which values options and operands take, and scripts for shells. */
#ifndef OOZE_CLI_COMPLETION_H
#define OOZE_CLI_COMPLETION_H

#include <stdbool.h>

#include "base/text.h"
#include "cli/command.h"

/* Several may hold: `ooze rheo` takes a scene file or a preset. */
typedef struct OozeCompletion {
    bool files, folders;
    bool scenes;    /* *.yaml */
    bool examples;  /* what `ooze examples --names` prints, with and without the folders */
    OozeText words; /* separated by spaces */
} OozeCompletion;

/* Free `words` with ooze_text_clear. */
OozeCompletion ooze_completion_of_option(const OozeCommand *command, const OozeOption *option);
OozeCompletion ooze_completion_of_operand(const OozeCommand *command, const OozeOperand *operand);

/* Prints a text without backticks, with a backslash before each character of
   `escaped`; a single quote becomes '\''. */
void ooze_completion_print(const char *text, const char *escaped);

/* Scripts on stdout. False: out of memory. */
bool ooze_completion_bash(void);
bool ooze_completion_zsh(void);
bool ooze_completion_fish(void);

#endif
