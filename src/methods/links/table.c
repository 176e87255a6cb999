#include "methods/links/table.h"

void ooze_link_table_begin(OozeLinkTable *table)
{
    *table = (OozeLinkTable){0};
    for (int k = 0; k < 2; k++) {
        table->fluid[k].size = sizeof(OozeLink);
        table->walls[k].size = sizeof(OozeWallLink);
    }
}

void ooze_link_table_free(OozeLinkTable *table)
{
    for (int k = 0; k < 2; k++) {
        ooze_link_rows_free(&table->fluid[k]);
        ooze_link_rows_free(&table->walls[k]);
    }
    ooze_free(table->packed_count);
    ooze_free(table->packed_other);
    ooze_free(table->packed_wall_count);
    ooze_free(table->packed_rest);
    ooze_free(table->packed_place);
    ooze_free(table->packed_solid);
}

uint64_t ooze_link_table_bytes(const OozeLinkTable *table)
{
    uint64_t bytes = table->packed_rows * 2 * sizeof(uint32_t) +
                     table->packed_links * (sizeof(uint32_t) + sizeof(float)) +
                     table->packed_walls * (4 * sizeof(float) + sizeof(uint16_t));
    for (int k = 0; k < 2; k++) {
        bytes += ooze_link_rows_bytes(&table->fluid[k]) + ooze_link_rows_bytes(&table->walls[k]);
    }
    return bytes;
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
