/* Exporters: frame -> files of other programs. */
#ifndef OOZE_OUTPUT_EXPORT_H
#define OOZE_OUTPUT_EXPORT_H

#include "ooze/scene.h"
#include "output/run_folder.h"

typedef struct OozeExportFormat {
    const char *name; /* "ply" */
    const char *help;
    const char *extension; /* ".ply"; one file a frame */
    OozeStatus (*write_frame)(const OozeFrame *frame, const char *path, OozeError *error);
    /* After all frames, an index over them (run.pvd, or the stage run.usda), or NULL. The files are
       named as seen from the folder and their times ascend. */
    OozeStatus (*write_index)(const char *folder, const char *const *files, const double *times,
                              uint64_t count, OozeAxis up, OozeError *error);
    /* Before the index, what the scene of the run knows and frames do not, or NULL. */
    OozeStatus (*write_scene)(const OozeScene *scene, const char *folder, OozeError *error);
} OozeExportFormat;

extern const OozeExportFormat ooze_export_formats[];
extern const int ooze_export_format_count;
const OozeExportFormat *ooze_export_find(const char *name); /* NULL: unknown */

/* What the list points to; each in a file of its own. */
OozeStatus ooze_export_ply(const OozeFrame *frame, const char *path, OozeError *error);
OozeStatus ooze_export_vtp(const OozeFrame *frame, const char *path, OozeError *error);
OozeStatus ooze_export_pvd(const char *folder, const char *const *files, const double *times,
                           uint64_t count, OozeAxis up, OozeError *error);
OozeStatus ooze_export_bgeo(const OozeFrame *frame, const char *path, OozeError *error);
OozeStatus ooze_export_usda(const OozeFrame *frame, const char *path, OozeError *error);
OozeStatus ooze_export_usda_stage(const char *folder, const char *const *files, const double *times,
                                  uint64_t count, OozeAxis up, OozeError *error);
/* The shapes of a scene's solids as a layer in the folder of a stage; frames say where they are. Before the stage. */
OozeStatus ooze_export_usda_solids(const OozeScene *scene, const char *folder, OozeError *error);
OozeStatus ooze_export_csv(const OozeFrame *frame, const char *path, OozeError *error);

#endif
