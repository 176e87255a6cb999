/* Ooze: scene files. A scene is checked as a whole, then builds a world through the public API. */
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
    const char *file; /* or "--set" for an override */
    int line, column; /* from 1; 0: the file as a whole */
    const char *message;
    const char *hint;   /* "did you mean 'radius'?", or "" */
    const char *source; /* the line itself, or "" */
} OozeDiagnostic;

/* Reads a scene with its includes and `KEY.PATH=VALUE` overrides. Even when the answer is
   OOZE_ERROR_SCENE a scene comes back, with every error among its diagnostics. */
OOZE_API OozeStatus ooze_scene_load(const char *path, const char *const *overrides,
                                    int override_count, OozeScene **scene, OozeError *error);
OOZE_API OozeStatus ooze_scene_load_text(const char *text, size_t length, const char *name,
                                         OozeScene **scene, OozeError *error);
OOZE_API void ooze_scene_free(OozeScene *scene);

OOZE_API int ooze_scene_diagnostic_count(const OozeScene *scene);
OOZE_API const OozeDiagnostic *ooze_scene_diagnostic(const OozeScene *scene, int index);

/* What a run needs to know besides the world. */
typedef struct OozeSceneInfo {
    const char *title;
    double duration;   /* s */
    double frame_rate; /* frames per simulated second */
    uint64_t frame_count;
    uint64_t steps_per_frame;
    double time_step; /* s: shortened so that frames fall on whole steps */
} OozeSceneInfo;
OOZE_API const OozeSceneInfo *ooze_scene_info(const OozeScene *scene);
/* How the scene wants its surface made; fields are none. */
OOZE_API const OozeSurfaceSettings *ooze_scene_surface(const OozeScene *scene);

/* The scene with includes and overrides folded in, as canonical YAML: what a run folder keeps. */
OOZE_API const char *ooze_scene_canonical(const OozeScene *scene);

typedef struct OozeBuildOptions {
    int threads;
    OozeDevice device;
    OozeLogCallback log;
    void *log_user;
} OozeBuildOptions;
OOZE_API OozeStatus ooze_scene_build(const OozeScene *scene, const OozeBuildOptions *options,
                                     OozeWorld **world, OozeError *error);

/* Looks for physics traps on the built world and adds warnings to the scene's diagnostics. */
OOZE_API OozeStatus ooze_scene_check_physics(OozeScene *scene, OozeWorld *world, OozeError *error);

/* The key table as JSON Schema and as a Markdown reference; free with ooze_text_free. */
OOZE_API OozeStatus ooze_scene_schema(char **json, OozeError *error);
OOZE_API OozeStatus ooze_scene_reference(char **markdown, OozeError *error);
OOZE_API void ooze_text_free(char *text);

#ifdef __cplusplus
}
#endif
#endif
