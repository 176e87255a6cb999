/* Ooze: pictures of frames. Needs the optional part "render"; without it the calls answer
   OOZE_ERROR_UNSUPPORTED. */
#ifndef OOZE_RENDER_H
#define OOZE_RENDER_H

#include "ooze/frame.h"
#include "ooze/look.h"
#include "ooze/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum OozeBackdrop {
    OOZE_BACKDROP_STUDIO, /* plain ground that fades into a light wall, three soft lights */
    OOZE_BACKDROP_GRID,   /* the same with lines on the ground */
    OOZE_BACKDROP_SKY,    /* sky and sun */
    OOZE_BACKDROP_COUNT
} OozeBackdrop;

/* A square that shines towards a point. */
typedef struct OozeLightDef {
    OozeVec3 position; /* m, its centre */
    OozeVec3 target;   /* m, where it faces */
    double size;       /* m, its edge */
    float color[3];    /* linear RGB */
    double strength;   /* of its light at the target: 1 lights a white floor to white */
} OozeLightDef;
OOZE_API OozeLightDef ooze_light_def_default(void);

/* Where NAN is allowed the renderer finds a good value itself, from all frames of the run. */
typedef struct OozeRenderDef {
    OozeVec3 camera_position; /* m; NAN: automatic */
    OozeVec3 look_at;         /* m; NAN: the middle of what moves */
    double field_of_view;     /* degrees, vertical */
    OozeVec3 size;            /* pixels: x wide, y high */
    int samples;              /* paths a pixel */
    OozeBackdrop backdrop;
    double exposure;              /* stops: 1 doubles the light */
    bool denoise;                 /* smooth what noise is left, along edges */
    const char *color_by;         /* a particle field, or "speed"; NULL: the looks */
    double color_low, color_high; /* values at the ends of the colours; NAN: those of the run */
    OozeLightDef *lights;         /* instead of those of the backdrop */
    int light_count;
    bool particles; /* spheres instead of the surface */
    bool preview;   /* spheres in direct light, no paths */
    uint64_t seed;
    int threads; /* 0: one per core */
} OozeRenderDef;
OOZE_API OozeRenderDef ooze_render_def_default(void);

/* What the scene says under `render:`; valid as long as the scene. */
OOZE_API const OozeRenderDef *ooze_scene_render(const OozeScene *scene);

typedef struct OozeRenderer OozeRenderer;

/* `def` NULL: the scene's own. The scene must outlive the renderer. */
OOZE_API OozeStatus ooze_renderer_create(const OozeScene *scene, const OozeRenderDef *def,
                                         OozeRenderer **renderer, OozeError *error);
OOZE_API void ooze_renderer_free(OozeRenderer *renderer);

/* Shows the renderer a frame of the run before the first picture: the camera is framed, and colours
   are ranged, over all frames shown. */
OOZE_API OozeStatus ooze_renderer_survey(OozeRenderer *renderer, const OozeFrame *frame,
                                         OozeError *error);

/* Called now and then with the share done, 0 to 1; return false to stop (OOZE_ERROR_CANCELLED). */
typedef bool (*OozeRenderProgress)(void *user, double share);

/* A picture of 3 bytes a pixel, rows from the top, into `pixels` (width x height x 3). The same bytes
   for the same seed and any number of threads. A frame that was not surveyed is, where none was. */
OOZE_API OozeStatus ooze_render_frame(OozeRenderer *renderer, const OozeFrame *frame,
                                      OozeRenderProgress progress, void *user,
                                      unsigned char *pixels, OozeError *error);

/* One number for everything the picture of a frame depends on besides the frame itself. */
OOZE_API uint64_t ooze_renderer_hash(const OozeRenderer *renderer);

#ifdef __cplusplus
}
#endif
#endif
