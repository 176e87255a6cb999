/* Props: the scene's solids as triangles, made once and put on the stage in the pose of each frame. */
#ifndef OOZE_RENDER_PROPS_H
#define OOZE_RENDER_PROPS_H

#include "ooze/scene.h"
#include "render/stage.h"

typedef struct OozeProp {
    const char *name;
    OozePose rest; /* where the scene puts it */
    bool is_plane;
    bool hidden;          /* has nothing but a name and a pose */
    bool one_sided;       /* a container, seen from inside only */
    OozeVec3 normal;      /* of a plane, local */
    OozeVec3 low, high;   /* bounds, local; not of planes */
    OozeVec3 least, most; /* in the world, of all poses surveyed; least > most: none */
    float *positions;     /* local */
    float *normals;       /* three per triangle */
    uint32_t *triangles;
    uint64_t vertex_count, triangle_count;
    float *placed, *turned; /* positions and normals in the world, filled for each frame */
} OozeProp;

typedef struct OozeProps {
    OozeProp *props;
    int count;
} OozeProps;

OozeStatus ooze_props_create(OozeProps *props, const OozeScene *scene, OozeError *error);
void ooze_props_free(OozeProps *props);

/* The pose in a frame: of the solid of that name, or that of the scene. */
OozePose ooze_prop_pose(const OozeProp *prop, int index, const OozeFrame *frame);
/* Notes where the props are in a frame. */
void ooze_props_survey(OozeProps *props, const OozeFrame *frame);
/* Skins begin at `first_skin`, one a prop. `line`: of the grid on planes that face up, 0: none. */
OozeStatus ooze_props_place(OozeProps *props, const OozeFrame *frame, int first_skin, float line,
                            OozeStage *stage, OozeError *error);
/* Normals of all corners: those of the triangles around it that lie within the crease angle. */
OozeStatus ooze_corner_normals(const float *positions, uint64_t vertex_count,
                               const uint32_t *triangles, uint64_t triangle_count, float *normals,
                               OozeError *error);

#endif
