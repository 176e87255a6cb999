/* ooze help: the command list as text, or as the page docs/cli.md. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/command.h"

enum { TEXT_WIDTH = 84, COMMANDS_MAX = 64 };

/* Sections that hold for every command, such as exit codes. */
static const struct {
    const char *code, *meaning;
} exit_codes[] = {
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
    printf("\n'ooze help COMMAND' tells more. To begin: ooze run SCENE -o DIR\n");
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
           "`ooze COMMAND --help` prints the command's part of this page.\n\n"
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

static int run(const OozeArguments *arguments)
{
    if (ooze_argument_given(arguments, "markdown")) {
        print_markdown();
        return OOZE_EXIT_OK;
    }
    if (arguments->operand_count == 0) {
        print_overview();
        return OOZE_EXIT_OK;
    }
    const char *name = arguments->operands[0];
    const OozeCommand *command = ooze_command_find(name);
    if (!command) {
        const char *names[COMMANDS_MAX];
        for (int i = 0; i < ooze_command_count; i++) {
            names[i] = ooze_commands[i]->name;
        }
        const char *near = ooze_suggest(name, names, ooze_command_count);
        return ooze_usage_error(arguments->command, "unknown command '%s'%s%s%s", name,
                                near ? "; did you mean '" : "; 'ooze help' lists them",
                                near ? near : "", near ? "'?" : "");
    }
    print_command(command);
    return OOZE_EXIT_OK;
}

static const OozeOperand operands[] = {{"COMMAND", "the command to explain", true}};

static const OozeOption options[] = {
    {"markdown", 0, NULL, false, "print this page, `docs/cli.md`"},
};

const OozeCommand ooze_command_help = {
    .name = "help",
    .synopsis = "[COMMAND]",
    .summary = "Explain a command",
    .details = "",
    .operands = operands,
    .operand_count = OOZE_ROWS(operands),
    .options = options,
    .option_count = OOZE_ROWS(options),
    .run = run,
};
