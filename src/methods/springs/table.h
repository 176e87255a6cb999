/* The table of springs. A spring is stored once, in the row of its particle with the lower id; a
   row is sorted by the row number of the other particle. Each step writes all rows from one of
   two buffers into the other. */
#ifndef OOZE_METHODS_SPRINGS_TABLE_H
#define OOZE_METHODS_SPRINGS_TABLE_H

#include "solvers/pairs/link_table.h"

typedef struct OozeSpringTable {
    OozeLinkRows rows[2]; /* the current rows, and the buffer for the next step */
    /* Arrays of a frame. */
    uint32_t *packed_other;
    float *packed_rest;
    uint64_t packed_room;
} OozeSpringTable;

void ooze_spring_table_begin(OozeSpringTable *table);
void ooze_spring_table_free(OozeSpringTable *table);
uint64_t ooze_spring_table_bytes(const OozeSpringTable *table);
/* Removes all rows. */
void ooze_spring_table_clear(OozeSpringTable *table);
/* Makes the written buffer the current one. */
void ooze_spring_table_swap(OozeSpringTable *table);

/* Of several processes: drops all but a part of restored rows. */
OozeStatus ooze_spring_table_keep_part(OozeSpringTable *table, int part, int parts,
                                       OozeError *error);

enum { OOZE_SPRING_ARRAYS = 3 };
extern const OozeFieldInfo ooze_spring_arrays[OOZE_SPRING_ARRAYS];
OozeStatus ooze_spring_table_save(OozeSpringTable *table, OozeFieldView *views, OozeError *error);
/* Without the check that each row belongs to one particle. */
OozeStatus ooze_spring_table_unpack(OozeSpringTable *table, const OozeFieldView *const *views,
                                    OozeError *error);
OozeStatus ooze_spring_table_restore(OozeSpringTable *table, const OozeFieldView *const *views,
                                     const uint32_t *row_of, uint64_t particles, OozeError *error);

#endif
