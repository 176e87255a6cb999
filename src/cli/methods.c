/* ooze methods: the methods and their settings. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/report.h"
#include "ooze/world.h"

static void print_param(const OozeParamInfo *param)
{
    printf("    %-18s %s", param->key, param->help);
    if (param->kind == OOZE_PARAM_CHOICE) {
        printf(" (%s)", param->choices);
    } else if (param->kind == OOZE_PARAM_SWITCH) {
        printf(" (%s)", param->initial != 0.0 ? "true" : "false");
    } else {
        printf(" (%g to %g", param->min, param->max);
        if (!isnan(param->initial)) {
            printf(", %g unless given", param->initial);
        }
        printf("%s%s)", param->unit[0] ? "; " : "", param->unit);
    }
    printf("\n");
}

static void print_method(const OozeMethodInfo *info)
{
    printf("%s\n  %s\n", info->name, info->summary);
    if (info->reference[0]) {
        printf("  %s\n", info->reference);
    }
    for (int i = 0; i < info->param_count; i++) {
        print_param(&info->params[i]);
    }
}

static int run(const OozeArguments *arguments)
{
    enum { METHODS_MAX = 64 };
    const char *names[METHODS_MAX];
    int count = 0;
    const char *wanted = arguments->operand_count > 0 ? arguments->operands[0] : NULL;
    bool found = false;
    for (int i = 0; i < ooze_method_count() && i < METHODS_MAX; i++) {
        const OozeMethodInfo *info = ooze_method_info(i);
        names[count++] = info->name;
        if (!wanted || strcmp(wanted, info->name) == 0) {
            print_method(info);
            found = true;
        }
    }
    if (wanted && !found) {
        const OozeUnknownWord word = {"method", wanted, names, count, "'ooze methods' lists them"};
        return ooze_unknown_word(arguments->command, &word);
    }
    if (!wanted) {
        int params;
        const OozeParamInfo *material = ooze_material_params(&params);
        printf("materials (for all methods)\n");
        for (int i = 0; i < params; i++) {
            print_param(&material[i]);
        }
    }
    return OOZE_EXIT_OK;
}

static const OozeOperand operands[] = {{"NAME", "only this method", true}};

const OozeCommand ooze_command_methods = {
    .name = "methods",
    .synopsis = "[NAME]",
    .summary = "List the methods and their settings",
    .details = "",
    .operands = operands,
    .operand_count = OOZE_ROWS(operands),
    .run = run,
};
