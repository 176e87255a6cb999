#include "methods/links/table.h"

#include <string.h>

#include "base/fail.h"

void ooze_link_table_begin(OozeLinkTable *table)
{
    *table = (OozeLinkTable){0};
    for (int k = 0; k < 2; k++) {
        table->fluid[k].size = sizeof(OozeLink);
        table->walls[k].size = sizeof(OozeWallLink);
    }
}

static void free_rows(OozeLinkRows *rows)
{
    ooze_free(rows->first);
    ooze_free(rows->count);
    ooze_free(rows->items);
}

void ooze_link_table_free(OozeLinkTable *table)
{
    for (int k = 0; k < 2; k++) {
        free_rows(&table->fluid[k]);
        free_rows(&table->walls[k]);
    }
    ooze_free(table->packed_count);
    ooze_free(table->packed_other);
    ooze_free(table->packed_wall_count);
    ooze_free(table->packed_rest);
    ooze_free(table->packed_place);
    ooze_free(table->packed_solid);
}

static uint64_t rows_bytes(const OozeLinkRows *rows)
{
    return rows->row_room * (sizeof *rows->first + sizeof *rows->count) +
           rows->item_room * rows->size;
}

uint64_t ooze_link_table_bytes(const OozeLinkTable *table)
{
    uint64_t bytes = table->packed_rows * 2 * sizeof(uint32_t) +
                     table->packed_links * (sizeof(uint32_t) + sizeof(float)) +
                     table->packed_walls * (4 * sizeof(float) + sizeof(uint16_t));
    for (int k = 0; k < 2; k++) {
        bytes += rows_bytes(&table->fluid[k]) + rows_bytes(&table->walls[k]);
    }
    return bytes;
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

void ooze_link_table_forget(OozeLinkTable *table)
{
    table->fluid[0].n = table->walls[0].n = 0;
}

void ooze_link_table_turn(OozeLinkTable *table)
{
    OozeLinkRows fluid = table->fluid[0], walls = table->walls[0];
    table->fluid[0] = table->fluid[1];
    table->walls[0] = table->walls[1];
    table->fluid[1] = fluid;
    table->walls[1] = walls;
}
