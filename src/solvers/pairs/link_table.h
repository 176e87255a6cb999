/* A table of links (or springs) from each particle to others, in rows. A particle field holds the
   number of the particle's row, so rows survive re-sorting. A particle without a row is new; the
   row of a particle that was removed is dropped, with all links to it. */
#ifndef OOZE_SOLVERS_PAIRS_LINK_TABLE_H
#define OOZE_SOLVERS_PAIRS_LINK_TABLE_H

#include "step/context.h"

#define OOZE_LINK_ROW_NONE UINT32_MAX /* value of the field for a new particle */

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
/* Reserve memory; previous contents are lost. */
OozeStatus ooze_link_rows_reserve(OozeLinkRows *rows, uint64_t n, OozeError *error);
OozeStatus ooze_link_items_reserve(OozeLinkRows *rows, uint64_t items, OozeError *error);
/* Computes the offsets of contiguous rows from their counts; returns the number of items. */
uint64_t ooze_link_rows_offsets(OozeLinkRows *rows);

/* Keeps the rows from `begin` to `end`; `buffer` is swapped with them. */
OozeStatus ooze_link_rows_keep(OozeLinkRows *rows, OozeLinkRows *buffer, uint64_t begin,
                               uint64_t end, OozeError *error);

/* new_of_old[r]: the particle whose old row is r, from old_row (per particle); `missing` if
   none. */
void ooze_link_rows_map(const uint32_t *old_row, uint64_t n, uint32_t missing, uint32_t *new_of_old,
                        uint64_t old);
/* Sorts a row by `other`. Rows are nearly sorted, because particles move little between sorts. */
void ooze_link_row_sort(OozeLink *row, uint32_t count);
/* Checks that every particle has no row or a valid row of its own. */
OozeStatus ooze_link_rows_check_owners(const uint32_t *row_of, uint64_t particles, uint64_t rows,
                                       bool *valid, OozeError *error);

static inline OozeLink *ooze_links_of(const OozeLinkRows *rows, uint64_t row)
{
    return (OozeLink *)rows->items + rows->first[row];
}

#endif
