/* Ooze: shapes. One definition serves as fluid volume to fill, solid to collide with, sink, or
   emitter outline. */
#ifndef OOZE_SHAPE_H
#define OOZE_SHAPE_H

#include "ooze/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum OozeShapeKind {
    OOZE_SHAPE_PLANE,       /* half space below the plane through `position` with `normal` */
    OOZE_SHAPE_BOX,         /* `size`: full edge lengths, centred */
    OOZE_SHAPE_SPHERE,      /* `radius` */
    OOZE_SHAPE_CAPSULE,     /* `radius`, `height` between the centres of the two caps */
    OOZE_SHAPE_CYLINDER,    /* `radius`, `height`, centred */
    OOZE_SHAPE_CONE,        /* `radius` at the base, `height`; base centre at the origin, tip up */
    OOZE_SHAPE_TORUS,       /* `radius` of the ring, `tube_radius` */
    OOZE_SHAPE_HEIGHTFIELD, /* solid below a height map spanning `size` x/z (see heights) */
    OOZE_SHAPE_MESH,        /* triangles from `path` (OBJ, PLY, STL) or from `mesh` */
    OOZE_SHAPE_COMPOUND,    /* all of `parts` together, each placed in the compound's frame */
    OOZE_SHAPE_KIND_COUNT
} OozeShapeKind;

/* Triangles in memory; read during the call that takes it, not kept. */
typedef struct OozeMeshView {
    const OozeVec3 *vertices;
    uint64_t vertex_count;
    const uint32_t *triangles; /* three vertex indices each, counter-clockwise seen from outside */
    uint64_t triangle_count;
} OozeMeshView;

/* Heights in memory, row-major, rows along the second horizontal axis; read during the call. */
typedef struct OozeHeightView {
    const float *heights; /* metres above the shape's position */
    uint32_t columns, rows;
} OozeHeightView;

typedef struct OozeShapeDef OozeShapeDef;

enum { OOZE_SHAPE_PARTS_MAX = 64 };

struct OozeShapeDef {
    OozeShapeKind kind;
    OozeVec3 size;
    double radius;
    double tube_radius;
    double height;
    OozeVec3 normal;      /* plane only; zero means the world's up */
    const char *path;     /* mesh, or height map (PGM, or ESRI ASCII grid) */
    OozeMeshView mesh;    /* used when path is NULL */
    OozeHeightView field; /* used when path is NULL */
    double height_scale;  /* height map files: metres for the full grey range */
    /* Shell thickness of a mesh that is not watertight. 0: small gaps are closed and the mesh is
       solid, others become shells of two spacings. */
    double thickness;
    /* Of a compound: bounded shapes, none inverted or a compound itself; read during the call, not
       kept. They may touch and overlap. */
    const OozeShapeDef *parts;
    int part_count;
    bool inverted; /* the outside is solid: a container */
    /* Placement: scaled first, then rotated, then moved. The axis of capsule, cylinder, cone, torus
       and height field is the world's up before rotation. A compound has one factor for all
       axes. */
    OozeVec3 position;
    OozeQuat rotation;
    OozeVec3 scale;
};

OOZE_API OozeShapeDef ooze_shape_def_default(OozeShapeKind kind);

typedef enum OozeInterpolation { OOZE_MOTION_SMOOTH, OOZE_MOTION_LINEAR } OozeInterpolation;

typedef struct OozeKeyframe {
    double time;
    OozeVec3 position;
    OozeQuat rotation;
} OozeKeyframe;

/* Motion of a solid or a nozzle. Keyframes replace the shape's own position and rotation; velocity,
   spin and sine are added on top, and act between `start` and `stop` only. */
typedef struct OozeMotionDef {
    const OozeKeyframe
        *keyframes; /* ascending times; copied; held before the first, after the last */
    int keyframe_count;
    OozeInterpolation interpolation;
    OozeVec3 velocity;       /* m/s */
    OozeVec3 spin;           /* rad/s, about the axis through `pivot` (world axes) */
    OozeVec3 pivot;          /* relative to the shape's position */
    OozeVec3 sine_amplitude; /* m */
    double sine_frequency;   /* Hz */
    double sine_phase;       /* rad */
    double start, stop;      /* s */
} OozeMotionDef;

OOZE_API OozeMotionDef ooze_motion_def_default(void);

typedef struct OozePose {
    OozeVec3 position;
    OozeQuat rotation;
    OozeVec3 velocity; /* of the position, m/s */
    OozeVec3 spin;     /* rad/s, world axes */
} OozePose;

#ifdef __cplusplus
}
#endif
#endif
