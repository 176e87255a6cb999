/* Rows of what leads from one particle to others, such as links and springs. Rows follow particles by a field of theirs that
   holds the number of their row. Whoever has none is new; a row that nobody has any more is forgotten with all that leads to
   it. */
#ifndef OOZE_METHODS_LINK_ROWS_H
#define OOZE_METHODS_LINK_ROWS_H

#include "methods/method.h"

#define OOZE_LINKS_NO_ROW UINT32_MAX /* of the field: it is new */

typedef struct OozeLink {
    uint32_t other; /* row */
    float rest;     /* m */
} OozeLink;

typedef struct OozeLinkRows {
    uint64_t n;      /* rows */
    uint64_t *first; /* per row */
    uint32_t *count; /* per row */
    void *items;     /* OozeLink, or others */
    uint64_t row_room, item_room;
    size_t size; /* of an item */
} OozeLinkRows;

void ooze_link_rows_free(OozeLinkRows *rows);
uint64_t ooze_link_rows_bytes(const OozeLinkRows *rows);
/* Makes room for so many; what was there is lost. */
OozeStatus ooze_link_rows_room(OozeLinkRows *rows, uint64_t n, OozeError *error);
OozeStatus ooze_link_items_room(OozeLinkRows *rows, uint64_t items, OozeError *error);
/* Begins the rows one after the other by their counts; gives the number of items. */
uint64_t ooze_link_rows_lay_out(OozeLinkRows *rows);

/* Per old row, the place in `old_row` (one per particle) that has it now; `gone`: nobody. */
void ooze_link_rows_follow(const uint32_t *old_row, uint64_t n, uint32_t gone, uint32_t *new_of_old,
                           uint64_t old);
/* By `other`. Rows are almost in order: particles change places with near ones only. */
void ooze_link_row_sort(OozeLink *row, uint32_t count);
/* Whether each particle has no row, or one of these for itself. */
OozeStatus ooze_link_rows_check_owners(const uint32_t *row_of, uint64_t particles, uint64_t rows,
                                       bool *good, OozeError *error);

static inline OozeLink *ooze_links_of(const OozeLinkRows *rows, uint64_t row)
{
    return (OozeLink *)rows->items + rows->first[row];
}

#endif
