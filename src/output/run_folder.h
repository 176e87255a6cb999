/* A run folder: scene.yaml and a copy .scene.yaml, frames/frame_000000.h5 ..., checkpoint.h5,
   run.xdmf, probes.csv, log.txt. The process that writes there holds a lock on the file .lock. */
#ifndef OOZE_OUTPUT_RUN_FOLDER_H
#define OOZE_OUTPUT_RUN_FOLDER_H

#include "ooze/frame.h"

typedef struct OozeRunFolder {
    char *path;
    uint64_t *frames; /* numbers of the finished frames, ascending */
    uint64_t frame_count;
    uint64_t frame_capacity;
    bool has_checkpoint;
    int lock;               /* descriptor of the lock, -1 where only reading */
    struct OozeXdmf *index; /* contents of run.xdmf */
    uint64_t unindexed;     /* frames written since run.xdmf was */
} OozeRunFolder;

/* Creates a folder and its parents, and writes the scene. An error if it holds a run already. */
OozeStatus ooze_run_create(const char *path, const char *scene_text, OozeRunFolder **run,
                           OozeError *error);
/* Opens an existing one and lists its frames; `writable` also locks it and removes temporary
   files. */
OozeStatus ooze_run_open(const char *path, bool writable, OozeRunFolder **run, OozeError *error);
void ooze_run_close(OozeRunFolder *run);
/* Whether there is a state to go on from; a run killed before its first frame has none. */
bool ooze_run_has_state(const OozeRunFolder *run);

/* Paths inside the folder; free with ooze_free. NULL when out of memory. */
char *ooze_run_frame_path(const OozeRunFolder *run, uint64_t index);
char *ooze_run_file_path(const OozeRunFolder *run, const char *name);
/* The scene that the run was started with: a copy that reveals edits of scene.yaml. Runs of earlier
   versions have scene.yaml only. */
char *ooze_run_original_scene_path(const OozeRunFolder *run);

/* Also brings run.xdmf up to date: after each of the first hundred frames, then after each further
   hundredth of the frames, so that the cost stays linear in their number. */
OozeStatus ooze_run_write_frame(OozeRunFolder *run, const OozeFrame *frame, OozeError *error);
OozeStatus ooze_run_write_checkpoint(OozeRunFolder *run, const OozeFrame *frame, OozeError *error);
/* Writes run.xdmf anew over all finished frames that can be read: once when a run ends. */
OozeStatus ooze_run_write_xdmf(OozeRunFolder *run, OozeError *error);

OozeStatus ooze_run_open_frame(const OozeRunFolder *run, uint64_t index, OozeFrame **frame,
                               OozeError *error);
/* The state with the most steps that can be read, a frame or the checkpoint. `skipped`, which may
   be NULL, counts the damaged files with more steps. */
OozeStatus ooze_run_latest(const OozeRunFolder *run, OozeFrame **frame, int *skipped,
                           OozeError *error);

#endif
