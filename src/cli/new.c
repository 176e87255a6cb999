/* ooze new: writes a scene to start from. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cli/command.h"
#include "cli/report.h"
#include "cli/shared_path.h"
#include "cli/templates.h"

static const OozeTemplate *find_template(const char *name)
{
    for (int i = 0; i < ooze_template_count; i++) {
        if (strcmp(ooze_templates[i].name, name) == 0) {
            return &ooze_templates[i];
        }
    }
    return NULL;
}

static int unknown_template(const OozeArguments *arguments, const char *name)
{
    enum { TEMPLATES_MAX = 64 };
    const char *names[TEMPLATES_MAX];
    int count = 0;
    for (; count < ooze_template_count && count < TEMPLATES_MAX; count++) {
        names[count] = ooze_templates[count].name;
    }
    const OozeUnknownWord word = {"template", name, names, count, "'ooze new' lists them"};
    return ooze_unknown_word(arguments->command, &word);
}

/* Prints the title of a template after `before`. */
static int print_title(const OozeTemplate *template, const char *before)
{
    OozeScene *scene = NULL;
    OozeError error = {0};
    if (ooze_scene_load_text(template->text, template->length, template->name, &scene, &error)) {
        ooze_scene_free(scene);
        return ooze_report_error(&error);
    }
    printf("%s%s\n", before, ooze_scene_info(scene)->title);
    ooze_scene_free(scene);
    return OOZE_EXIT_OK;
}

static int list_templates(void)
{
    int code = OOZE_EXIT_OK;
    for (int i = 0; i < ooze_template_count && code == OOZE_EXIT_OK; i++) {
        char name[32];
        snprintf(name, sizeof name, "%-10s ", ooze_templates[i].name);
        code = print_title(&ooze_templates[i], name);
    }
    return code;
}

/* The line by which editors find the schema. A URI, since a path may contain spaces. */
static void append_modeline(OozeText *text)
{
    OozeText path = {0};
    if (ooze_shared_path("scene.schema.json", "docs/scene.schema.json", &path)) {
        ooze_text_append(text, "# yaml-language-server: $schema=file://");
        for (const char *c = path.data; *c; c++) {
            bool plain = isalnum((unsigned char)*c) || strchr("/-_.~", *c);
            ooze_text_append(text, plain ? "%c" : "%%%02X", (unsigned char)*c);
        }
        ooze_text_append(text, "\n");
    }
    text->failed = text->failed || path.failed;
    ooze_text_clear(&path);
}

static OozeStatus write_scene(const char *path, bool replaces, const OozeText *text,
                              OozeError *error)
{
    if (!replaces && ooze_file_exists(path)) {
        return ooze_fail(error, OOZE_ERROR_FILE, "choose another with -o FILE, or give --force",
                         "'%s' exists", path);
    }
    return ooze_file_write_atomic(path, text->data, text->length, error);
}

static int create(const OozeArguments *arguments, const OozeTemplate *template)
{
    const char *path = ooze_argument_text(arguments, "output");
    OozeText text = {0}, own = {0};
    OozeError error = {0};
    append_modeline(&text);
    ooze_text_append_bytes(&text, template->text, template->length);
    ooze_text_append(&own, "%s.yaml", template->name);
    int code = OOZE_EXIT_OK;
    if (text.failed || own.failed) {
        ooze_fail_memory(&error, "the scene", 0);
        code = ooze_report_error(&error);
    } else if (path && strcmp(path, "-") == 0) {
        fputs(text.data, stdout);
    } else {
        path = path ? path : own.data;
        if (write_scene(path, ooze_argument_given(arguments, "force"), &text, &error)) {
            code = ooze_report_error(&error);
        } else {
            printf("%s: ", path);
            code = print_title(template, "");
            printf("  ooze check %s\n  ooze view %s\n  ooze run %s -o runs/%s\n"
                   "  ooze render runs/%s --preview\n",
                   path, path, path, template->name, template->name);
        }
    }
    ooze_text_clear(&text);
    ooze_text_clear(&own);
    return code;
}

static int run(const OozeArguments *arguments)
{
    if (arguments->operand_count == 0) {
        if (ooze_argument_given(arguments, "output")) {
            return ooze_usage_error(arguments->command,
                                    "say which template; 'ooze new' lists them");
        }
        return list_templates();
    }
    const OozeTemplate *template = find_template(arguments->operands[0]);
    return template ? create(arguments, template)
                    : unknown_template(arguments, arguments->operands[0]);
}

static const OozeOperand operands[] = {
    {"TEMPLATE", "the scene to begin with; without it, the templates are listed", true}};

static const OozeOption options[] = {
    {"output", 'o', "FILE", false,
     "where to write; by default `TEMPLATE.yaml` in the current folder; `-`: to stdout"},
    {"force", 0, NULL, false, "replace the file where it exists"},
};

const OozeCommand ooze_command_new = {
    .name = "new",
    .synopsis = "[TEMPLATE] [-o FILE] [--force]",
    .summary = "Write a commented scene to start from",
    .details = "The first line of the file tells editors where the schema of scenes is, so that "
               "they complete keys and mark mistakes: see [editors.md](editors.md). Each template "
               "takes about a minute on two cores. `ooze examples` has larger scenes.",
    .operands = operands,
    .operand_count = OOZE_ROWS(operands),
    .options = options,
    .option_count = OOZE_ROWS(options),
    .run = run,
};
