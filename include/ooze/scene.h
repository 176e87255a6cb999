/* Ooze: scene files. A scene is read and checked, then a world is built from it. */
#ifndef OOZE_SCENE_H
#define OOZE_SCENE_H

#include "ooze/surface.h"
#include "ooze/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct OozeScene OozeScene;

typedef enum OozeSeverity { OOZE_SEVERITY_ERROR, OOZE_SEVERITY_WARNING } OozeSeverity;

typedef struct OozeDiagnostic {
    OozeSeverity severity;
    const char *file; /* path, or "--set" for an override */
    int line, column; /* from 1; line 0: the whole file */
    const char *message;
    const char *hint;   /* a suggestion, such as "did you mean 'radius'?", or "" */
    const char *source; /* text of the line, or "" */
} OozeDiagnostic;

/* Reads a scene file with its includes and with overrides `KEY.PATH=VALUE`. With the result
   OOZE_ERROR_SCENE, `*scene` is set as well, and its diagnostics list all errors. */
OOZE_API OozeStatus ooze_scene_load(const char *path, const char *const *overrides,
                                    int override_count, OozeScene **scene, OozeError *error);
/* The same for `scene.yaml` of a run folder, which an earlier version may have written: format 1 is
   read as well, with angles in degrees, and settings that are gone are no errors. */
OOZE_API OozeStatus ooze_scene_load_run(const char *path, const char *const *overrides,
                                        int override_count, OozeScene **scene, OozeError *error);
/* The same as ooze_scene_load for a text of `length` bytes; `name` is the file name in diagnostics,
   and may be NULL. */
OOZE_API OozeStatus ooze_scene_load_text(const char *text, size_t length, const char *name,
                                         OozeScene **scene, OozeError *error);
OOZE_API void ooze_scene_free(OozeScene *scene);

OOZE_API int ooze_scene_diagnostic_count(const OozeScene *scene);
OOZE_API const OozeDiagnostic *ooze_scene_diagnostic(const OozeScene *scene, int index);

/* Length and frames of a run. */
typedef struct OozeSceneInfo {
    const char *title;
    double duration;      /* s */
    double frame_rate;    /* frames per simulated second */
    uint64_t frame_count; /* without the initial frame 0 */
    uint64_t steps_per_frame;
    double time_step; /* s; shortened to make steps_per_frame a whole number */
} OozeSceneInfo;
OOZE_API const OozeSceneInfo *ooze_scene_info(const OozeScene *scene);
/* The section `surface` of the scene, without fields. */
OOZE_API const OozeSurfaceSettings *ooze_scene_surface(const OozeScene *scene);

/* The scene as canonical YAML with includes and overrides merged, as stored in run folders. */
OOZE_API const char *ooze_scene_canonical(const OozeScene *scene);

/* See the members of OozeWorldDef with these names. */
typedef struct OozeBuildOptions {
    int threads;
    OozeDevice device;
    OozeLogCallback log;
    void *log_user;
    /* A frame of the scene will be restored: no fluid is filled, apart from particle bodies. */
    bool to_be_restored;
} OozeBuildOptions;
/* Creates a world and adds everything in the scene. `options` may be NULL. */
OOZE_API OozeStatus ooze_scene_build(const OozeScene *scene, const OozeBuildOptions *options,
                                     OozeWorld **world, OozeError *error);

/* Changes a world built from the scene while it runs: one row of the scene's `changes`, as text.
   With the same row in the scene, a new run reaches the same state. The change acts from the first
   step that begins at `time` or later, on a ramp of `ramp` seconds. A value that the steps would
   refuse is refused here. The scene itself stays as it is. Scene and world may be used by one
   thread at a time. */
typedef struct OozeSceneChangeText {
    const char *set; /* "materials.honey.viscosity", "solids.bowl.position.x", "gravity.y" */
    const char *to;
    double time, ramp; /* s */
} OozeSceneChangeText;
OOZE_API OozeStatus ooze_scene_change_world(OozeScene *scene, OozeWorld *world,
                                            const OozeSceneChangeText *change, OozeError *error);

/* Checks a world built from the scene for likely mistakes, such as fluid inside solids or too long
   a time step, and adds warnings to the scene's diagnostics. */
OOZE_API OozeStatus ooze_scene_check_physics(OozeScene *scene, OozeWorld *world, OozeError *error);

/* All keys of the scene format, as JSON Schema and as a Markdown page; free with ooze_text_free. */
OOZE_API OozeStatus ooze_scene_schema(char **json, OozeError *error);
OOZE_API OozeStatus ooze_scene_reference(char **markdown, OozeError *error);
OOZE_API void ooze_text_free(char *text);

#ifdef __cplusplus
}
#endif
#endif
