/* The solids of a scene as triangle meshes, made once and added to the ray scene in the pose of
   each frame. */
#ifndef OOZE_RENDER_SOLID_MESHES_H
#define OOZE_RENDER_SOLID_MESHES_H

#include "ooze/scene.h"
#include "render/ray_scene.h"
#include "solids/pose.h"

typedef struct OozeSolidMesh {
    const char *name;
    OozePose rest; /* in the scene file */
    OozeAxis up;   /* axis of the shape that points up in its own axes */
    bool is_plane;
    bool hidden;                 /* no mesh */
    bool hides_fluid;            /* in view of the camera, see ooze_renderer_find_hiding */
    struct OozeShape *container; /* NULL: no container */
    OozeVec3 normal;             /* of a plane, local */
    OozeVec3 low, high;          /* bounds, local; not of planes */
    OozeVec3 world_low,
        world_high;   /* bounds in the world over all surveyed frames; low > high: none */
    float *positions; /* local */
    float *normals;   /* 3 per corner of a triangle */
    uint32_t *triangles;
    uint64_t vertex_count, triangle_count;
    /* Of the current frame; of containers the triangles that are not cut away. */
    float *world_positions, *world_normals;
    uint32_t *world_triangles;
    uint64_t world_triangle_count;
} OozeSolidMesh;

typedef struct OozeSolidMeshes {
    OozeSolidMesh *meshes;
    int count;
} OozeSolidMeshes;

OozeStatus ooze_solid_meshes_create(OozeSolidMeshes *meshes, const OozeScene *scene,
                                    OozeError *error);
void ooze_solid_meshes_free(OozeSolidMeshes *meshes);

/* The pose of the solid of that name in a frame, or the one of the scene file. */
OozePose ooze_solid_mesh_pose(const OozeSolidMesh *mesh, int index, const OozeFrame *frame);
/* Extends the bounds in the world by those in a frame. */
void ooze_solid_meshes_add_bounds(OozeSolidMeshes *meshes, const OozeFrame *frame);
/* Moves the vertices of the fluid's surface that are close to the wall of a container onto it, and
   gives them its normal; 3 floats each. */
void ooze_solid_meshes_fit_surface(const OozeSolidMeshes *meshes, const OozeFrame *frame,
                                   uint64_t count, float *positions, float *normals);

/* How solids are added to the ray scene. */
typedef struct OozeSolidPlacing {
    int first_bsdf;     /* of the first solid; one per solid */
    float grid_spacing; /* of lines on planes that face up; 0: none */
    OozeF3 camera;      /* walls of containers that face away from it are cut away */
    double open_time;   /* s, that the shutter is open: moving solids are blurred */
} OozeSolidPlacing;

OozeStatus ooze_solid_meshes_add_to_scene(OozeSolidMeshes *meshes, const OozeFrame *frame,
                                          const OozeSolidPlacing *placing, OozeRayScene *ray_scene,
                                          OozeError *error);
/* Normals of all corners, averaged over adjacent triangles within the crease angle. */
OozeStatus ooze_corner_normals(const float *positions, uint64_t vertex_count,
                               const uint32_t *triangles, uint64_t triangle_count, float *normals,
                               OozeError *error);

#endif
