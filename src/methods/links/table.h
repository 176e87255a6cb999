/* Where links are kept. A row has one entry for each link that its particle has a part in. It
   begins with the particle's neighbours of the step, as their list has them, and a rest length for
   each: lists are kept until the next step. Links to those that are no neighbours any more follow
   in rows of their own, in ascending order of the other end. Each entry takes 8 bytes. All is
   written anew every step, from one of two buffers into the other. See link_rows.h for how rows
   follow particles. */
#ifndef OOZE_METHODS_LINKS_TABLE_H
#define OOZE_METHODS_LINKS_TABLE_H

#include "methods/links/arrays.h"
#include "solvers/edges.h"

/* The rest length where there is no link: longer than the way to the particle that fills up lists,
   so never taut. */
#define OOZE_LINKS_NO_LINK 4e18f

/* Rows that have room for whole fours: begins them as ooze_link_rows_offsets does. */
uint64_t ooze_link_rows_offsets_by_four(OozeLinkRows *rows);
/* Fills up a row to whole fours with links to nowhere that are never taut. */
void ooze_link_fill_up(OozeLink *row, uint32_t count, uint32_t filler);

struct OozeLinkTable {
    /* As they are, and the buffer to write to. */
    OozeNeighbours near[2];
    OozeEdgeMemory rest[2]; /* per entry of `near`: OOZE_LINKS_NO_LINK where there is none */
    OozeLinkRows far[2], walls[2];
    /* What a frame gets: each link once, by its lower end. */
    uint32_t *packed_count, *packed_other, *packed_wall_count;
    float *packed_rest, *packed_place;
    uint16_t *packed_solid;
    uint64_t packed_rows, packed_links, packed_walls; /* room */
};

void ooze_link_table_begin(OozeLinkTable *table);
void ooze_link_table_free(OozeLinkTable *table);
uint64_t ooze_link_table_bytes(const OozeLinkTable *table);
uint64_t ooze_link_table_scratch(const OozeLinkTable *table); /* what building lists takes beside */
/* There are no rows any more. */
void ooze_link_table_forget(OozeLinkTable *table);
/* The buffer that was written is what counts from now on. */
void ooze_link_table_swap(OozeLinkTable *table);

static inline uint32_t ooze_link_fours(uint32_t count)
{
    return (count + 3) & ~3u;
}

/* Rows of the last step. */
static inline uint64_t ooze_link_table_rows(const OozeLinkTable *table)
{
    return table->far[0].n;
}

static inline OozeWallLink *ooze_wall_links_of(const OozeLinkRows *rows, uint64_t row)
{
    return (OozeWallLink *)rows->items + rows->first[row];
}

#endif
