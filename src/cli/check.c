/* ooze check: every error and warning of a scene, then what it would simulate. */
#include <stdio.h>

#include "base/memory.h"
#include "cli/command.h"
#include "cli/quantity.h"
#include "cli/report.h"
#include "world/world.h"

static void print_summary(const char *path, const OozeScene *scene, const OozeWorld *world,
                          int warnings)
{
    char a[OOZE_QUANTITY_SIZE], b[OOZE_QUANTITY_SIZE];
    OozeWorldStats stats;
    ooze_world_stats(world, &stats);
    const OozeSceneInfo *info = ooze_scene_info(scene);
    uint64_t steps = info->frame_count * info->steps_per_frame;
    double later = ooze_world_forecast(world, (double)steps * info->time_step);
    printf("%s: no errors, %d warning%s: %s particles", path, warnings, warnings == 1 ? "" : "s",
           ooze_quantity_count(a, stats.particles));
    if (later > (double)stats.particles) {
        printf(" (%s with emitters)", ooze_quantity_count(a, (uint64_t)later));
    }
    printf(", frames 0 to %s, %s steps\n", ooze_quantity_count(a, info->frame_count),
           ooze_quantity_count(b, steps));
}

/* What the world says while it is built counts like any other warning. */
static void tell(void *user, OozeLogLevel level, const char *line)
{
    int *warnings = user;
    if (level == OOZE_LOG_WARNING) {
        ooze_report_warning("%s", line);
        ++*warnings;
    }
}

/* A scene without errors is built as well: only the world knows whether fluid stands in a solid. */
static int check_world(const char *path, OozeScene *scene)
{
    OozeError error = {0};
    OozeWorld *world = NULL;
    int told = 0;
    OozeBuildOptions options = {.device = OOZE_DEVICE_CPU, .log = tell, .log_user = &told};
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
        print_summary(path, scene, world, warnings + told);
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
        code = check_world(path, scene);
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
};

const OozeCommand ooze_command_check = {
    .name = "check",
    .synopsis = "SCENE [--set KEY=VALUE]...",
    .summary = "Report every error and warning of a scene",
    .details = "Each is told on stderr as `file:line:column: error: message`, with the line, a "
               "caret under the place, and a hint. Warnings tell of physics traps, such as a time "
               "step beyond stability or fluid inside a solid, and do not fail the check. A scene "
               "without errors is summed up in one line on stdout.",
    .operands = operands,
    .operand_count = OOZE_ROWS(operands),
    .options = options,
    .option_count = OOZE_ROWS(options),
    .run = run,
};
