/* Frames of a finished run, one in memory at a time. For one thread. */
#ifndef OOZE_VIEW_PLAYBACK_H
#define OOZE_VIEW_PLAYBACK_H

#include "output/run_folder.h"
#include "scene/scene.h"

typedef struct OozePlayback {
    OozeRunFolder *run;
    OozeScene *scene;
    OozeFrame *frame; /* the present one */
    uint64_t index;   /* of the present frame within run->frames */
    bool loops;
} OozePlayback;

OozeStatus ooze_playback_open(OozePlayback *playback, const char *path, OozeError *error);
void ooze_playback_close(OozePlayback *playback);
/* Makes frame `index` of the list the present one; beyond the last: the last. */
OozeStatus ooze_playback_seek(OozePlayback *playback, uint64_t index, OozeError *error);
/* The next frame, or the first after the last if it loops; *ended: it stays at the last. */
OozeStatus ooze_playback_next(OozePlayback *playback, bool *ended, OozeError *error);

#endif
