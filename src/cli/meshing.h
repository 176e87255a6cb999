/* Meshes of the frames of a run, one file per frame: of all existing frames, or of each frame after
   it is written. Both give the same files; a finished file of equal settings is kept. */
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
    const char *folder; /* of the meshes */
    OozeFrameRange range;
    OozeSurfaceSettings settings;
    int threads;
    bool quiet;
    bool ended;           /* ooze_meshing_all finished or was interrupted */
    uint64_t made;        /* by ooze_meshing_frame */
    OozeFrameFiles files; /* made or kept by ooze_meshing_all */
    uint64_t kept, empty; /* files that were kept; files without fluid */
    uint64_t wanted, left_out, missing;
    uint64_t particles; /* of the last frame */
    OozeAxis up;
    bool up_known; /* a frame has been read */
    OozeProgress progress;
} OozeMeshing;

/* The format that an option names, by default the first; NULL after reporting an unknown name. */
const OozeMeshFormat *ooze_meshing_format(const OozeArguments *arguments, const char *option);

/* Settings of the run's scene; defaults, with a warning, where it cannot be read. */
void ooze_meshing_read_scene(OozeMeshing *meshing);

/* Meshes a written frame from memory. May run in another thread while the run adds frames. */
OozeStatus ooze_meshing_frame(OozeMeshing *meshing, const OozeFrame *frame, OozeError *error);

/* Meshes every frame of the range that has no mesh, then writes the index. No other thread may read
   or write frames meanwhile. Stops at an interrupt. Reports errors and returns the exit code. */
int ooze_meshing_all(OozeMeshing *meshing);
/* "12 meshes in DIR, 3 of them made before". */
void ooze_meshing_summary(const OozeMeshing *meshing, OozeText *text);
void ooze_meshing_end(OozeMeshing *meshing);

#endif
