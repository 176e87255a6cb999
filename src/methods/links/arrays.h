/* Links as arrays of a frame, and as rows in host memory: for the processor and the GPU. */
#ifndef OOZE_METHODS_LINKS_ARRAYS_H
#define OOZE_METHODS_LINKS_ARRAYS_H

#include "solvers/pairs/link_table.h"

/* A link to a point of a solid: the position of a boundary particle, in the frame of the solid,
   when the link was made. It stays valid when the solid is sampled again. */
typedef struct OozeWallLink {
    float place[3];
    float rest;
    uint32_t solid;
} OozeWallLink;

typedef struct OozeLinkTable OozeLinkTable;  /* see table.h */
OozeLinkTable *ooze_link_table_create(void); /* NULL: out of memory */
void ooze_link_table_destroy(OozeLinkTable *table);
/* Rows of links, in ascending order of the other end, and of links to solids, for save and
   unpack. */
void ooze_link_table_rows_of(OozeLinkTable *table, OozeLinkRows **links, OozeLinkRows **walls);

enum { OOZE_LINK_ARRAYS = 6 };
extern const OozeFieldInfo ooze_link_arrays[OOZE_LINK_ARRAYS];
OozeStatus ooze_link_table_save(OozeLinkTable *table, OozeFieldView *views, OozeError *error);
OozeStatus ooze_link_table_restore(OozeLinkTable *table, const OozeFieldView *const *views,
                                   const uint32_t *row_of, uint64_t particles, int solid_count,
                                   OozeError *error);
/* As restore without checks, for arrays of ooze_link_table_save. */
OozeStatus ooze_link_table_unpack(OozeLinkTable *table, const OozeFieldView *const *views,
                                  OozeError *error);
/* Of several processes: drops all but a part of restored rows. */
OozeStatus ooze_link_table_keep_part(OozeLinkTable *table, int part, int parts, OozeError *error);
/* Of several processes, before saving: the number of the first row among those of all. */
void ooze_link_table_number_from(OozeLinkTable *table, uint64_t first);

#endif
