/* Commands of `ooze`: each is one const struct in its own file; commands.c holds the one list. */
#ifndef OOZE_CLI_COMMAND_H
#define OOZE_CLI_COMMAND_H

#include "cli/arguments.h"

/* Exit codes; listed in docs/cli.md. */
enum {
    OOZE_EXIT_OK = 0,
    OOZE_EXIT_FAILED = 1,    /* error of scene, file or device */
    OOZE_EXIT_USAGE = 2,     /* invalid command line */
    OOZE_EXIT_NUMERIC = 3,   /* the simulation diverged */
    OOZE_EXIT_STOPPED = 130, /* interrupted, and resumable */
};

typedef struct OozeOperand {
    const char *name; /* "SCENE" */
    const char *help;
    bool optional;
} OozeOperand;

typedef struct OozeCommand {
    const char *name;
    const char *synopsis; /* what follows the name in a usage line */
    const char *summary;  /* one line, no full stop */
    const char *details;  /* Markdown paragraphs for the help page, or "" */
    const OozeOperand *operands;
    int operand_count;
    bool repeats; /* the last operand may be given any number of times */
    const OozeOption *options;
    int option_count;
    int (*run)(const OozeArguments *arguments);
} OozeCommand;

#define OOZE_ROWS(array) (int)(sizeof(array) / sizeof((array)[0]))

extern const OozeCommand *const ooze_commands[];
extern const int ooze_command_count;
const OozeCommand *ooze_command_find(const char *name); /* NULL: unknown */

/* The page of one command, or with NULL the short overview, as plain text on stdout. */
void ooze_help_print(const OozeCommand *command);

#endif
