/* Where links are kept. Every particle has a row with one entry for each link it has a part in, in ascending order of the
   other end: 8 bytes for each end. Rows are written anew every step, from one of two buffers into the other, so the
   table takes 16 bytes an end and an eighth for growth. See link_rows.h for how rows follow particles. */
#ifndef OOZE_METHODS_LINKS_TABLE_H
#define OOZE_METHODS_LINKS_TABLE_H

#include "methods/link_rows.h"

/* To a point of a solid, in its own frame. A boundary particle was there when the link was made; the link does not need it
   any more, so that solids may be sampled anew. */
typedef struct OozeWallLink {
    float place[3];
    float rest;
    uint32_t solid;
} OozeWallLink;

typedef struct OozeLinkTable {
    OozeLinkRows fluid[2], walls[2]; /* as they are, and the buffer to write to */
    /* What a frame gets: each link once, by its lower end. */
    uint32_t *packed_count, *packed_other, *packed_wall_count;
    float *packed_rest, *packed_place;
    uint16_t *packed_solid;
    uint64_t packed_rows, packed_links, packed_walls; /* room */
} OozeLinkTable;

void ooze_link_table_begin(OozeLinkTable *table);
void ooze_link_table_free(OozeLinkTable *table);
uint64_t ooze_link_table_bytes(const OozeLinkTable *table);
/* There are no rows any more. */
void ooze_link_table_forget(OozeLinkTable *table);
/* The buffer that was written is what counts from now on. */
void ooze_link_table_turn(OozeLinkTable *table);

static inline OozeWallLink *ooze_wall_links_of(const OozeLinkRows *rows, uint64_t row)
{
    return (OozeWallLink *)rows->items + rows->first[row];
}

/* As arrays of a frame, and back: see save.c. */
enum { OOZE_LINK_ARRAYS = 6 };
extern const OozeFieldInfo ooze_link_arrays[OOZE_LINK_ARRAYS];
OozeStatus ooze_link_table_save(OozeLinkTable *table, OozeFieldView *views, OozeError *error);
OozeStatus ooze_link_table_restore(OozeLinkTable *table, const OozeFieldView *const *views,
                                   const uint32_t *row_of, uint64_t particles, int solid_count,
                                   OozeError *error);

#endif
