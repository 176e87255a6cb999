#include "view/playback.h"

#include "base/fail.h"
#include "base/memory.h"

OozeStatus ooze_playback_open(OozePlayback *playback, const char *path, OozeError *error)
{
    *playback = (OozePlayback){.loops = true};
    OozeStatus status = ooze_run_open(path, false, &playback->run, error);
    if (status) {
        return status;
    }
    char *scene = ooze_run_original_scene_path(playback->run);
    status = !scene ? ooze_fail_memory(error, "a path", 0)
                    : ooze_scene_load_run(scene, NULL, 0, &playback->scene, error);
    ooze_free(scene);
    if (status == OOZE_ERROR_SCENE) {
        ooze_fail(error, status, "`ooze check` tells what is wrong with it",
                  "the scene of the run '%s' cannot be read", path);
    }
    if (!status && playback->run->frame_count == 0) {
        status = ooze_fail(error, OOZE_ERROR_FORMAT, "wait for the first frame",
                           "the run '%s' has no frame yet", path);
    }
    status = status ? status : ooze_playback_seek(playback, 0, error);
    if (status) {
        ooze_playback_close(playback);
    }
    return status;
}

void ooze_playback_close(OozePlayback *playback)
{
    ooze_frame_close(playback->frame);
    ooze_scene_free(playback->scene);
    ooze_run_close(playback->run);
    *playback = (OozePlayback){0};
}

OozeStatus ooze_playback_seek(OozePlayback *playback, uint64_t index, OozeError *error)
{
    const OozeRunFolder *run = playback->run;
    OozeFrame *frame = NULL;
    index = index < run->frame_count ? index : run->frame_count - 1;
    playback->index = index; /* also of a damaged frame, so that playing passes it */
    OozeStatus status = ooze_run_open_frame(run, run->frames[index], &frame, error);
    if (!status) {
        ooze_frame_close(playback->frame);
        playback->frame = frame;
    }
    return status;
}

OozeStatus ooze_playback_next(OozePlayback *playback, bool *ended, OozeError *error)
{
    bool last = playback->index + 1 >= playback->run->frame_count;
    *ended = last && !playback->loops;
    return *ended ? OOZE_OK : ooze_playback_seek(playback, last ? 0 : playback->index + 1, error);
}
