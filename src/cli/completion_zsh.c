/* Completion for zsh: one call of _arguments for each command. */
#include <stdio.h>

#include "cli/completion.h"

/* The action of a specification within single quotes; false: out of memory. */
static bool print_action(OozeCompletion completion)
{
    bool good = !completion.words.failed;
    printf("{");
    if (completion.words.length) {
        printf("compadd -- %s; ", completion.words.data);
    }
    if (completion.examples) {
        printf("compadd -- ${(f)\"$($ooze examples --names 2>/dev/null | "
               "sed -e p -e \"s,.*/,,\")\"}; ");
    }
    if (completion.scenes) {
        printf("_files -g \"*.yaml\"; ");
    }
    if (completion.folders && !completion.scenes) {
        printf("_files -/; ");
    }
    if (completion.files) {
        printf("_files; ");
    }
    printf("}");
    ooze_text_clear(&completion.words);
    return good;
}

static bool print_option(const OozeCommand *command, const OozeOption *option)
{
    const char *star = option->repeated ? "*" : "", *equals = option->value ? "=" : "";
    bool good = true;
    printf(" \\\n            ");
    if (option->letter && option->repeated) {
        printf("'*'{-%c,--%s%s}'", option->letter, option->name, equals);
    } else if (option->letter) {
        printf("'(-%c --%s)'{-%c,--%s%s}'", option->letter, option->name, option->letter,
               option->name, equals);
    } else {
        printf("'%s--%s%s", star, option->name, equals);
    }
    printf("[");
    ooze_completion_print(option->help, "[]\\");
    printf("]");
    if (option->value) {
        printf(":%s:", option->value);
        good = print_action(ooze_completion_of_option(command, option));
    }
    printf("'");
    return good;
}

static bool print_command(const OozeCommand *command)
{
    bool good = true;
    printf("        %s)\n        _arguments -S '(- *)'{-h,--help}'[Explain the command]'",
           command->name);
    for (int i = 0; i < command->option_count; i++) {
        good = print_option(command, &command->options[i]) && good;
    }
    for (int i = 0; i < command->operand_count; i++) {
        const OozeOperand *operand = &command->operands[i];
        bool many = command->repeats && i == command->operand_count - 1;
        printf(" \\\n            '");
        if (many) {
            printf("*");
        } else {
            printf("%d%s", i + 1, operand->optional ? ":" : "");
        }
        printf(":%s:", operand->name);
        good = print_action(ooze_completion_of_operand(command, operand)) && good;
        printf("'");
    }
    printf("\n        ;;\n");
    return good;
}

bool ooze_completion_zsh(void)
{
    bool good = true;
    printf("#compdef ooze\n"
           "# Completion of ooze for zsh; written by `ooze help --completion zsh`.\n"
           "_ooze()\n{\n    local -a commands\n    commands=(\n");
    for (int i = 0; i < ooze_command_count; i++) {
        printf("        '%s:", ooze_commands[i]->name);
        ooze_completion_print(ooze_commands[i]->summary, ":\\");
        printf("'\n");
    }
    printf("    )\n    if ((CURRENT == 2)); then\n"
           "        _describe -t commands command commands\n        return\n    fi\n"
           "    local ooze=${(Q)words[1]}\n    shift words\n    ((CURRENT--))\n    case $words[1] "
           "in\n");
    for (int i = 0; i < ooze_command_count; i++) {
        good = print_command(ooze_commands[i]) && good;
    }
    printf("    esac\n}\n"
           "# loaded by compinit, or sourced\n"
           "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n    _ooze \"$@\"\nelse\n"
           "    compdef _ooze ooze\nfi\n");
    return good;
}
