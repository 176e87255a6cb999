/* ooze check: errors and warnings of a scene, the flow of its materials, and a summary. */
#include <stdio.h>

#include "base/memory.h"
#include "cli/check_advice.h"
#include "cli/command.h"
#include "cli/facts.h"
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
    uint64_t steps = info->frame_count * info->steps_per_frame;
    double later = ooze_world_forecast_particles(world, (double)steps * info->time_step);
    return (Size){stats.particles, (uint64_t)later, info->frame_count, steps};
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

static void write_json(OozeText *out, const char *path, const Size *size, int warnings)
{
    ooze_text_append(out, "{\n  \"scene\": ");
    ooze_json_string(out, path);
    ooze_text_append(out,
                     ",\n  \"warnings\": %d, \"particles\": %llu, \"particles_at_end\": %llu, "
                     "\"frames\": %llu, \"steps\": %llu",
                     warnings, (unsigned long long)size->particles, (unsigned long long)size->later,
                     (unsigned long long)size->frames, (unsigned long long)size->steps);
}

static int print_all(const char *path, OozeScene *scene, const OozeWorld *world, int warnings,
                     bool json)
{
    OozeError error = {0};
    OozeSceneAdvice advice;
    if (ooze_scene_advice(scene, &advice, &error)) {
        return ooze_report_error(&error);
    }
    OozeText out = {0};
    Size size = size_of(scene, world);
    if (json) {
        write_json(&out, path, &size, warnings);
        ooze_check_advice_json(&out, scene, &advice);
        ooze_text_append(&out, "\n}\n");
    } else {
        ooze_check_advice_text(&out, scene, &advice);
        write_summary(&out, path, &size, warnings);
    }
    int code = OOZE_EXIT_OK;
    if (out.failed) {
        ooze_fail_memory(&error, "the report", 0);
        code = ooze_report_error(&error);
    } else {
        fputs(out.data, stdout);
    }
    ooze_text_clear(&out);
    return code;
}

/* Log callback: prints and counts the warnings of building the world. */
static void record_warning(void *user, OozeLogLevel level, const char *line)
{
    int *warnings = user;
    if (level == OOZE_LOG_WARNING) {
        ooze_report_warning("%s", line);
        ++*warnings;
    }
}

/* Builds a scene without errors, since fluid inside solids is detected by the world. */
static int check_world(const char *path, OozeScene *scene, bool json)
{
    OozeError error = {0};
    OozeWorld *world = NULL;
    int warned = 0;
    OozeBuildOptions options = {
        .device = OOZE_DEVICE_CPU, .log = record_warning, .log_user = &warned};
    OozeStatus status = ooze_scene_build(scene, &options, &world, &error);
    status = status ? status : ooze_scene_check_physics(scene, world, &error);
    int warnings = 0;
    int errors = ooze_report_scene(scene, &warnings);
    int code = OOZE_EXIT_OK;
    if (status) {
        code = ooze_report_error(&error);
    } else if (errors > 0) {
        code = OOZE_EXIT_FAILED;
    } else {
        code = print_all(path, scene, world, warnings + warned, json);
    }
    ooze_world_destroy(world);
    return code;
}

static int run(const OozeArguments *arguments)
{
    const char *path = arguments->operands[0];
    const char **overrides = NULL;
    int override_count = 0;
    if (!ooze_argument_overrides(arguments, &overrides, &override_count)) {
        return OOZE_EXIT_USAGE;
    }
    OozeError error = {0};
    OozeScene *scene = NULL;
    OozeStatus status = ooze_scene_load(path, overrides, override_count, &scene, &error);
    int code;
    if (!status) {
        code = check_world(path, scene, ooze_argument_given(arguments, "json"));
    } else {
        int errors = ooze_report_scene(scene, NULL);
        if (errors > 0) {
            ooze_report_line("%s: %d error%s", path, errors, errors == 1 ? "" : "s");
            code = OOZE_EXIT_FAILED;
        } else {
            code = ooze_report_error(&error);
        }
    }
    ooze_scene_free(scene);
    ooze_free(overrides);
    return code;
}

static const OozeOperand operands[] = {{"SCENE", "the scene file", false}};

static const OozeOption options[] = {
    {"set", 0, "KEY=VALUE", true, "change one value of the scene before checking it"},
    {"json", 0, NULL, false, "one JSON object instead of text"},
};

const OozeCommand ooze_command_check = {
    .name = "check",
    .synopsis = "SCENE [--set KEY=VALUE]... [--json]",
    .summary = "Report every error and warning of a scene, and how it will flow",
    .details =
        "Errors and warnings are printed on stderr as `file:line:column: error: message`, with "
        "the line, a caret under the column, and a hint. Warnings concern the physics, such as "
        "a time step beyond stability or fluid inside a solid, and do not fail the check. For a "
        "scene without errors stdout shows how each of its materials will flow, the time step "
        "and iterations that it needs (docs/advice.md), and a summary line.",
    .operands = operands,
    .operand_count = OOZE_ROWS(operands),
    .options = options,
    .option_count = OOZE_ROWS(options),
    .run = run,
};
