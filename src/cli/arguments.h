/* The command line, parsed against a command's option table. */
#ifndef OOZE_CLI_ARGUMENTS_H
#define OOZE_CLI_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fail.h"
#include "ooze/world.h"

struct OozeCommand;

typedef struct OozeOption {
    const char *name;  /* "threads", written --threads */
    char letter;       /* 'o', written -o; 0: none */
    const char *value; /* "N": takes a value; NULL: a switch */
    bool repeated;     /* may be given more than once */
    const char *help;
} OozeOption;

typedef struct OozeArguments {
    const struct OozeCommand *command;
    const char **operands;
    int operand_count;
    const char **values;        /* of the given options; "" for switches */
    const OozeOption **options; /* the option of each value */
    int value_count;
    bool help; /* --help was given */
} OozeArguments;

/* Parses the words after the command's name. Reports an error in one line on stderr and returns
   OOZE_EXIT_USAGE. Free in either case. */
int ooze_arguments_parse(OozeArguments *arguments, const struct OozeCommand *command, int count,
                         char **words);
void ooze_arguments_free(OozeArguments *arguments);

/* Prints one line with the command's name on stderr; NULL: ooze. Returns OOZE_EXIT_USAGE. */
int ooze_usage_error(const struct OozeCommand *command, const char *format, ...) OOZE_PRINTF(2, 3);

/* A word that names none of a list; `lists` ends the sentence where none of them is similar. */
typedef struct OozeUnknownWord {
    const char *kind, *word;
    const char *const *names;
    int count;
    const char *lists; /* "'ooze new' lists them" */
} OozeUnknownWord;
int ooze_unknown_word(const struct OozeCommand *command, const OozeUnknownWord *unknown);

bool ooze_argument_given(const OozeArguments *arguments, const char *name);
const char *ooze_argument_text(const OozeArguments *arguments, const char *name); /* NULL: absent */
/* All values of a repeated option, in order; `values` holds value_count. */
int ooze_argument_list(const OozeArguments *arguments, const char *name, const char **values);

/* Numbers, which are expressions as in scenes, and choices; an option that is not given leaves
   `*value`. False after a usage error. */
bool ooze_argument_integer(const OozeArguments *arguments, const char *name, uint64_t min,
                           uint64_t max, uint64_t *value);
bool ooze_argument_real(const OozeArguments *arguments, const char *name, double min, double max,
                        double *value);
bool ooze_argument_choice(const OozeArguments *arguments, const char *name,
                          const char *const *choices, int count, int *index);

/* --device, and its row in a table of options. */
bool ooze_argument_device(const OozeArguments *arguments, OozeDevice *device);
#define OOZE_OPTION_DEVICE                                                                         \
    {                                                                                              \
        "device", 0, "NAME", false,                                                                \
            "`cpu`, `cuda` (the GPU, or an error) or `auto`, the default: the GPU where there is " \
            "one that takes the scene; without the option OOZE_DEVICE decides where it is set"     \
    }

/* KEY=VALUE overrides of --set into a fresh array (ooze_free). False after a usage error. */
bool ooze_argument_overrides(const OozeArguments *arguments, const char ***overrides, int *count);

#endif
