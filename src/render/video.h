/* Pictures to a video, through the program ffmpeg. */
#ifndef OOZE_RENDER_VIDEO_H
#define OOZE_RENDER_VIDEO_H

#include <stdint.h>

#include "ooze/status.h"

/* PNG files in order, at `rate` a second, as H.264 in MP4; written aside and renamed. */
OozeStatus ooze_video_write(const char *path, const char *const *pictures, uint64_t count,
                            double rate, OozeError *error);

#endif
