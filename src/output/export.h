/* Exporters: frame -> files of other programs. */
#ifndef OOZE_OUTPUT_EXPORT_H
#define OOZE_OUTPUT_EXPORT_H

#include "output/run_folder.h"

typedef struct OozeExportFormat {
    const char *name; /* "ply" */
    const char *help;
    const char *extension; /* ".ply"; one file a frame */
    OozeStatus (*write_frame)(const OozeFrame *frame, const char *path, OozeError *error);
    /* After all frames, an index over them (.pvd, a USDA clip stage), or NULL. */
    OozeStatus (*write_index)(const char *folder, const char *const *files, const double *times,
                              uint64_t count, OozeAxis up, OozeError *error);
} OozeExportFormat;

extern const OozeExportFormat ooze_export_formats[];
extern const int ooze_export_format_count;
const OozeExportFormat *ooze_export_find(const char *name); /* NULL: unknown */

#endif
