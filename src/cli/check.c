/* ooze check: errors and warnings of a scene, the flow of its materials, and a summary. */
#include <math.h>
#include <stdio.h>

#include "base/json.h"
#include "base/memory.h"
#include "cli/check_advice.h"
#include "cli/check_explain.h"
#include "cli/check_walls.h"
#include "cli/command.h"
#include "cli/quantity.h"
#include "cli/report.h"
#include "world/world.h"

typedef struct Size {
    uint64_t particles, later, frames, steps;
} Size;

static Size size_of(const OozeScene *scene, const OozeWorld *world)
{
    OozeWorldStats stats;
    ooze_world_stats(world, &stats);
    const OozeSceneInfo *info = ooze_scene_info(scene);
    uint64_t steps = info->frame_count * info->steps_per_frame, now = stats.particles;
    if (scene->counted) {
        now = 0;
        for (int i = 0; i < scene->def.fluid_count; i++) {
            now += scene->filled[i];
        }
    }
    double later = ooze_world_forecast_particles(world, (double)steps * info->time_step);
    later = fmin(later, 1e19); /* within the type */
    return (Size){now, (uint64_t)later + (now - stats.particles), info->frame_count, steps};
}

static void write_summary(OozeText *out, const char *path, const Size *size, int warnings)
{
    char a[OOZE_QUANTITY_SIZE], b[OOZE_QUANTITY_SIZE];
    ooze_text_append(out, "%s: no errors, %d warning%s: %s particles", path, warnings,
                     warnings == 1 ? "" : "s", ooze_quantity_count(a, size->particles));
    if (size->later > size->particles) {
        ooze_text_append(out, " (%s with emitters)", ooze_quantity_count(a, size->later));
    }
    ooze_text_append(out, ", frames 0 to %s, %s steps\n", ooze_quantity_count(a, size->frames),
                     ooze_quantity_count(b, size->steps));
}

static void append_diagnostic(OozeText *out, bool first, const OozeDiagnostic *d)
{
    ooze_text_append(out, "%s\n    {\"severity\": \"%s\", \"file\": ", first ? "" : ",",
                     d->severity == OOZE_SEVERITY_ERROR ? "error" : "warning");
    ooze_json_text(out, d->file);
    ooze_text_append(out, ", \"line\": %d, \"column\": %d, \"message\": ", d->line, d->column);
    ooze_json_text(out, d->message);
    ooze_text_append(out, ", \"hint\": ");
    ooze_json_text(out, d->hint);
    ooze_text_append(out, "}");
}

/* What `ooze check` found, for its report. */
typedef struct Findings {
    const char *path;
    int errors, warnings;
    OozeError failure; /* that has no place in the scene; status OOZE_OK: none */
    OozeText acts;     /* what acts in a step, with --explain */
} Findings;

/* Scene, numbers of errors and warnings, and their texts. `scene` may be NULL. */
static void write_json_head(OozeText *out, const OozeScene *scene, const Findings *found)
{
    bool first = true;
    ooze_text_append(out, "{\n  \"scene\": ");
    ooze_json_text(out, found->path);
    ooze_text_append(out, ",\n  \"errors\": %d, \"warnings\": %d,\n  \"diagnostics\": [",
                     found->errors, found->warnings);
    for (int i = 0; i < ooze_scene_diagnostic_count(scene); i++) {
        append_diagnostic(out, first, ooze_scene_diagnostic(scene, i));
        first = false;
    }
    if (found->failure.status) {
        OozeDiagnostic d = {.severity = OOZE_SEVERITY_ERROR,
                            .file = found->path,
                            .message = found->failure.message,
                            .hint = found->failure.hint};
        append_diagnostic(out, first, &d);
        first = false;
    }
    ooze_text_append(out, "%s]", first ? "" : "\n  ");
}

static void write_json_size(OozeText *out, const Size *size)
{
    ooze_text_append(out,
                     ",\n  \"particles\": %llu, \"particles_at_end\": %llu, "
                     "\"frames\": %llu, \"steps\": %llu",
                     (unsigned long long)size->particles, (unsigned long long)size->later,
                     (unsigned long long)size->frames, (unsigned long long)size->steps);
}

/* Prints the report of a scene on stdout; `world` NULL: it has errors. */
static int print_all(OozeScene *scene, const OozeWorld *world, const Findings *found, bool json)
{
    OozeError error = {0};
    OozeSceneAdvice advice;
    if (world && ooze_scene_advice(scene, &advice, &error)) {
        return ooze_report_error(&error);
    }
    OozeText out = {0};
    if (json) {
        write_json_head(&out, scene, found);
    }
    if (world) {
        Size size = size_of(scene, world);
        if (json) {
            write_json_size(&out, &size);
            ooze_check_advice_json(&out, scene, &advice);
            ooze_check_walls_json(&out, world);
            if (found->acts.data) {
                ooze_check_explain_json(&out, &found->acts);
            }
        } else {
            ooze_check_advice_text(&out, scene, &advice);
            ooze_check_walls_text(&out, scene, world);
            if (found->acts.data) {
                ooze_check_explain_text(&out, scene, &found->acts);
            }
            write_summary(&out, found->path, &size, found->warnings);
        }
    }
    ooze_text_append(&out, "%s", json ? "\n}\n" : "");
    int code = world ? OOZE_EXIT_OK : OOZE_EXIT_FAILED;
    if (out.failed) {
        ooze_fail_memory(&error, "the report", 0);
        code = ooze_report_error(&error);
    } else if (out.data) {
        fputs(out.data, stdout);
    }
    ooze_text_clear(&out);
    return code;
}

/* Log callback: adds the warnings of building the world to those of the scene. */
static void record_warning(void *user, OozeLogLevel level, const char *line)
{
    if (level == OOZE_LOG_WARNING) {
        ooze_scene_warn(user, NULL, NULL, "%s", line);
    }
}

/* Builds a scene without errors, since fluid inside solids is detected by the world. */
static OozeWorld *build(OozeScene *scene, OozeError *error)
{
    OozeWorld *world = NULL;
    OozeBuildOptions options = {
        .device = OOZE_DEVICE_CPU, .log = record_warning, .log_user = scene};
    OozeStatus status = ooze_scene_build_for_check(scene, &options, &world, error);
    if (!status && world) {
        status = ooze_scene_check_physics(scene, world, error);
    }
    if (status || scene->error_count > 0) {
        ooze_world_destroy(world);
        world = NULL;
    }
    return world;
}

static int check(const OozeArguments *arguments, const char **overrides, int override_count)
{
    bool json = ooze_argument_given(arguments, "json");
    Findings found = {.path = arguments->operands[0]};
    OozeScene *scene = NULL;
    OozeWorld *world = NULL;
    OozeError error = {0};
    OozeStatus status = ooze_scene_load(found.path, overrides, override_count, &scene, &error);
    if (!status) {
        error = (OozeError){0};
        world = build(scene, &error);
    }
    found.errors = ooze_report_scene(scene, &found.warnings);
    if (error.status && found.errors == 0) {
        found.failure = error;
        ooze_report_error(&error);
        found.errors = 1;
    } else if (found.errors > 0) {
        ooze_report_line("%s: %d error%s", found.path, found.errors, found.errors == 1 ? "" : "s");
    }
    int code = OOZE_EXIT_FAILED;
    if (world && ooze_argument_given(arguments, "explain") &&
        ooze_check_explain(scene, world, &found.acts, &error)) {
        code = ooze_report_error(&error);
    } else if (json || world) {
        code = print_all(scene, world, &found, json);
    }
    ooze_text_clear(&found.acts);
    ooze_world_destroy(world);
    ooze_scene_free(scene);
    return code;
}

static int run(const OozeArguments *arguments)
{
    const char **overrides = NULL;
    int override_count = 0;
    if (!ooze_argument_overrides(arguments, &overrides, &override_count)) {
        return OOZE_EXIT_USAGE;
    }
    int code = check(arguments, overrides, override_count);
    ooze_free(overrides);
    return code;
}

static const OozeOperand operands[] = {{"SCENE", "the scene file", false}};

static const OozeOption options[] = {
    {"set", 0, "KEY=VALUE", true, "change one value of the scene before checking it"},
    {"explain", 0, NULL, false, "also list the stages and corrections that act in a step"},
    {"json", 0, NULL, false, "one JSON object instead of text"},
};

const OozeCommand ooze_command_check = {
    .name = "check",
    .synopsis = "SCENE [--set KEY=VALUE]... [--explain] [--json]",
    .summary = "Report every error and warning of a scene, and how it will flow",
    .details =
        "Errors and warnings are printed on stderr as `file:line:column: error: message`, with "
        "the line, a caret under the column, and a hint. Warnings concern the physics, such as "
        "a time step beyond stability or fluid inside a solid, and do not fail the check. For a "
        "scene without errors stdout shows how each of its materials will flow, the time step "
        "and iterations that it needs (docs/advice.md), what acts on the walls (\"honey sticks to "
        "'bottle'\"), and a summary line.\n\n"
        "What `ooze run` would refuse at its start or in its first step is an error here too, "
        "such as more particles than the memory can hold. The particles of a large scene are "
        "counted and not placed, so that the check takes little time and memory; numbers in its "
        "warnings are then estimates.\n\n"
        "With `--explain` it also lists what acts in a step of methods conformation and "
        "constraint, at most ten "
        "lines derived as the step derives it: solves, pressure, and the corrections around them, "
        "with the materials concerned. For other methods it names their page.\n\n"
        "With `--json` the object has the members `errors` and `warnings` (their numbers) and "
        "`diagnostics`, a list of objects with `severity`, `file`, `line`, `column` (from 1; 0: "
        "the whole file), `message` and `hint`, also where the exit code is 1; with `--explain` "
        "also `explain`, a list of lines.",
    .operands = operands,
    .operand_count = OOZE_ROWS(operands),
    .options = options,
    .option_count = OOZE_ROWS(options),
    .run = run,
};
