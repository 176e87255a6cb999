/* Completion for fish: one line for each option and operand. */
#include <stdio.h>

#include "cli/completion.h"

static const char header[] =
    "# Completion of ooze for fish; written by `ooze help --completion fish`.\n"
    "function __ooze_command\n"
    "    set -l words (commandline -opc)\n"
    "    test (count $words) -ge 2; and test $words[2] = $argv[1]\n"
    "end\n"
    "function __ooze_examples\n"
    "    set -l words (commandline -opc)\n"
    "    $words[1] examples --names 2>/dev/null | sed -e p -e 's,.*/,,'\n"
    "end\n"
    "complete -c ooze -f\n"
    "complete -c ooze -n 'test (count (commandline -opc)) -eq 1' -l version -d 'Print the "
    "version'\n"
    "complete -c ooze -s h -l help -d 'Explain the command'\n";

/* The option -a with what a value may be; false: out of memory. */
static bool print_values(OozeCompletion completion)
{
    bool good = !completion.words.failed;
    printf(" -a '%s%s%s%s%s'", completion.words.length ? completion.words.data : "",
           completion.examples ? " (__ooze_examples)" : "",
           completion.scenes ? " (__fish_complete_suffix .yaml)" : "",
           completion.folders ? " (__fish_complete_directories (commandline -ct))" : "",
           completion.files ? " (__fish_complete_path (commandline -ct))" : "");
    ooze_text_clear(&completion.words);
    return good;
}

static bool print_option(const OozeCommand *command, const OozeOption *option)
{
    bool good = true;
    printf("complete -c ooze -n '__ooze_command %s' -l %s", command->name, option->name);
    if (option->letter) {
        printf(" -s %c", option->letter);
    }
    if (option->value) {
        printf(" -x");
        good = print_values(ooze_completion_of_option(command, option));
    }
    printf(" -d '");
    ooze_completion_print(option->help, "\\");
    printf("'\n");
    return good;
}

bool ooze_completion_fish(void)
{
    bool good = true;
    printf("%s", header);
    for (int i = 0; i < ooze_command_count; i++) {
        const OozeCommand *command = ooze_commands[i];
        printf("complete -c ooze -n 'test (count (commandline -opc)) -eq 1' -a %s -d '",
               command->name);
        ooze_completion_print(command->summary, "\\");
        printf("'\n");
        for (int k = 0; k < command->option_count; k++) {
            good = print_option(command, &command->options[k]) && good;
        }
        if (command->operand_count > 0) {
            printf("complete -c ooze -n '__ooze_command %s'", command->name);
            good = print_values(ooze_completion_of_operand(command, &command->operands[0])) && good;
            printf("\n");
        }
    }
    return good;
}
