/* A run folder: scene.yaml, frames/frame_000000.h5 ..., checkpoint.h5, run.xdmf, probes.csv, log.txt. */
#ifndef OOZE_OUTPUT_RUN_FOLDER_H
#define OOZE_OUTPUT_RUN_FOLDER_H

#include "ooze/frame.h"
#include "ooze/scene.h"

typedef struct OozeRunFolder {
    char *path;
    uint64_t *frames; /* numbers of the finished frames, ascending */
    uint64_t frame_count;
    bool has_checkpoint;
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

OozeStatus ooze_run_write_frame(OozeRunFolder *run, const OozeFrame *frame, OozeError *error);
OozeStatus ooze_run_write_checkpoint(OozeRunFolder *run, const OozeFrame *frame, OozeError *error);
/* The latest state that reads back whole: the checkpoint or a frame, whichever has more steps.
   Damaged files are passed over (and reported through `skipped`, which may be NULL). */
OozeStatus ooze_run_latest(const OozeRunFolder *run, OozeFrame **frame, int *skipped,
                           OozeError *error);
/* Rewrites run.xdmf over all finished frames. */
OozeStatus ooze_run_write_xdmf(const OozeRunFolder *run, OozeError *error);

#endif
