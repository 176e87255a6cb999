/* ooze plot: a figure of the readings of probes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/number.h"
#include "cli/report.h"
#include "plot/compose.h"

/* The strings that the request points to; each array has the capacity for all operands and options.
   */
typedef struct Selection {
    const char **runs, **probes, **references, **labels;
    OozePlotRequest request;
} Selection;

static bool is_run(const char *path)
{
    struct stat info;
    size_t length = strlen(path);
    return stat(path, &info) == 0 &&
           (S_ISDIR(info.st_mode) || (length > 4 && strcmp(path + length - 4, ".csv") == 0));
}

/* The first operand is a run, others are runs where they are folders or tables, otherwise probes.
   */
static bool select_data(const OozeArguments *arguments, Selection *selection)
{
    size_t capacity = (size_t)arguments->operand_count + (size_t)arguments->value_count + 1;
    selection->runs = ooze_alloc(capacity, sizeof *selection->runs);
    selection->probes = ooze_alloc(capacity, sizeof *selection->probes);
    selection->references = ooze_alloc(capacity, sizeof *selection->references);
    selection->labels = ooze_alloc(capacity, sizeof *selection->labels);
    OozePlotRequest *request = &selection->request;
    if (!selection->runs || !selection->probes || !selection->references || !selection->labels) {
        ooze_report_line("ooze: out of memory");
        return false;
    }
    bool only_runs = ooze_argument_given(arguments, "probe");
    for (int i = 0; i < arguments->operand_count; i++) {
        const char *operand = arguments->operands[i];
        if (i == 0 || only_runs || is_run(operand)) {
            selection->runs[request->run_count++] = operand;
        } else {
            selection->probes[request->probe_count++] = operand;
        }
    }
    request->probe_count +=
        ooze_argument_list(arguments, "probe", selection->probes + request->probe_count);
    request->reference_count = ooze_argument_list(arguments, "reference", selection->references);
    request->label_count = ooze_argument_list(arguments, "label", selection->labels);
    request->runs = selection->runs;
    request->probes = selection->probes;
    request->references = selection->references;
    request->labels = selection->labels;
    request->x = ooze_argument_text(arguments, "x");
    return true;
}

static void free_selection(Selection *selection)
{
    ooze_free(selection->runs);
    ooze_free(selection->probes);
    ooze_free(selection->references);
    ooze_free(selection->labels);
}

/* "LOW:HIGH"; either end may be missing. */
static bool read_ends(const OozeArguments *arguments, const char *option, double *low, double *high)
{
    const char *text = ooze_argument_text(arguments, option);
    if (!text) {
        return true;
    }
    const char *colon = strchr(text, ':');
    bool good = colon != NULL;
    if (good && colon > text) {
        good = ooze_number_read(text, (size_t)(colon - text), low) && isfinite(*low);
    }
    if (good && colon[1]) {
        good = ooze_number_read(colon + 1, strlen(colon + 1), high) && isfinite(*high);
    }
    if (!good || *low >= *high) {
        ooze_usage_error(arguments->command, "option --%s needs LOW:HIGH, such as 0:2.5, not '%s'",
                         option, text);
        return false;
    }
    return true;
}

static bool read_size(const OozeArguments *arguments, OozeFigure *figure)
{
    const char *text = ooze_argument_text(arguments, "size");
    figure->width = 800;
    figure->height = 0;
    if (!text) {
        return true;
    }
    int used = 0;
    bool good = sscanf(text, "%5dx%5d%n", &figure->width, &figure->height, &used) == 2 &&
                text[used] == '\0';
    if (!good || figure->width < OOZE_FIGURE_SIZE_MIN || figure->height < OOZE_FIGURE_SIZE_MIN ||
        figure->width > OOZE_FIGURE_SIZE_MAX || figure->height > OOZE_FIGURE_SIZE_MAX) {
        ooze_usage_error(arguments->command,
                         "option --size needs WIDTHxHEIGHT in pixels, %d to %d each, not '%s'",
                         OOZE_FIGURE_SIZE_MIN, OOZE_FIGURE_SIZE_MAX, text);
        return false;
    }
    return true;
}

/* Title, size and axes of the figure. */
static bool read_style(const OozeArguments *arguments, OozeFigure *figure)
{
    static const char *const axes[] = {"none", "x", "y", "xy"};
    int logarithmic = 0;
    figure->x_low = figure->x_high = figure->y_low = figure->y_high = NAN;
    if (!read_size(arguments, figure) ||
        !ooze_argument_choice(arguments, "log", axes, OOZE_ROWS(axes), &logarithmic) ||
        !read_ends(arguments, "x-range", &figure->x_low, &figure->x_high) ||
        !read_ends(arguments, "y-range", &figure->y_low, &figure->y_high)) {
        return false;
    }
    figure->title = ooze_argument_text(arguments, "title");
    figure->log_x = logarithmic & 1;
    figure->log_y = logarithmic & 2;
    const char *wrong = figure->log_x && (figure->x_low <= 0 || figure->x_high <= 0)   ? "x"
                        : figure->log_y && (figure->y_low <= 0 || figure->y_high <= 0) ? "y"
                                                                                       : NULL;
    if (wrong) {
        ooze_usage_error(arguments->command,
                         "option --%s-range must lie above 0 on a logarithmic axis", wrong);
        return false;
    }
    return true;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

static OozeStatus draw(const OozePlotRequest *request, const OozeFigure *style, const char *path,
                       OozeError *error)
{
    OozePlot plot;
    OozeStatus status = ooze_plot_compose(request, &plot, error);
    if (status) {
        return status;
    }
    OozeFigure figure = *style;
    figure.panels = plot.figure.panels;
    figure.panel_count = plot.figure.panel_count;
    figure.series = plot.figure.series;
    figure.series_count = plot.figure.series_count;
    figure.x_name = plot.figure.x_name;
    figure.x_unit = plot.figure.x_unit;
    OozeDrawing drawing;
    status = ooze_figure_draw(&figure, &drawing, NULL, error);
    if (!status) {
        status = ooze_drawing_write(&drawing, path, error);
        ooze_drawing_free(&drawing);
    }
    ooze_plot_free(&plot);
    return status;
}

/* Writes the file of --output; by default RUN/plot.svg of the first run, or TABLE.svg of a table.
   */
static int write_plot(const OozeArguments *arguments, const OozePlotRequest *request,
                      const OozeFigure *style)
{
    const char *given = ooze_argument_text(arguments, "output");
    if (given && !ends_with(given, ".svg") && !ends_with(given, ".png") &&
        !ends_with(given, ".pdf")) {
        return ooze_usage_error(arguments->command,
                                "option --output must end in .svg, .png or .pdf: '%s'", given);
    }
    OozeError error = {0};
    OozeText path = {0};
    const char *first = request->runs[0];
    if (given) {
        ooze_text_append(&path, "%s", given);
    } else if (ends_with(first, ".csv")) {
        ooze_text_append(&path, "%.*s.svg", (int)strlen(first) - 4, first);
    } else {
        size_t length = strlen(first);
        ooze_text_append(&path, "%s%splot.svg", first, first[length - 1] == '/' ? "" : "/");
    }
    OozeStatus status = path.failed ? ooze_fail_memory(&error, "a path", 0)
                                    : draw(request, style, path.data, &error);
    if (!status) {
        printf("%s\n", path.data);
    }
    ooze_text_clear(&path);
    return status ? ooze_report_error(&error) : OOZE_EXIT_OK;
}

static int run(const OozeArguments *arguments)
{
    OozeFigure style = {0};
    if (!read_style(arguments, &style)) {
        return OOZE_EXIT_USAGE;
    }
    Selection selection = {0};
    int code = OOZE_EXIT_FAILED;
    if (select_data(arguments, &selection)) {
        code = selection.request.probe_count == 0
                   ? ooze_usage_error(arguments->command,
                                      "say which probes, such as: ooze plot %s particles",
                                      selection.runs[0])
                   : write_plot(arguments, &selection.request, &style);
    }
    free_selection(&selection);
    return code;
}

static const OozeOperand operands[] = {
    {"RUN", "the run folder, or a table (.csv); further folders are runs to compare it with",
     false},
    {"PROBE",
     "a column of `probes.csv` (`top.height`), a probe (`top`: all its columns) or a quantity "
     "(`height`: of all probes)",
     true},
};

static const OozeOption options[] = {
    {"output", 'o', "FILE", false, "an .svg, .png or .pdf; by default `RUN/plot.svg`"},
    {"probe", 0, "NAME", true, "a PROBE; with it, all operands are runs"},
    {"x", 0, "NAME", false, "the column along the x axis; `time` by default"},
    {"reference", 'r', "FILE", true,
     "points to compare the curves with, as markers: a table with x in its first column"},
    {"label", 'l', "TEXT", true,
     "label of a run in the legend, then of a reference, in their order"},
    {"title", 0, "TEXT", false, "above the figure"},
    {"size", 0, "WxH", false,
     "in pixels; by default 800 wide, and the height follows the number of panels"},
    {"log", 0, "AXES", false, "logarithmic axes: `x`, `y` or `xy`"},
    {"x-range", 0, "A:B", false, "ends of the x axis; either may be missing"},
    {"y-range", 0, "A:B", false, "ends of the y axes; either may be missing"},
};

const OozeCommand ooze_command_plot = {
    .name = "plot",
    .synopsis = "RUN... PROBE... [options]",
    .summary = "Plot readings of probes over time",
    .details =
        "Readings of equal unit share a panel, other units get panels below. A probe of every step "
        "is drawn with all its steps. Readings that are `nan` leave a gap. Text can be selected in "
        "SVG and PDF. Equal readings give equal bytes.\n\n"
        "A reference is a table such as `time [s],height [m]`; each column after the first is a "
        "series of markers in the panel of its unit, or in the first panel where it has no unit. "
        "Lines that begin with `#` are comments. See [plots.md](plots.md).",
    .operands = operands,
    .operand_count = OOZE_ROWS(operands),
    .repeats = true,
    .options = options,
    .option_count = OOZE_ROWS(options),
    .run = run,
};
