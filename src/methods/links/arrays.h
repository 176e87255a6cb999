/* Links as arrays of a frame, and as rows in the host's memory: for the processor and the GPU. */
#ifndef OOZE_METHODS_LINKS_ARRAYS_H
#define OOZE_METHODS_LINKS_ARRAYS_H

#include "solvers/link_table.h"

/* To a point of a solid, in its own frame: where a boundary particle was when the link was made.
   The link does not refer to that particle, so that solids may be sampled again. */
typedef struct OozeWallLink {
    float place[3];
    float rest;
    uint32_t solid;
} OozeWallLink;

typedef struct OozeLinkTable OozeLinkTable;  /* see table.h */
OozeLinkTable *ooze_link_table_create(void); /* NULL: out of memory */
void ooze_link_table_destroy(OozeLinkTable *table);
/* Its rows of links in ascending order of the other end, and of links to solids: what save packs,
   and unpack writes. */
void ooze_link_table_rows_of(OozeLinkTable *table, OozeLinkRows **links, OozeLinkRows **walls);

enum { OOZE_LINK_ARRAYS = 6 };
extern const OozeFieldInfo ooze_link_arrays[OOZE_LINK_ARRAYS];
OozeStatus ooze_link_table_save(OozeLinkTable *table, OozeFieldView *views, OozeError *error);
OozeStatus ooze_link_table_restore(OozeLinkTable *table, const OozeFieldView *const *views,
                                   const uint32_t *row_of, uint64_t particles, int solid_count,
                                   OozeError *error);
/* The same of arrays that ooze_link_table_save has written, without checks. */
OozeStatus ooze_link_table_unpack(OozeLinkTable *table, const OozeFieldView *const *views,
                                  OozeError *error);

#endif
