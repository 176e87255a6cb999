/* Meshing the frames of a run, one file a frame: all that are there at once, or each as soon as it
   is written. Either way gives the same files, and a finished file of equal settings is kept. */
#ifndef OOZE_CLI_MESHING_H
#define OOZE_CLI_MESHING_H

#include "base/text.h"
#include "cli/frame_range.h"
#include "cli/progress.h"
#include "output/run_folder.h"
#include "surface/mesh_file.h"

typedef struct OozeMeshing {
    const OozeMeshFormat *format;
    const OozeRunFolder *run;
    const char *folder; /* where the meshes go */
    OozeFrameRange range;
    OozeSurfaceSettings settings;
    int threads;
    bool quiet;
    bool ended;           /* ooze_meshing_all came to its end, or to an interrupt */
    uint64_t made;        /* beside the run, before ooze_meshing_all */
    OozeFrameFiles files; /* done so far by ooze_meshing_all */
    uint64_t kept, empty; /* of them: found finished, without any fluid */
    uint64_t wanted, left_out, missing;
    uint64_t particles; /* of the last frame */
    OozeAxis up;
    OozeProgress progress;
} OozeMeshing;

/* The format that an option names, the first where it is not given; NULL where it was refused,
   which has been told. */
const OozeMeshFormat *ooze_meshing_format(const OozeArguments *arguments, const char *option);

/* The settings of the run's own scene; where it cannot be read, the defaults, with a warning. */
void ooze_meshing_read_scene(OozeMeshing *meshing);

/* One frame that is in memory as well as on the disk, which saves reading it. In a thread of its
   own this may go on while the run adds frames. */
OozeStatus ooze_meshing_frame(OozeMeshing *meshing, const OozeFrame *frame, OozeError *error);

/* Every frame of the range that lacks its mesh, then the index over them. Nothing else may read or
   write frames meanwhile. An interrupt ends it early. Returns the exit code, having told what
   went wrong. */
int ooze_meshing_all(OozeMeshing *meshing);
/* "12 meshes in DIR, 3 of them made before". */
void ooze_meshing_summary(const OozeMeshing *meshing, OozeText *text);
void ooze_meshing_end(OozeMeshing *meshing);

#endif
