/* The scene that rays intersect: triangles and spheres in an Embree scene, infinite planes beside
   it. */
#ifndef OOZE_RENDER_RAY_SCENE_H
#define OOZE_RENDER_RAY_SCENE_H

#include "ooze/status.h"
#include "render/bsdf.h"

typedef struct OozeRayScene OozeRayScene;

/* Triangles or spheres of one Embree geometry. The scene copies the arrays. */
typedef struct OozeRayGeometry {
    bool is_fluid;             /* a closed surface of the fluid; otherwise a solid */
    bool is_wall;              /* of a container: does not stop light, see ooze_trace */
    bool one_sided;            /* hit from the front only */
    int bsdf;                  /* index of the BSDF; of material 0 where there are materials */
    const uint16_t *materials; /* per vertex or sphere, added to `bsdf`; NULL: all 0 */
    const float *colors; /* 3 per vertex or sphere, for BSDFs with vertex colour; NULL: none */
    /* degC, per vertex or sphere, for BSDFs that glow; NULL: their own glow_temperature */
    const float *temperatures;
    uint64_t vertex_count;  /* or the number of spheres */
    const float *positions; /* 3 per vertex or sphere; of each time step one after another */
    int step_count;         /* at equal intervals while the shutter is open; 0, 1: it is at rest */
    OozeF3 turn;          /* rotation of the normals while the shutter is open: axis times angle */
    const float *normals; /* shading normals, 3 per vertex or per corner; NULL: geometric ones */
    bool corner_normals;
    uint64_t triangle_count;
    const uint32_t *triangles; /* NULL: spheres */
    float radius;              /* of spheres */
    /* 3 per vertex: coordinates of the texture, which move with the geometry; NULL: none */
    const float *texture_points;
    OozeAxis texture_up; /* the axis of these coordinates that points up */
} OozeRayGeometry;

/* Infinite, hit from its front only. */
typedef struct OozePlane {
    OozeF3 point, normal;
    int bsdf;
    float grid_spacing; /* of lines drawn on it; 0: none */
} OozePlane;

typedef struct OozeRay {
    OozeF3 origin, direction;
    float time; /* 0: the shutter opens, 1: it closes */
} OozeRay;

typedef struct OozeHit {
    float distance;
    OozeF3 point;
    OozeF3 geometric_normal; /* outwards */
    OozeF3 normal;           /* shading normal, outwards */
    OozeF3 color;            /* vertex colour where the BSDF takes it, otherwise that of the BSDF */
    OozeF3 emission;         /* radiance that the surface emits */
    const OozeBsdf *bsdf;
    int bsdf_index;
    bool front; /* hit from outside */
    bool is_fluid, is_plane, is_wall;
} OozeHit;

OozeStatus ooze_ray_scene_create(OozeRayScene **scene, OozeError *error);
void ooze_ray_scene_destroy(OozeRayScene *scene);

/* Removes all geometries, planes and BSDFs. */
void ooze_ray_scene_clear(OozeRayScene *scene);
/* Copies the BSDF; indices follow the order of adding. */
OozeStatus ooze_ray_scene_add_bsdf(OozeRayScene *scene, const OozeBsdf *bsdf, OozeError *error);
OozeStatus ooze_ray_scene_add_geometry(OozeRayScene *scene, const OozeRayGeometry *geometry,
                                       OozeError *error);
OozeStatus ooze_ray_scene_add_plane(OozeRayScene *scene, const OozePlane *plane, OozeError *error);
/* Builds the acceleration structure, after adding and before intersecting. `size` is the radius of
   what is in view and sets the epsilon. */
OozeStatus ooze_ray_scene_commit(OozeRayScene *scene, float size, OozeError *error);

/* Distance by which rays start off the surface that they leave. */
float ooze_ray_scene_epsilon(const OozeRayScene *scene);
const OozeBsdf *ooze_ray_scene_bsdf(const OozeRayScene *scene, int index);

/* The box of all clear media, panes left out; false: there are none. */
bool ooze_ray_scene_clear_bounds(const OozeRayScene *scene, OozeF3 *low, OozeF3 *high);

/* The first hit between `near` and `far`; false for none. Thread-safe. */
bool ooze_ray_scene_intersect(const OozeRayScene *scene, const OozeRay *ray, float near, float far,
                              OozeHit *hit);

#endif
