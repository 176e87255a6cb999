#include "plot/compose.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "output/run_folder.h"

enum { SERIES_MAX = 256, TABLES_PER_RUN = 2, LISTED_COLUMNS_MAX = 24 };

typedef struct Composer {
    const OozePlotRequest *request;
    OozePlot *plot;
    OozeError *error;
    const char *x;                 /* name of the x column */
    const char *names[SERIES_MAX]; /* column name of each series */
    int sources[SERIES_MAX]; /* index of each series' run, or run count + index of its reference */
    const OozeColumn *panel_columns[SERIES_MAX]; /* the first column of each panel */
} Composer;

static OozeStatus out_of_memory(const Composer *composer)
{
    return ooze_fail_memory(composer->error, "a plot", 0);
}

/* ---- reading -------------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static OozeStatus read_run_table(Composer *composer, const OozeRunFolder *run, const char *name,
                                 OozeTable *table)
{
    char *path = ooze_run_file_path(run, name);
    OozeStatus status =
        path ? ooze_table_read(path, true, table, composer->error) : out_of_memory(composer);
    ooze_free(path);
    return status;
}

/* The table of frames and, where the run has one, the table of steps. */
static OozeStatus read_run(Composer *composer, int index)
{
    const char *path = composer->request->runs[index];
    OozeTable *tables = composer->plot->tables + (ptrdiff_t)TABLES_PER_RUN * index;
    OozeStatus status = OOZE_OK;
    if (ends_with(path, ".csv")) {
        status = ooze_table_read(path, false, &tables[0], composer->error);
    } else {
        OozeRunFolder *run = NULL;
        status = ooze_run_open(path, false, &run, composer->error);
        status = status ? status : read_run_table(composer, run, "probes.csv", &tables[0]);
        char *steps = status ? NULL : ooze_run_file_path(run, "probes_steps.csv");
        if (steps && ooze_file_exists(steps)) {
            status = read_run_table(composer, run, "probes_steps.csv", &tables[1]);
        }
        ooze_free(steps);
        ooze_run_close(run);
    }
    if (!status && tables[0].row_count == 0) {
        return ooze_fail(composer->error, OOZE_ERROR_FORMAT, "plot it once a frame is written",
                         "'%s' has no readings yet", tables[0].path);
    }
    return status;
}

/* ---- columns -------------------------------------------------------------------------------- */

/* Length of the probe's name, "top" in "top.height"; 0 for a column without a probe. The columns of
   a profile are "NAME.0.vx". */
static size_t probe_length(const char *column)
{
    const char *dot = strchr(column, '.');
    return dot ? (size_t)(dot - column) : 0;
}

/* The column's name without the probe's: "height" of "top.height". */
static const char *quantity_of(const char *column)
{
    size_t length = probe_length(column);
    return length > 0 ? column + length + 1 : column;
}

typedef enum Match { MATCH_COLUMN, MATCH_PROBE, MATCH_QUANTITY, MATCH_COUNT } Match;

static bool matches(const char *column, const char *name, Match match)
{
    switch (match) {
    case MATCH_COLUMN:
        return strcmp(column, name) == 0;
    case MATCH_PROBE:
        return probe_length(column) == strlen(name) && strncmp(column, name, strlen(name)) == 0;
    default:
        return probe_length(column) > 0 && strcmp(quantity_of(column), name) == 0;
    }
}

static OozeStatus unknown_column(const Composer *composer, const OozeTable *table, const char *name)
{
    const char *candidates[SERIES_MAX * 2];
    char probes[SERIES_MAX][64];
    int count = 0, probe_count = 0;
    OozeText list = {0};
    for (int i = 0; i < table->column_count && i < SERIES_MAX; i++) {
        const char *column = table->columns[i].name;
        candidates[count++] = column;
        snprintf(probes[probe_count], sizeof probes[0], "%.*s", (int)probe_length(column), column);
        if (probes[probe_count][0]) {
            candidates[count++] = probes[probe_count++];
        }
        if (i < LISTED_COLUMNS_MAX) {
            ooze_text_append(&list, "%s%s", i > 0 ? ", " : "", column);
        }
    }
    const char *near = ooze_suggest(name, candidates, count);
    char hint[96];
    snprintf(hint, sizeof hint, "did you mean '%s'?", near ? near : "");
    OozeStatus status = ooze_fail(composer->error, OOZE_ERROR_ARGUMENT, near ? hint : NULL,
                                  "'%s' has no column '%s'; it has %s%s", table->path, name,
                                  list.failed ? "others" : list.data,
                                  table->column_count > LISTED_COLUMNS_MAX ? " and more" : "");
    ooze_text_clear(&list);
    return status;
}

/* Indices of the columns that a name selects: the column of that name, otherwise all columns of the
   probe of that name, otherwise that quantity of all probes. Returns their number. */
static int find_columns(const OozeTable *table, const char *name, int found[SERIES_MAX])
{
    int count = 0;
    for (Match match = MATCH_COLUMN; match < MATCH_COUNT && count == 0; match++) {
        for (int i = 0; i < table->column_count && count < SERIES_MAX; i++) {
            if (matches(table->columns[i].name, name, match)) {
                found[count++] = i;
            }
        }
    }
    return count;
}

/* ---- panels and series ---------------------------------------------------------------------- */

/* Columns of equal unit share a panel; columns without a unit only with the same quantity. */
static bool shares_panel(const OozeColumn *a, const OozeColumn *b)
{
    return strcmp(a->unit, b->unit) == 0 &&
           (a->unit[0] || strcmp(quantity_of(a->name), quantity_of(b->name)) == 0);
}

/* `x` and `y` are columns of the table. */
static OozeStatus add_series(Composer *composer, const OozeTable *table, int x, int y, int panel,
                             int source)
{
    OozePlot *plot = composer->plot;
    if (plot->figure.series_count == SERIES_MAX) {
        return ooze_fail(composer->error, OOZE_ERROR_ARGUMENT, "name single columns of the probes",
                         "a plot has at most %d curves", (int)SERIES_MAX);
    }
    int at = plot->figure.series_count;
    double *xs = ooze_table_copy(table, x), *ys = ooze_table_copy(table, y);
    plot->series[at] = (OozeSeries){.x = xs,
                                    .y = ys,
                                    .count = table->row_count,
                                    .panel = panel,
                                    .markers = source >= composer->request->run_count};
    composer->names[at] = table->columns[y].name;
    composer->sources[at] = source;
    plot->figure.series_count++;
    return xs && ys ? OOZE_OK : out_of_memory(composer);
}

/* The panel that a column belongs to; a new one where it shares none. */
static int panel_of(Composer *composer, const OozeColumn *column)
{
    OozePlot *plot = composer->plot;
    int panel = 0;
    while (panel < plot->figure.panel_count &&
           !shares_panel(composer->panel_columns[panel], column)) {
        panel++;
    }
    if (panel == plot->figure.panel_count) {
        composer->panel_columns[plot->figure.panel_count++] = column;
        plot->panels[panel].unit = column->unit;
    }
    return panel;
}

/* Series of a column of the run's table of frames; its values come from the table of steps where
   that has them. */
static OozeStatus add_column(Composer *composer, int run, int column)
{
    const OozeTable *frames = composer->plot->tables + (ptrdiff_t)TABLES_PER_RUN * run;
    const OozeTable *table = frames, *steps = frames + 1;
    const char *name = frames->columns[column].name;
    if (steps->row_count > 0 && ooze_table_find(steps, name) >= 0 &&
        ooze_table_find(steps, composer->x) >= 0) {
        table = steps;
    }
    int y = ooze_table_find(table, name), panel = panel_of(composer, &table->columns[y]);
    return add_series(composer, table, ooze_table_find(table, composer->x), y, panel, run);
}

static OozeStatus add_run(Composer *composer, int run)
{
    const OozeTable *frames = composer->plot->tables + (ptrdiff_t)TABLES_PER_RUN * run;
    int found[SERIES_MAX], count = find_columns(frames, composer->x, found);
    if (count != 1) {
        return count == 0 ? unknown_column(composer, frames, composer->x)
                          : ooze_fail(composer->error, OOZE_ERROR_ARGUMENT,
                                      "name one of them, such as centre.y",
                                      "'%s' is %d columns of '%s'; the x axis takes one",
                                      composer->x, count, frames->path);
    }
    const OozeColumn *x = &frames->columns[found[0]];
    if (run > 0 && strcmp(x->unit, composer->plot->figure.x_unit) != 0) {
        return ooze_fail(composer->error, OOZE_ERROR_ARGUMENT, "plot them separately",
                         "'%s' has '%s' in %s, another run in %s", frames->path, x->name,
                         x->unit[0] ? x->unit : "no unit", composer->plot->figure.x_unit);
    }
    composer->plot->figure.x_name = composer->x = x->name;
    composer->plot->figure.x_unit = x->unit;
    OozeStatus status = OOZE_OK;
    for (int p = 0; p < composer->request->probe_count && !status; p++) {
        count = find_columns(frames, composer->request->probes[p], found);
        if (count == 0) {
            return unknown_column(composer, frames, composer->request->probes[p]);
        }
        for (int i = 0; i < count && !status; i++) {
            status = add_column(composer, run, found[i]);
        }
    }
    return status;
}

static OozeStatus add_reference(Composer *composer, int index)
{
    OozePlot *plot = composer->plot;
    int source = composer->request->run_count + index;
    OozeTable *table =
        plot->tables + (ptrdiff_t)TABLES_PER_RUN * composer->request->run_count + index;
    OozeStatus status =
        ooze_table_read(composer->request->references[index], false, table, composer->error);
    if (status) {
        return status;
    }
    const char *unit = table->columns[0].unit;
    if (table->column_count < 2 || table->row_count == 0) {
        return ooze_fail(composer->error, OOZE_ERROR_FORMAT,
                         "a reference has x in its first column and y in the others",
                         "'%s' has %d column%s and %zu rows: nothing to plot", table->path,
                         table->column_count, table->column_count == 1 ? "" : "s",
                         table->row_count);
    }
    if (unit[0] && strcmp(unit, plot->figure.x_unit) != 0) {
        return ooze_fail(composer->error, OOZE_ERROR_ARGUMENT, "convert it",
                         "'%s' has '%s' in %s, the x axis is in %s", table->path,
                         table->columns[0].name, unit,
                         plot->figure.x_unit[0] ? plot->figure.x_unit : "no unit");
    }
    for (int c = 1; c < table->column_count && !status; c++) {
        const OozeColumn *column = &table->columns[c];
        int panel = 0;
        while (panel < plot->figure.panel_count && column->unit[0] &&
               strcmp(composer->panel_columns[panel]->unit, column->unit) != 0) {
            panel++;
        }
        if (panel == plot->figure.panel_count) {
            return ooze_fail(composer->error, OOZE_ERROR_ARGUMENT,
                             "plot a probe of that unit, or convert it",
                             "'%s' has '%s' in %s, which is the unit of no probe plotted",
                             table->path, column->name, column->unit);
        }
        status = add_series(composer, table, 0, c, panel, source);
    }
    return status;
}

/* ---- labels --------------------------------------------------------------------------------- */

static OozeText *new_text(Composer *composer)
{
    return &composer->plot->texts[composer->plot->text_count++];
}

/* The last part of a path, without slashes at its end and without ".csv". */
static void append_base_name(OozeText *text, const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    size_t start = length;
    while (start > 0 && path[start - 1] != '/') {
        start--;
    }
    length -= ends_with(path, ".csv") ? 4 : 0;
    ooze_text_append(text, "%.*s", (int)(length - start), path + start);
}

/* "height" for "height.height", otherwise the whole name. */
static const char *short_name(const char *column)
{
    size_t length = probe_length(column);
    const char *quantity = quantity_of(column);
    bool same = length == strlen(quantity) && strncmp(column, quantity, length) == 0;
    return same ? quantity : column;
}

/* A panel is named by what its curves have in common: column, quantity, probe, or nothing. */
static void name_panel(Composer *composer, int panel)
{
    const OozeFigure *figure = &composer->plot->figure;
    const char *first = NULL;
    bool same = true, same_probe = true, same_quantity = true;
    for (int s = 0; s < figure->series_count; s++) {
        if (figure->series[s].panel == panel && !figure->series[s].markers) {
            const char *name = composer->names[s];
            first = first ? first : name;
            same = same && strcmp(name, first) == 0;
            same_probe = same_probe && probe_length(first) > 0 &&
                         probe_length(name) == probe_length(first) &&
                         strncmp(name, first, probe_length(first)) == 0;
            same_quantity = same_quantity && strcmp(quantity_of(name), quantity_of(first)) == 0;
        }
    }
    OozeText *text = new_text(composer);
    if (same) {
        ooze_text_append(text, "%s", short_name(first));
    } else if (same_quantity || !same_probe) {
        ooze_text_append(text, "%s", same_quantity ? quantity_of(first) : "");
    } else {
        ooze_text_append(text, "%.*s", (int)probe_length(first), first);
    }
    composer->plot->panels[panel].name = text->failed ? "" : text->data;
}

/* Whether a run has several columns in the panel of this series. */
static bool run_has_several(const Composer *composer, int series)
{
    const OozeFigure *figure = &composer->plot->figure;
    for (int s = 0; s < figure->series_count; s++) {
        if (figure->series[s].panel == figure->series[series].panel &&
            composer->sources[s] == composer->sources[series] &&
            strcmp(composer->names[s], composer->names[series]) != 0) {
            return true;
        }
    }
    return false;
}

/* Whether a curve has this name, so that it does not distinguish a reference. */
static bool is_curve_name(const Composer *composer, const char *name)
{
    for (int s = 0; s < composer->plot->figure.series_count; s++) {
        if (!composer->plot->figure.series[s].markers &&
            (strcmp(composer->names[s], name) == 0 ||
             strcmp(quantity_of(composer->names[s]), name) == 0)) {
            return true;
        }
    }
    return strcmp(name, "y") == 0;
}

/* With one run a curve is labelled by its column, with several by its run, and by both where a run
   has several columns in the panel. A reference is labelled by its heading, or by its file where a
   curve has the name of the heading. */
static void label_series(Composer *composer, int s)
{
    const OozePlotRequest *request = composer->request;
    OozeSeries *series = &composer->plot->series[s];
    int source = composer->sources[s], runs = request->run_count;
    bool several = run_has_several(composer, s), labelled = source < request->label_count;
    const char *path = source < runs ? request->runs[source] : request->references[source - runs];
    OozeText *text = new_text(composer);
    bool by_column = series->markers ? !is_curve_name(composer, composer->names[s]) : runs == 1;
    bool by_source = labelled || !by_column;
    if (labelled) {
        ooze_text_append(text, "%s", request->labels[source]);
    } else if (by_source) {
        append_base_name(text, path);
    }
    if (!by_source || several) {
        ooze_text_append(text, "%s%s", by_source ? ", " : "", short_name(composer->names[s]));
    }
    series->label = text->failed ? "" : text->data;
}

/* ---- composition ---------------------------------------------------------------------------- */

static OozeStatus compose(Composer *composer)
{
    OozePlot *plot = composer->plot;
    const OozePlotRequest *request = composer->request;
    OozeStatus status = OOZE_OK;
    for (int r = 0; r < request->run_count && !status; r++) {
        status = read_run(composer, r);
    }
    for (int r = 0; r < request->run_count && !status; r++) {
        status = add_run(composer, r);
    }
    for (int r = 0; r < request->reference_count && !status; r++) {
        status = add_reference(composer, r);
    }
    for (int s = 0; s < plot->figure.series_count && !status; s++) {
        label_series(composer, s);
    }
    for (int p = 0; p < plot->figure.panel_count && !status; p++) {
        name_panel(composer, p);
    }
    for (int t = 0; t < plot->text_count && !status; t++) {
        status = plot->texts[t].failed ? out_of_memory(composer) : OOZE_OK;
    }
    return status;
}

OozeStatus ooze_plot_compose(const OozePlotRequest *request, OozePlot *plot, OozeError *error)
{
    *plot = (OozePlot){0};
    plot->table_count = request->run_count * TABLES_PER_RUN + request->reference_count;
    plot->tables = ooze_alloc_zero((size_t)plot->table_count, sizeof *plot->tables);
    plot->panels = ooze_alloc_zero(SERIES_MAX, sizeof *plot->panels);
    plot->series = ooze_alloc_zero(SERIES_MAX, sizeof *plot->series);
    plot->texts = ooze_alloc_zero(2 * SERIES_MAX, sizeof *plot->texts);
    plot->figure = (OozeFigure){.panels = plot->panels,
                                .series = plot->series,
                                .x_low = NAN,
                                .x_high = NAN,
                                .y_low = NAN,
                                .y_high = NAN};
    Composer composer = {
        .request = request, .plot = plot, .error = error, .x = request->x ? request->x : "time"};
    OozeStatus status = plot->tables && plot->panels && plot->series && plot->texts
                            ? compose(&composer)
                            : out_of_memory(&composer);
    if (status) {
        ooze_plot_free(plot);
    }
    return status;
}

void ooze_plot_free(OozePlot *plot)
{
    for (int i = 0; plot->tables && i < plot->table_count; i++) {
        ooze_table_free(&plot->tables[i]);
    }
    for (int i = 0; i < plot->figure.series_count; i++) {
        ooze_free((double *)plot->series[i].x);
        ooze_free((double *)plot->series[i].y);
    }
    for (int i = 0; i < plot->text_count; i++) {
        ooze_text_clear(&plot->texts[i]);
    }
    ooze_free(plot->tables);
    ooze_free(plot->panels);
    ooze_free(plot->series);
    ooze_free(plot->texts);
    *plot = (OozePlot){0};
}
