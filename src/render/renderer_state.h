/* The state of a renderer, shared by the files that survey frames, build ray scenes and render. */
#ifndef OOZE_RENDER_RENDERER_STATE_H
#define OOZE_RENDER_RENDERER_STATE_H

#include "base/bounds.h"
#include "base/threads.h"
#include "render/lights.h"
#include "render/renderer.h"
#include "render/solid_meshes.h"

struct OozeRenderer {
    const OozeScene *scene;
    OozeRenderDef def;
    OozeThreads *threads;
    OozeRayScene *ray_scene;
    OozeSolidMeshes meshes;
    OozeEnvironment environment; /* of the picture that was rendered last */
    uint64_t frames;             /* number of surveyed frames */
    OozeBounds bounds;           /* of the particles of all of them, or of the followed material */
    OozeVec3 half_extent;        /* the largest of the followed material in any of them */
    OozeVec3 focus;              /* its centre in the frame surveyed or rendered last */
    uint64_t most_particles;
    OozeVec3 *points; /* some of the fluid in each of them */
    uint64_t point_count;
    uint64_t hiding_frames; /* number of them when solids were found that hide the fluid */
    double spacing;
    double mean_samples;          /* per pixel, of the picture that was rendered last */
    double field_low, field_high; /* range of the colour field in all of them */
    char field_unit[16];
};

/* What is in view: the box of the definition; or the followed material; or the particles of all
   frames, and solids that are not much larger. */
typedef struct OozeView {
    OozeVec3 low, high, centre;
    double size; /* half the diagonal */
} OozeView;

OozeView ooze_renderer_view(const OozeRenderer *renderer);

/* Bounds of the particles that the camera shows: of the followed material, or of all. */
OozeStatus ooze_renderer_shown_bounds(const OozeRenderer *renderer, const OozeFrame *frame,
                                      OozeBounds *bounds, OozeError *error);
/* The camera follows the fluid to these bounds, unless they are empty. */
void ooze_renderer_follow(OozeRenderer *renderer, const OozeBounds *bounds);

/* Opens the lens of the camera and focuses it on what the definition names in this frame. */
OozeStatus ooze_renderer_focus(const OozeRenderer *renderer, const OozeFrame *frame,
                               const OozeView *view, OozeCamera *camera, OozeError *error);

/* Keeps some points of the fluid, to know which solids hide it. */
OozeStatus ooze_renderer_keep_points(OozeRenderer *renderer, const OozeFrame *frame,
                                     OozeError *error);
/* Marks the solids that hide more than half of the fluid of all surveyed frames; leaves the ray
   scene without the fluid. */
OozeStatus ooze_renderer_find_hiding(OozeRenderer *renderer, const OozeFrame *frame,
                                     const OozeView *view, const OozeCamera *camera,
                                     OozeError *error);
/* Name of the look of a solid that has none of its own. */
const char *ooze_renderer_default_look(const OozeRenderer *renderer, int solid);

/* Fills the ray scene with the fluid, solids and ground of a frame. */
OozeStatus ooze_renderer_build_scene(OozeRenderer *renderer, const OozeFrame *frame,
                                     const OozeView *view, const OozeCamera *camera,
                                     OozeError *error);

#endif
