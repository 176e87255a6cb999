/* A comma-separated table of numbers with a heading: probes.csv, or points somebody measured. */
#ifndef OOZE_PLOT_TABLE_H
#define OOZE_PLOT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "ooze/status.h"

typedef struct OozeColumn {
    char *name; /* "top.height" of "top.height [m]" */
    char *unit; /* "m"; "" without one */
} OozeColumn;

typedef struct OozeTable {
    char *path;
    OozeColumn *columns;
    int column_count;
    size_t row_count;
    double *values; /* row by row; NaN where there is no number */
} OozeTable;

/* Blank lines and lines that begin with '#' are passed over. A table without a heading names its columns x, y, y2, ... An empty field, `nan` and `inf` are
   gaps; anything else that is no number is refused with its line. */
OozeStatus ooze_table_parse(const char *path, const char *text, size_t size, OozeTable *table,
                            OozeError *error);
/* `growing`: a run may be writing it, so a last line without its end is no row yet. */
OozeStatus ooze_table_read(const char *path, bool growing, OozeTable *table, OozeError *error);
void ooze_table_free(OozeTable *table);

int ooze_table_find(const OozeTable *table, const char *name); /* -1: none of that name */
/* One column as an array of row_count numbers; NULL when out of memory. Free with ooze_free. */
double *ooze_table_copy(const OozeTable *table, int column);

#endif
