#include "cli/man_page.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "ooze/types.h"

/* One character; a line must not begin with the character of a request. */
static void print_character(char c, bool begins_line)
{
    if (begins_line && c == '.') {
        printf("\\&");
    }
    switch (c) {
    case '\\':
        printf("\\e");
        break;
    case '-':
        printf("\\-");
        break;
    case '\'':
        printf("\\(aq");
        break;
    case '^':
        printf("\\(ha");
        break;
    case '~':
        printf("\\(ti");
        break;
    default:
        putchar(c);
    }
}

/* "[text](address)", with a text without spaces. */
static bool begins_link(const char *text)
{
    return text[0] == '[' && strncmp(text + strcspn(text, " ]"), "](", 2) == 0 && strchr(text, ')');
}

/* Markdown as roff: `code` is bold, of a [link](address) the text is left, and an empty line begins
   a paragraph. */
static void print_text(const char *text)
{
    bool bold = false, linked = false, begins_line = true;
    for (const char *c = text; *c; c++) {
        if (*c == '`') {
            printf(bold ? "\\fR" : "\\fB");
            bold = !bold;
            begins_line = false;
        } else if (c[0] == '\n' && c[1] == '\n') {
            printf("\n.PP\n");
            c++;
            begins_line = true;
        } else if (begins_link(c)) {
            linked = true;
        } else if (linked && *c == ']') {
            linked = false;
            c = strchr(c, ')');
        } else {
            print_character(*c, begins_line);
            begins_line = *c == '\n';
        }
    }
    printf("%s\n", bold ? "\\fR" : "");
}

static void print_title(const char *name)
{
    printf(".\\\" Written by `ooze help --man`.\n.TH ");
    for (; *name; name++) {
        print_character((char)toupper((unsigned char)*name), false);
    }
    printf(" 1 \"\" \"ooze %s\" \"Ooze\"\n.SH NAME\n", ooze_version().text);
}

/* The usage line, or two: "SCENE -o DIR, or: ooze run --resume DIR". */
static void print_synopsis(const OozeCommand *command)
{
    static const char separator[] = ", or: ";
    printf(".SH SYNOPSIS\n.nf\n\\fBooze %s\\fR ", command->name);
    const char *second = strstr(command->synopsis, separator);
    if (second) {
        for (const char *c = command->synopsis; c < second; c++) {
            print_character(*c, false);
        }
        printf("\n");
        print_text(second + strlen(separator));
    } else {
        print_text(command->synopsis);
    }
    printf(".fi\n");
}

static void print_option(const OozeOption *option)
{
    printf(".TP\n");
    if (option->letter) {
        printf("\\fB\\-%c\\fR, ", option->letter);
    }
    printf("\\fB\\-\\-");
    for (const char *c = option->name; *c; c++) {
        print_character(*c, false);
    }
    printf("\\fR");
    if (option->value) {
        printf(" \\fI");
        for (const char *c = option->value; *c; c++) {
            print_character(*c, false);
        }
        printf("\\fR");
    }
    printf("\n");
    print_text(option->help);
}

void ooze_man_command(const OozeCommand *command)
{
    char name[64];
    snprintf(name, sizeof name, "ooze-%s", command->name);
    print_title(name);
    printf("ooze\\-%s \\- ", command->name);
    print_text(command->summary);
    print_synopsis(command);
    if (command->operand_count + command->option_count > 0) {
        printf(".SH OPTIONS\n");
    }
    for (int i = 0; i < command->operand_count; i++) {
        printf(".TP\n\\fI%s\\fR\n", command->operands[i].name);
        print_text(command->operands[i].help);
    }
    for (int i = 0; i < command->option_count; i++) {
        print_option(&command->options[i]);
    }
    if (command->details[0]) {
        printf(".SH DESCRIPTION\n");
        print_text(command->details);
    }
    printf(".SH SEE ALSO\n.BR ooze (1)\n");
}

void ooze_man_overview(const OozeExitCode *codes, int code_count)
{
    static const struct {
        const char *name, *help;
    } variables[] = {
        {"OOZE_DEVICE", "`cpu`, `cuda` or `auto`: the device where `--device` is not given"},
        {"OOZE_ISA", "`base`, `avx2` or `avx512`: the instruction set of innermost loops"},
        {"OOZE_VIEW_TOKEN", "the token in the address of `ooze view`, 32 hexadecimal digits"},
        {"NO_COLOR", "turns colours off"},
    };
    print_title("ooze");
    printf("ooze \\- particle\\-based viscoelastic fluids\n"
           ".SH SYNOPSIS\n.B ooze\n.I COMMAND\n[options]\n.SH DESCRIPTION\n");
    print_text("Simulates honey that coils, cream that holds its peaks, slime that springs back "
               "and jelly that bounces, from scene files in YAML; draws pictures and videos, and "
               "writes meshes for other programs. Results go to stdout; progress, warnings and "
               "errors to stderr.\n\nTo begin: `ooze new`, then `ooze run SCENE -o DIR` and `ooze "
               "render DIR`. `ooze COMMAND --help` prints the options of a command.");
    printf(".SH COMMANDS\n");
    for (int i = 0; i < ooze_command_count; i++) {
        printf(".TP\n.BR ooze\\-%s (1)\n", ooze_commands[i]->name);
        print_text(ooze_commands[i]->summary);
    }
    printf(".SH EXIT STATUS\n");
    for (int i = 0; i < code_count; i++) {
        printf(".TP\n.B %s\n", codes[i].code);
        print_text(codes[i].meaning);
    }
    printf(".SH ENVIRONMENT\n");
    for (int i = 0; i < OOZE_ROWS(variables); i++) {
        printf(".TP\n.B %s\n", variables[i].name);
        print_text(variables[i].help);
    }
}
