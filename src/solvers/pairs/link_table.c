#include "solvers/pairs/link_table.h"

#include <string.h>

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

OozeStatus ooze_link_rows_reserve(OozeLinkRows *rows, uint64_t n, OozeError *error)
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

OozeStatus ooze_link_items_reserve(OozeLinkRows *rows, uint64_t items, OozeError *error)
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

uint64_t ooze_link_rows_offsets(OozeLinkRows *rows)
{
    uint64_t at = 0;
    for (uint64_t i = 0; i < rows->n; i++) {
        rows->first[i] = at;
        at += rows->count[i];
    }
    return at;
}

OozeStatus ooze_link_rows_keep(OozeLinkRows *rows, OozeLinkRows *buffer, uint64_t begin,
                               uint64_t end, OozeError *error)
{
    OozeStatus status = ooze_link_rows_reserve(buffer, end - begin, error);
    for (uint64_t i = begin; i < end && !status; i++) {
        buffer->count[i - begin] = rows->count[i];
    }
    uint64_t items = status ? 0 : ooze_link_rows_offsets(buffer);
    status = status ? status : ooze_link_items_reserve(buffer, items, error);
    for (uint64_t i = begin; i < end && !status; i++) {
        if (rows->count[i] > 0) {
            memcpy((char *)buffer->items + buffer->first[i - begin] * rows->size,
                   (const char *)rows->items + rows->first[i] * rows->size,
                   rows->count[i] * rows->size);
        }
    }
    if (!status) {
        OozeLinkRows kept = *buffer;
        *buffer = *rows;
        *rows = kept;
    }
    return status;
}

void ooze_link_rows_map(const uint32_t *old_row, uint64_t n, uint32_t missing, uint32_t *new_of_old,
                        uint64_t old)
{
    for (uint64_t k = 0; k < old; k++) {
        new_of_old[k] = missing;
    }
    for (uint64_t i = 0; i < n; i++) {
        if (old_row[i] != OOZE_LINK_ROW_NONE) {
            new_of_old[old_row[i]] = (uint32_t)i;
        }
    }
}

void ooze_link_row_sort(OozeLink *row, uint32_t count)
{
    for (uint32_t k = 1; k < count; k++) {
        OozeLink link = row[k];
        uint32_t at = k;
        for (; at > 0 && row[at - 1].other > link.other; at--) {
            row[at] = row[at - 1];
        }
        row[at] = link;
    }
}

OozeStatus ooze_link_rows_check_owners(const uint32_t *row_of, uint64_t particles, uint64_t rows,
                                       bool *valid, OozeError *error)
{
    uint8_t *owned = ooze_alloc_zero(rows, 1);
    if (!owned) {
        return ooze_fail_memory(error, "owners of rows", rows);
    }
    *valid = true;
    for (uint64_t i = 0; i < particles && *valid; i++) {
        if (row_of[i] != OOZE_LINK_ROW_NONE) {
            *valid = row_of[i] < rows && !owned[row_of[i]];
            owned[*valid ? row_of[i] : 0] = 1;
        }
    }
    ooze_free(owned);
    return OOZE_OK;
}
