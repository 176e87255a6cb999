#include "methods/link_rows.h"

#include "base/fail.h"

void ooze_link_rows_free(OozeLinkRows *rows)
{
    ooze_free(rows->first);
    ooze_free(rows->count);
    ooze_free(rows->items);
}

uint64_t ooze_link_rows_bytes(const OozeLinkRows *rows)
{
    return rows->row_room * (sizeof *rows->first + sizeof *rows->count) +
           rows->item_room * rows->size;
}

OozeStatus ooze_link_rows_room(OozeLinkRows *rows, uint64_t n, OozeError *error)
{
    rows->n = 0;
    if (n > rows->row_room || !rows->first) {
        uint64_t room = n + n / 8;
        ooze_free(rows->first);
        ooze_free(rows->count);
        rows->first = ooze_alloc(room, sizeof *rows->first);
        rows->count = ooze_alloc(room, sizeof *rows->count);
        rows->row_room = room;
        if (!rows->first || !rows->count) {
            ooze_free(rows->first);
            ooze_free(rows->count);
            rows->first = NULL;
            rows->count = NULL;
            rows->row_room = 0;
            return ooze_fail_memory(error, "rows of links", room * sizeof *rows->first);
        }
    }
    rows->n = n;
    return OOZE_OK;
}

OozeStatus ooze_link_items_room(OozeLinkRows *rows, uint64_t items, OozeError *error)
{
    if (items <= rows->item_room && rows->items) {
        return OOZE_OK;
    }
    uint64_t room = items + items / 8;
    ooze_free(rows->items);
    rows->items = ooze_alloc(room, rows->size);
    rows->item_room = rows->items ? room : 0;
    return rows->items ? OOZE_OK : ooze_fail_memory(error, "links", room * rows->size);
}

uint64_t ooze_link_rows_lay_out(OozeLinkRows *rows)
{
    uint64_t at = 0;
    for (uint64_t i = 0; i < rows->n; i++) {
        rows->first[i] = at;
        at += rows->count[i];
    }
    return at;
}
