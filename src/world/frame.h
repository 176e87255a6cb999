/* Checks of frames that callers pass to the library. */
#ifndef OOZE_WORLD_FRAME_H
#define OOZE_WORLD_FRAME_H

#include "base/fail.h"
#include "ooze/frame.h"

/* An error where an array of the frame is NULL or has a negative length, a field has no name, no
   data or an unknown type, or a particle field does not have one element per particle. */
OozeStatus ooze_frame_check_arrays(const OozeFrame *frame, OozeError *error);

#endif
