/* ooze help: the command list as text, as the page docs/cli.md, as manual pages, and as scripts of
   shells that complete command lines. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/man_page.h"
#include "cli/report.h"

enum { TEXT_WIDTH = 84, COMMANDS_MAX = 64 };

/* Sections that hold for every command, such as exit codes. */
static const OozeExitCode exit_codes[] = {
    {"0", "success; also a resumed run that is finished already"},
    {"1",
     "an error of the scene, a file or the machine, or a frame that is missing or damaged; the "
     "message has a hint"},
    {"2", "the command line is not valid"},
    {"3", "the simulation diverged (a value is not finite); earlier frames are valid"},
    {"130", "`run`, `export`, `mesh` or `render` was interrupted by Ctrl-C, SIGTERM or SIGHUP; the "
            "run can be resumed"},
};

/* A paragraph broken at spaces; backticks are for Markdown and dropped. */
static void print_wrapped(const char *text, int indent)
{
    int column = 0;
    while (*text) {
        if (*text == '\n') {
            printf("\n");
            column = 0;
            text++;
            continue;
        }
        int length = (int)strcspn(text, " \n"), shown = 0;
        for (int i = 0; i < length; i++) {
            shown += text[i] != '`';
        }
        if (column > 0 && column + 1 + shown > TEXT_WIDTH - indent) {
            printf("\n");
            column = 0;
        }
        if (column == 0) {
            printf("%*s", indent, "");
        } else {
            printf(" ");
            column++;
        }
        for (int i = 0; i < length; i++) {
            if (text[i] != '`') {
                putchar(text[i]);
            }
        }
        column += shown;
        text += length;
        text += *text == ' ';
    }
    printf("\n");
}

static void spell_option(const OozeOption *option, char *text, size_t size)
{
    char letter[8] = "";
    if (option->letter) {
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    }
    snprintf(text, size, "%s--%s%s%s", letter, option->name, option->value ? " " : "",
             option->value ? option->value : "");
}

static void print_command(const OozeCommand *command)
{
    printf("%s.\n\nUsage: ooze %s%s%s\n", command->summary, command->name,
           command->synopsis[0] ? " " : "", command->synopsis);
    for (int i = 0; i < command->operand_count; i++) {
        printf("\n  %s\n", command->operands[i].name);
        print_wrapped(command->operands[i].help, 6);
    }
    for (int i = 0; i < command->option_count; i++) {
        char spelled[64];
        spell_option(&command->options[i], spelled, sizeof spelled);
        printf("\n  %s\n", spelled);
        print_wrapped(command->options[i].help, 6);
    }
    if (command->details[0]) {
        printf("\n");
        print_wrapped(command->details, 0);
    }
}

static void print_overview(void)
{
    printf("ooze: particle-based viscoelastic fluids\n\nUsage: ooze COMMAND [options]\n\n");
    for (int i = 0; i < ooze_command_count; i++) {
        printf("  %-10s %s\n", ooze_commands[i]->name, ooze_commands[i]->summary);
    }
    printf("\n'ooze help COMMAND' tells more. To begin: ooze new\n");
}

void ooze_help_print(const OozeCommand *command)
{
    if (command) {
        print_command(command);
    } else {
        print_overview();
    }
}

/* ---- Markdown ----------------------------------------------------------------------------- */

static void print_markdown_command(const OozeCommand *command)
{
    printf("\n## ooze %s\n\n%s.\n\n    ooze %s%s%s\n", command->name, command->summary,
           command->name, command->synopsis[0] ? " " : "", command->synopsis);
    if (command->operand_count + command->option_count > 0) {
        printf("\n| | |\n| --- | --- |\n");
    }
    for (int i = 0; i < command->operand_count; i++) {
        printf("| `%s` | %s |\n", command->operands[i].name, command->operands[i].help);
    }
    for (int i = 0; i < command->option_count; i++) {
        char spelled[64];
        spell_option(&command->options[i], spelled, sizeof spelled);
        printf("| `%s` | %s |\n", spelled, command->options[i].help);
    }
    if (command->details[0]) {
        printf("\n%s\n", command->details);
    }
}

static void print_markdown(void)
{
    printf("# The command `ooze`\n\n"
           "<!-- Written by `ooze help --markdown`; a test compares the two. -->\n\n"
           "    ooze COMMAND [options]\n\n"
           "Results go to stdout; progress, warnings and errors to stderr. Colours and the redrawn "
           "progress line appear on a terminal only (`NO_COLOR` turns colours off). "
           "`ooze COMMAND --help` prints the command's part of this page. Numbers of options are "
           "expressions, as [in scenes](scene-format.md): `--time-step 1/60`.\n\n"
           "| command | |\n| --- | --- |\n");
    for (int i = 0; i < ooze_command_count; i++) {
        printf("| [%s](#ooze-%s) | %s |\n", ooze_commands[i]->name, ooze_commands[i]->name,
               ooze_commands[i]->summary);
    }
    printf("\n## Exit codes\n\n| code | meaning |\n| --- | --- |\n");
    for (int i = 0; i < OOZE_ROWS(exit_codes); i++) {
        printf("| %s | %s |\n", exit_codes[i].code, exit_codes[i].meaning);
    }
    for (int i = 0; i < ooze_command_count; i++) {
        print_markdown_command(ooze_commands[i]);
    }
}

static int print_completion(const OozeArguments *arguments)
{
    static const char *const shells[] = {"bash", "zsh", "fish"};
    static bool (*const scripts[])(void) = {ooze_completion_bash, ooze_completion_zsh,
                                            ooze_completion_fish};
    int shell = 0;
    if (!ooze_argument_choice(arguments, "completion", shells, OOZE_ROWS(shells), &shell)) {
        return OOZE_EXIT_USAGE;
    }
    if (!scripts[shell]()) {
        OozeError error = {0};
        ooze_fail_memory(&error, "the script", 0);
        return ooze_report_error(&error);
    }
    return OOZE_EXIT_OK;
}

static int unknown_command(const OozeArguments *arguments, const char *name)
{
    const char *names[COMMANDS_MAX];
    for (int i = 0; i < ooze_command_count; i++) {
        names[i] = ooze_commands[i]->name;
    }
    const OozeUnknownWord word = {"command", name, names, ooze_command_count,
                                  "'ooze help' lists them"};
    return ooze_unknown_word(arguments->command, &word);
}

static int run(const OozeArguments *arguments)
{
    bool man = ooze_argument_given(arguments, "man");
    bool markdown = ooze_argument_given(arguments, "markdown");
    bool completion = ooze_argument_given(arguments, "completion");
    if (man + markdown + completion > 1) {
        return ooze_usage_error(arguments->command,
                                "--man, --markdown and --completion exclude each other");
    }
    const char *name = arguments->operand_count > 0 ? arguments->operands[0] : NULL;
    const OozeCommand *command = name ? ooze_command_find(name) : NULL;
    if (name && !command) {
        return unknown_command(arguments, name);
    }
    if (completion) {
        return print_completion(arguments);
    }
    if (markdown) {
        print_markdown();
    } else if (man && command) {
        ooze_man_command(command);
    } else if (man) {
        ooze_man_overview(exit_codes, OOZE_ROWS(exit_codes));
    } else {
        ooze_help_print(command);
    }
    return OOZE_EXIT_OK;
}

static const OozeOperand operands[] = {{"COMMAND", "the command to explain", true}};

static const OozeOption options[] = {
    {"man", 0, NULL, false, "print the manual page of the command, or of `ooze` itself"},
    {"completion", 0, "SHELL", false,
     "print a script that completes command lines in `bash`, `zsh` or `fish`"},
    {"markdown", 0, NULL, false, "print this page, `docs/cli.md`"},
};

const OozeCommand ooze_command_help = {
    .name = "help",
    .synopsis = "[COMMAND] [--man | --completion SHELL | --markdown]",
    .summary = "Explain a command",
    .details = "Manual pages and completions are installed with the command. Where they are not: "
               "`. <(ooze help --completion bash)` completes in the current shell.",
    .operands = operands,
    .operand_count = OOZE_ROWS(operands),
    .options = options,
    .option_count = OOZE_ROWS(options),
    .run = run,
};
