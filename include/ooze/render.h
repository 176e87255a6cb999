/* Ooze: pictures of frames. Needs the optional feature "render"; without it the calls return
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
    OOZE_BACKDROP_STUDIO, /* plain ground that fades into a light wall, three area lights */
    OOZE_BACKDROP_GRID,   /* the studio with a grid of lines on the ground */
    OOZE_BACKDROP_SKY,    /* sky and sun */
    OOZE_BACKDROP_COUNT
} OozeBackdrop;

/* Light from all around, which replaces the lights of the backdrop. */
typedef enum OozeEnvironmentType {
    OOZE_ENVIRONMENT_BACKDROP, /* none: the lights of the backdrop */
    OOZE_ENVIRONMENT_STUDIO,   /* soft boxes in a grey room */
    OOZE_ENVIRONMENT_SKY,      /* sun and clear sky */
    OOZE_ENVIRONMENT_KITCHEN,  /* a window and a warm lamp */
    OOZE_ENVIRONMENT_COUNT
} OozeEnvironmentType;

/* A square area light. */
typedef struct OozeLightDef {
    OozeVec3 position; /* m, of its centre */
    OozeVec3 target;   /* m, a point on its axis */
    double size;       /* m, edge length */
    float color[3];    /* linear RGB */
    double strength;   /* radiance of a white surface at the target that faces it */
} OozeLightDef;
OOZE_API OozeLightDef ooze_light_def_default(void);

/* NAN values are derived from the frames given to ooze_renderer_survey. */
typedef struct OozeRenderDef {
    OozeVec3 camera_position; /* m; NAN: automatic */
    OozeVec3 look_at;         /* m; NAN: the centre of the bounds of all surveyed frames */
    double field_of_view;     /* degrees, vertical */
    /* m; the box in view where the camera has no position; NAN: it holds 99.5% of the particles of
       every surveyed frame */
    OozeVec3 view_low, view_high;
    const char *follow; /* name of the material that the camera moves with; NULL: none */
    double f_number;    /* of a lens with an image of the size of 35 mm film; NAN: all is sharp */
    double aperture;    /* m, diameter of the lens, instead of an f-number; NAN: all is sharp */
    double focus_distance; /* m, along the axis of the camera; NAN: to what is in focus */
    const char *focus;     /* name of the material or solid in focus; NULL: the fluid */
    double shutter;        /* share of the time between two frames that it is open; 0: no blur */
    OozeVec3 size;         /* pixels: x is the width, y the height */
    int samples;           /* mean light paths per pixel, more where noise is; 0: 64 */
    double time_limit;     /* s per picture: paths are added until then; 0: `samples` decides */
    OozeBackdrop backdrop;
    OozeEnvironmentType environment;
    double environment_rotation;  /* degrees about the axis up */
    double environment_strength;  /* factor of its light */
    bool caustics;                /* light is focused by clear fluid and glass: photons */
    double firefly_limit;         /* largest radiance that a path by chance brings; 0: none */
    double exposure;              /* stops: 1 doubles the light */
    bool denoise;                 /* smooths the remaining noise, but not across edges */
    const char *color_by;         /* name of a particle field, or "speed"; NULL: the looks */
    double color_low, color_high; /* ends of the colour map; NAN: the range over all frames */
    OozeLightDef *lights;         /* replace the lights of the backdrop, if there are any */
    int light_count;              /* at most 64 */
    bool particles;               /* particles as spheres instead of the surface */
    bool preview;                 /* particles as spheres in direct light only: fast */
    uint64_t seed;                /* of the random samples */
    int threads;                  /* 0: one per core */
} OozeRenderDef;
OOZE_API OozeRenderDef ooze_render_def_default(void);

/* The section `render` of the scene; valid as long as the scene. NULL for NULL. */
OOZE_API const OozeRenderDef *ooze_scene_render(const OozeScene *scene);

typedef struct OozeRenderer OozeRenderer;

/* `def` NULL: that of the scene. The scene must outlive the renderer. */
OOZE_API OozeStatus ooze_renderer_create(const OozeScene *scene, const OozeRenderDef *def,
                                         OozeRenderer **renderer, OozeError *error);
OOZE_API void ooze_renderer_free(OozeRenderer *renderer);

/* Extends the bounds and the colour range by those of a frame. Call it for every frame before the
   first picture, so that the automatic camera and colour map are the same for all pictures. */
OOZE_API OozeStatus ooze_renderer_survey(OozeRenderer *renderer, const OozeFrame *frame,
                                         OozeError *error);

/* Called repeatedly with the finished share, 0 to 1; returning false stops the rendering with
   OOZE_ERROR_CANCELLED. */
typedef bool (*OozeRenderProgress)(void *user, double share);

/* Renders into `pixels`: width x height x 3 bytes (sRGB), rows from the top. The result depends on
   the seed, not on the number of threads. Surveys the frame if no frame was surveyed before. */
OOZE_API OozeStatus ooze_render_frame(OozeRenderer *renderer, const OozeFrame *frame,
                                      OozeRenderProgress progress, void *user,
                                      unsigned char *pixels, OozeError *error);

/* Mean number of samples per pixel of the last picture; 0: none, or `renderer` is NULL. */
OOZE_API double ooze_renderer_mean_samples(const OozeRenderer *renderer);

/* Hash of all settings that a picture depends on, besides its frame; 0: `renderer` is NULL. */
OOZE_API uint64_t ooze_renderer_hash(const OozeRenderer *renderer);

#ifdef __cplusplus
}
#endif
#endif
