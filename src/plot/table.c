#include "plot/table.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#define BYTES_MAX (UINT64_C(1) << 32)
enum { COLUMNS_MAX = 4096 };

typedef struct Reader {
    const char *at, *end;
    char separator; /* ',' or ';', as spreadsheets write where numbers have decimal commas */
    size_t line;
    OozeTable *table;
    size_t capacity; /* of table->values, in rows */
    OozeText field;
    OozeError *error;
} Reader;

static OozeStatus out_of_memory(const Reader *reader)
{
    return ooze_fail_memory(reader->error, "a table", (reader->end - reader->at) * 2ULL);
}

/* Reads the next field of the line into reader->field; sets `*last` at the end of the line. */
static OozeStatus read_field(Reader *reader, bool *last)
{
    reader->field.length = 0;
    ooze_text_append(&reader->field, "%s", "");
    bool quoted = reader->at < reader->end && *reader->at == '"';
    reader->at += quoted;
    while (reader->at < reader->end) {
        char c = *reader->at;
        if (quoted && c == '"') {
            reader->at++;
            quoted = reader->at < reader->end && *reader->at == '"';
            if (!quoted) {
                continue;
            }
        } else if (!quoted && (c == reader->separator || c == '\n')) {
            break;
        }
        ooze_text_append_bytes(&reader->field, &c, 1);
        reader->line += c == '\n';
        reader->at++;
    }
    *last = reader->at >= reader->end || *reader->at == '\n';
    reader->line += reader->at < reader->end && *reader->at == '\n';
    reader->at += reader->at < reader->end;
    return reader->field.failed ? out_of_memory(reader) : OOZE_OK;
}

/* Removes surrounding white space, carriage returns included. */
static char *trim(OozeText *field)
{
    char *first = field->data, *end = field->data + field->length;
    while (isspace((unsigned char)*first)) {
        first++;
    }
    while (end > first && isspace((unsigned char)end[-1])) {
        *--end = '\0';
    }
    return first;
}

static bool read_number(const Reader *reader, char *text, double *value)
{
    char *end, *comma = reader->separator == ';' ? strchr(text, ',') : NULL;
    if (comma) {
        *comma = '.';
    }
    *value = strtod(text, &end);
    if (text[0] == '\0' || !isfinite(*value)) {
        *value = NAN;
    }
    return *end == '\0';
}

/* The heading is "name [unit]" or "name". */
static OozeStatus add_column(Reader *reader, char *heading)
{
    OozeTable *table = reader->table;
    if (table->column_count == COLUMNS_MAX) {
        return ooze_fail(reader->error, OOZE_ERROR_FORMAT, "leave some out",
                         "'%s' has more than %d columns", table->path, (int)COLUMNS_MAX);
    }
    OozeColumn *grown = ooze_grow(table->columns, (size_t)table->column_count,
                                  (size_t)table->column_count + 1, sizeof *grown);
    if (!grown) {
        return out_of_memory(reader);
    }
    table->columns = grown;
    const char *unit = "";
    size_t length = strlen(heading);
    char *bracket = strrchr(heading, '[');
    if (bracket && bracket > heading && heading[length - 1] == ']') {
        heading[length - 1] = '\0';
        unit = bracket + 1;
        *bracket-- = '\0';
        while (bracket > heading && *bracket == ' ') {
            *bracket-- = '\0';
        }
    }
    OozeColumn column = {ooze_copy_text(heading), ooze_copy_text(unit)};
    if (!column.name || !column.unit) {
        ooze_free(column.name);
        ooze_free(column.unit);
        return out_of_memory(reader);
    }
    table->columns[table->column_count++] = column;
    return OOZE_OK;
}

/* Whether fields are between semicolons: the first line has some, and commas within numbers only.
 */
static bool has_semicolons(const Reader *reader)
{
    bool semicolons = false, quoted = false;
    for (const char *c = reader->at; c < reader->end && *c != '\n'; c++) {
        bool decimal = *c == ',' && c > reader->at && c + 1 < reader->end &&
                       isdigit((unsigned char)c[-1]) && isdigit((unsigned char)c[1]);
        quoted = quoted != (*c == '"');
        semicolons = semicolons || (*c == ';' && !quoted);
        if (*c == ',' && !quoted && !decimal) {
            return false;
        }
    }
    return semicolons;
}

/* The first line is a heading where one of its fields is not a number; otherwise it is read again
   as a row. */
static OozeStatus read_heading(Reader *reader)
{
    reader->separator = has_semicolons(reader) ? ';' : ',';
    Reader start = *reader;
    bool last = false, numbers = true;
    OozeStatus status = OOZE_OK;
    int count = 0;
    while (!last && !status) {
        status = read_field(reader, &last);
        double value;
        numbers = numbers && !status && read_number(reader, trim(&reader->field), &value);
        count++;
    }
    reader->at = start.at;
    reader->line = start.line;
    for (int i = 0; i < count && !status; i++) {
        char name[32];
        snprintf(name, sizeof name, i == 0 ? "x" : i == 1 ? "y" : "y%d", i);
        status = numbers ? OOZE_OK : read_field(reader, &last);
        status = status ? status : add_column(reader, numbers ? name : trim(&reader->field));
    }
    return status;
}

static OozeStatus reserve_row(Reader *reader)
{
    OozeTable *table = reader->table;
    if (table->row_count < reader->capacity) {
        return OOZE_OK;
    }
    size_t columns = (size_t)table->column_count, capacity = reader->capacity * 2 + 64;
    double *grown = ooze_grow(table->values, table->row_count * columns, capacity * columns,
                              sizeof *table->values);
    if (!grown) {
        return out_of_memory(reader);
    }
    table->values = grown;
    reader->capacity = capacity;
    return OOZE_OK;
}

static OozeStatus read_row(Reader *reader)
{
    OozeTable *table = reader->table;
    OozeStatus status = reserve_row(reader);
    size_t line = reader->line;
    int count = 0;
    for (bool last = false; !last && !status; count++) {
        status = read_field(reader, &last);
        if (status) {
            break;
        }
        double value;
        char *text = trim(&reader->field);
        if (!read_number(reader, text, &value)) {
            return ooze_fail(reader->error, OOZE_ERROR_FORMAT,
                             strchr(text, ';') ? "use one separator in all lines, `,` or `;`"
                                               : "every field below the heading is a number, `nan` "
                                                 "or empty",
                             "'%s', line %zu: '%.40s' is not a number", table->path, line, text);
        }
        if (count < table->column_count) {
            table->values[table->row_count * (size_t)table->column_count + (size_t)count] = value;
        }
    }
    if (!status && count != table->column_count) {
        return ooze_fail(reader->error, OOZE_ERROR_FORMAT,
                         "every line has as many fields as the first",
                         "'%s', line %zu has %d fields where %d are expected", table->path, line,
                         count, table->column_count);
    }
    table->row_count += !status;
    return status;
}

/* Skips a blank line or a comment. */
static bool skip_line(Reader *reader)
{
    const char *end = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
    const char *c = reader->at;
    while (c < reader->end && c != end && isspace((unsigned char)*c)) {
        c++;
    }
    if (c == reader->end || c == end || *c == '#') {
        reader->at = end ? end + 1 : reader->end;
        reader->line++;
        return true;
    }
    return false;
}

OozeStatus ooze_table_parse(const char *path, const char *text, size_t size, OozeTable *table,
                            OozeError *error)
{
    *table = (OozeTable){.path = ooze_copy_text(path)};
    Reader reader = {.at = text, .end = text + size, .line = 1, .table = table, .error = error};
    OozeStatus status = table->path ? OOZE_OK : out_of_memory(&reader);
    if (!status && memchr(text, '\0', size)) {
        status = ooze_fail(error, OOZE_ERROR_FORMAT,
                           "a table is text: numbers between commas or semicolons",
                           "'%s' is not a table", path);
    }
    while (!status && reader.at < reader.end) {
        if (!skip_line(&reader)) {
            status = table->column_count == 0 ? read_heading(&reader) : read_row(&reader);
        }
    }
    if (!status && table->column_count == 0) {
        status = ooze_fail(error, OOZE_ERROR_FORMAT,
                           "a table is text: numbers between commas or semicolons", "'%s' is empty",
                           path);
    }
    ooze_text_clear(&reader.field);
    if (status) {
        ooze_table_free(table);
    }
    return status;
}

OozeStatus ooze_table_read(const char *path, bool growing, OozeTable *table, OozeError *error)
{
    *table = (OozeTable){0};
    char *text = NULL;
    size_t size = 0;
    OozeStatus status = ooze_file_read(path, BYTES_MAX, &text, &size, error);
    while (!status && growing && size > 0 && text[size - 1] != '\n') {
        size--;
    }
    status = status ? status : ooze_table_parse(path, text, size, table, error);
    ooze_free(text);
    return status;
}

void ooze_table_free(OozeTable *table)
{
    for (int i = 0; i < table->column_count; i++) {
        ooze_free(table->columns[i].name);
        ooze_free(table->columns[i].unit);
    }
    ooze_free(table->columns);
    ooze_free(table->values);
    ooze_free(table->path);
    *table = (OozeTable){0};
}

int ooze_table_find(const OozeTable *table, const char *name)
{
    for (int i = 0; i < table->column_count; i++) {
        if (strcmp(table->columns[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

double *ooze_table_copy(const OozeTable *table, int column)
{
    double *values = ooze_alloc(table->row_count, sizeof *values);
    for (size_t i = 0; values && i < table->row_count; i++) {
        values[i] = table->values[i * (size_t)table->column_count + (size_t)column];
    }
    return values;
}
