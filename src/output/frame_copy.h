/* A copy of a frame that stays as it was while the world goes on. Memory is kept from one copy to the
   next and grows with room to spare, so that copying the same world again and again allocates
   nothing. */
#ifndef OOZE_OUTPUT_FRAME_COPY_H
#define OOZE_OUTPUT_FRAME_COPY_H

#include "base/threads.h"
#include "ooze/frame.h"

typedef struct OozeFrameCopy {
    OozeFrame frame; /* the copy */
    OozeFieldView *views;
    OozeSolidView *solids;
    OozeMaterialView *materials;
    unsigned char *data; /* every array, one after the other */
    size_t view_room, solid_room, material_room, data_room;
} OozeFrameCopy;

/* Names, units and help texts are not copied: the frame's owner must outlive the copy. After a failure
   the copy holds nothing. `threads` may be NULL. */
OozeStatus ooze_frame_copy(OozeFrameCopy *copy, const OozeFrame *frame, OozeThreads *threads,
                           OozeError *error);
void ooze_frame_copy_free(OozeFrameCopy *copy);
uint64_t ooze_frame_copy_bytes(const OozeFrameCopy *copy); /* of memory */

#endif
