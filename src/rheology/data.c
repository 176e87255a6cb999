#include "rheology/data.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "plot/table.h"

#define BYTES_MAX (UINT64_C(1) << 24)
#define TURN      6.28318530717958647692 /* rad */

static const OozeRheoNames names_of[OOZE_RHEO_KIND_COUNT] = {
    [OOZE_RHEO_OSCILLATION] = {"oscillation", "omega", "rad/s", {"G'", "G''"}, "Pa"},
    [OOZE_RHEO_FLOW] = {"flow curve", "rate", "1/s", {"viscosity", NULL}, "Pa s"},
    [OOZE_RHEO_RELAXATION] = {"relaxation", "time", "s", {"modulus", NULL}, "Pa"},
};

const OozeRheoNames *ooze_rheo_names(OozeRheoKind kind)
{
    return &names_of[kind];
}

enum { WORDS_MAX = 6 };

/* Accepted names (lower case, without blanks) and units (without blanks and dots). A first unit ""
   is that of a column without a unit. */
typedef struct Quantity {
    OozeRheoKind kind;
    int slot; /* 0: x, then the curves */
    const char *names[WORDS_MAX];
    const char *units[WORDS_MAX];
    double factors[WORDS_MAX];
    bool over_x; /* the stored value is the column divided by x */
} Quantity;

#define PASCALS .units = {"", "Pa", "kPa", "MPa", "mPa"}, .factors = {1, 1, 1e3, 1e6, 1e-3}
#define HINT_COLUMNS                                                                               \
    "head the columns omega [rad/s],G' [Pa],G'' [Pa] or rate [1/s],viscosity [Pa s] (or "          \
    "stress [Pa]) or time [s],modulus [Pa]"

static const Quantity quantities[] = {
    {.kind = OOZE_RHEO_OSCILLATION,
     .names = {"omega", "w", "angularfrequency"},
     .units = {"", "rad/s", "1/s"},
     .factors = {1, 1, 1}},
    {.kind = OOZE_RHEO_OSCILLATION,
     .names = {"frequency", "f"},
     .units = {"Hz", "rad/s"},
     .factors = {TURN, 1}},
    {.kind = OOZE_RHEO_OSCILLATION,
     .slot = 1,
     .names = {"g'", "g1", "gprime", "storage", "storagemodulus"},
     PASCALS},
    {.kind = OOZE_RHEO_OSCILLATION,
     .slot = 2,
     .names = {"g''", "g\"", "g2", "loss", "lossmodulus"},
     PASCALS},
    {.kind = OOZE_RHEO_FLOW,
     .names = {"rate", "shearrate"},
     .units = {"", "1/s", "s-1", "s^-1"},
     .factors = {1, 1, 1, 1}},
    {.kind = OOZE_RHEO_FLOW,
     .slot = 1,
     .names = {"viscosity", "eta"},
     .units = {"", "Pas", "mPas", "kPas"},
     .factors = {1, 1, 1e-3, 1e3}},
    {.kind = OOZE_RHEO_FLOW,
     .slot = 1,
     .names = {"stress", "shearstress", "sigma"},
     .over_x = true,
     PASCALS},
    {.kind = OOZE_RHEO_RELAXATION,
     .names = {"time", "t"},
     .units = {"", "s", "ms", "min"},
     .factors = {1, 1, 1e-3, 60}},
    {.kind = OOZE_RHEO_RELAXATION,
     .slot = 1,
     .names = {"modulus", "g(t)", "g", "relaxationmodulus"},
     PASCALS},
};
enum { QUANTITY_COUNT = sizeof quantities / sizeof quantities[0], SLOTS_MAX = 3, WORD_MAX = 48 };

typedef struct Place {
    int column; /* -1: missing */
    double factor;
    bool over_x;
} Place;

typedef struct Source {
    const char *path, *text;
    size_t size;
    OozeError *error;
} Source;

/* Line of the file that holds a row of the table; row -1: the heading. The table skips blank lines
   and comments. */
static size_t line_of(const Source *source, long long row)
{
    const char *at = source->text, *end = source->text + source->size;
    size_t line = 0;
    while (at < end) {
        line++;
        const char *next = memchr(at, '\n', (size_t)(end - at));
        next = next ? next + 1 : end;
        while (at < next && isspace((unsigned char)*at)) {
            at++;
        }
        if (at < next && *at != '#' && row-- < 0) {
            break;
        }
        at = next;
    }
    return line;
}

static void squeeze(const char *text, const char *leave_out, bool small, char word[WORD_MAX])
{
    int length = 0;
    for (; *text && length < WORD_MAX - 1; text++) {
        if (!strchr(leave_out, *text)) {
            word[length++] = small ? (char)tolower((unsigned char)*text) : *text;
        }
    }
    word[length] = '\0';
}

static int find_word(const char *const *words, const char *word)
{
    for (int i = 0; i < WORDS_MAX && words[i]; i++) {
        if (strcmp(words[i], word) == 0) {
            return i;
        }
    }
    return -1;
}

static OozeStatus place_column(const Source *source, const OozeColumn *column, int index,
                               Place places[OOZE_RHEO_KIND_COUNT][SLOTS_MAX])
{
    char name[WORD_MAX], unit[WORD_MAX];
    squeeze(column->name, " _-", true, name);
    squeeze(column->unit, " .*\xc2\xb7", false, unit); /* a raised dot too */
    for (int i = 0; i < QUANTITY_COUNT; i++) {
        const Quantity *quantity = &quantities[i];
        if (find_word(quantity->names, name) < 0) {
            continue;
        }
        int known = find_word(quantity->units, unit);
        if (known < 0) {
            return ooze_fail(source->error, OOZE_ERROR_FORMAT, HINT_COLUMNS,
                             "'%s', line %zu: column '%s' cannot be in '%s'", source->path,
                             line_of(source, -1), column->name, column->unit);
        }
        Place *place = &places[quantity->kind][quantity->slot];
        if (place->column >= 0) {
            return ooze_fail(source->error, OOZE_ERROR_FORMAT, "leave one of them out",
                             "'%s', line %zu: column '%s' says what another one says too",
                             source->path, line_of(source, -1), column->name);
        }
        place->column = index;
        place->factor = quantity->factors[known];
        place->over_x = quantity->over_x;
        return OOZE_OK;
    }
    return ooze_fail(source->error, OOZE_ERROR_FORMAT, HINT_COLUMNS,
                     "'%s', line %zu: column '%s' is nothing a fit knows", source->path,
                     line_of(source, -1), column->name);
}

/* The experiment that has all of these columns; columns of two experiments are an error. */
static OozeStatus find_experiment(const Source *source, const OozeTable *table,
                                  Place places[OOZE_RHEO_KIND_COUNT][SLOTS_MAX], OozeRheoData *data)
{
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < OOZE_RHEO_KIND_COUNT * SLOTS_MAX; i++) {
        places[i / SLOTS_MAX][i % SLOTS_MAX].column = -1;
    }
    for (int i = 0; i < table->column_count && !status; i++) {
        status = place_column(source, &table->columns[i], i, places);
    }
    int found = 0;
    for (int kind = 0; kind < OOZE_RHEO_KIND_COUNT && !status; kind++) {
        int here = 0;
        for (int slot = 0; slot < SLOTS_MAX; slot++) {
            here += places[kind][slot].column >= 0;
        }
        found += here > 0;
        data->kind = here > 0 ? (OozeRheoKind)kind : data->kind;
    }
    if (!status && found > 1) {
        return ooze_fail(source->error, OOZE_ERROR_FORMAT, "give each experiment a file of its own",
                         "'%s', line %zu holds columns of more than one experiment", source->path,
                         line_of(source, -1));
    }
    const OozeRheoNames *names = &names_of[data->kind];
    data->curves = names->y[1] ? 2 : 1;
    for (int slot = 0; slot <= data->curves && !status; slot++) {
        if (places[data->kind][slot].column < 0) {
            status = ooze_fail(source->error, OOZE_ERROR_FORMAT, HINT_COLUMNS,
                               "'%s', line %zu: the column '%s' of the %s is missing", source->path,
                               line_of(source, -1), slot == 0 ? names->x : names->y[slot - 1],
                               names->experiment);
        }
    }
    return status;
}

static OozeStatus take_numbers(const Source *source, const OozeTable *table,
                               const Place places[SLOTS_MAX], OozeRheoData *data)
{
    const OozeRheoNames *names = &names_of[data->kind];
    for (size_t row = 0; row < table->row_count; row++) {
        for (int slot = 0; slot <= data->curves; slot++) {
            double value =
                table->values[row * (size_t)table->column_count + (size_t)places[slot].column];
            const char *name = slot == 0             ? names->x
                               : places[slot].over_x ? "stress"
                                                     : names->y[slot - 1];
            double scaled = value * places[slot].factor;
            if (!isfinite(scaled)) {
                return ooze_fail(source->error, OOZE_ERROR_FORMAT,
                                 "leave out lines in which something was not measured",
                                 "'%s', line %zu: %s is missing or not a finite number",
                                 source->path, line_of(source, (long long)row), name);
            }
            bool start = slot == 0 && data->kind == OOZE_RHEO_RELAXATION && value == 0.0;
            if (!start && !(scaled > 0.0)) {
                return ooze_fail(source->error, OOZE_ERROR_FORMAT,
                                 "leave out lines below what the instrument can resolve",
                                 "'%s', line %zu: %s is %g; it must lie above 0", source->path,
                                 line_of(source, (long long)row), name, value);
            }
            if (slot == 0) {
                data->x[row] = scaled;
            } else {
                data->y[(size_t)(slot - 1) * data->rows + row] =
                    places[slot].over_x ? scaled / data->x[row] : scaled;
            }
        }
    }
    return OOZE_OK;
}

static OozeStatus check_rows(const Source *source, const OozeTable *table)
{
    if (table->row_count == 0) {
        return ooze_fail(source->error, OOZE_ERROR_FORMAT, HINT_COLUMNS,
                         "'%s' has no rows below line %zu", source->path, line_of(source, -1));
    }
    size_t last = line_of(source, (long long)table->row_count - 1);
    if (table->row_count < OOZE_RHEO_ROWS_MIN) {
        return ooze_fail(source->error, OOZE_ERROR_FORMAT, "measure more points",
                         "'%s' ends at line %zu with %zu points, fewer than the unknowns of a fit; "
                         "%d are the least",
                         source->path, last, table->row_count, (int)OOZE_RHEO_ROWS_MIN);
    }
    if (table->row_count > OOZE_RHEO_ROWS_MAX) {
        return ooze_fail(source->error, OOZE_ERROR_FORMAT, "keep every tenth, or average them",
                         "'%s' ends at line %zu with %zu points; %d are the most", source->path,
                         last, table->row_count, (int)OOZE_RHEO_ROWS_MAX);
    }
    return OOZE_OK;
}

void ooze_rheo_range(const OozeRheoData *data, double *low, double *high)
{
    *low = INFINITY;
    *high = 0.0;
    for (size_t i = 0; i < data->rows; i++) {
        *low = data->x[i] > 0.0 ? fmin(*low, data->x[i]) : *low;
        *high = fmax(*high, data->x[i]);
    }
}

static OozeStatus check_range(const Source *source, const OozeRheoData *data)
{
    double low, high;
    ooze_rheo_range(data, &low, &high);
    const OozeRheoNames *names = &names_of[data->kind];
    if (!(high >= 10.0 * low * (1.0 - 1e-9))) {
        return ooze_fail(source->error, OOZE_ERROR_FORMAT, "measure over a wider range",
                         "'%s', line %zu: %s goes from %g to %g %s only; a fit needs a decade",
                         source->path, line_of(source, -1), names->x, fmin(low, high), high,
                         names->x_unit);
    }
    return OOZE_OK;
}

OozeStatus ooze_rheo_parse(const char *path, const char *text, size_t size, OozeRheoData *data,
                           OozeError *error)
{
    *data = (OozeRheoData){0};
    Source source = {path, text, size, error};
    Place places[OOZE_RHEO_KIND_COUNT][SLOTS_MAX];
    OozeTable table;
    OozeStatus status = ooze_table_parse(path, text, size, &table, error);
    if (status) {
        return status;
    }
    status = find_experiment(&source, &table, places, data);
    status = status ? status : check_rows(&source, &table);
    if (!status) {
        data->rows = table.row_count;
        data->x = ooze_alloc(data->rows, sizeof *data->x);
        data->y = ooze_alloc(data->rows * (size_t)data->curves, sizeof *data->y);
        status = data->x && data->y
                     ? take_numbers(&source, &table, places[data->kind], data)
                     : ooze_fail_memory(error, "measured points", data->rows * 3 * sizeof(double));
    }
    status = status ? status : check_range(&source, data);
    if (status) {
        ooze_rheo_free(data);
    }
    ooze_table_free(&table);
    return status;
}

OozeStatus ooze_rheo_read(const char *path, OozeRheoData *data, OozeError *error)
{
    *data = (OozeRheoData){0};
    char *text = NULL;
    size_t size = 0;
    OozeStatus status = ooze_file_read(path, BYTES_MAX, &text, &size, error);
    status = status ? status : ooze_rheo_parse(path, text, size, data, error);
    ooze_free(text);
    return status;
}

void ooze_rheo_free(OozeRheoData *data)
{
    ooze_free(data->x);
    ooze_free(data->y);
    *data = (OozeRheoData){0};
}
