/* Ooze: pictures of frames. Needs the optional part "render"; without it the calls return
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

/* A square area light. */
typedef struct OozeLightDef {
    OozeVec3 position; /* m, its centre */
    OozeVec3 target;   /* m, the point that it faces */
    double size;       /* m, its edge */
    float color[3];    /* linear RGB */
    double strength;   /* radiance of a white surface at the target that faces it */
} OozeLightDef;
OOZE_API OozeLightDef ooze_light_def_default(void);

/* Values that are NAN follow from the surveyed frames. */
typedef struct OozeRenderDef {
    OozeVec3 camera_position; /* m; NAN: automatic */
    OozeVec3 look_at;         /* m; NAN: the centre of what is in view */
    double field_of_view;     /* degrees, vertical */
    OozeVec3 size;            /* pixels: x wide, y high */
    int samples;              /* paths a pixel */
    OozeBackdrop backdrop;
    double exposure;      /* stops: 1 doubles the light */
    bool denoise;         /* smooth the remaining noise, but not across edges */
    const char *color_by; /* a particle field, or "speed"; NULL: the looks */
    double color_low,
        color_high;       /* values at the ends of the colour map; NAN: the range of the frames */
    OozeLightDef *lights; /* replace those of the backdrop */
    int light_count;
    bool particles; /* spheres instead of the surface */
    bool preview;   /* spheres in direct light, no paths */
    uint64_t seed;
    int threads; /* 0: one per core */
} OozeRenderDef;
OOZE_API OozeRenderDef ooze_render_def_default(void);

/* The block `render:` of the scene; valid as long as the scene. */
OOZE_API const OozeRenderDef *ooze_scene_render(const OozeScene *scene);

typedef struct OozeRenderer OozeRenderer;

/* `def` NULL: the scene's own. The scene must outlive the renderer. */
OOZE_API OozeStatus ooze_renderer_create(const OozeScene *scene, const OozeRenderDef *def,
                                         OozeRenderer **renderer, OozeError *error);
OOZE_API void ooze_renderer_free(OozeRenderer *renderer);

/* Extends the bounds and the colour range by those of a frame, before the first picture: camera and
   colours suit all surveyed frames. */
OOZE_API OozeStatus ooze_renderer_survey(OozeRenderer *renderer, const OozeFrame *frame,
                                         OozeError *error);

/* Called repeatedly with the share done, 0 to 1; false stops (OOZE_ERROR_CANCELLED). */
typedef bool (*OozeRenderProgress)(void *user, double share);

/* Renders into `pixels` (width x height x 3 bytes, rows from the top). The bytes depend on the seed
   but not on the number of threads. Surveys the frame where none was surveyed. */
OOZE_API OozeStatus ooze_render_frame(OozeRenderer *renderer, const OozeFrame *frame,
                                      OozeRenderProgress progress, void *user,
                                      unsigned char *pixels, OozeError *error);

/* Hash of everything that a picture depends on besides its frame. */
OOZE_API uint64_t ooze_renderer_hash(const OozeRenderer *renderer);

#ifdef __cplusplus
}
#endif
#endif
