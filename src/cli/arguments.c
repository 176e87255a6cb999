#include "cli/arguments.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/number.h"
#include "cli/report.h"

int ooze_usage_error(const OozeCommand *command, const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    ooze_report_line("ooze%s%s: %s", command ? " " : "", command ? command->name : "", line);
    return OOZE_EXIT_USAGE;
}

int ooze_unknown_word(const OozeCommand *command, const OozeUnknownWord *unknown)
{
    const char *near = ooze_suggest(unknown->word, unknown->names, unknown->count);
    return ooze_usage_error(command, "unknown %s '%s'; %s%s%s", unknown->kind, unknown->word,
                            near ? "did you mean '" : unknown->lists, near ? near : "",
                            near ? "'?" : "");
}

static const OozeOption *find_option(const OozeCommand *command, const char *name, size_t length)
{
    for (int i = 0; i < command->option_count; i++) {
        const char *candidate = command->options[i].name;
        if (strlen(candidate) == length && strncmp(candidate, name, length) == 0) {
            return &command->options[i];
        }
    }
    return NULL;
}

static const OozeOption *find_letter(const OozeCommand *command, char letter)
{
    for (int i = 0; i < command->option_count; i++) {
        if (command->options[i].letter == letter) {
            return &command->options[i];
        }
    }
    return NULL;
}

enum { OPTIONS_MAX = 32, WORD_MAX = 64 };

static int unknown_option(const OozeCommand *command, const char *word)
{
    char name[WORD_MAX];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    char spelled[OPTIONS_MAX][WORD_MAX];
    const char *candidates[OPTIONS_MAX];
    int count = 0;
    for (int i = 0; i < command->option_count && count < OPTIONS_MAX - 1; i++) {
        snprintf(spelled[count], WORD_MAX, "--%s", command->options[i].name);
        candidates[count] = spelled[count];
        count++;
    }
    candidates[count++] = "--help";
    const char *near = ooze_suggest(name, candidates, count);
    if (near) {
        return ooze_usage_error(command, "unknown option '%s'; did you mean '%s'?", name, near);
    }
    return ooze_usage_error(command, "unknown option '%s'; 'ooze help %s' lists them", name,
                            command->name);
}

static bool looks_like_option(const char *word)
{
    return word[0] == '-' && word[1] != '\0' && !isdigit((unsigned char)word[1]) && word[1] != '.';
}

static int add_value(OozeArguments *arguments, const OozeOption *option, const char *value)
{
    if (!option->repeated && ooze_argument_given(arguments, option->name)) {
        return ooze_usage_error(arguments->command, "option --%s is given twice", option->name);
    }
    arguments->options[arguments->value_count] = option;
    arguments->values[arguments->value_count++] = value;
    return OOZE_EXIT_OK;
}

/* Parses the option at words[*at]; advances *at past a separate value. */
static int take_option(OozeArguments *arguments, int count, char **words, int *at)
{
    const OozeCommand *command = arguments->command;
    const char *word = words[*at];
    const OozeOption *option;
    const char *attached = NULL;
    if (word[1] == '-') {
        size_t length = strcspn(word + 2, "=");
        option = find_option(command, word + 2, length);
        attached = word[2 + length] == '=' ? word + 3 + length : NULL;
    } else {
        option = find_letter(command, word[1]);
        attached = option && word[2] != '\0' ? word + 2 + (word[2] == '=') : NULL;
    }
    if (!option) {
        return unknown_option(command, word);
    }
    if (!option->value) {
        if (attached) {
            return ooze_usage_error(command, "option --%s takes no value", option->name);
        }
        return add_value(arguments, option, "");
    }
    if (!attached && *at + 1 < count && !looks_like_option(words[*at + 1])) {
        attached = words[++*at];
    }
    if (!attached || attached[0] == '\0') {
        return ooze_usage_error(command, "option --%s needs a value: --%s %s", option->name,
                                option->name, option->value);
    }
    return add_value(arguments, option, attached);
}

static int check_operands(const OozeArguments *arguments)
{
    const OozeCommand *command = arguments->command;
    int required = 0;
    for (int i = 0; i < command->operand_count; i++) {
        required += !command->operands[i].optional;
    }
    if (arguments->operand_count < required) {
        return ooze_usage_error(command, "%s is missing: ooze %s %s",
                                command->operands[arguments->operand_count].name, command->name,
                                command->synopsis);
    }
    if (arguments->operand_count > command->operand_count && !command->repeats) {
        return ooze_usage_error(command, "unexpected argument '%s'; usage: ooze %s%s%s",
                                arguments->operands[command->operand_count], command->name,
                                command->synopsis[0] ? " " : "", command->synopsis);
    }
    for (int i = 0; i < arguments->operand_count; i++) {
        if (arguments->operands[i][0] == '\0') {
            int last = command->operand_count - 1;
            return ooze_usage_error(command, "%s is empty",
                                    command->operands[i < last ? i : last].name);
        }
    }
    return OOZE_EXIT_OK;
}

int ooze_arguments_parse(OozeArguments *arguments, const OozeCommand *command, int count,
                         char **words)
{
    *arguments = (OozeArguments){.command = command};
    size_t room = (size_t)count + 1;
    arguments->operands = ooze_alloc(room, sizeof *arguments->operands);
    arguments->values = ooze_alloc(room, sizeof *arguments->values);
    arguments->options = ooze_alloc(room, sizeof *arguments->options);
    if (!arguments->operands || !arguments->values || !arguments->options) {
        ooze_report_line("ooze: out of memory");
        return OOZE_EXIT_FAILED;
    }
    bool options_over = false;
    for (int at = 0; at < count; at++) {
        const char *word = words[at];
        if (options_over || word[0] != '-' || word[1] == '\0') {
            arguments->operands[arguments->operand_count++] = word;
        } else if (strcmp(word, "--") == 0) {
            options_over = true;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            arguments->help = true;
            return OOZE_EXIT_OK;
        } else {
            int code = take_option(arguments, count, words, &at);
            if (code != OOZE_EXIT_OK) {
                return code;
            }
        }
    }
    return check_operands(arguments);
}

void ooze_arguments_free(OozeArguments *arguments)
{
    ooze_free(arguments->operands);
    ooze_free(arguments->values);
    ooze_free(arguments->options);
    *arguments = (OozeArguments){0};
}

bool ooze_argument_given(const OozeArguments *arguments, const char *name)
{
    return ooze_argument_text(arguments, name) != NULL;
}

const char *ooze_argument_text(const OozeArguments *arguments, const char *name)
{
    for (int i = 0; i < arguments->value_count; i++) {
        if (strcmp(arguments->options[i]->name, name) == 0) {
            return arguments->values[i];
        }
    }
    return NULL;
}

int ooze_argument_list(const OozeArguments *arguments, const char *name, const char **values)
{
    int count = 0;
    for (int i = 0; i < arguments->value_count; i++) {
        if (strcmp(arguments->options[i]->name, name) == 0) {
            values[count++] = arguments->values[i];
        }
    }
    return count;
}

/* Digits alone are exact up to 2^64 - 1. `fits`: the number is not negative, and not above that. */
static bool read_whole(const char *text, uint64_t *number, bool *fits)
{
    char *end = NULL;
    double value;
    errno = 0;
    *number = isdigit((unsigned char)text[0]) ? strtoull(text, &end, 10) : 0;
    *fits = errno != ERANGE;
    if (end && *end == '\0') {
        return true;
    }
    if (!ooze_number_read(text, strlen(text), &value) || value != floor(value)) {
        return false;
    }
    *fits = value >= 0.0 && value < 0x1p64;
    *number = *fits ? (uint64_t)value : 0;
    return true;
}

bool ooze_argument_integer(const OozeArguments *arguments, const char *name, uint64_t min,
                           uint64_t max, uint64_t *value)
{
    const char *text = ooze_argument_text(arguments, name);
    if (!text) {
        return true;
    }
    uint64_t number;
    bool fits;
    if (!read_whole(text, &number, &fits)) {
        ooze_usage_error(arguments->command, "option --%s needs a whole number, not '%s'", name,
                         text);
        return false;
    }
    if (!fits || number < min || number > max) {
        ooze_usage_error(arguments->command, "option --%s must lie between %llu and %llu, not %s",
                         name, (unsigned long long)min, (unsigned long long)max, text);
        return false;
    }
    *value = number;
    return true;
}

bool ooze_argument_real(const OozeArguments *arguments, const char *name, double min, double max,
                        double *value)
{
    const char *text = ooze_argument_text(arguments, name);
    if (!text) {
        return true;
    }
    double number;
    if (!ooze_number_read(text, strlen(text), &number)) {
        ooze_usage_error(arguments->command, "option --%s needs a number, not '%s'", name, text);
        return false;
    }
    if (number < min || number > max) {
        ooze_usage_error(arguments->command, "option --%s must lie between %g and %g, not %s", name,
                         min, max, text);
        return false;
    }
    *value = number;
    return true;
}

bool ooze_argument_choice(const OozeArguments *arguments, const char *name,
                          const char *const *choices, int count, int *index)
{
    const char *text = ooze_argument_text(arguments, name);
    if (!text) {
        return true;
    }
    OozeText list = {0};
    for (int i = 0; i < count; i++) {
        if (strcmp(choices[i], text) == 0) {
            *index = i;
            ooze_text_clear(&list);
            return true;
        }
        ooze_text_append(&list, "%s%s", i == 0 ? "" : i == count - 1 ? " or " : ", ", choices[i]);
    }
    const char *near = ooze_suggest(text, choices, count);
    ooze_usage_error(arguments->command, "option --%s must be %s, not '%s'%s%s%s", name,
                     list.failed ? "one of its choices" : list.data, text,
                     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    ooze_text_clear(&list);
    return false;
}

bool ooze_argument_device(const OozeArguments *arguments, OozeDevice *device)
{
    static const char *const devices[OOZE_DEVICE_COUNT] = {
        [OOZE_DEVICE_AUTO] = "auto", [OOZE_DEVICE_CPU] = "cpu", [OOZE_DEVICE_CUDA] = "cuda"};
    int index = (int)*device;
    bool known = ooze_argument_choice(arguments, "device", devices, OOZE_DEVICE_COUNT, &index);
    *device = (OozeDevice)index;
    return known;
}

bool ooze_argument_overrides(const OozeArguments *arguments, const char ***overrides, int *count)
{
    *count = 0;
    *overrides = ooze_alloc((size_t)arguments->value_count + 1, sizeof **overrides);
    if (!*overrides) {
        ooze_report_line("ooze: out of memory");
        return false;
    }
    *count = ooze_argument_list(arguments, "set", *overrides);
    for (int i = 0; i < *count; i++) {
        const char *equals = strchr((*overrides)[i], '=');
        if (!equals || equals == (*overrides)[i]) {
            ooze_usage_error(arguments->command,
                             "option --set needs KEY=VALUE, such as materials.honey.viscosity=12, "
                             "not '%s'",
                             (*overrides)[i]);
            ooze_free(*overrides);
            *overrides = NULL;
            *count = 0;
            return false;
        }
    }
    return true;
}
