/* Storage of links. Each link is stored at both of its ends. Links to neighbours are stored as a
   rest length per entry of the neighbour lists, which are kept until the next step; links to other
   particles are in `far` rows, in ascending order of the other end. Each entry takes 8 bytes. Every
   step writes all rows from one of two buffers to the other. See link_table.h for how rows follow
   particles. */
#ifndef OOZE_METHODS_LINKS_TABLE_H
#define OOZE_METHODS_LINKS_TABLE_H

#include "methods/links/arrays.h"
#include "solvers/pairs/edges.h"

/* Rest length of entries without a link: longer than the distance of the padding particle, so never
   taut. */
#define OOZE_LINKS_NO_LINK 4e18f

/* As ooze_link_rows_offsets, with each row padded to a multiple of four. */
uint64_t ooze_link_rows_offsets_by_four(OozeLinkRows *rows);
/* Pads a row to a multiple of four with links to `filler` that are never taut. */
void ooze_link_fill_up(OozeLink *row, uint32_t count, uint32_t filler);

struct OozeLinkTable {
    /* [0]: present, [1]: buffer for the next step */
    OozeNeighbours near[2];
    OozeEdgeMemory rest[2]; /* per entry of `near`: OOZE_LINKS_NO_LINK where there is none */
    OozeLinkRows far[2], walls[2];
    /* of several processes: rows of those before this one. Between steps `far` then holds all
       links, which name rows of all processes. */
    uint64_t first_row;
    /* for frames: each link once, in the row of its lower end */
    uint32_t *packed_count, *packed_other, *packed_wall_count;
    float *packed_rest, *packed_place;
    uint16_t *packed_solid;
    uint64_t packed_rows, packed_links, packed_walls; /* room */
};

void ooze_link_table_begin(OozeLinkTable *table);
void ooze_link_table_free(OozeLinkTable *table);
uint64_t ooze_link_table_bytes(const OozeLinkTable *table);
uint64_t ooze_link_table_scratch(const OozeLinkTable *table); /* working memory of building lists */
/* Removes all rows. */
void ooze_link_table_clear(OozeLinkTable *table);
/* Makes the written buffer the present one. */
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
