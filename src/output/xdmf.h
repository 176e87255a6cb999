/* The index that ParaView opens: an XDMF file that refers to the frames of a run.

   The entries are kept in memory, so that writing the file again reads no frame. Frames with equal
   fields share one list of them. */
#ifndef OOZE_OUTPUT_XDMF_H
#define OOZE_OUTPUT_XDMF_H

#include "ooze/frame.h"

typedef struct OozeXdmf OozeXdmf;

OozeXdmf *ooze_xdmf_create(void); /* NULL when out of memory */
void ooze_xdmf_destroy(OozeXdmf *xdmf);

bool ooze_xdmf_has(const OozeXdmf *xdmf, uint64_t index);
/* Adds a frame, or replaces the one with the same number. */
OozeStatus ooze_xdmf_add(OozeXdmf *xdmf, const OozeFrame *frame, OozeError *error);
/* Adds a frame file. Its header is read, the rest only where no frame with equal fields was
   added. */
OozeStatus ooze_xdmf_add_file(OozeXdmf *xdmf, uint64_t index, const char *path, OozeError *error);

OozeStatus ooze_xdmf_write(const OozeXdmf *xdmf, const char *path, OozeError *error);

#endif
