/* Exporters: frames in file formats of other programs. */
#ifndef OOZE_OUTPUT_EXPORT_H
#define OOZE_OUTPUT_EXPORT_H

#include "ooze/frame.h"
#include "ooze/scene.h"

typedef struct OozeExportFormat {
    const char *name; /* "ply" */
    const char *help;
    const char *extension; /* ".ply"; each frame is one file */
    OozeStatus (*write_frame)(const OozeFrame *frame, const char *path, OozeError *error);
    /* After all frames, writes an index of them (run.pvd, or the stage run.usda); NULL: none. Files
       are relative to the folder, and their times ascend. */
    OozeStatus (*write_index)(const char *folder, const char *const *files, const double *times,
                              uint64_t count, OozeAxis up, OozeError *error);
    /* Before the index, writes data of the scene that frames lack; NULL: nothing. */
    OozeStatus (*write_scene)(const OozeScene *scene, const char *folder, OozeError *error);
} OozeExportFormat;

extern const OozeExportFormat ooze_export_formats[];
extern const int ooze_export_format_count;

/* The functions of the list. */
OozeStatus ooze_export_ply(const OozeFrame *frame, const char *path, OozeError *error);
OozeStatus ooze_export_vtp(const OozeFrame *frame, const char *path, OozeError *error);
OozeStatus ooze_export_pvd(const char *folder, const char *const *files, const double *times,
                           uint64_t count, OozeAxis up, OozeError *error);
OozeStatus ooze_export_bgeo(const OozeFrame *frame, const char *path, OozeError *error);
OozeStatus ooze_export_usda(const OozeFrame *frame, const char *path, OozeError *error);
OozeStatus ooze_export_usda_stage(const char *folder, const char *const *files, const double *times,
                                  uint64_t count, OozeAxis up, OozeError *error);
/* Writes the shapes of the solids as a layer that the stage refers to; their poses are in the
   frames. */
OozeStatus ooze_export_usda_solids(const OozeScene *scene, const char *folder, OozeError *error);
OozeStatus ooze_export_csv(const OozeFrame *frame, const char *path, OozeError *error);

#endif
