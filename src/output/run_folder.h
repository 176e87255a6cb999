/* A run folder: scene.yaml, frames/frame_000000.h5 ..., checkpoint.h5, run.xdmf, probes.csv, log.txt.
   The file .lock is held by the one process that writes there. */
#ifndef OOZE_OUTPUT_RUN_FOLDER_H
#define OOZE_OUTPUT_RUN_FOLDER_H

#include "ooze/frame.h"
#include "ooze/scene.h"

/* Path of a frame within the folder; takes an unsigned long long. */
#define OOZE_RUN_FRAME_FORMAT "frames/frame_%06llu.h5"

typedef struct OozeRunFolder {
    char *path;
    uint64_t *frames; /* numbers of the finished frames, ascending */
    uint64_t frame_count;
    bool has_checkpoint;
    uint64_t frame_room;    /* of `frames` */
    int lock;               /* descriptor of the lock, -1 where only reading */
    struct OozeXdmf *index; /* what run.xdmf says, or will say */
    uint64_t unindexed;     /* frames written since run.xdmf was */
} OozeRunFolder;

/* A new folder (created with parents; refused when it holds a run already) with the scene copied in. */
OozeStatus ooze_run_create(const char *path, const char *scene_text, OozeRunFolder **run,
                           OozeError *error);
/* An existing one: lists finished frames, removes left-over temporary files when `writable`. */
OozeStatus ooze_run_open(const char *path, bool writable, OozeRunFolder **run, OozeError *error);
void ooze_run_close(OozeRunFolder *run);

/* Paths inside the folder; free with ooze_free. NULL when out of memory. */
char *ooze_run_frame_path(const OozeRunFolder *run, uint64_t index);
char *ooze_run_file_path(const OozeRunFolder *run, const char *name);

/* Also keeps run.xdmf up with the frames: anew for each while there are few, then whenever a
   hundredth has been added, so that the writing stays linear in the number of frames. */
OozeStatus ooze_run_write_frame(OozeRunFolder *run, const OozeFrame *frame, OozeError *error);
OozeStatus ooze_run_write_checkpoint(OozeRunFolder *run, const OozeFrame *frame, OozeError *error);
/* The latest state that reads back whole: the checkpoint or a frame, whichever has more steps.
   Damaged files are passed over (and reported through `skipped`, which may be NULL). */
OozeStatus ooze_run_latest(const OozeRunFolder *run, OozeFrame **frame, int *skipped,
                           OozeError *error);
/* Rewrites run.xdmf over all finished frames; call it once when the run ends or is interrupted.
   Damaged frames are left out. */
OozeStatus ooze_run_write_xdmf(OozeRunFolder *run, OozeError *error);

#endif
