#include "cli/completion.h"

#include <stdio.h>
#include <string.h>

#include "cli/bench.h"
#include "cli/templates.h"
#include "ooze/world.h"

/* ---- lists of names: NULL past the last ----------------------------------------------------- */

static const char *command_name(int i)
{
    return i < ooze_command_count ? ooze_commands[i]->name : NULL;
}

static const char *template_name(int i)
{
    return i < ooze_template_count ? ooze_templates[i].name : NULL;
}

static const char *preset_name(int i)
{
    return i < ooze_preset_count() ? ooze_preset_info(i)->name : NULL;
}

static const char *method_name(int i)
{
    return i < ooze_method_count() ? ooze_method_info(i)->name : NULL;
}

static const char *bench_name(int i)
{
    const OozeBenchScene *scene = ooze_bench_scene(i);
    return scene ? scene->name : NULL;
}

/* Kinds of values by their names in the help; the first row that fits counts. An option without a
   row takes the words in backticks in its help. */
static const struct {
    const char *command; /* NULL: all */
    const char *value;   /* name of the operand, or of the option's value */
    bool files, folders, scenes, examples;
    const char *(*name)(int);
} kinds[] = {
    {"bench", "NAME", .scenes = true, .name = bench_name},
    {"examples", "NAME", .examples = true},
    {"methods", "NAME", .name = method_name},
    {"presets", "NAME", .name = preset_name},
    {"plot", "RUN", .files = true},
    {"view", "SCENE", .scenes = true, .folders = true},
    {NULL, "SCENE|PRESET", .scenes = true, .name = preset_name},
    {NULL, "SCENE", .scenes = true},
    {NULL, "TEMPLATE", .name = template_name},
    {NULL, "COMMAND", .name = command_name},
    {NULL, "RUN", .folders = true},
    {NULL, "DIR", .folders = true},
    {NULL, "FILE", .files = true},
    {NULL, "PATH", .files = true},
};

static bool find_kind(const OozeCommand *command, const char *value, OozeCompletion *completion)
{
    for (int i = 0; i < OOZE_ROWS(kinds); i++) {
        bool fits = !kinds[i].command || strcmp(kinds[i].command, command->name) == 0;
        if (fits && strcmp(kinds[i].value, value) == 0) {
            completion->files = kinds[i].files;
            completion->folders = kinds[i].folders;
            completion->scenes = kinds[i].scenes;
            completion->examples = kinds[i].examples;
            for (int k = 0; kinds[i].name && kinds[i].name(k); k++) {
                ooze_text_append(&completion->words, "%s%s", k ? " " : "", kinds[i].name(k));
            }
            return true;
        }
    }
    return false;
}

/* "`cpu`, `cuda` or `auto`": the help of an option whose value is one of some words. */
static void append_choices(const char *help, OozeText *words)
{
    for (const char *open = strchr(help, '`'); open;) {
        const char *close = strchr(open + 1, '`');
        if (!close) {
            return;
        }
        if (open[1] != '-') { /* another option */
            ooze_text_append(words, "%s", words->length ? " " : "");
            ooze_text_append_bytes(words, open + 1, (size_t)(close - open - 1));
        }
        open = strchr(close + 1, '`');
    }
}

OozeCompletion ooze_completion_of_option(const OozeCommand *command, const OozeOption *option)
{
    static const char *const choice_values[] = {"NAME", "BY", "KIND", "AXES", "SHELL"};
    OozeCompletion completion = {0};
    if (strcmp(command->name, "rheo") == 0 && strcmp(option->name, "method") == 0) {
        find_kind(ooze_command_find("methods"), "NAME", &completion);
        return completion;
    }
    for (int i = 0; i < OOZE_ROWS(choice_values); i++) {
        if (strcmp(option->value, choice_values[i]) == 0) {
            append_choices(option->help, &completion.words);
            return completion;
        }
    }
    find_kind(command, option->value, &completion);
    return completion;
}

OozeCompletion ooze_completion_of_operand(const OozeCommand *command, const OozeOperand *operand)
{
    OozeCompletion completion = {0};
    find_kind(command, operand->name, &completion);
    return completion;
}

void ooze_completion_print(const char *text, const char *escaped)
{
    for (const char *c = text; *c; c++) {
        if (*c == '\'') {
            printf("'\\''");
        } else if (*c != '`') {
            printf(strchr(escaped, *c) ? "\\%c" : "%c", *c);
        }
    }
}
