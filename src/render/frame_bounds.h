/* The box of a frame's fluid that pictures show. */
#ifndef OOZE_RENDER_FRAME_BOUNDS_H
#define OOZE_RENDER_FRAME_BOUNDS_H

#include "base/bounds.h"
#include "ooze/frame.h"

/* Share of the particles that decides the box. */
#define OOZE_BOUNDS_SHARE 0.995
/* Particles beyond are in it as well, up to this share of its extent: the end of a thread is a
   small part of the fluid, and is no stray. */
#define OOZE_BOUNDS_MARGIN 0.05

/* Of the particles of one material, or of all where `material` is negative. */
OozeStatus ooze_frame_bounds(const OozeFrame *frame, int material, OozeBounds *bounds,
                             OozeError *error);
/* Index in the frame of the material of that name; -1: there is none. */
int ooze_frame_find_material(const OozeFrame *frame, const char *name);

#endif
