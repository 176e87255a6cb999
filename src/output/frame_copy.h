/* A copy of a frame, independent of further steps of the world. Its memory is reused for the next
   copy and grows by a quarter more than needed, to avoid frequent allocations. */
#ifndef OOZE_OUTPUT_FRAME_COPY_H
#define OOZE_OUTPUT_FRAME_COPY_H

#include "base/threads.h"
#include "ooze/frame.h"

typedef struct OozeFrameCopy {
    OozeFrame frame; /* the copy */
    OozeFieldView *views;
    OozeSolidView *solids;
    OozeMaterialView *materials;
    unsigned char *data;  /* the copied arrays, one after the other */
    const char **columns; /* names of the columns of all arrays, one array after the other */
    char *names;          /* of solids, then of materials, each with its end */
    size_t view_capacity, solid_capacity, material_capacity, data_capacity;
    size_t column_capacity, name_capacity;
} OozeFrameCopy;

/* The copy is independent of the frame's owner, apart from names that the program has for ever: of
   fields, tables, columns and methods. After a failure the copy is empty. `threads` may be NULL. */
OozeStatus ooze_frame_copy(OozeFrameCopy *copy, const OozeFrame *frame, OozeThreads *threads,
                           OozeError *error);
/* The same, but for the fields: the copy refers to the frame's, which must outlive it. */
OozeStatus ooze_frame_copy_state(OozeFrameCopy *copy, const OozeFrame *frame, OozeError *error);
void ooze_frame_copy_free(OozeFrameCopy *copy);
uint64_t ooze_frame_copy_bytes(const OozeFrameCopy *copy); /* of memory */

#endif
