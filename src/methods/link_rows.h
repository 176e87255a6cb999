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

static inline OozeLink *ooze_links_of(const OozeLinkRows *rows, uint64_t row)
{
    return (OozeLink *)rows->items + rows->first[row];
}

#endif
