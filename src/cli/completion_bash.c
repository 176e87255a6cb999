/* Completion for bash, without the package bash-completion. */
#include <stdio.h>

#include "cli/completion.h"

static const char header[] =
    "# Completion of ooze for bash; written by `ooze help --completion bash`.\n"
    "_ooze()\n{\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
    "    local command=${COMP_WORDS[1]} words= kinds= IFS=$' \\t\\n'\n"
    "    COMPREPLY=()\n"
    "    # bash makes three words of --option=value\n"
    "    if [[ $current == '=' ]]; then\n"
    "        current=\n"
    "    elif [[ $before == '=' ]]; then\n"
    "        before=${COMP_WORDS[COMP_CWORD-2]}\n"
    "    fi\n";

static const char footer[] =
    "    local kind\n"
    "    [[ -z $words ]] || COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
    "    IFS=$'\\n'\n"
    "    [[ -z $kinds ]] || compopt -o filenames 2>/dev/null\n"
    "    for kind in ${kinds// /$'\\n'}; do\n"
    "        case $kind in\n"
    "            files) COMPREPLY+=($(compgen -f -- \"$current\")) ;;\n"
    "            folders) COMPREPLY+=($(compgen -d -- \"$current\")) ;;\n"
    "            scenes) COMPREPLY+=($(compgen -f -X '!*.yaml' -- \"$current\")\n"
    "                                $(compgen -d -- \"$current\")) ;;\n"
    "            examples) COMPREPLY+=($(compgen -W \"$(\"${COMP_WORDS[0]}\" examples --names \\\n"
    "                                    2>/dev/null | sed -e p -e 's,.*/,,')\" -- \"$current\")) "
    ";;\n"
    "        esac\n"
    "    done\n"
    "}\n"
    "complete -F _ooze ooze\n";

/* Prints assignments of `words` and `kinds`; false: out of memory. */
static bool print_values(OozeCompletion completion)
{
    if (completion.words.length) {
        printf(" words='%s'", completion.words.data);
    }
    if (completion.files || completion.folders || completion.scenes || completion.examples) {
        bool folders = completion.folders && !completion.scenes; /* the latter include them */
        printf(" kinds='%s%s%s%s'", completion.files ? "files " : "",
               completion.scenes ? "scenes " : "", folders ? "folders " : "",
               completion.examples ? "examples " : "");
    }
    bool good = !completion.words.failed;
    ooze_text_clear(&completion.words);
    return good;
}

static bool print_option_values(const OozeCommand *command)
{
    bool good = true;
    for (int i = 0; i < command->option_count; i++) {
        const OozeOption *option = &command->options[i];
        if (!option->value) {
            continue;
        }
        printf("        %s:--%s", command->name, option->name);
        if (option->letter) {
            printf("|%s:-%c", command->name, option->letter);
        }
        printf(")");
        good = print_values(ooze_completion_of_option(command, option)) && good;
        printf(" ;;\n");
    }
    return good;
}

/* Options after a hyphen; else the values of all operands. */
static bool print_command(const OozeCommand *command)
{
    printf("            %s:-*) words='--help", command->name);
    for (int i = 0; i < command->option_count; i++) {
        printf(" --%s", command->options[i].name);
        if (command->options[i].letter) {
            printf(" -%c", command->options[i].letter);
        }
    }
    printf("' ;;\n");
    bool good = true;
    if (command->operand_count > 0) {
        printf("            %s:*)", command->name);
        good = print_values(ooze_completion_of_operand(command, &command->operands[0]));
        printf(" ;;\n");
    }
    return good;
}

bool ooze_completion_bash(void)
{
    bool good = true;
    printf("%s    if ((COMP_CWORD == 1)); then\n        words='", header);
    for (int i = 0; i < ooze_command_count; i++) {
        printf("%s ", ooze_commands[i]->name);
    }
    printf("--help --version'\n    else\n        case $command:$before in\n");
    for (int i = 0; i < ooze_command_count; i++) {
        good = print_option_values(ooze_commands[i]) && good;
    }
    printf("        *)\n            case $command:$current in\n");
    for (int i = 0; i < ooze_command_count; i++) {
        good = print_command(ooze_commands[i]) && good;
    }
    printf("            esac ;;\n        esac\n    fi\n%s", footer);
    return good;
}
