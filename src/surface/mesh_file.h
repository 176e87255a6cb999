/* Surfaces as files of other programs. Each file begins with a remark that identifies its frame and
   settings, so that a finished file is not made again. */
#ifndef OOZE_SURFACE_MESH_FILE_H
#define OOZE_SURFACE_MESH_FILE_H

#include "ooze/surface.h"

typedef struct OozeMeshFormat {
    const char *name;
    const char *help;
    const char *extension; /* ".ply"; one file a frame */
    OozeStatus (*write)(const OozeFrame *frame, const OozeSurface *surface, const char *remark,
                        const char *path, OozeError *error);
    /* After all frames, an index over them, or NULL; see OozeExportFormat. */
    OozeStatus (*write_index)(const char *folder, const char *const *files, const double *times,
                              uint64_t count, OozeAxis up, OozeError *error);
} OozeMeshFormat;

extern const OozeMeshFormat ooze_mesh_formats[];
extern const int ooze_mesh_format_count;

/* Longest remark, with its terminator. */
enum { OOZE_MESH_REMARK_MAX = 64 };
/* The remark of a surface: equal for equal settings, format and frame. */
void ooze_mesh_remark(const OozeSurfaceSettings *settings, const char *format, uint64_t frame_hash,
                      char remark[OOZE_MESH_REMARK_MAX]);
/* Whether the file exists with this remark. */
bool ooze_mesh_is_finished(const char *path, const char *remark);

/* The writers of the list; each in a file of its own. */
OozeStatus ooze_mesh_write_ply(const OozeFrame *frame, const OozeSurface *surface,
                               const char *remark, const char *path, OozeError *error);
OozeStatus ooze_mesh_write_obj(const OozeFrame *frame, const OozeSurface *surface,
                               const char *remark, const char *path, OozeError *error);
OozeStatus ooze_mesh_write_usda(const OozeFrame *frame, const OozeSurface *surface,
                                const char *remark, const char *path, OozeError *error);

#endif
