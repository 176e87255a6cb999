/* Where springs are kept: each once, in the row of the end that came into the world first, in ascending order of the other end's
   row. Rows are written anew every step, from one of two buffers into the other. */
#ifndef OOZE_METHODS_SPRINGS_TABLE_H
#define OOZE_METHODS_SPRINGS_TABLE_H

#include "methods/link_rows.h"

typedef struct OozeSpringTable {
    OozeLinkRows rows[2]; /* as they are, and the buffer to write to */
    /* What a frame gets. */
    uint32_t *packed_other;
    float *packed_rest;
    uint64_t packed_room;
} OozeSpringTable;

void ooze_spring_table_begin(OozeSpringTable *table);
void ooze_spring_table_free(OozeSpringTable *table);
uint64_t ooze_spring_table_bytes(const OozeSpringTable *table);
/* There are no rows any more. */
void ooze_spring_table_forget(OozeSpringTable *table);
/* The buffer that was written is what counts from now on. */
void ooze_spring_table_turn(OozeSpringTable *table);

enum { OOZE_SPRING_ARRAYS = 3 };
extern const OozeFieldInfo ooze_spring_arrays[OOZE_SPRING_ARRAYS];
OozeStatus ooze_spring_table_save(OozeSpringTable *table, OozeFieldView *views, OozeError *error);
OozeStatus ooze_spring_table_restore(OozeSpringTable *table, const OozeFieldView *const *views,
                                     const uint32_t *row_of, uint64_t particles, OozeError *error);

#endif
