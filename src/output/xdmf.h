/* The index that ParaView opens: an XDMF file that points into the frames of a run.

   What it says of a frame is kept, so that writing it anew for the ten thousandth frame reads none of
   the others. Frames of equal fields share one list of them. */
#ifndef OOZE_OUTPUT_XDMF_H
#define OOZE_OUTPUT_XDMF_H

#include "ooze/frame.h"

typedef struct OozeXdmf OozeXdmf;

OozeXdmf *ooze_xdmf_create(void); /* NULL when out of memory */
void ooze_xdmf_destroy(OozeXdmf *xdmf);

bool ooze_xdmf_has(const OozeXdmf *xdmf, uint64_t index);
/* A frame just written takes the place of one with the same number. */
OozeStatus ooze_xdmf_add(OozeXdmf *xdmf, const OozeFrame *frame, OozeError *error);
/* A frame on disk: its first block is read, the whole only where its fields are new to us. */
OozeStatus ooze_xdmf_add_file(OozeXdmf *xdmf, uint64_t index, const char *path, OozeError *error);

OozeStatus ooze_xdmf_write(const OozeXdmf *xdmf, const char *path, OozeError *error);

#endif
