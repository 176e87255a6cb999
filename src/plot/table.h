/* A table of numbers with a heading: probes.csv, or measured points. */
#ifndef OOZE_PLOT_TABLE_H
#define OOZE_PLOT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "ooze/status.h"

typedef struct OozeColumn {
    char *name; /* "top.height" of "top.height [m]" */
    char *unit; /* "m"; "" for none */
} OozeColumn;

typedef struct OozeTable {
    char *path;
    OozeColumn *columns;
    int column_count;
    size_t row_count;
    double *values; /* row by row; NaN where there is no number */
} OozeTable;

/* Fields are between commas, or between semicolons where the first line has these; numbers may have
   decimal commas then. Blank lines and lines that begin with '#' are skipped. The columns of a
   table without a heading are named x, y, y2, ... An empty field, `nan` and `inf` give NaN; any
   other field that is not a number is an error, which names its line. */
OozeStatus ooze_table_parse(const char *path, const char *text, size_t size, OozeTable *table,
                            OozeError *error);
/* `growing`: a run may still append to it, so a last line without a line break is ignored. */
OozeStatus ooze_table_read(const char *path, bool growing, OozeTable *table, OozeError *error);
void ooze_table_free(OozeTable *table);

int ooze_table_find(const OozeTable *table, const char *name); /* -1: no such column */
/* A column as an array of row_count numbers, to be freed with ooze_free; NULL when out of memory.
   */
double *ooze_table_copy(const OozeTable *table, int column);

#endif
