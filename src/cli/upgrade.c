/* ooze upgrade: rewrites a scene of an earlier format. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/report.h"
#include "scene/node.h"
#include "scene/upgrade.h"

/* Where the new text goes; NULL: to stdout. */
typedef struct Target {
    const char *path;
    bool replaces;
} Target;

static OozeStatus write_scene(const Target *target, const OozeText *text, OozeError *error)
{
    if (!target->path) {
        fwrite(text->data, 1, text->length, stdout);
        return OOZE_OK;
    }
    if (!target->replaces && ooze_file_exists(target->path)) {
        return ooze_fail(error, OOZE_ERROR_FILE, "choose another with -o FILE", "'%s' exists",
                         target->path);
    }
    return ooze_file_write_atomic(target->path, text->data, text->length, error);
}

/* On stderr, since the scene may be on stdout. */
static void report(const char *path, const OozeUpgradeCounts *counts)
{
    if (counts->format == OOZE_SCENE_FORMAT) {
        ooze_report_line("%s: is in format %d already", path, counts->format);
        return;
    }
    OozeText text = {0};
    if (counts->frictions > 0) {
        ooze_text_append(&text, "; states the friction of %d solid%s, 0.5", counts->frictions,
                         counts->frictions == 1 ? "" : "s");
    }
    if (counts->orders > 0) {
        ooze_text_append(&text, "; states time_integration: first_order");
    }
    if (counts->angles > 0) {
        ooze_text_append(&text, "; converts %d number%s from radians to degrees", counts->angles,
                         counts->angles == 1 ? "" : "s");
    }
    if (counts->includes == 1) {
        ooze_text_append(&text, "; upgrade the file that it includes too (add `ooze: 1` to it if "
                                "it does not say its format)");
    } else if (counts->includes > 1) {
        ooze_text_append(&text,
                         "; upgrade the %d files that it includes too (add `ooze: 1` to those "
                         "that do not say their format)",
                         counts->includes);
    }
    ooze_report_line("%s: format %d is now format %d%s", path, counts->format, OOZE_SCENE_FORMAT,
                     text.data ? text.data : "");
    ooze_text_clear(&text);
}

static int upgrade(const char *path, OozeAngles angles, const Target *target)
{
    OozeError error = {0};
    OozeText text = {0};
    OozeUpgradeCounts counts = {0};
    char *old = NULL;
    size_t size = 0;
    OozeStatus status = ooze_file_read(path, OOZE_SCENE_BYTES_MAX, &old, &size, &error);
    if (!status) {
        const OozeOldScene scene = {path, old, size, angles};
        status = ooze_scene_upgrade(&scene, &text, &counts, &error);
    }
    bool unchanged = counts.format == OOZE_SCENE_FORMAT && target->replaces;
    if (!status && !unchanged) {
        status = write_scene(target, &text, &error);
    }
    int code = status ? ooze_report_error(&error) : OOZE_EXIT_OK;
    if (code == OOZE_EXIT_OK) {
        report(path, &counts);
    }
    ooze_text_clear(&text);
    ooze_free(old);
    return code;
}

static int run(const OozeArguments *arguments)
{
    static const char *const units[] = {"degrees", "radians"};
    const char *path = arguments->operands[0], *output = ooze_argument_text(arguments, "output");
    bool in_place = ooze_argument_given(arguments, "in-place");
    int unit = -1;
    if (!ooze_argument_choice(arguments, "angles", units, OOZE_ROWS(units), &unit)) {
        return OOZE_EXIT_USAGE;
    }
    if (output && in_place) {
        return ooze_usage_error(arguments->command,
                                "options --output and --in-place exclude each other");
    }
    OozeAngles angles = unit < 0    ? OOZE_ANGLES_UNKNOWN
                        : unit == 0 ? OOZE_ANGLES_DEGREES
                                    : OOZE_ANGLES_RADIANS;
    output = output && strcmp(output, "-") == 0 ? NULL : output;
    const Target target = {in_place ? path : output, in_place};
    return upgrade(path, angles, &target);
}

static const OozeOperand operands[] = {{"SCENE", "the scene file", false}};

static const OozeOption options[] = {
    {"output", 'o', "FILE", false, "where to write; by default, and with `-`, to stdout"},
    {"in-place", 0, NULL, false, "replace the file itself"},
    {"angles", 0, "UNIT", false,
     "`radians` or `degrees`: what the numbers of the old file mean; needed where it has angles"},
};

const OozeCommand ooze_command_upgrade = {
    .name = "upgrade",
    .synopsis = "SCENE [-o FILE | --in-place] [--angles UNIT]",
    .summary = "Rewrite a scene of an earlier format",
    .details =
        "Format 1 (`ooze: 1`) becomes format 2; comments and layout stay as they are. Solids "
        "without a `friction` get the one that format 1 gave them, 0.5: in format 2 fluid does "
        "not slip on them. Method `conformation` without a `time_integration` gets "
        "`first_order`: in format 2 it is `auto`. Friction, angles and order in time stay the "
        "same. Presets in methods other than conformation have other numbers.\n\n"
        "The first scenes of format 1 gave `spin`, `roll`, `phase` and the numbers of hinges in "
        "radians, and `sin`, `cos` and `tan` took radians; later ones had degrees, as format 2 "
        "has. The file does not say which, unless it uses `deg`, which only the first had. Where "
        "it matters, `--angles` says it, and radians are converted.\n\n"
        "Files that the scene includes are upgraded on their own; give those without an `ooze` "
        "line `ooze: 1` first, since they are read as format 2 otherwise. `scene.yaml` of a run "
        "folder "
        "need not be: earlier runs can be resumed, drawn and exported as they are.",
    .operands = operands,
    .operand_count = OOZE_ROWS(operands),
    .options = options,
    .option_count = OOZE_ROWS(options),
    .run = run,
};
