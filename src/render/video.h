/* Pictures to a video, through the program ffmpeg. */
#ifndef OOZE_RENDER_VIDEO_H
#define OOZE_RENDER_VIDEO_H

#include <stdint.h>

#include "ooze/status.h"

/* Encodes PNG files, `rate` per second, as H.264 in MP4; the file appears complete or not at all.
   */
OozeStatus ooze_video_write(const char *path, const char *const *pictures, uint64_t count,
                            double rate, OozeError *error);

#endif
