#include "methods/links/table.h"

void ooze_link_table_begin(OozeLinkTable *table)
{
    *table = (OozeLinkTable){0};
    for (int k = 0; k < 2; k++) {
        table->far[k].size = sizeof(OozeLink);
        table->walls[k].size = sizeof(OozeWallLink);
    }
}

void ooze_link_table_free(OozeLinkTable *table)
{
    for (int k = 0; k < 2; k++) {
        ooze_neighbours_free(&table->near[k]);
        ooze_free(table->rest[k].values);
        ooze_link_rows_free(&table->far[k]);
        ooze_link_rows_free(&table->walls[k]);
    }
    ooze_free(table->packed_count);
    ooze_free(table->packed_other);
    ooze_free(table->packed_wall_count);
    ooze_free(table->packed_rest);
    ooze_free(table->packed_place);
    ooze_free(table->packed_solid);
}

OozeLinkTable *ooze_link_table_create(void)
{
    OozeLinkTable *table = ooze_alloc(1, sizeof *table);
    if (table) {
        ooze_link_table_begin(table);
    }
    return table;
}

void ooze_link_table_destroy(OozeLinkTable *table)
{
    if (table) {
        ooze_link_table_free(table);
        ooze_free(table);
    }
}

void ooze_link_table_rows_of(OozeLinkTable *table, OozeLinkRows **links, OozeLinkRows **walls)
{
    *links = &table->far[0];
    *walls = &table->walls[0];
}

/* Without the working memory of building. */
static uint64_t list_bytes(OozeNeighbours list)
{
    list.scratch = NULL;
    return ooze_neighbours_bytes(&list);
}

uint64_t ooze_link_table_scratch(const OozeLinkTable *table)
{
    return ooze_neighbours_bytes(&table->near[1]) - list_bytes(table->near[1]);
}

uint64_t ooze_link_table_bytes(const OozeLinkTable *table)
{
    uint64_t bytes = table->packed_rows * 2 * sizeof(uint32_t) +
                     table->packed_links * (sizeof(uint32_t) + sizeof(float)) +
                     table->packed_walls * (4 * sizeof(float) + sizeof(uint16_t));
    for (int k = 0; k < 2; k++) {
        bytes += list_bytes(table->near[k]) + table->rest[k].room * sizeof *table->rest[k].values +
                 ooze_link_rows_bytes(&table->far[k]) + ooze_link_rows_bytes(&table->walls[k]);
    }
    return bytes;
}

uint64_t ooze_link_rows_offsets_by_four(OozeLinkRows *rows)
{
    uint64_t at = 0;
    for (uint64_t i = 0; i < rows->n; i++) {
        rows->first[i] = at;
        at += ooze_link_fours(rows->count[i]);
    }
    return at;
}

void ooze_link_table_clear(OozeLinkTable *table)
{
    table->near[0].n = table->far[0].n = table->walls[0].n = 0;
    table->first_row = 0;
}

OozeStatus ooze_link_table_keep_part(OozeLinkTable *table, int part, int parts, OozeError *error)
{
    uint64_t rows = ooze_link_table_rows(table), begin = rows * (uint64_t)part / (uint64_t)parts,
             end = rows * ((uint64_t)part + 1) / (uint64_t)parts;
    OozeStatus status = ooze_link_rows_keep(&table->far[0], &table->far[1], begin, end, error);
    table->first_row = begin;
    return status ? status
                  : ooze_link_rows_keep(&table->walls[0], &table->walls[1], begin, end, error);
}

void ooze_link_table_number_from(OozeLinkTable *table, uint64_t first)
{
    table->first_row = first;
}

void ooze_link_table_swap(OozeLinkTable *table)
{
    OozeNeighbours near = table->near[0];
    OozeEdgeMemory rest = table->rest[0];
    OozeLinkRows far = table->far[0], walls = table->walls[0];
    table->near[0] = table->near[1];
    table->rest[0] = table->rest[1];
    table->far[0] = table->far[1];
    table->walls[0] = table->walls[1];
    table->near[1] = near;
    table->near[1].scratch = table->near[0].scratch; /* needed for building lists */
    table->near[0].scratch = NULL;
    table->rest[1] = rest;
    table->far[1] = far;
    table->walls[1] = walls;
}

void ooze_link_fill_up(OozeLink *row, uint32_t count, uint32_t filler)
{
    for (uint32_t k = count; k < ooze_link_fours(count); k++) {
        row[k] = (OozeLink){filler, OOZE_LINKS_NO_LINK};
    }
}
